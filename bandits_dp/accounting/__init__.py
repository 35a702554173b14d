"""Privacy accounting: functions from noise to a guarantee and back, with sources and proofs.

Mechanisms that add noise are in :mod:`bandits_dp.privatizers` and :mod:`bandits_dp.continual`.
"""

from bandits_dp.accounting.binomial import binomial_delta, binomial_trials
from bandits_dp.accounting.binomial_vector import binomial_vector_epsilon
from bandits_dp.accounting.composition import (
    advanced_composition,
    basic_composition,
    gaussian_composition,
    optimal_composition,
    zcdp_epsilon,
)
from bandits_dp.accounting.discrete_laplace import discrete_laplace_delta, discrete_laplace_scale
from bandits_dp.accounting.dynamic import laplace_sums_epsilon, parameter_shifts
from bandits_dp.accounting.gaussian import (
    classical_gaussian_noise_std,
    gaussian_delta,
    gaussian_noise_std,
)
from bandits_dp.accounting.laplace import laplace_delta, laplace_scale
from bandits_dp.accounting.shuffling import shuffle_epsilon
from bandits_dp.accounting.skellam import skellam_delta, skellam_variance

__all__ = [
    "advanced_composition", "basic_composition", "binomial_delta", "binomial_trials",
    "binomial_vector_epsilon", "classical_gaussian_noise_std", "discrete_laplace_delta",
    "discrete_laplace_scale", "gaussian_composition", "gaussian_delta", "gaussian_noise_std",
    "laplace_delta", "laplace_scale", "laplace_sums_epsilon", "optimal_composition",
    "parameter_shifts", "shuffle_epsilon", "skellam_delta", "skellam_variance", "zcdp_epsilon",
]
