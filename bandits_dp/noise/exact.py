"""Exact samplers of discrete noise, for whole arrays (Canonne, Kamath, Steinke 2020, algorithms 2 and 3).

No probability is ever a floating-point number, so no outcome is impossible, or too rare, because of rounding.

A coin of probability exp(-p / q) falls by a uniform number U, of which 53 bits are drawn first. Where these are further from the
floating-point value of exp(-p / q) than its rounding error could be, they decide; if not, which is rare, more bits and more digits
are looked at until they do. So floating-point numbers save time, and decide nothing that is in doubt.
"""

from collections.abc import Callable
from decimal import Context, Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

WORDS = 64  # of 64 bits, that are drawn at once
BITS = 53  # of a uniform number, that are drawn first
AHEAD = 1024  # numbers of one kind that are drawn ahead
KINDS = 256  # of noise that is ready, at most
CLOSE = 2.0**-40  # thousands of times the rounding error of exp(-x)
ROW = 16  # heads in a row that are counted at once, with more bits than exp(-16) needs
CLOSE_LOG = 2.0**-24  # dozens of times the error of -log U by the bits that are not drawn, while -log U is at most 16


class Unseeded(np.random.Generator):
    """A generator that the operating system seeds, so that nobody minds which of its words make which number.

    With any other generator samplers go on as ever, and what it makes can be made again. Here noise for a few numbers is drawn for
    many calls at once, which takes a tenth of the time. Whoever could read what is ready could read the generator's state, too, and
    compute the same; every row is popped, and so used once, by whatever thread. It cannot be copied, for then noise would be drawn
    twice.

    Attributes
    ----------
    ready : dict of list of ndarray
        Rows of noise that nobody has used, by law, scale and size.
    """

    def __init__(self, bit_generator: np.random.BitGenerator | None = None) -> None:  # with which ``spawn`` makes others
        super().__init__(bit_generator or np.random.PCG64())
        self.ready: dict[tuple[str, int, int], list[NDArray[np.int64]]] = {}

    def __reduce__(self) -> Any:
        """Refuse to be copied or pickled."""
        raise TypeError("rng must not be copied: it is the generator of live use, and noise would be drawn twice")


class Coins:
    """Random whole numbers, made of the bits of a generator.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of random bits.

    Examples
    --------
    >>> import numpy as np
    >>> from bandits_dp.noise.exact import Coins
    >>> Coins(np.random.default_rng(1)).gaussian(1000, size=3).tolist()
    [-1473, -1950, 144]
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

    def laplace(self, t: int, size: int) -> NDArray[np.int64]:
        """Draw discrete Laplace noise so often: x with a probability proportional to exp(-abs(x) / t), for t from 1 to 2^53."""
        return self._drawn("laplace", t, size)

    def gaussian(self, s: int, size: int) -> NDArray[np.int64]:
        """Draw discrete Gaussian noise so often: x with a probability proportional to exp(-x^2 / 2 s^2), for s from 1 to 2^53."""
        return self._drawn("gaussian", s, size)

    def _drawn(self, law: str, scale: int, size: int) -> NDArray[np.int64]:
        """Return noise that is ready, or draw it."""
        draw = self._gaussians if law == "gaussian" else self._laplaces
        if not isinstance(self._rng, Unseeded) or not 0 < size <= AHEAD:
            return self._many(draw, scale, size)
        if len(self._rng.ready) > KINDS:
            self._rng.ready.clear()
        ready = self._rng.ready.setdefault((law, scale, size), [])
        try:
            return ready.pop()
        except IndexError:
            last, *rest = self._many(draw, scale, AHEAD // size * size).reshape(-1, size)
            ready.extend(rest)
            return last

    def _many(self, draw: Callable[[int, int], NDArray[np.int64]], scale: int, size: int) -> NDArray[np.int64]:
        """Draw candidates, of which about half are refused, until there are enough."""
        drawn = draw(scale, 9 * size // 4 + 12)
        while len(drawn) < size:
            drawn = np.concatenate([drawn, draw(scale, 9 * size // 4 + 12)])
        return drawn[:size]

    def _laplaces(self, t: int, size: int) -> NDArray[np.int64]:
        rest = self._rng.integers(0, t, size)
        rest = rest[self._fall(rest / t, lambda i: (int(rest[i]), t))]
        drawn, negative = self._whole(rest.size) * t + rest, self._rng.integers(0, 2, rest.size) == 1
        return np.where(negative, -drawn, drawn)[(drawn > 0) | ~negative]

    def _gaussians(self, s: int, size: int) -> NDArray[np.int64]:
        x = self._laplaces(s, size)
        gap = abs(x) - s
        return x[self._fall((gap / s) ** 2 / 2, lambda i: (int(gap[i]) ** 2, 2 * s**2))]

    def _whole(self, size: int) -> NDArray[np.int64]:
        """Draw how often a coin of probability exp(-1) shows heads in a row: the largest k with U < exp(-k), for many U."""
        uniform = self._rng.random(size)
        logs = -np.log(uniform + 0.5**BITS / 2)
        nearest = np.rint(logs)
        for i in (abs(logs - nearest) < CLOSE_LOG).nonzero()[0].tolist():
            logs[i] = nearest[i] - (not self._less(int(uniform[i] * 2**BITS), int(nearest[i]), 1))
        whole = np.minimum(logs.astype(np.int64), ROW)
        on = (whole == ROW).nonzero()[0]
        if on.size:
            whole[on] += self._whole(on.size)
        return whole

    def _fall(self, exponents: NDArray[np.float64], exact: Callable[[int], tuple[int, int]]) -> NDArray[np.bool_]:
        """Return which of many coins show heads: coin i with probability exp(-p / q) for (p, q) = exact(i)."""
        uniform = self._rng.random(exponents.size)
        apart = np.exp(-exponents) - uniform
        heads = apart > 0
        for i in (abs(apart) < CLOSE).nonzero()[0].tolist():
            heads[i] = self._less(int(uniform[i] * 2**BITS), *exact(i))
        return heads

    def _less(self, bits: int, p: int, q: int) -> bool:
        """Return whether a uniform number that begins with these bits is less than exp(-p / q)."""
        count = BITS
        while True:
            bits, count = bits << 64 | self.below(2**64), count + 64
            digits = Context(prec=count)  # of which the last few may be wrong
            chance = digits.exp(digits.divide(Decimal(-p), Decimal(q)))
            drawn = digits.divide(Decimal(bits), Decimal(2**count))
            if abs(digits.subtract(chance, drawn)) > digits.divide(Decimal(2), Decimal(2**count)):
                return drawn < chance
