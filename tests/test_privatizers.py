"""Privatizers: one law for all fidelities, guarantees by exact computation, domains, and errors that name what is wrong."""

import math
from functools import partial

import numpy as np
import pytest
from scipy import stats

from bandits_dp import privatizers as P
from bandits_dp.accounting import gaussian_noise_std
from bandits_dp.accounting.binomial import binomial_log_pmf
from bandits_dp.accounting.binomial_vector import vector_delta
from bandits_dp.continual import TreeCounter
from bandits_dp.noise.noise_bits import SHARE, NoiseBits, least_noise_bits
from bandits_dp.privatizers.secure_sum import SecureSum
from bandits_dp.privatizers.vector_sum import certified_bits
from tests.exact_delta import divergence, pairs
from tests.same_law import same_law

FALSE_ALARM = 1e-6  # of each statistical test here, with fixed seeds
WIDE = P.Box(1, -1.0, 2.0)
MAKERS = {
    "identity": P.Identity, "central Gaussian": partial(P.CentralGaussian, epsilon=1.0, delta=1e-3),
    "central Laplace": partial(P.CentralLaplace, epsilon=1.0),
    "central Laplace with delta": partial(P.CentralLaplace, epsilon=1.0, delta=0.05),
    "local Gaussian": partial(P.LocalGaussian, epsilon=1.0, delta=0.01, domain=P.Ball(2)),
    "local Laplace": partial(P.LocalLaplace, epsilon=1.0, domain=P.Box(2)),
    "amplified Gaussian": partial(P.AmplifiedGaussian, epsilon=1.0, delta=0.01, domain=P.Ball(2)),
    "randomized response": partial(P.RandomizedResponse, epsilon=1.0),
    "randomized response with delta": partial(P.RandomizedResponse, epsilon=0.5, delta=0.05),
    "binary sum": partial(P.BinarySum, epsilon=1.0, delta=1e-3),
    "binary sum, large epsilon": partial(P.BinarySum, epsilon=4.0, delta=1e-3),
    "binary sum, theorem": partial(P.BinarySum, epsilon=1.0, delta=1e-3, calibration="theorem"),
    "binary sum, half honest": partial(P.BinarySum, epsilon=1.0, delta=1e-3, honest_fraction=0.5),
    "scalar": partial(P.ScalarSum, epsilon=2.0, delta=0.01),
    "scalar, theorem": partial(P.ScalarSum, epsilon=8.0, delta=0.1, calibration="theorem"),
    "scalar, other interval": partial(P.ScalarSum, epsilon=2.0, delta=0.01, domain=P.Box(1, -3.0, 5.0), levels=7,
                                      honest_fraction=0.5),
    "scalar, ends": partial(P.ScalarSum, epsilon=2.0, delta=0.1, domain=P.Box(1, -1.0, 1.0, whole=True)),
    "vector": partial(P.VectorSum, epsilon=3.0, delta=0.1, domain=P.Box(2, -1.0, 1.0), levels=8),
    "linear statistics": partial(P.VectorSum, epsilon=8.0, delta=0.1, domain=P.LinearStatistics(1), levels=6),
    "discrete Laplace": partial(P.DiscreteLaplaceSum, epsilon=0.7),
    "discrete Laplace, delta": partial(P.DiscreteLaplaceSum, epsilon=0.7, delta=0.05),
    "discrete Laplace, published": partial(P.DiscreteLaplaceSum, epsilon=1.0, calibration="theorem"),
    "discrete Laplace, numbers": partial(P.DiscreteLaplaceSum, epsilon=1.0, domain=WIDE),
    "Skellam": partial(P.SkellamSum, epsilon=1.0, delta=1e-3),
    "Skellam, larger epsilon": partial(P.SkellamSum, epsilon=2.5, delta=1e-3),
    "Skellam, published": partial(P.SkellamSum, epsilon=1.0, delta=1e-3, calibration="theorem"),
    "Skellam, numbers": partial(P.SkellamSum, epsilon=1.0, delta=1e-3, domain=P.Box(1)),
    "Skellam, half are honest": partial(P.SkellamSum, epsilon=1.0, delta=1e-3, honest_fraction=0.5),
}
NUMBERS = [name for name, make in MAKERS.items() if make(2).dimension == 1]  # one per user


