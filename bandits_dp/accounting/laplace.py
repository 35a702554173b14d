r"""The Laplace mechanism: pure privacy by noise with density :math:`e^{-|x| / b} / 2b`.

With l1-sensitivity :math:`D` and scale :math:`b` the privacy loss never exceeds :math:`D / b`
(Dwork, McSherry, Nissim, Smith 2006). With a failure mass, the exact privacy profile of one
real-valued query is :math:`\delta(\varepsilon) = 1 - e^{(\varepsilon - D / b) / 2}` for
:math:`\varepsilon \le D / b`, and 0 above.
"""

import math
from decimal import Decimal, localcontext
from fractions import Fraction

from bandits_dp import _checks
from bandits_dp.accounting.binomial import sized


@_checks.checked()
def laplace_delta(scale: float, epsilon: float, sensitivity: float) -> float:
    """Exact delta of the Laplace mechanism on one number.

    Parameters
    ----------
    scale : float
        Scale b of the noise, > 0 (its standard deviation is sqrt(2) b).
    epsilon : float
        Privacy parameter, > 0.
    sensitivity : float
        How far one user moves the number, > 0.

    Returns
    -------
    float
        The smallest delta in [0, 1); it is 0 for epsilon >= sensitivity / scale.

    Notes
    -----
    Balle, Barthe, Gaboardi 2018. For a vector the result is only a lower bound; pure privacy needs
    the l1-sensitivity.

    Examples
    --------
    Delta at epsilon 1/4; for this noise it is 0 from epsilon 1/2 on:

    >>> import bandits_dp as bdp
    >>> print(f"{bdp.accounting.laplace_delta(scale=2.0, epsilon=0.25, sensitivity=1.0):.3f}")
    0.118
    """
    most = sensitivity / scale
    beyond = epsilon - most
    if epsilon / 2 < most < 2 * epsilon:  # rounding errors may exceed a small delta
        beyond = float(Fraction(epsilon) - Fraction(sensitivity) / Fraction(scale))
    return abs(math.expm1(min(beyond, 0.0) / 2))  # abs: no minus in front of a zero


@_checks.checked(delta=_checks.mass)
def laplace_scale(epsilon: float, delta: float, sensitivity: float) -> float:
    """Smallest scale for which the Laplace mechanism on one number is (epsilon, delta)-DP.

    Parameters
    ----------
    epsilon : float
        Privacy parameter, > 0.
    delta : float
        Failure mass, in [0, 1).
    sensitivity : float
        How far one user moves the number, > 0; if ``delta`` is 0, the l1-sensitivity of a vector,
        too.

    Returns
    -------
    float
        The scale b = D / (epsilon - 2 ln(1 - delta)), which is D / epsilon if delta is 0.

    Examples
    --------
    One number in [0, 1], at epsilon 1/2 and delta 0 or 0.1:

    >>> import bandits_dp as bdp
    >>> [round(bdp.accounting.laplace_scale(0.5, delta, sensitivity=1.0), 3)
    ...  for delta in (0.0, 0.1)]
    [2.0, 1.407]
    """
    scale = sized("the scale", sensitivity / (epsilon - 2 * math.log1p(-delta)))
    # a rounding error of epsilon may exceed a small delta, and exceeds 0
    with localcontext() as context:
        context.prec = 50
        # no digit of a tiny delta is left in 1 - delta
        spent = -(1 - Decimal(delta)).ln() if delta > 1e-30 else Decimal(delta)
        largest = Decimal(epsilon) + 2 * spent  # value of D / b
        while Decimal(sensitivity) / Decimal(scale) > largest:
            scale = math.nextafter(scale, math.inf)
    return scale
