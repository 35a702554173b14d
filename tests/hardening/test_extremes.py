"""Calibrations and accounting at the ends of their ranges, by oracles in as many digits as it takes (`make fuzz POINTS=100000`).

A point is an epsilon from 1e-100 to 1e6, a delta from 1e-300 to 1 - 1e-12, and a crowd of up to 1e12. What is calibrated has a true
delta of at most 1 + 1e-9 times the claimed one, or is refused by a ValueError that names an argument; nothing warns.
"""

import inspect
import math
import os
import re
import warnings
from decimal import Decimal

import mpmath as mp
import numpy as np
import pytest

from bandits_dp import accounting as acc
from bandits_dp import privatizers as P
from bandits_dp.noise.exact_counts import UNIT
from bandits_dp.privatizers.domain import BITS
from bandits_dp.privatizers.returning import ReturningAmplifiedGaussian, ReturningLocalGaussian, ReturningVectorSum
from tests import exact_delta
from tests.hardening import only

ROOM = 1e-9  # relative, by which a true delta may exceed the claimed one
POINTS = int(os.environ.get("POINTS", "2000"))
SEED = int(os.environ.get("SEED", "1"))
CORNERS = [(e, d) for e in (1e-100, 1e-14, 1.0, 36.0, 37.0, 690.5, 691.0, 709.9, 745.5, 1023.9, 1024.1, 1e6)
           for d in (1e-300, 1e-290, 1e-16, 0.5, 1 - 1e-12)]
CASES = {}  # by name: its share of the points, and the function


def case(share):
    return lambda function: CASES.setdefault(function.__name__, (share, function))[1]


def within(true, claimed):
    true = mp.mpf(str(true)) if isinstance(true, Decimal) else true
    assert true <= mp.mpf(claimed) * (1 + ROOM), (true / mp.mpf(claimed), claimed)


def shift_of(rng):
    return int(10 ** rng.uniform(0, 1.5))


# Gaussian and Laplace noise
@case(12)
def gaussian_noise_std(e, d, n, rng):
    """Enough for the very sensitivity: a product is rounded by 1e-16 of the noise, which is 4e-3 of delta at epsilon = 1e24."""
    e, sensitivity = 10 ** rng.uniform(6, 100) if rng.random() < 0.2 else e, 10 ** rng.uniform(-3, 3)
    std = acc.gaussian_noise_std(e, d, sensitivity)
    assert exact_delta.gaussian(std, e, sensitivity) <= d
    assert exact_delta.gaussian(std * (1 - (1e-11 if e > 1e6 else 1e-7)), e, sensitivity) > d or d > 0.99


@case(4)
def gaussian_sums(e, d, n, rng):
    """The true diameter, which is no float, and all batches of a user."""
    dimension, batches, side = int(rng.integers(1, 30)), int(10 ** rng.uniform(0, 6)), 10 ** rng.uniform(-3, 3)
    domain = P.Box(dimension, 0.0, side)
    for privatizer, times in ((P.CentralGaussian(n, e, d, domain=domain), 1), (P.LocalGaussian(n, e, d, domain=domain), 1),
                              (ReturningLocalGaussian(n, batches, e, d, domain=domain), batches)):
        within(exact_delta.gaussian(privatizer.unit_std, e, mp.sqrt(dimension * times) * side), d)
    assert n > 100 or np.isfinite(released(privatizer, n, rng)).all()


def released(privatizer, n, rng):
    """What a small crowd gets, if its sums fit into doubles beside so little noise; ``privatizer`` may be of any law."""
    try:
        return privatizer.release(np.full((n, privatizer.dimension), privatizer.domain.low), rng)
    except ValueError as error:
        assert re.match("(users must be so few|epsilon must be so large)", str(error)), error
        return np.zeros(1)


@case(8)
def laplace_noise(e, d, n, rng):
    allowed, sensitivity = d if rng.random() < 0.8 else 0.0, 10 ** rng.uniform(-3, 3)
    scale = acc.laplace_scale(e, allowed, sensitivity)
    assert exact_delta.laplace(scale, e, sensitivity) <= allowed
    for kind in (P.CentralLaplace, P.LocalLaplace):
        privatizer = kind(n, e, allowed, domain=P.Box(1, 0.0, sensitivity))
        assert exact_delta.laplace(privatizer.scale, e, sensitivity) <= allowed
        assert n > 100 or np.isfinite(released(privatizer, n, rng)).all()
        whole = kind(n, e, allowed, domain=P.Box(3, 0.0, sensitivity))  # for which a delta is of no use
        assert exact_delta.laplace(whole.scale, e, 3 * sensitivity) == 0


