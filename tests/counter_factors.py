"""The two factors of a counter as matrices, and how far a user who comes back moves the partial sums."""

import itertools

import numpy as np

from bandits_dp.privatizers import Box


def factors(kind: type, horizon: int) -> tuple[np.ndarray, np.ndarray]:
    """Return L, as the package multiplies its draws, and R = L^-1 A."""
    left = kind(horizon, 1.0, 1e-3, Box(horizon))._accumulate(np.eye(horizon))
    return left, np.linalg.solve(left, np.tril(np.ones((horizon, horizon))))


def worst_shift(right: np.ndarray, rounds: int) -> float:
    """Return the largest norm of R times the indicator of at most ``rounds`` rounds, over all sets."""
    sets = itertools.combinations(range(right.shape[1]), min(rounds, right.shape[1]))
    return max(float(np.linalg.norm(right[:, list(s)].sum(axis=1))) for s in sets)
