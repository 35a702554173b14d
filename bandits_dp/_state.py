"""Stop and go on later: whatever changes during a run, as a plain dictionary of arrays with a digest, and back."""

from __future__ import annotations

import copy
import functools
import hashlib
import itertools
import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar, Concatenate, ParamSpec, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp import _checks, _files

T = TypeVar("T")
P = ParamSpec("P")
S = TypeVar("S", bound="Saved")
FORMAT = 5  # another number when what is in a state can no longer be read as before
LABEL = f"bandits_dp state {FORMAT}"  # in files


def locked(method: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[S, P], T]:
    """Let threads call such methods of one object one after the other only."""

    @functools.wraps(method)
    def one_at_a_time(self: S, *args: P.args, **kwargs: P.kwargs) -> T:
        with self.lock:
            return method(self, *args, **kwargs)

    return one_at_a_time


class Writer:
    """Writes the states of one object to files, one thread after the other, and never an older state over a newer one.

    Locks are taken by plain ``with`` only, here and everywhere: Python looks for Ctrl-C neither between that and the block nor
    between the block and the release, so that whatever line is interrupted, no lock stays held.

    Attributes
    ----------
    lock : threading.RLock
        Held while a file is written.
    numbers : iterator of int
        What is packed takes the next one, while nothing else is packed.
    newest : dict of str to int
        The number of the state in each file.
    """

    def __init__(self) -> None:
        self.lock, self.numbers = threading.RLock(), itertools.count(1)
        self.newest: dict[str, int] = {}

    def write(self, number: int, path: str | os.PathLike[str], state: Mapping[str, NDArray[Any]]) -> None:
        """Write a state to a file, unless a newer one is there already."""
        file = os.path.realpath(_files.path_of("path", path, "file"))
        with self.lock:
            if number > self.newest.get(file, 0):
                write_state(path, state)
                self.newest[file] = number


