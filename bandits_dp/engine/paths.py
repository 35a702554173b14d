"""Which fast path plays a learner: an optional function beside the plain loop, of the same law."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandits_dp.engine.fast_arms import play_arms
from bandits_dp.engine.fast_linucb import play_linucb
from bandits_dp.engine.fast_phases import play_phases
from bandits_dp.engine.fast_rewards import MODELS, play_rewards
from bandits_dp.engine.fast_ucb import knows, play_ucb
from bandits_dp.engine.live_counted import LiveCounted
from bandits_dp.engine.plain import play_plainly
from bandits_dp.engine.played import Played
from bandits_dp.engine.restarts import Restarts
from bandits_dp.learners import UCB, ArmElimination, LinUCB, PhasedElimination
from bandits_dp.privatizers.domain import covers


def _is_linucb(learner: Any) -> bool:
    """Whether it is LinUCB in all that the fast path does by itself."""
    return all(getattr(type(learner), name, None) is getattr(LinUCB, name) for name in ("choose", "tell", "_fit"))


def _many(problem: Any) -> bool:
    """Whether the rounds of many runs can be drawn as arrays."""
    return hasattr(problem, "numbers") and not getattr(problem, "varying", False)


def _sums(privatizer: Any, problem: Any) -> bool:
    """Whether sums of the problem's rewards can be drawn from their law: nothing must be clipped first."""
    return bool(privatizer.knows_sums) and covers(privatizer.domain, problem.domain)


def path_for(live: Any, problem: Any) -> Callable[..., Played]:
    """Return who plays this learner on this problem: the plain loop, unless something faster knows it."""
    if isinstance(live, Restarts):
        return play_restarts
    if live.fidelity == "messages":
        return play_plainly
    if isinstance(live.learner, ArmElimination) and hasattr(problem, "reward_tally") and _sums(live.privatizers[0], problem):
        return play_arms
    if isinstance(live.learner, PhasedElimination) and live.anyone.knows_sums:
        return play_phases
    if isinstance(live, LiveCounted) and type(live.learner) is UCB and hasattr(problem, "reward_quantiles") and knows(live):
        return play_ucb
    if live.setting == "contextual" and _many(problem) and (live.stream.ahead or not live.stream.noisy):
        if type(live.learner) in MODELS:
            return play_rewards
        if _is_linucb(live.learner):
            return play_linucb
    return play_plainly


def play_restarts(
    live: Restarts,
    problem: Any,
    rngs: list[np.random.Generator],
    rounds: NDArray[np.int64],
    tick: Callable[[int], object],
) -> Played:
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
