"""Exact noise: laws of the samplers, the grid that values and noise are on, and the promise for every bit of a release."""

import math
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy import stats

import bandits_dp as bdp
from bandits_dp import continual as C
from bandits_dp import privatizers as P
from bandits_dp.accounting import gaussian_noise_std, laplace_scale
from bandits_dp.contextual.curator import Curator, solution
from bandits_dp.contextual.dynamic import DynamicGaussian
from bandits_dp.continual.factorization import FEW, WIDE, _factors, later_part, next_part, rounded
from bandits_dp.noise import exact
from bandits_dp.noise.exact import Coins
from bandits_dp.noise.grid import Grid
from bandits_dp.privatizers.domain import domain_grid
from bandits_dp.privatizers.linear_gaussian import PublishedLocalGaussian
from bandits_dp.privatizers.returning import ReturningAmplifiedGaussian, ReturningLocalGaussian
from tests import exact_delta
from tests.noise_checks import chi_square
from tests.test_continual import KINDS

DRAWS = 40_000
FALSE_ALARM = 1e-7  # of each statistical test here, with fixed seeds


@pytest.mark.parametrize("close", [None, 0.02])
@pytest.mark.parametrize("scale", [1, 2, 5])
@pytest.mark.parametrize("law", ["laplace", "gaussian"])
def test_arrays_have_the_discrete_law(law: str, scale: int, close: float | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where many more coins than needed are decided by more digits, which do not change the law."""
    if close:
        monkeypatch.setattr(exact, "CLOSE", close)
        monkeypatch.setattr(exact, "CLOSE_LOG", close)
    drawn = getattr(Coins(np.random.default_rng(scale)), law)(scale, 4000 if close else 10 * DRAWS)
    x = np.arange(-100, 101)
    weights = np.exp(-np.abs(x) / scale) if law == "laplace" else np.exp(-(x**2) / (2 * scale**2))
    assert chi_square(np.bincount(drawn + 100, minlength=201), len(drawn) * weights / weights.sum(), 20) > FALSE_ALARM


@pytest.mark.parametrize("law", ["laplace", "gaussian"])
def test_arrays_of_fine_steps_have_the_law_of_a_density(law: str) -> None:
    drawn, scale = getattr(Coins(np.random.default_rng(1)), law)(2**45 + 1, 10 * DRAWS), 2.0**45
    assert stats.kstest(drawn / scale, stats.norm.cdf if law == "gaussian" else stats.laplace.cdf).pvalue > FALSE_ALARM
    for bit in range(12):
        assert stats.binomtest(int((drawn >> bit & 1).sum()), len(drawn)).pvalue > FALSE_ALARM


@pytest.mark.parametrize("law", ["laplace", "gaussian"])
def test_noise_that_is_ready_is_what_a_generator_draws_and_is_used_once(law: str) -> None:
    """Rows that four threads take are different rows of what the same bits make at once; larger arrays are drawn as they are."""
    ours, size = exact.Unseeded(), 20
    seeded = np.random.Generator(np.random.PCG64())
    seeded.bit_generator.state = ours.bit_generator.state
    rows = exact.AHEAD // size
    expected = getattr(Coins(seeded), law)(2**40, rows * size).reshape(rows, size).tolist()
    taken = [getattr(Coins(ours), law)(2**40, size).tolist() for _ in range(rows)]
    assert sorted(taken) == sorted(expected) and not ours.ready[law, 2**40, size]
    with ThreadPoolExecutor(4) as threads:
        many = list(threads.map(lambda _: tuple(getattr(Coins(ours), law)(2**40, size).tolist()), range(2000)))
    assert len(set(many)) == 2000
    assert getattr(Coins(ours), law)(5, exact.AHEAD + 1).shape == (exact.AHEAD + 1,) and (law, 5, exact.AHEAD + 1) not in ours.ready
    for scale in range(1, exact.KINDS + 3):
        getattr(Coins(ours), law)(scale, 1)
    assert len(ours.ready) <= exact.KINDS + 1


def test_a_close_coin_is_decided_by_more_bits() -> None:
    """The first 53 bits are those of exp(-1/3): what comes after them decides, in both directions, and not the rounded value."""
    coins = Coins(np.random.default_rng(1))
    with mpmath.workdps(40):
        chance = mpmath.exp(mpmath.mpf(-1) / 3) * 2**exact.BITS
        first = int(mpmath.floor(chance))
        rest = float(chance - first)
    heads = sum(coins._less(first, 1, 3) for _ in range(2000))
    assert stats.binomtest(heads, 2000, rest).pvalue > FALSE_ALARM
    assert coins._less(first - 1, 1, 3) and not coins._less(first + 1, 1, 3)


def test_numbers_longer_than_a_word_are_uniform() -> None:
    coins, n = Coins(np.random.default_rng(1)), 10**40
    assert stats.kstest([coins.below(n) / n for _ in range(DRAWS)], "uniform").pvalue > FALSE_ALARM


def discrete_law(size: int, reach: int = 14) -> dict[int, mpmath.mpf]:
    weights = {x: mpmath.exp(-mpmath.mpf(x * x) / (2 * size * size)) for x in range(-reach * size, reach * size + 1)}
    total = mpmath.fsum(weights.values())
    return {x: weight / total for x, weight in weights.items()}


@pytest.mark.parametrize("size", [5, 9, 12])
def test_discrete_gaussians_are_as_private_as_a_density_one_step_narrower(size: int) -> None:
    """Hockey-stick divergences, exactly summed, in one dimension and in two."""
    with mpmath.workdps(60):
        law = discrete_law(size)
        for shift in (1, 2, 7, 3 * size):
            for epsilon in (0.01, 0.3, 1.0, 4.0, 12.0):
                factor = mpmath.exp(epsilon)
                found = mpmath.fsum(max(p - factor * law[x - shift], 0) for x, p in law.items() if x - shift in law)
                assert found <= exact_delta.gaussian(math.sqrt(size**2 - 9), epsilon, shift)
                assert found <= exact_delta.gaussian(size - 1, epsilon, shift)
    one = np.array([float(p) for p in law.values()])
    for a, b in ((1, 1), (2, 5), (size, 2 * size)):
        first, second = (np.pad(one, (0, move)) for move in (a, b))
        moved = np.outer(np.pad(one, (a, 0)), np.pad(one, (b, 0)))
        for epsilon in (0.1, 1.0, 3.0):
            found = np.maximum(np.outer(first, second) - math.exp(epsilon) * moved, 0).sum()
            assert found <= float(exact_delta.gaussian(size - 1, epsilon, math.hypot(a, b))) + 1e-13


def test_discrete_laplace_noise_uses_delta_as_a_density_does() -> None:
    """One number, k steps apart, with a scale that is one step more than a density needs: exact sums against the profile."""
    for t in (2, 3, 10, 40, 200):
        for k in (1, 2, 5, 3 * t):
            x = np.arange(-60 * t, 60 * t + k + 1)
            p, moved = (math.tanh(0.5 / t) * np.exp(-abs(x - a) / t) for a in (0, k))
            for share in (0.0, 0.1, 0.5, 0.9, 0.99):
                epsilon = share * k / (t - 1)
                found = np.maximum(p - math.exp(epsilon) * moved, 0).sum()
                assert found <= -math.expm1((epsilon - k / (t - 1)) / 2) + 1e-14


def test_the_grid_keeps_the_promise_at_thousands_of_points() -> None:
    """By fractions: integers as far apart as rounding allows, over the integer scale, are no worse than what was proved."""
    rng, worst = np.random.default_rng(0), 0.0
    for _ in range(4000):
        epsilon, delta = 10 ** rng.uniform(-4, 1.7), 10 ** rng.uniform(-15, -0.5)
        d, users, norm = int(rng.integers(1, 31)), int(10 ** rng.uniform(0, 12)), 10 ** rng.uniform(-6, 6)
        law = str(rng.choice(["gaussian", "laplace"]))
        box = rng.random() < 0.5
        domain = P.Box(d, 0.0, norm) if box else P.Ball(d, norm)
        if law == "gaussian":
            distance, root = domain.l2_diameter, Fraction(math.sqrt(d)) * (1 + Fraction(1, 10**15))
            scale = gaussian_noise_std(epsilon, delta, distance)
        else:
            distance, root = domain.l1_diameter, Fraction(d)
            scale = laplace_scale(epsilon, 0.0, distance)
        try:
            by = domain_grid(law, scale, domain, users)
        except ValueError as refused:
            assert "users must be so few" in str(refused) and users * norm > scale * 2.0**37
            continue
        step, size = Fraction(by.step), math.ceil(by.scale) + 1
        apart = Fraction(distance) * (1 if box else 1 + Fraction(1, 10**9)) / step + root
        less = 1 if law == "gaussian" else 0  # what the proof takes off the parameter
        assert apart / (size - less) <= Fraction(distance) / Fraction(scale)
        if law == "gaussian":
            assert (size - 1) ** 2 <= size**2 - 9
        assert math.log2(by.step).is_integer() and users * norm <= by.step * 2.0**52
        if users < 1e5 and epsilon > 1e-3:
            worst = max(worst, size * by.step / scale - 1)
    assert worst < 1e-7  # widths use the std of the density


PAIR = P.Box(2, -1.0, 1.0)
STATISTICS = P.LinearStatistics(2)
MECHANISMS = {  # of one user; by name, the law of one coordinate's noise
    "LocalGaussian": lambda: P.LocalGaussian(1, 1.0, 1e-6),
    "LocalGaussian, statistics": lambda: P.LocalGaussian(1, 1.0, 1e-6, domain=STATISTICS),
    "CentralGaussian": lambda: P.CentralGaussian(1, 1.0, 1e-6, domain=PAIR),
    "CentralGaussian, theorem": lambda: P.CentralGaussian(1, 0.5, 1e-6, "theorem", domain=P.Ball(3)),
    "PublishedLocalGaussian": lambda: PublishedLocalGaussian(1, 1.0, 1e-6, STATISTICS),
    "ReturningLocalGaussian": lambda: ReturningLocalGaussian(1, 4, 1.0, 1e-6),
    "ReturningAmplifiedGaussian": lambda: ReturningAmplifiedGaussian(1, 4, 1.0, 1e-6),
    "AmplifiedGaussian": lambda: P.AmplifiedGaussian(1, 1.0, 1e-6),
    "LocalLaplace": lambda: P.LocalLaplace(1, 1.0, domain=PAIR),
    "CentralLaplace": lambda: P.CentralLaplace(1, 1.0),
}


def two_values(domain: P.Domain) -> np.ndarray:
    if isinstance(domain, P.LinearStatistics):
        return domain.encode([[0.6, 0.8], [1 / 3, -0.7]], [1.0, -1 / 7])
    return np.stack([np.full(domain.dimension, domain.low / math.sqrt(domain.dimension)), np.full(domain.dimension, 1 / 3)])


def assert_on_one_grid(outputs: np.ndarray, by: Grid) -> None:
    """What one value gives is in whole steps, as what its neighbour gives, so that nothing is possible for one of them only."""
    steps = outputs / by.step
    assert (steps == np.rint(steps)).all()
    assert np.ptp(steps, axis=0).min() > 2.0**36


@pytest.mark.parametrize("name", MECHANISMS)
def test_no_output_is_impossible_under_the_neighbour(name: str) -> None:
    """10,000 outputs of either value are on one grid, and around the value they have the law of the density."""
    p, rng = MECHANISMS[name](), np.random.default_rng(2)
    std = p.unit_std if p.gaussian else p.scale
    for value in two_values(p.domain):
        values = np.tile(value, (10_000 // p.dimension, 1))
        if p.model == "central":
            sent = p.send(values, rng)
            assert (abs(sent - values) <= p.grid.step / 2).all()
            released = p.receive(sent, rng)  # which adds noise to each row
        else:
            released = p.randomize(values, rng)
        assert_on_one_grid(released, p.grid)
        noise = ((released - value) / std).ravel()
        assert stats.kstest(noise, stats.norm.cdf if p.gaussian else stats.laplace.cdf).pvalue > FALSE_ALARM


@pytest.mark.parametrize(("kind", "noise"), KINDS)
def test_no_running_sum_is_impossible_under_the_neighbour(kind: type[C.Counter], noise: str) -> None:
    """The first release, from whole numbers for either value; around it, it has the law of the density."""
    counter, rng = kind(100, 1.0, 1e-6, P.Box(500), noise=noise), np.random.default_rng(3)
    law = stats.norm.cdf if noise == "gaussian" else stats.laplace.cdf
    scale = counter.noise_std / (1 if noise == "gaussian" else math.sqrt(2))
    for value in (0.0, 1 / 3):
        outputs = []
        for _ in range(8):
            counter.reset()
            outputs.append(counter.add(np.full(500, value), rng))
        assert_on_one_grid(np.concatenate(outputs)[:, None], counter.grid)
        assert stats.kstest((np.concatenate(outputs) - value) / scale, law).pvalue > FALSE_ALARM


@pytest.mark.parametrize("make", [lambda n: P.CentralGaussian(n, 1.0, 1e-6), lambda n: P.AmplifiedGaussian(n, 1.0, 1e-6)])
def test_sums_do_not_tell_the_order(make: object) -> None:
    p, rng = make(5000), np.random.default_rng(5)
    sent = p.send(rng.random((5000, 1)), rng)
    total = sum(Fraction(number) for number in sent[:, 0].tolist())
    for _ in range(3):
        assert Fraction(float(rng.permutation(sent).cumsum()[-1])) == total


@pytest.mark.parametrize("n", [1, 2, FEW, 512, WIDE, 2 * WIDE])
def test_convolutions_are_exact(n: int) -> None:
    """Of numbers of 46 and of 90 bits, and the largest of 47, against Python's integers; a half is rounded up."""
    rng, f = np.random.default_rng(n), _factors(2 * n).astype(object)
    few = rng.integers(-(2**45), 2**45, (n, 2))
    for x in (few, few.astype(object) * 2**45 + 1, few * 0, few * 0 + 2**47 - 1, few * 0 + 1 - 2**47):
        x[-1] = 0
        made = later_part(x)
        for i, limbs in [(i, made[:, i]) for i in {0, n // 2, n - 1}] + [(0, next_part(x))] * (n <= FEW):
            exact = f[i + 1 : i + n + 1][::-1] @ x
            first, second, third = limbs.astype(object)
            assert (first + (second << 32) + (third << 64) == exact).all() and limbs.dtype == x.dtype
            assert (rounded(limbs) == (exact + 2**51) // 2**52).all()


def test_a_factorization_adds_noise_to_whole_numbers_that_are_near_what_they_stand_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Entries of C x, without noise: integers half a step, and what 52 bits of coefficients make, from the exact fraction."""
    monkeypatch.setattr(Grid, "noise", lambda self, shape, rng, factor=1.0: np.zeros(shape, dtype=np.int64))
    counter, rng = C.FactorizationCounter(200, 1.0, 1e-6), np.random.default_rng(6)
    values = counter.grid.near(rng.random(200))
    for value in values.tolist():
        counter.add(value, rng)
    f = [Fraction(math.comb(2 * k, k), 4**k) for k in range(200)]
    step = Fraction(counter.grid.step)
    for t in (0, 1, 63, 64, 150, 199):
        exact_entry = sum(f[t - s] * Fraction(values[s]) for s in range(t + 1))
        assert abs(int(counter._rows[t, 1]) * step - exact_entry) <= step * Fraction(51, 100)


def test_exact_solutions() -> None:
    rng = np.random.default_rng(7)
    for d in (1, 2, 7):
        A = rng.integers(-(10**6), 10**6, (d, d)).astype(object) * 10**20
        A, b = A @ A.T + np.eye(d, dtype=object), rng.integers(-(10**9), 10**9, d).astype(object)
        numerators, determinant = solution(A, b)
        assert (A @ np.array(numerators, dtype=object) == determinant * b).all() and determinant > 0


def least_pivot(A: list[list[Fraction]]) -> Fraction:
    """Least pivot of an elimination by fractions: none is negative if, and only if, A is positive semi-definite."""
    least = A[0][0]
    while A:
        pivot, least = A[0][0], min(least, A[0][0])
        if pivot <= 0:
            return least
        A = [[row[j] - row[0] * A[0][j] / pivot for j in range(1, len(row))] for row in A[1:]]
    return least


@pytest.mark.parametrize("ridge", [1.0, 3e-14, 1e-15])
def test_noise_on_parameters_is_for_the_matrix_that_is_inverted(ridge: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """LinUCB-DGS: the least eigenvalue that its noise is made for is no more than that, also where doubles lose the ridge."""
    horizon, factors, factor = 300, [], DynamicGaussian.factor
    curator = Curator(DynamicGaussian(2, horizon, 1.0, 1e-6, 1.0), ridge, P.CentralGaussian(1, 1.0, 1e-6).guarantee, P.Ball(2, 0.5))
    monkeypatch.setattr(DynamicGaussian, "factor", lambda self, *given: factors.append(factor(self, *given)) or factors[-1])
    rng = np.random.default_rng(8)
    for t in range(horizon):
        x = np.array([[0.6, 0.8]]) / (1 + t % 7)
        curator.receive(np.hstack([x * (rng.integers(0, 2) - 0.5), x, x]), rng)
        if t % 60 == 59:
            least, unit = Fraction(curator.eta.scale / float(factors[-1][0])), Fraction(curator.unit) ** 2
            A = [[unit * int(number) for number in row] for row in curator.gram]
            for i in range(2):
                A[i][i] += math.ceil(Fraction(ridge) / unit) * unit - least * (1 - Fraction(1, 10**12))
            assert least_pivot(A) >= 0


def test_parameters_are_on_a_grid_that_the_contexts_choose() -> None:
    """Two runs with the same features and other rewards: the first parameters are multiples of one step, and far apart in steps."""
    problem = bdp.problems.ContextualLinear(2, 3)
    for reward in (0.0, 1.0):
        outputs = []
        for seed in range(50):
            learner = bdp.make("LinUCB-DGS", problem, horizon=50, epsilon=1.0, delta=1e-6)
            learner.update(learner.act(np.array([[0.1, 0.2, 0.3]] * 2)), reward, np.random.default_rng(seed))
            outputs.append(learner.learner.theta)
        steps = np.array(outputs) * 2.0**37  # a multiple of the step is a multiple of this one, or the other way round
        assert (steps == np.rint(steps)).all()
