r"""Confidence radii under noise: a rigorous one, adapted to the released matrix, and a printed one.

Let :math:`V = \lambda I + G + N`, :math:`u = b + n` as in :mod:`bandits_dp.contextual.radius`,
:math:`\theta` the parameter with :math:`\lVert\theta\rVert \le S`, and :math:`\xi = b - G \theta`
the sum of :math:`\phi` times the rewards' noise. Then

.. math:: V (\hat\theta - \theta) = \xi + w - \lambda \theta , \qquad w = n - N \theta .

Each with probability at least :math:`1 - \alpha/3`, for all batches m at once: (1) :math:`\lVert
\xi \rVert_{(G + \rho I)^{-1}} \le R \sqrt{2 \ln(3/\alpha) + d \ln(1 + t / (d \rho))}` for one fixed
:math:`\rho > 0` (Abbasi-Yadkori, Pal, Szepesvari 2011, Theorem 1 and Lemma 10); (2)
:math:`\lVert w \rVert \le r_m`; (3) :math:`\lambda_{\min}(N) \ge - s_m`. Chapter 10, "Certified
radius", has the complete proof. The bounds :math:`r_m` and :math:`s_m` are found as follows:

* The increments of n and of N's upper triangle form a martingale with known sub-Gaussian variances,
  :math:`\tau^2` and :math:`\sigma^2` in total per entry. So w is sub-Gaussian in every direction
  with a matrix A of eigenvalues :math:`a_i`: :math:`\tau^2 + 2 \sigma^2 S^2` once,
  :math:`\tau^2 + \sigma^2 S^2` d - 1 times. The vector of :math:`N_{ii}` and
  :math:`\sqrt 2 N_{ij}`, i < j, which has the norm of N, has variances :math:`\sigma^2` and
  :math:`2 \sigma^2`.
* Norms of such vectors have the same Chernoff bound as for Gaussian vectors (Hsu, Kakade, Zhang
  2012), for one m; a union bound covers M batches. If noise adds up over batches, Ville's
  inequality gives, for all m at once, :math:`\lVert w_m \rVert^2 \le (\kappa + a_{\max}) (2
  \ln(3/\alpha) + \sum_i \ln(1 + a_i / \kappa))`.
* For Gaussian noise another valid :math:`s_m` is :math:`\sigma (2 E \lVert g \rVert + \sqrt{2 (2 -
  1/d) \ln(3 M / \alpha)})`, g standard normal in d dimensions (Sudakov and Fernique; Lipschitz
  constant :math:`\sigma \sqrt{2 - 1/d}` of the largest eigenvalue).
"""

import math

import numpy as np
import scipy  # special is loaded when it is used first

from bandits_dp import _checks
from bandits_dp._types import Floats
from bandits_dp.app.streams import NoiseLaw
from bandits_dp.contextual.radius import PerRun, self_normalized

# kappa, as a share of the largest eigenvalue of A at the end; any positive number is valid
MIXING = 0.25
FLOOR = 0.02  # least eigenvalue of V, as a share of the regularizer; any positive number is valid
BLOCK = 2_000_000  # numbers of a quantile's bound computed at a time
MOST_TERMS = 200_000_000  # of such a bound: 446 dimensions


def mean_norm(dimension: int) -> float:
    """Mean Euclidean norm of a standard normal vector: sqrt(2) Gamma((d + 1) / 2) / Gamma(d / 2).

    Examples
    --------
    >>> from bandits_dp.contextual.private_radius import mean_norm
    >>> round(mean_norm(100), 2)  # a little less than the root of 100
    9.98
    """
    return math.sqrt(2) * math.exp(scipy.special.gammaln((dimension + 1) / 2)
                                   - scipy.special.gammaln(dimension / 2))


