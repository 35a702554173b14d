"""Exact samplers of discrete noise (Canonne, Kamath, Steinke 2020, algorithms 2 and 3), vectorized.

Probabilities are never rounded to floating point, so no outcome is impossible or too rare because
of rounding.

A coin of probability exp(-p / q) compares exp(-p / q) with a uniform number U, of which 53 bits are
drawn first. If these bits differ from the floating-point value of exp(-p / q) by more than its
rounding error, they decide; otherwise, which is rare, more bits and digits are computed until they
do. So floating point saves time but never decides a doubtful case.
"""

from collections.abc import Callable
from decimal import Context, Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandits_dp._types import Floats

WORDS = 64  # of 64 bits, drawn at once
BITS = 53  # of a uniform number, drawn first
AHEAD = 1024  # numbers of one kind drawn ahead
KINDS = 256  # of noise kept ready, at most
CLOSE = 2.0**-40  # thousands of times the rounding error of exp(-x)
ROW = 16  # heads in a row counted at once, with more bits than exp(-16) needs
# dozens of times the error of -log U due to the missing bits, for -log U <= 16
CLOSE_LOG = 2.0**-24


class Unseeded(np.random.Generator):
    """A generator seeded by the OS. Its stream need not be reproducible, so samplers draw ahead.

    Draws from any other generator are reproducible. With this one, small requests for noise are
    drawn for many calls at once, which takes a tenth of the time. Noise that is ready reveals no
    more than the generator's state would. Every row is popped, and so used once, whichever thread
    takes it. Copies are refused, because they would draw the same noise twice.

    Attributes
    ----------
    ready : dict of list of ndarray
        Unused rows of noise, by distribution, scale and size.
    """

    # ``spawn`` gives a bit generator
    def __init__(self, bit_generator: np.random.BitGenerator | None = None) -> None:
        super().__init__(bit_generator or np.random.PCG64())
        self.ready: dict[tuple[str, int, int], list[NDArray[np.int64]]] = {}

    def __reduce__(self) -> Any:
        """Refuse copies and pickles."""
        raise TypeError("rng must not be copied: it is the generator of live use, and noise would "
                        "be drawn twice")


class Coins:
    """Exact samplers of integers from the bits of a generator.

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
        """Draw uniformly from 0, ..., n - 1."""
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
        """Draw ``size`` x with probability proportional to exp(-abs(x) / t), t from 1 to 2^53."""
        return self._drawn("laplace", t, size)

    def gaussian(self, s: int, size: int) -> NDArray[np.int64]:
        """Draw ``size`` x with probability proportional to exp(-x^2 / 2 s^2), s from 1 to 2^53."""
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

    def _many(self, draw: Callable[[int, int], NDArray[np.int64]], scale: int,
              size: int) -> NDArray[np.int64]:
        """Draw candidates, about half of which are accepted, until there are enough."""
        drawn = draw(scale, 9 * size // 4 + 12)
        while len(drawn) < size:
            drawn = np.concatenate([drawn, draw(scale, 9 * size // 4 + 12)])
        return drawn[:size]

    def _laplaces(self, t: int, size: int) -> NDArray[np.int64]:
        rest = self._rng.integers(0, t, size)
        rest = rest[self._fall(rest / t, lambda i: (int(rest[i]), t))]
        drawn, negative = (self._whole(rest.size) * t + rest,
                           self._rng.integers(0, 2, rest.size) == 1)
        return np.where(negative, -drawn, drawn)[(drawn > 0) | ~negative]

    def _gaussians(self, s: int, size: int) -> NDArray[np.int64]:
        x = self._laplaces(s, size)
        gap = abs(x) - s
        return x[self._fall((gap / s) ** 2 / 2, lambda i: (int(gap[i]) ** 2, 2 * s**2))]

    def _whole(self, size: int) -> NDArray[np.int64]:
        """Draw runs of heads of a coin of probability exp(-1): the largest k with U < exp(-k)."""
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

    def _fall(self, exponents: Floats,
              exact: Callable[[int], tuple[int, int]]) -> NDArray[np.bool_]:
        """Toss many coins: coin i shows heads with probability exp(-p / q), (p, q) = exact(i)."""
        uniform = self._rng.random(exponents.size)
        apart = np.exp(-exponents) - uniform
        heads = apart > 0
        for i in (abs(apart) < CLOSE).nonzero()[0].tolist():
            heads[i] = self._less(int(uniform[i] * 2**BITS), *exact(i))
        return heads

    def _less(self, bits: int, p: int, q: int) -> bool:
        """Return whether a uniform number that begins with ``bits`` is less than exp(-p / q)."""
        count = BITS
        while True:
            bits, count = bits << 64 | self.below(2**64), count + 64
            digits = Context(prec=count)  # the last few may be wrong
            chance = digits.exp(digits.divide(Decimal(-p), Decimal(q)))
            drawn = digits.divide(Decimal(bits), Decimal(2**count))
            if abs(digits.subtract(chance, drawn)) > digits.divide(Decimal(2), Decimal(2**count)):
                return drawn < chance
