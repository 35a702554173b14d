r"""Exact, vectorized samplers of counts: binomial, Poisson, geometric and Polya numbers.

numpy's samplers compute with rounded probabilities and never draw outcomes that are too rare for
one uniform number of 53 bits; for the noise bits of 10 users at (20, 1e-12) this cost 4,338 times
the promised delta. Here every decision compares two integers, one of them uniform, so each
distribution is exact, tails included. Probabilities and means are multiples of :math:`2^{-53}`, and
given in such units.
"""

import math
from bisect import bisect, bisect_left
from functools import lru_cache
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from bandits_dp._types import Floats
from bandits_dp.noise.exact import BITS, Coins, Unseeded

UNIT = 2**53
WORDS = 1 << 20  # held at once
# fair bits: from MANY on, blocks of at most MOST are drawn as one number
MANY, MOST = 1 << 20, 1 << 34
# weights 20! / n!, below 2^63
POISSON = np.cumsum([math.factorial(20) // math.factorial(n) for n in range(21)])
FEW, KEPT = 1 << 16, 256  # trials up to which all probabilities are computed; bits of them
Counts = NDArray[np.int64]


def units(p: float, parts: int = 1) -> int:
    """Return p / parts as a number of units, rounded up."""
    whole, power = p.as_integer_ratio()
    return -(-whole * UNIT // (power * parts))


def fair_ones(trials: Counts, rng: np.random.Generator) -> Counts:
    """Draw the number of ones among ``trials`` fair bits, for each entry of a 1-d array."""
    most = 64 * max(1, WORDS // len(trials))
    ones = np.zeros_like(trials)
    many = trials > MANY
    for place in np.flatnonzero(many):
        whole, rest = divmod(int(trials[place]), MOST)
        ones[place] = sum(many_fair_ones(number, rng) for number in [MOST] * whole + [rest])
    trials = np.where(many, 0, trials)
    while trials.any():
        now = np.minimum(trials, most)
        words = -(-now // 64)
        ends = np.cumsum(words)
        drawn = rng.integers(0, 2**64, ends[-1], dtype=np.uint64)
        some = words > 0
        # unused bits of the last word
        drawn[ends[some] - 1] >>= (-now[some] % 64).astype(np.uint64)
        counted = np.concatenate([[0], np.cumsum(np.bitwise_count(drawn), dtype=np.int64)])
        ones += counted[ends] - counted[ends - words]
        trials = trials - now
    return ones


def many_fair_ones(trials: int, rng: np.random.Generator) -> int:
    r"""Draw the ones among at most 2^34 fair bits, in time of the order of their square root.

    Of 2k bits, k + i are ones with weight :math:`f(|i|)`, where
    :math:`f(i) = \prod_{j = 1}^i (k - j + 1) / (k + j)`. A proposal :math:`i \ge 0` has weight w =
    1 below some :math:`s > \sqrt k` and :math:`w = s (s + 1) / i (i + 1)` from s on, a further s +
    1 in total. It is accepted with probability f / w, by one coin per factor; for j beyond s the
    coin includes the factor of 1 / w and has probability

    .. math:: \frac{(k - j + 1) (j + 1)}{(k + j) (j - 1)} \le 1 \iff 2 k + 1 \le j (2 j - 1) .
    """
    k, odd = divmod(trials, 2)
    s, coins = math.isqrt(k) + 2, Coins(rng)

    def taken(i: int) -> bool:
        # larger i: probability below exp(-1e6)
        for start in range(1, min(i, 1 << 28) + 1, 1 << 12):
            j = np.arange(start, min(i + 1, start + (1 << 12)))
            late = j > s
            low, high = np.where(late, j - 1, 1), np.where(late, j + 1, 1)
            if (rng.integers(0, (k + j) * low) >= (k - j + 1) * high).any():
                return False
        return True

    while True:
        i, a = coins.below(2 * s + 1), s
        if i >= s:  # i >= x with probability s / x
            while coins.below(2):
                a *= 2
            i = a + coins.below(a)
            while coins.below(i * (i + 1)) >= a * (a + 1):
                i = a + coins.below(a)
        negative = coins.below(2)
        if (i or not negative) and taken(i):
            return k + (-i if negative else i) + (coins.below(2) if odd else 0)


def binomial(trials: int | Counts, p: int, shape: tuple[int, ...],
             rng: np.random.Generator) -> Counts:
    r"""Draw the number of ones among ``trials`` bits that are one with probability ``p`` units.

    A bit is one if a uniform number in [0, 1) is below p. The binary digits of all uniform numbers
    are drawn from the first on: if p has a 1 and the number a 0, it is below; if p has a 0 and the
    number a 1, it is above; otherwise the next digit decides. Half of the numbers stay undecided
    each time, so two random bits per trial suffice on average.

    For few trials and an :class:`Unseeded` generator :func:`inverted` is used instead: it takes a
    hundredth of the time once its table is computed, which takes half a second for the largest.
    """
    if isinstance(trials, int) and trials <= FEW and 0 < p < UNIT and isinstance(rng, Unseeded):
        return inverted(trials, p, shape, rng)
    undecided = np.array(np.broadcast_to(trials, shape), dtype=np.int64).ravel()
    ones = np.zeros_like(undecided)
    while undecided.any() and p:
        p *= 2
        lower = fair_ones(undecided, rng)
        if p >= UNIT:
            ones, undecided, p = ones + lower, undecided - lower, p - UNIT
        else:
            undecided = lower
    return ones.reshape(shape)


@lru_cache(maxsize=16)
def cumulative(trials: int, p: int, bits: int) -> list[int]:
    """Return lower bounds on P[at most k ones], in units of 2^-bits, for all k below ``trials``.

    The largest weight is rounded down. Ratios of at most 1 then give the others; each ratio adds
    less than one unit of error. So every bound is less than (trials + 1)^2 units below its
    probability.
    """
    mode, weights, q = (trials + 1) * p // UNIT, [0] * (trials + 1), UNIT - p
    weights[mode] = (
        (math.comb(trials, mode) * p**mode * q ** (trials - mode) << bits) >> BITS * trials)
    for k in range(mode, trials):
        weights[k + 1] = weights[k] * ((trials - k) * p) // ((k + 1) * q)
    for k in range(mode, 0, -1):
        weights[k - 1] = weights[k] * (k * q) // ((trials - k + 1) * p)
    return list(accumulate(weights[:-1]))


@lru_cache(maxsize=16)
def first_bits(trials: int, p: int) -> tuple[Floats, Floats]:
    """Return 53-bit upper bounds, then lower bounds, on these probabilities, as floats."""
    law, room, rest = cumulative(trials, p, KEPT), (trials + 1) ** 2, KEPT - BITS
    return (np.array([-(-(low + room) >> rest) for low in law]) / UNIT,
            np.array([low >> rest for low in law]) / UNIT)


def inverted(trials: int, p: int, shape: tuple[int, ...], rng: np.random.Generator) -> Counts:
    """Draw binomial numbers by inversion: count the k with P[at most k ones] <= U, U uniform.

    The first 53 bits of U give a lower and an upper count. If these differ, more bits decide.
    """
    surely, maybe = first_bits(trials, p)
    first, coins = rng.random(math.prod(shape)), Coins(rng)
    drawn = surely.searchsorted(first, side="right")
    for i in (drawn != maybe.searchsorted(first, side="right")).nonzero()[0].tolist():
        begun, have, bits, most = int(first[i] * UNIT), BITS, KEPT, -1
        while drawn[i] != most:
            begun, have = begun << 64 | coins.below(2**64), have + 64
            bits *= 1 + (have + 64 > bits)
            law = cumulative(trials, p, bits)
            drawn[i], most = (bisect(law, (begun << bits - have) - (trials + 1) ** 2),
                              bisect_left(law, begun + 1 << bits - have))
    return drawn.reshape(shape)


def poisson(mean: int, shape: tuple[int, ...], rng: np.random.Generator) -> Counts:
    """Draw Poisson numbers with a mean of ``mean`` units.

    Each is a sum of Poisson numbers of mean 1 and one that is thinned to the remaining mean. Time
    grows like the mean; memory does not.
    """
    whole, rest = divmod(mean, UNIT)
    size = math.prod(shape)
    total = binomial(_poisson_of_mean_one(size, rng), rest, (size,), rng)
    most = max(1, WORDS // size)
    while whole:
        now = min(whole, most)
        total += _poisson_of_mean_one(size * now, rng).reshape(size, now).sum(axis=1)
        whole -= now
    return total.reshape(shape)


def _poisson_of_mean_one(size: int, rng: np.random.Generator) -> Counts:
    """Draw n with probability proportional to 1 / n!, so to the integer 20! / n! for n <= 20.

    All n > 20 together have weight 1 / 21 + 1 / (21 22) + ... < 1 and share one more integer: one
    in 21 cases is n = 21; a second one in 21 leads to n = 22 in one of 22 cases, and so on; all
    other cases start again.
    """
    drawn = rng.integers(0, int(POISSON[-1]) + 1, size)
    numbers = np.searchsorted(POISSON, drawn, side="right").astype(np.int64)
    for place in np.flatnonzero(numbers == len(POISSON)):
        while (part := rng.integers(0, numbers[place])) == 1:
            numbers[place] += 1
        if part:
            numbers[place] = _poisson_of_mean_one(1, rng)[0]
    return numbers


def exponential_coins(p: Counts, q: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Return True with probability exp(-p / q), for 0 <= p <= q and q up to 2^53.

    Coin k has probability p / (k q); the answer is True if the first failure has an odd number k.
    Coin 1000 is reached with probability below 1e-2500.
    """
    failed = np.ones(p.shape, dtype=np.int64)
    going = np.arange(p.size)
    while going.size:
        going = going[rng.integers(0, q * failed[going[0]], going.size) < p[going]]
        failed[going] += 1
    return failed % 2 == 1


def geometric(rate: int, size: int, rng: np.random.Generator) -> Counts:
    """Draw ``size`` y with probability proportional to exp(-y rate); the rate, >= 1, is in units.

    A number x with weights exp(-x / UNIT) is a remainder below UNIT plus whole units (Canonne,
    Kamath, Steinke 2020, algorithm 2); all x with x // rate = y together have the weight of y.
    There are 1000 units with probability exp(-1000).
    """
    x = np.empty(size, dtype=np.int64)
    going = np.arange(size)
    while going.size:
        x[going] = rng.integers(0, UNIT, going.size)
        going = going[~exponential_coins(x[going], UNIT, rng)]
    going = np.arange(size)
    while going.size:
        going = going[exponential_coins(np.ones_like(going), 1, rng)]
        x[going] += UNIT
    return x // rate


def polya(rate: int, part: int, parts: int, size: int, rng: np.random.Generator) -> Counts:
    r"""Draw Polya numbers, shares r = ``part`` / ``parts`` <= 1 of a geometric number.

    The weight of y is :math:`e^{-y\,\mathrm{rate}} \prod_{j = 1}^y (j - 1 + r) / j`. So draw y from
    the geometric distribution, toss a coin for each factor, and start again if one fails. A y = 0
    is accepted at once, and most y > 0 fail at their first coin, r. So draw the number of y > 0
    before the first 0, toss all their first coins together, and continue with the remaining ones,
    if any, one after the other.
    """
    tries = np.cumsum(geometric(rate, size, rng))
    numbers, coins = np.zeros(size, dtype=np.int64), Coins(rng)
    for start in range(0, int(tries[-1]), WORDS):
        left = start + np.flatnonzero(rng.integers(0, parts, min(WORDS, tries[-1] - start)) < part)
        owners = np.searchsorted(tries, left, side="right")
        for owner, y in zip(owners, 1 + geometric(rate, len(left), rng), strict=True):
            if not numbers[owner] and all(
                    coins.below(j * parts) < (j - 1) * parts + part
                    for j in range(2, int(y) + 1)):
                numbers[owner] = y
    return numbers
