"""What chapter 13 claims: what an audit proves and what it does not, and what the last bits of an output tell."""

import itertools
import math
import re
from functools import partial

import numpy as np
import pytest
from scipy import stats
from scipy.special import betaincinv

import bandits_dp as bdp
from checkout import ROOT
from tests.chapters import cells, changed

CHAPTER = "13_auditing"
FALSE_ALARM = 1e-6  # of each statistical test here, with fixed seeds
BLOCKS = re.findall(r"```python\n(.*?)```", (ROOT / "book" / "not_covered.md").read_text("utf-8"), flags=re.DOTALL)


def lower_bound(more, less, runs, delta, confidence):
    """Clopper and Pearson's limits for many counts at once, and the chapter's bound."""
    level, more, less = (1 - confidence) / 2, np.asarray(more, float), np.asarray(less, float)
    p = np.where(more > 0, betaincinv(np.maximum(more, 1), runs - more + 1, level), 0.0)
    q = np.where(less < runs, betaincinv(less + 1, np.maximum(runs - less, 1), 1 - level), 1.0)
    return np.log(np.maximum(p - delta, 1e-300) / q)


# ---- What an audit proves ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("p", "q", "delta"), [(0.5, 0.5 * math.exp(-1), 0.0), (0.3, 0.1, 0.05), (1.0, 0.3, 0.0), (0.3, 0.0, 0.2)])
def test_an_audit_is_wrong_as_rarely_as_declared(p, q, delta):
    """The exact probability of a bound above the truth, over all pairs of counts, is at most 1 - confidence."""
    runs = 60
    truth = math.log((p - delta) / q) if q else math.inf
    k, less = np.meshgrid(np.arange(runs + 1), np.arange(runs + 1), indexing="ij")
    chance = stats.binom.pmf(k, runs, p) * stats.binom.pmf(less, runs, q)
    for confidence in (0.6, 0.9, 0.99):
        wrong = chance[lower_bound(k, less, runs, delta, confidence) > truth + 1e-12].sum()
        assert wrong <= 1 - confidence
    if math.isfinite(truth):
        claimed_less = chance[lower_bound(k, less, runs, delta, 0.6) > truth - 3].sum()
        assert claimed_less > 0.4  # and it does refute claims that are too small


def test_choosing_on_one_half_is_free():
    """Fifty fair signs that tell nothing: the best of them, counted in the runs that chose it, and in new ones."""
    rng, wrong, tries = np.random.default_rng(0), np.zeros(2), 4000
    hits = rng.binomial(400, 0.5, (2, 2, tries, 50))  # half, world, try, entry
    best = (hits[0, 0] - hits[0, 1]).argmax(axis=1)
    for half in (0, 1):
        k, less = hits[half, :, np.arange(tries), best].T
        wrong[half] = (lower_bound(k, less, 400, 0.0, 0.9) > 0).sum()
    assert wrong[1] <= stats.binom.isf(FALSE_ALARM, tries, 0.1)
    assert wrong[0] > 2 * stats.binom.isf(FALSE_ALARM, tries, 0.1)


def test_no_event_beats_the_likelihood_ratio():
    """All 2^8 events of random mechanisms with eight outputs; and the exact delta of a Gaussian from its threshold."""
    rng = np.random.default_rng(1)
    events = np.array(list(itertools.product([False, True], repeat=8)))
    for _ in range(50):
        f, g = rng.dirichlet(np.full(8, 0.5), 2)
        for epsilon in (0.0, 0.5, 2.0):
            best = (f > math.exp(epsilon) * g) @ (f - math.exp(epsilon) * g)
            assert (events @ (f - math.exp(epsilon) * g)).max() == pytest.approx(best)
    for epsilon, std in ((0.5, 1.0), (2.0, 0.7)):
        cut = 0.5 - epsilon * std**2  # where the log-ratio of N(0) against N(1) equals epsilon
        value = stats.norm.cdf(cut, 0, std) - math.exp(epsilon) * stats.norm.cdf(cut, 1, std)
        assert value == pytest.approx(bdp.accounting.gaussian_delta(std, epsilon, 1.0))


def outputs_of_a_sum(users, b):
    """Probability of every output given every setting of the coins: a sum with discrete Laplace noise, cut at 30."""
    coins = np.array(list(itertools.product([0, 1], repeat=users)))
    noise = np.exp(-np.abs(np.arange(-30, 31 + users) - coins.sum(axis=1)[:, None]) / b)
    return coins, noise / noise.sum(axis=1, keepdims=True)


def outputs_of_messages(users, epsilon):
    """The same for randomized response, whose outputs are all settings of the messages: here the bound is met."""
    coins = np.array(list(itertools.product([0, 1], repeat=users)))
    right = (coins[:, None] == coins[None]).sum(axis=2)
    return coins, np.exp(epsilon * right) / (1 + math.exp(epsilon)) ** users


