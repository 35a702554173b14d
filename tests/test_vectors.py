"""Vectors of noisy counts: the Gaussian comparison against exact divergences, domains, and the shuffled sums built on them."""

import math

import numpy as np
import pytest
from scipy import stats

from bandits_dp.accounting import binomial_vector_epsilon, gaussian_noise_std
from bandits_dp.accounting.binomial import binomial_log_pmf
from bandits_dp.accounting.binomial_vector import vector_delta
from bandits_dp.privatizers import Ball, Box, CentralGaussian, LinearStatistics, ScalarSum, VectorSum
from bandits_dp.privatizers.noise_bits import NoiseBits
from bandits_dp.privatizers.vector_sum import certified_bits


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


def test_huge_crowds_do_not_overflow():
    """A thousand million users and three thousand levels: the noise is drawn as numbers, no integer passes 2^63."""
    noise = NoiseBits(3, 3, 0.4).draw_sum(10**9, (1,), np.random.default_rng(0))
    assert (np.abs(noise - 3e9) < 8 * NoiseBits(3, 3, 0.4).std(10**9)).all()
    privatizer = ScalarSum(10**9, 1.0, 1e-6, levels=3000)
    assert 0 < privatizer.noise_std < 7 and 10**9 * privatizer.bits_per_user < 2**63


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