def held(privatizer):
    """Values that users of a number hold: both ends, and one in between where that is allowed."""
    low, high = privatizer.domain.low, privatizer.domain.high
    return np.array([low, high]) if privatizer.domain.whole else np.array([low, 0.375 * low + 0.625 * high, high])


@pytest.mark.parametrize("users", (1, 40))
@pytest.mark.parametrize("name", MAKERS)
def test_fidelities_have_the_same_law(name, users):
    """Unbiased, of the declared std (at most, where values are rounded), and equal in law; tails are light enough for 6 errors."""
    privatizer, rng = MAKERS[name](users), np.random.default_rng(users)
    runs = {"aggregate": 1500 if name in NUMBERS else 4000, "messages": 60 if privatizer.bits_per_user * users >= 1e4 else 1000}
    drawn = {}
    if name in NUMBERS:
        kinds = held(privatizer)
        counts = np.bincount(np.arange(users) % 3 % len(kinds), minlength=len(kinds))
        values = np.repeat(kinds, counts)[:, None]
        drawn["tally"] = privatizer.release_tally(kinds, np.tile(counts, (4000, 1)), rng)[:, None]
    elif isinstance(privatizer.domain, P.LinearStatistics):
        values = privatizer.domain.encode(rng.uniform(-1, 1, (users, 1)), rng.uniform(-1, 1, users))
    else:
        values = privatizer.domain.clip(rng.uniform(privatizer.domain.low, privatizer.domain.high, (users, privatizer.dimension)))
    drawn |= {f: np.array([privatizer.release(values, rng, f) for _ in range(number)]) for f, number in runs.items()}
    for sample in drawn.values():
        std, n = privatizer.noise_std, len(sample)
        if std == 0:
            assert (sample == values.sum(axis=0)).all()
            continue
        assert (np.abs(sample.mean(axis=0) - values.sum(axis=0)) < 6 * std / math.sqrt(n)).all()
        if privatizer.needs_values:
            assert (sample.std(axis=0) < std * (1 + 6 * math.sqrt(1.5 / n))).all()
        elif name != "binary sum, large epsilon":  # where noise is rare; else the kurtosis is at most that of Laplace noise
            assert (np.abs(sample.var(axis=0) / std**2 - 1) < 6 * math.sqrt(6 / n)).all()
    for view in (lambda x: x[:, 0], lambda x: x.sum(axis=1)):
        first, *others = drawn.values()
        assert all(same_law(view(first), view(other)) > FALSE_ALARM for other in others)


@pytest.mark.parametrize("name", NUMBERS)
def test_several_batches_add_up(name):
    """One draw for the sum of three releases has the law of three draws; no number of batches means one."""
    privatizer, rng = MAKERS[name](20), np.random.default_rng(5)
    ends, counts = held(privatizer)[[0, -1]], np.array([12, 8])
    once = privatizer.release_tally(ends, np.tile(counts, (30_000, 1)), rng).reshape(10_000, 3).sum(axis=1)
    together = privatizer.release_tally(ends, np.tile(3 * counts, (10_000, 1)), rng, batches=3)
    assert same_law(once, together) > FALSE_ALARM
    asked = [(privatizer.release_tally, (ends, counts[None]))]
    if not privatizer.needs_values:
        total = privatizer.release_sum(np.full(10_000, 3 * counts @ ends), rng, batches=3)
        assert same_law(total, together) > FALSE_ALARM
        asked.append((privatizer.release_sum, ([counts @ ends],)))
    for release, arguments in asked:
        assert release(*arguments, np.random.default_rng(1), 1) == release(*arguments, np.random.default_rng(1))


