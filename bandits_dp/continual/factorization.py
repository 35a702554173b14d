r"""The square-root factorization: correlated noise with less than half the tree's error.

Let C be the lower-triangular Toeplitz matrix with first column

.. math:: f_k = \binom{2k}{k} / 4^k , \qquad f_0 = 1 , \quad f_k = f_{k-1} \Big(1 - \frac{1}{2k}\Big) .

These are the coefficients of :math:`(1 - x)^{-1/2}`, and lower-triangular Toeplitz matrices multiply like power series; so
:math:`C \cdot C` has the coefficients of :math:`(1 - x)^{-1}`, all ones: :math:`C \cdot C = A`, the matrix of running sums. The
server releases :math:`C (C x + z) = A x + C z` with independent Gaussian z.

*Privacy.* This is :mod:`bandits_dp.continual.base` with L = R = C: the released sums are a function of :math:`C x + z`, one
Gaussian mechanism whose sensitivity is D times the largest column norm of C, that of its first column (later columns are the
same numbers, cut off earlier). It holds for values that depend on earlier releases as well, because C is lower triangular:
given the releases before t, entry t of :math:`C x + z` is Gaussian with a mean that is known but for the user's values (Denisov
et al. 2022, on adaptive streams). The factorization: Fichtenberger, Henzinger, Upadhyay 2022; Henzinger, Upadhyay, Upadhyay 2023.

*Several rounds per user.* For rounds s <= t (from 0), :math:`(C^\top C)_{st} = \sum_{j < T - t} f_j f_{j + t - s}`. All terms are
positive and f falls, so the sum grows when t - s shrinks for the same t (larger terms), and when t shrinks for the same t - s (more
terms). The i-th and j-th of a user's sorted rounds have :math:`s_j \ge j` and :math:`s_j - s_i \ge j - i`; hence the first M0
rounds are the worst, exactly, and the squared sensitivity is :math:`D^2` times the squared norm of the sum of the first M0 columns.

*Error.* Running sum t has noise :math:`\sum_{k < t} f_k z_{t - k}`, of std
:math:`\sigma \sqrt{\sum_{k < t} f_k^2}`, and :math:`\sum_{k < T} f_k^2 \approx (\ln T + \ln 16 + 0.5772) / \pi`.
Sensitivity and error relative to it both grow like :math:`\sqrt{\ln T}`.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
import scipy  # fft is loaded when it is used first
from numpy.typing import ArrayLike, NDArray

from bandits_dp import _checks
from bandits_dp._state import read_integers, written
from bandits_dp.continual.base import Counter
from bandits_dp.continual.intervals import bit_parents
from bandits_dp.noise.grid import Grid, grid
from bandits_dp.privatizers.domain import slack

BITS = 52  # of coefficients, where they are exact
SMALL = 1 << 47  # numbers of steps below which 64 bits are enough for everything
FEW, WIDE = 64, 4096  # rows that are multiplied one by one, a power of two; that are convolved by FFT in pieces of 16 bits


def square_root_coefficients(length: int) -> NDArray[np.float64]:
    """Coefficients f_k = binom(2k, k) / 4^k of (1 - x)^(-1/2), k < length, by f_k = f_{k-1} (1 - 1/(2k)); shape (length,)."""
    factors = np.ones(length)
    factors[1:] -= 0.5 / np.arange(1, length)
    return np.asarray(np.cumprod(factors), dtype=float)


def window_sums(values: NDArray[np.float64], width: int) -> NDArray[np.float64]:
    """Sum each value and up to ``width`` - 1 before it, shape of ``values``; by doubling, because subtracting would cancel."""
    total = np.zeros_like(values)
    block = values.copy()  # sums of ``size`` values
    size, done = 1, 0
    while width > 0:
        if width & 1:
            total[done:] += block[: len(block) - done]
            done += size
        width >>= 1
        block[size:] += block[:-size].copy()
        size *= 2
    return total


def next_part(x: NDArray[Any]) -> NDArray[Any]:
    """Multiply n rows of integers by the coefficients n, ..., 1, in units of 2^-52, exactly: what they bring to the next row.

    Returns limbs, shape (3, columns), as :func:`later_part` does. Rows below 2^47 and coefficients are split into digits of 16
    bits, so that all products and sums are whole numbers below 2^53: floating point is exact, in whatever order a processor adds.
    """
    if x.dtype == object:
        brought = _factors(len(x) + 1)[:0:-1].astype(object) @ x
        return np.array([brought, 0 * brought, 0 * brought])
    halves = (_weights(len(x)) @ np.concatenate([x & 0xFFFF, x >> 16 & 0xFFFF, x >> 32])).astype(np.int64)
    return np.asarray(halves[::2] + (halves[1::2] << 16))


def later_part(x: NDArray[Any]) -> NDArray[Any]:
    """Convolve the first 2 n coefficients, in units of 2^-52, with n rows of integers, exactly, and return rows n to 2 n - 1.

    An integer is returned as three limbs, shape (3, n, columns), that stand for their sum times 1, 2^32 and 2^64. Limbs are no
    digits: they may be negative, or larger than 2^32. They are 64-bit numbers, which cannot overflow where one such number is
    enough for each: for rows below 2^47 and n below 2^18, all limbs of blocks of different length together are below 2^63.

    Pieces of 16 bits, or of 8 where n is above 4096, are convolved by FFT and rounded. An error is at most 0.4 for n = 4096, and
    0.1 for n = 2^22 and seven pieces (Brent, Percival, Zimmermann 2007, Theorem 5.1), so that this is exact, too.
    """
    n, small = len(x), x.dtype == np.int64
    bits = 16 if n <= WIDE else 8
    first = _spectra(n, bits) if n <= WIDE else _spectra.__wrapped__(n, bits)  # the rest comes rarely, and is large
    second = [scipy.fft.rfft(piece, 2 * n, axis=0) for piece in pieces(x, bits)]  # what goes round ends before row n
    limbs = np.zeros((3, *x.shape), dtype=np.int64 if small and n < 2**18 else object)
    for k in range(len(first) + len(second) - 1):
        spectrum = sum(first[i] * second[k - i] for i in range(len(first)) if 0 <= k - i < len(second))
        part, limb = np.rint(scipy.fft.irfft(spectrum, 2 * n, axis=0)[n:]).astype(np.int64), min(bits * k // 32, 2)
        limbs[limb] += part.astype(limbs.dtype) << bits * k - 32 * limb
    return limbs


def rounded(limbs: NDArray[Any]) -> NDArray[Any]:
    """Return the integers that such limbs stand for over 2^52, to the nearest one."""
    return np.asarray((limbs[1] + (limbs[0] >> 32) + (1 << 19) >> 20) + (limbs[2] << 12))


def _factors(n: int) -> NDArray[np.int64]:
    """Return the first n coefficients in units of 2^-52."""
    return np.rint(square_root_coefficients(n) * 2.0**BITS).astype(np.int64)


@lru_cache
def _weights(n: int) -> NDArray[np.float64]:
    """Return the matrix that turns three digits of n rows, one after the other, into six of what they bring to the next row."""
    digits, nothing = [_factors(n + 1)[:0:-1] >> 16 * k & 0xFFFF for k in range(4)], np.zeros(n)
    return np.block([[digits[k - j] if 0 <= k - j < 4 else nothing for j in range(3)] for k in range(6)]).astype(float)


@lru_cache
def _spectra(n: int, bits: int) -> list[NDArray[np.complex128]]:
    """Return the Fourier transforms of all pieces of the first 2 n coefficients, as columns."""
    return [scipy.fft.rfft(piece, axis=0) for piece in pieces(_factors(2 * n)[:, None], bits)]


def pieces(numbers: NDArray[Any], bits: int) -> list[NDArray[np.float64]]:
    """Split integers into digits of so many bits, the lowest first, from minus to plus a half of their range."""
    split, half = list[NDArray[np.float64]](), 1 << bits - 1
    while not split or (numbers != 0).any():
        digits = (numbers + half & 2 * half - 1) - half
        split.append(digits.astype(float))
        numbers = numbers - digits >> bits
    return split


class FactorizationCounter(Counter):
    """Square-root Toeplitz factorization, Gaussian noise only: the recommended counter when the horizon is known.

    Parameters, attributes and errors: those of :class:`Counter`; ``noise`` must be "gaussian". Also ``coefficients``, the f_k,
    shape (horizon,).

    Notes
    -----
    Exact Toeplitz noise needs all earlier values and draws, so ``add`` keeps them, and so does a saved state: memory
    O(t dimension), not O(log t) as for a tree, and O(log^2 t) time per round on average, with pauses when t doubles (an eighth
    of a second per coordinate at 65,536 rounds). No draw is made before its round. ``noise_path`` is a convolution per coordinate.

    The coefficients are floats with a relative error below 4e-16 each step of the recursion; the sensitivity is rounded up by more.
    ``add`` takes whole numbers of 2^-52 for them, counts C x exactly with these, and rounds each entry to the grid, which moves
    two neighbours' entries apart by a step at most; then the grid's noise is added. What is released is C times this, counted and
    rounded in the same way: no digit of it hangs on how a processor adds.

    Examples
    --------
    Error (std) of the first and of the last of 1000 sums at (1, 1e-6):

    >>> import bandits_dp as bdp
    >>> counter = bdp.continual.FactorizationCounter(1000, epsilon=1.0, delta=1e-6)
    >>> counter.error_std([1, 1000]).round(1).tolist()
    [7.6, 13.8]
    """

    noises = ("gaussian",)
    _what = "all entries of C x together"

    def _prepare(self) -> None:
        _checks.room("horizon", self._last)
        self.coefficients = square_root_coefficients(self._last)
        self._squares = np.cumsum(self.coefficients**2)

    def _column_norm(self, rounds: int, power: int) -> float:
        sums = window_sums(self.coefficients, rounds)  # the sum of the first M0 columns: f_n + ... + f_{n - M0 + 1} in row n
        return math.sqrt(float(np.sum(sums**2))) * (1 + 4e-16 * (self._last + 100))

    def _variance(self, t: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.asarray(self._squares[t - 1])

    @property
    def grid(self) -> Grid:
        """The grid for values and for all T entries of C x, each of which is rounded."""
        domain = self.domain
        numbers = self.dimension * (self.roundings + math.sqrt(self._last)) ** 2
        return grid("gaussian", self.noise_std, domain.l2_diameter, numbers, slack(domain))

    def reset(self) -> None:
        """Forget the stream, to count a new one of other users."""
        super().reset()
        # Values, and C x + z, both in steps and in this order, of all rounds so far, and room for more.
        self._rows = np.empty((0, 2 * self.dimension), dtype=np.int64)
        self._parts: dict[int, NDArray[Any]] = {}

    def _pack(self) -> dict[str, ArrayLike]:
        values, noisy = np.hsplit(self._rows[: self.steps].astype(object), 2)
        return super()._pack() | {"values": written(values), "noisy": self.grid.real(noisy)}

    def _unpack(self, state: dict[str, NDArray[Any]]) -> None:
        super()._unpack(state)
        self._rows, self._parts = np.empty((0, 2 * self.dimension), dtype=np.int64), {}
        self._keep(0, np.hstack([read_integers(state["values"]), self.grid.whole(state["noisy"])]))
        for end in bit_parents(self.steps - self.steps % FEW):
            self._extend(end)

    def _keep(self, start: int, rows: NDArray[Any]) -> None:
        """Write rows from number ``start`` on, beyond ``steps``, which nobody reads before they are counted."""
        if start + len(rows) > len(self._rows):
            more = max(start, len(rows)), 2 * self.dimension
            self._rows = np.concatenate([self._rows, np.zeros(more, dtype=self._rows.dtype)])
        if self._rows.dtype == object or (abs(rows) >= SMALL).any():
            self._rows = self._rows.astype(object, copy=False)
            rows[:, self.dimension :] = self.grid.whole(self.grid.real(rows[:, self.dimension :]))  # as a state holds them
        self._rows[start : start + len(rows)] = rows

    def _next(self, value: NDArray[np.object_], rng: np.random.Generator) -> NDArray[np.float64]:
        """Add what earlier rounds bring: full blocks of the dyadic decomposition of their number, and the last few rounds."""
        t, grid, d = self.steps, self.grid, self.dimension
        last = t - t % FEW
        parts = [self._parts[end & -end][:, t - end] for end in bit_parents(last)]
        if last < t:
            parts.append(next_part(self._rows[last:t]))
        brought = rounded(sum(parts[1:], parts[0])) if parts else np.zeros(2 * d, dtype=np.int64)
        value = value.astype(np.int64) if max(map(abs, value.tolist())) < SMALL else value
        noisy = value + brought[:d] + grid.noise(value.shape, rng)
        self._keep(t, np.concatenate([value, noisy])[None])
        if (t + 1) % FEW == 0:
            self._extend(t + 1)
        return grid.real(noisy + brought[d:])

    def _extend(self, end: int) -> None:
        """Compute what the block that is complete after round ``end`` brings to the next rounds, as many as it is long.

        That is online convolution, in n log^2 n time for n rounds. It looks at the past only.
        """
        size = end & -end
        self._parts = self._parts | {size: later_part(self._rows[end - size : end])}

    def _accumulate(self, draws: NDArray[np.float64]) -> NDArray[np.float64]:
        """Multiply by C: a convolution with f, by FFT."""
        steps = len(draws)
        size = scipy.fft.next_fast_len(2 * steps - 1, real=True)
        spectrum = scipy.fft.rfft(self.coefficients[:steps], size)
        noise = np.empty_like(draws)
        for j in range(self.dimension):  # one by one, for the memory
            noise[:, j] = scipy.fft.irfft(scipy.fft.rfft(draws[:, j], size) * spectrum, size)[:steps]
        return noise
