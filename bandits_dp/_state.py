"""Stop and go on later: whatever changes during a run, as a plain dictionary of arrays, and back without trusting it."""

from __future__ import annotations

import copy
import os
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp import _files

T = TypeVar("T")
LABEL = "bandits_dp state 1"  # in files; another number when what is in them can no longer be read as before
BOUNDS = ("log_mgf", "half", "beta", "variance")  # ends of entries that are bounds: infinite if nothing is known, not negative
SLACK = 1e-9  # but for rounding
LARGEST = 1e150  # numbers beyond have no square


class WrongEntry(ValueError):
    """An entry of a state cannot be what ``save`` returned.

    Parameters
    ----------
    entry : str
        Its key.
    why : str
        What is wrong with it.
    """

    def __init__(self, entry: str, why: str) -> None:
        super().__init__(f"state must be what save() returned, got one with a wrong entry {entry!r}: {why}")
        self.entry, self.why = entry, why


class Saved(ABC):
    """What can be saved and restored.

    Attributes
    ----------
    kind : str
        What it is, in one word; the key under which a state names its owner.
    description : str
        Name, size and options: a state can be restored only into an object with the same description.
    """

    kind: ClassVar[str]
    description: str

    def save(self, path: str | os.PathLike[str] | None = None) -> dict[str, NDArray[Any]]:
        """Return everything that changes during a run, as a plain dictionary of arrays, and write it to a file if a path is given.

        The file appears in one step, when it is complete and on the disk: whatever happens meanwhile, the one that was there before
        stays whole. It is an ``.npz`` with a checksum that only its owner may read. The caller's generator is the caller's to save.

        Parameters
        ----------
        path : str or path, optional
            File to write, or to replace; a leading ``~`` is the home directory.

        Returns
        -------
        dict of str to ndarray
            The state, whether or not it was written.

        Raises
        ------
        ValueError
            If the file cannot be written: the folder is missing, the disk is full. What was there before is unchanged then.

        Warnings
        --------
        Restore a state once only, and keep it as secret as what it holds: in the central model that is users' data, and noise of
        releases that are past. Two copies that go on from it are two releases about the users who are in both.

        Examples
        --------
        >>> import bandits_dp as bdp
        >>> problem = bdp.problems.BernoulliArms([0.9, 0.8])
        >>> learner, again = (bdp.make("VB-SDP-AE", problem, horizon=1000, epsilon=1.0, delta=1e-3) for _ in range(2))
        >>> learner.update(learner.act(), 1.0)
        >>> int(learner.save("learner.npz")["played"])
        1
        >>> again.restore("learner.npz")
        >>> again.played
        1
        """
        state = {self.kind: np.array(self.description)} | {key: np.array(value) for key, value in self._pack().items()}
        if path is not None:
            write_state(path, state)
        return state

    def restore(self, state: Mapping[str, ArrayLike] | str | os.PathLike[str]) -> None:
        """Go on from what :meth:`save` returned, or wrote.

        Parameters
        ----------
        state : mapping of str to array_like, or path
            From an object made with the same arguments: what ``save`` returned, or the path of the file that it wrote.

        Raises
        ------
        ValueError
            If the state is another one's, or something is missing, additional or of another shape; if the file is missing, damaged,
            cut short or no such file. Nothing has changed then.
        TypeError
            If it is neither a mapping nor a path.

        Examples
        --------
        See :meth:`save`.
        """
        if isinstance(state, (str, os.PathLike)):
            state = read_state(state)
        if not isinstance(state, Mapping):
            raise TypeError(f"state must be what save() returned, or the path of the file that it wrote, got {state!r}")
        given = _Entries({key: _array(key, state) for key in state})
        owner = str(given.pop(self.kind)) if self.kind in given else None
        if owner != self.description:
            raise ValueError(f"state must come from {self.description}, got that of {owner}")
        other = copy.deepcopy(self)
        own = self.save()
        for key in given:
            _check_kind(key, given[key], own.get(key))
            if not self._is_foreign(key):
                _check_size(key, given[key])
        try:
            other._unpack(given)
            back = other.save()
        except WrongEntry:
            raise
        except Exception as error:  # whatever may come of numbers, words and shapes that do not belong there
            raise WrongEntry(given.last, repr(error)) from error
        back.pop(self.kind)
        for key in sorted(back.keys() | given.keys()):
            if key not in back or key not in given or not _same(back[key], given[key]):
                raise WrongEntry(key, "it does not come back" if key in given else "it is missing")
        self.__dict__ = other.__dict__

    def __copy__(self) -> Self:
        """Copy everything: shallow copies would overwrite each other's tickets, answers that wait, and noise that is kept."""
        return copy.deepcopy(self)

    def _is_foreign(self, key: str) -> bool:
        """Whether an entry is of a class that is not this package's, so that nobody knows what it may hold."""
        return False

    @abstractmethod
    def _pack(self) -> dict[str, ArrayLike]:
        """Return everything that changes during a run, by name."""

    @abstractmethod
    def _unpack(self, state: dict[str, NDArray[Any]]) -> None:
        """Take back what ``_pack`` returned, as arrays; ``restore`` calls this on a copy and compares."""


