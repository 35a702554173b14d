"""No certified mechanism has a true delta above the claimed one, by oracles that share no code with the package, on dense scans.

And noise that is needed rarely is drawn rarely, and not never; an epsilon for which no sampler here can do that is refused.
"""

import math
from decimal import Decimal

import numpy as np
import pytest

from bandits_dp.accounting import discrete_laplace_scale, gaussian_noise_std, laplace_scale, skellam_variance
from bandits_dp.privatizers import BinarySum, Box, DiscreteLaplaceSum, RandomizedResponse, ScalarSum, SkellamSum, VectorSum
from bandits_dp.privatizers.discrete_laplace import LARGEST
from bandits_dp.privatizers.domain import UNIT_INTERVAL
from bandits_dp.privatizers.rare import STEP, drawable
from tests import exact_delta

ROOM = 1e-9  # relative, by which a true delta may exceed the claimed one
POINTS = 5000
FEW = 1000  # where one exact law takes ten milliseconds


def scan(seed, epsilons, deltas, points=POINTS):
    """Log-uniform pairs (epsilon, delta), and in front the corners of the range."""
    rng = np.random.default_rng(seed)
    logs = [np.log(np.array(ends)) for ends in (epsilons, deltas)]
    inside = np.exp(np.column_stack([rng.uniform(*ends, points - 4) for ends in logs]))
    corners = [(epsilon, delta) for epsilon in epsilons for delta in deltas]
    return corners + [(float(epsilon), float(delta)) for epsilon, delta in inside]


# Randomized response


def test_a_rare_lie_is_as_frequent_as_a_small_delta_needs():
    """At (13.994, 1e-12) the true delta was 64 times the claimed one, and nearly 3e4 times elsewhere in the scan below."""
    true = exact_delta.randomized_response(RandomizedResponse(1, 13.994, 1e-12).truth, 13.994)
    assert true <= 1e-12


def test_randomized_response_keeps_delta():
    """5,000 pairs, from epsilon = 1e-3 to 60 and delta = 1e-300 to 0.99: the true delta, in 60 digits, is never above."""
    for epsilon, delta in scan(0, (1e-3, 60.0), (1e-300, 0.99)):
        assert exact_delta.randomized_response(RandomizedResponse(1, epsilon, delta).truth, epsilon) <= delta, (epsilon, delta)


def test_randomized_response_keeps_pure_privacy():
    """5,000 epsilons with delta = 0, also tiny ones, and huge ones, where a lie is as rare as floating point allows."""
    for epsilon, _ in scan(1, (1e-13, 1000.0), (1e-3, 1e-2)):
        assert exact_delta.randomized_response(RandomizedResponse(1, epsilon).truth, epsilon) <= 0, epsilon


def test_randomized_response_is_as_truthful_as_steps_of_floats_allow():
    """Four steps of 2^-53 more of the truth, or 1e-14 of it relatively, are too many: the scan is tight."""
    for epsilon, delta in scan(2, (1e-3, 33.0), (1e-15, 0.99), 1000):
        q = RandomizedResponse(1, epsilon, delta).truth
        assert exact_delta.randomized_response(q + 2**-51 + (1 - q) * 1e-14, epsilon) > delta, (epsilon, delta)


def test_the_rarest_lie():
    """A lie is rounded up to steps of 2^-53, up to epsilon = 36; beyond it is as frequent as there, and with a delta as 2^-52."""
    for epsilon in (33.0, 34.5, 35.2, 35.9):
        assert 1 - RandomizedResponse(1, epsilon).truth == math.ceil(math.exp(-epsilon) * 2**53) / 2**53
    for epsilon in (36.0, 36.5, 60.0, 1000.0):
        assert 1 - RandomizedResponse(1, epsilon).truth == 3 / 2**53
        assert 1 - RandomizedResponse(1, epsilon, 0.9).truth == 2 / 2**53
        assert np.isfinite(RandomizedResponse(1, epsilon).log_mgf(np.array([0.1, 1.0]))).all()


@pytest.mark.parametrize("epsilon", (1e-20, 1e-16, 1e-300))
def test_an_epsilon_without_a_trace_is_refused(epsilon):
    """Truth and lie would be equally likely in floating point, and the analyzer would divide by zero."""
    with pytest.raises(ValueError, match=rf"epsilon must be at least 1e-14 for randomized response .* got {epsilon:g}"):
        RandomizedResponse(1, epsilon)
    assert math.isfinite(RandomizedResponse(3, 1e-14).noise_std)
    assert math.isfinite(RandomizedResponse(3, epsilon, 1e-6).noise_std)  # delta leaves something to tell


# Noise bits


def crowds(seed, largest, points):
    """Log-uniform numbers of users."""
    return [int(users) for users in np.exp(np.random.default_rng(seed).uniform(0, np.log(largest), points))]


def noise_of(privatizer, users):
    """The law of the noise of so many users."""
    bits = privatizer.noise_bits
    assert bits.rare == bits.common
    return exact_delta.pairs(users * bits.rare, bits.p)


