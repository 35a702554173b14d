"""Continual counters: exact sensitivities and covariances by brute force, one law for add and noise_path."""

import copy
import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from bandits_dp import continual as C
from bandits_dp import privatizers as P
from bandits_dp.accounting import classical_gaussian_noise_std, gaussian_delta, gaussian_noise_std
from bandits_dp.noise.grid import Grid
from bandits_dp.serve import ServedCounter

FALSE_ALARM = 1e-6  # of each statistical test here, with fixed seeds
COUNTERS = (C.NaiveCounter, C.PerStepCounter, C.TwoLevelCounter, C.TreeCounter, C.HybridCounter, C.FactorizationCounter)
KINDS = [(c, n) for c in COUNTERS for n in ("gaussian", "laplace") if n == "gaussian" or c is not C.FactorizationCounter]
MILLION = 10**6


# Every mechanism again, from its published description: which intervals does running sum t add up, and with what noise?


def dyadic(length):
    """Intervals (start, end] of the dyadic decomposition of (0, length], largest first."""
    start = 0
    for level in reversed(range(length.bit_length())):
        if length >> level & 1:
            yield (start, start + 2**level)
            start += 2**level


def decomposition(counter, t, horizon):
    if counter is C.NaiveCounter:
        return [(0, t)]
    if counter is C.PerStepCounter:
        return [(s, s + 1) for s in range(t)]
    if counter is C.TwoLevelCounter:
        b = math.isqrt(horizon)
        full = t // b
        return [(i * b, i * b + b) for i in range(full)] + [(s, s + 1) for s in range(full * b, t)]
    if counter is C.TreeCounter:
        return list(dyadic(t))
    start = 2 ** int(math.log2(t))
    segments = [(0, 1)] + [(2**k, 2 ** (k + 1)) for k in range(int(math.log2(t)))]
    return segments + [(start + a, start + b) for a, b in dyadic(t - start)]


