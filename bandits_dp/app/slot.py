"""Slots: users whose answers are released together."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandits_dp._snapshot import snapshot
from bandits_dp._types import Floats


class Slot:
    """A batch that fills.

    Parameters
    ----------
    source : Privatizer or Stream or None
        What releases the batch: it has ``adds``, ``bits_per_user``, ``send`` and ``receive``.
        None if nothing is ever released.
    users : int
        Number of users in a full batch.
    arm : int
        The arm that all of them are shown; -1 if they may be shown different ones.

    Attributes
    ----------
    shown, filled : int
        Users with open tickets, and users who answered.
    waiting : ndarray or None
        The sum of what users sent, or, without ``adds``, all rows that they sent, in random order.
    """

    def __init__(self, source: Any, users: int, arm: int = -1, shown: int = 0) -> None:
        self.source, self.users, self.arm, self.shown = source, users, arm, shown
        self.filled = 0
        self.waiting: NDArray[Any] | None = None

    @property
    def free(self) -> int:
        """Number of users without a ticket; if all have one, of users without an answer."""
        lacks = self.users - self.filled
        return lacks - self.shown if lacks > self.shown else lacks

    def with_answers(
        self, users: int, values: Floats | None, rng: np.random.Generator
    ) -> Slot:
        """Return a slot in which some more users have answered; None stands for no values."""
        then = snapshot(self)
        then.filled, then.shown = self.filled + users, max(0, self.shown - users)
        if values is None:
            return then
        sent = self.source.send(values, rng)
        if self.source.adds:
            total = np.add.reduce(sent)  # in 64 bits, also where a privatizer sends bytes
            then.waiting = total if self.waiting is None else self.waiting + total
        else:
            rows = sent if self.waiting is None else _joined(self.waiting, sent)
            then.waiting = rng.permutation(rows)  # the order of rows hides the order of users
        return then


def _joined(rows: NDArray[Any], more: NDArray[Any]) -> NDArray[Any]:
    if rows.shape[1:] != more.shape[1:]:
        raise ValueError(f"messages must be of one shape for all users, got {more.shape[1:]} "
                         f"after {rows.shape[1:]}")
    return np.concatenate([rows, more])
