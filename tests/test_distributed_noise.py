"""Noise that users make together: exact accounting against brute force, shares that add up to the right law, one law for all."""

import math

import mpmath as mp
import numpy as np
import pytest
from scipy import stats

import bandits_dp as bdp
from bandits_dp.accounting import discrete_laplace_delta, discrete_laplace_scale, skellam_delta, skellam_variance
from bandits_dp.accounting.skellam import LOG_TAIL, skellam_log_pmf
from bandits_dp.privatizers import CentralLaplace, DiscreteLaplaceSum, SkellamSum
from bandits_dp.problems import BernoulliArms, GradedArms
from tests.exact_delta import divergence
from tests.noise_checks import chi_square
from tests.same_law import same_law
from tests.test_privatizers import MAKERS

FALSE_ALARM = 1e-6  # of each statistical test here, with fixed seeds
SECURE = [name for name in MAKERS if name.startswith(("discrete", "Skellam"))]


def discrete_laplace_pmf(scale, reach):
    q = math.exp(-1 / scale)
    return (1 - q) / (1 + q) * q ** np.abs(np.arange(-reach, reach + 1.0))


@pytest.mark.parametrize(("scale", "epsilon", "shift"), (
    (1.0, 0.5, 1), (3.0, 0.1, 1), (10.0, 0.2, 5), (7.3, 0.01, 4), (0.2, 1.0, 1), (40.0, 0.05, 37), (2.0, 0.4999, 1), (6.0, 0.5, 3),
))
def test_discrete_laplace_profile_is_exact(scale, epsilon, shift):
    assert discrete_laplace_delta(scale, epsilon, shift) == pytest.approx(
        divergence(discrete_laplace_pmf(scale, 3000), epsilon, shift), rel=1e-9, abs=1e-14)


@pytest.mark.parametrize("delta", (0.0, 1e-12, 1e-6, 0.1, 0.9))
@pytest.mark.parametrize(("epsilon", "shift"), ((0.1, 1), (1.0, 1), (1.0, 30), (10.0, 1)))
def test_discrete_laplace_scale_is_the_least(epsilon, shift, delta):
    scale = discrete_laplace_scale(epsilon, delta, shift)
    assert discrete_laplace_delta(scale, epsilon, shift) <= delta
    assert discrete_laplace_delta(scale * (1 - 1e-6), epsilon, shift) > delta
    assert scale <= discrete_laplace_scale(epsilon, 0.0, shift) == shift / epsilon


