"""Problems: the sources of rewards, and the means that regret is measured against.

An argument that is out of range raises a ValueError that names it.
"""

from typing import TYPE_CHECKING, NoReturn

from bandits_dp.arms.graded import GradedArms
from bandits_dp.arms.problems import BernoulliArms
from bandits_dp.contextual.pool import PoolContextual
from bandits_dp.contextual.problems import Contextual, ContextualLinear
from bandits_dp.linear.client_problems import ClientPopulation, SphericalClients
from bandits_dp.linear.problems import LinearArms, SphericalArms
from bandits_dp.play.rounds import Rounds
from bandits_dp.problem import Problem

__path__: list[str] = []  # who imports a module that was in here is told where it is: see _moved.py
__all__ = [
    "BernoulliArms", "ClientPopulation", "Contextual", "ContextualLinear", "GradedArms",
    "LinearArms", "PoolContextual", "Problem", "Rounds", "SphericalArms", "SphericalClients",
]

if not TYPE_CHECKING:  # else type checkers would accept every name
    def __getattr__(name: str) -> NoReturn:
        """Raise an AttributeError; for a moved name it says where the name is now."""
        if name == "CodeLinear":
            raise AttributeError(f"{__name__}.{name} is in the book's package: from "
                                 f"bandits_book.replicas import {name}")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
