r"""Widths for learners with private rewards and public, exact A and M.

The default of this family is a fixed width, 0.3, as in the early code that
``bandits_dp.contextual.dynamic`` names: it explores little and proves no regret bound. Privacy does
not depend on the width. The other widths bound the error of the estimate in all rounds at once.
"""

import math

import numpy as np

from bandits_dp import _checks
from bandits_dp.contextual.private_radius import quadratic_quantile
from bandits_dp.contextual.radius import PerRun, PlainRadius, PublicWidth, self_normalized
from bandits_dp.continual import Counter
from bandits_dp.continual.base import known_horizon


class InstrumentRadius(PublicWidth):
    r"""Rigorous radius of :class:`bandits_dp.contextual.linucb_rewards.InstrumentLinUCB`.

    For linear means and Gaussian noise,

    .. math:: \lVert \hat\theta - \theta \rVert_M
              \le \sqrt\kappa S + \lVert \xi \rVert_{C^{-1}} + \lVert n \rVert_{C^{-1}}, \qquad
              \xi = \sum g_s \xi_s .

    The norm of :math:`\xi`, the rewards' noise, is at most
    :math:`\sqrt{2 \ln(2/\alpha) + d \ln(1 + t / (d \rho))}` for all t,
    :math:`\rho = \min_t s_t^2 / R^2`, with probability :math:`1 - \alpha/2`. The norm of n, the
    counter's noise, is bounded by a quantile of the norm of a standard normal vector, with a union
    bound over the M batches (proved in chapter 12, "A width that holds in all rounds").

    Parameters
    ----------
    dimension, users, batches : int
        d, users per batch B, and batches M, >= 1.
    least_std, reward_std, theta_norm, failure : float
        Least s_t, R and S, > 0, and the failure probability alpha, in (0, 1).

    Examples
    --------
    >>> from bandits_dp.contextual.reward_radius import InstrumentRadius
    >>> radius = InstrumentRadius(
    ...     dimension=2, users=1, batches=1000, least_std=3.0, reward_std=0.5, theta_norm=1.0,
    ...     failure=0.05)
    >>> [round(radius.beta(batch, 2.0, 2.0), 1) for batch in (10, 1000)]
    [9.5, 10.3]
    """

    @_checks.checked()
    def __init__(self, dimension: int, users: int, batches: int, least_std: float,
                 reward_std: float, theta_norm: float, failure: float) -> None:
        self.dimension, self.users = dimension, users
        _checks.room("dimension", 2000 * dimension)
        super().__init__(0.0, self.dimension / theta_norm**2)
        self.rho = (least_std / reward_std) ** 2
        self.log_failure = -math.log(failure / 2)
        noise = quadratic_quantile(np.ones(dimension), failure / (2 * batches))
        self.fixed = math.sqrt(self.ridge) * theta_norm + math.sqrt(noise)

    def beta(self, batch: int, ridge: PerRun, least: PerRun) -> float:
        """Return the radius."""
        return (self.fixed
                + self_normalized(self.dimension, batch * self.users, self.rho, self.log_failure))