class Saved(ABC):
    """What can be saved and restored.

    Attributes
    ----------
    kind : str
        What it is, in one word; the key under which a state names its owner.
    description : str
        Name, size and options: a state can be restored only into an object with the same description.
    terms : str
        What is promised to whom, for which values: it must be the same, too.
    lock : threading.RLock
        Held while a method changes anything; a copy has one of its own. Who wants several calls to be one step holds it meanwhile.
    writing : Writer
        Writes files, while other threads go on; it never takes ``lock``, so that whoever holds that may save.
    """

    kind: ClassVar[str]
    description: str
    terms: str = ""
    lock: Any
    writing: Any

    def __init__(self) -> None:  # not __new__, whose arguments some versions of Python would show as the class's
        self.lock, self.writing = threading.RLock(), Writer()

    def __getstate__(self) -> dict[str, Any]:
        """Return all but the locks, which cannot be copied, and the files, which are this object's."""
        return {key: value for key, value in self.__dict__.items() if key not in ("lock", "writing")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        Saved.__init__(self)

    def save(self, path: str | os.PathLike[str] | None = None) -> dict[str, NDArray[Any]]:
        """Return everything that changes during a run, as a plain dictionary of arrays, and write it to a file if a path is given.

        The file appears in one step, when it is complete and on the disk: whatever happens meanwhile, the one that was there before
        stays whole. It is an ``.npz`` with a checksum that only its owner may read. Where threads save to one file, it keeps
        the newest of their states. The caller's generator is the caller's to save.

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
        Save, then show: what ``act`` and ``update`` did may be seen by others when it is saved, and not before. Then whatever
        crashes, the newest state knows all that anybody has seen, and nothing is released twice. The page "How to use this book"
        has a server that does so.

        Restore the newest state, once only. Two copies that go on from it are two releases about the users who are in both; so are
        two machines that are resumed from one snapshot, which repeat each other's noise besides: start the learner's process after
        the snapshot, or restore a saved state in a fresh process.

        In every model but the local one, the file is as secret as the answers. In the central model it holds sums of users' data,
        and noise of releases that are past. In the shuffle model it holds what messages add up to while they wait, before anybody
        shuffles: two states that differ by one answer tell that answer, and so does one state after the first answer of a batch.
        In the local model what it holds of an answer is noisy already. In every model it holds the key that hashes ids and seals
        tokens: who has the file and a list of members finds out who was there.

        Examples
        --------
        >>> import bandits_dp as bdp
        >>> from bandits_dp.serve import Served
        >>> problem = bdp.problems.BernoulliArms([0.9, 0.8])
        >>> learner, again = (Served(bdp.make("VB-SDP-AE", problem, horizon=1000, epsilon=1.0, delta=1e-3)) for _ in range(2))
        >>> learner.update(learner.act(), 1.0)
        >>> int(learner.save("learner.npz")["played"])
        1
        >>> again.restore("learner.npz")
        >>> again.played
        1
        """
        with self.lock:
            entries = {"format": FORMAT, self.kind: self.description, "terms": self.terms, **self._pack()}
            state, number = {key: np.array(value) for key, value in entries.items()}, next(self.writing.numbers)
        state["digest"] = np.array(digest(state))
        if path is not None:
            self.writing.write(number, path, state)
        return state

    @locked
    def restore(self, state: Mapping[str, ArrayLike] | str | os.PathLike[str]) -> None:
        """Go on from what :meth:`save` returned, or wrote.

        Parameters
        ----------
        state : mapping of str to ndarray, or path
            From an object made with the same arguments: what ``save`` returned, or the path of the file that it wrote.

        Raises
        ------
        ValueError
            If the state is another one's, of another format, damaged or edited; if the file is missing, cut short or no such file.
            Nothing has changed then.
        TypeError
            If it is neither a mapping nor a path.

        Examples
        --------
        See :meth:`save`.
        """
        if isinstance(state, (str, os.PathLike)):
            state = read_state(state)
        if not isinstance(state, Mapping):
            raise TypeError(f"state must be what save() returned, or the path of the file that it wrote, got {_checks.told(state)}")
        arrays = _arrays(state)
        made, found = str(arrays.pop("digest", "none")), arrays.get("format", np.array("none"))
        if found.tolist() != FORMAT:
            raise ValueError(f"state must be of format {FORMAT}, got {found}: it was not saved by this version")
        if made != digest(arrays):
            raise ValueError("state must be what save() returned, got one that is damaged or edited: its digest is another one")
        owner = str(arrays[self.kind]) if self.kind in arrays else None
        if owner != self.description:
            raise ValueError(f"state must come from {self.description}, got that of {owner}")
        if (terms := str(arrays.get("terms", ""))) != self.terms:
            raise ValueError(f"state must come from {owner} for {self.terms}, got that of one for {terms}")
        other = copy.deepcopy(self)
        other._unpack(arrays)
        other.lock, other.writing = self.lock, self.writing  # which other threads may be waiting for
        self.__dict__ = other.__dict__

    def __copy__(self) -> Self:
        """Copy everything: shallow copies would overwrite each other's tickets, answers that wait, and noise that is kept."""
        return copy.deepcopy(self)

    @abstractmethod
    def _pack(self) -> dict[str, ArrayLike]:
        """Return everything that changes during a run, by name."""

    @abstractmethod
    def _unpack(self, state: dict[str, NDArray[Any]]) -> None:
        """Take back what ``_pack`` returned, as arrays."""


def digest(state: Mapping[str, NDArray[Any]]) -> str:
    """Return a SHA-256 over names, types, shapes and bytes."""
    made = hashlib.sha256()
    for key in sorted(state):
        array = np.ascontiguousarray(state[key])
        made.update(f"{key} {array.dtype.str} {state[key].shape} ".encode())
        made.update(array.tobytes())
    return made.hexdigest()


def _arrays(state: Mapping[Any, Any]) -> dict[str, NDArray[Any]]:
    """Return the entries as arrays that nobody else has, or raise a ValueError."""
    arrays = {}
    for key, value in state.items():
        if not isinstance(key, str) or not isinstance(value, np.ndarray) or value.dtype.hasobject or np.ma.is_masked(value):
            raise ValueError(f"state must be what save() returned, arrays by name, got {_checks.told(value)} for "
                             f"{_checks.told(key)}")
        arrays[key] = np.array(value)
    return arrays


def write_state(path: str | os.PathLike[str], state: Mapping[str, NDArray[Any]]) -> None:
    """Write a state to a file, or raise a ValueError that names the path; what was there before is unchanged then."""
    file = _files.path_of("path", path, "file")
    for key, value in state.items():
        if value.dtype.hasobject:
            raise ValueError(f"path can take arrays of numbers and words only, and entry {key!r} holds {_checks.told(value)}")
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


def written(integers: NDArray[np.object_]) -> NDArray[np.str_]:
    """Return integers of any length as words, which a state can hold."""
    return integers.astype(str)


def read_integers(words: NDArray[np.str_]) -> NDArray[np.object_]:
    """Take back what :func:`written` returned."""
    return np.array([int(word) for word in words.ravel().tolist()], dtype=object).reshape(words.shape)


def snapshot(thing: T) -> T:
    """Return a shallow copy of a plain object, ten times faster than ``copy.copy``."""
    other = object.__new__(type(thing))
    other.__dict__.update(thing.__dict__)
    return other


def pack(thing: Any, prefix: str) -> dict[str, ArrayLike]:
    """Return what changes in an object, by name: its class's ``changes``, or all attributes that are plain numbers or arrays."""
    packed: dict[str, ArrayLike] = {}
    for name in _changes(thing):
        value = getattr(thing, name)
        if isinstance(value, Saved):
            packed |= {f"{prefix}{name}_{key}": inner for key, inner in value._pack().items()}
        else:
            packed |= pack(value, f"{prefix}{name}_") if hasattr(value, "changes") else {prefix + name: _plain(value)}
    return packed


def unpack(thing: Any, state: Mapping[str, NDArray[Any]], prefix: str) -> None:
    """Take back what :func:`pack` returned, into a copy that nobody else has."""
    for name in _changes(thing):
        value = getattr(thing, name)
        if isinstance(value, Saved) or hasattr(value, "changes"):
            inner, start = snapshot(value), f"{prefix}{name}_"
            if isinstance(inner, Saved):
                inner._unpack({key.removeprefix(start): array for key, array in state.items() if key.startswith(start)})
            else:
                unpack(inner, state, start)
            setattr(thing, name, inner)
        else:
            given = state[prefix + name]
            if isinstance(value, np.ndarray):
                setattr(thing, name, read_integers(given) if value.dtype.hasobject else given)
            else:
                setattr(thing, name, type(value)(given))


def _plain(value: Any) -> Any:
    """Return integers of any length as words, and what is no array of them as it is."""
    return written(value) if isinstance(value, np.ndarray) and value.dtype.hasobject else value


def _changes(thing: Any) -> tuple[str, ...]:
    known: tuple[str, ...] | None = getattr(thing, "changes", None)
    if known is not None:
        return known
    for name, value in vars(thing).items():
        if not isinstance(value, (bool, int, float, np.ndarray, np.generic)):
            raise TypeError(f"{type(thing).__name__} must name what tell() replaces, numbers and arrays, in a tuple `changes` if "
                            f"it is to be saved, for its {name} is {_checks.told(value)}")
    return tuple(vars(thing))
