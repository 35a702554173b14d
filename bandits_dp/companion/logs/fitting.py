"""Whether a log and a learner fit, and which row is to blame if something is refused."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from bandits_dp.companion.logs.log import Log
from bandits_dp.live.contexts import LiveContexts
from bandits_dp.live.restarts import Restarts


@contextmanager
def in_row(row: int) -> Iterator[None]:
    """Name the row in errors about it."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"row {row} of the log: {error}") from error


def check_fits(learner: Any, log: Log) -> None:
    """Raise a ValueError if a learner cannot have played a log."""
    if isinstance(learner, Restarts):
        learner = learner.live
    if learner.setting == "clients":
        raise ValueError(f"learner must show one arm to one user, got {learner.name}, whose clients watch a whole phase and answer "
                         "with averages: a row of a log is no such answer")
    if isinstance(learner, LiveContexts):
        if log.features is None:
            raise ValueError(f"features must be in the log for {learner.name}, got plain arms")
        if log.dimension != learner.dimension:
            raise ValueError(f"features must have {learner.dimension} numbers each, for which the learner was made, got "
                             f"{log.dimension}")
        low, high = learner.reward_range
        if not low <= log.reward_range[0] <= log.reward_range[1] <= high:
            raise ValueError(f"reward_range of the log must be in [{low:g}, {high:g}], for which the learner was made, got "
                             f"{log.reward_range}")
        _check_features(learner, log)
        return
    if (log.sizes != learner.arms).any():
        raise ValueError(f"log must have {learner.arms} arms in every row, for which the learner was made, got {log!r}")
    source = learner.sample
    if not source.clip:
        source.domain.check(log.rewards[:, None], "rewards of the log")
    if log.features is None:
        return
    actions = getattr(learner.learner, "actions", None)
    fixed = log.features if isinstance(log.features, np.ndarray) and log.features.ndim == 2 else None
    if actions is None or fixed is None or not np.array_equal(actions, fixed):
        raise ValueError(f"features must be left out of the log for {learner.name}, or be its actions, the same in all rows")


def _check_features(learner: LiveContexts, log: Log) -> None:
    """Raise a ValueError that names the row whose features a learner does not take."""
    if isinstance(log.features, np.ndarray):
        try:
            learner.checked(log.features, log.features.ndim)  # all at once
            return
        except ValueError:
            pass  # one by one, to find out which
    for row in range(len(log)):
        with in_row(row):
            learner.checked(log.shown(row), 2)  # type: ignore[arg-type]  # there are features
