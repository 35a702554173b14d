"""LinUCB fast: many runs that advance together as arrays, with the noise of many batches drawn ahead.

A run's generator is split in two: ``answers, noise = rng.spawn(2)``. The problem draws the instance and then the users from
``answers``, the stream draws from ``noise``, as in the plain loop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from bandits_dp.engine.fast_linucb_fixed import FixedArms
from bandits_dp.engine.fast_linucb_model import LinearModel, Rngs
from bandits_dp.engine.live_contexts import LiveContexts
from bandits_dp.engine.played import Played
from bandits_dp.problems.contextual import Contextual, shown_means

MEMORY = 200e6  # bytes of noise and of products of features, or of shown features, that a group of runs may hold
ROUNDS = 2048  # rounds whose users are drawn ahead, about

Play = Callable[[list[NDArray[np.float64]]], NDArray[np.float64]]  # from the users' numbers to what each round loses


def play_linucb(
    live: LiveContexts,
    problem: Contextual,
    rngs: Rngs,
    rounds: NDArray[np.int64],
    tick: Callable[[int], object],
    new_model: Callable[[LiveContexts, int], LinearModel] = LinearModel,
) -> Played:
    """Play fresh runs, in groups; see :func:`bandits_dp.engine.plain.play_plainly`. ``new_model(live, runs)`` makes their model."""
    stream = live.stream
    noise = (stream.tape(live.horizon // live.batch_size) + 4) * stream.ahead  # a few rows are being worked on
    products = problem.arms * live.dimension * (live.dimension + 7) / 2
    together = max(1, int(MEMORY / (8 * (noise + products + ROUNDS))))
    groups = (rngs[i : i + together] for i in range(0, len(rngs), together))
    return Played.join([_play_group(live, problem, group, rounds, tick, new_model) for group in groups])


def _play_group(
    live: LiveContexts,
    problem: Contextual,
    rngs: Rngs,
    rounds: NDArray[np.int64],
    tick: Callable[[int], object],
    new_model: Callable[[LiveContexts, int], LinearModel],
) -> Played:
    answers, noise = (list(pair) for pair in zip(*(rng.spawn(2) for rng in rngs), strict=True))
    instances = [problem.draw(rng) for rng in answers]
    model = new_model(live, len(rngs))
    play = _fixed(live, instances, model, noise) if problem.fixed else _fresh(live, instances, model, noise)
    last = int(rounds[-1])
    regret = np.zeros((len(rngs), len(rounds)))
    so_far = np.zeros(len(rngs))
    for start, stop in _pieces(live, problem, len(rngs), last):
        numbers = [instance.numbers(rng, stop - start) for instance, rng in zip(instances, answers, strict=True)]
        lost = play(numbers)
        lost[:, 0] += so_far  # added up one by one, so that the stretches leave no trace in the last digits
        np.cumsum(lost, axis=1, out=lost)
        here = np.flatnonzero((rounds > start) & (rounds <= stop))
        regret[:, here] = lost[:, rounds[here] - start - 1]
        so_far = lost[:, -1]
        tick(len(rngs) * (stop - start))
    bits = np.full(len(rngs), last // live.batch_size * live.batch_size * live.stream.bits_per_user)
    return Played(regret, bits, {"shifts": model.shifts}, model.curves(instances))


def _fixed(live: LiveContexts, instances: list[Contextual], model: LinearModel, noise: Rngs) -> Play:
    """Play with features that stay: one decision per batch."""
    features = np.stack([instance.features for instance in instances if instance.features is not None])
    means = np.stack([instance.means(own) for instance, own in zip(instances, features, strict=True)])
    gaps = means.max(axis=1, keepdims=True) - means
    field = FixedArms(model, features)
    users = live.batch_size
    runs = np.arange(len(instances))

    def play(numbers: list[NDArray[np.float64]]) -> NDArray[np.float64]:
        chances = np.stack([instance.chances(own) for instance, own in zip(instances, numbers, strict=True)])
        lost = np.empty_like(chances)
        for first in range(0, len(numbers[0]), users):
            chance = chances[:, first : first + users]
            arms = field.choose()
            lost[:, first : first + users] = gaps[runs, arms][:, None]
            if first + users <= len(numbers[0]):
                y = instances[0].reward_quantiles(means[runs, arms][:, None], chance)
                field.learn(arms, y - live.reward_shift, noise)
        return lost

    return play


def _fresh(live: LiveContexts, instances: list[Contextual], model: LinearModel, noise: Rngs) -> Play:
    """Play with new features in every round: one decision per user."""
    users, runs = live.batch_size, np.arange(len(instances))[:, None]

    def play(numbers: list[NDArray[np.float64]]) -> NDArray[np.float64]:
        pairs = list(zip(instances, numbers, strict=True))
        features = np.stack([instance.contexts(own) for instance, own in pairs])  # (runs, rounds, arms, d)
        means = np.stack([shown_means(*pair, own) for pair, own in zip(pairs, features, strict=True)])
        chances = np.stack([instance.chances(own) for instance, own in pairs])
        lost = means.max(axis=2)
        for first in range(0, len(numbers[0]), users):
            batch = slice(first, first + users)
            arms = model.choose(features[:, batch])
            played = runs, np.arange(first, first + arms.shape[1]), arms
            mean = means[played]
            lost[:, batch] -= mean
            if first + users <= len(numbers[0]):
                phi = features[played]
                model.learn(phi, instances[0].reward_quantiles(mean, chances[:, batch]) - live.reward_shift, noise)
        return lost

    return play


def _pieces(live: LiveContexts, problem: Contextual, runs: int, last: int) -> Iterator[tuple[int, int]]:
    """Yield stretches of whole batches, (rounds before, rounds after), that are drawn at once."""
    users = live.batch_size
    room = ROUNDS if problem.fixed else MEMORY / (8 * 8 * runs * live.arms * live.dimension)
    step = max(1, int(min(room, ROUNDS)) // users) * users
    for start in range(0, last, step):
        yield start, min(start + step, last)