def hybrid_scale(start, end, noise):
    """Noise of an interval: a segment (2^(k-1), 2^k], or a node of the tree inside one."""
    segment = end if end & (end - 1) == 0 else 2 ** math.ceil(math.log2(end))
    h = max(int(math.log2(segment)) - 1, 0)
    is_sum = end == segment and start in (0, segment // 2)
    if noise == "gaussian":
        return math.sqrt(1 + math.sqrt(h)) if is_sum else math.sqrt(h + math.sqrt(h))
    return 1 + h ** (2 / 3) if is_sum else h + h ** (1 / 3)


def matrices(counter, horizon, noise="gaussian"):
    """L, shape (horizon, draws), and R, shape (draws, horizon), with L R = running sums and noise of std 1 on R x."""
    if counter is C.FactorizationCounter:
        f = [float(Fraction(math.comb(2 * k, k), 4**k)) for k in range(horizon)]
        c = np.array([[f[t - s] if t >= s else 0.0 for s in range(horizon)] for t in range(horizon)])
        return c, c
    sums = [decomposition(counter, t, horizon) for t in range(1, horizon + 1)]
    intervals = sorted(set(itertools.chain(*sums)), key=lambda i: (i[1], -i[0]))
    scale = np.array([hybrid_scale(*i, noise) if counter is C.HybridCounter else 1.0 for i in intervals])
    left = np.array([[float(i in used) for i in intervals] for used in sums]) * scale
    right = np.array([[float(a <= s < b) for s in range(horizon)] for a, b in intervals]) / scale[:, None]
    return left, right


class Tape(np.random.Generator):
    """A generator whose draws are the rows of the identity, one after the other, times the scale: it shows the matrix L."""

    def __init__(self, rows, laplace=False):
        super().__init__(np.random.PCG64(0))
        self.rows, self.next, self.factor = rows, 0, math.sqrt(2) if laplace else 1.0

    def normal(self, loc, scale, size):
        count = size[0] if len(size) == 2 else 1
        drawn = np.eye(self.rows)[self.next : self.next + count]
        self.next += count
        return (loc + scale * self.factor * drawn).reshape(size)

    laplace = normal


def noise_of_tape(grid, shape, rng, factor=1.0):
    return np.rint(rng.normal(0.0, grid.scale * factor, shape)).astype(np.int64)


@pytest.mark.parametrize(("kind", "noise"), KINDS)
@pytest.mark.parametrize("horizon", (1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33))
def test_noise_is_the_factorization(kind, noise, horizon, monkeypatch):
    """Exactly: add and noise_path multiply the same draws by L (so sums share noise as described); std is L's row norm."""
    left, right = matrices(kind, horizon, noise)
    assert left @ right == pytest.approx(np.tril(np.ones((horizon, horizon))), abs=1e-12)
    counter = kind(horizon, 1.0, 1e-3, P.Box(horizon), noise=noise)
    expected = counter.noise_std * left
    assert left.shape == (horizon, horizon)  # one draw per round, in the order of the rounds
    assert counter.noise_path(Tape(horizon, noise == "laplace")) == pytest.approx(expected, abs=1e-9)
    for steps in {1, horizon // 2 + 1, horizon}:
        path = counter.noise_path(Tape(horizon, noise == "laplace"), steps)
        assert path == pytest.approx(expected[:steps], abs=1e-9)
    tape = Tape(horizon, noise == "laplace")
    monkeypatch.setattr(Grid, "noise", noise_of_tape)
    added = np.array([counter.add(np.full(horizon, 0.25), tape) for _ in range(horizon)])
    assert added == pytest.approx(expected + 0.25 * np.arange(1, horizon + 1)[:, None], rel=1e-8, abs=1e-8)
    t = np.arange(1, horizon + 1)
    assert counter.error_std(t) == pytest.approx(counter.noise_std * np.linalg.norm(left, axis=1))
    assert float(counter.error_std(horizon)) == pytest.approx(counter.error_std(t)[-1])


@pytest.mark.parametrize(("kind", "noise"), KINDS)
@pytest.mark.parametrize("horizon", (*range(1, 18), 31, 32, 33, 63, 64, 65, 127, 128))
def test_sensitivity_is_the_largest_column_norm(kind, noise, horizon):
    """Brute force over all users; and the noise gives exactly the promised epsilon and delta for it."""
    _, right = matrices(kind, horizon, noise)
    largest = np.linalg.norm(right, ord=2 if noise == "gaussian" else 1, axis=0).max()
    counter = kind(horizon, 0.7, 1e-4, noise=noise)
    assert counter.sensitivity == pytest.approx(largest, rel=1e-12)
    if noise == "gaussian":
        assert gaussian_delta(counter.noise_std, 0.7, largest) == pytest.approx(1e-4, rel=1e-9)
    else:
        assert counter.noise_std == pytest.approx(math.sqrt(2) * largest / 0.7)


@pytest.mark.parametrize(("kind", "noise"), KINDS)
@pytest.mark.parametrize("rounds", (2, 3, 4))
def test_user_level_sensitivity_covers_all_placements(kind, noise, rounds):
    """All sets of M0 rounds for all small horizons: never below the worst, equal to it where the docstring says exact."""
    for horizon in (1, 2, 3, 4, 6, 8, 9, 11, 12):
        _, right = matrices(kind, horizon, noise)
        sets = list(itertools.combinations(range(horizon), min(rounds, horizon)))
        power = 2 if noise == "gaussian" else 1
        worst = max(np.linalg.norm(right[:, list(s)].sum(axis=1), ord=power) for s in sets)
        used = kind(horizon, 1.0, 1e-3, noise=noise, appearances=rounds).sensitivity
        assert used >= worst * (1 - 1e-12)
        assert used <= rounds * kind(horizon, 1.0, 1e-3, noise=noise).sensitivity * (1 + 1e-12)
        if kind is not C.HybridCounter:  # it does not count on a horizon; of the others more appearances than rounds are all rounds
            assert used == kind(horizon, 1.0, 1e-3, noise=noise, appearances=min(rounds, horizon)).sensitivity
        if kind in (C.NaiveCounter, C.PerStepCounter, C.FactorizationCounter):
            assert used == pytest.approx(worst, rel=1e-12)
        elif kind is C.TreeCounter:
            assert used <= (1.12 if power == 2 else 1.34) * worst
        elif kind is C.TwoLevelCounter:
            assert used <= 1.42 * worst


def test_hybrid_needs_no_horizon():
    """Any length costs one user the same: every column of R has norm at most 1, and the first of each segment has 1."""
    counter = C.HybridCounter(None, 1.0, 1e-6, appearances=2)
    assert C.HybridCounter(5, 1.0, 1e-6, appearances=2).noise_std == counter.noise_std == gaussian_noise_std(1.0, 1e-6, 2.0)
    for noise, power in (("gaussian", 2), ("laplace", 1)):
        norms = np.linalg.norm(matrices(C.HybridCounter, 300, noise)[1], ord=power, axis=0)
        assert norms.max() == pytest.approx(1.0)
        assert norms[[0, 1, 2, 4, 8, 16, 32, 64, 128]] == pytest.approx(np.ones(9))
    # The supremum over lengths of two rounds of one user is 2, and it is approached slowly.
    pairs = [np.linalg.norm(matrices(C.HybridCounter, 2**k)[1][:, [2 ** (k - 1), 2 ** (k - 1) + 1]].sum(axis=1)) for k in (4, 6, 8)]
    assert pairs == sorted(pairs) and 1.8 < pairs[-1] < 2
    rng = np.random.default_rng(0)
    total = [counter.add(1.0, rng)[0] for _ in range(5000)][-1]
    assert abs(total - 5000) < 8 * counter.error_std(5000) and counter.steps == 5000
    assert counter.noise_path(rng, 100).shape == (100, 1)
    assert counter.error_std([2**40, 2**40 + 1])[1] > counter.error_std(2**40) > 0
    for kind in COUNTERS:
        if kind is not C.HybridCounter:
            with pytest.raises(ValueError, match="horizon must be an integer that is at least 1, got None"):
                kind(None, 1.0, 1e-6)


def test_factorization_never_has_more_noise_than_the_tree():
    """At its noisiest sum, for any number of rounds and of rounds of one user: so it is the catalogue's counter."""
    for rounds in (*range(1, 66), 127, 128, 129, 1000, 1024, 5000):
        for most in {1, 2, 3, 20, rounds // 2, rounds} & set(range(1, rounds + 1)):
            tree, factorization = (kind(rounds, 1.0, 1e-6, appearances=most).error_std(np.arange(1, rounds + 1)).max()
                                   for kind in (C.TreeCounter, C.FactorizationCounter))
            assert factorization <= tree * (1 + 1e-9)


def test_factorization_halves_the_tree():
    """At T = 1e6 its largest error is below half of the tree's, exactly; and its closed forms hold."""
    tree, factorization = C.TreeCounter(MILLION, 1.0, 1e-6), C.FactorizationCounter(MILLION, 1.0, 1e-6)
    t = np.arange(1, MILLION + 1)
    ratio = factorization.error_std(t).max() / tree.error_std(t).max()
    assert ratio < 0.5
    assert ratio == pytest.approx(0.2803, abs=1e-4)
    squares = factorization.sensitivity**2
    assert squares == pytest.approx((math.log(MILLION) + math.log(16) + np.euler_gamma) / math.pi, abs=1e-5)
    assert factorization.error_std(MILLION) == pytest.approx(factorization.noise_std * math.sqrt(squares))
    k = np.array([1, 10, 1000, MILLION - 1])
    exact = [math.exp(math.lgamma(i + 0.5) - math.lgamma(i + 1)) / math.sqrt(math.pi) for i in k.tolist()]
    assert factorization.coefficients[k] == pytest.approx(np.array(exact), rel=1e-8)


def test_rounding_never_makes_a_factorization_too_quiet():
    """The norm of a column of C is a rational number under a root: what is computed is no less."""
    for rounds in (1, 2, 3, 8):
        squares, coefficient = Fraction(0), Fraction(1)
        for k in range(rounds):
            squares += coefficient**2
            coefficient *= Fraction(2 * k + 1, 2 * k + 2)
        computed = Fraction(C.FactorizationCounter(rounds, 1.0, 1e-6).sensitivity)
        assert squares <= computed**2 <= squares * (1 + Fraction(1, 10**12))


def test_the_norm_of_many_rounds_is_rounded_once():
    """A user's values of all rounds are in T + (T - 1) + ... + 1 sums; a difference of rounded terms would be smaller."""
    rounds = 300_000_007
    counter = C.NaiveCounter(rounds, 1.0, 0.0, noise="laplace", appearances=rounds)
    assert counter.sensitivity == float(rounds * (rounds + 1) // 2)


def test_theorem_calibration_of_the_tree():
    """Per-node split as printed, more noise than certified, a strict range, and user-level noise times M0."""
    tree = C.TreeCounter(1000, 0.5, 1e-4, calibration="theorem")
    node = 0.5 / math.sqrt(8 * 10 * math.log(2 / 1e-4))
    assert tree.noise_std == pytest.approx(classical_gaussian_noise_std(node, 1e-4 / 20, 1.0))
    assert "Shariff & Sheffet 2018" in str(tree.guarantee) and tree.guarantee.proved
    for horizon, epsilon, delta, rounds in itertools.product((1, 2, 1000, 10**6), (1e-3, 0.5, 0.999), (1e-9, 0.1, 0.9), (1, 5)):
        theorem = C.TreeCounter(horizon, epsilon, delta, calibration="theorem", appearances=rounds)
        assert theorem.noise_std > C.TreeCounter(horizon, epsilon, delta, appearances=rounds).noise_std
    assert C.TreeCounter(1000, 0.5, 1e-4, calibration="theorem", appearances=3).noise_std == pytest.approx(3 * tree.noise_std)
    assert "epsilon is 2" in str(C.TreeCounter(1000, 2.0, 1e-4, calibration="theorem", strict=False).guarantee)
    laplace = C.TreeCounter(1000, 2.0, 0.0, P.Box(3), calibration="theorem", noise="laplace", appearances=2)
    assert laplace.noise_std == pytest.approx(math.sqrt(2) * 10 * 2 * 3 / 2.0) and laplace.guarantee.delta == 0


def test_experiment_calibration_of_the_tree():
    tree = C.TreeCounter(20_000, 0.2, 0.1, P.LinearStatistics(5), calibration="experiment")
    assert tree.noise_std == pytest.approx(math.sqrt(math.log(20_000)) * math.log(25) / 0.2)
    assert str(tree.guarantee).startswith("No guarantee (central model, experiment calibration): node noise sqrt(ln T)")


@pytest.mark.parametrize("kind", COUNTERS)
def test_past_the_horizon(kind):
    counter = kind(3, 1.0, 1e-3)
    rng = np.random.default_rng(0)
    for _ in range(3):
        counter.add(1.0, rng)
    for _ in range(2):
        with pytest.raises(ValueError, match="past the horizon: 3 values are in"):
            counter.add(1.0, rng)
    assert counter.steps == 3 and counter.noise_path(rng).shape == (3, 1)
    counter.reset()
    assert counter.add([1.0], rng).shape == (1,) and counter.steps == 1


def test_diameters_scale_the_noise():
    """l2 diameter for Gaussian noise, l1 for Laplace noise, whatever the domain; clipping is asked for."""
    counter = C.PerStepCounter(3, 1e9, 1e-3, P.Box(2), clip=True)
    assert counter.add([2.0, -1.0], np.random.default_rng(0)) == pytest.approx([1.0, 0.0], abs=1e-3)
    for kind, noise in KINDS:
        unit = kind(20, 1.0, 1e-3, noise=noise, appearances=2)
        for domain in (P.Box(3, -1.0, 4.0), P.Ball(5, 2.0), P.LinearStatistics(3)):
            diameter = domain.l2_diameter if noise == "gaussian" else domain.l1_diameter
            counter = kind(20, 1.0, 1e-3, domain, noise=noise, appearances=2)
            assert counter.noise_std == pytest.approx(diameter * unit.noise_std, rel=1e-9)
            assert counter.sensitivity == pytest.approx(diameter * unit.sensitivity, rel=1e-9)


@pytest.mark.parametrize(("kind", "noise"), KINDS)
def test_a_restored_counter_goes_on_as_if_nothing_had_happened(kind, noise, tmp_path):
    """Save to a file after every number of values, restore into a fresh counter: the same sums from there on."""
    horizon = 21
    for before in range(horizon + 1):
        first, second = (ServedCounter(kind(horizon, 1.0, 1e-3, P.Box(2), noise=noise)) for _ in range(2))
        rng = np.random.default_rng(before)
        for _ in range(before):
            first.add([0.5, 1.0], rng)
        np.savez(tmp_path / "state.npz", **first.save())
        with np.load(tmp_path / "state.npz") as state:  # no pickle
            second.restore(state)
        rngs = copy.deepcopy(rng), copy.deepcopy(rng)
        for _ in range(horizon - before):
            sums = [counter.add([0.25, 0.75], own) for counter, own in zip((first, second), rngs, strict=True)]
            np.testing.assert_array_equal(*sums)
        assert first.counter.steps == second.counter.steps == horizon


@pytest.mark.parametrize(("kind", "noise"), KINDS)
def test_a_state_of_another_counter_or_an_edited_one_is_refused(kind, noise):
    counter, rng = ServedCounter(kind(20, 1.0, 1e-3, noise=noise)), np.random.default_rng(0)
    for _ in range(13):
        counter.add(1.0, rng)
    state = counter.save()
    for plain in (kind(20, 2.0, 1e-3, noise=noise), kind(21, 1.0, 1e-3, noise=noise), kind(20, 1.0, 1e-3, P.Box(2), noise=noise)):
        other = ServedCounter(plain)
        with pytest.raises(ValueError, match=rf"state must come from {kind.__name__}\(horizon=.* got one from"):
            other.restore(state)
        other = other.counter
        assert other.steps == 0 and other.add(np.ones(other.dimension), rng).shape == (other.dimension,)
    for change in ({"steps": np.array(21)}, {"total": np.zeros(3)}, {"extra": np.ones(1)}):
        with pytest.raises(ValueError, match="damaged or edited"):
            counter.restore(state | change)
    for key, value in state.items():
        np.testing.assert_array_equal(counter.save()[key], value)
