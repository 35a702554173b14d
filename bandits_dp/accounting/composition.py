r"""Composition: the total privacy cost of several releases about the same person.

The rules are for k adaptive releases, each (epsilon, delta)-DP or Gaussian. Releases about
*different* people cost only as much as the largest one (parallel composition), so algorithms with
fresh users in every round or batch pay once.
"""

import math
from collections.abc import Sequence

import numpy as np
import scipy  # optimize and stats are loaded when they are used first

from bandits_dp import _checks
from bandits_dp.accounting.binomial import binomial_log_pmf

MOST_VARIANCE = 2.8e9  # of the number of lies: 4 million outcomes
ROUNDED = 2.0**-51  # relative margin for rounding of a loss and of the total epsilon
MOST_RELEASES = 2**53  # exact as a float


@_checks.checked(delta=_checks.mass)
def basic_composition(epsilon: float, delta: float, releases: int) -> tuple[float, float]:
    """Privacy of k adaptive releases by adding up (Dwork & Roth 2014).

    Parameters
    ----------
    epsilon, delta : float
        Guarantee of each release; epsilon > 0, delta in [0, 1).
    releases : int
        Number of releases k, >= 1.

    Returns
    -------
    tuple of float
        (k epsilon, min(k delta, 1)).

    Examples
    --------
    A hundred answers about the same person:

    >>> import bandits_dp as bdp
    >>> epsilon, delta = bdp.accounting.basic_composition(epsilon=0.1, delta=1e-8, releases=100)
    >>> print(f"({epsilon:.2f}, {delta:.0e})")
    (10.00, 1e-06)
    """
    return releases * epsilon, min(releases * delta, 1.0)


@_checks.checked(delta=_checks.mass)
def advanced_composition(epsilon: float, delta: float, releases: int,
                         slack: float) -> tuple[float, float]:
    """Privacy of k adaptive releases with a slack in delta (Dwork & Roth 2014, Theorem 3.20).

    Parameters
    ----------
    epsilon, delta : float
        Guarantee of each release; epsilon > 0, delta in [0, 1).
    releases : int
        Number of releases k, >= 1.
    slack : float
        The additional failure mass delta', in (0, 1).

    Returns
    -------
    tuple of float
        (sqrt(2 k ln(1 / slack)) epsilon + k epsilon (e^epsilon - 1), min(k delta + slack, 1)).

    Notes
    -----
    For few releases or a large epsilon :func:`basic_composition` gives less.

    Examples
    --------
    A hundred answers about the same person, which cost 10 by basic composition:

    >>> import bandits_dp as bdp
    >>> epsilon, delta = bdp.accounting.advanced_composition(
    ...     epsilon=0.1, delta=1e-8, releases=100, slack=1e-6)
    >>> print(f"({epsilon:.2f}, {delta:.0e})")
    (6.31, 2e-06)
    """
    total = (math.sqrt(2 * releases * math.log(1 / slack)) * epsilon
             + releases * epsilon * math.expm1(epsilon))
    if math.isinf(total):
        raise OverflowError("the total is too large for a float")
    return total, min(releases * delta + slack, 1.0)


@_checks.computable
def gaussian_composition(noise_stds: Sequence[float], sensitivities: Sequence[float]) -> float:
    """Noise std of the single Gaussian release that is exactly as private as several together.

    Parameters
    ----------
    noise_stds : sequence of float
        Standard deviations s_i of the releases, > 0.
    sensitivities : sequence of float
        l2-sensitivities D_i of the releases to the same user, > 0; same length.

    Returns
    -------
    float
        s with 1 / s^2 = sum of D_i^2 / s_i^2, the noise of an equally private release with
        sensitivity 1.

    Raises
    ------
    ValueError
        If the sequences are empty, of unequal length, or hold a number that is not positive and
        finite.

    Notes
    -----
    The result is exact, even if queries depend on earlier answers (Dong, Roth, Su 2022, Corollary
    3.3). Pass it to :func:`bandits_dp.accounting.gaussian.gaussian_delta`.

    Examples
    --------
    A hundred answers with noise 42.25 reveal as much as one with noise 4.225:

    >>> import bandits_dp as bdp
    >>> std = bdp.accounting.gaussian_composition([42.25] * 100, [1.0] * 100)
    >>> print(f"{std:.3f}, {bdp.accounting.gaussian_delta(std, epsilon=1.0, sensitivity=1.0):.2e}")
    4.225, 9.98e-07
    """
    stds, moves = (
        _checks.numbers(name, given, "a sequence of positive numbers")
        for name, given in (("noise_stds", noise_stds), ("sensitivities", sensitivities)))
    if stds.ndim != 1 or stds.size == 0 or stds.shape != moves.shape:
        raise ValueError("noise_stds and sensitivities must be non-empty and of equal length, "
                         f"got shapes {stds.shape} and {moves.shape}")
    ratios = (_checks.positive("sensitivities", d) / _checks.positive("noise_stds", s)
              for s, d in zip(stds.tolist(), moves.tolist(), strict=True))
    std = 1 / total if (total := math.hypot(*ratios)) else math.inf
    if not _checks.SMALLEST <= std <= _checks.LARGEST:
        raise ValueError("noise_stds and sensitivities must give the single release a std from "
                         f"{_checks.SMALLEST:g} to {_checks.LARGEST:g}, got one of {std:g}")
    return std


