"""Arm elimination fast: whole phases as sums that are drawn from their exact law, and quiet phases at once."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from bandits_dp.engine.live_arms import LiveArms
from bandits_dp.engine.played import Played
from bandits_dp.engine.regret import RegretTrack
from bandits_dp.learners import ArmElimination
from bandits_dp.problems.graded import Arms


def play_arms(
    live: LiveArms,
    problem: Arms,
    rngs: list[np.random.Generator],
    rounds: NDArray[np.int64],
    tick: Callable[[int], object],
) -> Played:
    """Play one run per generator, one after the other; see :func:`bandits_dp.engine.plain.play_plainly`."""
    regret, bits = np.empty((len(rngs), len(rounds))), np.zeros(len(rngs))
    for run, rng in enumerate(rngs):
        player = copy.deepcopy(live)
        track = RegretTrack(problem.gaps, rounds)
        while player.played < rounds[-1]:
            play_phases(player, problem, rng, track)
        regret[run], bits[run] = track.regret, player.bits
        tick(int(rounds[-1]))
    return Played(regret, bits)


def play_phases(live: LiveArms, problem: Arms, rng: np.random.Generator, track: RegretTrack) -> None:
    """Play one phase, or several that surely eliminate nobody before their end; ``live`` changes in place."""
    arms, users, left = live.asked.arms, int(live.asked.plays[0]), live.horizon - live.played
    if not live.decides:
        track.play(arms, users, left)
        live.played = live.horizon
        return
    privatizer, length = live.privatizers[0], users * len(arms)
    phases = min(quiet_phases(live.learner, privatizer.span, live.horizon), (left - 1) // length)
    track.play(arms, users, phases * length)
    live.played += phases * length
    live.bits += phases * length * privatizer.bits_per_user
    tally = problem.reward_tally(arms, phases * users, rng)
    live.learner.tell(privatizer.release_tally(*tally, rng, phases), live.privatizers, phases)
    live.begin()


def quiet_phases(learner: ArmElimination, span: float, horizon: int) -> int:
    """Count the coming phases that surely eliminate nobody, plus one.

    An arm falls when the sums of two arms differ by more than 2 N * half_width, which never shrinks. One phase moves their
    difference by at most the privatizer's span, so phases before it can be reached need no look.
    """
    if not learner.schedule.steady or learner.width.users == 0:
        return 1
    half_width = learner.width.half_width()
    if math.isinf(half_width):  # and for ever: the noise is beyond every s of the width's grid
        return horizon
    sums = learner.sums[learner.viable]
    reach = 2 * learner.width.users * half_width - (sums.max() - sums.min())
    return 1 + max(0, int(reach / span * (1 - 1e-9)))  # a hair less, for rounding
