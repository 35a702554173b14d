r"""Confidence radii under noise: a rigorous one that looks at the released matrix, and the one that is printed.

Let :math:`V = \lambda I + G + N`, :math:`u = b + n` as in :mod:`bandits_dp.widths.ridge`, :math:`\theta` the parameter with
:math:`\lVert\theta\rVert \le S`, and :math:`\xi = b - G \theta` the sum of :math:`\phi` times the rewards' noise. Then

.. math:: V (\hat\theta - \theta) = \xi + w - \lambda \theta , \qquad w = n - N \theta .

Three events, each of probability at least :math:`1 - \alpha/3`, for all batches m at once:

1. :math:`\lVert \xi \rVert_{(G + \rho I)^{-1}} \le R \sqrt{2 \ln(3/\alpha) + d \ln(1 + t / (d \rho))}`, for one fixed
   :math:`\rho > 0` (Abbasi-Yadkori, Pal, Szepesvari 2011, Theorem 1 and Lemma 10);
2. :math:`\lVert w \rVert \le r_m`. Note that :math:`\theta` is fixed: no norm of the matrix N is needed here;
3. :math:`\lambda_{\min}(N) \ge - s_m`.

*Event 2.* What one batch adds to n and to N's upper triangle has independent entries of mean zero, sub-Gaussian with variances
known beforehand, given all data up to this batch and the releases before it. (P_Vec's rounding errors are independent given the
data only.) Let :math:`\tau^2`, :math:`\sigma^2` be the sums of these variances for entries of n and N. Averaging over the last
batch first, given the rest, then over the one before, and so on, shows for every vector v that :math:`\langle v, w \rangle` is
sub-Gaussian with variance at most :math:`v^\top A v`, where A has the eigenvalue :math:`\tau^2 + 2 \sigma^2 S^2` once and
:math:`\tau^2 + \sigma^2 S^2` d - 1 times, because

.. math:: \sum_i v_i^2 \theta_i^2 + \sum_{i<j} (v_i \theta_j + v_j \theta_i)^2
          \le \lVert v \rVert^2 \lVert \theta \rVert^2 + \langle v, \theta \rangle^2 .

* For one m, averaging over Gaussian v gives :math:`E e^{s \lVert w \rVert^2} \le \prod_i (1 - 2 s a_i)^{-1/2}` with the
  eigenvalues :math:`a_i` of A, as if w were Gaussian (Hsu, Kakade, Zhang 2012); Markov's inequality with the best s gives a
  quantile. A union bound over the M batches makes it hold for all m.
* If noise adds up over batches, :math:`e^{\langle v, w_m \rangle - v^\top A_m v / 2}` is a supermartingale, and so is its
  average over v of law :math:`N(0, I / \kappa)`. By Ville's inequality, for all m at once, without a union bound,
  :math:`\lVert w_m \rVert^2 \le (\kappa + a_{\max}) (2 \ln(3/\alpha) + \sum_i \ln(1 + a_i / \kappa))`.

*Event 3.* :math:`-\lambda_{\min}(N)` is at most the Frobenius norm, that of the vector of :math:`N_{ii}` and
:math:`\sqrt 2 N_{ij}`, i < j, which is sub-Gaussian in every direction by the same averaging, with variances :math:`\sigma^2` and
:math:`2 \sigma^2`, so the same two arguments apply. For Gaussian noise, whose entries are independent, there is also
:math:`\sigma (2 E \lVert g \rVert + \sqrt{2 (2 - 1/d) \ln(3 M / \alpha)})`, g standard normal in d dimensions: by the comparison of
Sudakov and Fernique with the process :math:`2 \langle g, v \rangle` the first term bounds the mean of the largest eigenvalue,
which, as a function of the entries, has Lipschitz constant :math:`\sigma \sqrt{2 - 1/d}`.
"""

from __future__ import annotations

import math

