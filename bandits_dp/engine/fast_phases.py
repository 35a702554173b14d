"""Phased elimination fast: sums of rewards, or of clients' averages, are drawn from their exact law, one phase at a time."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandits_dp.engine.live_clients import LiveClients
from bandits_dp.engine.live_linear import LiveLinear
from bandits_dp.engine.played import Played
from bandits_dp.engine.regret import RegretTrack
from bandits_dp.problems import ClientPopulation, LinearArms

MOST_VALUES = 5_000_000  # averages that one release may need one by one


def play_phases(
    live: LiveLinear | LiveClients,
    problem: Any,
    rngs: list[np.random.Generator],
    rounds: NDArray[np.int64],
    tick: Callable[[int], object],
) -> Played:
    """Play one run per generator, one after the other; see :func:`bandits_dp.engine.plain.play_plainly`.

    Counted are the numbers that people send, and the phases that began.
    """
    regret = np.empty((len(rngs), len(rounds)))
    bits, numbers, phases = (np.zeros(len(rngs)) for _ in range(3))
    for run, rng in enumerate(rngs):
        answers, noise = rng.spawn(2)
        world, player = problem.draw(answers), copy.deepcopy(live)
        player.meet(world)
        track = RegretTrack(world.gaps, rounds)
        while player.played < rounds[-1]:
            numbers[run] += play_phase(player, world, int(rounds[-1]), answers, noise, track)
        regret[run], bits[run], phases[run] = track.regret, player.bits, player.learner.phase
        tick(int(rounds[-1]))
    return Played(regret, bits, {"numbers": numbers, "phases": phases})


def play_phase(
    live: Any, world: Any, stop: int, answers: np.random.Generator, noise: np.random.Generator, track: RegretTrack
) -> int:
    """Play a phase, or what of it fits before the round ``stop``; return how many numbers were sent. ``live`` changes in place."""
    asked, left = live.asked, stop - live.played
    if not live.decides or asked.plays.sum() > left:  # nothing is released
        track.play_each(asked.arms, asked.plays, left)
        live.played = stop
        return 0
    plays = int(asked.plays.sum())
    track.play_each(asked.arms, asked.plays, plays)
    released = (released_averages if asked.clients else released_rewards)(live, world, answers, noise)
    live.played += plays
    live.bits += float(sum(privatizer.users * privatizer.bits_per_user for privatizer in live.privatizers))
    live.learner.tell(released, live.privatizers)
    live.begin()
    return asked.clients * len(asked.arms) or plays


def released_rewards(
    live: LiveLinear, world: LinearArms, answers: np.random.Generator, noise: np.random.Generator
) -> NDArray[np.float64]:
    """Draw sums of rewards from their law and add noise, or let single users answer where the sum alone does not do."""
    asked, privatizers = live.asked, live.privatizers
    if privatizers[0].needs_values:
        pairs = zip(privatizers, asked.arms, strict=True)
        sums = [privatizer.release(world.rewards(int(arm), privatizer.users, answers), noise) for privatizer, arm in pairs]
    else:
        totals = world.reward_sums(asked.arms, asked.plays, answers)
        sums = [privatizer.release_sum(total, noise) for privatizer, total in zip(privatizers, totals, strict=True)]
    return np.array([float(released.item()) for released in sums])


def released_averages(
    live: LiveClients, world: ClientPopulation, answers: np.random.Generator, noise: np.random.Generator
) -> NDArray[np.float64]:
    """Draw the sum of all clients' averages from its law, or all averages where their sum alone does not do."""
    asked, privatizer = live.asked, live.privatizers[0]
    if not (privatizer.needs_values or privatizer.clip):
        return privatizer.release_sum(world.average_sums(asked.arms, asked.plays, asked.clients, answers), noise)
    if asked.clients * len(asked.arms) > MOST_VALUES:
        raise ValueError(f"clients must be few enough for memory where every client's averages are needed, got "
                         f"{asked.clients:,} in phase {live.learner.phase} with {len(asked.arms)} averages each: more than "
                         f"{MOST_VALUES:,} in all; take a smaller population or alpha")
    return privatizer.release(world.averages(asked.arms, asked.plays, asked.clients, answers), noise)
