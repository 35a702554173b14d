r"""Binomial noise on a count: exact privacy, and the fewest trials for a target.

The adversary sees the count plus :math:`X \sim \mathrm{Bin}(N, p)`, because shuffled bits reveal
only their number of ones. One user moves the count by at most :math:`k`, so the two neighbouring
views are :math:`X` and :math:`X + k`, and the exact :math:`\delta(\varepsilon)` is the larger of
their two hockey-stick divergences

.. math:: \sum_x \big(P[X + k = x] - e^{\varepsilon} P[X = x]\big)_+ , \qquad
          \sum_x \big(P[X = x] - e^{\varepsilon} P[X + k = x]\big)_+ .

Outcomes that are possible in one view only count in full.

**Why the largest shift is the worst.** A sum of independent bits is log-concave, so the likelihood
ratio :math:`P[X = x - k] / P[X = x]` rises in :math:`x` and the best event for the adversary is a
tail: :math:`\delta = \sup_c P[X + k > c] - e^{\varepsilon} P[X > c]`. For fixed :math:`c` this
rises with :math:`k`, hence so does the supremum; the other direction is the mirror image. So no
smaller move of the count costs more.

**Why the sum is rigorous.** Terms are evaluated from log-probabilities over a window outside of
which each view has mass below :math:`e^{-700}` by Bernstein's inequality. Every term is positive,
so nothing cancels; the relative rounding error stays below 1e-9, and calibration leaves that much
room.
"""

import math
from functools import lru_cache

import numpy as np

from bandits_dp import _checks
from bandits_dp._types import Floats

ROUNDING = 1e-9  # relative margin that calibrations leave for floating-point error in delta
LOG_TAIL = 700.0  # mass outside the evaluated window is below exp(-700), about 1e-304
LEAST_DELTA = 1e-290  # of a calibration; that mass is negligible beside it
MOST_OUTCOMES = 4_000_000  # of a distribution that is evaluated: 1e10 fair bits
MOST_VARIANCE = 2**31  # of calibrated noise (60 evaluations of its distribution): 8e9 fair bits


def sized(what: str, number: float) -> float:
    """Return ``number`` if an argument may have its size, else raise an ArithmeticError."""
    if not _checks.SMALLEST <= number <= _checks.LARGEST:
        raise ArithmeticError(f"{what} is {number:g}, which is not from {_checks.SMALLEST:g} to "
                              f"{_checks.LARGEST:g}")
    return number


def binomial_log_pmf(trials: int, p: float) -> tuple[int, Floats]:
    """Log-probabilities of Bin(trials, p) over all counts that matter.

    Parameters
    ----------
    trials : int
        Number of trials N, >= 0.
    p : float
        Success probability, in (0, 1).

    Returns
    -------
    tuple of int and ndarray
        The first count of the window, and log P[X = first + i] for each i, shape (window,).

    Notes
    -----
    The values are built outwards from the mode by exact ratios of neighbouring probabilities, then
    normalized over the window; this avoids the cancellation of log-gamma differences at N = 1e8.
    The window reaches Bernstein's deviation L/3 + sqrt(L^2/9 + 2 L N p (1-p)) for L = 700 on both
    sides.
    """
    trials = _checks.integer("trials", trials, low=0)
    p = _checks.real("p", p, 0.0, 1.0)
    mean = trials * p
    reach = LOG_TAIL / 3 + math.sqrt(LOG_TAIL**2 / 9 + 2 * LOG_TAIL * mean * (1 - p))
    first, last = max(0, math.floor(mean - reach)), min(trials, math.ceil(mean + reach))
    _checks.room("trials", last - first if last < 2**53 else last, MOST_OUTCOMES)
    x = np.arange(first, last, dtype=float)
    # log P[x + 1] - log P[x]
    steps = np.log((trials - x) / (x + 1)) + (math.log(p) - math.log1p(-p))
    mode = min(max(math.floor((trials + 1) * p), first), last) - first
    log_pmf = np.concatenate([-np.cumsum(steps[:mode][::-1])[::-1], [0.0], np.cumsum(steps[mode:])])
    return first, log_pmf - math.log(np.exp(log_pmf).sum())