class _Entries(dict[str, NDArray[Any]]):
    """A state, and the name of the entry that was read last: the one that cannot be read, if any."""

    last = ""

    def __getitem__(self, key: str) -> NDArray[Any]:
        self.last = key
        return super().__getitem__(key)


def _array(key: object, state: Mapping[Any, Any]) -> NDArray[Any]:
    """Return an entry as an array of its own, or raise a WrongEntry."""
    if not isinstance(key, str):
        raise WrongEntry(str(key), "keys are words")
    try:
        value = state[key]
        array = np.array(value)
    except Exception as error:  # ragged lists, and whatever a file may hold
        raise WrongEntry(key, repr(error)) from error
    if array.dtype.kind not in "biufUS" or np.ma.is_masked(value):
        raise WrongEntry(key, f"it must hold real numbers or words, got {'masked ones' if np.ma.is_masked(value) else array.dtype}")
    with np.errstate(over="ignore"):  # what becomes infinite will be refused
        return array.astype(float) if array.dtype.kind == "f" else array


def _check_kind(key: str, given: NDArray[Any], own: NDArray[Any] | None) -> None:
    """Raise a WrongEntry if an entry is of another kind, or of other dimensions, than the one that it is to replace."""
    if own is None:  # answers that wait: nobody is waited for here
        own = np.zeros((0,) * given.ndim)
    if given.ndim != own.ndim:
        raise WrongEntry(key, f"it must have {own.ndim} dimensions, got shape {given.shape}")
    numbers = own.dtype.kind in "biuf"
    if given.size and numbers != (given.dtype.kind in "biuf"):
        raise WrongEntry(key, f"it must hold {'numbers' if numbers else 'words'}, got {given.dtype}")
    if own.dtype.kind in "biu" and given.dtype.kind == "f" and not (np.abs(given) < 2**53).all():
        raise WrongEntry(key, "it must hold integers, got NaN, an infinity or floats that may be rounded")


def _check_size(key: str, given: NDArray[Any]) -> None:
    """Raise a WrongEntry for numbers that no learner, counter or privatizer of this package comes to."""
    if key.endswith(BOUNDS):
        if given.dtype.kind in "biuf" and not (given > -SLACK).all():
            raise WrongEntry(key, "it must not be negative or NaN")
    elif given.dtype.kind == "f" and not (np.abs(given) < LARGEST).all():
        raise WrongEntry(key, f"it must be finite and below {LARGEST:g}, got NaN, an infinity or a larger number")


