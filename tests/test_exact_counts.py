"""Exact samplers of counts: their laws, by chi-square tests and by enumeration; and nothing that is released goes round them.

Exact noise on grids is compared with OpenDP's, an implementation by others in another language, which takes no seed: these tests
are not the same in every run, and each fails by chance twice in ten million runs. With ``-k opendp`` and the variable
DRAWS=25000000 they compare moments to a thousandth, in an hour.
"""

import math
import os
from fractions import Fraction

import numpy as np
import opendp.prelude as dp
import pytest
from scipy import stats

from bandits_dp import privatizers as P
from bandits_dp.noise import exact_counts
from bandits_dp.noise.exact import Coins
from bandits_dp.noise.exact_counts import POISSON, UNIT, binomial, cumulative, fair_ones, geometric, poisson, polya, units
from tests.noise_checks import Live, chi_square
from tests.same_law import same_law

DRAWS, FALSE_ALARM = int(os.environ.get("DRAWS", "40000")), 1e-7  # of each statistical test here, with fixed seeds
MECHANISMS = {
    "bits": lambda users, epsilon, delta: P.BinarySum(users, epsilon, delta),
    "bits of numbers": lambda users, epsilon, delta: P.ScalarSum(users, epsilon, delta, levels=4),
    "bits of vectors": lambda users, epsilon, delta: P.VectorSum(users, epsilon, delta, P.Box(2), levels=4),
    "answers": P.RandomizedResponse,
    "skellam": P.SkellamSum,
    "discrete laplace": P.DiscreteLaplaceSum,
}


