"""Problems: who gives rewards, and what regret is measured against."""

from bandits_dp.problems.arms import BernoulliArms
from bandits_dp.problems.base import Problem
from bandits_dp.problems.graded import GradedArms

__all__ = ["BernoulliArms", "GradedArms", "Problem"]
