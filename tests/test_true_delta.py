"""No certified mechanism has a true delta above the claimed one, by oracles that share no code with the package, on dense scans.

What is scanned are the very numbers with which noise is drawn (``tests/test_exact_counts.py`` has the samplers); Gaussian noise is
in ``tests/test_accounting.py``. A scan has a hundred points; ``POINTS=5000 pytest tests/test_true_delta.py`` takes some minutes.
"""

import math
import os
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from bandits_dp import privatizers as P
from bandits_dp.accounting import discrete_laplace_scale, laplace_scale, skellam_variance
from bandits_dp.noise.exact_counts import UNIT, units
from tests import exact_delta

ROOM = 1e-9  # relative, by which a true delta may exceed the claimed one
POINTS = int(os.environ.get("POINTS", "100"))
MANY = 5000  # where a point takes a tenth of a millisecond


def scan(seed, epsilons, deltas, points=POINTS):
    """Log-uniform pairs (epsilon, delta), and in front the corners of the range."""
    rng = np.random.default_rng(seed)
    logs = [np.log(np.array(ends)) for ends in (epsilons, deltas)]
    inside = np.exp(np.column_stack([rng.uniform(*ends, points - 4) for ends in logs]))
    corners = [(epsilon, delta) for epsilon in epsilons for delta in deltas]
    return corners + [(float(epsilon), float(delta)) for epsilon, delta in inside]


# Randomized response
def test_randomized_response_keeps_delta():
    """The true delta of 5,000 pairs, in 60 digits, is never above (it once was, by a factor of 64), nor is that of 5,000 epsilons
    with delta = 0, also where a lie is as rare as floating point allows; q is a multiple of 2^-53, as the uniform numbers are.
    """
    pure = [(epsilon, 0.0) for epsilon, _ in scan(1, (1e-13, 1000.0), (1e-3, 1e-2), MANY)]
    for epsilon, delta in scan(0, (1e-3, 60.0), (1e-300, 0.99), MANY) + pure:
        truth = P.RandomizedResponse(1, epsilon, delta).truth
        assert step_of(truth) < UNIT and exact_delta.randomized_response(truth, epsilon) <= delta, (epsilon, delta)


def test_randomized_response_is_as_truthful_as_steps_of_floats_allow():
    """Four steps of 2^-53 more of the truth, or 1e-14 of it relatively, are too many: the scan is tight."""
    for epsilon, delta in scan(2, (1e-3, 33.0), (1e-15, 0.99), 1000):
        q = P.RandomizedResponse(1, epsilon, delta).truth
        assert exact_delta.randomized_response(q + 2**-51 + (1 - q) * 1e-14, epsilon) > delta, (epsilon, delta)


def test_the_rarest_lie():
    """A lie is rounded up to steps of 2^-53, up to epsilon = 36; beyond it is as frequent as there, and with a delta as 2^-52."""
    for epsilon in (33.0, 34.5, 35.2, 35.9):
        assert 1 - P.RandomizedResponse(1, epsilon).truth == math.ceil(math.exp(-epsilon) * 2**53) / 2**53
    for epsilon in (36.0, 36.5, 60.0, 1000.0):
        assert 1 - P.RandomizedResponse(1, epsilon).truth == 3 / 2**53
        assert 1 - P.RandomizedResponse(1, epsilon, 0.9).truth == 2 / 2**53
        assert np.isfinite(P.RandomizedResponse(1, epsilon).log_mgf(np.array([0.1, 1.0]))).all()


@pytest.mark.parametrize("epsilon", (1e-20, 1e-16, 1e-300))
def test_an_epsilon_without_a_trace_is_refused(epsilon):
    """Truth and lie would be equally likely in floating point, and the analyzer would divide by zero."""
    with pytest.raises(ValueError, match=rf"epsilon must be at least 1e-14 for randomized response .* got {epsilon:g}"):
        P.RandomizedResponse(1, epsilon)
    assert math.isfinite(P.RandomizedResponse(3, 1e-14).noise_std)
    assert math.isfinite(P.RandomizedResponse(3, epsilon, 1e-6).noise_std)  # delta leaves something to tell


# Noise bits
def crowds(seed, largest, points=POINTS):
    return [int(users) for users in np.exp(np.random.default_rng(seed).uniform(0, np.log(largest), points))]


