r"""The Gaussian mechanism: exact privacy, its inverse, and the textbook formula for comparison.

Adding :math:`N(0, s^2)` to every coordinate of a query with l2-sensitivity :math:`D` has the exact privacy profile
(Balle & Wang 2018, Theorem 8)

.. math:: \delta(\varepsilon) = \Phi\Big(\frac{D}{2s} - \frac{\varepsilon s}{D}\Big)
          - e^{\varepsilon}\, \Phi\Big(-\frac{D}{2s} - \frac{\varepsilon s}{D}\Big).

It depends on :math:`s / D` only, falls in :math:`s`, and holds for every :math:`\varepsilon > 0`. These functions describe noise
with a density; for noise that a computer can draw exactly, and that keeps what they promise, see
:mod:`bandits_dp.privatizers.grid`.
"""

import math
from functools import lru_cache

import scipy  # its parts are loaded when they are used first

from bandits_dp import _checks

CLOSE = 5e-6  # below, the slope in the middle is a difference to 1e-10


@_checks.checked()
def gaussian_delta(noise_std: float, epsilon: float, sensitivity: float) -> float:
    """Exact delta of the Gaussian mechanism at a given epsilon.

    Parameters
    ----------
    noise_std : float
        Standard deviation of the noise per coordinate, > 0, in the units of the query.
    epsilon : float
        Privacy parameter, > 0.
    sensitivity : float
        l2-sensitivity of the query, > 0, in the same units.

    Returns
    -------
    float
        The smallest delta in [0, 1] such that the mechanism is (epsilon, delta)-DP.

    Notes
    -----
    Balle & Wang 2018, Theorem 8. Both terms share the factor exp(-(u - v)^2 / 2) with u = D/2s and v = eps s/D, because
    exp(eps) = exp(2uv). Where both arguments are negative that factor is taken out, which keeps full relative accuracy when
    the two terms nearly cancel; where they are within 1e-5 of one another, their difference is the slope between them.

    Examples
    --------
    Delta at epsilon 1, for noise of std 2, 4 and 8 on a count of users:

    >>> import bandits_dp as bdp
    >>> [f"{bdp.accounting.gaussian_delta(std, epsilon=1.0, sensitivity=1.0):.1e}" for std in (2, 4, 8)]
    ['6.8e-03', '2.9e-06', '1.6e-17']
    """
    u = sensitivity / (2 * noise_std)
    v = epsilon * noise_std / sensitivity
    if v - u > 39:
        return 0.0  # below the smallest float, and its square may be above the largest
    if u >= v:
        return float(scipy.special.ndtr(u - v) - math.exp(min(epsilon + scipy.special.log_ndtr(-u - v), 0.0)))
    # Phi(-x) = erfcx(x / sqrt 2) exp(-x^2 / 2) / 2, and eps - (u + v)^2 / 2 = -(u - v)^2 / 2.
    if u < CLOSE:
        middle = v / math.sqrt(2)
        minus_slope = 2 / math.sqrt(math.pi) - 2 * middle * scipy.special.erfcx(middle)
        difference = math.sqrt(2) * u * minus_slope  # times the distance
    else:
        difference = scipy.special.erfcx((v - u) / math.sqrt(2)) - scipy.special.erfcx((v + u) / math.sqrt(2))
    return float(0.5 * math.exp(-((v - u) ** 2) / 2) * difference)


@lru_cache(maxsize=1024)
def unit_std(epsilon: float, delta: float) -> float:
    """Smallest noise for a query of sensitivity 1; learners ask for the same in every phase."""

    def excess(log_ratio: float) -> float:
        value = gaussian_delta(math.exp(log_ratio), epsilon, 1.0)
        return math.log(max(value, 1e-320)) - math.log(delta)

    low, high = -1.0, 1.0
    while excess(low) < 0:
        low -= 2.0
    while excess(high) > 0:
        high += 2.0
    ratio = math.exp(scipy.optimize.brentq(excess, low, high, xtol=1e-13, rtol=1e-13))
    while gaussian_delta(ratio, epsilon, 1.0) > delta:
        ratio *= 1 + 1e-12
    return ratio


@_checks.checked()
def gaussian_noise_std(epsilon: float, delta: float, sensitivity: float) -> float:
    """Smallest noise for which the Gaussian mechanism is (epsilon, delta)-DP.

    Parameters
    ----------
    epsilon : float
        Privacy parameter, > 0.
    delta : float
        Failure mass, in (0, 1).
    sensitivity : float
        l2-sensitivity of the query, > 0.

    Returns
    -------
    float
        Standard deviation per coordinate, in the units of the sensitivity; relative error below 1e-9, never too small.

    Notes
    -----
    The inverse of :func:`gaussian_delta` (calibration as in Balle & Wang 2018), by bracketing and root finding in log(s); the
    result is nudged up until the exact delta confirms it.

    Examples
    --------
    The noise on a count of users, be they ten or a million, at (1, 1e-6):

    >>> import bandits_dp as bdp
    >>> print(f"{bdp.accounting.gaussian_noise_std(epsilon=1.0, delta=1e-6, sensitivity=1.0):.3f}")
    4.225
    """
    return _checks.positive("sensitivity", sensitivity * unit_std(epsilon, delta))


@_checks.checked()
def classical_gaussian_noise_std(epsilon: float, delta: float, sensitivity: float, strict: bool = True) -> float:
    """Textbook noise of the Gaussian mechanism, sqrt(2 ln(1.25 / delta)) D / epsilon.

    Parameters
    ----------
    epsilon : float
        Privacy parameter; the theorem is proved for 0 < epsilon < 1 only.
    delta : float
        Failure mass, in (0, 1).
    sensitivity : float
        l2-sensitivity of the query, > 0.
    strict : bool
        Whether to refuse epsilon >= 1, where nothing is proved (and where the formula is wrong for large epsilon).

    Returns
    -------
    float
        Standard deviation per coordinate.

    Raises
    ------
    ValueError
        If an argument is out of range, or epsilon >= 1 while ``strict``.

    Notes
    -----
    Dwork & Roth 2014, Theorem A.1. At (epsilon, delta) = (10, 0.25) it really gives delta = 0.79.

    Examples
    --------
    >>> import bandits_dp as bdp
    >>> textbook = bdp.accounting.classical_gaussian_noise_std(epsilon=0.9, delta=1e-6, sensitivity=1.0)
    >>> exact = bdp.accounting.gaussian_noise_std(epsilon=0.9, delta=1e-6, sensitivity=1.0)
    >>> print(f"{textbook:.2f} where {exact:.2f} is enough")
    5.89 where 4.66 is enough
    """
    if strict and epsilon >= 1:
        raise ValueError(f"epsilon must be below 1 for the classical formula (Dwork & Roth 2014, Theorem A.1), got {epsilon:g}; "
                         "use gaussian_noise_std, or strict=False for a number without a proof")
    return sensitivity * math.sqrt(2 * math.log(1.25 / delta)) / epsilon
