"""DP-SE, DP-UCB, graded rewards and unknown horizons: plain loops as oracles, live use, and Table 1 of Tenenbaum et al."""

import itertools
import math
from bisect import bisect_left

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import minimize_scalar

import bandits_dp as bdp
from bandits_dp.app.streams import CountedBatches
from bandits_dp.arms.app import RunningApp
from bandits_dp.arms.running_widths import ExactWidth, TreeWidth
from bandits_dp.arms.widths import ChernoffWidth
from bandits_dp.continual import FactorizationCounter, HybridCounter, TreeCounter, TwoLevelCounter
from bandits_dp.learners import UCB
from bandits_dp.play.paths import path_for
from bandits_dp.play.plain import play_plainly
from bandits_dp.privatizers import CentralLaplace, LocalLaplace, RandomizedResponse
from bandits_dp.privatizers.domain import BITS, UNIT_INTERVAL, Box
from bandits_dp.problems import BernoulliArms, GradedArms
from bandits_dp.serve.restarts import Restarts
from tests.small_problems import generators, served

FALSE_ALARM = 1e-6  # of each statistical test here, with fixed seeds
PROBLEM = BernoulliArms([0.2, 0.9, 0.5, 0.6])
STARS = GradedArms([0.0, 0.25, 0.5, 0.8, 1.0], [[0.1, 0.1, 0.2, 0.3, 0.3], [0.05, 0.05, 0.1, 0.2, 0.6], [0.3, 0.3, 0.2, 0.2, 0.0]])


def live(learner, problem, rounds, answers, noise):
    """Somebody's own loop, with as many users at once as the batch lacks; returns the arms."""
    arms = []
    while len(arms) < rounds:
        ticket = learner.act(users=min(learner.missing, rounds - len(arms)))
        mine = [ticket.arm] * ticket.users
        learner.update(ticket, problem.reward_quantiles(np.array(mine), answers.random(ticket.users)), noise)
        arms += mine
    return arms


def published_batch(viable, epoch, epsilon, horizon):
    """R_e and h_e + c_e of DP-SE in our reading of Sajed & Sheffet, with beta = 1 / T."""
    gap, first, second = 2.0**-epoch, math.log(8 * viable * epoch**2 * horizon), math.log(4 * viable * epoch**2 * horizon)
    users = math.ceil(max(32 * first / gap**2, 8 * second / (epsilon * gap)) + 1)
    return users, math.sqrt(first / (2 * users)) + second / (epsilon * users)


def certified_batch(viable, epoch, epsilon, horizon):
    """The fewest users whose Chernoff width, over a fine grid, is at most a quarter of the gap; and that width."""
    phases = max(1, int(math.log(1 + 3 * horizon / (64 * math.log(2)), 4)))
    log_failure = math.log(2 * phases * horizon)

    def width(users):
        s = ChernoffWidth(horizon, phases).s
        s = s[s < epsilon]
        return ((users * s**2 / 8 - np.log1p(-((s / epsilon) ** 2)) + log_failure) / (s * users)).min()

    fewest = bisect_left(range(2**40), True, lo=1, key=lambda users: width(users) <= 2.0**-epoch / 4)
    return fewest, width(fewest)


@pytest.mark.usefixtures("densities")
@pytest.mark.parametrize(("calibration", "batch"), (("theorem", published_batch), ("certified", certified_batch)))
def test_dp_se_matches_the_plain_loop(calibration, batch):
    """Live DP-SE against the algorithm as one would write it on a blackboard, with the same rewards and noise: the same arms."""
    horizon, epsilon = 60_000, 0.5
    problem, eliminated = BernoulliArms([0.9, 0.2, 0.75, 0.8]), 0
    learner = bdp.make("DP-SE", problem, horizon=horizon, epsilon=epsilon, calibration=calibration)
    arms = live(learner, problem, horizon, *np.random.default_rng(0).spawn(2))
    answers, noise = np.random.default_rng(0).spawn(2)
    viable, plain, epoch = [0, 1, 2, 3], [], 0
    while len(plain) < horizon:
        epoch += 1
        users, width = batch(len(viable), epoch, epsilon, horizon)
        if len(viable) == 1 or len(plain) + users * len(viable) > horizon:  # nothing is decided any more
            rest = itertools.cycle(np.repeat(viable, users).tolist())
            plain += itertools.islice(rest, horizon - len(plain))
            break
        means = {}
        for arm in viable:  # fresh rewards and fresh noise; earlier epochs are forgotten
            rewards = answers.random(users) < problem.means[arm]
            means[arm] = CentralLaplace(users, epsilon, domain=BITS).release(rewards.astype(float), noise)[0] / users
            plain += [arm] * users
        best = max(means.values())
        eliminated += sum(best - means[arm] > 2 * width for arm in viable)
        viable = [arm for arm in viable if best - means[arm] <= 2 * width]
    assert arms == plain
    assert eliminated >= 3