# Bits
@case(10)
def randomized_response(e, d, n, rng):
    privatizer = P.RandomizedResponse(n, e, d)
    assert exact_delta.randomized_response(privatizer.truth, e) <= d
    assert np.isfinite([privatizer.noise_std, privatizer.span]).all()


def true_delta(bits, users, e, d, shift):
    """Of pairs of bits, as far as they are few enough: with logarithms, or as sums of floats, which do for usual numbers."""
    number = users * bits.rare
    if number * bits.p < 40:
        return exact_delta.log_divergence(exact_delta.pairs_logs(number, bits.p), e, shift)
    usual = number * bits.p < 1e5 and e < 30 and d > 1e-30
    return exact_delta.divergence(exact_delta.pairs(number, bits.p), e, shift) if usual else 0.0


@case(0.5)
def shuffled_sums(e, d, n, rng):
    kind, more = ((P.BinarySum, {}), (P.ScalarSum, {"levels": shift_of(rng)}))[int(rng.integers(2))]
    privatizer = kind(n, e, d, honest_fraction=rng.choice([1.0, 0.5]), **more)
    within(true_delta(privatizer.noise_bits, privatizer.honest, e, d, privatizer.levels), d)
    assert n > 20 or privatizer.bits_per_user > 1e5 or np.isfinite(released(privatizer, n, rng)).all()


@case(1)
def binomial_trials(e, d, n, rng):
    shift, p = shift_of(rng), float(rng.choice([0.5, 0.25, 0.01]))
    trials = acc.binomial_trials(e, d, shift, p)
    if trials < 10**9:
        logs = exact_delta.binomial_logs(trials, p)
        within(max(exact_delta.log_divergence(logs, e, shift), exact_delta.log_divergence(logs[::-1], e, shift)), d)


@case(0.05)
def vector_sums(e, d, n, rng):
    """A move of one coordinate by all its levels, which is allowed, and of two by one each."""
    kind = P.VectorSum if rng.random() < 0.5 else lambda *args, **more: ReturningVectorSum(args[0], 2, *args[1:], **more)
    privatizer = kind(n, e, d, domain=P.Box(2, -1.0, 1.0), levels=int(rng.integers(1, 9)))
    bits = privatizer.noise_bits
    within(true_delta(bits, n, e, d, privatizer.levels), d)
    if n * bits.rare * bits.p < 1e4 and d > 1e-12 and e < 30:
        within(exact_delta.product(exact_delta.pairs(n * bits.rare, bits.p), e, [1, 1]), d)


# Integers
@case(8)
def discrete_laplace_noise(e, d, n, rng):
    allowed, shift = d if rng.random() < 0.8 else 0.0, shift_of(rng)
    scale = acc.discrete_laplace_scale(e, allowed, shift)
    within(exact_delta.discrete_laplace(scale, e, shift), max(allowed, 1e-320))
    privatizer = P.DiscreteLaplaceSum(n, e, allowed, domain=BITS if rng.random() < 0.5 else P.Box(1))
    if privatizer.levels < 100:
        scale = Decimal(UNIT) / privatizer._rate
        within(exact_delta.discrete_laplace(scale, e, privatizer.levels), max(allowed, 1e-320))
    assert n > 20 or privatizer.scale > 1e5 or np.isfinite(released(privatizer, n, rng)).all()


@case(0.25)
def skellam_noise(e, d, n, rng):
    shift = shift_of(rng)
    variance = acc.skellam_variance(e, d, shift, str(rng.choice(["exact", "renyi"])))
    if variance < 1e6:
        within(exact_delta.skellam_tails(variance, e, shift), d)
    privatizer = P.SkellamSum(n, e, d)
    assert privatizer.variance >= acc.skellam_variance(e, d, 1)
    assert n > 20 or privatizer.variance > 1e4 or np.isfinite(released(privatizer, n, rng)).all()