@pytest.mark.parametrize("users", (1, 3))
@pytest.mark.parametrize("epsilon", (0.3, 1.0))
def test_one_run_is_wrong_as_rarely_as_declared(users, epsilon):
    """Given any output, for all ways to guess: right guesses are no more than binomial; with more than epsilon they are."""
    def excess(coins, law, epsilon):
        worst = -1.0
        for y in law.T / law.sum(axis=0)[:, None]:  # the coins, given an output
            for guess in itertools.product([0, 1, -1], repeat=users):
                made, right, p = sum(one >= 0 for one in guess), (coins == guess).sum(axis=1), 1 / (1 + math.exp(-epsilon))
                tails = [y[right >= k].sum() - stats.binom.sf(k - 1, made, p) for k in range(1, made + 1)]
                worst = max([worst, *tails])
        return worst

    assert excess(*outputs_of_messages(users, epsilon), epsilon) == pytest.approx(0, abs=1e-12)
    coins, law = outputs_of_a_sum(users, 1 / epsilon)
    loss = np.abs(np.log(law[0] / law[1])).max()  # a little above epsilon, as the noise is cut
    assert excess(coins, law, loss) <= 1e-12
    assert excess(*outputs_of_messages(users, 1.2 * epsilon), epsilon) > 0.01


def test_rare_faults_stay_unseen():
    """Verdicts on a sound mechanism and on one with a rare fault differ no more often than the faults strike."""
    share, runs, tries = 2e-4, 1000, 400

    def sound(data, rng, runs):
        return data + rng.laplace(0, 1.0, runs)

    def faulty(data, rng, runs):
        y = sound(data, rng, runs)
        strikes = rng.random(runs) < share
        struck.append(strikes.any())
        return np.where(strikes, 100.0 + data, y)

    differ = hit = 0
    for seed in range(tries):
        struck = []
        check = partial(bdp.audit, a=0.0, b=1.0, epsilon=1.0, delta=0.0, trials=runs, progress=False)
        # the fault's coins come after the noise, so both see the same noise on a; on b the streams would part
        found = check(bdp.Vectorized(faulty), rng=np.random.default_rng(seed))
        hit += any(struck)
        if not any(struck):
            plain = bdp.Vectorized(lambda data, rng, n: (sound(data, rng, n), rng.random(n))[0])
            differ += str(found) != str(check(plain, rng=np.random.default_rng(seed)))
    assert differ == 0
    chance = 1 - (1 - share) ** (2 * runs)
    assert chance <= 2 * share * runs
    assert abs(hit - tries * chance) < stats.norm.isf(FALSE_ALARM / 2) * math.sqrt(tries * chance * (1 - chance))


# ---- The last bits -----------------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def sampler():
    """The textbook's sampler and Eve's test, as they stand in the chapter."""
    names = {"np": np, "math": math}
    exec(cells(CHAPTER)["sampler"].source.split("rng = ")[0], names)
    return names


@pytest.mark.parametrize("b", (0.5, 1.0, 3.0))
def test_textbook_laplace_betrays_its_count(sampler, b):
    """Every output can be made from its own count, most not from the other one; at scale 1, where rounding is the same, numpy's."""
    rng, samplers = np.random.default_rng(2), [sampler["textbook"], lambda count, rng, runs, b: rng.laplace(count, b, runs)]
    for draw, count in itertools.product(samplers if b == 1 else samplers[:1], (0, 1)):
        y = draw(count, rng, 4000, b)
        assert sampler["reachable"](y, count, b).all()
        assert sampler["reachable"](y, 1 - count, b).mean() < 0.5
    noise = sampler["textbook"](0, rng, 50_000, b)
    assert stats.kstest(noise / b, stats.laplace.cdf).pvalue > FALSE_ALARM  # it is Laplace noise all the same


# ---- What the chapter shows --------------------------------------------------------------------------------------------------


def test_the_page_on_what_is_not_covered_runs():
    """Every block of the page runs as it stands, in order, and its assertions hold."""
    assert len(BLOCKS) >= 8
    names = {"__name__": "not_covered"}
    for block in BLOCKS:
        exec(compile(block, "not_covered.md", "exec"), names)


def test_a_reader_may_take_other_runs_and_the_right_noise(capsys):
    """The bound took 5,000 runs whatever had been run, and the right noise ended in StopIteration."""
    here = changed("13_auditing", "by-hand", {"trials, rng = 5000": "trials, rng = 1000"})
    there = changed("13_auditing", "limits", {}, betaincinv=betaincinv, hits=here["hits"], trials=here["trials"])
    assert f"at least {there['bound'](*here['hits'], 1000):.2f}" in capsys.readouterr().out
    totals, rng = [100, 1000], np.random.default_rng(1)
    right = {world: rng.laplace(shift, 1.0, totals[-1]) for world, shift in (("X", 0), ("X′", 1))}
    source = cells("13_auditing")["scene-check"].source.split("\n", 1)[1].split("assert")[0]
    exec(source, space := {"np": np, "math": math, "bound": there["bound"], "outputs": right, "totals": totals, "numbers": {}})
    assert space["numbers"] == {"scene-first": "inf", "scene-rare": "inf"}
