"""KL-UCB in batches: its bound against exact tails and the divergence, a plain loop, its regret bound, and the two floors."""

import itertools
import math

import numpy as np
import pytest
from scipy import optimize, stats

import bandits_dp as bdp
from bandits_dp.arms.kl_ucb import most_batches, next_batch
from bandits_dp.arms.kl_widths import ChernoffBound
from bandits_dp.privatizers import CentralLaplace, RandomizedResponse
from bandits_dp.problems import BernoulliArms
from tests.test_arm_comparators import live

FALSE_ALARM = 1e-6


def divergence(p, q):
    return sum(x * math.log(x / y) for x, y in ((p, q), (1 - p, 1 - q)) if x)


def cheapest_change(epsilon, low, high):
    """d_epsilon(low, high): the least of epsilon (z - low) + KL(z, high)."""
    def cost(z):
        return epsilon * (z - low) + divergence(z, high)
    inside = optimize.minimize_scalar(cost, bounds=(low, high), method="bounded", options={"xatol": 1e-10})
    return min(inside.fun, cost(low), cost(high))


@pytest.mark.parametrize(("ones", "rewards"), ((0, 10), (70, 100), (5000, 100_000), (99_900, 100_000)))
def test_without_noise_it_is_the_bound_of_kl_ucb(ones, rewards):
    bound = ChernoffBound(10**6, 30)
    seen, upper = ones / rewards, bound.upper(ones, rewards, 0.0)
    exact = optimize.brentq(lambda mean: rewards * divergence(seen, mean) - bound.log_failure, seen + 1e-12, 1 - 1e-12)
    assert exact - 1e-12 <= upper <= exact + 0.01 * (exact - seen)  # the grid costs a little, and proves as much


@pytest.mark.parametrize("mean", (0.02, 0.5, 0.9))
@pytest.mark.parametrize("noise", (CentralLaplace(60, 0.3), RandomizedResponse(60, 1.5)), ids=("laplace", "response"))
def test_the_bound_holds_but_not_without_the_tails_of_the_noise(noise, mean):
    """P = 4, T = 5: at most one release in twenty is contradicted."""
    bound, rng, runs = ChernoffBound(5, 4), np.random.default_rng(3), 20_000
    sums = noise.release_sum(rng.binomial(60, mean, runs).astype(float), rng)
    failed, forgetful = ((np.array([bound.upper(total, 60, tails) for total in sums]) < mean).sum()
                         for tails in (noise.log_mgf(bound.s), 0.0))
    assert stats.binom.sf(failed - 1, runs, 0.05) > FALSE_ALARM > stats.binom.sf(forgetful - 1, runs, 0.05)


PRIVATE = {"KL-UCB": (bdp.privatizers.Identity, {}), "DP-KLUCB": (CentralLaplace, {"epsilon": 0.5}),
           "SDP-KLUCB": (bdp.privatizers.BinarySum, {"epsilon": 2.0, "delta": 1e-3}),
           "LDP-KLUCB": (RandomizedResponse, {"epsilon": 2.0})}


@pytest.mark.parametrize("name", PRIVATE)
def test_kl_ucb_matches_the_plain_loop(name):
    """Live use against the algorithm as one would write it on a blackboard, with the same rewards and noise: the same arms."""
    kind, privacy = PRIVATE[name]
    horizon, problem = 5000, BernoulliArms([0.6, 0.9, 0.2])
    learner = bdp.make(name, problem, horizon=horizon, **privacy)
    arms = live(learner, problem, horizon, *np.random.default_rng(1).spawn(2))
    first, (answers, coins) = max(1, math.ceil(kind(1, **privacy).noise_std)), np.random.default_rng(1).spawn(2)
    level = math.log(horizon * most_batches(horizon, first))
    sizes, sums, upper, tails, plain = [0] * 3, [0.0] * 3, [1.0] * 3, [0.0] * 3, []
    while len(plain) < horizon:
        arm = min(range(3), key=lambda a: (-round(upper[a], 10), sizes[a]))
        users = math.ceil(sizes[arm] / 2) or first
        if len(plain) + users >= horizon:
            plain += [arm] * (horizon - len(plain))
            break
        noisy, s = kind(users, **privacy), learner.learner.bound.s
        sums[arm] += noisy.release(problem.rewards(arm, users, answers), coins)[0]
        sizes[arm] += users
        tails[arm] = tails[arm] + noisy.log_mgf(s)
        decay = (level + tails[arm] + s * sums[arm]) / sizes[arm]
        upper[arm] = ((1 - np.exp(-np.maximum(decay, 0.0))) / (1 - np.exp(-s))).min()
        plain += [arm] * users
    assert arms == plain and len(set(arms)) == 3 and arms.count(1) > horizon / 2


def proved(problem, horizon, noise, first):
    """Theorem 7.2: every bad arm is pulled until its bound must be below the best mean, and K pulls for what fails."""
    bound = ChernoffBound(horizon, most_batches(horizon, first))
    s, best, total = bound.s, problem.means.max(), problem.gaps.max() * problem.arms
    for mean, gap in zip(problem.means, problem.gaps, strict=True):
        rewards, tails = 0, np.zeros_like(s)
        while gap and rewards < horizon:
            batch = noise(next_batch(rewards, first))
            rewards, tails = rewards + batch.users, tails + batch.log_mgf(s)
            most = ((rewards * np.log1p(mean * np.expm1(s)) + tails + math.log(horizon)) / s).min()  # but with probability 1 / T
            if bound.upper(most, rewards, tails) < best:
                break
        total += gap * min(rewards, horizon)
    return total


@pytest.mark.parametrize("name", ("KL-UCB", "DP-KLUCB", "LDP-KLUCB"))
def test_regret_is_within_its_bound(name, horizon=10**6):
    """And both are below what random play loses; the bound holds the mean of runs, and most of what it allows is lost."""
    kind, privacy = PRIVATE[name]
    problem = BernoulliArms([0.9] + [0.6] * 4)
    result = bdp.simulate(bdp.make(name, problem, horizon=horizon, **privacy), problem, horizon, runs=20, progress=False)
    bound = proved(problem, horizon, lambda users: kind(users, **privacy), max(1, math.ceil(kind(1, **privacy).noise_std)))
    assert result.mean[-1] < bound < horizon * problem.gaps.mean() / 50
    assert result.mean[-1] > bound / 6


def test_the_limited_exponent_is_the_cheapest_change():
    """Theorem 16.3's d_epsilon and what Chernoff's bound reaches with exponents up to epsilon are the same number."""
    for low, high, epsilon in itertools.product((0.05, 0.3, 0.7), (0.75, 0.95), (0.01, 0.3, 1.0, 5.0)):
        reached = max(-s * low - math.log1p(high * math.expm1(-s)) for s in np.linspace(0, epsilon, 20_001))
        assert reached == pytest.approx(cheapest_change(epsilon, low, high), rel=1e-6)


def test_the_last_batch_fits_and_a_tiny_horizon_is_played():
    for horizon, first in ((1, 1), (7, 3), (1000, 1), (10**9, 20)):
        total, rewards = most_batches(horizon, first), 0
        for _ in range(total):
            rewards += next_batch(rewards, first)
        assert (rewards <= horizon < rewards + next_batch(rewards, first)) or total == 1
    problem = BernoulliArms([0.5, 0.4])
    assert bdp.simulate(bdp.make("DP-KLUCB", problem, horizon=1, epsilon=1e-6), problem, 1, runs=2, progress=False).mean[-1] == 0.0
