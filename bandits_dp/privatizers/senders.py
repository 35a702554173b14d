"""Sums without privacy, with noise at a trusted server, and with noise at every user.

Messages and releases are on a grid, with exact noise (:mod:`bandits_dp.noise.grid`);
``release_sum`` is for simulators and draws from densities.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp import _checks
from bandits_dp._types import Floats
from bandits_dp.guarantee import no_guarantee
from bandits_dp.noise.grid import Grid
from bandits_dp.privatizers.base import Privatizer
from bandits_dp.privatizers.domain import UNIT_INTERVAL, Domain


class Trusting(Privatizer):
    """Users send their values to a trusted server, which adds noise to the sum.

    Attributes
    ----------
    grid : Grid
        The grid of messages and releases, and the noise on it.
    """

    model = "central"
    adds = True
    grid: Grid

    def __init__(self, users: int, domain: Domain = UNIT_INTERVAL, clip: bool = False) -> None:
        super().__init__(users, domain, clip)
        self.bits_per_user = 64.0 * self.dimension  # double-precision numbers

    def randomize(self, values: ArrayLike, rng: np.random.Generator) -> NDArray[Any]:
        """Check the values and :meth:`send` them, shape (users, dimension)."""
        return self.send(self.check(values), _checks.generator(rng))

    def send(self, values: Floats, rng: np.random.Generator) -> NDArray[Any]:
        """Send the value itself, rounded to the grid."""
        return self.grid.near(values)

    def receive(self, waiting: NDArray[Any], rng: np.random.Generator) -> Floats:
        """Add one noise to the sum."""
        return self.grid.noisy(waiting, rng)

    def analyze(self, messages: NDArray[Any], rng: np.random.Generator) -> Floats:
        """Sum the messages, which is exact, and pass the sum to :meth:`receive`."""
        return self.receive(messages.sum(axis=0, dtype=float), rng)


class Identity(Trusting):
    """The exact sum, for non-private learners.

    Parameters
    ----------
    users : int
        Batch size n, >= 1.
    domain : Domain
        Allowed values of one user; :class:`bandits_dp.privatizers.domain.Reals` allows all.

    Examples
    --------
    >>> import numpy as np
    >>> import bandits_dp as bdp
    >>> bare = bdp.privatizers.Identity(1000)
    >>> bare.release([1, 1, 1, 0] * 250, np.random.default_rng(1)).tolist(), bare.guarantee.epsilon
    ([750.0], inf)
    """

    noise_std = sub_gaussian_std = 0.0

    def __init__(self, users: int, domain: Domain = UNIT_INTERVAL) -> None:
        super().__init__(users, domain)
        self.span = self.users * (domain.high - domain.low)
        self.guarantee = no_guarantee("none", "one reward", self._protected()[1], "certified",
                                      "rewards are used as they are")

    def send(self, values: Floats, rng: np.random.Generator) -> NDArray[Any]:
        """Send the value itself."""
        return values

    def receive(self, waiting: NDArray[Any], rng: np.random.Generator) -> Floats:
        """Return the sum as it is."""
        return waiting

    def release_sum(self, total: ArrayLike, rng: np.random.Generator,
                    batches: int = 1) -> Floats:
        """Return the true sums."""
        return np.asarray(total, dtype=float)

    def log_mgf(self, s: Floats) -> Floats:
        """Return 0: there is no noise."""
        return np.zeros_like(s)


class Noisy(Trusting):
    """Users add their own noise; the server adds none."""

    model = "local"

    def send(self, values: Floats, rng: np.random.Generator) -> NDArray[Any]:
        """Send the value plus the user's own noise."""
        return self.grid.noisy(values, rng)

    def receive(self, waiting: NDArray[Any], rng: np.random.Generator) -> Floats:
        """Return the sum as it is."""
        return waiting
