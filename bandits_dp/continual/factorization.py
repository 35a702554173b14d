r"""The square-root factorization: correlated noise with less than half the error of a tree.

Let C be the lower-triangular Toeplitz matrix with first column

.. math:: f_k = \binom{2k}{k} / 4^k , \qquad
          f_0 = 1 , \quad f_k = f_{k-1} \Big(1 - \frac{1}{2k}\Big) .

These are the coefficients of :math:`(1 - x)^{-1/2}`, and lower-triangular Toeplitz matrices
multiply like power series; so :math:`C \cdot C` has the coefficients of :math:`(1 - x)^{-1}`, all
ones: :math:`C \cdot C = A`, the matrix of running sums. The server releases
:math:`C (C x + z) = A x + C z` with independent Gaussian z.

*Privacy.* This is :mod:`bandits_dp.continual.base` with L = R = C: the released sums are a function
of :math:`C x + z`, one Gaussian mechanism whose sensitivity is D times the largest column norm of
C, the norm of the first column (later columns have the same numbers, cut off earlier). Values may
depend on earlier releases, because C is lower triangular: given the releases before t, entry t of
:math:`C x + z` is Gaussian with a mean that is known up to the user's values (Denisov et al. 2022,
on adaptive streams). The factorization is by Fichtenberger, Henzinger, Upadhyay 2022, and
Henzinger, Upadhyay, Upadhyay 2023.

*Several rounds per user.* For rounds s <= t (from 0),
:math:`(C^\top C)_{st} = \sum_{j < T - t} f_j f_{j + t - s}`. All terms are positive and f falls, so
the sum grows if t - s shrinks for fixed t (larger terms), and if t shrinks for fixed t - s (more
terms). The i-th and j-th of a user's sorted rounds have :math:`s_j \ge j` and
:math:`s_j - s_i \ge j - i`; hence the first M0 rounds are the worst case, and the squared
sensitivity is exactly :math:`D^2` times the squared norm of the sum of the first M0 columns.

*Error.* Running sum t has the noise :math:`\sum_{k < t} f_k z_{t - k}` of std
:math:`\sigma \sqrt{\sum_{k < t} f_k^2}`, and :math:`\sum_{k < T} f_k^2 \approx (\ln T + \ln 16 +
0.5772) / \pi`. The sensitivity, and the error relative to it, both grow like :math:`\sqrt{\ln T}`.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
import scipy  # fft is loaded when it is used first
from numpy.typing import ArrayLike, NDArray

from bandits_dp import _checks
from bandits_dp._types import Floats
from bandits_dp.continual.base import Counter
from bandits_dp.continual.intervals import bit_parents
from bandits_dp.noise.grid import Grid, grid
from bandits_dp.privatizers.domain import slack

BITS = 52  # of coefficients in exact arithmetic
SMALL = 1 << 47  # steps; for smaller numbers 64 bits always suffice
FEW, WIDE = 64, 4096  # rows multiplied one by one (a power of two); rows convolved in 16-bit pieces


def square_root_coefficients(length: int) -> Floats:
    """Coefficients f_k = binom(2k, k) / 4^k = f_{k-1} (1 - 1/2k) of (1 - x)^(-1/2), k < length."""
    factors = np.ones(length)
    factors[1:] -= 0.5 / np.arange(1, length)
    return np.asarray(np.cumprod(factors), dtype=float)


def window_sums(values: Floats, width: int) -> Floats:
    """Sum each value and up to ``width`` - 1 previous ones, by doubling, without cancellation."""
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
    """Exact contribution of the last n rows of integers to the next row: coefficients n, ..., 1.

    Coefficients are in units of 2^-52. Returns limbs, shape (3, columns), like :func:`later_part`.
    Rows below 2^47 and coefficients are split into digits of 16 bits, so that all products and sums
    are integers below 2^53: floating point is exact, in any order of addition.
    """
    if x.dtype == object:
        brought = _factors(len(x) + 1)[:0:-1].astype(object) @ x
        return np.array([brought, 0 * brought, 0 * brought])
    halves = (
        _weights(len(x)) @ np.concatenate([x & 0xFFFF, x >> 16 & 0xFFFF, x >> 32])).astype(np.int64)
    return halves[::2] + (halves[1::2] << 16)


def later_part(x: NDArray[Any]) -> NDArray[Any]:
    """Exact contribution of n rows of integers to the next n: a convolution with coefficients.

    Convolves the first 2 n coefficients, in units of 2^-52, with the rows, and returns rows n to 2
    n - 1. Each integer has three limbs, shape (3, n, columns), with weights 1, 2^32 and 2^64. Limbs
    are not digits: they may be negative or larger than 2^32. For rows below 2^47 and n below 2^18
    they are 64-bit numbers that cannot overflow: the sum of all limbs of blocks of different
    lengths is below 2^63. Otherwise they are Python integers.

    Pieces of 16 bits, or of 8 if n is above 4096, are convolved by FFT and rounded. The error is at
    most 0.4 for n = 4096, and 0.1 for n = 2^22 and seven pieces (Brent, Percival, Zimmermann 2007,
    Theorem 5.1), so the result is exact.
    """
    n, small = len(x), x.dtype == np.int64
    bits = 16 if n <= WIDE else 8
    # larger ones are rare and not cached
    first = _spectra(n, bits) if n <= WIDE else _spectra.__wrapped__(n, bits)
    # wraps around into rows below n only
    second = [scipy.fft.rfft(piece, 2 * n, axis=0) for piece in pieces(x, bits)]
    limbs = np.zeros((3, *x.shape), dtype=np.int64 if small and n < 2**18 else object)
    for k in range(len(first) + len(second) - 1):
        spectrum = sum(first[i] * second[k - i]
                       for i in range(len(first)) if 0 <= k - i < len(second))
        part, limb = (np.rint(scipy.fft.irfft(spectrum, 2 * n, axis=0)[n:]).astype(np.int64),
                      min(bits * k // 32, 2))
        limbs[limb] += part.astype(limbs.dtype) << bits * k - 32 * limb
    return limbs


def rounded(limbs: NDArray[Any]) -> NDArray[Any]:
    """Return the integers of limbs divided by 2^52, rounded to nearest."""
    return (limbs[1] + (limbs[0] >> 32) + (1 << 19) >> 20) + (limbs[2] << 12)


def _factors(n: int) -> NDArray[np.int64]:
    """Return the first n coefficients in units of 2^-52."""
    return np.rint(square_root_coefficients(n) * 2.0**BITS).astype(np.int64)


@lru_cache
def _weights(n: int) -> Floats:
    """Return the matrix from three digits of n rows to six digits of their contribution."""
    digits, nothing = [_factors(n + 1)[:0:-1] >> 16 * k & 0xFFFF for k in range(4)], np.zeros(n)
    return np.block([[digits[k - j] if 0 <= k - j < 4 else nothing for j in range(3)]
                     for k in range(6)]).astype(float)


@lru_cache
def _spectra(n: int, bits: int) -> list[NDArray[np.complex128]]:
    """Return the Fourier transforms of all pieces of the first 2 n coefficients, as columns."""
    return [scipy.fft.rfft(piece, axis=0) for piece in pieces(_factors(2 * n)[:, None], bits)]


def pieces(numbers: NDArray[Any], bits: int) -> list[Floats]:
    """Split integers into signed digits of ``bits`` bits, lowest first."""
    split, half = list[Floats](), 1 << bits - 1
    while not split or (numbers != 0).any():
        digits = (numbers + half & 2 * half - 1) - half
        split.append(digits.astype(float))
        numbers = numbers - digits >> bits
    return split


class FactorizationCounter(Counter):
    """Square-root Toeplitz factorization: the recommended counter for a known horizon.

    Parameters, attributes and errors as for :class:`Counter`; ``noise`` must be "gaussian". The
    attribute ``coefficients`` has the f_k, shape (horizon,).

    Notes
    -----
    Exact Toeplitz noise needs all earlier values and draws, so ``add`` and saved states keep them:
    memory is O(t dimension), not O(log t) as for a tree, and time per round is O(log^2 t) on
    average, with pauses when t doubles (an eighth of a second per coordinate at 65,536 rounds). No
    draw is made before its round. ``noise_path`` is a convolution per coordinate.

    The coefficients are floats with a relative error below 4e-16 per step of the recursion; the
    sensitivity is rounded up by more. ``add`` rounds them to multiples of 2^-52, computes C x
    exactly with these, and rounds each entry to the grid, which moves entries of neighbouring
    inputs apart by at most one step; then it adds the grid's noise. The release is C times the
    result, computed and rounded in the same way, so no digit depends on how a processor adds.

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
        # row n of the sum of M0 columns is f_n + ... + f_{n - M0 + 1}
        sums = window_sums(self.coefficients, rounds)
        return math.sqrt(float(np.sum(sums**2))) * (1 + 4e-16 * (self._last + 100))

    def _variance(self, t: NDArray[np.int64]) -> Floats:
        return self._squares[t - 1]

    @property
    def grid(self) -> Grid:
        """The grid for values and the T entries of C x; all are rounded."""
        domain = self.domain
        numbers = self.dimension * (self.roundings + math.sqrt(self._last)) ** 2
        return grid("gaussian", self.noise_std, domain.l2_diameter, numbers, slack(domain))

    def reset(self) -> None:
        """Forget the stream, to count a new one of other users."""
        super().reset()
        # Columns: values, then C x + z, in steps. Rows: all rounds so far, then spare rows.
        self._rows = np.empty((0, 2 * self.dimension), dtype=np.int64)
        self._parts: dict[int, NDArray[Any]] = {}

    def _pack(self) -> dict[str, ArrayLike]:
        values, noisy = np.hsplit(self._rows[: self.steps].astype(object), 2)
        return super()._pack() | {"values": values, "noisy": self.grid.real(noisy)}

    def _unpack(self, state: dict[str, NDArray[Any]]) -> None:
        super()._unpack(state)
        self._rows, self._parts = np.empty((0, 2 * self.dimension), dtype=np.int64), {}
        self._keep(0, np.hstack([state["values"], self.grid.whole(state["noisy"])]))
        for end in bit_parents(self.steps - self.steps % FEW):
            self._extend(end)

    def _keep(self, start: int, rows: NDArray[Any]) -> None:
        """Write rows at ``start``, >= ``steps``; rows beyond ``steps`` are not read."""
        if start + len(rows) > len(self._rows):
            more = max(start, len(rows)), 2 * self.dimension
            self._rows = np.concatenate([self._rows, np.zeros(more, dtype=self._rows.dtype)])
        if self._rows.dtype == object or (abs(rows) >= SMALL).any():
            self._rows = self._rows.astype(object, copy=False)
            # round as in a saved state
            rows[:, self.dimension :] = self.grid.whole(self.grid.real(rows[:, self.dimension :]))
        self._rows[start : start + len(rows)] = rows

    def _next(self, value: NDArray[np.object_], rng: np.random.Generator) -> Floats:
        """Add the contributions of earlier full dyadic blocks and of the last few rounds."""
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
        """Compute the contribution of the block that ends at ``end`` to as many later rounds.

        This is online convolution, in n log^2 n time for n rounds.
        """
        size = end & -end
        self._parts = self._parts | {size: later_part(self._rows[end - size : end])}

    def _accumulate(self, draws: Floats) -> Floats:
        """Multiply by C: a convolution with f, by FFT."""
        steps = len(draws)
        size = scipy.fft.next_fast_len(2 * steps - 1, real=True)
        spectrum = scipy.fft.rfft(self.coefficients[:steps], size)
        noise = np.empty_like(draws)
        for j in range(self.dimension):  # one by one, to save memory
            noise[:, j] = scipy.fft.irfft(
                scipy.fft.rfft(draws[:, j], size) * spectrum, size)[:steps]
        return noise
