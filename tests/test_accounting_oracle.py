"""Binomial noise and compositions against an independent library, Google's dp-accounting."""

import math

import pytest
from dp_accounting.pld import privacy_loss_distribution as pld

from bandits_dp import accounting as acc
from bandits_dp.accounting.binomial import binomial_log_pmf

GRID = 1e-4  # interval to which the library rounds privacy losses; its pessimistic and optimistic answers enclose the truth
STEP = {"value_discretization_interval": GRID}


def enclosed(ours, make, epsilons):
    high, low = make(True), make(False)
    for epsilon in epsilons:
        assert low.get_delta_for_epsilon(epsilon) * (1 - 1e-9) - 1e-14 <= ours(epsilon)
        assert ours(epsilon) <= high.get_delta_for_epsilon(epsilon) * (1 + 1e-9) + 1e-14


@pytest.mark.parametrize(("trials", "shift", "p"), [(80, 1, 0.5), (300, 3, 0.5), (50, 1, 0.1), (2000, 10, 0.3)])
def test_binomial(trials, shift, p):
    first, log_pmf = binomial_log_pmf(trials, p)
    still = {first + i: float(v) for i, v in enumerate(log_pmf)}
    moved = {x + shift: v for x, v in still.items()}

    def make(pessimistic):
        return pld.from_two_probability_mass_functions(still, moved, symmetric=False, pessimistic_estimate=pessimistic, **STEP)

    enclosed(lambda e: acc.binomial_delta(trials, e, shift, p), make, (0.1, 0.5, 1.0, 2.0))


@pytest.mark.parametrize("releases", (2, 10, 100))
def test_compositions(releases):
    def gaussian(pessimistic):
        one = pld.from_gaussian_mechanism(5.0, pessimistic_estimate=pessimistic, use_connect_dots=False, **STEP)
        return one.self_compose(releases)

    std = acc.gaussian_composition([5.0] * releases, [1.0] * releases)
    enclosed(lambda e: acc.gaussian_delta(std, e, 1.0), gaussian, (0.2, 1.0, 3.0))

    epsilon, slack = 0.2, 1e-4
    total, _ = acc.optimal_composition(epsilon, 0.0, releases, slack)
    lie = 2 / (1 + math.exp(epsilon))  # the library's noise parameter: answer at random with this probability
    answers = pld.from_randomized_response(lie, 2, **STEP).self_compose(releases)
    assert answers.get_delta_for_epsilon(total + releases * GRID) <= slack <= answers.get_delta_for_epsilon(total - 1e-6) * 1.001