def write_state(path: str | os.PathLike[str], state: Mapping[str, NDArray[Any]]) -> None:
    """Write a state to a file, or raise a ValueError that names the path; what was there before is unchanged then."""
    file = _files.path_of("path", path, "file")
    for key, value in state.items():
        if value.dtype.hasobject:
            raise ValueError(f"path can take arrays of numbers and words only, and entry {key!r} holds {value!r}")
    try:
        _files.replace(Path(os.path.realpath(file)), _files.packed(LABEL, state), durable=True)  # a link goes on pointing there
    except OSError as error:
        raise ValueError(f"path must be a file that can be written, got {os.fspath(path)!r}, still as it was: {error}") from error


def read_state(path: str | os.PathLike[str]) -> dict[str, NDArray[Any]]:
    """Return the state in a file, or raise a ValueError that names the path."""
    file = _files.path_of("state", path, "file")
    try:
        return _files.read(file, LABEL)
    except (OSError, ValueError) as error:
        raise ValueError(f"state must be a file that save(path) wrote, got {os.fspath(path)!r}: {error}") from error


def snapshot(thing: T) -> T:
    """Return a shallow copy of a plain object, ten times faster than ``copy.copy``."""
    other = object.__new__(type(thing))
    other.__dict__.update(thing.__dict__)
    return other


def _same(one: NDArray[Any], other: NDArray[Any]) -> bool:
    """Whether two arrays hold the same; NaN is NaN."""
    return np.array_equal(one, other, equal_nan=one.dtype.kind == "f" and other.dtype.kind == "f")


def pack(thing: Any, prefix: str) -> dict[str, ArrayLike]:
    """Return what changes in an object, by name: its class's ``changes``, or all attributes that are plain numbers or arrays."""
    packed: dict[str, ArrayLike] = {}
    for name in _changes(thing):
        value = getattr(thing, name)
        if isinstance(value, Saved):
            packed |= {f"{prefix}{name}_{key}": inner for key, inner in value._pack().items()}
        else:
            packed |= pack(value, f"{prefix}{name}_") if hasattr(value, "changes") else {prefix + name: value}
    return packed


def unpack(thing: Any, state: Mapping[str, NDArray[Any]], prefix: str) -> None:
    """Take back what :func:`pack` returned, into a copy that nobody else has."""
    for name in _changes(thing):
        value = getattr(thing, name)
        if isinstance(value, Saved):
            inner = snapshot(value)
            start = f"{prefix}{name}_"
            inner._unpack({key.removeprefix(start): array for key, array in state.items() if key.startswith(start)})
            setattr(thing, name, inner)
        elif hasattr(value, "changes"):
            inner = snapshot(value)
            unpack(inner, state, f"{prefix}{name}_")
            setattr(thing, name, inner)
        elif isinstance(value, np.ndarray):
            array = np.array(state[prefix + name], dtype=value.dtype)
            if name in getattr(thing, "fixed", ()) and array.shape != value.shape:
                raise ValueError(f"its shape must be {value.shape}, got {array.shape}")
            setattr(thing, name, array)
        else:
            setattr(thing, name, type(value)(state[prefix + name]))


def pack_part(part: Saved, prefix: str) -> dict[str, NDArray[Any]]:
    """Return what a part of something saves, without its description."""
    return {prefix + key: value for key, value in part.save().items() if key != part.kind}


def unpack_part(part: Saved, state: Mapping[str, NDArray[Any]], prefix: str) -> None:
    """Take back what :func:`pack_part` returned."""
    own = {key.removeprefix(prefix): value for key, value in state.items() if key.startswith(prefix)}
    try:
        part.restore({part.kind: np.array(part.description), **own})
    except WrongEntry as error:
        raise WrongEntry(prefix + error.entry, error.why) from error


def _changes(thing: Any) -> tuple[str, ...]:
    known: tuple[str, ...] | None = getattr(thing, "changes", None)
    if known is not None:
        return known
    for name, value in vars(thing).items():
        if not isinstance(value, (bool, int, float, np.ndarray, np.generic)):
            raise TypeError(f"{type(thing).__name__} must name what tell() replaces, numbers and arrays, in a tuple `changes` if "
                            f"it is to be saved, for its {name} is {value!r}")
    return tuple(vars(thing))
