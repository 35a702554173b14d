r"""Skellam noise on a count: a difference of Poisson numbers that n users can make together.

With variance :math:`\mu` it has :math:`P[X = x] = e^{-\mu} I_x(\mu)`, where I is the modified
Bessel function; its tails are lighter than Laplace tails. One user moves the count by at most k.

**Exact.** The larger hockey-stick divergence between X and X + k, summed over all outcomes. Poisson
numbers are limits of sums of independent bits, so X is log-concave and the largest move is the
worst (:mod:`bandits_dp.accounting.binomial` says why). The sum runs over a window; by Chernoff's
bound with :math:`\log E e^{s X} = \mu (\cosh s - 1)` the mass outside is below :math:`e^{-600}`.
Relative rounding errors stay below 1e-9; calibration leaves this margin.

**As published** (Agarwal, Kairouz, Liu 2021; used by Chowdhury & Zhou 2023): for every whole order
:math:`\alpha > 1` a release is

.. math:: \Big(\alpha, \frac{\alpha k^2}{2 \mu} + \min\Big(\frac{(2 \alpha - 1) k^2 + 6 k}{4 \mu^2},
          \frac{3 k}{2 \mu}\Big)\Big)\text{-RDP},

which the conversion of :func:`bandits_dp.accounting.binomial_vector.binomial_vector_epsilon` turns
into (epsilon, delta).
"""

import math
from functools import cache, lru_cache, partial

import numpy as np
import scipy  # its parts are loaded when they are used first

from bandits_dp import _checks
from bandits_dp._types import Floats
from bandits_dp.accounting.binomial import MOST_OUTCOMES, ROUNDING, hockey_stick, sized

LOG_TAIL = 600.0  # mass outside the evaluated window is below exp(-600) on each side
SMALLEST_DELTA = 1e-260  # well above this mass
LOG_SMALLEST = math.log(_checks.SMALLEST)  # of a variance
# least variance for which the Bessel function's uniform expansion is exact to 1e-12
EXPANDED = 1000.0


def skellam_log_pmf(variance: float, more: int = 0) -> Floats:
    r"""Log-probabilities of Skellam noise on -reach, ..., reach, outside of which it is negligible.

    Parameters
    ----------
    variance : float
        mu, > 0.
    more : int
        Added to the reach, >= 0.

    Returns
    -------
    ndarray, shape (2 reach + 1,)
        Log-probabilities, symmetric.

    Raises
    ------
    ValueError
        If the variance is not a finite positive number.

    Notes
    -----
    Large variances use the expansion that is uniform in x (Abramowitz & Stegun, 9.7.7), in
    :math:`1 / \nu` with :math:`\nu = \sqrt{x^2 + \mu^2}`, up to the third order; its error is of
    the order :math:`\nu^{-4}`:

    .. math:: e^{-\mu} I_x(\mu) \approx
              \frac{e^{\nu - \mu - x \operatorname{arsinh}(x / \mu)}}{\sqrt{2 \pi \nu}}
              \Big(1 + \frac{u_1}{\nu} + \frac{u_2}{\nu^2} + \frac{u_3}{\nu^3}\Big).
    """
    variance = _checks.positive("variance", variance)
    _checks.room("variance", 2 * math.sqrt(2 * LOG_TAIL * variance), MOST_OUTCOMES)

    def unlikely(log_x: float) -> float:  # Chernoff's exponent at x: convex, increasing
        x = math.exp(log_x)
        return (x * math.asinh(x / variance) - x * x / (math.hypot(x, variance) + variance)
                - LOG_TAIL)

    far = math.log(2 * LOG_TAIL + 2 * math.sqrt(LOG_TAIL * variance))
    reach = math.ceil(math.exp(scipy.optimize.brentq(unlikely, math.log(1e-3), far)))
    x = np.arange(reach + more + 1.0)
    if variance < EXPANDED:
        with np.errstate(divide="ignore"):  # below 1e-308 it is 0, which only drops mass
            half = np.log(scipy.special.ive(x, variance))
    else:
        nu = np.hypot(x, variance)
        t = (x / nu) ** 2
        series = 1 + (3 - 5 * t) / (24 * nu) + (81 - 462 * t + 385 * t**2) / (1152 * nu**2) + (
            30375 - 369603 * t + 765765 * t**2 - 425425 * t**3) / (414720 * nu**3)
        half = (x**2 / (nu + variance) - x * np.arcsinh(x / variance) - np.log(2 * np.pi * nu) / 2
                + np.log(series))
    return np.concatenate([half[:0:-1], half])


