"""Counters without a tree: noise on every running sum, on every value, or on values and blocks."""

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from bandits_dp._types import Floats
from bandits_dp.continual.intervals import IntervalCounter, packed, root


class NaiveCounter(IntervalCounter):
    """Fresh noise on every running sum: error constant in t, but of order sqrt(T).

    The first value is in all T sums, so the l2-sensitivity is D sqrt(T) (Chan, Shi, Song 2011,
    "simple counting mechanism I"). With M0 rounds per user the first M0 are the worst case: the
    sums from round max(s, t) on contain both s and t, so (R'R)_{st} = T + 1 - max(s, t), which
    falls in both. The squared sensitivity is D^2 times the sum over i < M0 of (2 i + 1)(T - i),
    exactly.

    Parameters, attributes and errors as for :class:`Counter`. Memory: O(1).

    Examples
    --------
    Error (std) of the first and of the last of 1000 sums at (1, 1e-6):

    >>> import bandits_dp as bdp
    >>> counter = bdp.continual.NaiveCounter(1000, epsilon=1.0, delta=1e-6)
    >>> counter.error_std([1, 1000]).round(1).tolist()
    [133.6, 133.6]
    """

    _what = "all running sums together"

    def _parent(self, t: int) -> int:
        return 0

    def _open(self, t: int) -> Iterable[int]:
        return ()

    def _climb(self, noise: Floats) -> None:
        return

    def _column_norm(self, rounds: int, power: int) -> float:
        m, T = rounds, self._last
        if power == 1:
            return float(m * T - m * (m - 1) // 2)
        return root(T * m**2 - m * (m - 1) * (2 * m - 1) // 3 - m * (m - 1) // 2, power)

    def _variance(self, t: NDArray[np.int64]) -> Floats:
        return np.ones(t.shape)


class TwoLevelCounter(IntervalCounter):
    """Blocks of b = floor(sqrt(T)) values: sum t has floor(t / b) block and t mod b value noises.

    Chan, Shi, Song 2011, "two-level counting mechanism": error of order T^(1/4). A value gets its
    own noise (except the last of a block, which only completes the block) and its block's, so the
    l2-sensitivity is exactly D sqrt(2) (D if b = 1). With M0 rounds per user it is at most D
    sqrt(M0 + sum of m_i^2), with m_i of these rounds in block i; this is largest if they fill
    blocks.

    Parameters, attributes and errors as for :class:`Counter`; also the attribute ``block``, the
    block size b. Memory: O(1).

    Examples
    --------
    Error (std) after the first block, of 31 values, and of the last of 1000 sums at (1, 1e-6):

    >>> import bandits_dp as bdp
    >>> counter = bdp.continual.TwoLevelCounter(1000, epsilon=1.0, delta=1e-6)
    >>> counter.error_std([31, 1000]).round(1).tolist()
    [6.0, 37.8]
    """

    def _prepare(self) -> None:
        self.block = math.isqrt(self._last)

    def _parent(self, t: int) -> int:
        return t - (self.block if t % self.block == 0 else 1)

    def _open(self, t: int) -> Iterable[int]:
        start = t - t % self.block
        return {t, start} - {0}

    def _climb(self, noise: Floats) -> None:
        noise[self.block :: self.block] = noise[self.block :: self.block].cumsum(axis=0)
        for start in range(0, len(noise), self.block):
            block = noise[start : start + self.block]
            np.cumsum(block, axis=0, out=block)

    def _column_norm(self, rounds: int, power: int) -> float:
        blocks = packed(rounds, self.block, self._last // self.block, power)
        return root(blocks + (rounds if self.block > 1 else 0), power)

    def _variance(self, t: NDArray[np.int64]) -> Floats:
        return np.asarray(t // self.block + t % self.block, dtype=float)


class PerStepCounter(TwoLevelCounter):
    """Fresh noise on every value: the least noise per draw, but sum t collects t of them.

    Chan, Shi, Song 2011, "simple counting mechanism II". Here it is a two-level counter with a
    block longer than the stream. Every value gets one noise, so the l2-sensitivity is exactly D
    sqrt(M0) for M0 rounds per user.

    Parameters, attributes and errors as for :class:`Counter`. Memory: O(1).

    Examples
    --------
    Error (std) of the first and of the last of 1000 sums at (1, 1e-6):

    >>> import bandits_dp as bdp
    >>> counter = bdp.continual.PerStepCounter(1000, epsilon=1.0, delta=1e-6)
    >>> counter.error_std([1, 1000]).round(1).tolist()
    [4.2, 133.6]
    """

    _what = "all values together"

    def _prepare(self) -> None:
        self.block = self._last + 1
