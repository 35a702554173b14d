"""Private rewards, public contexts: plain loops as oracles, live use, the privacy that holds and the privacy that does not."""

import copy
import itertools
import math

import numpy as np
import pytest
from scipy import integrate, stats

import bandits_dp as bdp
from bandits_dp.accounting import gaussian_delta, gaussian_noise_std
from bandits_dp.accounting.dynamic import laplace_sums_epsilon, parameter_shifts
from bandits_dp.learners.radius import Shape
from bandits_dp.learners.reward_private_change import arms_changed
from bandits_dp.problems import ContextualLinear, PoolContextual

FALSE_ALARM = 1e-6  # of each statistical test here, with fixed seeds
POOL = PoolContextual(arms=4, dimension=3, items=50, clip=True)
CASES = {
    "tree": ("LinUCB-Tree", {}),
    "tree, ridge": ("LinUCB-Tree", {"ridge": 7.0, "alpha": 1.0}),
    "tree, proved": ("LinUCB-Tree", {"alpha": None, "radius_scale": 0.2}),
    "reward tree": ("LinUCB-RewardTree", {}),
    "reward tree, tree": ("LinUCB-RewardTree", {"counter": "tree", "alpha": 1.0}),
    "reward tree, hybrid": ("LinUCB-RewardTree", {"counter": "hybrid", "whiten": False}),
    "reward tree, proved": ("LinUCB-RewardTree", {"alpha": None, "radius_scale": 0.1}),
    "dgs": ("LinUCB-DGS", {}),
    "dgs, theorem": ("LinUCB-DGS", {"calibration": "theorem", "strict": False}),
    "dgs, theorem, late": ("LinUCB-DGS", {"calibration": "theorem", "least_eigenvalue": 1.0}),
    "dgs, hybrid": ("LinUCB-DGS", {"calibration": "theorem", "least_eigenvalue": 1.0, "counter": "hybrid"}),
    "dgs, explicit tree": ("LinUCB-DGS", {"calibration": "theorem", "least_eigenvalue": 1.0, "explicit_tree": True}),
    "dgs, perturbed": ("LinUCB-DGS", {"calibration": "theorem", "perturb_contexts": 1.0}),
    "dgs, printed width": ("LinUCB-DGS", {"calibration": "theorem", "least_eigenvalue": 1.0, "alpha": None}),
    "dgs, experiment": ("LinUCB-DGS", {"calibration": "experiment"}),
    "dgs, experiment, fresh": ("LinUCB-DGS", {"calibration": "experiment", "explicit_tree": False}),
    "dgs, experiment, hybrid": ("LinUCB-DGS", {"calibration": "experiment", "counter": "hybrid"}),
}


def make(case, problem=POOL, horizon=300, **more):
    name, options = CASES[case]
    return bdp.make(name, problem, horizon=horizon, **({"epsilon": 2.0, "delta": 0.1} | options | more))


# ---- Plain loops -------------------------------------------------------------------------------------------------------------


def plain_dgs_noise(learner, horizon, epsilon, bound, options, rng, d):
    """Algorithm 1 of Wang, Zhao, Wang 2022, node by node; a dictionary remembers the noise of an explicit tree."""
    log_t, kept, out = math.log2(horizon), {}, []
    hybrid = options.get("counter") == "hybrid"
    explicit = options.get("explicit_tree", options.get("calibration") == "experiment")
    for t in range(1, horizon + 1):
        top = t.bit_length() - 1
        nodes = []  # (right end, factor over epsilon, printed tau)
        if hybrid:
            nodes += [(2**k, 2.0, None) for k in range(top + 1)]
            nodes += [(t >> k << k, 2.0 * max(top, 1), None) for k in range(top) if t >> k & 1]
        else:
            nodes = [(t >> k << k, log_t, t - 2**k + 1) for k in range(top + 1) if t >> k & 1]
        noise = np.zeros(d)
        fresh = [node for node in nodes if node[0] not in kept] if explicit else nodes
        for end, factor, printed in fresh:
            tau = printed if options["calibration"] == "theorem" and not explicit and not hybrid else end
            drawn = rng.laplace(size=d) * bound(tau) * factor / epsilon
            if explicit:
                kept[end] = drawn
            else:
                noise += drawn
        if explicit:
            noise = sum(kept[end] for end, _, _ in nodes)
        out.append(noise)
    return np.array(out)


