"""Logged rounds: read them, judge policies by them, and start learners from them."""

from bandits_book.logs.estimates import Estimate, evaluate
from bandits_book.logs.log import Log
from bandits_book.logs.recording import record
from bandits_book.logs.replaying import Replay, replay
from bandits_book.logs.warming import warm_start

__all__ = ["Estimate", "Log", "Replay", "evaluate", "record", "replay", "warm_start"]