def quadratic_quantile(weights: Floats, failure: float) -> float:
    """Chernoff bound on the (1 - ``failure``)-quantile of sum_i weights_i g_i^2, g sub-Gaussian.

    Examples
    --------
    >>> import numpy as np
    >>> from bandits_dp.contextual.private_radius import quadratic_quantile
    >>> round(quadratic_quantile(np.ones(1), 0.05), 2)  # for a normal number, 3.84 is exact
    9.21
    """
    weights = weights[weights > 0]
    if not weights.size:
        return 0.0
    s = (1 - np.geomspace(1e-6, 1 - 1e-6, 2000)) / (2 * weights.max())
    step = max(1, BLOCK // len(weights))  # all rows at once could take gigabytes
    exponent = np.concatenate([
        -0.5 * np.log1p(-2 * s[start : start + step, None] * weights).sum(axis=1)
        for start in range(0, len(s), step)])
    return float(((exponent - math.log(failure)) / s).min())


def norm_bounds(weights: Floats, variance: Floats, additive: bool,
                failure: float) -> Floats:
    """Bound sqrt(sum_i weights_i x_i^2), x_i with given variances, for all batches at once.

    Returns an array of the shape of ``variance``, one entry per batch.

    Examples
    --------
    >>> import numpy as np
    >>> from bandits_dp.contextual.private_radius import norm_bounds
    >>> bounds = norm_bounds(np.ones(2), np.array([1.0, 4.0]), additive=False, failure=0.05)
    >>> bounds.round(2).tolist()  # twice as large for twice the std
    [3.63, 7.25]
    """
    if not variance.any():
        return np.zeros_like(variance)
    if not additive:
        return np.sqrt(variance * quadratic_quantile(weights, failure / len(variance)))
    a = variance[:, None] * weights
    kappa = MIXING * a.max()
    return np.sqrt(
        (kappa + a.max(axis=1)) * (np.log1p(a / kappa).sum(axis=1) - 2 * math.log(failure)))


class NoisyRadius:
    """Base class of radii with bounds r_m and s_m on the noise, for m = 0, 1, ..., M.

    Parameters
    ----------
    dimension, users : int
        d, and users per batch B.
    law : NoiseLaw
        Distribution of the noise on the running sums, which must be sub-Gaussian.
    reward_std, failure, theta_norm : float
        Sub-Gaussian constant R of a reward, half the length of its range; the probability that some
        radius is too small, in (0, 1); and the bound S on the norm of theta.
    """

    @_checks.checked(failure=_checks.chance)
    def __init__(self, dimension: int, users: int, law: NoiseLaw, reward_std: float, failure: float,
                 theta_norm: float = 1.0) -> None:
        _checks.one_of("law", law, NoiseLaw, "a NoiseLaw")
        if not law.sub_gaussian:
            raise ValueError("law must be sub-Gaussian for this radius, got one whose "
                             "sub_gaussian_std is infinite (Laplace noise)")
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
        """Compute the attributes that follow from the bounds."""

    def _matrix_bounds(self, law: NoiseLaw, failure: float) -> Floats:
        """Return s_m of event 3."""
        d, sigma = self.dimension, law.matrix_std
        weights = np.repeat([1.0, 2.0], [d, d * (d - 1) // 2])
        frobenius = norm_bounds(weights, sigma**2, law.additive, failure)
        if not law.gaussian or not len(sigma):
            return frobenius
        lipschitz = math.sqrt(2 * (2 - 1 / d) * math.log(len(sigma) / failure))
        operator = sigma * (2 * mean_norm(d) + lipschitz)
        return frobenius if frobenius.sum() < operator.sum() else operator  # chosen in advance

    def _vector_bounds(self, law: NoiseLaw, failure: float) -> Floats:
        """Return r_m of event 2, or h, a bound on the norm of n alone."""
        return norm_bounds(np.ones(self.dimension), law.vector_std**2, law.additive, failure)

    def _reward_part(self, batch: int, rho: float) -> float:
        """Return the radius of event 1."""
        return self.reward_std * self_normalized(self.dimension, batch * self.users, rho,
                                                 self.log_failure)


class CertifiedRadius(NoisyRadius):
    r"""Rigorous radius that uses the least eigenvalue of the released V, which is public.

    On the three events, for any :math:`\lambda`, which may depend on V, if V is positive definite,

    .. math:: \beta_m = \sqrt c \, R \sqrt{2 \ln(3/\alpha) + d \ln(1 + t / (d \rho))}
              + \frac{r_m + \lambda S}{\sqrt{\lambda_{\min}(V)}} , \qquad
              c = 1 + \frac{(\rho - \lambda + s_m)_+}{\lambda_{\min}(V)} .

    Lemma A.2 has the worst case :math:`\lambda - s_m` instead of :math:`\lambda_{\min}(V)`, and
    needs :math:`\lambda > s_m`. Here the typical size of the noise suffices,
    :math:`\lambda_m = 2 \sigma_m E \lVert g \rVert` and at least 1, because V is shifted in the
    rare case that it is not positive definite. Parameters as for :class:`NoisyRadius`.

    Examples
    --------
    >>> import numpy as np
    >>> from bandits_dp.app.streams import NoiseLaw
    >>> from bandits_dp.contextual.private_radius import CertifiedRadius
    >>> law = NoiseLaw(np.full(1000, 3.0), np.full(1000, 3.0))
    >>> radius = CertifiedRadius(2, 1, law, reward_std=0.5, failure=0.05)
    >>> ridge = radius.regularizer(1000)
    >>> [round(float(radius.beta(1000, ridge, least)), 1) for least in (10.0, 300.0)]
    [15.1, 4.0]
    """

    adaptive = True

    def _prepare(self) -> None:
        self.rho = max(1.0, float(self.matrix_bound[-1]))

    def _vector_bounds(self, law: NoiseLaw, failure: float) -> Floats:
        S, d = self.theta_norm, self.dimension
        share = S**2 * law.matrix_std**2
        if not len(share):
            return share
        # sigma^2 S^2 / (tau^2 + sigma^2 S^2)
        ratio = float(np.max(share / np.maximum(law.vector_std**2 + share, 1e-300)))
        weights = np.repeat([1.0 + ratio, 1.0], [1, d - 1])
        return norm_bounds(weights, law.vector_std**2 + share, law.additive, failure)

    def regularizer(self, batch: int) -> float:
        """Return lambda_m."""
        return max(1.0, 2 * self.mean_norm * float(self.matrix_std[batch]))

    def floor(self, batch: int) -> float:
        """Return the least eigenvalue of V, to which V is shifted."""
        return FLOOR * self.regularizer(batch)

    def beta(self, batch: int, ridge: PerRun, least: PerRun) -> PerRun:
        """Return beta_m, one per run."""
        stretch = 1 + np.maximum(self.rho - ridge + self.matrix_bound[batch], 0) / least  # c
        bias = self.vector_bound[batch] + ridge * self.theta_norm
        return np.sqrt(stretch) * self._reward_part(batch, self.rho) + bias / np.sqrt(least)


class LemmaRadius(NoisyRadius):
    r"""The radius of Lemma A.2 with the regularizer of Lemma A.4 (Chowdhury & Zhou 2022).

    :math:`\lambda = 2 s`, so that :math:`\lambda_{\min} = s` and :math:`\lambda_{\max} = 3 s`, and
    :math:`\nu = h / \sqrt s`: :math:`\beta_m = R \sqrt{2 \ln(3/\alpha) + d \ln(1 + t_m / (d s))} +
    \sqrt{3 s} S + h / \sqrt s`. The paper gives s and h up to absolute constants; here s is the
    largest of the explicit :math:`s_m` above, at least 1, and h the largest of the same kind of
    bounds on :math:`\lVert n \rVert`. Parameters as for :class:`NoisyRadius`.

    Examples
    --------
    >>> import numpy as np
    >>> from bandits_dp.app.streams import NoiseLaw
    >>> from bandits_dp.contextual.private_radius import LemmaRadius
    >>> law = NoiseLaw(np.full(1000, 3.0), np.full(1000, 3.0))
    >>> radius = LemmaRadius(2, 1, law, reward_std=0.5, failure=0.05)
    >>> ridge = radius.regularizer(1000)
    >>> [round(float(radius.beta(1000, ridge, least)), 1) for least in (10.0, 300.0)]
    [13.5, 13.5]
    """

    adaptive = False

    def _prepare(self) -> None:
        self.least = max(1.0, float(self.matrix_bound.max()))
        self.noise_part = (math.sqrt(3 * self.least) * self.theta_norm
                           + float(self.vector_bound.max()) / math.sqrt(self.least))

    def regularizer(self, batch: int) -> float:
        """Return the constant lambda."""
        return 2 * self.least

    def floor(self, batch: int) -> float:
        """Return half of V's least eigenvalue with high probability."""
        return self.least / 2

    def beta(self, batch: int, ridge: PerRun, least: PerRun) -> float:
        """Return beta_m."""
        return self._reward_part(batch, self.least) + self.noise_part
