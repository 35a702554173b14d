"""Privatizers P = (R, S, A): who randomizes, who shuffles, who analyzes, and what that promises."""

from bandits_dp.privatizers.base import Privatizer
from bandits_dp.privatizers.binary_sum import BinarySum
from bandits_dp.privatizers.domain import Ball, Box, Domain, LinearStatistics
from bandits_dp.privatizers.gaussian import CentralGaussian, LocalGaussian
from bandits_dp.privatizers.identity import Identity
from bandits_dp.privatizers.laplace import CentralLaplace, LocalLaplace
from bandits_dp.privatizers.randomized_response import RandomizedResponse

__all__ = [
    "Ball",
    "BinarySum",
    "Box",
    "CentralGaussian",
    "CentralLaplace",
    "Domain",
    "Identity",
    "LinearStatistics",
    "LocalGaussian",
    "LocalLaplace",
    "Privatizer",
    "RandomizedResponse",
]
