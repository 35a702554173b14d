"""Exact samplers of discrete noise, from random bits and whole numbers only (Canonne, Kamath, Steinke 2020, algorithms 1 to 3).

No probability is ever a floating-point number, so no outcome is impossible, or too rare, because of rounding.
"""

from __future__ import annotations

import numpy as np

WORDS = 64  # of 64 bits, that are drawn at once


class Coins:
    """Random whole numbers, made of the bits of a generator.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of random bits.

    Examples
    --------
    >>> import numpy as np
    >>> from bandits_dp.privatizers.exact import Coins
    >>> coins = Coins(np.random.default_rng(1))
    >>> [coins.gaussian(1000) for _ in range(3)]
    [-1737, -151, 627]
    """

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng, self._words = rng, list[int]()

    def below(self, n: int) -> int:
        """Draw from 0, ..., n - 1, all equally likely."""
        bits = (n - 1).bit_length()
        while True:
            drawn, have = 0, 0
            while have < bits:
                if not self._words:
                    self._words = self._rng.integers(0, 2**64, WORDS, dtype=np.uint64).tolist()
                drawn, have = drawn << 64 | self._words.pop(), have + 64
            drawn >>= have - bits
            if drawn < n:
                return drawn

    def exp(self, p: int, q: int) -> bool:
        """Return True with probability exp(-p / q), for p >= 0 and q >= 1."""
        while p > q:
            if not self.exp(1, 1):
                return False
            p -= q
        k = 1
        while self.below(q * k) < p:  # with probability p / (q k)
            k += 1
        return k % 2 == 1

    def laplace(self, t: int) -> int:
        """Draw discrete Laplace noise: x with a probability proportional to exp(-abs(x) / t), for t >= 1."""
        while True:
            rest = self.below(t)
            if not self.exp(rest, t):
                continue
            whole = 0
            while self.exp(1, 1):
                whole += 1
            size, negative = whole * t + rest, self.below(2)
            if size or not negative:  # 0 has no sign, and is not to come twice as often
                return -size if negative else size

    def gaussian(self, s: int) -> int:
        """Draw discrete Gaussian noise: x with a probability proportional to exp(-x^2 / 2 s^2), for s >= 1."""
        while True:
            x = self.laplace(s)
            if self.exp((abs(x) - s) ** 2, 2 * s**2):
                return x
