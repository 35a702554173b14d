"""Problems: where rewards come from, and what regret is measured against.

An argument that is out of range raises a ValueError that names it.
"""

from bandits_dp.problems.arms import BernoulliArms
from bandits_dp.problems.base import Problem
from bandits_dp.problems.clients import ClientPopulation, SphericalClients
from bandits_dp.problems.code_linear import CodeLinear
from bandits_dp.problems.contextual import Contextual, ContextualLinear
from bandits_dp.problems.graded import GradedArms
from bandits_dp.problems.linear import LinearArms, SphericalArms
from bandits_dp.problems.pool import PoolContextual
from bandits_dp.problems.rounds import Rounds

__all__ = [
    "BernoulliArms", "ClientPopulation", "CodeLinear", "Contextual", "ContextualLinear", "GradedArms", "LinearArms",
    "PoolContextual", "Problem", "Rounds", "SphericalArms", "SphericalClients",
]
