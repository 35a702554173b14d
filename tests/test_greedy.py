"""A learner that never explores (LDP-OLS, Theorem 10.5): each step of its bound on runs, and planted faults."""

import math

import numpy as np
import pytest
from scipy import stats

import bandits_dp as bdp
from bandits_dp._ties import first_largest
from bandits_dp.app.streams import FreshBatches
from bandits_dp.contextual import fast
from bandits_dp.contextual.app import ContextsApp
from bandits_dp.contextual.greedy_radius import GreedyRadius
from bandits_dp.contextual.linucb import LinUCB
from bandits_dp.contextual.private_radius import CertifiedRadius
from bandits_dp.contextual.radius import self_normalized
from bandits_dp.privatizers import LinearStatistics, LocalGaussian
from bandits_dp.problems import ContextualLinear

FALSE_ALARM = 1e-6  # of each statistical test here, with fixed seeds
FAILURE = 0.3  # of the bounds on noise, and once more of the bound on the exact matrix
FRESH = ContextualLinear(arms=3, dimension=3, fixed=False)
DIVERSITY = 0.07  # below what 400,000 users of FRESH give in any direction, 0.072 (test_contexts_are_as_diverse_as_declared)


def diversity(problem, theta, users=400_000):
    """Estimate the least eigenvalue of E[phi phi'], phi what theta ranks first."""
    features = problem.contexts(problem.numbers(np.random.default_rng(0), users))
    phi = features[np.arange(users), first_largest(features @ theta)]
    return float(np.linalg.eigvalsh(phi.T @ phi / users)[0])


def errors(radius, t, least, failure=FAILURE):
    """Return what the theorem says of the estimate's error after t users, all of them at least t_0."""
    d, noise = radius.dimension, radius.vector_bound[t] + np.maximum(1, radius.matrix_bound[t]) * radius.theta_norm
    rewards = np.array([self_normalized(d, users, 1.0, math.log(3 / failure)) for users in t])
    return 1.2 * radius.reward_std * rewards * np.sqrt(2 / (least * t)) + 2 * noise / (least * t)


def first(least, dimension, failure=FAILURE):
    """Return t_0."""
    return math.ceil(7 * math.log(dimension / failure) / least)


def promised(radius, horizon, least, failure=FAILURE):
    t_0, d = first(least, radius.dimension, failure), radius.dimension
    t = np.arange(t_0, horizon)
    noise = radius.vector_bound[t] + np.maximum(1, radius.matrix_bound[t]) * radius.theta_norm
    rewards = self_normalized(d, horizon, 1.0, math.log(3 / failure))
    return t_0 + 6.8 * radius.reward_std * rewards * math.sqrt(horizon / least) + 4 / least * float((noise / t).sum())


def steps(quieter=1.0, rule=GreedyRadius, horizon=3000, runs=60, epsilon=3.0):
    """Play, and say for each run and each t what holds: name -> array (horizon, runs) of the two sides of an inequality.

    The noise that the radius knows of is so many times quieter than the one that is drawn.
    """
    noise = LocalGaussian(1, epsilon, 1e-4, domain=LinearStatistics(3))
    stream = FreshBatches(noise)
    law = stream.law(horizon)
    law = type(law)(law.vector_std / quieter, law.matrix_std / quieter, True)
    radius = rule(3, 1, law, 0.5, FAILURE)
    live = ContextsApp(LinUCB(3, radius), stream, FRESH, horizon)
    rngs = [np.random.default_rng([25, run]) for run in range(runs)]
    worlds = [FRESH.draw(rng) for rng in rngs]
    numbers = np.stack([world.numbers(rng, horizon) for world, rng in zip(worlds, rngs, strict=True)])
    theta, together = np.stack([world.theta for world in worlds]), fast.Runs(live, rngs)
    G, xi = np.zeros((runs, 3, 3)), np.zeros((runs, 3))
    told = {name: np.zeros((2, horizon, runs)) for name in ("exact matrix", "released matrix", "noise", "estimate", "gap")}
    t_0, t = first(DIVERSITY, 3), np.arange(horizon)
    bound = np.append(np.full(t_0, np.inf), errors(radius, t[t_0:], DIVERSITY))
    for users in range(horizon):
        model = together.player.learner
        error = model.theta - theta
        V, distance = np.broadcast_to(np.linalg.inv(model.inverse), (runs, 3, 3)), np.linalg.norm(error, axis=1)
        ridge = max(1.0, radius.matrix_bound[users])
        low = (DIVERSITY * users / 2 - math.log(3 / FAILURE)) / math.log(2)
        rest = np.linalg.norm(np.einsum("rij,rj->ri", V, error) - xi, axis=1)
        features = np.concatenate([world.contexts(own[None, users]) for world, own in zip(worlds, numbers, strict=True)])
        means = np.einsum("rad,rd->ra", features, theta)
        arms = model.choose(features[:, None])[:, 0]
        mean = means[np.arange(runs), arms]
        for name, left, right in (
            ("exact matrix", low, np.linalg.eigvalsh(G)[:, 0]), ("released matrix", 0.0, np.linalg.eigvalsh(V - G)[:, 0]),
            ("noise", rest, radius.vector_bound[users] + ridge), ("estimate", distance, bound[users]),
            ("gap", means.max(axis=1) - mean, 2 * distance)):
            told[name][0, users], told[name][1, users] = left, right
        phi = features[np.arange(runs), arms]
        y = (FRESH.chances(numbers[:, users]) < mean).astype(float)
        G += phi[:, :, None] * phi[:, None, :]
        xi += phi * (y - mean)[:, None]
        together.learn(phi[:, None], y[:, None])
    return told, radius


