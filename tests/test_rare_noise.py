"""Noise that is needed rarely is drawn rarely, and not never; an epsilon for which no sampler here can do that is refused."""

import math

import numpy as np
import pytest

from bandits_dp.privatizers import BinarySum, DiscreteLaplaceSum, RandomizedResponse, ScalarSum, SkellamSum
from bandits_dp.privatizers.discrete_laplace import LARGEST
from bandits_dp.privatizers.domain import UNIT_INTERVAL
from bandits_dp.privatizers.rare import STEP, drawable


@pytest.mark.parametrize("epsilon", (15.01, 33.5, 37.5, 700.0))
def test_discrete_laplace_noise_refuses_what_its_sampler_rounds_away(epsilon):
    """At 33.5 numpy's Polya numbers gave 33.518, and from 37.4 on nothing was added at all."""
    with pytest.raises(ValueError, match=rf"epsilon must be at most 15 for discrete Laplace noise .* got {epsilon:g}"):
        DiscreteLaplaceSum(10, epsilon)
    levels = DiscreteLaplaceSum(10, epsilon, calibration="theorem").levels  # which moves by more, so its noise is not rare
    assert levels > epsilon
    assert DiscreteLaplaceSum(10, epsilon, domain=UNIT_INTERVAL).levels > epsilon


def test_up_to_its_limit_the_polya_sampler_keeps_epsilon():
    """What n users' Polya numbers lose, one step for every mean above half a step, is 1e-9 of epsilon at most, for any n."""
    scale = 1 / LARGEST
    for delta in (0.0, 0.5):
        assert DiscreteLaplaceSum(10, LARGEST, delta).scale == pytest.approx(scale, rel=1e-15)
    q = math.exp(-1 / scale)
    for users in (1, 10, 10**6, 10**9):
        y = np.geomspace(STEP / 2 / q, 60.0, 4000)  # over the mean's own scale; density of Gamma(1 / n, 1), times n
        density = y ** (1 / users - 1) * np.exp(-y) / math.gamma(1 / users) * users
        draws = np.trapezoid(density, y)
        lost = (draws + 1) * STEP  # and the rounding of 1 - q itself
        assert -math.log1p(-lost / q) <= 1e-9 * LARGEST


def step_of(p):
    """P as a number of steps of 2^-53, if it is one."""
    assert p / STEP == int(p / STEP)
    return int(p / STEP)


@pytest.mark.parametrize("epsilon", (30.0, 45.0, 300.0))
def test_rare_noise_bits_are_drawn_in_both_fidelities(epsilon):
    """At epsilon = 45 the aggregate draw had no noise, for numpy takes 1 - p; now p is a multiple of the uniform numbers' step."""
    for users in (1, 1000, 10**9, 10**17):
        for privatizer in (BinarySum(users, epsilon, 1e-6), ScalarSum(users, epsilon, 1e-6, levels=2)):
            bits = privatizer.noise_bits
            assert step_of(bits.p) >= 1 and 1 - bits.p < 1
            # rng.binomial is 0 if its uniform number, a multiple of the step, is at most (1 - p)^n: at worst one step too often.
            draws = users * bits.rare
            assert -math.expm1(draws * math.log1p(-bits.p)) >= 2 * STEP


def test_drawable_probabilities_are_enough_and_hardly_more():
    for draws in (1, 5, 10**9):
        for p in (1e-300, 1e-17, 3.7e-12, 9e-4):
            drawn = drawable(p, draws)
            assert step_of(drawn) and p + 2 * STEP / draws <= drawn <= p + 2 * STEP / draws + STEP
        for p in (1e-3, 0.1, 0.4999, 0.5):
            assert drawable(p, draws) == p


class Lowest(np.random.Generator):
    """A generator that notes what probabilities and means it is asked for, and draws zeros."""

    def __init__(self):
        super().__init__(np.random.PCG64(0))
        self.asked = []

    def binomial(self, n, p, size=None):
        self.asked.append(p)
        return np.zeros(np.shape(n) if size is None else size, dtype=np.int64)

    def poisson(self, lam, size=None):
        self.asked.append(lam)
        return np.zeros(size, dtype=np.int64)


def test_a_rare_lie_survives_the_aggregate_draw():
    """One user at epsilon = 36 lied half as often in the aggregate as in messages; the draw asks for one step more."""
    for epsilon in (20.0, 36.0, 500.0):
        response, rng = RandomizedResponse(1, epsilon), Lowest()
        response.release_sum(1.0, rng)
        truth, lie = rng.asked
        assert 1 - truth == lie == 1 - response.truth + STEP


def test_rare_poisson_numbers_are_not_zero_too_often():
    for epsilon in (1.0, 30.0, 200.0):
        privatizer, rng = SkellamSum(3, epsilon, 1e-6), Lowest()
        privatizer.release_sum(1.0, rng)
        assert rng.asked == [pytest.approx(privatizer.variance / 2 + 2 * STEP)] and 1 - math.exp(-rng.asked[0]) >= 2 * STEP