@pytest.mark.parametrize("name", NUMBERS)
def test_log_mgf_bounds_the_noise(name):
    """The declared bound is at least the measured log E exp(±s error), up to sampling error, and close to it for a sum."""
    privatizer, rng = MAKERS[name](20), np.random.default_rng(6)
    kinds = held(privatizer)
    counts = np.array([12, 8] if len(kinds) == 2 else [6, 6, 8])
    error = privatizer.release_tally(kinds, np.tile(counts, (200_000, 1)), rng) - counts @ kinds
    s = np.array([0.05, 0.2, 0.5]) / max(privatizer.noise_std, privatizer.domain.high - privatizer.domain.low)
    bound = privatizer.log_mgf(s)
    for sign in (1, -1):
        sample = np.exp(sign * np.outer(s, error))
        assert (np.log(sample.mean(axis=1)) <= bound + 6 * sample.std(axis=1) / math.sqrt(error.size)).all()
    assert (bound <= 1.3 * s**2 * max(privatizer.noise_std, 1e-9) ** 2 / 2 + 1e-12).all()


@pytest.mark.parametrize("privatizer", (
    P.RandomizedResponse(3, 1.0), P.RandomizedResponse(7, 0.2, 0.05), P.BinarySum(3, 1.0, 1e-2), P.ScalarSum(3, 4.0, 0.1, levels=5),
    P.DiscreteLaplaceSum(3, 1.0), P.SkellamSum(3, 2.0, 0.1)), ids=lambda privatizer: type(privatizer).__name__)
def test_the_span_is_the_largest_difference_of_two_releases(privatizer):
    """By it learners skip phases in which nobody can fall: if it were too small they would skip others."""
    rng = np.random.default_rng(0)
    if isinstance(privatizer, SecureSum):
        sent = [np.array([x]) for x in range(privatizer.modulus)]  # sums modulo m
    else:
        shape = privatizer.shuffle(privatizer.randomize(np.zeros((privatizer.users, 1)), rng), rng).shape
        sent = [np.zeros(shape), np.ones(shape)]
    released = [float(privatizer.analyze(messages, rng)[0]) for messages in sent]
    assert max(released) - min(released) == pytest.approx(privatizer.span, rel=1e-12)


def test_what_is_drawn_ahead_of_ends_of_the_interval_is_what_a_release_draws():
    """Where values are not rounded, the noise does not depend on them: the same bits, as many batches at once."""
    ends = P.VectorSum(6, 1.0, 0.1, domain=P.Box(3, -1.0, 1.0, whole=True))
    totals = np.arange(12.0).reshape(4, 3) - 6
    noise = ends.noise_from(ends.draw_ahead(4, np.random.default_rng(0)), None)
    assert noise == pytest.approx(ends.release_sum(totals, np.random.default_rng(0)) - totals, abs=1e-9) and np.ptp(noise) > 0


def test_messages_too_long_for_memory_are_refused_by_name(monkeypatch):
    privatizer = P.ScalarSum(6, 1.0, 0.1)
    monkeypatch.setattr("bandits_dp.privatizers.bit_sum.MOST_BITS", 10)
    with pytest.raises(ValueError, match=r"fidelity must be 'aggregate' for messages as long as these, got 'messages' .* of 6"):
        privatizer.release(np.ones(6), np.random.default_rng(0), "messages")
    assert privatizer.release(np.ones(6), np.random.default_rng(0)).shape == (1,)


def test_binary_sum_noise_meets_its_targets():
    """At (1, 1e-6) the std is at most 4.6 for every batch size, where the theorem's is 18.7 or more."""
    for users in (1, 2, 3, 16, 31, 39, 64, 79, 80, 81, 128, 1000, 10**6, 10**9):
        assert P.BinarySum(users, 1.0, 1e-6).noise_std <= 4.6
        assert P.BinarySum(users, 1.0, 1e-6, "theorem").noise_std >= 18.66
    assert P.BinarySum(8, 1.0, 1e-6, "theorem").noise_std == pytest.approx(18.7, abs=0.05)


