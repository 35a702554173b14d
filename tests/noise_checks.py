"""Checks of every mechanism through its public methods, by name; :mod:`tests.test_planted_audits` runs them, also with faults.

A check raises AssertionError. Each statistical one is two-sided, at a false-alarm rate of 1e-6 and with a fixed seed. What noise is
right is computed here from the promise and the distance that one user can move a sum, which is written down per case, and not taken
from the mechanism.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any
from unittest import mock

import numpy as np
from scipy import optimize, stats

import bandits_dp as bdp
from bandits_dp import continual as C
from bandits_dp import privatizers as P
from bandits_dp.accounting.binomial_vector import vector_delta
from bandits_dp.noise.exact import Unseeded
from bandits_dp.noise.exact_counts import UNIT
from bandits_dp.privatizers.returning import ReturningLocalGaussian, ReturningVectorSum
from bandits_dp.problems import BernoulliArms
from tests import exact_delta
from tests.test_continual import COUNTERS, matrices

FALSE_ALARM = 1e-6
EPSILON, DELTA = 1.0, 0.05
USERS, RUNS = 3, 4000


def within(pvalue: float) -> None:
    assert pvalue > FALSE_ALARM, f"p-value {pvalue:.2g}"


def chi_square(counts: np.ndarray, expected: np.ndarray, least: float = 10) -> float:
    """P-value of counts in cells, those with few expected put together."""
    big = expected >= least
    observed, wanted = (np.append(one[big], one[~big].sum()) for one in (counts, expected))
    if wanted[-1] < 1e-9:
        observed, wanted = observed[:-1], wanted[:-1]
    return float(stats.chisquare(observed, wanted * observed.sum() / wanted.sum()).pvalue)


def gaussian_std(distance: float, epsilon: float = EPSILON, delta: float = DELTA) -> float:
    """Least noise, from Balle & Wang's formula in plain arithmetic."""
    def excess(log_std: float) -> float:
        s = math.exp(log_std)
        return stats.norm.cdf(1 / (2 * s) - epsilon * s) - math.exp(epsilon) * stats.norm.cdf(-1 / (2 * s) - epsilon * s) - delta
    return distance * math.exp(optimize.brentq(excess, -8, 8, xtol=1e-14))


@dataclass
class Case:
    """A mechanism, and what one user can move: in the l2 norm, in the l1 norm, and in integers."""

    make: Callable[[int], Any]
    dimension: int = 1
    kind: str = "gaussian"
    move: float = 1.0
    local: bool = False
    whole: bool = False


PLANE = P.Box(2, -1.0, 1.0)
CASES = {
    "CentralGaussian": Case(lambda n: P.CentralGaussian(n, EPSILON, DELTA, domain=PLANE), 2, move=2 * math.sqrt(2)),
    "LocalGaussian": Case(lambda n: P.LocalGaussian(n, EPSILON, DELTA, domain=PLANE), 2, move=2 * math.sqrt(2), local=True),
    "AmplifiedGaussian": Case(lambda n: P.AmplifiedGaussian(n, EPSILON, DELTA, domain=PLANE), 2, move=2 * math.sqrt(2), local=True),
    "ReturningLocalGaussian": Case(
        lambda n: ReturningLocalGaussian(n, 4, EPSILON, DELTA, domain=PLANE), 2, move=4 * math.sqrt(2), local=True),
    "CentralLaplace": Case(lambda n: P.CentralLaplace(n, EPSILON, domain=PLANE), 2, "laplace", 4.0),
    "LocalLaplace": Case(lambda n: P.LocalLaplace(n, EPSILON, domain=PLANE), 2, "laplace", 4.0, local=True),
    "RandomizedResponse": Case(lambda n: P.RandomizedResponse(n, EPSILON, DELTA), 1, "lie", local=True, whole=True),
    "BinarySum": Case(lambda n: P.BinarySum(n, EPSILON, DELTA), 1, "bits", 1, whole=True),
    "ScalarSum": Case(lambda n: P.ScalarSum(n, EPSILON, DELTA, levels=3), 1, "bits", 3),
    "DiscreteLaplaceSum": Case(lambda n: P.DiscreteLaplaceSum(n, EPSILON), 1, "discrete", 1, whole=True),
    "SkellamSum": Case(lambda n: P.SkellamSum(n, EPSILON, DELTA), 1, "skellam", 1, whole=True),
}
VECTORS = {
    "VectorSum": (lambda n: P.VectorSum(n, EPSILON, DELTA, PLANE, levels=3), 1),
    "ReturningVectorSum": (lambda n: ReturningVectorSum(n, 4, EPSILON, DELTA, domain=PLANE, levels=3), 4),
}


