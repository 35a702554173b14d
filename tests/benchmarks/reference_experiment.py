"""The simulation of Chowdhury & Zhou 2022 as their code runs it, one round after another: oracle of the ``experiment`` calibration.

Written from a list of facts about that code, plainly, and without anything of ``bandits_dp``. Many instances
advance side by side as arrays, but every user of every instance acts, answers and sends one message of its own.

    python -m tests.benchmarks.reference_experiment     # prints the table that tests/test_10_private_linucb.py stores
"""

import math
import sys

import numpy as np

CURVES = ("LinUCB", "LinUCB-JDP", "LinUCB-SDP-Amp", "LinUCB-SDP-Vec", "LinUCB-LDP")
EPSILONS = (0.2, 1.0, 10.0)
PREFIXES = 10  # noises of the JDP curve; 1 + floor(ln 20000)


def draw_instances(rng, count, arms=100, d=5):
    """Features, shape (count, arms, d), and parameters, shape (count, d): mean rewards are 1/2 + cos/2, but 1/2 for arm d - 1."""

    def on_sphere(*shape):
        z = rng.normal(size=shape)
        return z / np.linalg.norm(z, axis=-1, keepdims=True)

    features = np.concatenate([on_sphere(count, arms, d - 1), np.ones((count, arms, 1))], axis=2)
    features[:, :d, :-1] = np.eye(d)[:, :-1]  # the first arms are the axes, and the last of these is the constant alone
    theta = np.concatenate([on_sphere(count, d - 1) / 2, np.full((count, 1), 0.5)], axis=1)
    return features, theta


def constants(curve, epsilon, horizon, batch, delta, d):
    """Noise, Gamma, regularizer and batch size of a curve."""
    ln = math.log
    if curve == "LinUCB":
        return {"gamma": 1.0, "ridge": 1e-4, "batch": 1}
    if curve == "LinUCB-LDP":
        std = math.sqrt(ln(2.5 / delta)) / epsilon
        gamma, batch = std * math.sqrt(horizon) * math.sqrt(d), 1
    elif curve == "LinUCB-JDP":
        std = math.sqrt(ln(horizon)) * ln(2.5 / delta) / epsilon
        gamma, batch = std * math.sqrt(ln(horizon)) * math.sqrt(d), 1
    elif curve == "LinUCB-SDP-Amp":
        std = math.sqrt(ln(2.5 * batch / delta)) / (epsilon * math.sqrt(batch))
        gamma = std * math.sqrt(horizon) * math.sqrt(d)
    else:
        levels = max(2 * math.sqrt(batch), d, 4)  # per unit of L, and not rounded
        scale = 1 if epsilon < 1 else 10  # 1 at 0.2, 10 at 1 and 10
        bits = scale * levels**2 * ln(d / delta) ** 2 / (epsilon**2 * batch)
        gamma = ln(d / delta) / (epsilon * math.sqrt(batch)) * math.sqrt(horizon) * math.sqrt(d) / 4
        return {"gamma": gamma, "ridge": 2 * gamma, "batch": batch, "levels": levels, "bits": bits}
    return {"gamma": gamma, "ridge": 2 * gamma, "batch": batch, "std": std}


def symmetric(rng, std, count, d):
    """(Z + Z') / 2 with Z i.i.d.: std on the diagonal, std / sqrt(2) elsewhere."""
    z = rng.normal(0.0, std, (count, d, d))
    return (z + z.transpose(0, 2, 1)) / 2


def vector_message(rng, value, longest, levels, bits):
    """What the analyzer makes of one user's shifted, encoded and noised numbers; b is truncated for the draw only."""
    x = (value + longest) * levels / longest
    rounded = np.floor(x) + (rng.random(x.shape) < x - np.floor(x))
    ones = rounded + rng.binomial(int(bits), 0.25, x.shape)
    return (ones - 0.25 * bits) * longest / levels - longest