def test_honest_users_alone_suffice():
    """With 30 of 100 users honest, the exact delta of their noise alone keeps the promise; all 100 add more noise."""
    privatizer = P.BinarySum(100, 1.0, 1e-6, honest_fraction=0.3)
    thirty, twenty = (divergence(pairs(users * privatizer.noise_bits.rare, privatizer.noise_bits.p), 1.0, 1) for users in (30, 20))
    assert thirty <= 1e-6 * (1 + 1e-9) < twenty
    assert privatizer.noise_std > P.BinarySum(100, 1.0, 1e-6).noise_std
    assert "as long as 0.3 of the users of each batch are honest" in str(privatizer.guarantee)
    assert P.BinarySum(1, 1.0, 1e-6, honest_fraction=0.1).noise_bits == P.BinarySum(1, 1.0, 1e-6).noise_bits


@pytest.mark.parametrize(("make", "text"), [
    (partial(P.BinarySum, 10, 2.0, 1e-6, "theorem"), "epsilon must be .* got 2"),
    (partial(P.CentralGaussian, 10, 2.0, 1e-6, "theorem"), "epsilon must be .* got 2"),
    (partial(TreeCounter, 1000, 2.0, 1e-4, calibration="theorem"), r"epsilon must be below 1 .* got 2"),
    (partial(P.VectorSum, 5, 20.0, 0.1, P.Box(2, -1.0, 1.0), "theorem"), "epsilon must be at most 15 and delta below 1/2"),
    (partial(P.ScalarSum, 5, 40.0, 0.1, "theorem"), "epsilon must be below 30"),
])  # fmt: skip
def test_theorems_refuse_what_they_do_not_cover(make, text):
    with pytest.raises(ValueError, match=text):
        make()
    assert str(make(strict=False).guarantee).startswith("No guarantee")


@pytest.mark.parametrize(("domain", "one"), [
    (P.Box(3, -1.0, 2.0), (2.0, 2.0, 2.0)), (P.Ball(3, 2.0), np.full(3, 2 / math.sqrt(3))), (P.Ball(4, 0.5), np.full(4, 0.25)),
])  # fmt: skip
def test_diameters_are_those_of_two_opposite_corners(domain, one):
    one = np.asarray(one)
    other = -one if isinstance(domain, P.Ball) else np.full(3, -1.0)
    domain.check(np.array([one, other]) * (1 - 1e-12))
    assert domain.l1_diameter == pytest.approx(np.abs(one - other).sum(), rel=1e-12)
    assert domain.l2_diameter == pytest.approx(np.linalg.norm(one - other), rel=1e-12)


@pytest.mark.parametrize("users", (100, 10_000))
@pytest.mark.parametrize(("make", "low"), [(P.ScalarSum, 4), (P.SkellamSum, 1), (partial(P.VectorSum, levels=None), 50)])
def test_levels_are_the_fewest_with_which_rounding_hardly_adds_to_the_noise(make, low, users):
    """Rounding has a std of sqrt(n) / 2 levels at most, and 0.14 of the noise adds 1% to it."""
    levels = make(users, 4.0, 0.1, domain=P.Box(1)).levels
    noise = gaussian_noise_std(4.0, 0.1, 1.0)
    assert math.sqrt(users) / (2 * levels) <= 0.14 * noise
    assert levels == low or math.sqrt(users) / (2 * (levels - 1)) > 0.14 * noise


@pytest.mark.parametrize(("privatizer", "variance"), [
    (P.SkellamSum(30, 1.0, 0.1, domain=P.Box(1)), lambda made: made.variance),
    (P.DiscreteLaplaceSum(30, 1.0, domain=P.Box(1)), lambda made: 0.5 / math.sinh(0.5 / made.scale) ** 2),
], ids=lambda made: type(made).__name__)  # fmt: skip
def test_securely_summed_noise_counts_rounding_at_its_most(privatizer, variance):
    """A quarter for each user, whose value may lie halfway between two levels."""
    assert (privatizer.noise_std * privatizer.levels) ** 2 == pytest.approx(variance(privatizer) + 30 / 4, rel=1e-9)