def plain_dp_ucb(counters, problem, horizon, answers, noise, width):
    """DP-UCB as one would write it: a counter per arm, one round after the other; returns arms."""
    sums, pulls, arms = [0.0] * problem.arms, [0] * problem.arms, []
    for t in range(1, horizon + 1):
        index = [s / n + width(n, t) if n else math.inf for s, n in zip(sums, pulls, strict=True)]
        arm = index.index(max(index))
        sums[arm] = counters[arm].add(problem.reward_quantiles(np.array([arm]), answers.random(1)), noise)[0]
        pulls[arm] += 1
        arms.append(arm)
    return arms


@pytest.mark.usefixtures("densities")
@pytest.mark.parametrize(("problem", "options", "kind"), (
    (STARS, {"calibration": "certified"}, TreeCounter), (PROBLEM, {"calibration": "theorem"}, TreeCounter),
    (PROBLEM, {"noise": "gaussian", "counter": "tree"}, TreeCounter),
    (PROBLEM, {"noise": "gaussian", "counter": "factorization"}, FactorizationCounter)), ids=str)
def test_dp_ucb_matches_the_plain_loop(problem, options, kind):
    """Three programs, one path: counters as arrays in the simulator, the live loop, and a counter for every arm.

    Gaussian counters have the exact noise of (epsilon, delta), and the closed form of Chernoff's bound as width.
    """
    horizon, k, delta = 1500, problem.arms, 1e-6 if "noise" in options else 0.0
    learner, again = (bdp.make("DP-UCB", problem, horizon=horizon, epsilon=4.0, delta=1e-6, **options) for _ in range(2))
    counters = [kind(horizon, 4.0, delta, problem.domain, noise="gaussian" if delta else "laplace") for _ in range(k)]
    relaxation = k * math.log(horizon) ** 2 * math.log(k * horizon**2 * math.log(horizon)) / 4.0
    stds, log = counters[0].error_std(np.arange(1, horizon + 1)), math.log(2 * horizon**2)
    for counter in counters:
        counter.noise_std = learner.sample.noise_std if not delta else counter.noise_std

    def width(n, t):
        if delta:
            return math.sqrt(2 * log * (n / 4 + stds[n - 1] ** 2)) / n
        if options["calibration"] == "theorem":
            return math.sqrt(2 * math.log(t) / n) + relaxation / n
        return float(TreeWidth.half_width(learner.learner.width, np.array([n]), t)[0])

    result = bdp.simulate(learner, problem, horizon, runs=3, seed=5, progress=False)
    plain = plain_dp_ucb(counters, problem, horizon, *generators(5, 2), width)
    assert live(again, problem, horizon, *generators(5, 2)) == plain
    assert result.regret[2] == pytest.approx(np.cumsum(problem.gaps[plain])[result.rounds - 1])
    assert 0.1 < plain.count(int(problem.gaps.argmin())) / horizon < 1
    assert (learner.guarantee.epsilon, learner.guarantee.delta, learner.guarantee.model) == (4.0, delta, "central")
    assert not delta or (learner.guarantee.proved and "exact Gaussian mechanism" in learner.guarantee.reason)


