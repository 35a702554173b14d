r"""Sums of integers: a number becomes an integer, which gets integer noise; an exact law follows for whole batches.

A value in [low, high] becomes :math:`x = g (v - \mathrm{low}) / (\mathrm{high} - \mathrm{low})` and is rounded at random to one of
its two neighbouring integers in :math:`\{0, \dots, g\}`, so that the mean is kept: :math:`\lfloor x + U \rfloor` with U uniform,
which is up if 1 - U is at most the fraction of x. Neither of these numbers is rounded, and the integer stays in
:math:`\{0, \dots, g\}` whatever x is, so floating point adds nothing to what the noise has to hide. Where norms are checked,
up to 1e-9, vectors are made shorter by as much first.

What users send, and what ``release`` returns, has noise that only whole numbers decide
(:mod:`bandits_dp.noise.exact_counts`): its law is the one that guarantees are proved for, to the last outcome. Simulations
draw the same law in floating point.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp.privatizers.base import Privatizer
from bandits_dp.privatizers.domain import Domain, slack


class IntegerSum(Privatizer):
    """What sums of integers share: rounding, and the laws of sums. Subclasses choose levels, noise and messages.

    The parameters are those of :class:`Privatizer`, and ``honest_fraction``, the share of users that surely add their noise.

    Attributes
    ----------
    levels : int
        g, the largest integer that a value becomes.
    honest : int
        How many users surely add their noise.
    low, high : float
        Ends of the interval that is encoded.
    step : float
        What one level is worth, in the units of one value.
    """

    adds = True

    def __init__(self, users: int, domain: Domain, clip: bool = False, honest_fraction: float = 1.0) -> None:
        super().__init__(users, domain, clip)
        self.low, self.high = domain.low, domain.high
        diameter = domain.l2_diameter  # which no two values exceed when they are this much shorter
        self._within = diameter / (diameter + slack(domain)) if math.isfinite(diameter) else 1.0
        self.honest, self._trust = honest_users(self.users, honest_fraction), crowd(honest_fraction, users)

    @abstractmethod
    def _draw(self, users: int, shape: tuple[int, ...], rng: np.random.Generator) -> NDArray[np.int64]:
        """Draw the noise of so many users together, independently for each entry of ``shape``, by whole numbers only."""

    @abstractmethod
    def _simulate(self, users: int, shape: tuple[int, ...], rng: np.random.Generator) -> NDArray[np.int64]:
        """Draw such noise with a sampler of numpy, which computes in floating point."""

    @abstractmethod
    def _log_mgf(self, s: NDArray[np.float64]) -> NDArray[np.float64]:
        """Bound log E exp(±s (noise - its mean)) for the noise of all users and each s > 0; may be infinite."""

    def _mean(self, users: int) -> float:
        """Return the mean of the noise of so many users."""
        return 0.0

    def _set_levels(self, levels: int, std: float) -> None:
        """Take the levels and the standard deviation of all users' noise, in integers, and derive what follows from them."""
        self.levels, self.step = levels, (self.high - self.low) / levels
        ends = self.domain.low, self.domain.high
        self.needs_values = not (getattr(self.domain, "whole", False) and ends == (self.low, self.high))  # ends are not rounded
        rounding = math.sqrt(self.users) / 2 if self.needs_values else 0.0  # at most 1/4 to the variance of each user's integer
        self.noise_std = self.step * math.hypot(std, rounding)

    def _round(self, array: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.int64]:
        """Encode every number as an integer in 0..g, of the same shape."""
        x = np.clip((array * self._within - self.low) / self.step, 0.0, self.levels)
        floor = np.floor(x)
        return (floor + (1 - rng.random(x.shape) <= x - floor)).astype(np.int64)  # floor(x + U), but for rounding errors

    def _decode(self, integers: ArrayLike, batches: int = 1) -> NDArray[np.float64]:
        """Turn noisy sums of integers into estimates of the sums."""
        users = batches * self.users
        return np.asarray((np.asarray(integers) - self._mean(users)) * self.step + users * self.low)

    def send(self, values: NDArray[np.float64], rng: np.random.Generator) -> NDArray[Any]:
        """Return each user's integers plus the user's own noise, shape (users, dimension)."""
        return self._round(values, rng) + self._draw(1, values.shape, rng)

    def receive(self, waiting: NDArray[Any], rng: np.random.Generator) -> NDArray[np.float64]:
        """Undo the encoding of the sum."""
        return self._decode(waiting)

    def _aggregate(self, array: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
        """Round every user's value, and draw all noise of a coordinate as one number."""
        noise = self._draw(self.users, (self.dimension,), rng)
        return self._decode(self._round(array, rng).sum(axis=0) + noise)

    def simulate(self, values: ArrayLike, rng: np.random.Generator) -> NDArray[np.float64]:
        """Do the same with noise from a sampler that computes in floating point."""
        noise = self._simulate(self.users, (self.dimension,), rng)
        return self._decode(self._round(self.check(values, self.users), rng).sum(axis=0) + noise)

    def release_sum(self, total: ArrayLike, rng: np.random.Generator, batches: int = 1) -> NDArray[np.float64]:
        """Add the noise, if all values are ends of the interval; else refuse, for how values round depends on each of them.

        For simulations: the noise is drawn in floating point, and is no release of anybody's data.
        """
        if self.needs_values:
            raise ValueError("total must be given as single values (use release, or release_tally): random rounding does not "
                             "depend on the sum alone")
        total = np.asarray(total, dtype=float)
        integers = np.rint((total - batches * self.users * self.low) / self.step)
        return self._decode(integers + self._simulate(batches * self.users, total.shape, rng), batches)

    def release_tally(self, values: NDArray[np.float64], counts: NDArray[np.int64], rng: np.random.Generator,
                      batches: int = 1) -> NDArray[np.float64]:
        """Round the users of each value together, and draw all noise of a sum as one number.

        Users who hold one number x round up independently of each other, with probability x - floor(x): so many of them do as one
        binomial draw says.
        """
        x = np.minimum((values - self.low) / self.step, self.levels)
        floor = np.floor(x)
        integers = counts @ floor.astype(np.int64) + rng.binomial(counts, x - floor).sum(axis=-1)
        return self._decode(integers + self._simulate(batches * self.users, integers.shape, rng), batches)

    def log_mgf(self, s: NDArray[np.float64]) -> NDArray[np.float64]:
        """Add the noise and, by Hoeffding's lemma, the rounding of every user."""
        scaled = s * self.step
        rounding = self.users * scaled**2 / 8 if self.needs_values else 0.0
        return np.asarray(self._log_mgf(scaled) + rounding)


def honest_users(users: int, honest_fraction: float) -> int:
    """Return how many users surely add their noise: the given share, and the protected user at least."""
    return max(1, math.floor(users * honest_fraction))


def crowd(honest_fraction: float, users: int) -> str:
    """Say what a guarantee assumes of the users."""
    if honest_fraction == 1:
        return ""
    few = "one user of each batch is" if honest_users(users, honest_fraction) == 1 else (
        f"{honest_fraction:g} of the users of each batch are")
    return f", as long as {few} honest"