def test_printed_constants():
    """Levels and noise bits of the theorems, by their formulas; epsilon, delta and users as far apart as they may be."""
    for users, epsilon, delta in ((10**9, 15.0, 1e-6), (1000, 0.5, 1e-3), (7, 2.0, 0.4)):
        root, log = math.sqrt(users), math.log(4 * 3 / delta)
        inner = epsilon / (18 * math.log(2 / delta) ** 0.5)
        levels = math.ceil(max(inner * root / (6 * (5 * log) ** 0.5), 3**0.5, 10))
        mean = 90 * levels**2 * log / (inner**2 * users)
        assert P.vector_sum.box_bits(users, epsilon, delta, 3) == (levels, (math.ceil(2 * mean), 0, mean / math.ceil(2 * mean)))
        levels = math.ceil(max(2 * root, 3, 4))
        bits = math.ceil(240_000 * (levels * math.log(40 / delta) / epsilon) ** 2 / users)
        assert P.vector_sum.linear_bits(users, epsilon, delta, 3) == (levels, (bits, 0, 0.25))
        levels = max(2, math.ceil(root))
        mean = 720 * levels**2 * math.log(2 / delta) / (epsilon**2 * users)
        found, noise = P.scalar_sum.theorem_bits(users, epsilon, delta, 0.5)
        assert found == levels and noise == pytest.approx((math.ceil(mean), 0, mean / (2 * math.ceil(mean))), rel=1e-12)
        tau = 96 * math.log(2 / delta) / epsilon**2
        noise = P.binary_sum.theorem_bits(users, epsilon, delta)
        assert users * noise.rare * noise.p == pytest.approx(tau / 2) if users > tau else noise == (math.ceil(tau / users), 0, 0.5)


@pytest.mark.parametrize("p", (0.5, 0.4999, 0.25, 0.01))
def test_sub_gaussian_std_is_the_least_for_bits(p):
    """The largest of 2 log E exp(s X) / s^2 over s, for three bits of each user; a rounded value counts as a fair bit."""
    privatizer = P.ScalarSum(10, 1.0, 0.1)
    privatizer.noise_bits = NoiseBits(2, 1, p)
    s = np.linspace(-20, 20, 100_000)
    bit = 2 * (np.logaddexp(np.log1p(-p), np.log(p) + s) - p * s) / s**2
    assert (privatizer.sub_gaussian_std / privatizer.step) ** 2 == pytest.approx(10 * (3 * bit.max() + 0.25), rel=1e-6)


def test_many_counts_need_more_pairs_only_where_fewer_cost_much():
    """With 10^6 fair bits: if fewer would keep delta nearly as well, 2000 counts need what one does; else a 2000th of the share."""
    users, delta, needed = 700_000, 1e-6, 500_000
    enough = len(binomial_log_pmf(2 * needed, 0.5)[1])

    def bits(cost, counts):
        """Noise bits if all that are needed cost no delta, and fewer so much."""
        return least_noise_bits(users, lambda _: 2 * needed, lambda log_pmf: cost * (len(log_pmf) < enough), delta, counts)

    assert bits(0.0, 1) == bits(1e-3, 2000) and bits(0.9, 2000).p > bits(0.0, 1).p
    for found, counts in ((bits(0.0, 1), 1), (bits(0.9, 2000), 2000)):
        lacking = stats.binom.cdf(needed - 1, users, 4 * found.p * (1 - found.p))  # of n pairs, so many have a fair sum
        assert 0.9 * delta * SHARE / counts < lacking <= delta * SHARE / counts


