"""Which fast path plays a learner: an optional function beside the plain loop, of the same law."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bandits_dp.engine.fast_arms import play_arms
from bandits_dp.engine.fast_rewards import MODELS, play_rewards
from bandits_dp.engine.live_rewards import LiveRewards
from bandits_dp.engine.plain import play_plainly
from bandits_dp.engine.played import Played
from bandits_dp.learners import ArmElimination
from bandits_dp.privatizers import Privatizer


def _knows_sums(privatizer: Privatizer) -> bool:
    """Whether the law of a released sum is there to draw from."""
    return type(privatizer).release_sum is not Privatizer.release_sum


def path_for(live: Any, problem: Any) -> Callable[..., Played]:
    """Return who plays this learner on this problem: the plain loop, unless something faster knows it."""
    if live.fidelity == "messages":
        return play_plainly
    if isinstance(live.learner, ArmElimination) and hasattr(problem, "reward_tally") and _knows_sums(live.privatizers[0]):
        return play_arms
    if isinstance(live, LiveRewards) and type(live.learner) in MODELS:
        return play_rewards
    return play_plainly