def test_the_binary_sum_keeps_delta():
    """1,000 triples: crowds up to 1e16, half of them honest in every second one."""
    for i, ((epsilon, delta), users) in enumerate(zip(scan(3, (0.3, 60.0), (1e-12, 0.7), FEW), crowds(4, 1e16, FEW), strict=True)):
        privatizer = BinarySum(users, epsilon, delta, honest_fraction=0.5 if i % 2 else 1.0)
        honest = max(1, users // 2) if i % 2 else users
        true = exact_delta.divergence(noise_of(privatizer, honest), epsilon, 1)
        assert true <= delta * (1 + ROOM), (users, epsilon, delta)


def test_the_scalar_sum_keeps_delta():
    """1,000 times up to 6 levels, which one user moves."""
    for i, ((epsilon, delta), users) in enumerate(zip(scan(5, (0.3, 60.0), (1e-12, 0.7), FEW), crowds(6, 1e6, FEW), strict=True)):
        g = 1 + i % 6
        true = exact_delta.divergence(noise_of(ScalarSum(users, epsilon, delta, levels=g), users), epsilon, g)
        assert true <= delta * (1 + ROOM), (users, epsilon, delta, g)


@pytest.mark.parametrize(("epsilon", "delta"), ((1e-2, 1e-6), (5e-3, 1e-3), (2e-2, 1e-10), (3e-3, 0.3)))
@pytest.mark.parametrize("users", (1000, 10**9, 10**15, 3 * 10**16))
def test_noise_bits_of_huge_crowds_are_enough(users, epsilon, delta):
    """At 3e16 users and (0.01, 1e-6) the true delta was 1.83 times the claimed one: an absolute tolerance for q."""
    true = exact_delta.divergence(noise_of(BinarySum(users, epsilon, delta), users), epsilon, 1)
    assert delta / 3 < true <= delta * (1 + ROOM) or users > 10**15


def test_noise_bits_are_no_more_than_needed():
    """A relative 1e-6 less of p breaks the promise, where floats have such probabilities (and p is not 1/2 already)."""
    tight = 0
    for (epsilon, delta), users in zip(scan(7, (0.3, 6.0), (1e-9, 0.5), 300), crowds(8, 1e5, 300), strict=True):
        bits = BinarySum(users, epsilon, delta).noise_bits
        if 1e-8 < bits.p < 0.5:
            tight += 1
            less = exact_delta.pairs(users * bits.rare, bits.p * (1 - 1e-6))
            assert exact_delta.divergence(less, epsilon, 1) > delta, (users, epsilon, delta)
    assert tight > 200


# Laplace, discrete Laplace, Skellam, Gauss


def test_discrete_laplace_noise_keeps_delta():
    """5,000 times up to 40 levels; every tenth without a delta, where not even a rounding error is allowed."""
    for i, (epsilon, delta) in enumerate(scan(9, (1e-3, 60.0), (1e-15, 0.99))):
        allowed, shift = 0.0 if i % 10 == 9 else delta, 1 + i % 40
        true = exact_delta.discrete_laplace(discrete_laplace_scale(epsilon, allowed, shift), epsilon, shift)
        assert true <= Decimal(allowed) * Decimal(1 + ROOM), (epsilon, allowed, shift)


def test_laplace_noise_keeps_delta():
    """At (10, 1e-12) a rounding error of epsilon was 1e-3 of delta."""
    for i, (epsilon, delta) in enumerate(scan(10, (1e-6, 100.0), (1e-300, 0.99))):
        allowed, sensitivity = 0.0 if i % 10 == 9 else delta, (1.0, 3.0, 0.1, 7e5)[i % 4]
        scale = laplace_scale(epsilon, allowed, sensitivity)
        assert exact_delta.laplace(scale, epsilon, sensitivity) <= Decimal(allowed), (epsilon, allowed, sensitivity)
        assert exact_delta.laplace(scale * (1 - 1e-15), epsilon, sensitivity) > allowed


def test_skellam_noise_keeps_delta():
    """1,000 times up to 5 levels."""
    for i, (epsilon, delta) in enumerate(scan(11, (0.1, 30.0), (1e-12, 0.7), FEW)):
        shift = 1 + i % 5
        true = exact_delta.divergence(exact_delta.skellam(skellam_variance(epsilon, delta, shift)), epsilon, shift)
        assert true <= delta * (1 + ROOM), (epsilon, delta, shift)


def test_gaussian_noise_keeps_delta():
    """5,000 pairs, and no more noise than needed: 1e-8 less breaks the promise."""
    for i, (epsilon, delta) in enumerate(scan(12, (1e-6, 100.0), (1e-15, 0.99))):
        std = gaussian_noise_std(epsilon, delta, 1.0)
        assert exact_delta.gaussian(std, epsilon) <= delta * (1 + ROOM), (epsilon, delta)
        if i % 10 == 0:
            assert exact_delta.gaussian(std * (1 - 1e-8), epsilon) > delta


# Vectors


def moves(l2_shift, most, dimension, rng):
    """Integer moves of norm ``l2_shift`` at most and ``most`` in each coordinate: one alone, all alike, and one at random."""
    yield [min(most, math.floor(l2_shift))]
    alike = math.floor(l2_shift / math.sqrt(dimension))
    if alike:
        yield [min(most, alike)] * dimension
    some = np.abs(rng.normal(size=dimension))
    yield np.minimum(np.floor(some / np.linalg.norm(some) * l2_shift), most).astype(int).tolist()


def test_the_vector_sum_keeps_delta():
    """60 vector sums of 2 to 8 coordinates, three moves each: convolution of all coordinates' losses, or all pairs of outcomes."""
    rng = np.random.default_rng(13)
    for i, (epsilon, delta) in enumerate(scan(14, (0.3, 8.0), (1e-6, 0.3), 60)):
        dimension, g = (2, 2, 3, 5, 8)[i % 5], (3, 8, 20)[i % 3]
        privatizer = VectorSum(int(rng.integers(1, 200)), epsilon, delta, Box(dimension, -1.0, 1.0), levels=g)
        law = noise_of(privatizer, privatizer.users)
        for move in moves(g * math.sqrt(dimension), g, dimension, rng):
            if any(move):
                assert exact_delta.product(law, epsilon, move) <= delta * (1 + ROOM), (i, epsilon, delta, move)


# Rare noise


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