def hockey_stick(log_pmf: Floats, epsilon: float, shift: int) -> float:
    """Larger of the two hockey-stick divergences between integer noise and its shift.

    Parameters
    ----------
    log_pmf : ndarray, shape (window,)
        Log-probabilities of the noise on consecutive integers.
    epsilon : float
        Privacy parameter, > 0.
    shift : int
        How far one user moves the count, >= 0.

    Returns
    -------
    float
        delta in [0, 1].
    """
    _checks.room("shift", shift, MOST_OUTCOMES)
    edge = np.full(shift, -np.inf)
    still = np.concatenate([log_pmf, edge])
    moved = np.concatenate([edge, log_pmf])

    def one_way(log_p: Floats, log_q: Floats) -> float:
        # exp(p) - exp(eps + q) = -exp(p) * expm1(eps + q - p): no cancellation where it is small
        more = log_p > log_q + epsilon
        return float(np.sum(np.exp(log_p[more]) * -np.expm1(epsilon + log_q[more] - log_p[more])))

    return min(1.0, max(one_way(still, moved), one_way(moved, still)))


@_checks.checked()
def binomial_delta(trials: int, epsilon: float, shift: int, p: float = 0.5) -> float:
    """Exact delta of a count with Bin(trials, p) noise.

    Parameters
    ----------
    trials : int
        Number of noise bits N, >= 0; without any, delta is 1.
    epsilon : float
        Privacy parameter, > 0.
    shift : int
        How far one user moves the count at most, >= 1.
    p : float
        Probability that a noise bit is one, in (0, 1).

    Returns
    -------
    float
        The smallest delta in [0, 1] such that the noisy count is (epsilon, delta)-DP.

    Notes
    -----
    The module's text has definition and proof. Memory and time grow like sqrt(N), up to 4 million
    counts (1e10 fair bits); more are refused.

    Examples
    --------
    At epsilon 1, 80 fair coins keep delta below 1e-6, and 79 do not:

    >>> import bandits_dp as bdp
    >>> [f"{bdp.accounting.binomial_delta(coins, epsilon=1.0, shift=1):.2e}" for coins in (80, 79)]
    ['9.83e-07', '1.18e-06']
    """
    return hockey_stick(binomial_log_pmf(trials, p)[1], epsilon, shift)


@_checks.checked()
@lru_cache(maxsize=1024)
def binomial_trials(epsilon: float, delta: float, shift: int, p: float = 0.5) -> int:
    """Fewest noise bits for which the noisy count is (epsilon, delta)-DP.

    Parameters
    ----------
    epsilon : float
        Privacy parameter, > 0.
    delta : float
        Failure mass, in (0, 1), at least 1e-290.
    shift : int
        How far one user moves the count at most, >= 1.
    p : float
        Probability that a noise bit is one, in (0, 1).

    Returns
    -------
    int
        The fewest trials N. Reference at p = 1/2: 80 for (1, 1e-6), 268 for (0.5, 1e-6), 5279 for
        (0.1, 1e-6).

    Notes
    -----
    delta falls in N, as one more independent bit is post-processing. So doubling and bisection find
    the exact minimum, up to the variance of 8e9 fair bits.

    Examples
    --------
    The number of fair coins that hide one user's bit at (1, 1e-6), in a crowd of any size:

    >>> import bandits_dp as bdp
    >>> bdp.accounting.binomial_trials(epsilon=1.0, delta=1e-6, shift=1)
    80
    """
    if delta < LEAST_DELTA:
        raise ValueError(f"delta must be at least {LEAST_DELTA:g}, got {delta!r}: smaller masses "
                         "are not evaluated")
    target = delta * (1 - ROUNDING)
    high = 1
    while binomial_delta(high, epsilon, shift, p) > target:
        high *= 2
        if high * p * (1 - p) > MOST_VARIANCE:
            raise ValueError("epsilon, delta, shift and p must ask for noise bits of variance at "
                             f"most {MOST_VARIANCE:.3g}, got ({epsilon:g}, {delta:g}) for a shift "
                             f"by {shift}, at p = {p:g}")
    low = high // 2  # at high = 1 this is 0 trials, which never suffice
    while high - low > 1:
        middle = (low + high) // 2
        low, high = ((low, middle) if binomial_delta(middle, epsilon, shift, p) <= target
                     else (middle, high))
    return high
