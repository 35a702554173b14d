"""Finished runs on disk, one small file each, so that an interrupted sweep can go on.

A file is written under another name and then renamed, which is one step for the system: crashes and
concurrent writers leave complete files only. The folder's name depends on the content of learner
and problem, the checkpoints, the seed and the code (see ``fingerprint.py``), so only a simulation
that would play exactly the same run finds it again. A file is used only if its checksum fits (see
``_files.py``).
"""

import errno
import json
import os
import re
import warnings
from pathlib import Path

from bandits_dp import _files
from bandits_dp.app.app import App
from bandits_dp.play.fingerprint import fingerprint
from bandits_dp.play.record import Checkpoints, Played
from bandits_dp.problem import Problem

# the disk or the user's quota is full
FULL = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC))


class RunStore:
    """The runs of one learner on one problem with one seed.

    Simulations share the cache, a folder that is created if it is missing. It raises a ValueError
    if the cache is not a path or cannot be written to, or if the learner or the problem holds
    something without comparable content.
    """

    def __init__(self, cache: str | os.PathLike[str], learner: App, problem: Problem,
                 rounds: Checkpoints, seed: int) -> None:
        shared = _files.path_of("cache", cache, "folder")
        self.key = fingerprint(learner, problem, rounds, seed)
        self.folder = shared / f"{re.sub('[^A-Za-z0-9-]', '_', learner.name)[:50]}-{self.key[:24]}"
        self.waiting: dict[int, Played] = {}  # runs that could not be stored
        self.warned = False
        about = {"learner": learner.description, "problem": repr(problem),
                 "horizon": int(rounds[-1]), "seed": seed}
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            _files.replace(self.folder / "about.json", json.dumps(about, indent=2).encode())
        except OSError as error:
            if error.errno not in FULL:
                raise ValueError("cache must be a folder that can be written to, got "
                                 f"{os.fspath(cache)!r}: {error}") from error
            self._warn("its description", error, 4)  # no reason to lose earlier results

    def _path(self, run: int) -> Path:
        return self.folder / f"run-{run:06d}.npz"

    def _label(self, run: int) -> str:
        return f"bandits_dp run 1 {self.key} {run}"

    def save(self, run: int, played: Played) -> None:
        """Store one run by its number; if that fails, warn once, and try again with later runs."""
        if self._stored(run, played):
            self.waiting = {other: kept for other, kept in self.waiting.items()
                            if not self._stored(other, kept)}
        else:
            self.waiting[run] = played

    def _stored(self, run: int, played: Played) -> bool:
        """Store one run, or warn; return whether it worked."""
        arrays = {name: array[0] for name, array in played.arrays().items()}
        try:
            _files.replace(self._path(run), _files.packed(self._label(run), arrays))
        except OSError as error:  # a full disk or a missing folder is no reason to lose results
            self._warn(f"run {run}", error, 5)
            return False
        return True

    def _warn(self, what: str, error: OSError, level: int) -> None:
        if not self.warned:
            warnings.warn(f"the cache {self.folder} did not take {what}: {error}. The simulation "
                          "goes on and returns its result; what is not stored is lost if you stop "
                          "it, and tried again once the cache takes a run", stacklevel=level)
        self.warned = True

    def found(self, runs: int) -> dict[int, Played]:
        """Return the stored runs below number ``runs``; warn of each file that cannot be used."""
        found = {}
        for run in range(runs):
            path = self._path(run)
            try:
                found[run] = Played.of({
                    name: array[None]
                    for name, array in _files.read(path, self._label(run)).items()})
            except FileNotFoundError:
                continue
            except (OSError, ValueError) as error:
                warnings.warn(f"the stored run {path} cannot be used and will be played again: "
                              f"{error}", stacklevel=3)
        return found
