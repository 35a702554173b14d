r"""The Gaussian mechanism: exact privacy, its inverse, and the textbook formula for comparison.

Adding :math:`N(0, s^2)` to every coordinate of a query with l2-sensitivity :math:`D` has the exact
privacy profile (Balle & Wang 2018, Theorem 8)

.. math:: \delta(\varepsilon) = \Phi\Big(\frac{D}{2s} - \frac{\varepsilon s}{D}\Big)
          - e^{\varepsilon}\, \Phi\Big(-\frac{D}{2s} - \frac{\varepsilon s}{D}\Big).

It depends on :math:`s / D` only, falls in :math:`s`, and holds for every :math:`\varepsilon > 0`.
These functions describe noise with a density. :mod:`bandits_dp.noise.grid` has noise that a
computer draws exactly and that keeps the same guarantee.

**How it is computed.** With :math:`u = D/2s` and :math:`v = \varepsilon s/D` the profile is
:math:`\Phi(u - v) - e^{2uv}\, \Phi(-u - v)`, whose two terms nearly cancel for large noise or a
tiny epsilon. Three other forms lose no digits. Where :math:`u \ge v` and :math:`\varepsilon < 1` it
is

.. math:: \tfrac12 \Big(\operatorname{erf} \frac{u - v}{\sqrt 2}
          + \operatorname{erf} \frac{u + v}{\sqrt 2}\Big)
          - (e^\varepsilon - 1)\, \Phi(-u - v),

and elsewhere, as :math:`\Phi(-x) = e^{-x^2/2} \operatorname{erfcx}(x / \sqrt 2) / 2` and
:math:`2uv - (u + v)^2/2 = -(u - v)^2/2`,

.. math:: \Phi(u - v) - \tfrac12 e^{-(u - v)^2/2} \operatorname{erfcx} \frac{u + v}{\sqrt 2}
          \quad \text{or, where } u < v, \quad
          \tfrac12 e^{-(u - v)^2/2} \Big(\operatorname{erfcx} \frac{v - u}{\sqrt 2}
          - \operatorname{erfcx} \frac{u + v}{\sqrt 2}\Big) .

In the first two forms the subtracted term is under half of the other. In the last form, if the two
arguments are close, the difference is the integral of :math:`-\operatorname{erfcx}'(x) = 2/\sqrt\pi
- 2 x \operatorname{erfcx}(x)` between them, by Gauss's rule with two points, to 1e-15. If u and v
are large, their difference is computed in fractions from the given numbers.
"""

import math
from fractions import Fraction
from functools import lru_cache

import scipy  # its parts are loaded when they are used first

from bandits_dp import _checks
from bandits_dp.accounting.binomial import ROUNDING, sized

CLOSE = 1e-3  # relative width of an interval for which two points suffice
LARGE = 100.0  # of u: from here on rounding errors of u and v spoil their difference
FARTHEST = 39.0  # v - u: beyond, delta is below the smallest float


