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
from typing import Any

import numpy as np
import scipy  # fft is loaded when it is used first
from numpy.typing import ArrayLike, NDArray

from bandits_dp import _checks
from bandits_dp._state import read_integers, written
from bandits_dp.continual.base import Counter
from bandits_dp.continual.intervals import bit_parents
from bandits_dp.privatizers.domain import slack
from bandits_dp.privatizers.grid import Grid, grid

BITS = 52  # of coefficients, where they are exact
PIECE = 8  # bits of integers that are convolved by FFT
FEW = 32  # rows that are convolved one by one


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


def later_part(f: NDArray[np.int64], x: NDArray[np.object_]) -> NDArray[np.object_]:
    """Convolve 2 n integers f >= 0 with n rows of integers, exactly, and return rows n to 2 n - 1.

    Of many rows, pieces of 8 bits are convolved by FFT and rounded. For n = 2^22 and seven pieces an error is at most 0.1 (Brent,
    Percival, Zimmermann 2007, Theorem 5.1), so that this is exact, too.
    """
    n = len(x)
    if n <= FEW:
        columns = [np.convolve(f.astype(object), column)[n : 2 * n] for column in x.T]
        return np.array(columns, dtype=object).T
    first, second = ([scipy.fft.rfft(piece, 4 * n, axis=0) for piece in pieces(numbers)] for numbers in (f[:, None], x))
    total = np.zeros(x.shape, dtype=object)
    for k in range(len(first) + len(second) - 1):
        spectrum = sum(first[i] * second[k - i] for i in range(len(first)) if 0 <= k - i < len(second))
        rounded = np.rint(scipy.fft.irfft(spectrum, 4 * n, axis=0)[n : 2 * n])
        total += rounded.astype(np.int64).astype(object) << PIECE * k
    return total


def pieces(numbers: NDArray[Any]) -> list[NDArray[np.float64]]:
    """Split integers into pieces of a few bits, the lowest first, all of the sign of their number."""
    sizes: NDArray[Any] = abs(numbers.astype(object))
    signs, split = np.sign(numbers.astype(object)).astype(float), list[NDArray[np.float64]]()
    while sizes.any() or not split:
        split.append((sizes & (1 << PIECE) - 1).astype(float) * signs)
        sizes = sizes >> PIECE
    return split


class FactorizationCounter(Counter):
    """Square-root Toeplitz factorization, Gaussian noise only: the recommended counter when the horizon is known.

    Parameters, attributes and errors: those of :class:`Counter`; ``noise`` must be "gaussian". Also ``coefficients``, the f_k,
    shape (horizon,).

    Notes
    -----
    Exact Toeplitz noise needs all earlier values and draws, so ``add`` keeps them, and so does a saved state: memory
    O(t dimension), not O(log t) as for a tree, and O(log^2 t) time per round on average, with pauses when t doubles (a second or
    two per coordinate at 100,000 rounds). No draw is made before its round. ``noise_path`` is one convolution per coordinate.

    The coefficients are floats with a relative error below 4e-16 each step of the recursion; the sensitivity is rounded up by more.
    ``add`` takes whole numbers of 2^-52 for them, counts C x exactly with these, and rounds each entry to the grid, which moves
    two neighbours' entries apart by a step at most; then the grid's noise is added. What is released is C, in doubles, times this.

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
        numbers = self.dimension * (1 + math.sqrt(self._last)) ** 2
        return grid("gaussian", self.noise_std, domain.l2_diameter, numbers, slack(domain))

    def reset(self) -> None:
        """Forget the stream, to count a new one of other users."""
        super().reset()
        # Values in steps, and C x + z, of all rounds so far, and room for more.
        self._values, self._noisy = np.empty((0, self.dimension), dtype=object), np.empty((0, self.dimension))
        self._parts: dict[int, tuple[NDArray[np.object_], NDArray[np.float64]]] = {}

    def _pack(self) -> dict[str, ArrayLike]:
        return super()._pack() | {"values": written(self._values[: self.steps]), "noisy": self._noisy[: self.steps]}

    def _unpack(self, state: dict[str, NDArray[Any]]) -> None:
        super()._unpack(state)
        shape = self.steps, self.dimension
        self._values, self._noisy = read_integers(state["values"]).reshape(shape), state["noisy"].reshape(shape)
        self._parts = {}
        for end in bit_parents(self.steps):
            self._extend(end)

    def _next(self, value: NDArray[np.object_], rng: np.random.Generator) -> NDArray[np.float64]:
        """Add what earlier rounds bring, block by block of the dyadic decomposition of their number."""
        t, grid = self.steps, self.grid
        if t == len(self._noisy):
            more = max(t, 1), self.dimension
            self._values = np.concatenate([self._values, np.zeros(more, dtype=object)])
            self._noisy = np.concatenate([self._noisy, np.zeros(more)])
        ends = list(bit_parents(t))
        entry = (value << BITS) + sum(self._parts[end & -end][0][t - end] for end in ends)  # of C x
        noisy = grid.real((entry + (1 << BITS - 1) >> BITS) + grid.noise(value.shape, rng))
        self._values[t], self._noisy[t] = value, noisy  # rows beyond ``steps``, which nobody reads before they count them
        released = noisy + sum(self._parts[end & -end][1][t - end] for end in ends)
        self._extend(t + 1)
        return np.asarray(released, dtype=float)

    def _extend(self, end: int) -> None:
        """Compute what the block that is complete after round ``end`` brings to the next rounds, as many as it is long.

        That is online convolution, in n log^2 n time for n rounds. It looks at the past only.
        """
        size = end & -end
        factors = np.zeros(2 * size, dtype=np.int64)
        known = self.coefficients[: 2 * size]  # a block may reach beyond the horizon
        factors[: len(known)] = np.rint(known * 2.0**BITS)
        whole = later_part(factors, self._values[end - size : end])
        block = np.concatenate([self._noisy[end - size : end], np.zeros((size, self.dimension))])
        self._parts = self._parts | {size: (whole, self._accumulate(block)[size:])}

    def _accumulate(self, draws: NDArray[np.float64]) -> NDArray[np.float64]:
        """Multiply by C: a convolution with f, by FFT."""
        steps = len(draws)
        size = scipy.fft.next_fast_len(2 * steps - 1, real=True)
        first = np.zeros(steps)
        first[: len(self.coefficients)] = self.coefficients[:steps]  # a block may reach beyond the horizon
        spectrum = scipy.fft.rfft(first, size)
        noise = np.empty_like(draws)
        for j in range(self.dimension):  # one by one, for the memory
            noise[:, j] = scipy.fft.irfft(scipy.fft.rfft(draws[:, j], size) * spectrum, size)[:steps]
        return noise