import numpy as np
import scipy  # special is loaded when it is used first
from numpy.typing import NDArray

from bandits_dp import _checks
from bandits_dp.widths.ridge import Floats, NoiseLaw

MIXING = 0.25  # kappa, as a share of the largest eigenvalue of A at the end; any positive number is valid
FLOOR = 0.02  # share of the regularizer below which an eigenvalue of V is lifted; any positive number is valid
BLOCK = 2_000_000  # numbers of a quantile's bound that are computed at a time
MOST_TERMS = 200_000_000  # of such a bound: 446 dimensions


def mean_norm(dimension: int) -> float:
    """Mean Euclidean norm of a standard normal vector: sqrt(2) Gamma((d + 1) / 2) / Gamma(d / 2).

    Examples
    --------
    >>> from bandits_dp.widths.ridge_private import mean_norm
    >>> round(mean_norm(100), 2)  # a little less than the root of 100
    9.98
    """
    return math.sqrt(2) * math.exp(scipy.special.gammaln((dimension + 1) / 2) - scipy.special.gammaln(dimension / 2))


def quadratic_quantile(weights: NDArray[np.float64], failure: float) -> float:
    """Bound by Chernoff what sum_i weights_i g_i^2 exceeds with probability at most ``failure``, g sub-Gaussian.

    Examples
    --------
    >>> import numpy as np
    >>> from bandits_dp.widths.ridge_private import quadratic_quantile
    >>> round(quadratic_quantile(np.ones(1), 0.05), 2)  # for a normal number, 3.84 is exact
    9.21
    """
    weights = weights[weights > 0]
    if not weights.size:
        return 0.0
    s = (1 - np.geomspace(1e-6, 1 - 1e-6, 2000)) / (2 * weights.max())
    step = max(1, BLOCK // len(weights))  # all rows at once would be gigabytes in hundreds of dimensions
    exponent = np.concatenate([
        -0.5 * np.log1p(-2 * s[start : start + step, None] * weights).sum(axis=1) for start in range(0, len(s), step)])
    return float(((exponent - math.log(failure)) / s).min())


def norm_bounds(weights: NDArray[np.float64], variance: NDArray[np.float64], additive: bool, failure: float) -> NDArray[np.float64]:
    """Bound sqrt(sum_i weights_i x_i^2) for all batches at once, x_i with the given variances; shape of ``variance``.

    Examples
    --------
    >>> import numpy as np
    >>> from bandits_dp.widths.ridge_private import norm_bounds
    >>> norm_bounds(np.ones(2), np.array([1.0, 4.0]), additive=False, failure=0.05).round(2).tolist()  # twice the std
    [3.63, 7.25]
    """
    if not variance.any():
        return np.zeros_like(variance)
    if not additive:
        return np.sqrt(variance * quadratic_quantile(weights, failure / len(variance)))
    a = variance[:, None] * weights
    kappa = MIXING * a.max()
    return np.asarray(np.sqrt((kappa + a.max(axis=1)) * (np.log1p(a / kappa).sum(axis=1) - 2 * math.log(failure))))


class NoisyRadius:
    """What both radii share: bounds r_m and s_m on the noise, for m = 0, 1, ..., M.

    Parameters
    ----------
    dimension : int
        d, >= 1.
    users : int
        Users per batch B.
    law : NoiseLaw
        Law of the noise on the running sums.
    reward_std : float
        Sub-Gaussian constant R of a reward: half the length of its range.
    failure : float
        Probability that some radius is too small, in (0, 1).
    theta_norm : float
        Bound S on the norm of theta.

    Raises
    ------
    ValueError
        If a number is out of range, or the noise is not sub-Gaussian.
    """

    @_checks.checked(failure=_checks.chance)
    def __init__(self, dimension: int, users: int, law: NoiseLaw, reward_std: float, failure: float,
                 theta_norm: float = 1.0) -> None:
        _checks.one_of("law", law, NoiseLaw, "a NoiseLaw")
        if not law.sub_gaussian:
            raise ValueError("law must be sub-Gaussian for this radius, got one whose sub_gaussian_std is infinite (Laplace noise)")
        _checks.room("dimension", 1000 * dimension * (dimension + 1), MOST_TERMS)
        self.dimension, self.users, self.failure = dimension, users, failure
        self.reward_std, self.theta_norm = reward_std, theta_norm
        self.matrix_std = np.concatenate([[0.0], law.matrix_std])
        self.matrix_bound = np.concatenate([[0.0], self._matrix_bounds(law, self.failure / 3)])
        self.vector_bound = np.concatenate([[0.0], self._vector_bounds(law, self.failure / 3)])
        self.log_failure = -math.log(self.failure / 3)
        self.mean_norm = mean_norm(dimension)
        self._prepare()

    def _prepare(self) -> None:
        """Compute what follows from the bounds."""

    def _matrix_bounds(self, law: NoiseLaw, failure: float) -> NDArray[np.float64]:
        """Return s_m (event 3)."""
        d, sigma = self.dimension, law.matrix_std
        weights = np.repeat([1.0, 2.0], [d, d * (d - 1) // 2])
        frobenius = norm_bounds(weights, sigma**2, law.additive, failure)
        if not law.gaussian or not len(sigma):
            return frobenius
        lipschitz = math.sqrt(2 * (2 - 1 / d) * math.log(len(sigma) / failure))
        operator = sigma * (2 * mean_norm(d) + lipschitz)
        return frobenius if frobenius.sum() < operator.sum() else operator  # one of them, chosen beforehand

    def _vector_bounds(self, law: NoiseLaw, failure: float) -> NDArray[np.float64]:
        """Return r_m (event 2)."""
        raise NotImplementedError

    def _reward_part(self, batch: int, rho: float) -> float:
        """Return the radius of event 1."""
        d = self.dimension
        spread = d * math.log1p(batch * self.users / (d * rho))
        return self.reward_std * math.sqrt(2 * self.log_failure + spread)


class CertifiedRadius(NoisyRadius):
    r"""Rigorous radius that looks at the least eigenvalue of the released V, which is public.

    On the three events, for any :math:`\lambda`, even one chosen after looking at V, as long as V is positive definite:
    :math:`G + \rho I \le V + (\rho - \lambda + s_m) I \le c V` with
    :math:`c = 1 + (\rho - \lambda + s_m)_+ / \lambda_{\min}(V)`, hence
    :math:`\lVert \xi \rVert_{V^{-1}} \le \sqrt c \lVert \xi \rVert_{(G + \rho I)^{-1}}`; and
    :math:`\lVert w - \lambda \theta \rVert_{V^{-1}} \le (r_m + \lambda S) / \sqrt{\lambda_{\min}(V)}`. So

    .. math:: \beta_m = \sqrt c \, R \sqrt{2 \ln(3/\alpha) + d \ln(1 + t / (d \rho))}
              + (r_m + \lambda S) / \sqrt{\lambda_{\min}(V)} .

    Lemma A.2 has the worst case, :math:`\lambda - s_m`, in place of :math:`\lambda_{\min}(V)`, which grows with the data. It
    also needs :math:`\lambda > s_m` for an extreme quantile :math:`s_m`; here the typical size of the noise will do,
    :math:`\lambda_m = 2 \sigma_m E \lVert g \rVert` and at least 1, because V is shifted in the rare case that it is not positive
    definite. Parameters: see :class:`NoisyRadius`.

    Examples
    --------
    >>> import numpy as np
    >>> from bandits_dp.widths.ridge import NoiseLaw
    >>> from bandits_dp.widths.ridge_private import CertifiedRadius
    >>> radius = CertifiedRadius(2, 1, NoiseLaw(np.full(1000, 3.0), np.full(1000, 3.0)), reward_std=0.5, failure=0.05)
    >>> ridge = radius.regularizer(1000)
    >>> [round(float(radius.beta(1000, ridge, least)), 1) for least in (10.0, 300.0)]  # the better V is known, the less
    [15.1, 4.0]
    """

    adaptive = True

    def _prepare(self) -> None:
        self.rho = max(1.0, float(self.matrix_bound[-1]))

    def _vector_bounds(self, law: NoiseLaw, failure: float) -> NDArray[np.float64]:
        S, d = self.theta_norm, self.dimension
        share = S**2 * law.matrix_std**2
        if not len(share):
            return share
        ratio = float(np.max(share / np.maximum(law.vector_std**2 + share, 1e-300)))  # of sigma^2 S^2 in tau^2 + sigma^2 S^2
        weights = np.repeat([1.0 + ratio, 1.0], [1, d - 1])
        return norm_bounds(weights, law.vector_std**2 + share, law.additive, failure)

    def regularizer(self, batch: int) -> float:
        """Return lambda_m."""
        return max(1.0, 2 * self.mean_norm * float(self.matrix_std[batch]))

    def floor(self, batch: int) -> float:
        """Return the least eigenvalue that V may have."""
        return FLOOR * self.regularizer(batch)

    def beta(self, batch: int, ridge: Floats, least: Floats) -> Floats:
        """Return beta_m, one per run."""
        stretch = 1 + np.maximum(self.rho - ridge + self.matrix_bound[batch], 0) / least  # c
        bias = self.vector_bound[batch] + ridge * self.theta_norm
        return np.asarray(np.sqrt(stretch) * self._reward_part(batch, self.rho) + bias / np.sqrt(least))


class LemmaRadius(NoisyRadius):
    r"""The radius of Lemma A.2 with the regularizer of Lemma A.4 (Chowdhury & Zhou 2022), where constants are hidden.

    :math:`\lambda = 2 s`, so that :math:`\lambda_{\min} = s` and :math:`\lambda_{\max} = 3 s`, and :math:`\nu = h / \sqrt s`:
    :math:`\beta_m = R \sqrt{2 \ln(3/\alpha) + d \ln(1 + t_m / (d s))} + \sqrt{3 s} S + h / \sqrt s`. The paper has s and h up to
    absolute constants; here s is the largest of the explicit :math:`s_m` above, at least 1, and h that of the same bounds for
    :math:`\lVert n \rVert`. Parameters: see :class:`NoisyRadius`.

    Examples
    --------
    >>> import numpy as np
    >>> from bandits_dp.widths.ridge import NoiseLaw
    >>> from bandits_dp.widths.ridge_private import LemmaRadius
    >>> radius = LemmaRadius(2, 1, NoiseLaw(np.full(1000, 3.0), np.full(1000, 3.0)), reward_std=0.5, failure=0.05)
    >>> ridge = radius.regularizer(1000)
    >>> [round(float(radius.beta(1000, ridge, least)), 1) for least in (10.0, 300.0)]  # V does not matter
    [13.5, 13.5]
    """

    adaptive = False

    def _prepare(self) -> None:
        self.least = max(1.0, float(self.matrix_bound.max()))
        self.noise_part = math.sqrt(3 * self.least) * self.theta_norm + float(self.vector_bound.max()) / math.sqrt(self.least)

    def _vector_bounds(self, law: NoiseLaw, failure: float) -> NDArray[np.float64]:
        return norm_bounds(np.ones(self.dimension), law.vector_std**2, law.additive, failure)

    def regularizer(self, batch: int) -> float:
        """Return the constant lambda."""
        return 2 * self.least

    def floor(self, batch: int) -> float:
        """Return half of what V keeps with high probability."""
        return self.least / 2

    def beta(self, batch: int, ridge: Floats, least: Floats) -> float:
        """Return beta_m."""
        return self._reward_part(batch, self.least) + self.noise_part
