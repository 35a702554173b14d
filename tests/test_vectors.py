"""Vectors of noisy counts: the Gaussian comparison against exact divergences, domains, and the shuffled sums built on them."""

import math

import numpy as np
import pytest
from scipy import stats

from bandits_dp.accounting import binomial_delta, binomial_vector_epsilon, gaussian_noise_std
from bandits_dp.accounting.binomial import binomial_log_pmf
from bandits_dp.accounting.binomial_vector import vector_delta
from bandits_dp.privatizers import Ball, Box, CentralGaussian, LinearStatistics, ScalarSum, VectorSum
from bandits_dp.privatizers.noise_bits import NoiseBits
from bandits_dp.privatizers.vector_sum import certified_bits


def test_the_bound_is_close_to_a_gaussian():
    """At N = 10^4 it costs under 0.5% of noise; exact divergence in dimension 1 is below it, and nearly reaches it."""
    for l2_shift, delta in ((5.0, 1e-6), (20.0, 0.1), (60.0, 1e-9)):
        epsilon = binomial_vector_epsilon(10_000, delta, l2_shift, 100, 20)
        assert gaussian_noise_std(epsilon, delta, l2_shift) == pytest.approx(50.0, rel=5e-3)
    epsilon = binomial_vector_epsilon(4000, 1e-6, 10, 10, 1)
    assert 0.5e-6 < binomial_delta(4000, epsilon, 10) <= 1e-6


def test_noise_too_narrow_gives_no_bound():
    assert binomial_vector_epsilon(2, 1e-6, 1.0, 1, 3) == math.inf


# Domains