# Shuffled Gaussian messages
@case(0.1)
def amplified_noise(e, d, n, rng):
    """Amplified or not; of crowds that are small enough, by the clones in 60 digits."""
    n = n if rng.random() < 0.5 else int(rng.integers(1, 13))
    privatizer = P.AmplifiedGaussian(n, e, d)
    if privatizer.unit_std < acc.gaussian_noise_std(e, d, 1.0) and n < 13 and 2 * math.log(n) > e:
        within(exact_delta.shuffled_gaussian(privatizer.unit_std, n, e), d * 1.001)  # whose search is to three digits
    elif privatizer.unit_std == acc.gaussian_noise_std(e, d, 1.0):
        within(exact_delta.gaussian(privatizer.unit_std, e), d)
    assert n > 20 or np.isfinite(released(privatizer, n, rng)).all()
    batches = int(rng.integers(1, 50))
    returning = ReturningAmplifiedGaussian(min(n, 10**5), batches, e, d)
    assert returning.unit_std <= acc.gaussian_noise_std(e, d, math.sqrt(batches))


# Deltas
@case(12)
def gaussian_delta(e, d, n, rng):
    e, sensitivity = 10 ** rng.uniform(-100, 100) if rng.random() < 0.5 else e, 10 ** rng.uniform(-3, 3)
    gap = rng.uniform(-6, 37)
    std = sensitivity * ((gap + math.hypot(gap, math.sqrt(2 * e))) / (2 * e) if rng.random() < 0.6 else 10 ** rng.uniform(-90, 90))
    found, true = acc.gaussian_delta(std, e, sensitivity), exact_delta.gaussian(std, e, sensitivity)
    assert abs(found - true) <= 1e-12 * true + 1e-300, (found, true)
    falls(lambda e: acc.gaussian_delta(std, e, sensitivity), e)
    falls(lambda std: acc.gaussian_delta(std, e, sensitivity), std)


def falls(delta, argument):
    """A delta is in [0, 1], and falls in an argument, but for rounding."""
    near, more = delta(argument), delta(argument * 1.1)
    assert 0 <= more <= near * (1 + ROOM) <= 1 + ROOM, (near, more)


@case(10)
def laplace_delta(e, d, n, rng):
    sensitivity = 10 ** rng.uniform(-3, 3)
    scale = sensitivity / e * (1 - 10 ** rng.uniform(-16, 0) if rng.random() < 0.7 else 10 ** rng.uniform(-50, 50))
    found, true = acc.laplace_delta(scale, e, sensitivity), float(exact_delta.laplace(scale, e, sensitivity))
    assert abs(found - true) <= 1e-14 * true + 1e-300, (scale, found, true)
    falls(lambda e: acc.laplace_delta(scale, e, sensitivity), e)
    falls(lambda scale: acc.laplace_delta(scale, e, sensitivity), scale)


@case(6)
def discrete_laplace_delta(e, d, n, rng):
    shift = shift_of(rng)
    scale = shift / e * (1 - 10 ** rng.uniform(-16, 0) if rng.random() < 0.7 else 10 ** rng.uniform(-50, 50))
    found, true = acc.discrete_laplace_delta(scale, e, shift), float(exact_delta.discrete_laplace(scale, e, shift))
    assert abs(found - true) <= 1e-13 * true + 1e-300, (scale, shift, found, true)
    huge = shift * int(10 ** rng.uniform(0, 28))
    falls(lambda e: acc.discrete_laplace_delta(scale, e, huge), e)
    falls(lambda scale: acc.discrete_laplace_delta(scale, e, huge), scale)


@case(2)
def binomial_delta(e, d, n, rng):
    trials, shift, p = int(10 ** rng.uniform(0, 2)), shift_of(rng), rng.choice([rng.random(), 10 ** rng.uniform(-300, 0), 0.5])
    p = min(float(p), 1 - 2**-53)
    found = acc.binomial_delta(trials, e, shift, p)
    assert abs(found - exact_delta.counted(trials, p, e, shift)) <= 1e-9 * found + 1e-300, (trials, shift, p)
    large = int(10 ** rng.uniform(2, 30))
    falls(lambda e: acc.binomial_delta(large, e, shift, min(0.5, 1e4 / large)), e)


