"""The plain loop: play any learner with any privatizer on any problem, by the two verbs of live use.

It makes every message, and is the oracle of all that is faster.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandits_dp.engine.live import Live
from bandits_dp.engine.played import Played
from bandits_dp.problems.contextual import shown_means
from bandits_dp.problems.rounds import Rounds


def play_plainly(
    live: Live,
    problem: Any,
    rngs: list[np.random.Generator],
    rounds: NDArray[np.int64],
    tick: Callable[[int], object],
) -> Played:
    """Play fresh runs, one per generator, without changing the learner.

    Parameters
    ----------
    live : Live
        A fresh learner.
    problem : Problem
        Who gives rewards; each run plays ``problem.draw(answers)``.
    rngs : list of numpy.random.Generator
        One per run, which is split: ``answers, noise = rng.spawn(2)``. Instances and rewards come from the first, noise from the
        second.
    rounds : ndarray of int, shape (checkpoints,)
        Ascending checkpoints; the last one is where the run stops.
    tick : callable
        Told now and then how many rounds were played since the last call.

    Returns
    -------
    Played
        Regret at the checkpoints, and bits.
    """
    step, last = STEPS[live.setting], int(rounds[-1])
    regret, bits = np.empty((len(rngs), len(rounds))), np.empty(len(rngs))
    for run, rng in enumerate(rngs):
        answers, noise = rng.spawn(2)
        world, player = problem.draw(answers), copy.deepcopy(live)
        player.meet(world)
        if isinstance(world, Rounds):
            world, step = world.one_by_one(answers), _one_round
        lost: list[NDArray[np.float64]] = []
        while player.played < last:
            lost.append(step(player, world, last - player.played, answers, noise))
        regret[run] = np.cumsum(np.concatenate(lost))[rounds - 1]
        bits[run] = player.bits
        tick(last)
    return Played(regret, bits)


def _rewards(live: Any, world: Any, left: int, answers: np.random.Generator, noise: np.random.Generator) -> NDArray[np.float64]:
    """Let the users of one ticket pull an arm; return what each round lost."""
    ticket = live.act(users=min(live.missing, left))
    live.update(ticket, world.rewards(ticket.arm, ticket.users, answers), noise)
    return np.full(ticket.users, world.gaps[ticket.arm])


def _one_round(live: Any, world: Any, left: int, answers: np.random.Generator, noise: np.random.Generator) -> NDArray[np.float64]:
    """Play one round of somebody's own problem."""
    features, rewards, means = next(world)
    ticket = live.act() if features is None else live.act(features)
    live.update(ticket, rewards[ticket.arm], noise)
    return np.array([means.max() - means[ticket.arm]])


def _averages(live: Any, world: Any, left: int, answers: np.random.Generator, noise: np.random.Generator) -> NDArray[np.float64]:
    """Let the clients of one phase watch it, each with a device that adds up; return what each round lost."""
    ticket = live.act()
    averages = world.averages(ticket.arm, ticket.plays, ticket.users, answers) if ticket.users else []
    live.update(ticket, averages, noise)
    return np.repeat(world.gaps[ticket.arm], ticket.plays)[:left]


def _users(live: Any, world: Any, left: int, answers: np.random.Generator, noise: np.random.Generator) -> NDArray[np.float64]:
    """Let the users of one ticket choose by features; return what each round lost."""
    rows = world.numbers(answers, min(live.missing, left))
    shown = world.contexts(rows)
    means = shown_means(world, rows, shown)
    ticket = live.act(shown, rng=noise)
    mean = np.array([own[arm] for own, arm in zip(means, ticket.arm, strict=True)])
    live.update(ticket, world.reward_quantiles(mean, world.chances(rows)), noise)
    return np.array([own.max() for own in means]) - mean


STEPS = {"arms": _rewards, "linear": _rewards, "clients": _averages, "contextual": _users}
