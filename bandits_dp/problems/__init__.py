"""Problems: where rewards come from, and what regret is measured against.

An argument that is out of range raises a ValueError that names it.
"""

from typing import TYPE_CHECKING, NoReturn

from bandits_dp.arms.graded import GradedArms
from bandits_dp.arms.problems import BernoulliArms
from bandits_dp.problem import Problem
from bandits_dp.problems.clients import ClientPopulation, SphericalClients
from bandits_dp.problems.contextual import Contextual, ContextualLinear
from bandits_dp.problems.linear import LinearArms, SphericalArms
from bandits_dp.problems.pool import PoolContextual
from bandits_dp.problems.rounds import Rounds

__all__ = [
    "BernoulliArms", "ClientPopulation", "Contextual", "ContextualLinear", "GradedArms", "LinearArms",
    "PoolContextual", "Problem", "Rounds", "SphericalArms", "SphericalClients",
]

if not TYPE_CHECKING:  # else every name would pass for one of ours
    def __getattr__(name: str) -> NoReturn:
        """Say where the instances of published code are."""
        if name == "CodeLinear":
            raise AttributeError(f"{__name__}.{name} is in the book's package: from bandits_book.replicas import {name}")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