def plain_run(learner, case, problem, answers, noise_rng, horizon):
    """One run as one would write it on a blackboard; returns lost rewards and estimates, round by round."""
    name, options = CASES[case]
    instance = problem.draw(answers)
    d, T, eps = instance.dimension, learner.horizon, 2.0
    A, b, W, G = np.zeros((d, d)), np.zeros(d), np.zeros((d, d)), np.zeros((d, d))
    theta, ridge, alpha = np.zeros(d), options.get("ridge", 1.0), options.get("alpha", 0.3)
    scale = options.get("radius_scale", 1.0)
    calibration = options.get("calibration", "certified")
    if calibration == "experiment":
        ridge = 0.1
    contexts = np.zeros((T, problem.arms, d))
    if name == "LinUCB-DGS":
        if calibration == "certified":
            noise = noise_rng.normal(size=(T, d))
        else:
            lambda0 = options.get("least_eigenvalue", 1 / (12 * d)) + options.get("perturb_contexts", 0.0) ** 2
            start = 32 * math.log(10) / lambda0

            def bound(tau):
                if calibration == "experiment":
                    return 1 / tau
                return min(32 / (lambda0 * tau), 2.0) if tau > start else 2.0

            noise = plain_dgs_noise(learner, T, eps, bound, options, noise_rng, d)
        if "perturb_contexts" in options:
            contexts[1:] = options["perturb_contexts"] * noise_rng.normal(size=(T, problem.arms, d))[:-1]
        inverse = np.eye(d) / ridge
    elif name == "LinUCB-Tree":
        height = T.bit_length()
        laplace = noise_rng.laplace(0, 2 * math.sqrt(d) * height / eps, (T, d))
        noise = np.array([sum(laplace[end - 1] for end in ends(t)) for t in range(1, T + 1)])
        inverse = np.eye(d) / ridge
    else:
        counter = learner.release.counter
        noise, std = counter.noise_path(noise_rng), counter.error_std(np.arange(1, T + 1))
        ridge = d
        inverse = np.eye(d) / ridge
    lost, estimates = [], []
    for t in range(horizon):
        row = instance.numbers(answers, 1)
        shown = instance.contexts(row)[0]
        seen = shown + contexts[t]
        known = np.array([ridge])
        width = alpha if alpha is not None else scale * float(np.ravel(learner.radius.beta(t, Shape(known, least(inverse))))[0])
        index = seen @ theta + width * np.sqrt(((seen @ inverse) * seen).sum(axis=1))
        arm = int(np.argmax(index))
        means = instance.means(shown)
        r = float(instance.reward_quantiles(means[[arm]], instance.chances(row))[0])
        x = seen[arm]
        lost.append(means.max() - means[arm])
        if name == "LinUCB-RewardTree":
            g = np.linalg.inv(np.linalg.cholesky(A + np.eye(d))) @ x if options.get("whiten", True) else x
            g = g / np.linalg.norm(g)
            W, G, b, A = W + np.outer(g, x), G + np.outer(g, g), b + g * r, A + np.outer(x, x)
            C = np.linalg.inv(G + std[t] ** 2 * np.eye(d))
            inverse = np.linalg.inv(W.T @ C @ W + d * np.eye(d))
            theta = inverse @ W.T @ C @ (b + noise[t])
        else:
            A, b = A + np.outer(x, x), b + x * r
            inverse = np.linalg.inv(A + ridge * np.eye(d))
            if name == "LinUCB-Tree":
                theta = inverse @ (b + noise[t])
            elif calibration == "certified":
                theta = inverse @ b + noise[t] * gaussian_noise_std(eps, 0.1) * math.sqrt(T) * 2 / least(inverse)
            else:
                theta = inverse @ b + noise[t]
        estimates.append(theta)
    return np.array(lost), np.array(estimates), instance


def least(inverse):
    """A lower bound on the least eigenvalue of A: 1 / the Schatten norm of order 32 of its inverse."""
    return 1 / (np.linalg.eigvalsh(inverse) ** 32).sum() ** (1 / 32)


def ends(t):
    """Right ends of the nodes of t's dyadic decomposition."""
    while t:
        yield t
        t &= t - 1


@pytest.mark.parametrize("case", CASES)
def test_parallel_runs_follow_the_plain_loop(case):
    """Regret and parameter error of every run, at all checkpoints, to the last digits."""
    learner = make(case)
    result = bdp.simulate(learner, POOL, 300, runs=3, seed=5, progress=False)
    for run, child in enumerate(np.random.SeedSequence(5).spawn(3)):
        answers, noise = np.random.default_rng(child).spawn(2)
        lost, estimates, instance = plain_run(learner, case, POOL, answers, noise, 300)
        assert result.regret[run] == pytest.approx(np.cumsum(lost)[result.rounds - 1], abs=1e-9)
        error = np.linalg.norm(estimates - instance.theta, axis=1)
        assert result.curves["parameter error"][run] == pytest.approx(error[result.rounds - 1], rel=1e-7)
    assert np.ptp(result.regret[:, -1]) > 0