def everyone(case: Case, privatizer: Any, high: bool = True) -> np.ndarray:
    return np.full((privatizer.users, case.dimension), privatizer.domain.high if high else privatizer.domain.low)


def calibration(name: str) -> None:
    """The declared noise gives the promised delta, and 2% less noise does not (by the oracles)."""
    if name in VECTORS:
        make, batches = VECTORS[name]
        p = make(20)
        law = exact_delta.pairs(20 * p.noise_bits.rare, p.noise_bits.p)
        assert exact_delta.product(law, EPSILON, [3] * 2 * batches) <= DELTA * (1 + 1e-9)
        with np.errstate(divide="ignore"):
            bound = vector_delta(np.log(law[law > 0]), EPSILON, 3 * math.sqrt(2 * batches), 2 * batches)  # of d M counts
        assert 0.99 * DELTA < bound <= DELTA * (1 + 1e-9)
        return
    case = CASES[name]
    p = case.make(20)
    if case.kind == "gaussian":
        assert math.isclose(p.unit_std, gaussian_std(case.move), rel_tol=1e-8)
        assert math.isclose(p.noise_std, p.unit_std * math.sqrt(20 if case.local else 1))
    elif case.kind == "laplace":
        assert math.isclose(p.scale, case.move / EPSILON)
        assert math.isclose(p.noise_std, p.scale * math.sqrt(40 if case.local else 2))
    elif case.kind == "lie":
        assert DELTA * (1 - 1e-9) < exact_delta.randomized_response(p.truth, EPSILON) <= DELTA
    elif case.kind == "discrete":
        assert exact_delta.discrete_laplace(p.scale, EPSILON, 1) <= 0 < exact_delta.discrete_laplace(p.scale * 0.98, EPSILON, 1)
    else:
        law = noise_law(case, p, 20)
        assert 0.99 * DELTA < exact_delta.divergence(law, EPSILON, int(case.move)) <= DELTA * (1 + 1e-9)


def noise_law(case: Case, p: Any, users: int) -> np.ndarray:
    """Law of the integer noise of so many users, symmetric around the middle."""
    if case.kind == "discrete":
        q, x = math.exp(-EPSILON), np.arange(-40, 41)
        return (1 - q) / (1 + q) * q ** abs(x)
    if case.kind == "skellam":
        return exact_delta.skellam(p.variance)
    return exact_delta.pairs(users * p.noise_bits.rare, p.noise_bits.p)


def messages(name: str) -> None:
    """In the local model and in P_Amp every message of every user has the right law, whatever is sent."""
    case = CASES[name]
    p, rng = case.make(USERS), np.random.default_rng(1)
    runs = 4 * RUNS if case.kind == "lie" else RUNS
    for high in (False, True):
        values = everyone(case, p, high)
        sent = p.randomize(np.tile(values, (runs, 1)), rng).reshape(runs, USERS, -1).astype(float)
        for user in range(USERS):
            noise = (sent[:, user] - values[user]).ravel()
            if case.kind == "lie":
                lie = (1 - DELTA) / (math.exp(EPSILON) + 1)
                within(stats.binomtest(int(abs(noise).sum()), runs, lie).pvalue)
            else:
                law = stats.norm(0, gaussian_std(case.move)) if case.kind == "gaussian" else stats.laplace(0, case.move / EPSILON)
                within(stats.kstest(noise, law.cdf).pvalue)
                # The std, too: its logarithm is normal with the law's kurtosis k, of variance (k - 1) / 4 n.
                ratio = math.log(noise.std() / law.std()) / math.sqrt((float(law.stats("k")) + 2) / 4 / noise.size)
                within(2 * stats.norm.sf(abs(ratio)))