def test_linear_statistics_round_trip_and_are_checked():
    domain = LinearStatistics(3)
    phi = np.array([[0.5, -0.5, 0.1], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    values = domain.encode(phi, [1.0, 0.3, -1.0])
    domain.check(values)
    vector, matrix = domain.decode(values.sum(axis=0))
    assert vector == pytest.approx((phi * [[1.0], [0.3], [-1.0]]).sum(axis=0)) and matrix == pytest.approx(phi.T @ phi)
    no_features = np.array([[0.5, *[0.0] * 8]])
    for spoil in (domain.encode([[1.0, 1.0, 0.0]], [0.5]), domain.encode([[0.5, 0, 0]], [1.5]), values[:1] + 0.01, no_features):
        with pytest.raises(ValueError, match=r"norm of phi and .* at most 1, got .* in row 0"):
            domain.check(spoil)


def test_clipping_is_asked_for_and_shown():
    wild = np.array([[2.0, 0.0], [0.1, 0.1]])
    with pytest.raises(ValueError, match=r"values must have norm at most 1, got 2 in row 0; nothing is clipped for you"):
        CentralGaussian(2, 1.0, 0.1, domain=Ball(2)).release(wild, np.random.default_rng(0))
    clipped = CentralGaussian(2, 1.0, 0.1, domain=Ball(2), clip=True)
    assert "after clipping" in str(clipped.guarantee)
    same = CentralGaussian(2, 1.0, 0.1, domain=Ball(2)).release([[1.0, 0.0], [0.1, 0.1]], np.random.default_rng(0))
    assert (clipped.release(wild, np.random.default_rng(0)) == same).all()


NAN, INF = math.nan, math.inf


@pytest.mark.parametrize(("domain", "wild", "allowed"), [
    (Box(2, -1.0, 3.0), [[NAN, INF], [-INF, 1e200], [0.0, 5.0]], [[1.0, 3.0], [-1.0, 3.0], [0.0, 3.0]]),
    (Box(1, whole=True), [[NAN], [INF], [-1e308], [0.2]], [[1.0], [1.0], [0.0], [0.0]]),
    (Ball(2, 5.0), [[NAN, INF], [-INF, 1e308], [3e101, 4e101], [6.0, -8.0], [0.0, 1.0]],
     [[0.0, 0.0], [-5.0, 0.0], [3.0, 4.0], [3.0, -4.0], [0.0, 1.0]]),
    (Ball(2, 1e-3), [[INF, -INF], [-1.7e308, 1.7e308]], [[math.sqrt(5e-7), -math.sqrt(5e-7)], [-math.sqrt(5e-7), math.sqrt(5e-7)]]),
])
def test_clipped_users_always_count(domain, wild, allowed):
    """Whoever can keep a batch from being released by a value that is none tells something about it."""
    clipped = domain.clip(np.array(wild))
    assert clipped == pytest.approx(np.array(allowed), rel=1e-15)
    domain.check(clipped)
    mechanism = CentralGaussian(len(wild), 1.0, 0.1, domain=domain, clip=True)
    released = [mechanism.release(values, np.random.default_rng(0)) for values in (wild, clipped)]
    assert (released[0] == released[1]).all()


# Shuffled sums


@pytest.mark.parametrize("features", (5, 20))
@pytest.mark.parametrize("delta", (1e-6, 0.1))
@pytest.mark.parametrize("epsilon", (0.2, 1.0, 10.0))
def test_certified_vector_noise_is_nearly_gaussian_and_short(features, delta, epsilon):
    """Dimension 20 and 230, batches of 20: within 3% of the exact Gaussian, at most 1% of the published bits."""
    domain = LinearStatistics(features)
    certified = VectorSum(20, epsilon, delta, domain)
    assert certified.noise_std <= 1.03 * gaussian_noise_std(epsilon, delta, domain.l2_diameter)
    assert certified.bits_per_user <= 0.01 * VectorSum(20, epsilon, delta, domain, "theorem").bits_per_user
    shift = domain.l2_diameter * certified.levels / 2 + math.sqrt(domain.dimension)
    if certified.noise_bits.p < 0.499 and certified.noise_bits.rare * 20 < 50_000:  # else the law is too large to convolve here
        assert vector_delta(certified.noise_bits.log_pmf(20), epsilon, shift, domain.dimension) <= delta


def test_vector_noise_covers_the_move_that_rounding_makes():
    """Under one uniform number the integers of two values differ by less than the real move plus one, in every coordinate."""
    rng = np.random.default_rng(2)
    privatizer = VectorSum(1, 1.0, 0.1, Box(4, -1.0, 1.0), levels=9)
    for seed in range(300):
        a, b = rng.uniform(-1, 1, (2, 1, 4))
        one, other = (privatizer._round(v, np.random.default_rng(seed)) for v in (a, b))
        assert (np.abs(one - other) < np.abs(a - b) / privatizer.step + 1).all()


def test_published_constants_are_far_larger():
    """Chowdhury & Zhou's vector sum at their own experiment's scale; Li, Zhou & Ji's box; their scalar sum."""
    domain = LinearStatistics(5)
    assert VectorSum(20, 1.0, 0.1, domain, "theorem").noise_std > 1000 * VectorSum(20, 1.0, 0.1, domain).noise_std
    box = Box(20, -1.0, 1.0)
    assert VectorSum(1000, 10.0, 0.25, box, "theorem").noise_std > 50 * VectorSum(1000, 10.0, 0.25, box).noise_std
    assert ScalarSum(1000, 1.0, 0.1, "theorem").noise_std > 5 * ScalarSum(1000, 1.0, 0.1).noise_std


def test_huge_crowds_do_not_overflow():
    """A thousand million users and ten thousand levels: the noise is drawn as numbers, no integer passes 2^63."""
    noise = NoiseBits(3, 3, 0.4).draw_sum(10**9, (5,), np.random.default_rng(0))
    assert (np.abs(noise - 3e9) < 8 * NoiseBits(3, 3, 0.4).std(10**9)).all()
    privatizer = ScalarSum(10**9, 1.0, 1e-6, levels=10_000)
    assert 0 < privatizer.noise_std < 6 and 10**9 * privatizer.bits_per_user < 2**63


@pytest.mark.parametrize(
    ("users", "epsilon", "delta", "dimension"), ((1000, 1.0, 1e-6, 230), (20, 1.0, 0.1, 20_000), (3000, 50.0, 0.5, 1_000_000))
)
def test_too_few_fair_pairs_are_counted_for_every_coordinate(users, epsilon, delta, dimension):
    """Each of many counts may have too few fair pairs; a thousandth of delta for each would be more than delta for all."""
    shift = 400 / gaussian_noise_std(epsilon, delta, 1.0)
    bits = certified_bits(users, epsilon, delta, shift, dimension)
    pairs, q = users * bits.rare, 4 * bits.p * (1 - bits.p)

    def fair(n):
        return vector_delta(binomial_log_pmf(n, 0.5)[1], epsilon, shift, dimension)

    def bound(n):
        fewer = int(stats.binom.ppf(delta * 1e-4 / dimension, pairs, q))
        missed, far = (min(1.0, dimension * stats.binom.cdf(k - 1, pairs, q)) for k in (n // 2, fewer))
        return (1 - missed) * fair(n) + missed * fair(2 * fewer) + far

    likely = 2 * pairs * q
    spread = 2 * math.sqrt(pairs * q * (1 - q))
    assert min(bound(2 * round((likely - z * spread) / 2)) for z in np.linspace(0, 9, 37)) <= delta
