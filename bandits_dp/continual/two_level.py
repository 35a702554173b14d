"""Two levels: noise on every value inside a block, and on every finished block of about sqrt(T) values."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from bandits_dp.continual.intervals import IntervalCounter, packed, root


class TwoLevelCounter(IntervalCounter):
    """Blocks of b = floor(sqrt(T)) values: running sum t collects floor(t / b) block noises and t mod b noises of values.

    Chan, Shi, Song 2011, "two-level counting mechanism": error of order T^(1/4). A value enters its own noise (none for the
    last of a block, which only completes the block) and its block's, so the l2-sensitivity is D sqrt(2), exactly (D if b = 1).
    With M0 rounds per user it is at most D sqrt(M0 + sum of squared numbers of these rounds per block), which is largest when they
    fill blocks.

    Parameters, attributes and errors: those of :class:`Counter`, and ``block``, the block size b. Memory O(1).

    Examples
    --------
    Error (std) after the first block, of 31 values, and of the last of 1000 sums at (1, 1e-6):

    >>> import bandits_dp as bdp
    >>> counter = bdp.continual.TwoLevelCounter(1000, epsilon=1.0, delta=1e-6)
    >>> counter.error_std([31, 1000]).round(1).tolist()
    [6.0, 37.8]
    """

    block: int

    def _prepare(self) -> None:
        self.block = math.isqrt(self._last)

    def _parent(self, t: int) -> int:
        return t - (self.block if t % self.block == 0 else 1)

    def _open(self, t: int) -> Iterable[int]:
        start = t - t % self.block
        return {t, start} - {0}

    def _climb(self, noise: NDArray[np.float64]) -> None:
        noise[self.block :: self.block] = noise[self.block :: self.block].cumsum(axis=0)
        for start in range(0, len(noise), self.block):
            block = noise[start : start + self.block]
            np.cumsum(block, axis=0, out=block)

    def _column_norm(self, rounds: int, power: int) -> float:
        blocks = packed(rounds, self.block, self._last // self.block, power)
        return root(blocks + (rounds if self.block > 1 else 0), power)

    def _variance(self, t: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.asarray(t // self.block + t % self.block, dtype=float)
