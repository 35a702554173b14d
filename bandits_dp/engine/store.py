"""Finished runs on disk, one small file each, so that an interrupted sweep goes on where it was.

A file is written under another name and renamed, which is one step for the system: whoever is killed, and whoever else writes the
same run at the same time, leaves whole files only. The folder is named by the content of learner and problem, by the checkpoints,
the seed and the code (see ``fingerprint.py``), so a run is found again only by a simulation that would play exactly the same.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandits_dp.engine.fingerprint import fingerprint
from bandits_dp.engine.live import Live
from bandits_dp.engine.played import Played
from bandits_dp.engine.restarts import Restarts
from bandits_dp.problems import Problem

SEPARATOR = "."  # between "counts" or "curves" and a name, in a file


def single_runs(played: Played) -> Iterator[Played]:
    """Take apart runs that were played together."""
    for i in range(len(played.bits)):
        counts, curves = ({name: array[i : i + 1] for name, array in kind.items()} for kind in (played.counts, played.curves))
        yield Played(played.regret[i : i + 1], played.bits[i : i + 1], counts, curves)


class RunStore:
    """The runs of one learner on one problem with one seed.

    Parameters
    ----------
    cache : str or path
        Folder that many simulations share; made if need be.
    learner : Live
        A fresh learner.
    problem : Problem
        What it plays.
    rounds : ndarray of int, shape (checkpoints,)
        The checkpoints.
    seed : int
        The simulation's seed.

    Raises
    ------
    ValueError
        If the cache is not a path, the folder cannot be written to, or learner or problem hold something that has no comparable
        content.
    """

    def __init__(
        self, cache: str | os.PathLike[str], learner: Live | Restarts, problem: Problem, rounds: NDArray[np.int64], seed: int
    ) -> None:
        if not isinstance(cache, (str, os.PathLike)):
            raise ValueError(f"cache must be the path of a folder, got {cache!r}")
        self.key = fingerprint(learner, problem, rounds, seed)
        self.checkpoints = len(rounds)
        self.folder = Path(cache) / f"{re.sub('[^A-Za-z0-9-]', '_', learner.name)}-{self.key[:24]}"
        about = {"learner": learner.description, "problem": repr(problem), "horizon": int(rounds[-1]), "seed": seed}
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._write(self.folder / "about.json", lambda file: file.write(json.dumps(about, indent=2).encode()))
        except OSError as error:
            raise ValueError(f"cache must be a folder that can be written to, got {os.fspath(cache)!r}: {error}") from error

    def _path(self, run: int) -> Path:
        return self.folder / f"run-{run:06d}.npz"

    def _write(self, path: Path, write: Callable[[Any], object]) -> None:
        """Let ``write`` fill a file, and give it its name in one step when it is complete."""
        descriptor, draft = tempfile.mkstemp(dir=self.folder, prefix=f".{path.name}-", suffix=".tmp")
        try:
            with os.fdopen(descriptor, "wb") as file:
                write(file)
            os.replace(draft, path)
        except BaseException:
            Path(draft).unlink(missing_ok=True)
            raise

    def save(self, run: int, played: Played) -> None:
        """Store one run, by its number."""
        arrays: dict[str, Any] = {"key": f"{self.key} {run}", "regret": played.regret[0], "bits": played.bits[0]}
        for kind in ("counts", "curves"):
            arrays |= {f"{kind}{SEPARATOR}{name}": array[0] for name, array in getattr(played, kind).items()}
        # They are numbers, so nothing is pickled. (numpy before 2.2 takes allow_pickle=False here for one more array.)
        self._write(self._path(run), lambda file: np.savez(file, **arrays))

    def load(self, run: int) -> Played | None:
        """Return a stored run; None if there is none, or if its file is damaged, which a warning says."""
        path = self._path(run)
        try:
            with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
                arrays = {name: archive[name] for name in archive.files}
            if str(arrays.pop("key")) != f"{self.key} {run}":
                raise ValueError("it is of another simulation")
            return self._played(arrays)
        except FileNotFoundError:
            return None
        except Exception as error:  # a damaged archive fails in many ways
            warnings.warn(f"the stored run {path} is damaged and will be played again: {error!r}", stacklevel=3)
            return None

    def _played(self, arrays: dict[str, NDArray[Any]]) -> Played:
        regret, bits = arrays.pop("regret"), arrays.pop("bits")
        parts: dict[str, dict[str, NDArray[Any]]] = {"counts": {}, "curves": {}}
        for name, array in arrays.items():
            kind, _, rest = name.partition(SEPARATOR)
            parts[kind][rest] = array[None]
        if regret.shape != (self.checkpoints,) or bits.shape != ():
            raise ValueError(f"its regret has shape {regret.shape} instead of ({self.checkpoints},)")
        return Played(regret[None], bits[None], parts["counts"], parts["curves"])