def noise_of(privatizer, users):
    bits = privatizer.noise_bits
    assert bits.rare == bits.common
    return exact_delta.pairs(users * bits.rare, bits.p)


@pytest.mark.parametrize(("seed", "least", "kind"), [(3, 0.1, P.BinarySum), (5, 0.2, P.ScalarSum)])
def test_shuffled_sums_keep_delta(seed, least, kind):
    """Crowds up to 1e12, half of whose bits are honest in every second one; of numbers up to 6 levels, which one user moves."""
    points = zip(scan(seed, (least, 50.0), (1e-15, 0.7)), crowds(seed + 1, 1e12), strict=True)
    for i, ((epsilon, delta), users) in enumerate(points):
        share, more = (0.5 if i % 2 else 1.0, {}) if kind is P.BinarySum else (1.0, {"levels": 1 + i % 6})
        privatizer = kind(users, epsilon, delta, honest_fraction=share, **more)
        true = exact_delta.divergence(noise_of(privatizer, max(1, int(share * users))), epsilon, more.get("levels", 1))
        assert true <= delta * (1 + ROOM), (users, epsilon, delta, more)


@pytest.mark.parametrize(("epsilon", "delta"), ((1e-2, 1e-6), (5e-3, 1e-3), (2e-2, 1e-10), (3e-3, 0.3)))
@pytest.mark.parametrize("users", (1000, 10**9, 10**12))
def test_noise_bits_of_huge_crowds_are_enough(users, epsilon, delta):
    """In crowds that are larger still, an absolute tolerance for q once made the true delta 1.83 times the claimed one."""
    true = exact_delta.divergence(noise_of(P.BinarySum(users, epsilon, delta), users), epsilon, 1)
    assert delta / 3 < true <= delta * (1 + ROOM)


def test_noise_bits_are_no_more_than_needed():
    """A relative 1e-6 less of p breaks the promise, where floats have such probabilities (and p is not 1/2 already)."""
    tight = 0
    for (epsilon, delta), users in zip(scan(7, (0.3, 6.0), (1e-9, 0.5), 300), crowds(8, 1e5, 300), strict=True):
        bits = P.BinarySum(users, epsilon, delta).noise_bits
        if 1e-8 < bits.p < 0.5:
            tight += 1
            less = exact_delta.pairs(users * bits.rare, bits.p * (1 - 1e-6))
            assert exact_delta.divergence(less, epsilon, 1) > delta, (users, epsilon, delta)
    assert tight > 200


# Laplace, discrete Laplace, Skellam
def test_discrete_laplace_noise_keeps_delta():
    """Up to 40 levels; every tenth without a delta, where not even a rounding error is allowed."""
    for i, (epsilon, delta) in enumerate(scan(9, (1e-3, 60.0), (1e-15, 0.99))):
        allowed, shift = 0.0 if i % 10 == 9 else delta, 1 + i % 40
        rate = math.floor(UNIT / Fraction(discrete_laplace_scale(epsilon, allowed, shift)))  # as it is drawn
        true = exact_delta.discrete_laplace(Decimal(UNIT) / rate, epsilon, shift)
        assert true <= Decimal(allowed) * Decimal(1 + ROOM), (epsilon, allowed, shift)


def test_a_delta_below_the_rounding_of_a_scale_is_none():
    """At 697 levels the root finder had no bracket: rounded, even the scale without a delta lost more than this one."""
    epsilon, shift = 48.755423816656815, 697
    scale = discrete_laplace_scale(epsilon, 2.6216770085663764e-14, shift)
    assert exact_delta.discrete_laplace(scale, epsilon, shift) <= Decimal("2.6e-14")


def test_laplace_noise_keeps_delta():
    """At (10, 1e-12) a rounding error of epsilon was 1e-3 of delta."""
    for i, (epsilon, delta) in enumerate(scan(10, (1e-6, 100.0), (1e-300, 0.99))):
        allowed, sensitivity = 0.0 if i % 10 == 9 else delta, (1.0, 3.0, 0.1, 7e5)[i % 4]
        scale = laplace_scale(epsilon, allowed, sensitivity)
        assert exact_delta.laplace(scale, epsilon, sensitivity) <= Decimal(allowed), (epsilon, allowed, sensitivity)
        assert exact_delta.laplace(scale * (1 - 1e-15), epsilon, sensitivity) > allowed


