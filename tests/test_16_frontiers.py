"""What chapter 16 claims: shares of noise and dropouts, a counter behind several shufflers, and a floor below private learners."""

import ast
import itertools
import math
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.special import hyp2f1

import bandits_dp as bdp
from bandits_dp.accounting import gaussian_delta
from bandits_dp.accounting.binomial_vector import gaussian_ratio
from bandits_dp.privatizers.vector_sum import certified_bits
from bandits_dp.problems import BernoulliArms
from tests.chapters import cells
from tests.noise_checks import chi_square

CHAPTER = "16_frontiers"
FALSE_ALARM = 1e-6  # of each statistical test here, with fixed seeds


@cache
def functions() -> dict[str, ast.FunctionDef]:
    """Return the functions that the chapter's cells define, by name."""
    found = {}
    for cell in cells(CHAPTER).values():
        if cell.cell_type == "code":
            tree = ast.parse(cell.source)
            found |= {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    return found


def chapter(name: str, **given: Any) -> Any:
    """Return a function of the chapter; ``given`` are the variables of the chapter that it reads."""
    space = {"math": math, "np": np, "hyp2f1": hyp2f1, "certified_bits": certified_bits, "gaussian_delta": gaussian_delta,
             "gaussian_ratio": gaussian_ratio, **given}
    exec(compile(ast.Module([functions()[name]], []), name, "exec"), space)
    return space[name]


# ---- Shares of noise ---------------------------------------------------------------------------------------------------------
def difference(r: float, q: float, reach: int = 400) -> np.ndarray:
    """Probabilities of the difference of two Polya numbers with parameter r, on -reach..reach."""
    law = stats.nbinom.pmf(np.arange(4 * reach), r, 1 - q)
    return np.array([law[: 4 * reach - abs(x)] @ law[abs(x) :] for x in range(-reach, reach + 1)])


@pytest.mark.parametrize("users", (1, 2, 7))
@pytest.mark.parametrize("b", (0.4, 2.0))
def test_shares_add_up_to_discrete_laplace(users, b):
    """Exactly, by convolution; and the numbers that the chapter draws, by a two-sided chi-square test."""
    q, x = math.exp(-1 / b), np.arange(-400, 401)
    law = (1 - q) / (1 + q) * q ** abs(x)
    one, total = difference(1 / users, q), np.ones(1)
    for _ in range(users):
        total = np.convolve(total, one)
    middle = len(total) // 2
    assert total[middle - 40 : middle + 41] == pytest.approx(law[360:441], rel=1e-9, abs=1e-15)
    sums = chapter("shares", n=users, q=q)(users, 40_000, np.random.default_rng(users)).sum(axis=1)
    assert chi_square(np.bincount(np.clip(sums, -400, 400) + 400, minlength=801), law * 40_000, 20) > FALSE_ALARM


@pytest.mark.parametrize("b", (0.5, 2.0))
@pytest.mark.parametrize("r", (0.001, 0.1, 0.5, 0.9, 1.0))
def test_what_dropouts_cost(r, b):
    """No ratio of neighbouring probabilities is larger than the formula, which one of them attains; the law is log-convex."""
    q = math.exp(-1 / b)
    law = difference(r, q)
    epsilon = chapter("epsilon_left", q=q)(r)
    losses = np.log(law[399:430] / law[400:431])  # at -1 and 0, and up to 30
    assert abs(losses).max() == pytest.approx(epsilon, rel=1e-9) and losses[1] == pytest.approx(epsilon, rel=1e-9)
    assert (np.diff(losses[1:]) <= 1e-9).all() and epsilon >= 1 / b * (1 - 1e-12)
    assert epsilon == pytest.approx(1 / b) or r < 1


@pytest.mark.parametrize("r", (1.0, 1.3, 2.0, 5.0))
def test_too_many_shares_do_no_harm(r):
    """From r = 1 on the loss rises to 1/b and never passes it."""
    law = difference(r, math.exp(-0.5))
    losses = np.log(law[400:480] / law[401:481])
    assert (np.diff(losses) >= -1e-9).all() and losses.max() <= 0.5 + 1e-9
    assert losses[-1] == pytest.approx(0.5, abs=0.06 if r > 1 else 1e-9)


# ---- Several shufflers -------------------------------------------------------------------------------------------------------
def exact_delta(bits, sizes, epsilon):
    """Divergence of two independent noises from both shifted by one, summed over all pairs of outcomes."""
    first, second = (np.exp(one.log_pmf(m)) for m, one in zip(sizes, bits, strict=True))
    here = np.outer(np.append(first, 0), np.append(second, 0))
    there = np.outer(np.append(0, first), np.append(0, second))
    return np.maximum(there - math.exp(epsilon) * here, 0).sum()


@pytest.mark.parametrize(("epsilon", "delta"), ((1.0, 1e-3), (0.5, 0.01), (3.0, 1e-6)))
@pytest.mark.parametrize("sizes", ((1, 4), (3, 60), (40, 800)))
def test_exact_composition_of_shuffled_batches(sizes, epsilon, delta):
    """The exact delta is at most the theorem's, and that at most the promised; up to epsilon 1, one batch's noise is too little."""
    bits = chapter("noise_plan")(sizes, epsilon, delta)
    proved = chapter("proved_delta")(sizes, bits, epsilon, delta)
    exact = exact_delta(bits, sizes, epsilon)
    assert 0 < exact <= proved <= delta
    if epsilon > 1:
        return  # few noise bits are enough, and they are far better than the Gaussian that they are compared with
    assert exact > 0.3 * delta
    single = [certified_bits(m, epsilon, delta, 1.0, 1) for m in sizes]
    assert exact_delta(single, sizes, epsilon) > delta


def used(t, sizes):
    """How many batches of each shuffler are in count t, by the formula."""
    above = (*sizes[1:], 10**9)
    return np.array([t % big // m for m, big in zip(sizes, above, strict=True)])


@pytest.mark.parametrize("sizes", ((4,), (3, 12), (1, 2, 4, 8)))
def test_error_of_concurrent_shufflers(sizes):
    """Mean and variance of every count, over 3,000 streams: noise of so many batches, and half of those who wait."""
    runs, horizon = 3000, 50
    bits = chapter("noise_plan")(sizes, 2.0, 0.01)
    count, answers = chapter("concurrent"), np.ones(horizon, dtype=int)
    variances = np.array([one.std(m) ** 2 for m, one in zip(sizes, bits, strict=True)])
    error = np.array([count(answers, sizes, bits, np.random.default_rng(seed)) for seed in range(runs)]) - answers.cumsum()
    for t in range(1, horizon + 1):
        waiting, variance = t % sizes[0], float(used(t, sizes) @ variances)
        if variance == 0:
            assert (error[:, t - 1] == -waiting / 2).all()
            continue
        scores = (error[:, t - 1] + waiting / 2) / math.sqrt(variance)
        assert abs(scores.mean()) < 5.5 / math.sqrt(runs)  # a false alarm per count: 4e-8
        assert abs(scores.var() - 1) < 5.5 * math.sqrt(2 / runs) and waiting <= sizes[0] - 1
    ratio = max([big // m for m, big in itertools.pairwise(sizes)], default=horizon // sizes[0])
    assert all(used(t, sizes)[:-1].max(initial=0) < ratio for t in range(1, horizon + 1))


def test_the_audit_passes_several_shufflers_and_catches_thin_noise():
    """Neighbours in user 1's answer, Eve sees the count after every user."""
    sizes, crowd = (2, 6), np.zeros(12, dtype=int)
    noor, count = np.eye(12, dtype=int)[0], chapter("concurrent")

    def seen(answers, bits, rng):
        shown = count(answers, sizes, bits, rng)
        return shown[[1, 5]]

    for bits, passed in ((chapter("noise_plan")(sizes, 1.0, 0.05), True), (chapter("noise_plan")(sizes, 4.0, 0.05), False)):
        verdict = bdp.audit(lambda data, rng, bits=bits: seen(data, bits, rng), noor, crowd, 1.0, 0.05, 8000,
                            rng=np.random.default_rng(0), progress=False)
        assert verdict.passed is passed


# ---- The floor below private learners ----------------------------------------------------------------------------------------
def floor(horizon, tau, epsilon, mean, gap, raised, worst):
    """The theorem's right side."""
    c = math.log1p(math.expm1(epsilon) * raised / (mean + raised))
    return tau * (1 - math.exp(min(c * tau, 100.0)) * worst / ((raised - gap) * (horizon - tau)))


def sequences(horizon, means, flip):
    """Probability of each sequence of plays: both arms once, then the arm with the better share of flipped answers."""
    chances = {}
    ones = [flip + (1 - 2 * flip) * mean for mean in means]
    for answers in itertools.product((0, 1), repeat=horizon):
        plays, seen = [], [[], []]
        for t in range(horizon):
            share = [np.mean(s) if s else 0.5 for s in seen]
            arm = t if t < 2 else int(share[1] > share[0])
            plays.append(arm)
            seen[arm].append(answers[t])
        weight = math.prod(ones[a] if y else 1 - ones[a] for a, y in zip(plays, answers, strict=True))
        chances[tuple(plays)] = chances.get(tuple(plays), 0.0) + weight
    return chances


@pytest.mark.parametrize("epsilon", (0.2, 1.0))
@pytest.mark.parametrize("raised", (0.3, 0.5))
def test_two_worlds_exactly(epsilon, raised):
    """All sequences of a small private learner: likelihood ratios, and the bound for many tau; without privacy the first fails."""
    horizon, means, gap = 9, (0.6, 0.4), 0.2
    other = (means[0], means[1] + raised)
    c = math.log1p(math.expm1(epsilon) * raised / other[1])
    here, there = (sequences(horizon, world, 1 / (1 + math.exp(epsilon))) for world in (means, other))
    assert sum(here.values()) == pytest.approx(1) and sum(there.values()) == pytest.approx(1)
    for plays, chance in here.items():
        assert chance <= math.exp(c * sum(plays)) * there[plays] * (1 + 1e-12)
    pulls = sum(sum(plays) * chance for plays, chance in here.items())
    worst = sum((horizon - sum(plays)) * chance for plays, chance in there.items()) * (raised - gap)
    bounds = [floor(horizon, tau, epsilon, means[1], gap, raised, worst) for tau in np.linspace(0.1, horizon - 0.1, 200)]
    assert max(bounds) <= pulls
    bare = [sequences(horizon, world, 0.0) for world in (means, (0.6, 1.0))]
    weak = math.log1p(math.expm1(0.2) * 0.6)
    assert any(chance > math.exp(weak * sum(plays)) * bare[1].get(plays, 0.0) for plays, chance in bare[0].items())


@pytest.mark.parametrize(("pure", "epsilon"), ((1.0, 0.5), (3.0, 1.0)))
def test_a_delta_leaves_part_of_the_floor(pure, epsilon):
    """Coins of a larger epsilon are private with a delta, which the step of the proof needs; and the rate that it leaves."""
    right = 1 / (1 + math.exp(-pure))
    delta, raised = right - math.exp(epsilon) * (1 - right), 0.5
    c = math.log1p(math.expm1(epsilon) * raised / (0.4 + raised))
    here, there = (sequences(11, (0.6, mean), 1 - right) for mean in (0.4, 0.4 + raised))
    bare = []
    for few in range(1, 8):
        less, more = (sum(chance for plays, chance in world.items() if sum(plays) <= few) for world in (here, there))
        bare.append(less / (math.exp(c * few) * more))
        assert less <= math.exp(c * few) * more + delta * ((1 + math.expm1(epsilon) * raised) ** few - 1) / math.expm1(epsilon)
    assert pure < 3 or max(bare) > 1  # without the delta's term it is false
    ratios = []
    for e, d, horizon in itertools.product((0.01, 0.1, 1.0), (1e-9, 1e-30, 1e-99), (1e16, 1e50, 1e150)):
        tau, gap = np.geomspace(1, horizon / 2, 4000), 0.1
        told = math.log1p(math.expm1(e) * 2 * gap / 0.7) * tau - math.log(gap * horizon ** (1 / 3)) + math.log(2)
        group = np.log1p(math.expm1(e) * 2 * gap) * tau + math.log(d / math.expm1(e))
        pulls = (tau * (1 - np.exp(np.minimum(told, 1)) - np.exp(np.minimum(group, 1)))).max()
        ratios.append(gap * pulls * e / min(math.log(horizon), math.log(e / d)))
    assert min(ratios) > 0.03 and max(ratios) < 1


def joined(few, epsilon, low, z, high, chance):
    """The least chance of E, N_a <= few, in the world `high`, by Theorem 16.3's proof, from that in `low`; the best kappa."""
    ones = np.arange(few + 1)
    ratio = ones * math.log(z / high) + (few - ones) * math.log((1 - z) / (1 - high))
    mean = z * math.log(z / high) + (1 - z) * math.log((1 - z) / (1 - high))
    best = 0.0
    for kappa in np.linspace(0.0, 1.0, 41):
        unlikely = stats.binom.pmf(ones, few, z)[ratio > few * (mean + kappa) + 1e-12].sum()
        many = stats.binom.sf(math.floor(few * (z - low + kappa) + 1e-12), few, z - low)
        best = max(best, math.exp(-few * (mean + kappa + epsilon * (z - low + kappa))) * (chance - unlikely - many))
    return best


def test_change_of_worlds_exactly():
    """All sequences of a small private learner obey the step from which Theorem 16.3 follows; one without privacy does not."""
    def within(flip, epsilon):
        here, there = (sequences(11, world, flip) for world in ((0.6, 0.4), (0.6, 0.9)))
        for few in range(1, 8):
            less, more = (sum(chance for plays, chance in world.items() if sum(plays) <= few) for world in (here, there))
            for z in np.linspace(0.4, 0.9, 11):
                yield joined(few, epsilon, 0.4, z, 0.9, less) / more
    for epsilon in (0.2, 1.0):
        assert 0.05 < max(within(1 / (1 + math.exp(epsilon)), epsilon)) <= 1
    assert max(within(0.0, 0.2)) > 1


@pytest.mark.parametrize("name", ("DP-SE", "DP-KLUCB"))
def test_private_learners_obey_the_lower_bound(name):
    """Two arms, so regret is the gap times pulls: measured regret against the theorem, with that of the other world put in."""
    horizon, gap = 10**6, 0.1
    for epsilon in (0.02, 0.1, 0.5):
        def regret(means, epsilon=epsilon):
            problem = BernoulliArms(means)
            learner = bdp.make(name, problem, horizon=horizon, epsilon=epsilon)
            result = bdp.simulate(learner, problem, horizon, runs=10, seed=3, progress=False)
            return result.mean[-1], result.std_error[-1]

        lost, error = regret([0.6, 0.5])
        pulls, best = (lost + 4 * error) / gap, 0.0
        for raised in (0.2, 0.3, 0.45):
            worst = regret([0.6, 0.5 + raised])[0]
            best = max(best, *(floor(horizon, tau, epsilon, 0.5, gap, raised, worst) for tau in np.geomspace(1, horizon / 2, 300)))
        assert 0 < best <= pulls
