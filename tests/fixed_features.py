"""LinUCB on fixed features, where a batch is one binomial draw: horizons of many millions are quick to play."""

import math

import numpy as np

from bandits_dp.contextual.app import ContextsApp
from bandits_dp.contextual.problems import ContextualLinear


def play(learner: ContextsApp, problem: ContextualLinear, runs: int = 20, seed: int = 1, grow: float | None = None) -> tuple:
    """Return final regrets and numbers of models, with fixed features: a batch is one binomial draw, and noise is Gaussian."""
    rng, T, B = np.random.default_rng(seed), learner.horizon, learner.batch_size
    drawn = [problem.draw(child) for child in rng.spawn(runs)]
    phi, every = np.stack([p.features for p in drawn]), np.arange(runs)
    mu = np.clip(np.stack([p.means(p.features) for p in drawn]), 0, 1)  # which rounding may have left
    radius, std, d = learner.learner.radius, learner.stream.law(1).matrix_std[0], phi.shape[2]
    noisy, u, regret, models = np.zeros((runs, d, d)), np.zeros((runs, d)), np.zeros(runs), np.zeros(runs)
    kept: list[np.ndarray] = []
    for m in range(math.ceil(T / B)):
        ridge, floor = radius.regularizer(m), radius.floor(m)
        low = np.linalg.eigvalsh(noisy)[:, 0] + ridge
        lift = ridge + np.maximum(floor - low, 0)
        V = noisy + lift[:, None, None] * np.eye(d)
        W = np.linalg.inv(V)
        beta = radius.beta(m, lift, np.maximum(low, floor)) * np.ones(runs)
        new = np.full(runs, True)
        if grow and m:
            new = np.linalg.eigvals(kept[0] @ V).real.max(axis=1) > grow
        fresh = W, np.einsum("rij,rj->ri", W, u), beta
        kept = [np.where(new.reshape(-1, *[1] * (x.ndim - 1)), x, kept[i] if m else x) for i, x in enumerate(fresh)]
        models += new
        width = np.sqrt(np.einsum("rki,rij,rkj->rk", phi, kept[0], phi))
        index = np.einsum("rki,ri->rk", phi, kept[1]) + kept[2][:, None] * width
        arm = index.round(9).argmax(axis=1)
        x, users = phi[every, arm], min(B, T - m * B)
        regret += users * (mu.max(axis=1) - mu[every, arm])
        Z = np.triu(rng.normal(0, std, (runs, d, d)))
        noisy += users * x[:, :, None] * x[:, None] + Z + np.triu(Z, 1).transpose(0, 2, 1)
        u += rng.binomial(users, mu[every, arm])[:, None] * x + rng.normal(0, std, (runs, d))
    return regret, models
