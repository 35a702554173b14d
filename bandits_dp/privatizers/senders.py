"""What users send in the two simplest trust models: the value itself, or the value with noise of their own."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp import _checks
from bandits_dp.privatizers.base import Privatizer


class Trusting(Privatizer):
    """Users send their values to a server that is trusted with them; what noise there is, ``release_sum`` adds."""

    adds = True

    def randomize(self, values: ArrayLike, rng: np.random.Generator) -> NDArray[Any]:
        """Send the value itself."""
        _checks.generator(rng)
        return self.check(values)

    def send(self, values: NDArray[np.float64], rng: np.random.Generator) -> NDArray[Any]:
        """Send the value itself."""
        return values

    def receive(self, waiting: NDArray[Any], rng: np.random.Generator) -> NDArray[np.float64]:
        """Add one noise to the sum."""
        return self.release_sum(waiting, rng)

    def analyze(self, messages: NDArray[Any], rng: np.random.Generator) -> NDArray[np.float64]:
        """Add the messages up, and one noise."""
        return self.release_sum(messages.sum(axis=0), rng)


class Noisy(Privatizer):
    """Users add noise of their own, in ``send``."""

    adds = True

    def randomize(self, values: ArrayLike, rng: np.random.Generator) -> NDArray[Any]:
        """Send the value plus the user's own noise, shape (users, dimension)."""
        return self.send(self.check(values), _checks.generator(rng))

    def analyze(self, messages: NDArray[Any], rng: np.random.Generator) -> NDArray[np.float64]:
        """Add the messages up."""
        return np.asarray(messages.sum(axis=0), dtype=float)

    def receive(self, waiting: NDArray[Any], rng: np.random.Generator) -> NDArray[np.float64]:
        """Return the sum as it is."""
        return waiting
