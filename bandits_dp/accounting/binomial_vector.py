r"""Binomial noise on a vector of counts: a rigorous bound, almost as small as for Gaussian noise.

Every coordinate of an integer vector gets its own copy of a symmetric noise :math:`X`, a sum of
independent bits, and one user moves the vector by an integer vector k with
:math:`\lVert k \rVert_2 \le K_2`. The exact divergence, over all outcomes and all k, is out of
reach; comparing each coordinate with a Gaussian is feasible.

**Trade-off functions.** For distributions P and Q let T(P, Q) map a false-alarm rate to the
smallest miss rate of a test between them. For unit Gaussians :math:`\mu` apart it is
:math:`G_\mu(\alpha) = \Phi(\Phi^{-1}(1 - \alpha) - \mu)`, and if :math:`T(P_j, Q_j) \ge G_{\mu_j}`
for every j, the product distributions satisfy :math:`T \ge G_\mu` with
:math:`\mu^2 = \sum_j \mu_j^2` (Dong, Roth, Su 2022).

**One coordinate.** Let :math:`X'` be X with its outermost tails, of mass at most t, replaced by
geometric tails that continue the last ratio of neighbouring probabilities. It is log-concave like
X, so the best tests between :math:`X'` and :math:`X' + k` are thresholds, T is piecewise linear,
and its corners are at the integers. As :math:`G_\mu` is convex, T lies above it everywhere if it
does at the corners. With :math:`z(c) = \Phi^{-1}(P[X' < c])` the corner at c needs
:math:`\mu \ge z(c) - z(c - k)`, a sum of k steps of z. So :math:`\mu = r k` suffices, where r is
the largest step. In the geometric tails steps shrink outwards (Mills' ratio falls), so finitely
many steps decide; :func:`gaussian_ratio` takes their maximum. The number r does not depend on k and
is just above one over the noise's standard deviation, and :math:`\mu \le r K_2` for the whole
vector.

**The rest.** :math:`X` and :math:`X'` are within t in total variation. Replacing the true
distributions by the others costs d t in dimension d on each side, so

.. math:: \delta(\varepsilon) \le \delta_{\mathrm{Gauss}}(\varepsilon; r K_2)
          + (1 + e^{\varepsilon})\, d\, t .
"""

import math

import numpy as np
import scipy  # special is loaded when it is used first

from bandits_dp import _checks
from bandits_dp._types import Floats
from bandits_dp.accounting.binomial import ROUNDING, binomial_log_pmf
from bandits_dp.accounting.gaussian import profile

LEAST_EPSILON = 1e-12  # the search for epsilon stops here


def gaussian_ratio(log_pmf: Floats, log_tail: float) -> tuple[float, float]:
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
        r such that, for every k, the noise with geometric tails and its shift by k are no easier to
        tell apart than unit Gaussians r k apart; infinite if ``log_tail`` reaches the middle of the
        noise.
    distance : float
        Upper bound on the total variation distance t between the noise and its version with
        geometric tails.

    Notes
    -----
    The module's text has the proof. By symmetry the lower half is enough.
    """
    below = np.logaddexp.accumulate(log_pmf)
    left = int(np.searchsorted(below, log_tail))
    middle = len(log_pmf) // 2
    if left + 2 > middle:
        return math.inf, 1.0
    slope = log_pmf[left + 1] - log_pmf[left]  # log of the tail's ratio
    log_mass = log_pmf[left] - math.log(math.expm1(slope))  # of the geometric tail
    inside = np.logaddexp(log_mass, np.logaddexp.accumulate(log_pmf[left : middle + 1]))
    log_total = np.logaddexp(np.logaddexp.reduce(log_pmf[left : len(log_pmf) - left]),
                             math.log(2) + log_mass)
    log_below = np.concatenate([[log_mass - slope, log_mass], inside]) - log_total
    steps = np.diff(scipy.special.ndtri_exp(log_below))
    return float(steps.max()) * (1 + ROUNDING), 2 * math.exp(log_mass)


def vector_delta(log_pmf: Floats, epsilon: float, l2_shift: float,
                 dimension: int) -> float:
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
        delta in [0, 1]; 1 if the bound says nothing.
    """
    x = np.arange(len(log_pmf)) - (len(log_pmf) - 1) / 2
    std = math.sqrt(float((np.exp(log_pmf) * x**2).sum()))
    hoped = profile(std, epsilon, l2_shift)  # for Gaussian noise of the same std
    # A thousandth of it is reserved for the replaced tails.
    log_tail = (math.log(max(hoped, 1e-250)) - math.log(1000 * dimension)
                - np.logaddexp(0.0, epsilon))
    ratio, distance = gaussian_ratio(log_pmf, log_tail)
    if math.isinf(ratio):
        return 1.0
    log_failure = math.log(max(dimension * distance, 1e-300)) + np.logaddexp(0.0, epsilon)
    return min(1.0, profile(1.0, epsilon, ratio * l2_shift) + math.exp(min(log_failure, 0.0)))


@_checks.checked(trials=_checks.integer)
def binomial_vector_epsilon(trials: int, delta: float, l2_shift: float, max_shift: int,
                            dimension: int) -> float:
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
        Largest move K_max of one count, >= 1; it matters only if it lowers the l2 norm.
    dimension : int
        Number of counts d, >= 1.

    Returns
    -------
    float
        epsilon > 0, within a relative 1e-6 of the smallest that the bound gives unless below 1e-12;
        infinite if the bound says nothing (the noise is too narrow).

    Notes
    -----
    Rigorous: each coordinate's trade-off function is compared with a Gaussian's at every corner
    (module's text).

    Examples
    --------
    A histogram of ten answers with 400 coins on each count; changing one answer moves two counts by
    one:

    >>> import bandits_dp as bdp
    >>> epsilon = bdp.accounting.binomial_vector_epsilon(
    ...     400, delta=1e-6, l2_shift=2**0.5, max_shift=1, dimension=10)
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
