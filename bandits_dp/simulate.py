"""Play a learner against a problem, many times, reproducibly."""

from __future__ import annotations

from typing import Any

import joblib
import numpy as np
from tqdm import tqdm

from bandits_dp import _checks
from bandits_dp.learners import Learner, Played
from bandits_dp.problems import Problem
from bandits_dp.result import Result

BAR = "{desc}: {percentage:3.0f}%|{bar}| {elapsed} gone, {remaining} to go"


def checkpoints(horizon: int) -> np.ndarray:
    """Return about 200 rounds, half of them evenly spaced and half by powers, ending with the horizon."""
    even = np.linspace(horizon / 100, horizon, 100)
    powers = np.geomspace(1, horizon, 100)
    return np.unique(np.rint(np.concatenate([even, powers, [1, horizon]])).astype(np.int64).clip(min=1))


def simulate(
    learner: Learner[Any],
    problem: Problem,
    horizon: int,
    runs: int = 20,
    seed: int = 0,
    workers: int = 1,
    progress: bool = True,
) -> Result:
    """Play independent runs of a learner and record their regret.

    Parameters
    ----------
    learner : Learner
        A fresh learner, as ``make`` returns it; it is not changed.
    problem : Problem
        Who gives rewards.
    horizon : int
        Rounds to play, >= 1, at most the learner's horizon.
    runs : int
        Number of independent runs, >= 1.
    seed : int
        Run i draws from child i of ``numpy.random.SeedSequence(seed)``, so it does not depend on the number of runs or workers.
    workers : int
        Processes that share the runs, >= 1.
    progress : bool
        Whether to show a progress bar when it takes longer than a second.

    Returns
    -------
    Result
        Regret at about 200 checkpoints for every run.

    Raises
    ------
    ValueError
        If the horizon exceeds the learner's, the learner has played already, the problem has another number of arms, or a number is
        not a positive integer.
    """
    horizon = _checks.integer("horizon", horizon)
    runs = _checks.integer("runs", runs)
    seed = _checks.integer("seed", seed, low=0)
    workers = _checks.integer("workers", workers)
    if horizon > learner.horizon:
        raise ValueError(f"horizon must be at most {learner.horizon}, for which the learner was made, got {horizon}")
    if learner.played:
        raise ValueError(f"learner must be fresh, but it has played {learner.played} rounds; make another one")
    learner.check_problem(problem)
    rounds = checkpoints(horizon)
    rngs = [np.random.default_rng(child) for child in np.random.SeedSequence(seed).spawn(runs)]
    bar = tqdm(total=runs * horizon, desc=learner.name, delay=1.0, disable=not progress, leave=False, bar_format=BAR)
    with bar:
        if workers == 1:
            parts = [learner.play(problem, rngs, rounds, bar.update)]
        else:
            pieces = [rngs[i : i + runs // (4 * workers) + 1] for i in range(0, runs, runs // (4 * workers) + 1)]
            jobs = (joblib.delayed(learner.play)(problem, piece, rounds, _ignore) for piece in pieces)
            parts = []
            for part in joblib.Parallel(n_jobs=workers, return_as="generator")(jobs):
                parts.append(part)
                bar.update(len(part.bits) * horizon)
    played = Played.join(parts)
    return Result(learner.name, rounds, played.regret, played.bits, learner.guarantee, seed, played.counts, played.curves)


def _ignore(rounds: int) -> None:
    """Take the ticks of a worker process, which has no progress bar."""
