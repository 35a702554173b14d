r"""Noise bits that each user adds to a shuffled count, and the least number that suffices.

Bits come in pairs: one bit is one with probability :math:`p \le 1/2`, the other with probability
:math:`1 - p`. Single rare bits make skewed, Poisson-like noise, and skew costs privacy: at (1,
1e-6) they need a std of 5.8 in large batches. The two bits of a pair are skewed in opposite
directions, their sum is symmetric, and a std of 4.5 always suffices.

**Pairs as fair bits.** The sum of a pair is the sum of two fair bits with probability
:math:`q = 4 p (1 - p)`, and otherwise 1. So :math:`n` pairs contain
:math:`M \sim \mathrm{Bin}(n, q)` fair pairs; more of them never hurt (post-processing), so
:math:`\delta` is at most the one of N fair bits plus :math:`P[2 M < N]`. This bound is used where a
convolution is too large.

If d counts have independent noise, some count has too few fair pairs with a probability F of at
most :math:`d P[2 M < N]`. Even then all counts have slightly fewer fair bits, N' < N, except with
probability :math:`d P[2 M < N']`. So, with :math:`\delta_N` for N fair bits on every count,

.. math:: \delta \le \delta_N + F\, (\delta_{N'} - \delta_N) + d\, P[2 M < N'] .
"""

import math
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
import scipy  # optimize and stats are loaded when they are used first
from numpy.typing import NDArray

from bandits_dp._types import Floats
from bandits_dp.accounting.binomial import LEAST_DELTA, ROUNDING, binomial_log_pmf, hockey_stick
from bandits_dp.noise.exact_counts import UNIT, binomial, units

MOST_CONVOLVED = 100_000  # trials up to which the distribution of pairs is computed exactly
MOST_SINGLE = 10_000  # bits that are drawn one by one and counted
RAREST = -math.log(UNIT)  # log of the least probability of a bit
SHARE = 1e-3  # of delta, for the event of too few fair pairs


class NoiseBits(NamedTuple):
    """Each user's noise: ``rare`` bits, one with probability p, and ``common`` bits, with 1 - p.

    All methods compute with p, because 1 - p would round a tiny p away. Messages and releases draw
    bits with exactly this probability if it is a multiple of 2^-53, else with the next larger
    multiple.
    """

    rare: int
    common: int
    p: float

    def mean(self, users: int) -> float:
        """Return the mean number of ones among the noise bits of ``users`` users."""
        return users * (self.rare * self.p + self.common * (1 - self.p))

    def std(self, users: int) -> float:
        """Return the standard deviation of that number."""
        return math.sqrt(users * (self.rare + self.common) * self.p * (1 - self.p))

    def draw(self, shape: tuple[int, ...], rng: np.random.Generator) -> NDArray[np.uint8]:
        """Draw single bits, shape (``shape``, rare + common).

        Each compares p with a uniform multiple of 2^-53 from ``rng.random``.
        """
        rare = rng.random((*shape, self.rare)) < self.p
        common = rng.random((*shape, self.common)) >= self.p
        return np.concatenate([rare, common], axis=-1).astype(np.uint8)

    def draw_sum(self, users: int, shape: tuple[int, ...],
                 rng: np.random.Generator) -> NDArray[np.int64]:
        """Draw the ones of ``users`` users for each entry of ``shape``, exactly distributed."""
        if users * (self.rare + self.common) * math.prod(shape) <= MOST_SINGLE:
            return self.draw((*shape, users), rng).sum(axis=(-1, -2), dtype=np.int64)
        ones, zeros = (binomial(users * number, units(self.p), shape, rng)
                       for number in (self.rare, self.common))
        return ones + users * self.common - zeros

    def simulate_sum(self, users: int, shape: tuple[int, ...],
                     rng: np.random.Generator) -> NDArray[np.int64]:
        """Draw such numbers in floating point: fast for any crowd, for simulations only."""
        ones = rng.binomial(users * self.rare, self.p, shape)
        return np.asarray(ones + users * self.common
                          - rng.binomial(users * self.common, self.p, shape))

    def log_mgf(self, users: int, s: Floats) -> Floats:
        """Bound log E exp(±s (ones - mean)) for ``users`` users; the longer of the two tails."""
        up, down = bernoulli_log_mgf(self.p, s), bernoulli_log_mgf(self.p, -s)
        return users * np.maximum(self.rare * up + self.common * down,
                                  self.rare * down + self.common * up)

    def log_pmf(self, users: int, least: float = -math.inf) -> Floats:
        """Log-probabilities of the number of ones; log-probabilities <= ``least`` are omitted."""
        _, rare = binomial_log_pmf(users * self.rare, self.p)
        common = (rare if self.common == self.rare
                  else binomial_log_pmf(users * self.common, self.p)[1])  # of its zeros
        rare, common = rare[rare > least], common[common > least]
        law = np.convolve(np.exp(rare), np.exp(common[::-1]))
        with np.errstate(divide="ignore"):  # below 1e-308 it is 0, which only drops mass
            return np.log(law)

    def delta(self, users: int, epsilon: float) -> float:
        """Exact delta of a count with the noise bits of ``users`` users that moves by one."""
        return hockey_stick(self.log_pmf(users), epsilon, shift=1)


