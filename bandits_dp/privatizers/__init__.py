"""Privatizers P = (R, S, A): private sums by a randomizer, a shuffler and an analyzer.

Running sums of a stream are in :mod:`bandits_dp.continual`, samplers in ``bandits_dp.noise``.
"""

from bandits_dp.privatizers.amplified import AmplifiedGaussian
from bandits_dp.privatizers.base import Privatizer
from bandits_dp.privatizers.binary_sum import BinarySum
from bandits_dp.privatizers.discrete_laplace import DiscreteLaplaceSum
from bandits_dp.privatizers.domain import Ball, Box, Domain, LinearStatistics, Reals
from bandits_dp.privatizers.gaussian import CentralGaussian, LocalGaussian
from bandits_dp.privatizers.laplace import CentralLaplace, LocalLaplace
from bandits_dp.privatizers.randomized_response import RandomizedResponse
from bandits_dp.privatizers.scalar_sum import ScalarSum
from bandits_dp.privatizers.senders import Identity
from bandits_dp.privatizers.skellam import SkellamSum
from bandits_dp.privatizers.vector_sum import VectorSum

__all__ = [
    "AmplifiedGaussian", "Ball", "BinarySum", "Box", "CentralGaussian", "CentralLaplace",
    "DiscreteLaplaceSum", "Domain", "Identity", "LinearStatistics", "LocalGaussian", "LocalLaplace",
    "Privatizer", "RandomizedResponse", "Reals", "ScalarSum", "SkellamSum", "VectorSum",
]
