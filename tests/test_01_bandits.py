"""The statements of the chapter on bandits, checked on the code that the chapter shows.

Statistical checks declare a false-alarm rate of at most 1e-6 each, by an exact or a finite-sample bound. Each check is also
shown to be able to fail: runs or a constant that break the statement are refused by the same check.
"""

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom

import bandits_dp as bdp
from bandits_dp.arms.batches import most_decisions
from bandits_dp.arms.widths import ChernoffWidth
from bandits_dp.privatizers import Identity
from tests.chapters import defined

FALSE_ALARM = 1e-6
Array = NDArray[np.float64]


# ---- Hoeffding
def hoeffding_gap(n: int, law: Array, constant: float = 2.0) -> float:
    """Return the largest of ln(exact upper tail) - ln(bound), over all thresholds, for n rewards on 0, 1/g, ..., 1 with `law`.

    Between two thresholds the tail stays and the bound falls, so that the thresholds themselves are the worst cases.
    """
    levels = np.arange(len(law)) / (len(law) - 1)
    mean = float(law @ levels)
    total = np.ones(1)
    for _ in range(n):
        total = np.convolve(total, law)
    tail = total[::-1].cumsum()[::-1]
    w = np.arange(len(total)) / (n * (len(law) - 1)) - mean
    use = (w > 0) & (tail > 1e-280)
    return float((np.log(tail[use]) + constant * n * w[use] ** 2).max())


@pytest.mark.parametrize("n", [1, 2, 3, 7, 20, 100])
@pytest.mark.parametrize("p", [0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99])
def test_hoeffding(n: int, p: float) -> None:
    three = np.array([(1 - p) ** 2, 0.5 * p, 0.0])
    three[2] = 1 - three.sum()
    laws = [np.array([1 - p, p]), three if three[2] >= 0 else np.array([0.5, 0.2, 0.3])]
    for law in laws:
        assert hoeffding_gap(n, law) <= 1e-9
        assert hoeffding_gap(n, law[::-1]) <= 1e-9  # the lower side
    for k in range(n + 1):  # the library's tails agree
        if k / n > p:
            assert binom.sf(k - 1, n, p) <= math.exp(-2 * n * (k / n - p) ** 2) * (1 + 1e-9)


def test_a_larger_constant_would_be_caught() -> None:
    assert hoeffding_gap(1, np.array([0.5, 0.5]), constant=2.8) > 0


# ---- UCB1
def ucb1_bound(means: Array, horizon: int) -> float:
    gaps = means.max() - means
    return float(8 * math.log(horizon) * (1 / gaps[gaps > 0]).sum() + (1 + math.pi**2 / 3) * gaps.sum())


def refutes(regret: Array, bound: float, most: float, checks: int) -> bool:
    """Whether runs with regret in [0, most] contradict a mean of at most `bound` (Hoeffding, all checks together)."""
    slack = most * math.sqrt(math.log(checks / FALSE_ALARM) / (2 * len(regret)))
    return bool(regret.mean() > bound + slack)


UCB1_GRID = [
    ([0.5, 0.1], 10_000), ([0.5, 0.3], 30_000), ([0.9, 0.5, 0.5], 10_000), ([0.95, 0.05], 3_000), ([0.2, 0.6, 0.1, 0.6], 10_000),
    ([0.45, 0.5, 0.3, 0.6, 0.4], 10_000),
]