def fail(told, name):
    left, right = told[name]
    return int((left > right + 1e-8).any(axis=0).sum())


def test_contexts_are_as_diverse_as_declared():
    """Only the direction of the first two numbers of theta matters, and no direction is special; 4 standard errors are 0.0003."""
    for theta in ([1.0, 0.0, 0.0], [0.0, -1.0, 3.0], [0.6, 0.8, -1.0], [0.0, 0.0, 0.0]):
        assert diversity(FRESH, np.array(theta)) > DIVERSITY + 0.001


@pytest.fixture(scope="module")
def played():
    return steps()


def test_the_bound_holds_step_by_step(played):
    """Every inequality of the proof, for all t at once; none fails more often than it may, and none is absurdly loose."""
    told, radius = played
    runs = told["gap"].shape[-1]
    assert fail(told, "gap") == 0  # it needs no luck
    for name, chance in (("exact matrix", FAILURE), ("released matrix", FAILURE / 3), ("noise", 2 * FAILURE / 3),
                         ("estimate", 2 * FAILURE)):
        assert stats.binomtest(fail(told, name), runs, chance, "greater").pvalue > FALSE_ALARM, name
    late = first(DIVERSITY, 3)
    left, right = told["exact matrix"][:, late:]
    assert right.min() > 0 and (left / right).max() > 0.6
    left, right = told["noise"][:, late:]
    assert 0.5 < np.median(left / right) < 1  # the regularizer is most of both
    left, right = told["estimate"][:, late:]
    assert 0.03 < (left / right).max() < 1
    assert (told["gap"][0].sum(axis=0) < promised(radius, 3000, DIVERSITY)).all()


def test_a_fault_in_any_step_is_seen(played):
    """Noise of which the radius does not know, a regularizer that is only typical, and contexts less diverse than declared."""
    told, _ = played
    loud, _ = steps(quieter=6.0, horizon=1200, runs=40)
    for name in ("released matrix", "noise"):
        assert stats.binomtest(fail(loud, name), 40, FAILURE, "greater").pvalue < FALSE_ALARM, name
    usual, _ = steps(rule=type("Typical", (GreedyRadius,), {"regularizer": CertifiedRadius.regularizer}), horizon=1200, runs=40)
    assert stats.binomtest(fail(usual, "released matrix"), 40, FAILURE / 3, "greater").pvalue < FALSE_ALARM
    left, right = told["exact matrix"]
    users = np.arange(len(left))[:, None]
    more = np.stack([left + 0.75 * DIVERSITY * users / math.log(2), right])  # two and a half times as diverse
    assert fail({"claimed": more}, "claimed") == left.shape[1]


