"""Problems: who gives rewards, and what regret is measured against."""

from bandits_dp.problems.arms import BernoulliArms
from bandits_dp.problems.base import Problem

__all__ = ["BernoulliArms", "Problem"]