@_checks.checked()
def skellam_delta(variance: float, epsilon: float, shift: int) -> float:
    """Exact delta of a count with Skellam noise.

    Parameters
    ----------
    variance : float
        mu, > 0.
    epsilon : float
        Privacy parameter, > 0.
    shift : int
        How far one user moves the count at most, >= 1.

    Returns
    -------
    float
        The smallest delta in [0, 1], up to a relative error of 1e-9 and an absolute one of
        exp(-600). For epsilon above 100 it may be larger, because counts with a probability below
        exp(-600) in one of the two distributions are charged in full.

    Notes
    -----
    The module's text has definition and proof. Memory and time grow like the standard deviation;
    above 57,000, with 4 million outcomes, it is refused.

    Examples
    --------
    Delta at epsilon 1, for noise of variance 14.3 on a count of users:

    >>> import bandits_dp as bdp
    >>> print(f"{bdp.accounting.skellam_delta(variance=14.3, epsilon=1.0, shift=1):.2e}")
    9.24e-07
    """
    _checks.room("shift", shift, MOST_OUTCOMES)
    # outcomes of one view only are rarer than exp(-600)
    return hockey_stick(skellam_log_pmf(variance, shift), epsilon, shift)


@_checks.checked(bound=partial(_checks.choice, allowed=("exact", "renyi")))
@lru_cache(maxsize=1024)
def skellam_variance(epsilon: float, delta: float, shift: int, bound: str = "exact") -> float:
    """Smallest variance for which a count with Skellam noise is (epsilon, delta)-DP.

    Parameters
    ----------
    epsilon : float
        Privacy parameter, > 0.
    delta : float
        Failure mass, in (0, 1); at least 1e-260 for the exact divergence.
    shift : int
        How far one user moves the count at most, >= 1.
    bound : {"exact", "renyi"}
        Whether to use the exact divergence, or the published bound on the Renyi divergence.

    Returns
    -------
    float
        mu, from 1e-300 to 1e100; never too small, with a relative error below 1e-6 if above 1e-299.

    Notes
    -----
    delta falls in mu, because Skellam noise of a larger variance is noise of a smaller one plus an
    independent rest. The published bound falls in mu, too.

    Examples
    --------
    At (1, 1e-6) the noise on a count has a smaller std than Gaussian noise, which needs 4.22:

    >>> import bandits_dp as bdp
    >>> print(f"{bdp.accounting.skellam_variance(epsilon=1.0, delta=1e-6, shift=1) ** 0.5:.2f}")
    3.77
    """
    if bound == "exact" and delta < SMALLEST_DELTA:
        raise ValueError(f"delta must be at least {SMALLEST_DELTA:g}, got {delta:g}: smaller "
                         "masses are not evaluated")
    target = math.log(delta * (1 - ROUNDING))

    @cache  # the root finder asks for the ends of the bracket and for the root again
    def excess(log_variance: float) -> float:
        variance = sized("the variance", math.exp(log_variance))
        if bound == "renyi":
            return _renyi_epsilon(variance, delta, shift) - epsilon
        return math.log(max(skellam_delta(variance, epsilon, shift), 1e-300)) - target

    # The std of Gaussian noise, or the one that delta alone requires.
    likely = min(math.sqrt(2 * math.log(2 / delta)) / epsilon, 1 / delta, _checks.LARGEST)
    low = high = 2 * math.log(shift) + math.log(likely**2 + 0.1)
    while excess(low) <= 0:
        if low < LOG_SMALLEST + 1:
            return math.exp(low)
        low -= 1
    while excess(high) > 0:
        high += 1
    log_variance = scipy.optimize.brentq(excess, low, high, xtol=1e-9)
    while excess(log_variance) > 0:  # the root finder may stop just below the root
        log_variance += 1e-9
    return math.exp(log_variance)


def _renyi_epsilon(variance: float, delta: float, shift: int) -> float:
    """Epsilon of the published Renyi bound, minimized over many whole orders (all are valid)."""
    order = np.unique(np.rint(np.geomspace(2, 1e6, 2000)))
    k = float(shift)
    extra = np.minimum(((2 * order - 1) * k**2 + 6 * k) / (2 * variance) / (2 * variance),
                       3 * k / (2 * variance))
    renyi = order * k**2 / (2 * variance) + extra
    return float((renyi + np.log1p(-1 / order)
                  - (math.log(delta) + np.log(order)) / (order - 1)).min())
