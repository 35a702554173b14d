"""Accounting against an independent library, Google's dp-accounting."""

import math

import pytest
from dp_accounting.gaussian_mechanism import get_epsilon_gaussian, get_sigma_gaussian
from dp_accounting.pld import privacy_loss_distribution as pld

from bandits_dp import accounting as acc
from bandits_dp.accounting.binomial import binomial_log_pmf

EPSILONS = (1e-3, 0.1, 1.0, 5.0, 30.0)
DELTAS = (1e-12, 1e-6, 0.1, 0.5)
GRID = 1e-4  # interval to which the library rounds privacy losses; its pessimistic and optimistic answers enclose the truth


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("delta", DELTAS)
def test_gaussian_noise(epsilon, delta):
    std = acc.gaussian_noise_std(epsilon, delta, 1.0)
    assert std == pytest.approx(get_sigma_gaussian(epsilon, delta), rel=1e-6)
    assert acc.gaussian_delta(std, get_epsilon_gaussian(std, delta) or epsilon, 1.0) <= delta * (1 + 1e-6)


def enclosed(ours, make, epsilons):
    """Check delta against the library's lower and upper estimates at every epsilon."""
    high, low = make(True), make(False)
    for epsilon in epsilons:
        assert low.get_delta_for_epsilon(epsilon) * (1 - 1e-9) - 1e-14 <= ours(epsilon)
        assert ours(epsilon) <= high.get_delta_for_epsilon(epsilon) * (1 + 1e-9) + 1e-14


@pytest.mark.parametrize("scale", (0.3, 1.0, 7.0))
def test_laplace(scale):
    def make(pessimistic):
        return pld.from_laplace_mechanism(
            scale, pessimistic_estimate=pessimistic, value_discretization_interval=GRID, use_connect_dots=False)

    enclosed(lambda e: acc.laplace_delta(scale, e, 1.0), make, (0.01, 0.1, 0.5, 1.0, 3.0))


@pytest.mark.parametrize(("trials", "shift", "p"), [(80, 1, 0.5), (300, 3, 0.5), (50, 1, 0.1), (2000, 10, 0.3)])
def test_binomial(trials, shift, p):
    first, log_pmf = binomial_log_pmf(trials, p)
    still = {first + i: float(v) for i, v in enumerate(log_pmf)}
    moved = {x + shift: v for x, v in still.items()}

    def make(pessimistic):
        return pld.from_two_probability_mass_functions(
            still, moved, pessimistic_estimate=pessimistic, value_discretization_interval=GRID, symmetric=False)

    enclosed(lambda e: acc.binomial_delta(trials, e, shift, p), make, (0.1, 0.5, 1.0, 2.0))


@pytest.mark.parametrize("releases", (2, 10, 100))
def test_compositions(releases):
    def gaussian(pessimistic):
        one = pld.from_gaussian_mechanism(
            5.0, pessimistic_estimate=pessimistic, value_discretization_interval=GRID, use_connect_dots=False)
        return one.self_compose(releases)

    std = acc.gaussian_composition([5.0] * releases, [1.0] * releases)
    enclosed(lambda e: acc.gaussian_delta(std, e, 1.0), gaussian, (0.2, 1.0, 3.0))

    epsilon, slack = 0.2, 1e-4
    total, _ = acc.optimal_composition(epsilon, 0.0, releases, slack)
    lie = 2 / (1 + math.exp(epsilon))  # the library's noise parameter: answer at random with this probability
    answers = pld.from_randomized_response(lie, 2, value_discretization_interval=GRID).self_compose(releases)
    assert answers.get_delta_for_epsilon(total + releases * GRID) <= slack <= answers.get_delta_for_epsilon(total - 1e-6) * 1.001
