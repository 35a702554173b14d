"""Play a learner against a problem, many times, reproducibly."""

import copy
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from bandits_dp import _checks
from bandits_dp.app.app import App
from bandits_dp.guarantee import IDEAL
from bandits_dp.play.groups import TOGETHER, Groups
from bandits_dp.play.memory import check_runs
from bandits_dp.play.parent import end_with_parent
from bandits_dp.play.paths import path_for
from bandits_dp.play.record import Checkpoints, Played, Tick
from bandits_dp.play.result import Result
from bandits_dp.play.store import RunStore
from bandits_dp.problem import Problem

BAR = "{desc}: {percentage:3.0f}%|{bar}| {elapsed} gone, {remaining} to go"


def checkpoints(horizon: int) -> Checkpoints:
    """Return about 200 rounds, half evenly and half geometrically spaced, up to the horizon.

    Examples
    --------
    >>> from bandits_dp.play.simulate import checkpoints
    >>> rounds = checkpoints(10**6)
    >>> int(rounds[0]), int(rounds[-1]), len(rounds) <= 200
    (1, 1000000, True)
    """
    even = np.linspace(horizon / 100, horizon, 100)
    powers = np.geomspace(1, horizon, 100)
    return np.unique(
        np.rint(np.concatenate([even, powers, [1, horizon]])).astype(np.int64).clip(min=1))


def simulate(learner: App, problem: Problem, horizon: int, runs: int = 20, seed: int = 0,
             workers: int = 1, progress: bool = True,
             cache: str | os.PathLike[str] | None = None) -> Result:
    """Play independent runs of a learner and record their regret.

    Inside ``with joblib.parallel_config(backend="dask"):`` the runs go to the workers of that Dask
    cluster; any other backend of joblib works, too.

    Parameters
    ----------
    learner : App
        A fresh learner, as ``make`` or ``combine`` returns it; it is not changed.
    problem : Problem
        The problem that draws the rewards.
    horizon : int
        Rounds to play, >= 1, at most the learner's horizon.
    runs : int
        Number of independent runs, >= 1.
    seed : int
        Run i draws from child i of ``numpy.random.SeedSequence(seed)``, so it does not depend on
        the number of runs or workers.
    workers : int
        Processes that share the runs, >= 1; a cluster uses all it has.
    progress : bool
        Whether to show a progress bar when it takes longer than a second.
    cache : str or path, optional
        Folder that keeps every finished run; ``~`` is the home directory. The same simulation, with
        any number of runs, then plays only the missing ones, also after it was killed: each worker
        loses at most one run, or 5 seconds of work. Another learner, problem, horizon or seed,
        another version or any edit of the code never finds these runs, and damaged files are played
        again. Delete the folder when you are done.

    Raises
    ------
    ValueError
        If the horizon exceeds the learner's, the learner has played already or cannot play the
        problem, a number is not a positive integer, the results would not fit into memory, or the
        cache is not a writable folder. With a cache, also if the learner or the problem holds
        something without comparable content (an open file, a lock).
    TypeError
        If an argument is no learner or no problem, for instance because they are swapped.

    Warns
    -----
    UserWarning
        If a stored run cannot be used and is played again; or, once, if the cache takes no more
        runs because the disk is full or the folder is gone. The simulation then goes on and returns
        its result.

    Examples
    --------
    >>> import bandits_dp as bdp
    >>> problem = bdp.problems.BernoulliArms([0.9, 0.8])
    >>> learner = bdp.make("SDP-AE", problem, horizon=1000, epsilon=1.0, delta=1e-3, batch_size=50)
    >>> result = bdp.simulate(learner, problem, horizon=1000, runs=5)
    >>> result.regret.shape[0]
    5
    """
    _check_learner(learner, problem)
    horizon = _checks.integer("horizon", horizon)
    runs = _checks.integer("runs", runs)
    seed = _checks.integer("seed", seed, low=0)
    workers = min(_checks.integer("workers", workers), runs)  # others would have no run
    progress = _checks.flag("progress", progress)
    if horizon > learner.horizon:
        raise ValueError(f"horizon must be at most {learner.horizon}, for which the learner was "
                         f"made, got {horizon}")
    if learner.played:
        raise ValueError(f"learner must be fresh, but it has played {learner.played} rounds; make "
                         "another one")
    learner.check_problem(problem)
    rounds = checkpoints(horizon)
    check_runs(runs, 2 * 8 * len(rounds) + 1000)  # regret, single and joined, and its objects
    store = None
    if cache is not None:
        store = RunStore(cache, learner, problem, rounds, seed)
        learner = copy.deepcopy(learner)  # playing may fill its tables, and change its key
    found = store.found(runs) if store else {}
    missing = [run for run in range(runs) if run not in found]
    with tqdm(total=runs * horizon, desc=learner.name, delay=1.0, disable=not progress, leave=False,
              bar_format=BAR) as bar:
        bar.update(len(found) * horizon)
        for group, played in _played(learner, problem, horizon, seed, missing, workers,
                                     store is not None, bar.update):
            for run, single in zip(group, played.runs(), strict=True):
                found[run] = single
                if store:
                    store.save(run, single)
    played = Played.join([found[run] for run in sorted(found)])
    promise = learner.guarantee
    if promise.holds and learner.fidelity == "aggregate":
        promise = replace(promise, holds=IDEAL)
    return Result(learner.name, rounds, played.regret, played.bits, promise, seed, played.counts,
                  played.curves, dict(learner.parameters))


