"""Whether a log and a learner fit, and which row is to blame if something is refused."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from bandits_dp import _checks
from bandits_dp.companion.logs.log import Log
from bandits_dp.live.contexts import LiveContexts
from bandits_dp.live.live import Live
from bandits_dp.live.restarts import Restarts


@contextmanager
def in_row(row: int) -> Iterator[None]:
    """Name the row in errors about it."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"row {row} of the log: {error}") from error


def check_fits(learner: Any, log: Log) -> None:
    """Raise an error if a learner cannot have played a log, or one of them is something else.

    The learner itself looks at features and rewards when it comes to their row.
    """
    _checks.one_of("log", log, Log, "a bandits_dp.companion.logs.Log")
    _checks.one_of("learner", learner, (Live, Restarts), "what make() or combine() returned")
    live: Any = learner.live if isinstance(learner, Restarts) else learner
    if live.setting == "clients":
        raise ValueError(f"learner must show one arm to one user, got {live.name}, whose clients watch a whole phase and answer "
                         "with averages: a row of a log is no such answer")
    if isinstance(live, LiveContexts):
        if log.features is None:
            raise ValueError(f"features must be in the log for {live.name}, got plain arms")
        return
    if (log.sizes != live.arms).any():
        raise ValueError(f"log must have {live.arms} arms in every row, for which the learner was made, got {log!r}")
    actions = getattr(live.learner, "actions", None)
    if log.features is not None and (actions is None or not np.array_equal(actions, log.features)):
        raise ValueError(f"features must be left out of the log for {live.name}, or be its actions, the same in all rows")