@pytest.mark.parametrize(("horizon", "epsilon"), ((10, 1.0), (1000, 1.0), (10**5, 0.1), (10**5, 10.0)))
def test_tree_width_is_the_best_chernoff_bound(horizon, epsilon):
    """The grid loses at most 1% against a fine minimisation over s, and the minimum of a valid bound is never undercut."""
    width = TreeWidth(TreeCounter(horizon, epsilon, 0.0, noise="laplace"))
    assert width.log_failure == pytest.approx(math.log(2 * horizon**2))
    for n in {1, 2, 3, 7, min(127, horizon), horizon // 2, horizon}:
        def bound(log_s, n=n):
            s = math.exp(log_s)
            return (n * s**2 / 8 - n.bit_count() * math.log1p(-((s * width.scale) ** 2)) + width.log_failure) / (s * n)

        found = minimize_scalar(bound, bounds=(-20, -math.log(width.scale) - 1e-12), method="bounded", options={"xatol": 1e-10})
        best = found.fun
        assert best * (1 - 1e-9) <= width.half_width(np.array([n]), 1)[0] <= 1.01 * best


@pytest.mark.parametrize(
    "counter", (HybridCounter(None, 4.0, 0.1), FactorizationCounter(900, 4.0, 0.1), TwoLevelCounter(900, 4.0, 0.1))
)
def test_any_counter_of_numbers_serves_ucb(counter):
    """It is released after every answer, and the plain loop plays it: nothing fast is needed."""
    learner = RunningApp(UCB(4, ExactWidth()), CountedBatches(counter), 4, 600, counter.guarantee)
    assert path_for(learner, PROBLEM) is play_plainly
    result = bdp.simulate(learner, PROBLEM, 600, runs=2, seed=1, progress=False)
    assert (result.bits == 64 * 600).all() and result.mean[-1] < 0.9 * 600 * PROBLEM.gaps.mean()
    live(learner, PROBLEM, 60, *np.random.default_rng(0).spawn(2))
    assert sum(slot.source.counter.steps for slot in learner.slots) == learner.played == learner.learner.pulls.sum() == 60


def test_a_counter_of_ucb_is_fresh_and_long_enough():
    used = TreeCounter(10, 1.0, 0.0, noise="laplace")
    used.add(1.0, np.random.default_rng(0))
    for counter in (TreeCounter(9, 1.0, 0.0, noise="laplace"), TreeCounter(10, 1.0, 0.0, Box(2, 0.0, 1.0), noise="laplace"), used):
        with pytest.raises(ValueError, match="counter must be a fresh one for 10 numbers"):
            RunningApp(UCB(4, TreeWidth(counter)), CountedBatches(counter), 4, 10, counter.guarantee)


def test_graded_rewards_have_their_law():
    """Quantiles, single rewards and tallies, against the probabilities (chi-square); means and gaps by hand."""
    rng = np.random.default_rng(0)
    assert STARS.means == pytest.approx([0.665, 0.8225, 0.335]) and STARS.gaps == pytest.approx([0.1575, 0, 0.4875])
    for arm, chances in enumerate(STARS.probabilities):
        n, seen = 100_000, chances > 0
        drawn = STARS.rewards(arm, n, rng)
        assert drawn.shape == (n, 1)
        values, tally = STARS.reward_tally(np.array([arm, 2]), n, rng)
        assert tally.shape == (2, 5) and (tally.sum(axis=1) == n).all() and (values == STARS.values).all()
        for counts in ((drawn == STARS.values).sum(axis=0), tally[0]):
            assert counts.sum() == n and (counts[~seen] == 0).all()
            assert stats.chisquare(counts[seen], n * chances[seen]).pvalue > FALSE_ALARM
    edges = np.array([0.0, 0.099, 0.101, 0.699, 0.999999])
    assert STARS.reward_quantiles(np.zeros(5, dtype=int), edges) == pytest.approx([0, 0, 0.25, 0.8, 1])


def test_local_noise_follows_the_rewards():
    """Randomized response for bits unless Laplace noise is asked for; Laplace noise for everything else."""
    def privatizer(problem, **options):
        return bdp.make("LDP-AE", problem, horizon=1000, epsilon=1.0, **options).privatizers[0]

    assert isinstance(privatizer(PROBLEM), RandomizedResponse)
    assert isinstance(privatizer(PROBLEM, noise="laplace"), LocalLaplace) and privatizer(PROBLEM, noise="laplace").domain == BITS
    assert isinstance(privatizer(STARS), LocalLaplace) and privatizer(STARS).domain == UNIT_INTERVAL


@pytest.mark.parametrize(("growth", "horizons"), (("double", [100, 200, 400, 800]), ("square", [37, 37**2])))
def test_unknown_horizons_restart(growth, horizons):
    """Real messages: the simulator's run is that of learners for known horizons one after another, and so is the live loop."""
    options, rounds = {"epsilon": 4.0, "delta": 0.1, "fidelity": "messages"}, sum(horizons)
    learner = served("VB-SDP-AE", PROBLEM, first_horizon=horizons[0], growth=growth, **options)
    assert isinstance(learner, Restarts) and learner.horizon >= 10**18
    assert (learner.guarantee.epsilon, learner.guarantee.delta, learner.guarantee.model) == (4.0, 0.1, "shuffle")
    assert "all later ones have other users" in str(learner.guarantee)
    result = bdp.simulate(learner, PROBLEM, rounds, runs=2, seed=3, progress=False)
    assert result.name == "VB-SDP-AE, unknown horizon"
    for run in range(2):
        rng, other = (np.random.default_rng(np.random.SeedSequence(3, spawn_key=(run,))) for _ in range(2))
        plain, bits = [], 0.0
        again = served("VB-SDP-AE", PROBLEM, first_horizon=horizons[0], growth=growth, **options)
        for horizon in horizons:
            one = bdp.make("VB-SDP-AE", PROBLEM, horizon=horizon, **options)
            arms = live(one, PROBLEM, horizon, *rng.spawn(2))
            assert live(again, PROBLEM, horizon, *other.spawn(2)) == arms
            plain += arms
            bits += one.bits
        assert result.bits[run] == bits
        assert result.regret[run] == pytest.approx(np.cumsum(PROBLEM.gaps[plain])[result.rounds - 1])
        assert again.stage == len(horizons) and again.played == rounds and again.bits == bits