class CountedRadius(PlainRadius):
    r"""Rigorous radius of the ridge estimate from sums with a tree's Laplace noise.

    The sums are :math:`b_t + n_t`, and A is exact. Then :math:`\lVert \hat\theta - \theta \rVert_A`
    is at most the radius without noise :math:`+ \lVert n_t \rVert_2 / \sqrt{\lambda_{\min}(A_t)}`.
    A coordinate of :math:`n_t` is the sum of at most k Laplace noises of scale b, and exceeds
    :math:`\min_s (L - k \ln(1 - s^2 b^2)) / s` with probability at most :math:`e^{-L}`; a union
    bound over d coordinates, two sides and M batches.

    Parameters
    ----------
    counter : Counter
        Laplace counter of vectors of d numbers.
    users : int
        Users per batch.
    reward_std, theta_norm, feature_norm, regularizer, failure : float
        R, S, L and lambda, and the probability that some radius is too small, in (0, 1).

    Examples
    --------
    >>> import bandits_dp as bdp
    >>> from bandits_dp.privatizers.domain import UNIT_INTERVAL
    >>> from bandits_dp.contextual.reward_radius import CountedRadius
    >>> counter = bdp.continual.TreeCounter(1000, epsilon=1.0, delta=0.0, noise="laplace")
    >>> radius = CountedRadius(
    ...     counter, users=1, reward_std=0.5, theta_norm=1.0, feature_norm=1.0, regularizer=1.0,
    ...     failure=0.05)
    >>> [round(float(radius.beta(1000, 1.0, least)), 1) for least in (10.0, 1000.0)]
    [71.4, 9.7]
    """

    adaptive = True

    @_checks.checked()
    def __init__(self, counter: Counter, users: int, reward_std: float, theta_norm: float,
                 feature_norm: float, regularizer: float, failure: float) -> None:
        batches, d = known_horizon(counter, "laplace"), counter.dimension
        super().__init__(d, users, reward_std, failure / 2, regularizer, theta_norm, feature_norm)
        scale = counter.noise_std / math.sqrt(2)
        draws = (counter.error_std(np.arange(1, batches + 1)) / counter.noise_std) ** 2  # k
        log_tail = math.log(4 * d * batches / failure)
        s = np.geomspace(1e-4, 1 - 1e-6, 2000) / scale
        tails = (
            (log_tail - np.outer(np.unique(draws), np.log1p(-((s * scale) ** 2)))) / s).min(axis=1)
        self.noise_bound = np.concatenate([
            [0.0], math.sqrt(d) * tails[np.unique(draws, return_inverse=True)[1]]])

    def beta(self, batch: int, ridge: PerRun,  # type: ignore[override]  # one per run
             least: PerRun) -> PerRun:
        """Return the radius, one per run."""
        return super().beta(batch, ridge, least) + self.noise_bound[batch] / np.sqrt(least)


class PrintedWidth(PublicWidth):
    r"""The confidence bound printed for DGS (Wang, Zhao, Wang 2022, Lemma 2, inequality 4).

    Its first term comes from Theorem 2, whose O() hides :math:`32 / \lambda_0`; with the printed
    constant 1 it is far smaller than the noise. It is :math:`\frac{L}{\varepsilon} \log_2 T
    \sqrt{\ln t \ln(1/\zeta)} / \sqrt t + \sqrt{d \ln((1 + t L^2 \lambda) / \zeta)} + \sqrt\lambda
    S`.

    Parameters
    ----------
    dimension, horizon : int
        d and T, >= 1.
    epsilon, regularizer, theta_norm, feature_norm, failure : float
        epsilon, lambda, S and L, > 0, and zeta, in (0, 1).

    Examples
    --------
    >>> from bandits_dp.contextual.reward_radius import PrintedWidth
    >>> width = PrintedWidth(2, 1000, epsilon=1.0, regularizer=1.0, theta_norm=1.0,
    ...                      feature_norm=1.0, failure=0.05)
    >>> [round(width.beta(batch, 1.0, 1.0), 1) for batch in (10, 1000)]
    [12.6, 6.9]
    """

    @_checks.checked()
    def __init__(self, dimension: int, horizon: int, epsilon: float, regularizer: float,
                 theta_norm: float, feature_norm: float, failure: float) -> None:
        super().__init__(0.0, regularizer)
        self.dimension, self.failure = dimension, failure
        self.noise = (
            feature_norm / epsilon * math.log2(max(horizon, 2)) * math.sqrt(-math.log(failure)))
        self.growth = feature_norm**2 * regularizer
        self.bias = math.sqrt(regularizer) * theta_norm

    def beta(self, batch: int, ridge: PerRun, least: PerRun) -> float:
        """Return Lemma 2's alpha_t."""
        t = max(batch, 1)
        noise = self.noise * math.sqrt(math.log(t) / t)
        return noise + math.sqrt(
            self.dimension * math.log((1 + batch * self.growth) / self.failure)) + self.bias
