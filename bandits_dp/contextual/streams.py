"""Running sums of batches of users whose rewards alone are private; for those that a curator releases, see ``curator``."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandits_dp._state import snapshot
from bandits_dp.app.streams import CountedBatches, Floats
from bandits_dp.continual import Counter
from bandits_dp.guarantee import Guarantee
from bandits_dp.privatizers import Ball


class CountedRewards(CountedBatches):
    """A trusted server counts the sums of g r over batches, where only rewards are private.

    A user's numbers are g (r - c), then g, then x: g is the direction that the learner chose before the reward, c the middle of the
    rewards' range, and x are the features of what she was shown. Only the first are private, and they are no longer than half the
    range, wherever that lies. The learner is told what is released about the sums of g r, of which the part c g is added as it is,
    and x.

    Parameters
    ----------
    counter : Counter
        For one user's g (r - c), or for the sum of all that she ever has.
    users : int
        Users per batch B, >= 1.
    guarantee : Guarantee
        What all releases together promise to each user.
    middle : float
        The number c.
    domain : Ball
        Where g (r - c) of one user lies in one batch.

    Attributes
    ----------
    offset : ndarray, shape (d,)
        The sum of all c g.
    """

    changes = ("counter", "offset")

    def __init__(self, counter: Counter, users: int, guarantee: Guarantee, middle: float, domain: Ball) -> None:
        super().__init__(counter, users)
        self.guarantee, self.middle, self.domain, self.public = guarantee, middle, domain, counter.dimension
        self.offset = np.zeros(self.dimension)

    def check(self, values: Floats, name: str) -> None:
        """Raise a ValueError if a g (r - c) is longer than the counter was made for."""
        self.domain.check(values[:, : self.dimension], name)

    def send(self, values: Floats, rng: np.random.Generator) -> NDArray[Any]:
        """Return g (r - c) of every user, on the grid, and g."""
        self.check(values, "rewards times their directions")
        sent = values[:, : 2 * self.dimension].copy()
        sent[:, : self.dimension] = super().send(sent[:, : self.dimension], rng)
        return sent

    def receive(self, waiting: NDArray[Any], rng: np.random.Generator) -> Floats:
        """Release the running sums of g r after one more batch."""
        self.offset = self.offset + self.middle * waiting[self.dimension :]
        return super().receive(waiting[: self.dimension], rng) + self.offset

    def leap(self, values: Floats, batches: int, rng: np.random.Generator) -> Floats:
        """Release the running sums of g r after so many more batches only."""
        sent, self.counter = self.send(values, rng), snapshot(self.counter)
        self.offset = self.offset + self.middle * sent[:, self.dimension :].sum(axis=0)
        return self.counter.leap(sent[:, : self.dimension], batches, rng) + self.offset

    def advance(self, values: Floats, rows: Floats) -> Floats:
        """Release the running sums of g r of many runs after one more batch."""
        counted, g, _ = np.split(values, 3, axis=-1)
        self.offset = self.offset + self.middle * g.sum(axis=-2)
        return super().advance(counted, rows) + self.offset