def test_skellam_noise_keeps_delta():
    """Up to 6 levels, and crowds up to 1e12."""
    for i, ((epsilon, delta), users) in enumerate(zip(scan(11, (0.1, 50.0), (1e-15, 0.7)), crowds(15, 1e12), strict=True)):
        privatizer = P.SkellamSum(users, epsilon, delta) if i % 2 else P.SkellamSum(1 + i % 7, epsilon, delta, domain=P.Box(1))
        true = exact_delta.divergence(exact_delta.skellam(privatizer.variance), epsilon, privatizer.levels)
        assert true <= delta * (1 + ROOM), (epsilon, delta, users)


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
    """Vector sums of 2 to 8 coordinates, three moves each: convolution of all coordinates' losses, or all pairs of outcomes."""
    rng = np.random.default_rng(13)
    for i, (epsilon, delta) in enumerate(scan(14, (0.3, 8.0), (1e-6, 0.3), 3 * POINTS // 10)):
        dimension, g = (2, 2, 3, 5, 8)[i % 5], (3, 8, 20)[i % 3]
        privatizer = P.VectorSum(int(rng.integers(1, 200)), epsilon, delta, P.Box(dimension, -1.0, 1.0), levels=g)
        law = noise_of(privatizer, privatizer.users)
        for move in moves(g * math.sqrt(dimension), g, dimension, rng):
            if any(move):
                assert exact_delta.product(law, epsilon, move) <= delta * (1 + ROOM), (i, epsilon, delta, move)


# Rare noise
def step_of(p):
    """P as a number of steps of 2^-53, if it is one."""
    assert p * UNIT == int(p * UNIT)
    return int(p * UNIT)


@pytest.mark.parametrize("epsilon", (1.0, 30.0, 45.0, 300.0))
def test_noise_bits_are_drawn_with_the_probability_that_is_accounted(epsilon):
    """At epsilon = 45 the aggregate draw had no noise, for numpy takes 1 - p; now p is a multiple of the uniform numbers' step."""
    for users in (1, 1000, 10**9, 10**12):
        for privatizer in (P.BinarySum(users, epsilon, 1e-6), P.ScalarSum(users, epsilon, 1e-6, levels=2)):
            p = privatizer.noise_bits.p
            assert 1 <= step_of(p) <= UNIT // 2 and units(p) == step_of(p)
    vectors = P.VectorSum(100, epsilon, 1e-6, P.Box(2), levels=4).noise_bits
    assert step_of(vectors.p) >= 1


@pytest.mark.parametrize("epsilon", (0.3, 15.01, 33.5, 37.5, 700.0))
def test_discrete_laplace_noise_is_drawn_with_the_rate_that_is_accounted(epsilon):
    """At 33.5 numpy's Polya numbers gave 33.518, and from 37.4 on nothing was added at all."""
    privatizer = P.DiscreteLaplaceSum(10, epsilon)
    assert Fraction(epsilon) * (1 - Fraction(1, 2**50)) <= Fraction(privatizer._rate, UNIT) <= Fraction(epsilon)
    assert privatizer.scale * privatizer._rate == pytest.approx(UNIT, rel=1e-15)
    privatizer.release(np.zeros(10), np.random.default_rng(1), "messages")


@pytest.mark.parametrize("epsilon", (1.0, 30.0, 200.0))
def test_skellam_noise_is_drawn_with_the_mean_that_is_accounted(epsilon):
    for users, honest in ((1, 1.0), (10**6, 1.0), (1000, 0.3)):
        privatizer = P.SkellamSum(users, epsilon, 1e-6, honest_fraction=honest)
        mean = Fraction(2 * privatizer.honest * privatizer._mean_units, UNIT)
        assert float(mean) == privatizer.variance and mean >= Fraction(skellam_variance(epsilon, 1e-6, 1))


def test_a_crowd_has_a_million_million_users_at_most():
    """In crowds above 9e15, where floats skip whole numbers, a quarter of the releases of zeros could not come from a one."""
    P.BinarySum(10**12, 1.0, 1e-6)
    for make in (P.BinarySum, P.ScalarSum, P.SkellamSum, P.CentralGaussian, P.RandomizedResponse, P.DiscreteLaplaceSum):
        with pytest.raises(ValueError, match=r"^users must be an integer from 1 to 1,000,000,000,000, got 1000000000001"):
            make(10**12 + 1, 1.0, 1e-6)
