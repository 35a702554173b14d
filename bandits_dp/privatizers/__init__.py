"""Privatizers P = (R, S, A): who randomizes, who shuffles, who analyzes, and what that promises."""

from bandits_dp.privatizers.base import Privatizer
from bandits_dp.privatizers.binary_sum import BinarySum
from bandits_dp.privatizers.central import CentralGaussian, CentralLaplace
from bandits_dp.privatizers.identity import Identity
from bandits_dp.privatizers.randomized_response import RandomizedResponse

__all__ = ["BinarySum", "CentralGaussian", "CentralLaplace", "Identity", "Privatizer", "RandomizedResponse"]
