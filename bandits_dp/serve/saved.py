"""Save and restore: all that changes during a run, as a dictionary of arrays with a digest."""

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
FORMAT = 5  # increases when older states can no longer be read
LABEL = f"bandits_dp state {FORMAT}"  # in files


def locked(method: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[S, P], T]:
    """Decorate methods such that threads call those of one object one at a time."""

    @functools.wraps(method)
    def one_at_a_time(self: S, *args: P.args, **kwargs: P.kwargs) -> T:
        with self.lock:
            return method(self, *args, **kwargs)

    return one_at_a_time


class Writer:
    """Writes one object's states to files, one thread at a time, never an older over a newer one.

    Here and everywhere, locks are taken by a plain ``with``. Python does not check for Ctrl-C
    between taking the lock and the block, nor between the block and the release. So no lock stays
    held, whichever line is interrupted.

    Attributes
    ----------
    lock : threading.RLock
        Held while a file is written.
    numbers : iterator of int
        Each packed state takes the next number, while its owner's ``lock`` is held.
    newest : dict of str to int
        Number of the state in each file.
    """

    def __init__(self) -> None:
        self.lock, self.numbers = threading.RLock(), itertools.count(1)
        self.newest: dict[str, int] = {}

    def write(self, number: int, path: str | os.PathLike[str],
              state: Mapping[str, NDArray[Any]]) -> None:
        """Write a state to a file, unless the file has a newer one."""
        file = os.path.realpath(_files.path_of("path", path, "file"))
        with self.lock:
            if number > self.newest.get(file, 0):
                write_state(path, state)
                self.newest[file] = number


