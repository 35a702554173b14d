r"""The shuffle model on numbers: values and noise as shuffled bits (Cheu et al. 2021).

Every coordinate becomes an integer x in :math:`\{0, \dots, g\}`
(:mod:`bandits_dp.privatizers.integer_sum`), which is sent as g bits, x of them ones, together with
the noise bits. The user puts all bits in random order: where a user's own noise already protects
her message, its order must not separate the noise from the value. The shuffler mixes the bits of
each coordinate over all users; the analyzer counts the ones, subtracts the mean of the noise, and
undoes the scale.

**Sensitivity.** Give the user's old and new value the same U in every coordinate. Then, in each
coordinate, the integers' difference exceeds the unrounded numbers' difference by less than one.
Privacy given U for every U implies privacy, because delta is convex in the pair of distributions.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp import _checks
from bandits_dp._types import Floats
from bandits_dp.noise.noise_bits import NoiseBits
from bandits_dp.privatizers.integer_sum import IntegerSum

MOST_COUNTED = 2**62  # bits that int64 can count
MOST_BITS = 2_000_000_000  # bits of all messages of a release


class BitSum(IntegerSum):
    """Base class of shuffled sums of numbers; subclasses choose levels and noise.

    Parameters as for :class:`IntegerSum`.

    Attributes
    ----------
    noise_bits : NoiseBits
        Noise bits that each user adds to each coordinate.
    """

    model = "shuffle"

    def _set_up(self, levels: int, noise_bits: NoiseBits) -> None:
        """Set the levels, the noise, and the attributes that follow from them."""
        each = levels + noise_bits.rare + noise_bits.common
        self.noise_bits = noise_bits
        self._set_levels(levels, noise_bits.std(self.users))
        self.bits_per_user = float(self.dimension * each)
        self.span = self.users * each * self.step

    def _draw(self, users: int, shape: tuple[int, ...],
              rng: np.random.Generator) -> NDArray[np.int64]:
        self._must_count(users)
        return self.noise_bits.draw_sum(users, shape, rng)

    def _must_count(self, users: int) -> None:
        """Raise a ValueError if int64 cannot count all bits, as for some theorems' noise."""
        each = self.noise_bits.rare + self.noise_bits.common + self.levels
        if users * each > MOST_COUNTED:
            raise ValueError("epsilon must be so large, and users so few, that they send at most "
                             f"{MOST_COUNTED:,} bits in all, got {users:,} users with "
                             f"{float(each):.3g} bits each")

    def _simulate(self, users: int, shape: tuple[int, ...],
                  rng: np.random.Generator) -> NDArray[np.int64]:
        self._must_count(users)
        return self.noise_bits.simulate_sum(users, shape, rng)

    def _mean(self, users: int) -> float:
        return self.noise_bits.mean(users)

    def _log_mgf(self, s: Floats) -> Floats:
        return self.noise_bits.log_mgf(self.users, s)

    def randomize(self, values: ArrayLike, rng: np.random.Generator) -> NDArray[Any]:
        """Send g bits and noise bits per coordinate, shuffled, shape (users, dimension, bits)."""
        _checks.generator(rng)
        array = self.check(values)
        if len(array) * self.bits_per_user > MOST_BITS:
            raise ValueError("fidelity must be 'aggregate' for messages as long as these, got "
                             f"'messages' with {self.bits_per_user:,.0f} bits from each of "
                             f"{len(array)} users: more than {MOST_BITS:,} in all")
        unary = np.arange(self.levels) < self._round(array, rng)[:, :, None]
        bits = np.concatenate(
            [unary.astype(np.uint8), self.noise_bits.draw(array.shape, rng)], axis=2)
        return rng.permuted(bits, axis=2)

    def shuffle(self, messages: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
        """Return each coordinate's bits in random order, shape (dimension, users * bits)."""
        return rng.permuted(messages.transpose(1, 0, 2).reshape(self.dimension, -1), axis=1)

    def analyze(self, messages: NDArray[Any], rng: np.random.Generator) -> Floats:
        """Count the ones of each coordinate and undo the encoding."""
        return self._decode(messages.sum(axis=1, dtype=np.int64))

    @property
    def sub_gaussian_std(self) -> float:
        """Sub-Gaussian std: noise bits by Kearns & Saul 1998, rounding by Hoeffding's lemma."""
        bits, p = self.noise_bits, self.noise_bits.p
        each = 0.25 if abs(p - 0.5) < 1e-6 else (1 - 2 * p) / (2 * (math.log1p(-p) - math.log(p)))
        return self.step * math.sqrt(self.users * ((bits.rare + bits.common) * each + 0.25))

    @property
    def ahead(self) -> int:  # type: ignore[override]
        """One noise count per coordinate, and one uniform number per user and coordinate."""
        return self.dimension * (1 + self.users)

    def draw_ahead(self, batches: int, rng: np.random.Generator) -> Floats:
        """Draw the noise counts of every release, then all uniform numbers for rounding."""
        ones = self._simulate(self.users, (batches, self.dimension), rng)
        uniform = rng.random((batches, self.users * self.dimension))
        return np.concatenate([ones - self.noise_bits.mean(self.users), uniform], axis=1)

    def noise_from(self, rows: Floats,
                   values: Floats) -> Floats:
        """Round, up if the uniform number is below the fraction, and add the noise counts."""
        if not self.needs_values:  # ends of the interval need no rounding
            return self.step * rows[:, : self.dimension]
        uniform = rows[:, self.dimension :].reshape(len(rows), self.users, self.dimension)
        rest = (values - self.low) / self.step
        rest -= np.floor(rest)
        error = (uniform < rest).sum(axis=1) - rest.sum(axis=1)
        return self.step * (rows[:, : self.dimension] + error)