@case(1)
def skellam_delta(e, d, n, rng):
    variance, shift = 10 ** (rng.uniform(-300, 0) if rng.random() < 0.3 else rng.uniform(-3, 5)), shift_of(rng)
    true, found = exact_delta.skellam_tails(variance, e, shift), acc.skellam_delta(variance, e, shift)
    assert true * (1 - ROOM) - 1e-255 <= found and (e > 100 or found <= true * (1 + ROOM) + 1e-255), (variance, shift, found, true)
    falls(lambda e: acc.skellam_delta(variance, e, shift), e)


@case(0.3)
def binomial_vector_epsilon(e, d, n, rng):
    trials, dimension, norm = int(10 ** rng.uniform(0, 5)), int(10 ** rng.uniform(0, 4)), 10 ** rng.uniform(-6, 3)
    most = int(10 ** rng.uniform(0, 30))
    epsilon = acc.binomial_vector_epsilon(trials, d, norm, most, dimension)
    assert epsilon > 0 and epsilon <= acc.binomial_vector_epsilon(trials, d, norm * 1.1, most, dimension) * (1 + 2e-6)
    if epsilon < 500 and norm >= 1:
        within(exact_delta.log_divergence(exact_delta.binomial_logs(trials, 0.5), epsilon, min(int(norm), most)), d)


# Composition
@case(4)
def simple_compositions(e, d, n, rng):
    k, slack = int(10 ** rng.uniform(0, 30)), 10 ** rng.uniform(-300, 0)
    assert acc.basic_composition(e, d, k) == (k * e, min(k * d, 1.0))
    total, both = acc.advanced_composition(e, d, k, slack)
    with mp.workdps(60):
        true = mp.sqrt(2 * k * mp.log(1 / mp.mpf(slack))) * mp.mpf(e) + k * mp.mpf(e) * mp.expm1(mp.mpf(e))
    assert abs(total / true - 1) < 1e-12 and both == min(k * d + slack, 1.0)


@case(4)
def gaussian_composition(e, d, n, rng):
    ratios = 10 ** rng.uniform(-95, 95, 5)
    one = acc.gaussian_composition((1 / ratios).tolist(), [1.0] * 5)
    assert abs(one * mp.sqrt(mp.fsum(mp.mpf(r) ** 2 for r in ratios)) - 1) < 1e-12
    std = acc.classical_gaussian_noise_std(e, d, 1.0, strict=False)
    assert abs(mp.mpf(std) * e / mp.sqrt(2 * mp.log(1.25 / mp.mpf(d))) - 1) < 1e-12


@case(4)
def zcdp_epsilon(e, d, n, rng):
    rho = 10 ** rng.uniform(*((-280, 99), (-6, 3))[int(rng.integers(2))])
    epsilon = acc.zcdp_epsilon(rho, d)
    assert 0 <= epsilon <= (rho + 2 * mp.sqrt(rho * mp.log(1 / mp.mpf(d)))) * (1 + 1e-9)
    if epsilon > 0:
        within(exact_delta.gaussian(math.sqrt(1 / (2 * rho)), epsilon), d)
    assert epsilon <= acc.zcdp_epsilon(rho * 1.01, d) * (1 + 1e-9) + 1e-15


@case(1)
def optimal_composition(e, d, n, rng):
    k, slack = int(10 ** rng.uniform(0, 1.6)), 10 ** rng.uniform(*((-280, 0), (-12, 0))[int(rng.integers(2))])
    total, both = acc.optimal_composition(e, d, k, slack)
    assert 0 <= total <= k * e * (1 + 1e-15)
    assert (slack + d) * (1 - 1e-9) - slack * d <= both <= min(1.0, (slack + k * d) * (1 + 1e-9))
    within(exact_delta.answers(k, e, total), slack)
    many = int(10 ** rng.uniform(1, 9))
    found, less = (acc.optimal_composition(e, d, many, s)[0] for s in (slack, slack / 2))
    assert found <= less * (1 + ROOM) and found <= many * e * (1 + 1e-15)


