"""Logged rounds: read them, judge policies by them, and start learners from them."""

from bandits_dp.companion.logs.estimates import Estimate, evaluate
from bandits_dp.companion.logs.log import Log
from bandits_dp.companion.logs.recording import record
from bandits_dp.companion.logs.replaying import Replay, replay
from bandits_dp.companion.logs.warming import warm_start

__all__ = ["Estimate", "Log", "Replay", "evaluate", "record", "replay", "warm_start"]