@pytest.mark.parametrize("dimension", (1, 3))
def test_the_matrix_bound_is_met_by_rare_axes(dimension):
    """The worst contexts that we know: one axis, and rarely. The uniform Chernoff bound holds, and is nearly reached."""
    rng, runs, least, failure = np.random.default_rng(dimension), 1000, 0.02, 0.3
    users = np.arange(1, 3001)
    axis = np.where(rng.random((runs, 3000)) < least * dimension, rng.integers(dimension, size=(runs, 3000)), -1)
    seen = np.min([np.cumsum(axis == i, axis=1) for i in range(dimension)], axis=0)  # the least eigenvalue
    low = (least * users / 2 - math.log(dimension / failure)) / math.log(2)
    outside = int((seen < low).any(axis=1).sum())
    assert stats.binomtest(outside, runs, failure, "greater").pvalue > FALSE_ALARM and outside > runs * failure / 2
    assert 2 / (1 - math.log(2)) < 7  # what makes it half of the diversity from t_0 on


@pytest.mark.parametrize("dimension", (1, 2, 5, 30))
def test_gaussian_noise_costs_what_the_box_says(dimension):
    """4 (r_t + q_t) / sqrt(t), summed, is below the closed form: drawn noise stays below both, which are proved for t = 1 to T."""
    rng, d, horizon, failure = np.random.default_rng(dimension), dimension, 10_000, 0.3
    log = math.log(3 * horizon / failure)
    r, q = math.sqrt(3 * d) + math.sqrt(6 * log), 2 * math.sqrt(d) + 2 * math.sqrt(log)
    t = np.arange(1, horizon)
    assert 4 * (r + q) * (1 / np.sqrt(t)).sum() < math.sqrt(horizon) * (30 * math.sqrt(d) + 36 * math.sqrt(log))
    upper = np.triu(rng.normal(size=(2000, d, d)))
    H = upper + np.triu(upper, 1).transpose(0, 2, 1)
    w = rng.normal(size=(2000, d)) - H[:, :, 0]  # theta* is an axis
    assert r / 4 < np.linalg.norm(w, axis=1).max() < r and q / 4 < -np.linalg.eigvalsh(H)[:, 0].min() < q


def unchecked(problem, T):
    stream = FreshBatches(LocalGaussian(1, 1.0, 1e-6, domain=LinearStatistics(2)))
    return ContextsApp(LinUCB(2, GreedyRadius(2, 1, stream.law(T), 0.5, 0.1)), stream, problem, T)


def test_without_diversity_it_loses_a_share_of_all_rounds():
    """Two fixed arms: the first that looks better is played for ever in most of the runs that begin wrongly, at any horizon."""
    menu, shares = ContextualLinear(features=np.eye(2), theta=[0.4, 0.6]), []
    for T in (1250, 5000):
        result = bdp.simulate(unchecked(menu, T), menu, T, runs=100, progress=False)
        shares.append(result.regret[:, -1] / (0.2 * T))
    assert min(share.mean() for share in shares) > 0.25
    assert all((share > 0.99).sum() > 15 for share in shares)


def test_it_plays_what_ranks_first():
    """The plain loop: argmax of <phi, theta>, theta from the released sums; for returning users and centred rewards, too."""
    for options in ({}, {"centred": True}, {"returning_users": 3, "failure": 0.01}):
        learner = bdp.make("LDP-OLS", FRESH, horizon=300, epsilon=2.0, delta=0.1, **options)
        result = bdp.simulate(learner, FRESH, 300, runs=2, progress=False)
        assert learner.batch_size == 1 and learner.guarantee.proved and (result.counts["shifts"] == 0).all()
        world, rng = FRESH.draw(np.random.default_rng(1)), np.random.default_rng(2)
        for numbers in world.numbers(rng, 60):
            features = world.contexts(numbers[None])[0]
            sums, m = learner.learner.sums, learner.learner.batch
            matrix = np.zeros((3, 3))
            matrix[np.triu_indices(3)] = sums[3:]
            V = matrix + np.triu(matrix, 1).T + max(1.0, learner.learner.radius.matrix_bound[m]) * np.eye(3)
            ticket = learner.act(features)
            assert ticket.arm == int(np.argmax(features @ np.linalg.solve(V, sums[:3])))
            learner.update(ticket, float(world.chances(numbers[None])[0] < 0.5), rng)
