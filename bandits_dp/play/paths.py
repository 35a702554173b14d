"""Who plays a learner: something fast of the same law, or the plain loop."""

from collections.abc import Callable
from typing import Any

import numpy as np

from bandits_dp.learners.arm_elimination import ArmElimination
from bandits_dp.learners.kl_ucb import KLUCB
from bandits_dp.learners.linucb import LinUCB
from bandits_dp.learners.ucb import UCB
from bandits_dp.live.arms import LiveArms
from bandits_dp.live.counted import LiveCounted
from bandits_dp.live.restarts import Restarts
from bandits_dp.play.arms import play_arms
from bandits_dp.play.contexts import play_contexts
from bandits_dp.play.plain import play_plainly
from bandits_dp.play.record import Checkpoints, Played, Rngs, Tick
from bandits_dp.play.ucb import knows, play_ucb
from bandits_dp.privatizers.domain import covers


def _has_runs(learner: Any) -> bool:
    """Whether it is a LinUCB of this package in all that gets a leading axis of runs."""
    return isinstance(learner, LinUCB) and all(
        getattr(type(learner), name).__module__.startswith("bandits_dp.") for name in ("choose", "tell", "_fit"))


def path_for(live: Any, problem: Any) -> Callable[..., Played]:
    """Return who plays this learner on this problem."""
    if isinstance(live, Restarts):
        return play_restarts
    if live.fidelity == "messages":
        return play_plainly
    if (isinstance(live, LiveArms) and type(live.learner) in (ArmElimination, KLUCB) and hasattr(problem, "reward_tally")
            and live.sample.knows_sums and covers(live.sample.domain, problem.domain)):  # nothing must be clipped first
        return play_arms
    if isinstance(live, LiveCounted) and type(live.learner) is UCB and hasattr(problem, "reward_quantiles") and knows(live):
        return play_ucb
    if live.setting != "contextual" or not hasattr(problem, "numbers") or getattr(problem, "varying", False):
        return play_plainly
    return play_contexts if (live.stream.ahead or not live.stream.noisy) and _has_runs(live.learner) else play_plainly


def play_restarts(live: Restarts, problem: Any, rngs: Rngs, rounds: Checkpoints, tick: Tick) -> Played:
    """Play one run per generator, stage after stage; all stages of a run play one instance."""
    worlds = [problem.draw(rng) for rng in rngs]
    if any(world is not worlds[0] for world in worlds):
        return Played.join([play_restarts(live, one, [rng], rounds, tick) for one, rng in zip(worlds, rngs, strict=True)])
    regret, so_far, bits = np.empty((len(rngs), len(rounds))), np.zeros((len(rngs), 1)), np.zeros(len(rngs))
    stage = start = 0
    while start < rounds[-1]:
        fresh = live.make(horizon=live.horizon_of(stage))
        end = min(start + fresh.horizon, int(rounds[-1]))
        inside = (rounds > start) & (rounds <= end)
        part = path_for(fresh, worlds[0])(fresh, worlds[0], rngs, np.union1d(rounds[inside], [end]) - start, tick)
        regret[:, inside] = so_far + part.regret[:, : inside.sum()]
        so_far, bits = so_far + part.regret[:, -1:], bits + part.bits
        stage, start = stage + 1, end
    return Played(regret, bits)
