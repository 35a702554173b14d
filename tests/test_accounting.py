"""Accounting against independent oracles: high-precision sums, exact fractions, another library, brute force, published values."""

import inspect
import math

import mpmath as mp
import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution as pld
from scipy import stats

from bandits_dp import accounting as acc
from bandits_dp import privatizers
from bandits_dp.accounting.binomial import ROUNDING, binomial_log_pmf
from bandits_dp.accounting.binomial_vector import gaussian_ratio, vector_delta
from bandits_dp.accounting.shuffling import BLOCKS, clones_delta
from bandits_dp.accounting.shuffling import ROUNDING as LOST
from tests import exact_delta

mp.mp.dps = 60


@pytest.mark.parametrize("epsilon", (1e-100, 1e-12, 1e-10, 1e-8, 1e-6, 1e-3, 0.1, 1.0, 5.0, 30.0, 100.0, 1e6, 1e20))
@pytest.mark.parametrize("delta", (1e-300, 1e-15, 1e-12, 1e-8, 1e-6, 0.1, 0.5, 0.99))
def test_gaussian_matches_high_precision(epsilon, delta):
    """Exact to 1e-12 relative, for tiny epsilons, too; the inverse is never too small, and it scales with the sensitivity."""
    if epsilon == 1e-100 and delta == 1e-300:
        return  # which takes a std above 1e100
    std = acc.gaussian_noise_std(epsilon, delta, 1.0)
    true = exact_delta.gaussian(std, epsilon)
    assert abs(acc.gaussian_delta(std, epsilon, 1.0) / true - 1) < 1e-12
    assert true <= delta and (epsilon > 1e3 or true > delta * (1 - 1e-8))
    assert exact_delta.gaussian(std * (1 - 1e-7), epsilon) > delta
    assert acc.gaussian_noise_std(epsilon, delta, sensitivity=7.0) == pytest.approx(7 * std, rel=1e-12)


@pytest.mark.parametrize(("trials", "p"), [(10**4, 0.5), (10**6, 0.5), (10**8, 0.5), (10**8, 1e-6), (10**8, 0.25)])
def test_binomial_large_trials_match_high_precision(trials, p):
    """At up to 1e8 trials: log-probabilities near the mode and in both tails, against 60 digits."""
    first, log_pmf = binomial_log_pmf(trials, p)
    std = math.sqrt(trials * p * (1 - p))
    for deviation in (-8, -3, 0, 2, 9):
        x = round(trials * p + deviation * std)
        if x < 0:
            continue
        true = (mp.loggamma(trials + 1) - mp.loggamma(x + 1) - mp.loggamma(trials - x + 1)
                + x * mp.log(mp.mpf(p)) + (trials - x) * mp.log(1 - mp.mpf(p)))
        assert abs(log_pmf[x - first] - true) < 1e-10


@pytest.mark.parametrize(
    ("trials", "l2_shift", "dimension", "epsilon"),
    [(1000, 3.0, 4, 1.0), (400, 3.0, 10, 1.0), (3000, 9.0, 1, 0.5), (10_000, 3.0, 4, 2.2)],
)
def test_the_vector_bound_pays_for_what_its_window_drops(trials, l2_shift, dimension, epsilon):
    """Delta is that of a Gaussian, plus d times the distance to the noise with geometric tails, on either side of the ratio."""
    _, log_pmf = binomial_log_pmf(trials, 0.5)
    hoped = max(acc.gaussian_delta(math.sqrt(trials) / 2, epsilon, l2_shift), 1e-250)  # laws are evaluated down to 1e-304
    ratio, distance = gaussian_ratio(log_pmf, math.log(hoped / 1000 / dimension / (1 + math.exp(epsilon))))
    paid = dimension * distance * (1 + math.exp(epsilon))
    assert 1e-4 * hoped < paid < 0.01 * hoped
    expected = acc.gaussian_delta(1.0, epsilon, ratio * l2_shift) + paid
    assert vector_delta(log_pmf, epsilon, l2_shift, dimension) == pytest.approx(expected, rel=1e-9, abs=0)