class Saved(ABC):
    """Base class of objects that can be saved and restored.

    Attributes
    ----------
    kind : str
        Kind of object, in one word; the key of ``description`` in a state.
    description : str
        Name, size and options. A state can be restored only into an object with the same
        description.
    terms : str
        The guarantee and the allowed values, which must also be the same.
    lock : threading.RLock
        Held while a method changes anything; each copy has its own. Hold it to make several calls
        one step.
    writing : Writer
        Writes files while other threads go on. It never takes ``lock``, so a thread that holds
        ``lock`` may save.
    """

    kind: ClassVar[str]
    description: str
    terms: str = ""
    lock: Any
    writing: Any

    # not __new__: some versions of Python show its arguments as the class's
    def __init__(self) -> None:
        self.lock, self.writing = threading.RLock(), Writer()

    def __getstate__(self) -> dict[str, Any]:
        """Return all attributes but the lock, which cannot be copied, and this object's writer."""
        return {key: value
                for key, value in self.__dict__.items() if key not in ("lock", "writing")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        Saved.__init__(self)

    def save(self, path: str | os.PathLike[str] | None = None) -> dict[str, NDArray[Any]]:
        """Return all that changes during a run as a dictionary of arrays, and write it to ``path``.

        The file appears in one step, when it is complete and on the disk; until then the old file
        stays whole. It is an ``.npz`` with a checksum, which only its owner may read. If several
        threads save to one file, it keeps the newest state. The caller's generator is not saved.

        Parameters
        ----------
        path : str or path, optional
            File to write or replace; a leading ``~`` is the home directory. If None, no file is
            written.

        Returns
        -------
        dict of str to ndarray
            The state, whether or not it was written.

        Raises
        ------
        ValueError
            If the file cannot be written, for instance because the folder is missing or the disk is
            full. The old file is then unchanged.

        Warnings
        --------
        Save, then show: others may see the effects of ``act`` and ``update`` only once they are
        saved. Then, after any crash, the newest state contains all that was ever seen, and nothing
        is released twice. The page "Serve real people" has such a server.

        Restore only the newest state, and only once. Two copies that go on from one state release
        twice about the users who are in both. So do two machines resumed from one snapshot, and
        these also repeat each other's noise: start the learner's process after the snapshot, or
        restore a saved state in a fresh process.

        In every model but the local one, the file is as secret as the answers. In the central model
        it contains sums of users' data, and the noise of past releases. In the shuffle model it
        contains the sum of the waiting messages, before any shuffling: two states that differ by
        one answer reveal that answer, and so does one state after the first answer of a batch. In
        the local model the answers in it are already noisy. In every model it contains the key that
        hashes ids and seals tokens: the file and a list of members together reveal which of them
        took part.

        Examples
        --------
        >>> import bandits_dp as bdp
        >>> from bandits_dp.serve import Served
        >>> problem = bdp.problems.BernoulliArms([0.9, 0.8])
        >>> settings = {"horizon": 1000, "epsilon": 1.0, "delta": 1e-3}
        >>> make = lambda: Served(bdp.make("VB-SDP-AE", problem, **settings))
        >>> learner, again = make(), make()
        >>> learner.update(learner.act(), 1.0)
        >>> int(learner.save("learner.npz")["played"])
        1
        >>> again.restore("learner.npz")
        >>> again.played
        1
        """
        with self.lock:
            entries = {"format": FORMAT, self.kind: self.description, "terms": self.terms,
                       **self._pack()}
            state, number = ({key: np.array(value) for key, value in entries.items()},
                             next(self.writing.numbers))
        state["digest"] = np.array(digest(state))
        if path is not None:
            self.writing.write(number, path, state)
        return state

    @locked
    def restore(self, state: Mapping[str, ArrayLike] | str | os.PathLike[str]) -> None:
        """Go on from a state that :meth:`save` returned or wrote.

        Parameters
        ----------
        state : mapping of str to ndarray, or path
            A state from an object made with the same arguments, or the path of its file.

        Raises
        ------
        ValueError
            If the state is from another object, of another format, damaged or edited, or if the
            file is missing, cut short or of another kind. Nothing has changed then.
        TypeError
            If ``state`` is neither a mapping nor a path.

        Examples
        --------
        See :meth:`save`.
        """
        if isinstance(state, (str, os.PathLike)):
            state = read_state(state)
        if not isinstance(state, Mapping):
            raise TypeError("state must be what save() returned, or the path of the file that it "
                            f"wrote, got {_checks.told(state)}")
        arrays = _arrays(state)
        made, found = str(arrays.pop("digest", "none")), arrays.get("format", np.array("none"))
        if found.tolist() != FORMAT:
            raise ValueError(f"state must be of format {FORMAT}, got {found}: it was not saved by "
                             "this version")
        if made != digest(arrays):
            raise ValueError("state must be what save() returned, got one that is damaged or "
                             "edited: its digest does not fit")
        owner = str(arrays.pop(self.kind, None))
        if owner != self.description:
            raise ValueError(f"state must come from {self.description}, got one from {owner}")
        if (terms := str(arrays.pop("terms", ""))) != self.terms:
            raise ValueError(f"state must come from {owner} for {self.terms}, got one for {terms}")
        other = copy.deepcopy(self)
        other._unpack(arrays)
        # other threads may be waiting for these
        other.lock, other.writing = self.lock, self.writing
        self.__dict__ = other.__dict__

    def __copy__(self) -> Self:
        """Copy deeply: shallow copies would overwrite each other's tickets, answers and noise."""
        return copy.deepcopy(self)

    @abstractmethod
    def _pack(self) -> dict[str, ArrayLike]:
        """Return all that changes during a run, by name."""

    @abstractmethod
    def _unpack(self, state: dict[str, NDArray[Any]]) -> None:
        """Restore what ``_pack`` returned, given as arrays."""


def digest(state: Mapping[str, NDArray[Any]]) -> str:
    """Return the SHA-256 digest of names, types, shapes and bytes."""
    made = hashlib.sha256()
    for key in sorted(state):
        array = np.ascontiguousarray(state[key])
        made.update(f"{key} {array.dtype.str} {state[key].shape} ".encode())
        made.update(array.tobytes())
    return made.hexdigest()


def _arrays(state: Mapping[Any, Any]) -> dict[str, NDArray[Any]]:
    """Return copies of the entries, or raise a ValueError if one is not an array."""
    arrays = {}
    for key, value in state.items():
        if (not isinstance(key, str) or not isinstance(value, np.ndarray) or value.dtype.hasobject
                or np.ma.is_masked(value)):
            raise ValueError("state must be what save() returned, arrays by name, got "
                             f"{_checks.told(value)} for {_checks.told(key)}")
        arrays[key] = np.array(value)
    return arrays


def write_state(path: str | os.PathLike[str], state: Mapping[str, NDArray[Any]]) -> None:
    """Write a state to a file, or raise a ValueError that names the path and keep the old file."""
    file = _files.path_of("path", path, "file")
    for key, value in state.items():
        if value.dtype.hasobject:
            raise ValueError(f"path can take only arrays of numbers and strings, and entry {key!r} "
                             f"holds {_checks.told(value)}")
    try:
        # keeps a link
        _files.replace(Path(os.path.realpath(file)), _files.packed(LABEL, state), durable=True)
    except OSError as error:
        raise ValueError(f"path must be a file that can be written, got {os.fspath(path)!r}, which "
                         f"is unchanged: {error}") from error


def read_state(path: str | os.PathLike[str]) -> dict[str, NDArray[Any]]:
    """Return the state in a file, or raise a ValueError that names the path."""
    file = _files.path_of("state", path, "file")
    try:
        return _files.read(file, LABEL)
    except (OSError, ValueError) as error:
        raise ValueError(f"state must be a file that save(path) wrote, got {os.fspath(path)!r}: "
                         f"{error}") from error