@pytest.mark.parametrize("variance", (1e-4, 0.3, 5.0, 80.0, 999.0, 1000.0, 30_000.0))
def test_skellam_law_is_exact(variance):
    """Against Bessel functions of high precision, near the mean and as far out as the window goes."""
    law = skellam_log_pmf(variance)
    reach = len(law) // 2
    assert law[0] < -LOG_TAIL  # so that less than what is promised is outside
    assert np.exp(law).sum() == pytest.approx(1, abs=1e-11) and (law == law[::-1]).all()
    with mp.workdps(40):
        for x in {0, 1, 2, reach // 10, reach // 3, reach}:
            expected = mp.log(mp.besseli(x, variance, maxterms=10**7)) - variance
            assert float(law[reach + x] - expected) == pytest.approx(0, abs=1e-11)


def test_skellam_law_of_a_large_variance():
    """Beyond the reach of series: neighbours satisfy the recurrence of Bessel functions, r_(x-1) (2 x / mu + r_x) = 1."""
    variance = 3e8
    law = skellam_log_pmf(variance)
    ratio = np.exp(np.diff(law[len(law) // 2 :]))
    x = np.arange(1, len(ratio))
    assert ratio[:-1] * (2 * x / variance + ratio[1:]) == pytest.approx(1, abs=1e-11)
    assert np.exp(law).sum() == pytest.approx(1, abs=1e-11)


def test_skellam_delta_is_the_divergence_of_a_difference_of_poisson_numbers():
    for variance, epsilon, shift in ((1.0, 1.0, 1), (14.0, 1.0, 1), (50.0, 0.3, 3), (0.5, 5.0, 2)):
        half = stats.poisson.pmf(np.arange(300), variance / 2)
        pmf = np.convolve(half, half[::-1])
        assert skellam_delta(variance, epsilon, shift) == pytest.approx(divergence(pmf, epsilon, shift), rel=1e-7, abs=1e-13)


@pytest.mark.parametrize(("epsilon", "delta", "shift"), (
    (1.0, 1e-6, 1), (0.1, 1e-6, 1), (10.0, 1e-6, 1), (1.0, 0.1, 1), (0.5, 1e-9, 60),
))
def test_skellam_variance_is_the_least(epsilon, delta, shift):
    """The exact one meets delta and less does not; the published bound holds, and costs more."""
    variance = skellam_variance(epsilon, delta, shift)
    assert skellam_delta(variance, epsilon, shift) <= delta < skellam_delta(variance * (1 - 1e-6), epsilon, shift)
    published = skellam_variance(epsilon, delta, shift, "renyi")
    assert published > variance and skellam_delta(published, epsilon, shift) <= delta


@pytest.mark.parametrize(("epsilon", "delta", "shift"), ((1.0, 1e-6, 1), (4.0, 1e-2, 3), (0.1, 1e-6, 20), (20.0, 1e-3, 9)))
def test_the_published_skellam_bound_is_the_printed_formula(epsilon, delta, shift):
    """Agarwal, Kairouz, Liu 2021, and the conversion of Canonne, Kamath, Steinke 2020, one order after the other."""
    v = skellam_variance(epsilon, delta, shift, "renyi")
    found = []
    for a in range(2, 3000):
        renyi = a * shift**2 / (2 * v) + min(((2 * a - 1) * shift**2 + 6 * shift) / (4 * v * v), 3 * shift / (2 * v))
        found.append(renyi + math.log((a - 1) / a) - (math.log(delta) + math.log(a)) / (a - 1))
    assert min(found) == pytest.approx(epsilon, rel=1e-7)


@pytest.mark.parametrize("users", (1, 40))  # tests/noise_checks.py has 3
@pytest.mark.parametrize("honest", (1.0, 0.5))
def test_shares_add_up_to_the_right_law(users, honest):
    """Single users' numbers, summed over the honest users: discrete Laplace or Skellam noise, by a chi-square test."""
    rng, runs = np.random.default_rng(users), 12_000
    laplace = DiscreteLaplaceSum(users, 0.7, honest_fraction=honest)
    skellam = SkellamSum(users, 1.0, 1e-3, honest_fraction=honest)
    counted = max(1, int(users * honest))
    for privatizer, law in (
        (laplace, discrete_laplace_pmf(1 / 0.7, 60)),
        (skellam, stats.skellam.pmf(np.arange(-60, 61), skellam.variance / 2, skellam.variance / 2))):
        for noise in (privatizer._draw(1, (runs, counted), rng).sum(axis=1), privatizer._draw(counted, (runs,), rng)):
            counts = np.bincount(np.clip(noise, -60, 60) + 60, minlength=121)
            assert chi_square(counts, law * runs, 20) > FALSE_ALARM


@pytest.mark.parametrize("name", SECURE)
def test_only_a_sum_modulo_m_is_seen(name):
    """Messages lie in 0..m-1, the server gets one number of so many bits, and the noise leaves the range with 2^-100 at most."""
    privatizer, rng = MAKERS[name](30), np.random.default_rng(1)
    messages = privatizer.randomize(np.full(30, privatizer.domain.high), rng)
    assert messages.shape == (30, 1) and (messages >= 0).all() and (messages < privatizer.modulus).all()
    seen = privatizer.shuffle(messages, rng)
    assert seen.shape == (1,) and seen[0] == sum(messages[:, 0].tolist()) % privatizer.modulus
    assert 2**privatizer.bits_per_user == privatizer.modulus
    room = min(-privatizer._lowest, privatizer.modulus + privatizer._lowest - privatizer.levels * 30 - 1)
    if "Laplace" in name:
        assert 2 * math.exp(-room / privatizer.scale) < 2.0**-100
    else:
        half = privatizer.variance * 30 / privatizer.honest / 2
        assert 2 * stats.skellam.sf(room, half, half) < 2.0**-100
    for end in (privatizer.domain.low, privatizer.domain.high):  # noise may take the sum below its least value, above its largest
        released = [privatizer.release(np.full(30, end), rng, "messages")[0] for _ in range(300)]
        assert min(released) < 30 * end < max(released)


def test_guarantees_say_whom_to_trust():
    """Private in the central sense, pure where that is promised, and no word of a shuffler that would not do."""
    privatizer = DiscreteLaplaceSum(50, 0.5, honest_fraction=0.4)
    assert (privatizer.guarantee.epsilon, privatizer.guarantee.delta, privatizer.guarantee.model) == (0.5, 0.0, "central")
    assert "secure aggregation shows the server this sum and nothing else" in privatizer.guarantee.reason
    assert "as long as 0.4 of the users of each batch are honest" in privatizer.guarantee.reason
    assert privatizer.noise_std == pytest.approx(DiscreteLaplaceSum(50, 0.5).noise_std / math.sqrt(0.4))
    assert "Renyi" in SkellamSum(5, 1.0, 1e-3, "theorem").guarantee.reason
    assert DiscreteLaplaceSum(5, 1.0).noise_std < CentralLaplace(5, 1.0).noise_std  # whole numbers need a little less


@pytest.mark.parametrize("noise", ("discrete-laplace", "skellam"))
@pytest.mark.parametrize("problem", (
    BernoulliArms([0.9, 0.1, 0.6]),
    GradedArms([0.0, 0.3, 0.8, 1.0], [[0, 0.1, 0.1, 0.8], [0.6, 0.1, 0.2, 0.1], [0.2, 0.2, 0.2, 0.4]]),
), ids=("bits", "stars"))
def test_fidelities_of_the_learner_have_the_same_law(noise, problem):
    regret = {}
    for fidelity, runs in (("aggregate", 140), ("messages", 70)):
        learner = bdp.make("Dist-DP-AE", problem, horizon=6000, epsilon=1.0, delta=0.1, noise=noise, fidelity=fidelity)
        regret[fidelity] = bdp.simulate(learner, problem, 6000, runs=runs, seed=8, progress=False).regret[:, -1]
    assert same_law(*regret.values()) > FALSE_ALARM
    assert np.ptp(regret["aggregate"]) > 1  # regret varies, so there was something to compare


def test_the_learner_is_pure_and_needs_delta_for_skellam_noise_only():
    problem = BernoulliArms([0.9, 0.1])
    assert bdp.make("Dist-DP-AE", problem, horizon=1000, epsilon=1.0).guarantee.delta == 0
    published = bdp.make("Dist-DP-AE", problem, horizon=1000, epsilon=1.0, calibration="theorem")
    plan = published.learner.width.forget(1, 2).after(published.privatizers[0])
    log = math.log(2 * 2 * 1000)  # phase 1: two arms, two users each
    expected = math.sqrt(math.log(4 * 2 * 1000) / 4) + (math.sqrt(2) * math.sqrt(log) + log) / 2
    assert plan.half_width() == pytest.approx(expected)
    for options, text in (
        ({"noise": "skellam"}, r"delta must be a number in \(0, 1\), got None"),
        ({"noise": "gaussian"}, 'noise must be "discrete-laplace" or "skellam", got'),
        ({"noise": "skellam", "delta": 0.1, "calibration": "theorem"}, "calibration must be 'certified' for noise='skellam'"),
        ({"batch_size": 9, "calibration": "theorem"}, "calibration must be 'certified' for .* batch_size=9, got 'theorem'")):
        with pytest.raises(ValueError, match=text):
            bdp.make("Dist-DP-AE", problem, horizon=1000, epsilon=1.0, **options)


@pytest.mark.parametrize("epsilon", (1023.0, 1025.0, 1e6, 1e100))
@pytest.mark.parametrize("more", ({}, {"domain": bdp.privatizers.Box(1)}, {"calibration": "theorem"}))
def test_a_huge_epsilon_has_the_least_noise_that_is_drawn(epsilon, more):
    """From 1024 per step on its rate did not fit into int64, and sums of fine integers did not fit into the modulus."""
    if more.get("calibration") and epsilon > 1e15:
        with pytest.raises(ValueError, match=r"^epsilon must be at most .* for the theorem calibration with 10 users, got 1e\+100"):
            DiscreteLaplaceSum(10, epsilon, **more)
        return
    privatizer, rng = DiscreteLaplaceSum(10, epsilon, **more), np.random.default_rng(1)
    assert privatizer.scale >= 1 / 1024 and privatizer.scale >= privatizer.levels / epsilon
    assert privatizer.modulus >= 10 * privatizer.levels + 3
    for fidelity in ("aggregate", "messages"):
        assert privatizer.release(np.ones(10), rng, fidelity) == pytest.approx([10.0], abs=0.1)
    assert np.isfinite(privatizer.log_mgf(np.array([0.5 / privatizer.scale / privatizer.step]))).all()


def test_a_live_learner_takes_an_epsilon_that_means_no_privacy():
    """Every update raised OverflowError, and nobody could go on."""
    rng = np.random.default_rng(1)
    learner = bdp.make("Dist-DP-AE", BernoulliArms([0.9, 0.8]), horizon=10_000, epsilon=1e6, delta=1e-6)
    for _ in range(50):
        learner.update(learner.act(), 1.0, rng)
    assert learner.played == 50


def test_what_does_not_fit_into_the_modulus_is_refused():
    assert DiscreteLaplaceSum(10**12, 1e6, domain=bdp.privatizers.Box(1)).modulus <= 2**62
    with pytest.raises(ValueError, match=r"^users must be so few, .* got 1,000,000,000,000 users, and sums up to .*e\+21$"):
        DiscreteLaplaceSum(10**12, 1.01e-9, honest_fraction=1e-12)
    with pytest.raises(ValueError, match=r"^epsilon must be so large that noise has a variance of at most 1e\+12, .* got 1.4e-06"):
        SkellamSum(10, 1.4e-6, 1e-7, "theorem")
