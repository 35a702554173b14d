"""Finished runs on disk, one small file each, so that an interrupted sweep goes on where it was.

A file is written under another name and renamed, which is one step for the system: whoever is killed, and whoever else writes the
same run at the same time, leaves whole files only. The folder is named by the content of learner and problem, by the checkpoints,
the seed and the code (see ``fingerprint.py``), so a run is found again only by a simulation that would play exactly the same. What
a file holds is believed if its checksum fits (see ``_files.py``).
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

FULL = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC))  # a disk, or the user's part of it


class RunStore:
    """The runs of one learner on one problem with one seed.

    Simulations share the cache, a folder that is made if need be. A ValueError says if it is not a path, cannot be written to, or
    if learner or problem hold something that has no comparable content.
    """

    def __init__(self, cache: str | os.PathLike[str], learner: App, problem: Problem, rounds: Checkpoints,
                 seed: int) -> None:
        shared = _files.path_of("cache", cache, "folder")
        self.key = fingerprint(learner, problem, rounds, seed)
        self.folder = shared / f"{re.sub('[^A-Za-z0-9-]', '_', learner.name)[:50]}-{self.key[:24]}"
        self.waiting: dict[int, Played] = {}  # runs that the folder did not take
        self.warned = False
        about = {"learner": learner.description, "problem": repr(problem), "horizon": int(rounds[-1]), "seed": seed}
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            _files.replace(self.folder / "about.json", json.dumps(about, indent=2).encode())
        except OSError as error:
            if error.errno not in FULL:
                raise ValueError(f"cache must be a folder that can be written to, got {os.fspath(cache)!r}: {error}") from error
            self._warn("its description", error, 4)  # what this program has played before this simulation must not be lost

    def _path(self, run: int) -> Path:
        return self.folder / f"run-{run:06d}.npz"

    def _label(self, run: int) -> str:
        return f"bandits_dp run 1 {self.key} {run}"

    def save(self, run: int, played: Played) -> None:
        """Store one run, by its number; if that fails, say so once, keep it, and try again when a later run could be stored."""
        if self._stored(run, played):
            self.waiting = {other: kept for other, kept in self.waiting.items() if not self._stored(other, kept)}
        else:
            self.waiting[run] = played

    def _stored(self, run: int, played: Played) -> bool:
        """Store one run, or warn; return whether it worked."""
        arrays = {name: array[0] for name, array in played.arrays().items()}
        try:
            _files.replace(self._path(run), _files.packed(self._label(run), arrays))
        except OSError as error:  # the disk is full, the folder is gone: no reason to lose what was played
            self._warn(f"run {run}", error, 5)
            return False
        return True

    def _warn(self, what: str, error: OSError, level: int) -> None:
        if not self.warned:
            warnings.warn(f"the cache {self.folder} did not take {what}: {error}. The simulation goes on and returns its result; "
                          "what is not stored is lost if you stop it, and tried again once the cache takes a run", stacklevel=level)
        self.warned = True

    def found(self, runs: int) -> dict[int, Played]:
        """Return the stored ones of so many runs, by number; a warning names each whose file cannot be used."""
        found = {}
        for run in range(runs):
            path = self._path(run)
            try:
                found[run] = Played.of({name: array[None] for name, array in _files.read(path, self._label(run)).items()})
            except FileNotFoundError:
                continue
            except (OSError, ValueError) as error:
                warnings.warn(f"the stored run {path} cannot be used and will be played again: {error}", stacklevel=3)
        return found
