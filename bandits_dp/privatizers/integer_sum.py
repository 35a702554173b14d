r"""Sums of integers: values are rounded to integers and get integer noise.

A value in [low, high] becomes :math:`x = g (v - \mathrm{low}) / (\mathrm{high} - \mathrm{low})` and
is rounded at random to a neighbouring integer in :math:`\{0, \dots, g\}` that has mean x:
:math:`\lfloor x + U \rfloor` with U uniform, which is up if 1 - U is at most the fraction of x.
Both of these numbers are exact, and the integer always stays in :math:`\{0, \dots, g\}`, so
floating point adds nothing that the noise must hide. Where norms are checked with a tolerance of
1e-9, vectors are first shortened by as much.

Messages of users and results of ``release`` have noise from integer arithmetic
(:mod:`bandits_dp.noise.exact_counts`): its distribution is exactly the one of the proofs,
down to the rarest outcome. Simulations draw from the same distribution in floating point.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp._types import Floats
from bandits_dp.privatizers.base import Privatizer
from bandits_dp.privatizers.domain import Domain, slack


class IntegerSum(Privatizer):
    """Base class of sums of integers; subclasses choose levels, noise and messages.

    Parameters as for :class:`Privatizer`, and ``honest_fraction``, the share of users that surely
    add their noise.

    Attributes
    ----------
    levels : int
        g, the largest integer that a value becomes.
    honest : int
        Number of users that surely add their noise.
    low, high : float
        Ends of the encoded interval.
    step : float
        Size of one level, in the units of one value.
    """

    adds = True

    def __init__(self, users: int, domain: Domain, clip: bool = False,
                 honest_fraction: float = 1.0) -> None:
        super().__init__(users, domain, clip)
        self.low, self.high = domain.low, domain.high
        diameter = domain.l2_diameter  # a bound for values that are shortened by this factor
        self._within = diameter / (diameter + slack(domain)) if math.isfinite(diameter) else 1.0
        self.honest, self._trust = (honest_users(self.users, honest_fraction),
                                    crowd(honest_fraction, users))

    @abstractmethod
    def _draw(self, users: int, shape: tuple[int, ...],
              rng: np.random.Generator) -> NDArray[np.int64]:
        """Draw the noise of ``users`` users for each entry of ``shape``, in exact integers."""

    @abstractmethod
    def _simulate(self, users: int, shape: tuple[int, ...],
                  rng: np.random.Generator) -> NDArray[np.int64]:
        """Draw such noise with numpy's samplers, in floating point."""

    @abstractmethod
    def _log_mgf(self, s: Floats) -> Floats:
        """Bound log E exp(±s (noise - mean)) of all users' noise, each s > 0; may be infinite."""

    def _mean(self, users: int) -> float:
        """Return the mean of the noise of ``users`` users."""
        return 0.0

    def _set_levels(self, levels: int, std: float) -> None:
        """Set levels, the std of all users' noise (in integers), and the attributes that follow."""
        self.levels, self.step = levels, (self.high - self.low) / levels
        ends = self.domain.low, self.domain.high
        self.needs_values = not (getattr(self.domain, "whole", False)
                                 and ends == (self.low, self.high))  # ends are not rounded
        # adds variance <= 1/4 per user
        rounding = math.sqrt(self.users) / 2 if self.needs_values else 0.0
        self.noise_std = self.step * math.hypot(std, rounding)

    def _round(self, array: Floats, rng: np.random.Generator) -> NDArray[np.int64]:
        """Encode every number as an integer in 0..g, of the same shape."""
        x = np.clip((array * self._within - self.low) / self.step, 0.0, self.levels)
        floor = np.floor(x)
        # floor(x + U), exactly
        return (floor + (1 - rng.random(x.shape) <= x - floor)).astype(np.int64)

    def _decode(self, integers: ArrayLike, batches: int = 1) -> Floats:
        """Turn noisy sums of integers into estimates of the sums."""
        users = batches * self.users
        return np.asarray((np.asarray(integers) - self._mean(users)) * self.step + users * self.low)

    def send(self, values: Floats, rng: np.random.Generator) -> NDArray[Any]:
        """Return each user's integers plus the user's own noise, shape (users, dimension)."""
        return self._round(values, rng) + self._draw(1, values.shape, rng)

    def receive(self, waiting: NDArray[Any], rng: np.random.Generator) -> Floats:
        """Undo the encoding of the sum."""
        return self._decode(waiting)

    def _aggregate(self, array: Floats,
                   rng: np.random.Generator) -> Floats:
        """Round every user's value, and draw all noise of a coordinate as one number."""
        noise = self._draw(self.users, (self.dimension,), rng)
        return self._decode(self._round(array, rng).sum(axis=0) + noise)

    def simulate(self, values: ArrayLike, rng: np.random.Generator) -> Floats:
        """Do the same with noise from a floating-point sampler."""
        noise = self._simulate(self.users, (self.dimension,), rng)
        return self._decode(self._round(self.check(values, self.users), rng).sum(axis=0) + noise)

    def release_sum(self, total: ArrayLike, rng: np.random.Generator,
                    batches: int = 1) -> Floats:
        """Add the noise if all values are ends of the interval; else raise a ValueError.

        Other values are rounded at random, so their sum does not determine the distribution. The
        noise is drawn in floating point, so the result is for simulations and is no private
        release.
        """
        if self.needs_values:
            raise ValueError("total must be given as single values (use release, or "
                             "release_tally): random rounding does not depend on the sum alone")
        total = np.asarray(total, dtype=float)
        integers = np.rint((total - batches * self.users * self.low) / self.step)
        return self._decode(integers + self._simulate(batches * self.users, total.shape, rng),
                            batches)

    def release_tally(self, values: Floats, counts: NDArray[np.int64],
                      rng: np.random.Generator, batches: int = 1) -> Floats:
        """Round the users of each value together, and draw all noise of a sum as one number.

        Users with the same x round up independently with probability x - floor(x), so the number
        that round up is one binomial draw.
        """
        x = np.minimum((values - self.low) / self.step, self.levels)
        floor = np.floor(x)
        integers = counts @ floor.astype(np.int64) + rng.binomial(counts, x - floor).sum(axis=-1)
        return self._decode(integers + self._simulate(batches * self.users, integers.shape, rng),
                            batches)

    def log_mgf(self, s: Floats) -> Floats:
        """Add the noise and, by Hoeffding's lemma, the rounding of every user."""
        scaled = s * self.step
        rounding = self.users * scaled**2 / 8 if self.needs_values else 0.0
        return self._log_mgf(scaled) + rounding


def honest_users(users: int, honest_fraction: float) -> int:
    """Return the number of users that surely add noise: the given share, at least one."""
    return max(1, math.floor(users * honest_fraction))


def crowd(honest_fraction: float, users: int) -> str:
    """Return the words for a guarantee's assumption that users are honest."""
    if honest_fraction == 1:
        return ""
    few = "one user of each batch is" if honest_users(users, honest_fraction) == 1 else (
        f"{honest_fraction:g} of the users of each batch are")
    return f", as long as {few} honest"
