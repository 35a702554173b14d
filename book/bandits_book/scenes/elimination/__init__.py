"""Arm elimination: intervals that close, and a race of learners under four kinds of trust."""

from bandits_book.scenes.elimination.closing import closing_intervals
from bandits_book.scenes.elimination.race import race
from bandits_book.scenes.elimination.runs import until_one_is_left

__all__ = ["closing_intervals", "race", "until_one_is_left"]