def test_the_vector_bound_compares_a_law_that_adds_up_to_one():
    """Where the tails are cut so early that they matter: with geometric ones in their place, the law is divided by its sum."""
    pmf = np.exp(binomial_log_pmf(400, 0.5)[1])
    ratio, distance = gaussian_ratio(np.log(pmf), math.log(0.01))
    left = int((np.cumsum(pmf) < 0.01).sum())
    falls = pmf[left] / pmf[left + 1]
    tail = pmf[left] * falls / (1 - falls)
    total = 2 * tail + pmf[left : len(pmf) - left].sum()
    below = np.array([tail * falls, tail, *(tail + np.cumsum(pmf[left : len(pmf) // 2 + 1]))]) / total
    assert abs(total - 1) > 1e-3
    assert distance == pytest.approx(2 * tail, rel=1e-9)
    assert ratio == pytest.approx(np.diff(stats.norm.ppf(below)).max() * (1 + ROUNDING), rel=1e-9)


def test_binomial_trials_are_fewest():
    for epsilon in (0.05, 0.3, 1.0, 4.0):
        for delta in (1e-9, 1e-4, 0.2):
            for shift, p in ((1, 0.5), (2, 0.5), (1, 0.1)):
                trials = acc.binomial_trials(epsilon, delta, shift, p)
                assert acc.binomial_delta(trials, epsilon, shift, p) <= delta
                assert trials == 1 or acc.binomial_delta(trials - 1, epsilon, shift, p) > delta * (1 - 2e-9)


def test_binomial_trials_leave_room_for_rounding():
    """Where delta is within the rounding error of what N trials have, one more is taken, so the true delta is never above."""
    for trials, epsilon, shift in ((80, 1.0, 1), (268, 0.5, 1), (2000, 0.5, 3)):
        least = acc.binomial_delta(trials, epsilon, shift)
        assert acc.binomial_trials(epsilon, least * (1 + 0.5 * ROUNDING), shift) == trials + 1
        assert acc.binomial_trials(epsilon, least * (1 + 1.5 * ROUNDING), shift) == trials


@pytest.mark.parametrize("epsilon", (36.0, 40.0, 300.0))
def test_composition_of_releases_that_hardly_ever_lie(epsilon):
    """All five answers are true but for less than a rounding error: delta is then 1 - e^(total - 5 epsilon)."""
    total, delta = acc.optimal_composition(epsilon, 0.0, 5, slack=1e-6)
    assert delta == 1e-6 and 0 <= total - (5 * epsilon + math.log1p(-1e-6)) < 1e-9


def test_nobody_guesses_how_far_one_user_moves_a_sum():
    """What noise is calibrated to has no default: left out by mistake, it would be 1, and nothing would tell."""
    named = {"shift", "shifts", "sensitivity", "sensitivities", "dimension", "distance", "change"}
    checked = set()
    for module in (acc, privatizers):
        for name in module.__all__:
            if not callable(getattr(module, name)):
                continue  # a union of types
            for p in inspect.signature(getattr(module, name)).parameters.values():
                if p.name in named:
                    checked.add((name, p.name))
                    assert p.default is p.empty, f"{name} has a default {p}"
    assert {("binomial_trials", "shift"), ("laplace_scale", "sensitivity"), ("Box", "dimension")} <= checked


def test_gaussian_composition_is_exact():
    """k equal releases are one with sqrt(k) times the ratio; test_compositions has the law of the joint loss."""
    assert acc.gaussian_composition([2.0, 2.0, 2.0, 2.0], [1.0] * 4) == pytest.approx(1.0)
    assert acc.gaussian_composition([1.5, 3.0, 0.7], [1.0, 2.0, 0.3]) == pytest.approx((2 * (2 / 3) ** 2 + (3 / 7) ** 2) ** -0.5)


@pytest.mark.parametrize("releases", (1, 3, 20, 300))
@pytest.mark.parametrize("epsilon", (0.01, 0.3, 2.0))
def test_optimal_composition_is_exact_for_randomized_response(epsilon, releases):
    """Against 60 digits: k answers reach the slack exactly at the returned epsilon, which no other rule undercuts."""
    for slack in (1e-9, 1e-3, 0.2):
        total, delta = acc.optimal_composition(epsilon, 1e-8, releases, slack)
        true = exact_delta.answers(releases, epsilon, total)
        assert true <= slack * (1 + 1e-8)
        assert total < 1e-9 or true == pytest.approx(slack, rel=1e-6) or total == pytest.approx(releases * epsilon)
        assert delta == pytest.approx(1 - (1 - 1e-8) ** releases * (1 - slack), rel=1e-9)
        assert total <= acc.basic_composition(epsilon, 0.0, releases)[0] * (1 + 1e-12)
        assert total <= acc.advanced_composition(epsilon, 0.0, releases, slack)[0] * (1 + 1e-12)


def test_parameter_shifts_of_features_that_are_nearly_alike():
    """At the least ridge that is allowed, against linear equations in 60 digits; sizes from 1e-3 to 1e3."""
    rng = np.random.default_rng(2)
    for i in range(20):
        d, rounds = 1 + i % 5, int(10 ** rng.uniform(0, 2.5))
        x = (rng.normal(size=d) + 10 ** rng.uniform(-9, 0) * rng.normal(size=(rounds, d))) * 10 ** rng.uniform(-3, 3)
        ridge, record = 1.001e-9 * d * (x**2).sum(), int(rng.integers(rounds))
        exact = mp.matrix(x.tolist())
        true = mp.lu_solve(ridge * mp.eye(d) + exact.T * exact, mp.matrix(x[record].tolist()))
        error = np.array([float(a - b) for a, b in zip(acc.parameter_shifts(x, ridge, record, 1.0)[-1], true, strict=True)])
        assert np.linalg.norm(error) < 1e-6 * float(mp.norm(true)), (i, ridge)


def test_small_integers_do_not_overflow():
    features = np.array([[100, 50], [70, -100], [1, 2]])
    shifts, scales = np.array([[1, 2], [3, 0]]), np.array([[100, 120], [90, 0]])
    small = features.astype(np.int8), shifts.astype(np.int8), scales.astype(np.int8)
    assert (acc.parameter_shifts(small[0], 1.0, 0, 1.0) == acc.parameter_shifts(features.astype(float), 1.0, 0, 1.0)).all()
    assert acc.laplace_sums_epsilon(*small[1:], 1e-3) == acc.laplace_sums_epsilon(shifts.astype(float), scales.astype(float), 1e-3)


LEAST = 2.1614206593447966e-14


@pytest.mark.parametrize(("answer", "low", "high"), [  # what was wrong, or never came
    (lambda: acc.discrete_laplace_delta(17, 0.25, 18689), 1 - 1e-12, 1.0),  # a sum was rounded above one
    (lambda: acc.laplace_scale(1e-267, 1e-60, 1.0), 5e59 * (1 - 1e-12), 5e59 * (1 + 1e-12)),  # 50 digits show nothing beside 1
    (lambda: acc.skellam_variance(1e-155, 0.125, 1), 10.445, 10.447),  # the search began at an infinite variance
    (lambda: acc.skellam_delta(10.445, 1e-155, 1), 0.125, 0.1251),
    (lambda: acc.skellam_delta(10.447, 1e-155, 1), 0.1249, 0.125),
    (lambda: acc.skellam_variance(1e-155, 0.125, 1, "renyi"), 25.078, 25.082),
    (lambda: acc.binomial_vector_epsilon(2, 1e-6, 1.0, 1, 3), math.inf, math.inf),  # so little noise gives no bound
    (lambda: acc.skellam_variance(700.0, 1e-6, 1), 1e-300, 1e-299),  # the search went on below what is ever needed
    (lambda: acc.skellam_variance(1e6, 1e-6, 1), 1e-300, 1e-299),
    (lambda: acc.skellam_delta(0.01073370618865111, 59.52747932421012, 3), 0.0, 1e-260),  # three counts had no twin in the window
    (lambda: privatizers.SkellamSum(10, 1e6, 1e-6).release([1, 1, 1, 0] * 2 + [0, 0], np.random.default_rng(1)), 6.0, 6.0),
    (lambda: acc.optimal_composition(546563.0, 1e-6, 20, slack=1e-9)[0], 10931260 * (1 - 1e-6), 10931260 * (1 + 1e-6)),
    (lambda: acc.optimal_composition(546563.0, 1e-6, 20, slack=1e-9)[1], 2e-5, 2.002e-5),  # divided by their chance of a lie
    (lambda: exact_delta.answers(13, LEAST, acc.optimal_composition(LEAST, 0.0, 13, 1e-173)[0]), 0.0, 1e-173),  # rounded below it
])
def test_answers_at_the_ends_of_floats(answer, low, high):
    assert low <= answer() <= high


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


def test_blocks_bound_from_above_and_hardly_lose(monkeypatch):
    """Counting a block at its smallest C can only raise delta; with a thousandth of the blocks it still rises by under 3%."""
    exact = clones_delta(1.0, 200_000, 0.011)
    monkeypatch.setattr("bandits_dp.accounting.shuffling.BLOCKS", BLOCKS // 1000)
    coarse = clones_delta(1.0, 200_000, 0.011)
    assert exact < coarse < 1.03 * exact


@pytest.mark.parametrize("delta", (1e-12, 1e-6, 0.1))
@pytest.mark.parametrize("users", (1, 20, 10**3, 10**5))
@pytest.mark.parametrize("local_epsilon", (1e-3, 0.5, 4.0, 30.0))
def test_bounds_are_ordered(local_epsilon, users, delta):
    """Numerical <= closed form <= local guarantee; the result keeps delta, and a hair less epsilon does not."""
    numerical = acc.shuffle_epsilon(local_epsilon, users, delta)
    closed = acc.shuffle_epsilon(local_epsilon, users, delta, bound="closed-form")
    assert numerical <= closed * (1 + 1e-7) and closed <= local_epsilon
    assert clones_delta(local_epsilon, users, numerical) <= delta
    if numerical < 0.99 * local_epsilon and numerical > 2e-9 * local_epsilon:
        assert clones_delta(local_epsilon, users, numerical * (1 - 1e-5)) > delta


def test_published_amplified_noise_promises_nothing_explicit():
    domain = privatizers.LinearStatistics(5)
    with pytest.raises(ValueError, match=r"epsilon must be at most 0.387 .* with 20 users, got 1"):
        privatizers.AmplifiedGaussian(20, 1.0, 0.1, "theorem", domain)
    published = 4 * math.sqrt(2 * math.log(500) * math.log(20))
    for calibration, factor in (("theorem", published), ("experiment", math.sqrt(math.log(500)))):
        noise = privatizers.AmplifiedGaussian(20, 0.2, 0.1, calibration, domain)
        assert noise.unit_std == pytest.approx(factor / (0.2 * math.sqrt(20))) and not noise.guarantee.proved


@pytest.mark.parametrize(("users", "local", "epsilon", "error"), [
    (5, 16.98731, 16.98731 - 1.8e-5, 1e-12), (33, 12.2178, 12.2178 - 9e-5, 1e-12), (2, 20.0, 20.0 - 1e-9, 1e-12),
    (800, 1.0, 0.5, 1e-9),  # some 1e-23: the rarest outcomes are charged in full, and are rarer than any delta that is asked for
    *((200, local, local * ratio, 5e-8) for local in (1e-6, 1e-10, 1e-13) for ratio in (0.1, 0.3, 0.5, 0.9)),
])
def test_clones_are_counted_in_full_and_do_not_cancel(users, local, epsilon, error):
    true = float(exact_delta.shuffled(users, local, epsilon))
    assert clones_delta(local, users, epsilon) == pytest.approx(true, rel=error, abs=1e-41)


def test_rounding_is_within_the_room_that_is_left_for_it():
    """80 crowds up to 400, half of them with an epsilon near the local one: the sum is never below the truth by 5e-8 of it."""
    rng = np.random.default_rng(0)
    for i in range(80):
        users, local = int(10 ** rng.uniform(0.3, 2.6)), float(10 ** rng.uniform(-2.5, 1.2))
        share = 10 ** rng.uniform(-5, -0.2) if i % 2 else 1 - 10 ** rng.uniform(-6, -0.2)
        true = float(exact_delta.shuffled(users, local, local * share))
        assert true <= clones_delta(local, users, local * share) * (1 + 5e-8), (users, local, share)
    assert LOST >= 20 * 5e-8


@pytest.mark.parametrize("local_epsilon", (690.0, 691.0, 700.0, 709.9, 745.0, 746.0, 1e6))
def test_nobody_is_a_clone_at_a_huge_local_epsilon(local_epsilon):
    """From 691 to 745 there was an error about a p that nobody had given."""
    for bound in ("numerical", "closed-form"):
        assert acc.shuffle_epsilon(local_epsilon, 10**6, 1e-6, bound=bound) == local_epsilon
        assert acc.shuffle_epsilon(local_epsilon, 10**6, 1e-6, local_delta=1e-9, bound=bound) == local_epsilon
    assert privatizers.AmplifiedGaussian(100, local_epsilon, 1e-6).unit_std == acc.gaussian_noise_std(local_epsilon, 1e-6, 1.0)


@pytest.mark.parametrize("delta", (1e-300, 1e-296, 1e-37))
def test_a_tiny_delta_is_amplified_or_not_but_never_refused(delta):
    """Shares of delta below 1e-300 were refused as if somebody had given them; and beside 1e-40 the sum says nothing."""
    assert privatizers.AmplifiedGaussian(100, 1.0, delta).unit_std == acc.gaussian_noise_std(1.0, delta, 1.0)
    returning = privatizers.returning.ReturningAmplifiedGaussian(100, 50, 1.0, delta)
    assert returning.unit_std == acc.gaussian_noise_std(1.0, delta, math.sqrt(50))
    assert acc.shuffle_epsilon(0.1, 10**9, delta, bound="closed-form") < 0.01
    assert acc.shuffle_epsilon(0.1, 10**6, delta) <= acc.shuffle_epsilon(0.1, 10**6, delta, bound="closed-form") < 0.1