@pytest.mark.slow
def test_ucb1_bound() -> None:
    for means, horizon in UCB1_GRID:
        problem = bdp.problems.BernoulliArms(means)
        learner = bdp.make("UCB1", problem, horizon=horizon)
        result = bdp.simulate(learner, problem, horizon=horizon, runs=200, seed=11, progress=False)
        for place in (len(result.rounds) // 2, -1):
            rounds = int(result.rounds[place])
            bound = ucb1_bound(problem.means, rounds)
            most = rounds * float(problem.gaps.max())
            assert not refutes(result.regret[:, place], bound, most, 2 * len(UCB1_GRID)), (means, rounds)
        says = result.mean[-1] < bound and refutes(np.full(200, most / 2), bound, most, 2 * len(UCB1_GRID))
        assert says or means[1] == 0.5, "so many runs should refute the bound where half of what can be lost is lost"


# ---- Arm elimination
def log_failure(horizon: int, m: int) -> float:
    return math.log(horizon**2 / m)


@pytest.mark.parametrize("m", [1, 10, 100])
@pytest.mark.parametrize("p", [0.02, 0.3, 0.5, 0.9])
def test_union_bound(m: int, p: float) -> None:
    horizon = 2000
    n = m * np.arange(1, horizon // (2 * m) + 1)  # every look

    def failure(exponent: float) -> float:
        w = np.sqrt(exponent / (2 * n))
        above = binom.sf(np.ceil(n * (p + w) - 1e-9) - 1, n, p)
        below = binom.cdf(np.floor(n * (p - w) + 1e-9), n, p)
        return float((above + below).sum())

    assert failure(log_failure(horizon, m)) <= 1 / horizon
    if 0.2 < p < 0.8:  # Hoeffding's bound is sharp for fair coins only; there, a width half as large is caught
        assert failure(log_failure(horizon, m) / 4) > 1 / horizon


def good_run(arms: NDArray[np.int64], tape: Array, means: Array, m: int, exponent: float) -> bool:
    """Whether every mean of n = m, 2m, ... answers of an arm stayed within its width."""
    for a, mean in enumerate(means):
        answers = tape[arms == a] < mean
        n = np.arange(m, min(len(answers), len(tape) // (2 * m) * m) + 1, m)
        if (np.abs(answers.cumsum()[n - 1] / n - mean) > np.sqrt(exponent / (2 * n))).any():
            return False
    return True


@pytest.mark.parametrize("m", [1, 7, 100])
@pytest.mark.parametrize("means", [[0.45, 0.5, 0.3, 0.6, 0.4], [0.1, 0.9], [0.5, 0.5, 0.2]])
def test_elimination(m: int, means: list[float]) -> None:
    horizon, runs = 6000, 30
    arms_means, arms = np.array(means), len(means)
    gaps = arms_means.max() - arms_means
    elimination = defined("01_bandits", "elimination-plain", means=arms_means, K=arms, tapes=np.ones((1, 9)))["elimination"]
    exponent = log_failure(horizon, m)
    with np.errstate(divide="ignore"):
        most = 8 * exponent / gaps**2 + m
    bad, largest = 0, 0.0
    for tape in np.random.default_rng(13).random((runs, horizon)):
        shown = elimination(tape, m)
        assert shown.shape == (horizon,)
        counts = np.bincount(shown, minlength=arms)
        if good_run(shown, tape, arms_means, m, exponent):
            assert (counts <= most).all()
            assert gaps[shown[-m * arms :]].min() == 0  # a best arm is still in the race
            largest = max(largest, float((counts / most)[gaps > 0].max()))
        else:
            bad += 1
    assert binom.sf(bad - 1, runs, arms / horizon) > FALSE_ALARM / 9
    assert largest > 0.1, "the bound on the pulls should not be vacuous"
    problem = bdp.problems.BernoulliArms(arms_means)
    learner = bdp.make("AE", problem, horizon=horizon, batch_size=m)
    result = bdp.simulate(learner, problem, horizon=horizon, runs=runs, seed=14, progress=False)
    bound = (8 * 1.001 * exponent / gaps[gaps > 0] + m * gaps[gaps > 0]).sum() + arms  # 1.001: the next test
    assert result.mean[-1] <= bound


@pytest.mark.parametrize("m", [1, 100])
def test_the_packages_width_is_a_hair_wider(m: int) -> None:
    horizon = 50_000
    width, batch = ChernoffWidth(horizon, most_decisions(horizon, m)), Identity(m)
    for phase in range(1, horizon // (2 * m) + 1):
        width = width.after(batch)
        ratio = width.half_width() / math.sqrt(log_failure(horizon, m) / (2 * phase * m))
        assert 1 - 1e-9 <= ratio <= 1.0005
