"""Problems: who gives rewards, and what regret means there."""

from bandits_dp.problems.arms import BernoulliArms

__all__ = ["BernoulliArms"]