@pytest.mark.parametrize(("draw", "law"), [
    (lambda rng: binomial(1, units(0.3), (DRAWS,), rng), lambda n: stats.binom.pmf(n, 1, 0.3)),
    (lambda rng: binomial(20, UNIT // 2, (DRAWS,), rng), lambda n: stats.binom.pmf(n, 20, 0.5)),
    (lambda rng: binomial(300, units(0.01), (DRAWS,), rng), lambda n: stats.binom.pmf(n, 300, 0.01)),
    (lambda rng: poisson(units(1e-3), (DRAWS,), rng), lambda n: stats.poisson.pmf(n, 1e-3)),
    (lambda rng: poisson(units(3.7), (DRAWS,), rng), lambda n: stats.poisson.pmf(n, 3.7)),
    (lambda rng: geometric(units(0.1), DRAWS, rng), lambda n: stats.geom.pmf(n + 1, -math.expm1(-0.1))),
    (lambda rng: geometric(units(3.0), DRAWS, rng), lambda n: stats.geom.pmf(n + 1, -math.expm1(-3))),
    (lambda rng: polya(units(0.3), 2, 3, DRAWS, rng), lambda n: stats.nbinom.pmf(n, 2 / 3, -math.expm1(-0.3))),
    (lambda rng: polya(units(0.05), 1, 40, DRAWS, rng), lambda n: stats.nbinom.pmf(n, 1 / 40, -math.expm1(-0.05))),
])
def test_draws_have_the_law(draw, law):
    counts = np.bincount(draw(np.random.default_rng(1)), minlength=1000)
    assert chi_square(counts, DRAWS * law(np.arange(len(counts))), 20) > FALSE_ALARM


@pytest.mark.parametrize(("trials", "p"), [(1, 5 * UNIT // 8), (3, 3 * UNIT // 8), (4, UNIT // 16), (3, 0), (5, 11 * UNIT // 16)])
def test_the_binomial_law_is_exact(trials, p, monkeypatch):
    """All ways in which fair bits can fall, with their probabilities as fractions."""
    law, open_ways = dict.fromkeys(range(trials + 1), Fraction(0)), [()]

    while open_ways:
        way = open_ways.pop()
        told, asked = iter(way), []

        def fair(numbers, rng, told=told, asked=asked):
            asked.append(int(numbers[0]))
            return np.array([next(told)])

        monkeypatch.setattr(exact_counts, "fair_ones", fair)
        try:
            drawn = int(binomial(trials, p, (), np.random.default_rng(0)))
        except StopIteration:  # more fair bits are asked for than the way tells
            open_ways += [(*way, ones) for ones in range(asked[-1] + 1)]
        else:
            law[drawn] += math.prod(Fraction(math.comb(n, ones), 2**n) for n, ones in zip(asked, way, strict=True))
    q = Fraction(p, UNIT)
    assert law == {n: math.comb(trials, n) * q**n * (1 - q) ** (trials - n) for n in range(trials + 1)}


@pytest.mark.parametrize(("trials", "p"), [(1, 0.3), (20, 0.5), (413, 0.478), (300, 0.01), (2**16, 0.999)])
def test_counts_of_few_trials_have_the_binomial_law_in_live_use(trials, p):
    counts = np.bincount(binomial(trials, units(p), (DRAWS,), Live(trials)), minlength=trials + 1)
    assert chi_square(counts, DRAWS * stats.binom.pmf(np.arange(trials + 1), trials, p), 20) > FALSE_ALARM


@pytest.mark.parametrize("kept", [exact_counts.KEPT, 120])
def test_first_bits_and_then_all_others_decide_how_many_ones_there_are(kept, monkeypatch):
    """Against fractions: what is drawn just below and above an entry; and how often if the first bits equal it."""
    monkeypatch.setattr(exact_counts, "KEPT", kept)
    exact_counts.first_bits.cache_clear()
    trials, p = 5, units(0.3)
    q, below = Fraction(p, UNIT), Fraction(0)
    for k, entry in enumerate((exact_counts.first_bits(trials, p)[1] * UNIT).tolist()):
        below += math.comb(trials, k) * q**k * (1 - q) ** (trials - k)
        assert entry == math.floor(below * UNIT)
        assert (binomial(trials, p, (2,), Live(1, entry - 1)) == k).all()
        assert (binomial(trials, p, (2,), Live(1, entry + 1)) == k + 1).all()
        more = (binomial(trials, p, (2000,), Live(k, entry)) - k).tolist()
        assert set(more) <= {0, 1}
        assert stats.binomtest(2000 - sum(more), 2000, float(below * UNIT - math.floor(below * UNIT))).pvalue > FALSE_ALARM
    assert k == trials - 1


@pytest.mark.parametrize(("trials", "p", "bits"), [(1, 1, 64), (2, UNIT // 2, 60), (300, units(0.01), 80), (300, UNIT - 1, 256)])
def test_bounds_on_cumulative_probabilities_hold(trials, p, bits):
    q, below = Fraction(p, UNIT), Fraction(0)
    for k, bound in enumerate(cumulative(trials, p, bits)):
        below += math.comb(trials, k) * q**k * (1 - q) ** (trials - k) * 2**bits
        assert bound <= below < bound + (trials + 1) ** 2
    assert k == trials - 1


@pytest.mark.parametrize(("trials", "p", "first"), [(40, 0.01, UNIT - 1), (40, 0.99, 0)])
def test_rare_counts_come_when_the_first_bits_are_extreme(trials, p, first):
    """Where many probabilities have the same first bits, later bits tell them apart, by their law given these."""
    drawn = binomial(trials, units(p), (1000,), Live(1, first))
    law = stats.binom.pmf(np.arange(trials + 1), trials, units(p) / UNIT)
    tail = law[::-1].cumsum()[::-1] if first else law.cumsum()  # from k on, or up to k
    rare = np.flatnonzero(tail < 2.0**-53)
    seen = (drawn[:, None] >= rare if first else drawn[:, None] <= rare).sum(axis=0)
    for number, chance in zip(seen.tolist(), (tail[rare] * UNIT).tolist(), strict=True):
        assert stats.binomtest(number, 1000, min(chance, 1.0)).pvalue > FALSE_ALARM
    assert len(set(drawn.tolist())) > 1


@pytest.mark.parametrize(("trials", "cell"), [(9, 1), (40, 1), (2_000_001, 100)])
def test_many_fair_bits_have_the_binomial_law(trials, cell):
    """Also few of them, which reach the end of the range; counts are put together in cells."""
    rng = np.random.default_rng(trials)
    edges = np.arange(-1, trials, cell)
    drawn = np.searchsorted(edges, [exact_counts.many_fair_ones(trials, rng) for _ in range(DRAWS // 10)]) - 1
    law = np.diff(stats.binom.cdf(np.append(edges, trials), trials, 0.5))
    assert chi_square(np.bincount(drawn, minlength=len(law)), law * DRAWS / 10, 20) > FALSE_ALARM


class Steered(np.random.Generator):
    """A generator whose uniform fractions are all 0, then all nearly 1, and whose whole numbers are told, or the largest."""

    def __init__(self, *numbers):
        super().__init__(np.random.PCG64(0))
        self.numbers, self.fraction = list(numbers), 1 - 1 / UNIT

    def random(self, size=None):
        self.fraction = 1 - 1 / UNIT - self.fraction
        return np.full(size, self.fraction)

    def integers(self, low, high, size=None, dtype=np.int64):
        number = self.numbers.pop(0) if self.numbers else high - 1
        return number if size is None else np.full(size, number, dtype=dtype)


def test_as_many_fair_bits_are_counted_as_were_asked_for(monkeypatch):
    monkeypatch.setattr(exact_counts, "WORDS", 8)
    asked = np.array([0, 1, 63, 64, 65, 1000, 0])
    assert (fair_ones(asked, Steered()) == asked).all()
    assert (fair_ones(asked, np.random.default_rng(1)) <= asked).all()


@pytest.mark.parametrize(("numbers", "drawn"), [((POISSON[0] - 1,), 0), ((POISSON[0],), 1), ((POISSON[-1] - 1,), 20),
                                                ((POISSON[-1], 0), 21), ((POISSON[-1], 1, 0), 22), ((POISSON[-1], 2, 0), 0)])
def test_poisson_numbers_beyond_20_have_their_share(numbers, drawn):
    """Of 1 + 20! / 0! + ... + 20! / 20! cases one is left for all beyond 20, whose own weights, 20! / n!, are less together."""
    assert exact_counts._poisson_of_mean_one(1, Steered(*(int(number) for number in numbers))) == drawn
    assert [int(weight) for weight in np.diff(POISSON, prepend=0)] == [math.factorial(20) // math.factorial(n) for n in range(21)]


@pytest.mark.parametrize("name", [name for name in MECHANISMS if name.startswith("bits")])
def test_the_rarest_noise_can_come(name):
    """All bits may be ones: numpy's sampler drew a few of the rare ones at most, which was 4,338 times the promised delta."""
    privatizer = MECHANISMS[name](10, 20.0, 1e-12)
    bits = privatizer.noise_bits
    most = privatizer._decode(np.array(10 * (bits.rare + bits.common)))
    assert (privatizer.release(np.zeros((10, privatizer.dimension)), Steered()) == most).all()


class Whole(np.random.Generator):
    """A generator that refuses the samplers that compute in floating point."""

    def refuse(self, *args, **kwargs):
        raise AssertionError("a sampler in floating point was used")

    binomial = poisson = negative_binomial = geometric = normal = exponential = standard_gamma = refuse


@pytest.mark.parametrize("name", MECHANISMS)
def test_what_is_released_is_drawn_by_whole_numbers(name):
    privatizer, rng = MECHANISMS[name](50, 1.0, 1e-3), Whole(np.random.PCG64(1))
    values = np.zeros((50, privatizer.dimension))
    for fidelity in ("aggregate", "messages"):
        privatizer.release(values, rng, fidelity)
    privatizer.receive(privatizer.send(values, rng).sum(axis=0), rng)


@pytest.mark.parametrize("name", MECHANISMS)
def test_no_release_tells_the_value_for_sure(name):
    """10,000 releases of one user's 0, and of the 1: each is, to the last bit, one that the other value can give."""
    privatizer = MECHANISMS[name](1, 1.0, 1e-9)
    rng, d = np.random.default_rng(1), privatizer.dimension
    sent = {value: np.unique(privatizer.send(np.full((10_000, d), float(value)), rng), axis=0) for value in (0, 1)}
    for value in (0, 1):
        if name == "answers":
            possible = np.arange(2)
        elif name.startswith("bits"):
            bits = privatizer.noise_bits
            possible = np.arange(bits.rare + bits.common + 1) + privatizer.levels * (1 - value)
        else:
            possible = np.arange(privatizer.modulus)
        released = np.concatenate([privatizer.receive(row, rng) for row in sent[value]])
        assert set(released) <= {one for integer in possible for one in privatizer.receive(np.full(d, integer), rng)}


dp.enable_features("contrib")


def theirs(law: str, scale: int) -> np.ndarray:
    make = {"gaussian": dp.m.make_gaussian, "laplace": dp.m.make_laplace}[law]
    metric = dp.l2_distance(T=float) if law == "gaussian" else dp.l1_distance(T="i64")
    mechanism = make(dp.vector_domain(dp.atom_domain(T="i64")), metric, scale=float(scale))
    return np.array(mechanism([0] * DRAWS))


@pytest.mark.parametrize("scale", [1, 3, 2**20 + 1])
@pytest.mark.parametrize("law", ["laplace", "gaussian"])
def test_our_noise_and_that_of_opendp_have_one_law(law: str, scale: int) -> None:
    """Two samples, by Kolmogorov and Smirnov, and by the second moment, whose difference has a known error."""
    samples = [getattr(Coins(np.random.default_rng(scale)), law)(scale, DRAWS), theirs(law, scale)]
    assert same_law(*samples) > FALSE_ALARM
    squares = [(sample / scale) ** 2 for sample in samples]
    error = math.sqrt(sum(square.var() for square in squares) / DRAWS)
    assert abs(squares[0].mean() - squares[1].mean()) < stats.norm.isf(FALSE_ALARM / 2) * error
