"""Users whose answers are released together: how many there are to be, and what those who answered have sent."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp._state import pack, snapshot, unpack


class Source(Protocol):
    """What releases something about the users of a slot: a privatizer, or a stream of :mod:`bandits_dp.app.streams`.

    Attributes
    ----------
    adds : bool
        Whether what users send may be added up while it waits. A state then shows a sum, and two of them show what came in between.
    bits_per_user : float
        Length of one user's message.
    """

    adds: bool
    bits_per_user: float

    def send(self, values: NDArray[np.float64], rng: np.random.Generator) -> NDArray[Any]:
        """Return what waits of users with these values, one row each."""

    def receive(self, waiting: NDArray[Any], rng: np.random.Generator) -> NDArray[np.float64]:
        """Release something about all users, from the sum of what they sent, or from the rows if these do not add up."""


class Slot:
    """So many users who wait for one release.

    Parameters
    ----------
    source : Source or None
        Who releases; None if nothing is ever released, because nobody would play by it.
    users : int
        How many there are to be.
    arm : int
        The arm that they are shown, if it is one for all; else -1.
    shown : int
        Users with open tickets.

    Attributes
    ----------
    filled : int
        Users who answered.
    waiting : ndarray or None
        What those who answered have sent: the sum, or, if it does not add up, rows in random order.
    """

    def __init__(self, source: Any, users: int, arm: int = -1, shown: int = 0) -> None:
        self.source, self.users, self.arm, self.shown, self.filled = source, users, arm, shown, 0
        self.waiting: NDArray[Any] | None = None

    @property
    def free(self) -> int:
        """How many users lack a ticket; or, if all have one, an answer."""
        lacks = self.users - self.filled
        return lacks - self.shown if lacks > self.shown else lacks

    def taking(self, users: int, values: NDArray[np.float64] | None, rng: np.random.Generator) -> Slot:
        """Return a slot in which so many more users have answered."""
        then = snapshot(self)
        then.filled, then.shown = self.filled + users, max(0, self.shown - users)
        if values is not None:
            sent = self.source.send(values, rng)
            if self.source.adds:
                total = np.add.reduce(sent)  # in 64 bits, whatever a privatizer of one's own sends
                then.waiting = total if self.waiting is None else self.waiting + total
            else:
                rows = sent if self.waiting is None else _joined(self.waiting, sent)
                then.waiting = rng.permutation(rows)  # nobody's row is where she came
        return then

    def pack(self, prefix: str) -> dict[str, ArrayLike]:
        """Return what changes."""
        waiting = {} if self.waiting is None else {prefix + "waiting": self.waiting}
        changing = pack(self.source, prefix) if hasattr(self.source, "changes") else {}
        return {prefix + "filled": self.filled, **waiting, **changing}

    def unpack(self, state: dict[str, NDArray[Any]], prefix: str) -> Slot:
        """Return a slot that goes on from what :meth:`pack` returned."""
        then = snapshot(self)
        then.filled, then.waiting = int(state[prefix + "filled"]), state.get(prefix + "waiting")
        if hasattr(self.source, "changes"):
            then.source = snapshot(self.source)
            unpack(then.source, state, prefix)
        return then


def _joined(rows: NDArray[Any], more: NDArray[Any]) -> NDArray[Any]:
    if rows.shape[1:] != more.shape[1:]:
        raise ValueError(f"messages must be of one shape for all users, got {more.shape[1:]} after {rows.shape[1:]}")
    return np.concatenate([rows, more])