def _check_learner(learner: object, problem: object) -> None:
    """Raise a TypeError if the learner is not an app."""
    if not isinstance(learner, App):
        hint = "; learner and problem are swapped" if isinstance(problem, App) else ""
        hint = "; simulate its .app" if isinstance(getattr(learner, "app", None), App) else hint
        raise TypeError("learner must be what make() or combine() returned, got "
                        f"{_checks.told(learner)}{hint}")


def _played(learner: App, problem: Problem, horizon: int, seed: int, runs: list[int], workers: int,
            in_pieces: bool, tick: Tick) -> Iterator[tuple[list[int], Played]]:
    """Yield groups of runs as they are finished: here, or by joblib's workers."""
    if not runs:
        return
    task = partial(_play, learner, problem, horizon, seed)
    usual, nested = _backend()
    if workers == 1 and (usual or nested):
        groups = Groups(runs, TOGETHER, in_pieces)
        for group in groups:
            _, played, seconds = task(group, tick)
            groups.took(len(group), seconds)
            yield group, played
        return
    import joblib

    if usual:
        task = partial(task, caller=os.getpid())
    # four groups per worker, to end together
    size = -(-len(runs) // (4 * joblib.effective_n_jobs(workers)))
    groups = Groups(runs, min(size, TOGETHER), in_pieces)
    jobs = map(joblib.delayed(task), groups)
    for group, played, seconds in joblib.Parallel(n_jobs=workers, return_as="generator_unordered",
                                                  batch_size=1)(jobs):
        groups.took(len(group), seconds)
        tick(len(group) * horizon)
        yield group, played


def _backend() -> tuple[bool, bool]:
    """Return whether joblib's backend is the default, and whether this process is a worker.

    Another backend, from ``with joblib.parallel_config(...)``, sends the runs elsewhere; a worker
    keeps all its runs together.
    """
    if "joblib" not in sys.modules:  # its import is slow, and most simulations do not need it
        return True, False
    import joblib

    backend, _ = joblib.parallel.get_active_backend()
    return (isinstance(backend, joblib.parallel.BACKENDS[joblib.parallel.DEFAULT_BACKEND]),
            bool(backend.nesting_level))


def _play(learner: App, problem: Problem, horizon: int, seed: int, runs: list[int],
          tick: Tick = int, caller: int = 0) -> tuple[list[int], Played, float]:
    """Play some runs, each from its own generator; return also the seconds that this took.

    A worker process has no progress bar to tick. It ends with the process that started it, whose id
    is ``caller``.
    """
    end_with_parent(caller)
    started = time.monotonic()
    # as SeedSequence(seed).spawn gives
    seeds = (np.random.SeedSequence(seed, spawn_key=(run,)) for run in runs)
    with threadpool_limits(1, user_api="blas"):  # several threads are up to 5 times slower
        play = path_for(learner, problem)
        played = play(learner, problem, list(map(np.random.default_rng, seeds)),
                      checkpoints(horizon), tick)
    return runs, played, time.monotonic() - started
