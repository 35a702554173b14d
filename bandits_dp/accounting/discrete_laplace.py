r"""Discrete Laplace noise on a count: pure privacy with integers, and the exact privacy profile.

The noise has :math:`P[X = x] = \frac{1 - q}{1 + q} q^{|x|}` with :math:`q = e^{-1/t}` (Ghosh,
Roughgarden, Sundararajan 2012, the "geometric mechanism"). One user moves the count by at most k,
so the privacy loss :math:`(|x - k| - |x|) / t` never exceeds :math:`k / t`. It falls in x, hence
the adversary's best event is a lower tail:

.. math:: \delta(\varepsilon) = \frac{1 - e^{\varepsilon - k / t}}{1 + q}
          + \frac{1 - q}{1 + q} \sum_{x = 1}^{c} q^x \big(1 - e^{\varepsilon - (k - 2 x) / t}\big)
          = \frac{1 - e^{\varepsilon - (k - c) / t} + q\, (1 - q^c)}{1 + q}

for :math:`\varepsilon < k / t`, and 0 above. The first term covers all x up to 0, where the loss is
k / t; :math:`c = \lceil (k - \varepsilon t) / 2 \rceil - 1` is the last x with a loss above
:math:`\varepsilon`; the sum consists of two geometric series. The distribution is symmetric, so the
other direction is the same, and log-concave, so smaller moves cost less
(:mod:`bandits_dp.accounting.binomial` says why).
"""

import math
from fractions import Fraction

import scipy  # optimize and stats are loaded when they are used first

from bandits_dp import _checks
from bandits_dp.accounting.binomial import ROUNDING, sized


@_checks.checked()
def discrete_laplace_delta(scale: float, epsilon: float, shift: int) -> float:
    """Exact delta of a count with discrete Laplace noise.

    Parameters
    ----------
    scale : float
        t, > 0; the noise is x with probability proportional to exp(-abs(x) / t).
    epsilon : float
        Privacy parameter, > 0.
    shift : int
        How far one user moves the count at most, >= 1.

    Returns
    -------
    float
        The smallest delta in [0, 1); it is 0 for epsilon >= shift / scale.

    Notes
    -----
    The module's text has the formula. Both of its terms are positive, so nothing cancels, and the
    losses are exact.

    Examples
    --------
    Delta at epsilon 1/4; for this noise it is 0 from epsilon 1/2 on:

    >>> import bandits_dp as bdp
    >>> print(f"{bdp.accounting.discrete_laplace_delta(scale=2.0, epsilon=0.25, shift=1):.3f}")
    0.138
    """
    t = Fraction(scale)
    # exact, because its rounding error may exceed a small delta
    left = shift - Fraction(epsilon) * t
    if left <= 0:
        return 0.0
    last, q = math.ceil(left / 2) - 1, math.exp(-1 / scale)
    below = -math.expm1(max(float((last - left) / t), -1000.0))
    return min(1.0, (below - q * math.expm1(-last / scale)) / (1 + q))  # above 1 by rounding only


@_checks.checked(delta=_checks.mass)
def discrete_laplace_scale(epsilon: float, delta: float, shift: int) -> float:
    r"""Smallest scale for which a count with discrete Laplace noise is (epsilon, delta)-DP.

    Parameters
    ----------
    epsilon : float
        Privacy parameter, > 0.
    delta : float
        Failure mass, in [0, 1).
    shift : int
        How far one user moves the count at most, >= 1.

    Returns
    -------
    float
        The scale t, with a relative error below 1e-6 and never too small: shift / epsilon if delta
        is 0, less otherwise.

    Notes
    -----
    delta falls in t, because noise of a larger scale is noise of a smaller one plus an independent
    rest. Let :math:`p < q` belong to the two scales, and
    :math:`f_q(w) = (1 - q)^2 / (1 - 2 q \cos w + q^2)` be the characteristic function. Then
    :math:`f_q / f_p = A + (1 - A) f_q` with :math:`A = p (1 - q)^2 / (q (1 - p)^2) < 1`: the rest
    is 0 with probability A, and otherwise discrete Laplace noise.

    Examples
    --------
    A count of users, at epsilon 1/2 and delta 0 or 0.1:

    >>> import bandits_dp as bdp
    >>> [round(bdp.accounting.discrete_laplace_scale(0.5, delta, shift=1), 3)
    ...  for delta in (0.0, 0.1)]
    [2.0, 1.505]
    """
    most = sized("the scale without a delta", shift / epsilon)
    # a scale that was rounded down would lose more than epsilon
    while Fraction(shift) / Fraction(most) > Fraction(epsilon):
        most = math.nextafter(most, math.inf)
    if delta == 0:
        return most
    target = delta * (1 - ROUNDING)

    def excess(log_scale: float) -> float:
        return discrete_laplace_delta(math.exp(log_scale), epsilon, shift) - target

    low = high = math.log(most)
    if excess(high) >= 0:  # the logarithm's rounding error is too large for this delta
        return most
    while excess(low) <= 0:
        low -= 0.5
    log_scale = scipy.optimize.brentq(excess, low, high, xtol=1e-13)
    while excess(log_scale) > 0:  # the root finder may stop just below the root
        log_scale += 1e-13
    return min(math.exp(log_scale), most)
