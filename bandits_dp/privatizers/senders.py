"""What users send in the two simplest trust models: the value itself, or the value with noise of their own."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp import _checks
from bandits_dp.privatizers.base import Privatizer
from bandits_dp.privatizers.domain import UNIT_INTERVAL, Domain


class Trusting(Privatizer):
    """Users send their values to a server that is trusted with them; what noise there is, ``release_sum`` adds."""

    model = "central"
    adds = True

    def __init__(self, users: int, domain: Domain = UNIT_INTERVAL, clip: bool = False) -> None:
        super().__init__(users, domain, clip)
        self.bits_per_user = 64.0 * self.dimension  # double-precision numbers

    def randomize(self, values: ArrayLike, rng: np.random.Generator) -> NDArray[Any]:
        """Send what :meth:`send` says, shape (users, dimension)."""
        return self.send(self.check(values), _checks.generator(rng))

    def send(self, values: NDArray[np.float64], rng: np.random.Generator) -> NDArray[Any]:
        """Send the value itself."""
        return values

    def receive(self, waiting: NDArray[Any], rng: np.random.Generator) -> NDArray[np.float64]:
        """Add one noise to the sum."""
        return self.release_sum(waiting, rng)

    def analyze(self, messages: NDArray[Any], rng: np.random.Generator) -> NDArray[np.float64]:
        """Add the messages up, and receive their sum."""
        return self.receive(messages.sum(axis=0, dtype=float), rng)


class Noisy(Trusting):
    """Users add noise of their own, in ``send``."""

    model = "local"

    def receive(self, waiting: NDArray[Any], rng: np.random.Generator) -> NDArray[np.float64]:
        """Return the sum as it is."""
        return waiting