def profile(noise_std: float, epsilon: float, sensitivity: float) -> float:
    """Delta of the Gaussian mechanism, with a relative error of 1e-12 if above 1e-300."""
    u, v = sensitivity / (2 * noise_std), epsilon * (noise_std / sensitivity)
    gap = v - u
    if u > LARGE and u / 2 < v < 2 * u:
        s, e, d = map(Fraction, (noise_std, epsilon, sensitivity))
        gap = float((2 * e * s**2 - d**2) / (2 * s * d))
    if gap > FARTHEST:
        return 0.0
    low, high = gap / math.sqrt(2), (u + v) / math.sqrt(2)
    if gap <= 0 and epsilon < 1:
        return (math.erf(-low) + math.erf(high) - math.expm1(epsilon) * math.erfc(high)) / 2
    if gap <= 0:
        return (math.erfc(low) - math.exp(-low * low) * float(scipy.special.erfcx(high))) / 2
    width = math.sqrt(2) * u
    if width > CLOSE * max(1.0, high):
        fall = float(scipy.special.erfcx(low) - scipy.special.erfcx(high))
    else:
        middle, aside = low + width / 2, width / math.sqrt(12)
        fall = width * sum(1 / math.sqrt(math.pi) - x * float(scipy.special.erfcx(x))
                           for x in (middle - aside, middle + aside))
    return math.exp(-low * low) / 2 * fall


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
    Balle & Wang 2018, Theorem 8, with a relative error of 1e-12 by the forms in the module's text.

    Examples
    --------
    Delta at epsilon 1, for noise of std 2, 4 and 8 on a count of users:

    >>> import bandits_dp as bdp
    >>> [f"{bdp.accounting.gaussian_delta(std, epsilon=1.0, sensitivity=1.0):.1e}"
    ...  for std in (2, 4, 8)]
    ['6.8e-03', '2.9e-06', '1.6e-17']
    """
    return profile(noise_std, epsilon, sensitivity)


@lru_cache(maxsize=1024)
def unit_std(epsilon: float, delta: float) -> float:
    """Smallest noise std for a query of sensitivity 1; cached, as every phase needs it."""
    target = delta * (1 - ROUNDING)

    def excess(log_ratio: float) -> float:
        return math.log(max(profile(math.exp(log_ratio), epsilon, 1.0), 1e-320)) - math.log(target)

    low, high = -1.0, 1.0
    while excess(low) < 0:
        low -= 2.0
    while excess(high) > 0:
        high += 2.0
    ratio = math.exp(scipy.optimize.brentq(excess, low, high, xtol=1e-13, rtol=1e-13))
    while profile(ratio, epsilon, 1.0) > target:
        ratio *= 1 + 1e-12
    return ratio


@_checks.checked()
def gaussian_noise_std(epsilon: float, delta: float, sensitivity: float) -> float:
    """Smallest noise std for which the Gaussian mechanism is (epsilon, delta)-DP.

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
        Standard deviation per coordinate, in the units of the sensitivity; never too small, and for
        delta up to 0.9 too large by a relative 1e-8 at most.

    Notes
    -----
    The inverse of :func:`gaussian_delta` (calibration as in Balle & Wang 2018), by bracketing and
    root finding in log(s), with a margin of 1e-9 of delta. The result is raised until the exact
    delta confirms it, also for this sensitivity.

    Examples
    --------
    The noise on a count of users at (1, 1e-6), for ten users or a million:

    >>> import bandits_dp as bdp
    >>> print(f"{bdp.accounting.gaussian_noise_std(epsilon=1.0, delta=1e-6, sensitivity=1.0):.3f}")
    4.225
    """
    std = sized("the noise's std", sensitivity * unit_std(epsilon, delta))
    # the product's rounding matters if epsilon is huge
    while profile(std, epsilon, sensitivity) > delta * (1 - ROUNDING / 2):
        std = math.nextafter(std, math.inf)
    return std


@_checks.checked()
def classical_gaussian_noise_std(epsilon: float, delta: float, sensitivity: float,
                                 strict: bool = True) -> float:
    """Textbook noise std of the Gaussian mechanism, sqrt(2 ln(1.25 / delta)) D / epsilon.

    Parameters
    ----------
    epsilon : float
        Privacy parameter, > 0; the theorem is proved for epsilon < 1 only.
    delta : float
        Failure mass, in (0, 1).
    sensitivity : float
        l2-sensitivity of the query, > 0.
    strict : bool
        Whether to refuse epsilon >= 1, where nothing is proved and, for large epsilon, the formula
        is wrong.

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
    Dwork & Roth 2014, Theorem A.1. At (epsilon, delta) = (10, 0.25) the noise gives a true delta of
    0.79.

    Examples
    --------
    >>> import bandits_dp as bdp
    >>> textbook = bdp.accounting.classical_gaussian_noise_std(
    ...     epsilon=0.9, delta=1e-6, sensitivity=1.0)
    >>> exact = bdp.accounting.gaussian_noise_std(epsilon=0.9, delta=1e-6, sensitivity=1.0)
    >>> print(f"{textbook:.2f} where {exact:.2f} is enough")
    5.89 where 4.66 is enough
    """
    if strict and epsilon >= 1:
        raise ValueError("epsilon must be below 1 for the classical formula (Dwork & Roth 2014, "
                         f"Theorem A.1), got {epsilon:g}; use gaussian_noise_std, or strict=False "
                         "for a number without a proof")
    return sized("the noise's std", sensitivity * math.sqrt(2 * math.log(1.25 / delta)) / epsilon)