def play(curve, epsilon, count=50, seed=0, horizon=20_000, arms=100, d=5, batch=20, delta=0.1):
    """Play ``count`` instances; returns final pseudo-regret, final realised regret, and rounds with an indefinite V."""
    rng = np.random.default_rng(seed)
    features, theta = draw_instances(rng, count, arms, d)
    means = np.einsum("nkd,nd->nk", features, theta)
    runs, best = np.arange(count), means.argmax(axis=1)
    longest = math.sqrt(2)  # L
    own = constants(curve, epsilon, horizon, batch, delta, d)
    radius = math.sqrt(own["gamma"]) * math.sqrt(d)
    radius += 0.5 * math.sqrt(d * math.log((1 + horizon * longest**2 / own["gamma"]) * horizon))
    V, u = np.tile(own["ridge"] * np.eye(d), (count, 1, 1)), np.zeros((count, d))
    batch_V, batch_u = np.zeros_like(V), np.zeros_like(u)
    if curve == "LinUCB-JDP":  # prefix sums of matrices and vectors drawn once
        prefix_V = np.cumsum([symmetric(rng, own["std"], count, d) for _ in range(PREFIXES)], axis=0)
        prefix_u = np.cumsum(rng.normal(0.0, own["std"], (PREFIXES, count, d)), axis=0)
    pseudo, realised, indefinite = np.zeros(count), np.zeros(count), np.zeros(count)
    for t in range(horizon):
        if t % own["batch"] == 0:
            V, u = V + batch_V, u + batch_u
            batch_V, batch_u = np.zeros_like(V), np.zeros_like(u)
            shown_V, shown_u = V, u
            if curve == "LinUCB-JDP":
                j = math.floor(math.log(1 + t))  # 1 + j of them
                shown_V, shown_u = V + prefix_V[j], u + prefix_u[j]
            inverse = np.linalg.inv(shown_V)
            squared = np.einsum("nkd,nkd->nk", features @ inverse, features)
            index = np.einsum("nkd,nd->nk", features, np.einsum("nde,ne->nd", inverse, shown_u))
            index += radius * np.sqrt(np.maximum(squared, 0.0))
            index[squared < 0] = np.inf  # their square root is not a number, and argmax takes the first such arm
            arm = index.argmax(axis=1)
            x, bad = features[runs, arm], (squared < 0).any(axis=1)
            outer = x[:, :, None] * x[:, None, :]
        reward, of_best = rng.random((2, count)) < [means[runs, arm], means[runs, best]]
        pseudo += means[runs, best] - means[runs, arm]
        realised += np.where(arm == best, 0, of_best.astype(float) - reward)
        indefinite += bad
        vector = x * reward[:, None]
        if "bits" in own:
            batch_u += vector_message(rng, vector, longest, own["levels"], own["bits"])
            triangle = np.triu(vector_message(rng, outer, longest, own["levels"], own["bits"]))
            batch_V += triangle + np.triu(triangle, 1).transpose(0, 2, 1)  # one draw per unordered pair
        elif "std" in own and curve != "LinUCB-JDP":
            batch_u += vector + rng.normal(0.0, own["std"], (count, d))
            batch_V += outer + symmetric(rng, own["std"], count, d)
        else:
            batch_u, batch_V = batch_u + vector, batch_V + outer
    return pseudo, realised, indefinite


def summary(values):
    return values.mean(), values.std(ddof=1) / math.sqrt(len(values))


if __name__ == "__main__":
    instances = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    for name in CURVES:
        for eps in EPSILONS if name != "LinUCB" else EPSILONS[:1]:
            pseudo_regret, realised_regret, rounds = play(name, eps, instances, seed=1)
            row = "pseudo {:.1f} ({:.1f}), realised {:.1f} ({:.1f})".format(*summary(pseudo_regret), *summary(realised_regret))
            print(f"{name:15} {eps:4g}: {row}, runs with an indefinite V {np.mean(rounds > 0):.2f}", flush=True)
