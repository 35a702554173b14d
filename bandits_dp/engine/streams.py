"""How running sums over batches of users are released: fresh batches that add up, or a continual counter.

``add`` replaces attributes and changes no array in place, so a shallow copy is a snapshot.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp import _checks
from bandits_dp.continual import Counter
from bandits_dp.privatizers import Privatizer


class FreshBatches:
    """A privatizer releases every batch, each of users of its own, and the releases add up.

    Parameters
    ----------
    privatizer : Privatizer
        Of the users of one batch.

    Attributes
    ----------
    users : int
        Users per batch B.
    guarantee : Guarantee
        What all releases together promise to each user.
    bits_per_user : float
        Length of one user's message, in bits.
    total : ndarray, shape (dimension,)
        The running sums, as released.
    """

    changes = ("total",)

    def __init__(self, privatizer: Privatizer) -> None:
        self.privatizer, self.users = privatizer, privatizer.users
        self.guarantee, self.bits_per_user = privatizer.guarantee, privatizer.bits_per_user
        self.total = np.zeros(privatizer.dimension)

    def send(self, values: ArrayLike, rng: np.random.Generator) -> NDArray[Any]:
        """Return what waits of some users until the batch is full, one row each: what they send."""
        return self.privatizer.send(values, rng)

    def add(self, sent: NDArray[Any], rng: np.random.Generator) -> NDArray[np.float64]:
        """Release the running sums after one more batch."""
        self.total = self.total + self.privatizer.receive(sent, rng)
        return self.total


class CountedBatches:
    """A trusted server counts the sums of batches, one step of a continual counter each.

    Parameters
    ----------
    counter : Counter
        For one user's values; it is changed.
    users : int
        Users per batch B, >= 1.

    Attributes: those of :class:`FreshBatches`, but ``total``.
    """

    changes = ("counter",)

    def __init__(self, counter: Counter, users: int = 1) -> None:
        self.counter, self.users = counter, _checks.integer("users", users)
        self.guarantee, self.bits_per_user = counter.guarantee, 64.0 * counter.dimension  # double-precision numbers

    def send(self, values: ArrayLike, rng: np.random.Generator) -> NDArray[Any]:
        """Return the values themselves: the server is trusted with them."""
        return self.counter.check(values)

    def add(self, sent: NDArray[Any], rng: np.random.Generator) -> NDArray[np.float64]:
        """Release the running sums after one more batch."""
        self.counter = copy.copy(self.counter)
        return self.counter.step(sent.sum(axis=0), rng)


Stream = FreshBatches | CountedBatches