def sums(name: str) -> None:
    """Both fidelities, and a simulator, release the sum plus noise of the right law, for all at one end, and elsewhere."""
    case = CASES[name]
    p, rng = case.make(USERS), np.random.default_rng(2)
    runs = {"discrete": 2 * RUNS, "gaussian": RUNS // 2}.get(case.kind, RUNS)
    for share in {"gaussian": (0.0, 0.5), "laplace": (0.0, 0.5), "discrete": (1.0,), "skellam": (1.0,)}.get(case.kind, (0.0, 1.0)):
        values = everyone(case, p, False) * (1 - share) + everyone(case, p, True) * share
        few = RUNS // 2 if case.kind in ("discrete", "skellam") else runs  # tests/test_distributed_noise.py has shares of 1 and 40
        for draw, times in ((partial(p.release, fidelity="messages"), few), (p.release, runs), (p.simulate, runs)):
            noise = np.array([draw(values, rng) for _ in range(times)]) - values.sum(axis=0)
            if case.kind in ("gaussian", "laplace"):
                users = USERS if case.local else 1
                if case.kind == "gaussian":
                    noise = noise.ravel() / (gaussian_std(case.move) * math.sqrt(users))
                    within(stats.kstest(noise, stats.norm.cdf).pvalue)
                    within(2 * min(stats.chi2.cdf((noise**2).sum(), noise.size), stats.chi2.sf((noise**2).sum(), noise.size)))
                else:
                    scale = case.move / EPSILON
                    excess = 3 / users  # of the kurtosis
                    ratio = (noise.var() / (2 * users * scale**2) - 1) / math.sqrt((excess + 2) / noise.size)
                    within(2 * stats.norm.sf(abs(ratio)))
            else:
                within(goodness(case, p, noise[:, 0], values))


def goodness(case: Case, p: Any, noise: np.ndarray, values: np.ndarray) -> float:
    """Chi-square p-value of released integers, cells with few expected put together."""
    if case.kind == "lie":
        lie = (1 - DELTA) / (math.exp(EPSILON) + 1)
        ones = noise * (1 - 2 * lie) + USERS * lie + values.sum() * (1 - 2 * lie)  # undo the analyzer
        law, found = exact_delta.binomial(USERS, lie if values[0, 0] == 0 else 1 - lie), np.rint(ones)
        assert abs(ones - found).max() < 1e-6
    else:
        law = noise_law(case, p, USERS)
        steps = noise * (p.levels if hasattr(p, "levels") else 1)
        found = np.rint(steps) + len(law) // 2
        assert abs(steps - np.rint(steps)).max() < 1e-6
    if case.kind != "lie":  # the variance is more telling than the cells, if the noise is a little too small
        x = np.arange(len(law)) - len(law) // 2
        second, fourth = law @ x**2, law @ x.astype(float) ** 4
        within(2 * stats.norm.sf(abs((steps**2).mean() - second) / math.sqrt((fourth - second**2) / len(steps))))
    counts = np.bincount(np.clip(found, 0, len(law) - 1).astype(int), minlength=len(law))
    return chi_square(counts, law * len(noise))


def each_user_once(name: str) -> None:
    """Under the same seed, whoever goes from one end to the other moves the sum by just that much, in both fidelities."""
    case = CASES[name]
    p = case.make(USERS)
    for fidelity in ("messages", "aggregate"):
        low = everyone(case, p, False)
        before = p.release(low, np.random.default_rng(3), fidelity)
        for user in range(USERS):
            after = low.copy()
            after[user] = p.domain.high
            moved = p.release(after, np.random.default_rng(3), fidelity) - before
            assert np.allclose(moved, p.domain.high - p.domain.low), f"user {user} moves the sum by {moved}"


def clipping(name: str) -> None:
    """A wild value is refused, or released as the border's if that was asked for."""
    kind = type(CASES[name].make(USERS))
    strict, wild = kind(USERS, EPSILON, DELTA, domain=PLANE), np.full((USERS, 2), 50.0)
    try:
        strict.release(wild, np.random.default_rng(0))
    except ValueError:
        pass
    else:
        raise AssertionError("a value outside of the domain was released")
    clipped = kind(USERS, EPSILON, DELTA, domain=PLANE, clip=True)
    border = clipped.release(np.ones((USERS, 2)), np.random.default_rng(0))
    assert np.allclose(clipped.release(wild, np.random.default_rng(0)), border)


def order(name: str) -> None:
    """A shuffler's permutation is uniform: where the first and last bit or message go, and whether two neighbours stay together."""
    make = VECTORS[name][0] if name in VECTORS else CASES[name].make
    p, rng, users = make(5), np.random.default_rng(4), 5
    shape = p.randomize(np.full((users, p.dimension), p.domain.high), rng).shape
    numbered = np.arange(math.prod(shape)).reshape(shape)
    runs = 3000
    mixed = [np.asarray(p.shuffle(numbered, rng)) for _ in range(runs)]
    groups = {"AmplifiedGaussian": lambda out: out[:, 0], "BinarySum": lambda out: out}.get(name, lambda out: out[0])
    ids = np.sort(groups(mixed[0]))  # what is mixed: messages, all bits, or the bits of one coordinate
    places = np.array([np.argsort(groups(out)) for out in mixed])  # where each went, shape (runs, size)
    size = len(ids)
    cells = min(size, 10)
    for item in (0, 1, size - 1):
        counts = np.bincount(places[:, item] * cells // size, minlength=cells)
        expected = np.bincount(np.arange(size) * cells // size, minlength=cells) * runs / size
        within(stats.chisquare(counts, expected).pvalue)
    for other in (1, size // 2, size - 1):  # of one user, or of two
        together = int((abs(places[:, 0] - places[:, other]) == 1).sum())
        within(stats.binomtest(together, runs, 2 / size).pvalue)
        within(stats.binomtest(int((places[:, 0] < places[:, other]).sum()), runs, 0.5).pvalue)


def own_order(name: str) -> None:
    """A user's own bits come in a uniform order, for either end: each place holds a one equally often, and so do three in a row."""
    make = VECTORS[name][0] if name in VECTORS else CASES[name].make
    runs = 4000
    p, rng = make(runs), np.random.default_rng(5)
    for end in (p.domain.low, p.domain.high):
        sent = p.randomize(np.full((runs, p.dimension), end), rng)[:, 0]
        ones, bits = sent.sum(axis=1, dtype=float), sent.shape[1]
        places = sent.sum(axis=0, dtype=float)
        # Given their number k, the ones are a random subset: each place has variance k (b - k) / b^2, and any two covary.
        spread = (ones * (bits - ones)).sum() / (bits * (bits - 1))
        within(2 * min(tail(((places - places.mean()) ** 2).sum() / spread, bits - 1) for tail in (stats.chi2.sf, stats.chi2.cdf)))
        expected = np.array([np.mean(stats.hypergeom.pmf(k, bits, ones.astype(int), 3)) * runs for k in range(4)])
        within(chi_square(np.bincount(sent[:, :3].sum(axis=1, dtype=int), minlength=4), expected))


def counters(name: str) -> None:
    """All running sums together have the covariance of the published factorization at the certified noise, added or as a path."""
    kind = {c.__name__: c for c in COUNTERS}[name]
    horizon, runs = 8, 700
    left, right = matrices(kind, horizon)
    std = gaussian_std(np.linalg.norm(right, axis=0).max())
    counter, rng = kind(horizon, EPSILON, DELTA, P.Box(runs, 0.0, 1 / math.sqrt(runs))), np.random.default_rng(6)  # diameter 1
    assert math.isclose(counter.noise_std, std, rel_tol=1e-8)
    value = np.full(runs, 0.01)
    streams = np.array([counter.add(value, rng) for _ in range(horizon)]) - 0.01 * np.arange(1, horizon + 1)[:, None]
    for noise in (streams, counter.noise_path(rng)):
        white = np.linalg.solve(std * left, noise)  # independent standard normal numbers, one per draw
        within(stats.kstest(white.ravel(), stats.norm.cdf).pvalue)
        square = (white**2).sum(axis=1)
        for draw, freedom in ((square.sum(), white.size), *((one, runs) for one in square)):
            within(2 * min(stats.chi2.cdf(draw, freedom), stats.chi2.sf(draw, freedom)))
        for sign in (1, -1):  # neighbouring draws do not covary
            pairs = (white[1:] + sign * white[:-1]).ravel() / math.sqrt(2)
            assert abs((pairs**2).mean() - 1) < 5.2 * math.sqrt(2 / pairs.size) * 1.5


def amplification(name: str) -> None:
    """The noise of 300 shuffled messages is what clones and Theorem 3.8 need, local delta included; 2% of delta is left at most.

    Of twice as many users with half of them honest, it is the same: those who are not are no crowd.
    """
    kind = {"AmplifiedGaussian": P.AmplifiedGaussian}[name]
    p = kind(300, EPSILON, 0.01, domain=PLANE)
    distance = 2 * math.sqrt(2)
    assert p.unit_std < 0.85 * gaussian_std(distance, delta=0.01)  # the shuffler is of use
    assert 0.98 * 0.01 < exact_delta.shuffled_gaussian(p.unit_std / distance, 300, EPSILON) <= 0.01
    assert kind(600, EPSILON, 0.01, domain=PLANE, honest_fraction=0.5).unit_std == p.unit_std


def theorem_split(name: str) -> None:
    """Published formulas against numbers computed by hand: what is split over levels, halves and batches."""
    found = {
        "TreeCounter": lambda: C.TreeCounter(1000, 0.5, 1e-4, calibration="theorem").noise_std,
        "ScalarSum": lambda: P.ScalarSum(100, 8.0, 0.1, "theorem", domain=P.Box(1, -1.0, 1.0)).noise_bits.std(100),
        "small ScalarSum": lambda: P.ScalarSum(1, 29.9, 1e-6, "theorem", domain=P.Box(1, -0.5, 0.5)).levels,
        "uneven ScalarSum": lambda: P.ScalarSum(7, 8.0, 0.1, "theorem", domain=P.Box(1, 0.0, 3.0)).levels,
        "LaplaceVector": lambda: P.CentralLaplace(2, EPSILON, 0.3, domain=PLANE).scale,
        "LaplaceNumber": lambda: P.CentralLaplace(2, EPSILON, 0.3, domain=P.Box(1, -1.0, 1.0)).scale,
        "LaplaceTheorem": lambda: P.LocalLaplace(2, EPSILON, 0.3, "theorem", domain=P.Box(1, -1.0, 1.0)).scale,
    }[name]()
    by_hand = {
        # h = 10: node epsilon 0.5 / sqrt(80 ln 2e4), node delta 1e-4 / 20, sqrt(2 ln(1.25 / delta)) / epsilon
        "TreeCounter": math.sqrt(2 * math.log(1.25 / 5e-6)) * math.sqrt(80 * math.log(2e4)) / 0.5,
        # g = 20, mean 180 * 400 * ln 20 / (16 * 100) = 134.8 ones of two fair bits each: 135 bits, p = 134.8 / 270
        "ScalarSum": math.sqrt(100 * 135 * (134.80795 / 270) * (1 - 134.80795 / 270)),
        "small ScalarSum": 2,  # 2 B sqrt n = 1, and the floor of two levels, without which delta would be 3.3e-4
        "uneven ScalarSum": 8,  # 2 B sqrt n = 3 sqrt 7 = 7.94, rounded up
        "LaplaceVector": 4.0,  # delta is for one number only, so a vector has none
        "LaplaceNumber": 2 / (1 - 2 * math.log(0.7)),
        "LaplaceTheorem": 2.0,
    }[name]
    assert math.isclose(found, by_hand, rel_tol=1e-6), f"{found} is not {by_hand}"


def cut_batch(name: str) -> None:
    """Every batch is released once, when it is full, and the batch that the horizon cuts is not."""
    learner = bdp.make(name, BernoulliArms([0.6, 0.5]), horizon=110, epsilon=EPSILON, delta=DELTA, batch_size=25)
    kind, rng = type(learner.privatizers[0]), np.random.default_rng(7)
    with mock.patch.object(kind, "receive", autospec=True, side_effect=kind.receive) as receive:
        for _ in range(110):  # two phases of 50, and ten users whom the horizon cuts
            learner.update(learner.act(), 1.0, rng)
    assert receive.call_count == 4, f"{receive.call_count} batches were released"


def linear_statistics(name: str) -> None:
    """The diameter of (phi y, phi phi'), 3 / sqrt 2, and the noise for it."""
    p = P.CentralGaussian(4, EPSILON, DELTA, domain=P.LinearStatistics(3))
    assert math.isclose(p.noise_std, gaussian_std(3 / math.sqrt(2)), rel_tol=1e-8)


TABLE: dict[str, tuple[Callable[[str], None], list[str]]] = {
    "calibration": (calibration, [*CASES, *VECTORS]),
    "messages": (messages, [name for name, case in CASES.items() if case.local]),
    "sums": (sums, list(CASES)),
    "each user once": (each_user_once, [name for name in CASES if name != "RandomizedResponse"]),
    "clipping": (clipping, ["CentralGaussian", "LocalGaussian", "AmplifiedGaussian", "CentralLaplace", "LocalLaplace"]),
    "order": (order, ["AmplifiedGaussian", "BinarySum", "ScalarSum", "VectorSum"]),
    "own order": (own_order, ["ScalarSum", "VectorSum"]),
    "counters": (counters, [kind.__name__ for kind in COUNTERS]),
    "amplification": (amplification, ["AmplifiedGaussian"]),
    "theorem split": (theorem_split, ["TreeCounter", "ScalarSum", "small ScalarSum", "uneven ScalarSum", "LaplaceVector",
                                      "LaplaceNumber", "LaplaceTheorem"]),
    "cut batch": (cut_batch, ["SDP-AE"]),
    "linear statistics": (linear_statistics, ["CentralGaussian"]),
}


class Live(Unseeded):
    """The generator of live use, seeded for a test, which may also tell its first bits."""

    def __init__(self, seed, first=None):
        super().__init__()
        self.bit_generator.state = np.random.PCG64(seed).state
        self.first = first

    def random(self, size=None):
        return super().random(size) if self.first is None else np.full(size, self.first / UNIT)
