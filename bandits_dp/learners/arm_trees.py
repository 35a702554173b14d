"""Private running sums of rewards, one binary tree per run and arm, all advanced together as arrays."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp.continual import TreeCounter


class ArmTrees:
    """What a :class:`bandits_dp.continual.TreeCounter` for every arm of every run would release, on the same draws of noise.

    Parameters
    ----------
    counter : TreeCounter
        Of Laplace noise on numbers, for the horizon: it says how much noise a node gets.
    runs, arms : int
        How many trees, >= 1.

    Attributes
    ----------
    counts : ndarray of int, shape (runs, arms)
        Rewards added so far.
    released : ndarray, shape (runs, arms)
        The last running sum that each tree released; 0 before the first.
    """

    def __init__(self, counter: TreeCounter, runs: int, arms: int) -> None:
        self.scale = counter.noise_std / math.sqrt(2)
        self.counts = np.zeros((runs, arms), dtype=np.int64)
        self.released = np.zeros((runs, arms))
        self._totals = np.zeros((runs, arms))
        # Noise on the last running sum whose number has its lowest set bit at each level; the last place stays 0, for sum 0.
        self._noise = np.zeros((runs, arms, counter.height + 1))
        self._runs = np.arange(runs)

    def draw(self, length: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """Draw the noise of the next rounds of one run, one number for each, whichever arm it goes to."""
        return rng.laplace(0.0, self.scale, length)

    def add(self, arms: NDArray[np.intp], rewards: NDArray[np.float64], noise: NDArray[np.float64]) -> None:
        """Add the next reward of every run to the tree of its arm, with the noise of one new node; all of shape (runs,)."""
        at = self._runs, arms
        self.counts[at] += 1
        self._totals[at] += rewards
        t = self.counts[at]
        parent = t & (t - 1)  # its sum, and its noise, are extended
        none = self._noise.shape[2] - 1
        noise = noise + self._noise[(*at, np.where(parent > 0, _lowest_bit(parent), none))]
        self._noise[(*at, _lowest_bit(t))] = noise
        self.released[at] = self._totals[at] + noise

    def pack(self) -> dict[str, ArrayLike]:
        """Return what ``add`` changes, by name."""
        return {"counts": self.counts, "released": self.released, "totals": self._totals, "noise": self._noise}

    def unpack(self, state: dict[str, NDArray[Any]]) -> None:
        """Take back what ``pack`` returned."""
        for name, array in (
            ("counts", self.counts), ("released", self.released), ("totals", self._totals), ("noise", self._noise)
        ):
            array[:] = state[name]


def _lowest_bit(t: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Return the position of the lowest set bit of each t > 0; shape of ``t``."""
    return np.asarray(np.bitwise_count((t & -t) - 1))
