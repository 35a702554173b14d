"""Fast simulation of arm elimination and KL-UCB: sums of whole phases, from their distribution.

Phases that surely eliminate no arm are drawn together.
"""

import math
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from bandits_dp._snapshot import snapshot
from bandits_dp.app.sums import SumsApp
from bandits_dp.arms.elimination import ArmElimination
from bandits_dp.arms.graded import Arms
from bandits_dp.arms.kl_ucb import KLUCB
from bandits_dp.play.paths import fast
from bandits_dp.play.record import Checkpoints, Played, Record, Rngs, Tick
from bandits_dp.privatizers.domain import covers


def knows(app: Any, problem: Any) -> bool:
    """Whether sums of rewards have a known distribution, and no reward must be clipped first."""
    return (isinstance(app, SumsApp) and type(app.learner) in (ArmElimination, KLUCB)
            and hasattr(problem, "reward_tally") and app.sample.knows_sums
            and covers(app.sample.domain, problem.domain))


@fast(knows)
def play_arms(app: SumsApp, problem: Arms, rngs: Rngs, rounds: Checkpoints, tick: Tick) -> Played:
    """Play one run per generator, in turn; see :func:`bandits_dp.play.plain.play_plainly`."""
    parts, play, app = (
        [], play_phases if isinstance(app.learner, ArmElimination) else play_batches, snapshot(app))
    app.privatizer = cache(app.privatizer)  # shared by all runs
    for rng in rngs:
        record, bits = Record(1, rounds), 0.0
        for _, _, sent in play(app, problem, rng, record):
            bits = sent
        parts.append(record.result(bits, {}))
        tick(int(rounds[-1]))
    return Played.join(parts)


def play_batches(app: SumsApp, problem: Arms, rng: np.random.Generator,
                 record: Record) -> Iterator[tuple[int, KLUCB, float]]:
    """Yield rounds played, KL-UCB and bits sent after each batch, up to the last checkpoint."""
    learner, bits, last = snapshot(app.learner), 0.0, int(record.rounds[-1])
    while record.played < last:
        asked, left = learner.ask(), app.horizon - record.played
        users = int(asked.plays[0])
        whole = asked.decides and users < left and users <= last - record.played
        record.add_plays(problem.gaps[asked.arms], asked.plays,
                         users if whole else last - record.played)
        if whole:
            privatizer = app.privatizer(users)
            tally = problem.reward_tally(asked.arms, users, rng)
            learner.tell(privatizer.release_tally(*tally, rng), [privatizer])
            bits += users * privatizer.bits_per_user
        yield record.played, learner, bits


def play_phases(app: SumsApp, problem: Arms, rng: np.random.Generator,
                record: Record) -> Iterator[tuple[int, ArmElimination, float]]:
    """Yield rounds played, learner and bits sent after each step, up to the last checkpoint.

    A step is one phase, or several of which only the last may eliminate an arm. As there may be a
    million phases, it reads the learner's attributes instead of calling ``ask``.
    """
    learner, privatizer, played, bits, last = (snapshot(app.learner), app.privatizers[0], 0, 0.0,
                                               int(record.rounds[-1]))
    while played < last:
        arms, left = learner.viable, app.horizon - played
        users = learner.schedule.size(learner.phase, len(arms))
        length = users * len(arms)
        cycle = np.arange(0, length + 1, users), users * np.append(0.0, problem.gaps[arms].cumsum())
        if len(arms) == 1 or length >= left:
            record.add_cycles(*cycle, left)
            played = app.horizon
        else:
            if users != privatizer.users:
                privatizer = app.privatizer(users)
            phases = min(quiet_phases(learner, privatizer.span, app.horizon), (left - 1) // length,
                         (last - played) // length)
            rounds = phases * length or last - played  # the last phase may be cut short
            record.add_cycles(*cycle, rounds)
            played += rounds
            bits += rounds // users * users * privatizer.bits_per_user
            if phases:
                tally = problem.reward_tally(arms, phases * users, rng)
                learner.tell(privatizer.release_tally(*tally, rng, phases), [privatizer], phases)
        yield played, learner, bits


def quiet_phases(learner: ArmElimination, span: float, horizon: int) -> int:
    """Count the coming phases that surely eliminate no arm, plus one.

    An arm falls when the sums of two arms differ by more than 2 N * half_width, which never
    shrinks. One phase moves their difference by at most the privatizer's ``span``, so earlier
    phases need no look.
    """
    if not learner.schedule.steady or learner.width.users == 0:
        return 1
    half_width = learner.width.half_width()
    if math.isinf(half_width):  # for ever: the noise is beyond every s of the width's grid
        return horizon
    sums = learner.sums[learner.viable]
    reach = 2 * learner.width.users * half_width - (sums.max() - sums.min())
    return 1 + max(0, int(reach / span * (1 - 1e-9)))  # slightly less, for rounding errors
