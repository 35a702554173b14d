"""Continual counters: private running sums of a stream, released after every value.

Learners and batches of users are not here: see the families and ``bandits_dp.app``.
"""

from bandits_dp.continual.base import Counter
from bandits_dp.continual.factorization import FactorizationCounter
from bandits_dp.continual.hybrid import HybridCounter
from bandits_dp.continual.intervals import IntervalCounter
from bandits_dp.continual.naive import NaiveCounter, PerStepCounter, TwoLevelCounter
from bandits_dp.continual.tree import TreeCounter

__all__ = [
    "Counter", "FactorizationCounter", "HybridCounter", "IntervalCounter", "NaiveCounter",
    "PerStepCounter", "TreeCounter", "TwoLevelCounter",
]