@case(1)
def shuffle_epsilon(e, d, n, rng):
    local_delta, crowd = float(d * 10 ** rng.uniform(-20, 0) if rng.random() < 0.3 else 0.0), int(rng.integers(1, 13))
    local_delta = local_delta if local_delta > 1e-299 else 0.0
    epsilon = acc.shuffle_epsilon(e, crowd, d, local_delta)
    assert 0 < epsilon <= e
    if epsilon < e:
        price = crowd * local_delta * (1 + mp.exp(-mp.mpf(e)) / 2) * (mp.exp(mp.mpf(epsilon)) + 1)
        within(exact_delta.shuffled(crowd, e, epsilon) + price, d)
    closed = acc.shuffle_epsilon(e, n, d, local_delta, bound="closed-form")
    assert 0 < closed <= e
    if n * math.exp(-e) < 1e5:
        assert acc.shuffle_epsilon(e, n, d, local_delta) <= closed * (1 + 1e-6)


# Regression
@case(3)
def parameter_shifts(e, d, n, rng):
    x, rounds = rng.normal(size=int(rng.integers(1, 5))), int(10 ** rng.uniform(0, 3))
    x *= 10 ** rng.uniform(-140, 90) / np.linalg.norm(x)
    ridge = 10 ** rng.uniform(-12, 12) * rounds * float(x @ x)
    found = acc.parameter_shifts(np.repeat(x[None], rounds, axis=0), ridge, 0, 1.0)[-1]
    assert np.abs(found / x * (ridge + rounds * float(x @ x)) - 1).max() < 1e-6


@case(2)
def laplace_sums_epsilon(e, d, n, rng):
    unit, releases = 10 ** rng.uniform(-100, 90), int(10 ** rng.uniform(0, 2))
    shifts, scales = 10 ** rng.uniform(-3, 3, (releases, 2)) * unit, 10 ** rng.uniform(-3, 3, (releases, 3)) * unit
    low, high = acc.laplace_sums_epsilon(shifts, scales, d)
    assert 0 <= low <= high and high < math.inf
    low, high = acc.laplace_sums_epsilon(shifts[:1, :1], scales[:1, :1], d)
    exact = max(0.0, float(mp.mpf(shifts[0, 0]) / mp.mpf(scales[0, 0]) + 2 * mp.log(1 - mp.mpf(d))))
    assert low <= exact * (1 + ROOM) + 1e-14 and exact <= high * (1 + ROOM)


# All of it
def drawn(name, points):
    """Yield points: corners first, then whole ranges, what is usual, and the ends of delta, by turns."""
    rng = np.random.default_rng([SEED, *name.encode()])
    corners = [CORNERS[i] for i in rng.permutation(len(CORNERS))]
    for i in range(points):
        e = 10 ** rng.uniform(*((-100, 6), (-3, 2), (-14, 3), (1, 6))[i % 4])
        d = 10 ** rng.uniform(*((-300, 0), (-15, -0.01), (-40, 0))[i % 3]) if i % 5 else 1 - 10 ** rng.uniform(-12, 0)
        e, d = corners[i // 2] if i % 2 and i // 2 < len(corners) and i < points / 2 else (float(e), float(min(d, 1 - 1e-12)))
        yield e, d, int(10 ** rng.uniform(0, 12)), rng


def names_of(function):
    """Names of arguments that what a case calls may have."""
    called = set(re.findall(r"(?:acc|P)\.(\w+)|(Returning\w+)", inspect.getsource(function)))
    spaces = {**globals(), **vars(P), **vars(acc)}
    return {parameter for pair in called for name in pair if callable(spaces.get(name)) and spaces[name] is not function
            for parameter in inspect.signature(spaces[name]).parameters} | {"users", "batches"}


@pytest.mark.parametrize("name", only(CASES))
def test_extremes_are_right_or_refused(name, record_property):
    share, function = CASES[name]
    points = max(1, round(POINTS * share / sum(share for share, _ in CASES.values())))
    names, refused = "|".join(names_of(function)), 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for e, d, n, rng in drawn(name, points):
            state = rng.bit_generator.state
            try:
                function(e, d, n, rng)
            except ValueError as error:
                assert re.match(rf"({names})\b", str(error)), f"{name}{e, d, n}: {error!r}"
                refused += 1
            except Exception as error:
                raise AssertionError(f"{name}{e, d, n} with {state['state']}: {error!r}") from error
    record_property("points", points)
    record_property("refused", refused)
    print(f"{name}: {points} points, {refused} refused")


def test_every_function_of_accounting_is_tried():
    source = inspect.getsource(inspect.getmodule(case))
    assert all(f"acc.{name}(" in source for name in acc.__all__ if name not in CASES)
