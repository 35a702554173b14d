"""Which fast path plays a learner: an optional function beside the plain loop, of the same law."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bandits_dp.engine.fast_arms import play_arms
from bandits_dp.engine.fast_linucb import play_linucb
from bandits_dp.engine.fast_rewards import MODELS, play_rewards
from bandits_dp.engine.plain import play_plainly
from bandits_dp.engine.played import Played
from bandits_dp.learners import ArmElimination, LinUCB
from bandits_dp.privatizers import Privatizer


def _knows_sums(privatizer: Privatizer) -> bool:
    """Whether the law of a released sum is there to draw from."""
    return type(privatizer).release_sum is not Privatizer.release_sum


def _is_linucb(learner: Any) -> bool:
    """Whether it is LinUCB in all that the fast path does by itself."""
    return all(getattr(type(learner), name, None) is getattr(LinUCB, name) for name in ("choose", "tell", "_fit"))


def path_for(live: Any, problem: Any) -> Callable[..., Played]:
    """Return who plays this learner on this problem: the plain loop, unless something faster knows it."""
    if live.fidelity == "messages":
        return play_plainly
    if isinstance(live.learner, ArmElimination) and hasattr(problem, "reward_tally") and _knows_sums(live.privatizers[0]):
        return play_arms
    if live.setting == "contextual" and not getattr(problem, "varying", False) and (live.stream.ahead or not live.stream.noisy):
        if type(live.learner) in MODELS:
            return play_rewards
        if _is_linucb(live.learner):
            return play_linucb
    return play_plainly
