"""Many runs of LinUCB that advance together as arrays.

A run's generator is split in two: ``answers, noise = rng.spawn(2)``. The problem draws the instance and then the users from
``answers``, the release draws from ``noise``, so a live loop with these two meets the same run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bandits_dp.learners.base import Played
from bandits_dp.learners.linucb_release import Rngs
from bandits_dp.problems.contextual import Contextual

if TYPE_CHECKING:
    from bandits_dp.learners.linucb import LinUCB

MEMORY = 100e6  # bytes of noise tapes, and of shown features, that a group of runs may hold
ROUNDS = 2048  # rounds whose users are drawn ahead, about


def play_runs(
    learner: LinUCB,
    problem: Contextual,
    rngs: Rngs,
    rounds: NDArray[np.int64],
    tick: Callable[[int], object],
) -> Played:
    """Play fresh runs, in groups; see :meth:`bandits_dp.learners.Learner.play`."""
    release = learner.release
    together = max(1, int(MEMORY / (8 * (release.tape * release.width + 2048))))
    groups = (rngs[i : i + together] for i in range(0, len(rngs), together))
    return Played.join([_play_group(learner, problem, group, rounds, tick) for group in groups])


def _play_group(
    learner: LinUCB,
    problem: Contextual,
    rngs: Rngs,
    rounds: NDArray[np.int64],
    tick: Callable[[int], object],
) -> Played:
    answers, noise = (list(pair) for pair in zip(*(rng.spawn(2) for rng in rngs), strict=True))
    instances = [problem.draw(rng) for rng in answers]
    model = learner.new_model(len(rngs))
    users, last = learner.batch_size, int(rounds[-1])
    regret = np.zeros((len(rngs), len(rounds)))
    so_far = np.zeros(len(rngs))
    for start, stop in _pieces(learner, problem, len(rngs), last):
        numbers = [instance.numbers(rng, stop - start) for instance, rng in zip(instances, answers, strict=True)]
        lost = np.empty((len(rngs), stop - start))
        features, means = _shown(instances, numbers)  # (runs, rounds or 1, arms, d), (runs, rounds or 1, arms)
        chances = np.stack([instance.chances(own) for instance, own in zip(instances, numbers, strict=True)])
        for first in range(0, stop - start, users):
            batch = slice(first, min(first + users, stop - start))
            own = slice(None) if problem.fixed else batch
            arms = model.choose(features[:, own])[:, :, None]
            mean = np.take_along_axis(means[:, own], arms, axis=2)[:, :, 0]
            lost[:, batch] = means[:, own].max(axis=2) - mean
            y = problem.reward_quantiles(np.broadcast_to(mean, chances[:, batch].shape), chances[:, batch])
            if y.shape[1] == users:
                phi = np.take_along_axis(features[:, own], arms[:, :, :, None], axis=2)[:, :, 0]
                model.learn(phi, y - learner.reward_shift, noise)
        np.cumsum(lost, axis=1, out=lost)
        here = np.flatnonzero((rounds > start) & (rounds <= stop))
        regret[:, here] = so_far[:, None] + lost[:, rounds[here] - start - 1]
        so_far += lost[:, -1]
        tick(len(rngs) * (stop - start))
    bits = np.full(len(rngs), last // users * users * learner.release.bits_per_user)
    return Played(regret, bits, {"shifts": model.shifts})


def _pieces(learner: LinUCB, problem: Contextual, runs: int, last: int) -> Iterator[tuple[int, int]]:
    """Yield stretches of whole batches, (rounds before, rounds after), that are drawn at once."""
    users = learner.batch_size
    room = ROUNDS if problem.fixed else MEMORY / (8 * 4 * runs * learner.arms * learner.dimension)
    step = max(1, int(min(room, ROUNDS)) // users) * users
    for start in range(0, last, step):
        yield start, min(start + step, last)


def _shown(
    instances: list[Contextual], numbers: list[NDArray[np.float64]]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return features and mean rewards; one row for all rounds if features are fixed."""
    if instances[0].fixed:
        numbers = [own[:1] for own in numbers]
    features = [instance.contexts(own) for instance, own in zip(instances, numbers, strict=True)]
    means = [instance.means(own) for instance, own in zip(instances, features, strict=True)]
    return np.stack(features), np.stack(means)
