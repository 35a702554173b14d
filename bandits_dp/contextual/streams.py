"""Running sums over batches of users whose rewards alone are private.

For parameters that a curator releases, see :mod:`bandits_dp.contextual.curator`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandits_dp._snapshot import snapshot
from bandits_dp._types import Floats
from bandits_dp.app.streams import CountedBatches
from bandits_dp.continual import Counter
from bandits_dp.guarantee import Guarantee
from bandits_dp.privatizers import Ball


class CountedRewards(CountedBatches):
    """Running sums of g r over batches at a trusted server, where only rewards are private.

    A user's numbers are g (r - c), then g, then x: g is the direction that the learner chose before
    the reward, c is the middle of the rewards' range, and x are the features of the arm that the
    user was shown. Only g (r - c) is private, and its length is at most half the range times the
    length of g, wherever the range lies. The learner is told x and the released sums of g r, in
    which the sum of c g has no noise.

    Parameters
    ----------
    counter : Counter
        Made for one user's g (r - c), or for the sum of these over all batches of the user.
    users : int
        Users per batch B, >= 1.
    guarantee : Guarantee
        What all releases together promise to each user.
    middle : float
        The number c.
    domain : Ball
        The domain of one user's g (r - c) in one batch.

    Attributes
    ----------
    offset : ndarray, shape (d,)
        The sum of all c g.
    """

    changes = ("counter", "offset")

    def __init__(self, counter: Counter, users: int, guarantee: Guarantee, middle: float,
                 domain: Ball) -> None:
        super().__init__(counter, users)
        self.guarantee, self.middle, self.domain, self.public = (
            guarantee, middle, domain, counter.dimension)
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
        """Release only the running sums of g r after ``batches`` more batches."""
        sent, self.counter = self.send(values, rng), snapshot(self.counter)
        self.offset = self.offset + self.middle * sent[:, self.dimension :].sum(axis=0)
        return self.counter.leap(sent[:, : self.dimension], batches, rng) + self.offset

    def advance(self, values: Floats, rows: Floats) -> Floats:
        """Release the running sums of g r of many runs after one more batch."""
        counted, g, _ = np.split(values, 3, axis=-1)
        self.offset = self.offset + self.middle * g.sum(axis=-2)
        return super().advance(counted, rows) + self.offset