def test_a_large_epsilon_needs_less_noise() -> None:
    """What the search leaves out of a law may be worth exp(epsilon) times as much where the sum has moved."""
    stds = [P.ScalarSum(5, epsilon, 1e-6, levels=30).noise_std for epsilon in (85.0, 100.0, 150.0, 300.0)]
    assert stds == pytest.approx([0.087223, 0.0671, 0.0423, 0.0373], rel=1e-3)


# Domains
def test_linear_statistics_round_trip_and_are_checked():
    domain = P.LinearStatistics(3)
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
    (P.Box(2, -1.0, 3.0), [[NAN, INF], [-INF, 1e200], [0.0, 5.0]], [[1.0, 3.0], [-1.0, 3.0], [0.0, 3.0]]),
    (P.Box(1, whole=True), [[NAN], [INF], [-1e308], [0.2]], [[1.0], [1.0], [0.0], [0.0]]),
    (P.Ball(2, 5.0), [[NAN, INF], [-INF, 1e308], [3e101, 4e101], [6.0, -8.0], [0.0, 1.0]],
     [[0.0, 0.0], [-5.0, 0.0], [3.0, 4.0], [3.0, -4.0], [0.0, 1.0]]),
    (P.Ball(2, 1e-3), [[INF, -INF], [-1.7e308, 1.7e308]], math.sqrt(5e-7) * np.array([[1, -1], [-1, 1]])),
])
def test_clipped_users_always_count(domain, wild, allowed):
    """Whoever can keep a batch from being released by a value that is none tells something about it."""
    clipped = domain.clip(np.array(wild))
    assert clipped == pytest.approx(np.array(allowed), rel=1e-15)
    domain.check(clipped)
    mechanism = P.CentralGaussian(len(wild), 1.0, 0.1, domain=domain, clip=True)
    released = [mechanism.release(values, np.random.default_rng(0)) for values in (wild, clipped)]
    assert (released[0] == released[1]).all()


# Shuffled sums
@pytest.mark.parametrize("features", (5, 20))
@pytest.mark.parametrize("delta", (1e-6, 0.1))
@pytest.mark.parametrize("epsilon", (0.2, 1.0, 10.0))
def test_certified_vector_noise_is_nearly_gaussian_and_short(features, delta, epsilon):
    """Dimension 20 and 230, batches of 20: within 3% of the exact Gaussian, at most 1% of the published bits."""
    domain = P.LinearStatistics(features)
    certified = P.VectorSum(20, epsilon, delta, domain)
    assert certified.noise_std <= 1.03 * gaussian_noise_std(epsilon, delta, domain.l2_diameter)
    assert certified.bits_per_user <= 0.01 * P.VectorSum(20, epsilon, delta, domain, "theorem").bits_per_user
    shift = domain.l2_diameter * certified.levels / 2 + math.sqrt(domain.dimension)
    if certified.noise_bits.p < 0.499 and certified.noise_bits.rare * 20 < 50_000:  # else the law is too large to convolve here
        assert vector_delta(certified.noise_bits.log_pmf(20), epsilon, shift, domain.dimension) <= delta


def test_huge_crowds_do_not_overflow():
    """A thousand million users and three thousand levels: the noise is drawn as numbers, no integer passes 2^63."""
    noise = NoiseBits(3, 3, 0.4).draw_sum(10**9, (1,), np.random.default_rng(0))
    assert (np.abs(noise - 3e9) < 8 * NoiseBits(3, 3, 0.4).std(10**9)).all()
    privatizer = P.ScalarSum(10**9, 1.0, 1e-6, levels=3000)
    assert 0 < privatizer.noise_std < 7 and 10**9 * privatizer.bits_per_user < 2**63
    privatizer = P.BinarySum(10**9, 1.0, 1e-6)
    released = privatizer.release_sum(np.array([5 * 10**8] * 100), np.random.default_rng(0), batches=1000)
    assert abs(released - 5 * 10**8).max() < 8 * privatizer.noise_std * math.sqrt(1000)


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
