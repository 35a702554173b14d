r"""Binomial noise on a vector of counts: a rigorous bound that is almost that of a Gaussian.

Every coordinate of an integer vector gets its own copy of a symmetric noise :math:`X`, a sum of independent bits, and one user
moves the vector by an integer vector k with :math:`\lVert k \rVert_2 \le K_2`. Summing the
exact divergence over all outcomes and all k is out of reach; comparing each coordinate with a Gaussian is not.

**Trade-off functions.** For laws P and Q let T(P, Q) map a false-alarm rate to the smallest miss rate of a test between them.
For unit Gaussians :math:`\mu` apart it is :math:`G_\mu(\alpha) = \Phi(\Phi^{-1}(1 - \alpha) - \mu)`, and if
:math:`T(P_j, Q_j) \ge G_{\mu_j}` for every j, the product laws satisfy :math:`T \ge G_\mu` with
:math:`\mu^2 = \sum_j \mu_j^2` (Dong, Roth, Su 2022).

**One coordinate.** Let :math:`X'` be X with the outermost tails, of mass t at most, replaced by geometric ones that continue the
last ratio of neighbouring probabilities. It is log-concave as X is, so the best tests between :math:`X'` and :math:`X' + k` are
thresholds, T is piecewise linear, and its corners are at the integers. :math:`G_\mu` is convex, so lying above it at the corners is
lying above it everywhere. With :math:`z(c) = \Phi^{-1}(P[X' < c])` the corner at c asks for
:math:`\mu \ge z(c) - z(c - k)`, a sum of k steps of z. So :math:`\mu = r k` will do, where r is the largest step. In the
geometric tails steps shrink outwards (Mills' ratio falls), so finitely many have to be looked at; :func:`gaussian_ratio` does. That
number r is just above one over the noise's standard deviation, for every k, and :math:`\mu \le r K_2` for the whole vector.

**The rest.** :math:`X` and :math:`X'` are within t in total variation. Going from the true laws to the others and back
costs d t in dimension d on each side, so

.. math:: \delta(\varepsilon) \le \delta_{\mathrm{Gauss}}(\varepsilon; r K_2) + (1 + e^{\varepsilon})\, d\, t .
"""

import math

import numpy as np
import scipy  # special is loaded when it is used first
from numpy.typing import NDArray

from bandits_dp import _checks
from bandits_dp.accounting.binomial import ROUNDING, binomial_log_pmf
from bandits_dp.accounting.gaussian import profile

LEAST_EPSILON = 1e-12  # below which nothing smaller is looked for


def gaussian_ratio(log_pmf: NDArray[np.float64], log_tail: float) -> tuple[float, float]:
    """Compare a shifted symmetric log-concave noise with a shifted Gaussian.

    Parameters
    ----------
    log_pmf : ndarray, shape (window,)
        Log-probabilities of the noise on consecutive integers, symmetric and log-concave.
    log_tail : float
        Log of the mass that may be replaced at each end of the noise.

    Returns
    -------
    ratio : float
        r such that the noise with geometric tails and its shift by k, for every k, are no easier to tell apart than unit Gaussians
        r k apart; infinite if the noise has no such tails to speak of.
    distance : float
        Total variation distance t between the noise and the one with geometric tails, at most.

    Notes
    -----
    Proof in the module's text. By symmetry the lower half is enough.
    """
    below = np.logaddexp.accumulate(log_pmf)
    left = int(np.searchsorted(below, log_tail))
    middle = len(log_pmf) // 2
    if left + 2 > middle:
        return math.inf, 1.0
    slope = log_pmf[left + 1] - log_pmf[left]  # log of the ratio that the tail continues
    log_mass = log_pmf[left] - math.log(math.expm1(slope))  # of the geometric tail
    inside = np.logaddexp(log_mass, np.logaddexp.accumulate(log_pmf[left : middle + 1]))
    log_total = np.logaddexp(np.logaddexp.reduce(log_pmf[left : len(log_pmf) - left]), math.log(2) + log_mass)
    log_below = np.concatenate([[log_mass - slope, log_mass], inside]) - log_total
    steps = np.diff(scipy.special.ndtri_exp(log_below))
    return float(steps.max()) * (1 + ROUNDING), 2 * math.exp(log_mass)


def vector_delta(log_pmf: NDArray[np.float64], epsilon: float, l2_shift: float, dimension: int) -> float:
    """Upper bound on delta for a vector of counts with the given symmetric noise on each.

    Parameters
    ----------
    log_pmf : ndarray, shape (window,)
        Log-probabilities of the noise on consecutive integers, symmetric and log-concave.
    epsilon, l2_shift, dimension
        As for :func:`binomial_vector_epsilon`.

    Returns
    -------
    float
        delta in [0, 1]; 1 where nothing can be shown.
    """
    x = np.arange(len(log_pmf)) - (len(log_pmf) - 1) / 2
    std = math.sqrt(float((np.exp(log_pmf) * x**2).sum()))
    hoped = profile(std, epsilon, l2_shift)  # of a Gaussian with the same std
    # A thousandth of it is left to the window.
    log_tail = math.log(max(hoped, 1e-250)) - math.log(1000 * dimension) - np.logaddexp(0.0, epsilon)
    ratio, distance = gaussian_ratio(log_pmf, log_tail)
    if math.isinf(ratio):
        return 1.0
    log_failure = math.log(max(dimension * distance, 1e-300)) + np.logaddexp(0.0, epsilon)
    return min(1.0, profile(1.0, epsilon, ratio * l2_shift) + math.exp(min(log_failure, 0.0)))


@_checks.checked(trials=_checks.integer)
def binomial_vector_epsilon(trials: int, delta: float, l2_shift: float, max_shift: int, dimension: int) -> float:
    """Upper bound on epsilon for a vector of counts with Bin(trials, 1/2) noise on each.

    Parameters
    ----------
    trials : int
        Noise bits N per coordinate, >= 1.
    delta : float
        Failure mass, in (0, 1).
    l2_shift : float
        Largest l2 norm K_2 of one user's move, > 0, in counts.
    max_shift : int
        Largest move K_max of one count, >= 1; it matters only if it makes the l2 norm smaller.
    dimension : int
        Number of counts d, >= 1.

    Returns
    -------
    float
        epsilon > 0, within 1e-6 relative of the smallest that the bound gives, unless it is below 1e-12; infinite where the bound
        says nothing (noise too narrow).

    Notes
    -----
    Rigorous: each coordinate's trade-off function is compared with a Gaussian's at every corner (module's text).

    Examples
    --------
    A histogram of ten answers, where changing one's answer moves two counts by one, and 400 coins on each count:

    >>> import bandits_dp as bdp
    >>> epsilon = bdp.accounting.binomial_vector_epsilon(400, delta=1e-6, l2_shift=2**0.5, max_shift=1, dimension=10)
    >>> print(f"{epsilon:.3f}")
    0.589
    """
    l2_shift = min(l2_shift, max_shift * math.sqrt(dimension))
    _, log_pmf = binomial_log_pmf(trials, 0.5)

    def works(epsilon: float) -> bool:
        return vector_delta(log_pmf, epsilon, l2_shift, dimension) <= delta

    high = 1e-4
    while high > LEAST_EPSILON and works(high / 2):
        high /= 2
    while not works(high):
        high *= 2
        if high > 500:
            return math.inf
    low = high / 2
    while high / low > 1 + 1e-6:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if works(middle) else (middle, high)
    return high