def least_noise_bits(users: int, fair_trials: Callable[[float], int],
                     delta_of: Callable[[Floats], float], delta: float,
                     counts: int = 1, spare: float = 0.0) -> NoiseBits:
    """Find the fewest pairs of bits per user, and the smallest p, that keep delta.

    Parameters
    ----------
    users : int
        Number of users who add noise.
    fair_trials : callable
        Total number of fair bits that suffice for a given delta.
    delta_of : callable
        Upper bound on delta, given the log-probabilities of a symmetric noise.
    delta : float
        The allowed failure mass.
    counts : int
        Number of counts with independent noise bits that share delta, >= 1.
    spare : float
        Log of the largest factor by which an omitted probability enters delta, >= 0.

    Returns
    -------
    NoiseBits
        Equal numbers of rare and common bits. p is a multiple of 2^-53, so bits are drawn with
        exactly this probability.
    """
    if delta < 2 * LEAST_DELTA:
        raise ValueError(f"delta must be at least {2 * LEAST_DELTA:g} for noise bits, got "
                         f"{delta!r}: smaller masses are not evaluated")
    trials = fair_trials(delta)
    if trials > MOST_CONVOLVED:
        trials = fair_trials(delta * (1 - SHARE))
        pairs = math.ceil(trials / (2 * users))
        needed = math.ceil(trials / 2)

        def fewest(counted: int) -> float:
            """Return the smallest q at which ``counted`` counts all have N fair bits."""
            def too_few(q: float) -> float:
                return (float(scipy.stats.binom.logcdf(needed - 1, users * pairs, q))
                        - math.log(delta * SHARE / counted))

            if too_few(1 - 1e-12) >= 0:
                return 1.0
            likely = needed / (users * pairs)  # may be below any absolute tolerance
            q = scipy.optimize.brentq(too_few, likely * 0.9, 1 - 1e-15, xtol=2e-12 * likely)
            return min(q * (1 + ROUNDING), 1.0)

        def proved(q: float) -> bool:
            """Whether the module's bound for several counts keeps delta."""
            # fewer is N' / 2
            fewer = int(scipy.stats.binom.ppf(delta * SHARE / 2 / counts, users * pairs, q))
            some, many = (min(1.0, counts * float(scipy.stats.binom.cdf(k - 1, users * pairs, q)))
                          for k in (needed, fewer))
            all_, less = (delta_of(binomial_log_pmf(n, 0.5)[1]) for n in (trials, 2 * fewer))
            return all_ + some * max(less - all_, 0.0) + many <= delta * (1 - ROUNDING)

        q = fewest(1)
        if counts > 1 and q < 1 and not proved(q):
            q = fewest(counts)
        root = 0.5 * q / (1 + math.sqrt(1 - q))  # the smaller root of 4 p (1 - p) = q
        return NoiseBits(pairs, pairs, units(root) / UNIT)
    pairs = math.ceil(trials / (2 * users))
    target = math.log(delta * (1 - ROUNDING))
    # Omitted probabilities, of at most 4 million rare and common counts each, cost < 1e-30 delta.
    least = math.log(delta) - 90 - spare

    def bits(log_p: float) -> NoiseBits:
        return NoiseBits(pairs, pairs, min(units(math.exp(log_p)) / UNIT, 0.5))

    @cache  # the root finder asks for the ends of the bracket and for the root again
    def excess(log_p: float) -> float:
        return math.log(max(delta_of(bits(log_p).log_pmf(users, least)), 1e-300)) - target

    # Start from the variance of enough fair bits, and widen the bracket downwards, then upwards.
        # At p = 1/2 there are enough fair bits, so delta is kept there.
    most = math.log(0.5)
    high = min(math.log(trials) - math.log(8 * users * pairs), most)
    low = high - 1
    while excess(low) <= 0:
        if low < RAREST:
            return bits(low)  # no rarer noise can be drawn
        low -= 1
    while high < most and excess(high) > 0:
        high = min(high + 0.25, most)
    log_p = scipy.optimize.brentq(excess, low, high, xtol=1e-9) if excess(high) < 0 else high
    while log_p < high and excess(log_p) > 0:  # the root finder may stop just below the root
        log_p = min(log_p + 1e-8, high)
    return bits(log_p)


def bernoulli_log_mgf(p: float, s: Floats) -> Floats:
    """Log of E exp(s (B - p)) for a bit B, one with probability p; shape of ``s``, any real s."""
    return np.logaddexp(np.log1p(-p), np.log(p) + s) - s * p
