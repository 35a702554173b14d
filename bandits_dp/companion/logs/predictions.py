"""Predicted rewards for doubly robust estimates: ridge regression on the other half of a log, so that no row predicts itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandits_dp import _checks
from bandits_dp.companion.logs.log import Log

Floats = NDArray[np.float64]


def predicted(log: Log, model: Callable[[Any], Any] | None) -> list[Floats]:
    """Return predicted rewards of all arms of every row, by a model, or by one that is fitted to every other row."""
    if model is not None:
        return [_checked(model(log.shown(row)), int(arms), row) for row, arms in enumerate(log.sizes)]
    played = log.chosen if log.features is not None else np.eye(int(log.sizes[0]))[log.actions]
    even = np.arange(len(log)) % 2 == 0
    fitted = [_ridge(played[rows], log.rewards[rows]) for rows in (~even, even)]  # for even rows, and for odd ones
    arms = np.eye(int(log.sizes[0]))
    return [(arms if (own := log.shown(row)) is None else own) @ fitted[row % 2] for row in range(len(log))]


def _ridge(x: Floats, y: Floats) -> Floats:
    """Return the coefficients of ridge regression with the ridge 1."""
    return np.asarray(np.linalg.solve(x.T @ x + np.eye(x.shape[1]), x.T @ y))


def _checked(said: Any, arms: int, row: int) -> Floats:
    try:
        rewards = _checks.numbers("model", said, "")
    except ValueError:
        rewards = np.zeros(0)
    if rewards.shape != (arms,) or not np.isfinite(rewards).all():
        raise ValueError(f"model must give {arms} predicted rewards, one per arm, got {said!r} in row {row}")
    return rewards