@_checks.checked(delta=_checks.mass)
def optimal_composition(epsilon: float, delta: float, releases: int,
                        slack: float) -> tuple[float, float]:
    """Privacy of k adaptive releases: the best bound for all mechanisms with the given guarantee.

    Parameters
    ----------
    epsilon, delta : float
        Guarantee of each release; epsilon > 0, delta in [0, 1).
    releases : int
        Number of releases k, from 1 to 2^53; fewer at small epsilon (10^10 at a tiny one), where
        more than 4 million numbers of lies would matter.
    slack : float
        The additional failure mass delta', in (0, 1).

    Returns
    -------
    tuple of float
        The smallest total epsilon, at most k epsilon up to rounding, and 1 - (1 - delta)^k (1 -
        slack).

    Notes
    -----
    Kairouz, Oh, Viswanath 2015, Theorem 3.3: k answers of randomized response are the worst case.
    Their joint divergence at a total epsilon' is the sum over l, the number of true answers, of
    (P_l - e^epsilon' Q_l)_+ for two binomials P and Q; here epsilon' may be any number.

    Examples
    --------
    A hundred answers about the same person, which cost 10 by basic and 6.31 by advanced
    composition:

    >>> import bandits_dp as bdp
    >>> epsilon, delta = bdp.accounting.optimal_composition(
    ...     epsilon=0.1, delta=1e-8, releases=100, slack=1e-6)
    >>> print(f"({epsilon:.2f}, {delta:.0e})")
    (4.77, 2e-06)
    """
    lie = max(math.exp(-epsilon) / (1 + math.exp(-epsilon)), _checks.SMALLEST)
    most = math.floor(min(MOST_RELEASES, MOST_VARIANCE / (lie * (1 - lie))))
    if releases > most:
        raise _checks.out_of_range(
            "releases", f"be at most {most:,} at epsilon = {epsilon:g}, got {releases:,}")
    lies, log_p = binomial_log_pmf(releases, lie)
    loss = (releases - 2 * (lies + np.arange(len(log_p)))) * epsilon  # log P_l / Q_l

    def excess(total: float) -> float:
        more = loss > total
        return float(-(np.exp(log_p[more]) * np.expm1(total - loss[more])).sum())

    low, high = 0.0, releases * epsilon
    while high - low > 1e-12 * releases * epsilon:
        middle = (low + high) / 2
        low, high = (low, middle) if excess(middle) <= slack else (middle, high)
    return high * (1 + ROUNDED), -math.expm1(releases * math.log1p(-delta) + math.log1p(-slack))


@_checks.checked()
def zcdp_epsilon(rho: float, delta: float) -> float:
    """Privacy of a mechanism that satisfies rho-zCDP.

    Parameters
    ----------
    rho : float
        Concentrated-privacy parameter, > 0. A Gaussian release with sensitivity D and std s has D^2
        / (2 s^2), and the rhos of several releases add up.
    delta : float
        Failure mass, in (0, 1).

    Returns
    -------
    float
        epsilon, the minimum over orders a > 1 of a rho + ln((a - 1) / a) - (ln delta + ln a) / (a -
        1), and at least 0.

    Notes
    -----
    Canonne, Kamath, Steinke 2020, Proposition 12, applied to the Renyi divergences a rho (Bun &
    Steinke 2016). Every order gives a valid bound, so a numerical minimum does too. For Gaussian
    releases :func:`gaussian_composition` is exact and smaller.

    Examples
    --------
    A count with Gaussian noise of std 4.225, whose exact epsilon at this delta is 1:

    >>> import bandits_dp as bdp
    >>> print(f"{bdp.accounting.zcdp_epsilon(rho=1 / (2 * 4.225**2), delta=1e-6):.3f}")
    1.078
    """
    def bound(log_order: float) -> float:
        more = math.exp(log_order)  # a - 1
        return (1 + more) * rho - math.log1p(1 / more) - (math.log(delta) + math.log1p(more)) / more

    # where the terms in rho and in delta are equal
    likely = math.log(math.log(1 / delta) / rho) / 2
    least = (scipy.optimize.minimize_scalar(bound, bounds=ends, method="bounded",
                                            options={"xatol": 1e-10})
             for ends in ((-10.0, 25.0), (likely - 2, likely + 2)))
    return max(0.0, min(float(found.fun) for found in least)) * (1 + ROUNDED)
