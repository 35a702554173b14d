r"""Confidence radii: bounds on the error of an estimate of theta, in the released matrix's norm.

After m batches LinUCB has :math:`V_m = \lambda_m I + G_m + N_m` and :math:`u_m = b_m + n_m`, where
G and b are exact running sums and N and n are noise. A radius chooses the regularizer
:math:`\lambda_m` and :math:`\beta_m` such that, with probability at least :math:`1 - \alpha`, for
all m at once, :math:`\lVert \theta - V_m^{-1} u_m \rVert_{V_m} \le \beta_m`.
"""

import math
from typing import Protocol

from bandits_dp import _checks
from bandits_dp._types import Floats

LOST = 1e-12  # relative size below which a ridge is lost in rounding
PerRun = Floats | float  # one number, or one for each run


class Radius(Protocol):
    """Regularizer and confidence radius after each batch.

    Attributes
    ----------
    adaptive : bool
        Whether ``beta`` depends on the eigenvalues of V_m; if not, it depends on m only.

    Examples
    --------
    >>> import numpy as np
    >>> from bandits_dp.learners import LinUCB
    >>> class Shrinking:  # explores less and less; proves nothing
    ...     adaptive = False
    ...     def regularizer(self, batch):
    ...         return 1.0
    ...     def floor(self, batch):
    ...         return 0.5
    ...     def beta(self, batch, ridge, least):
    ...         return 1 / (1 + batch)
    >>> learner = LinUCB(2, Shrinking())
    >>> learner.tell(np.zeros(5))
    >>> float(learner.beta)
    0.5
    """

    adaptive: bool

    def regularizer(self, batch: int) -> float:
        """Return lambda_m > 0 after m = ``batch`` >= 0 batches."""

    def floor(self, batch: int) -> float:
        """Return the least allowed eigenvalue of V_m, to which V_m is shifted; 0 for no shift."""

    def beta(self, batch: int, ridge: PerRun, least: PerRun) -> PerRun:
        """Return beta_m, given ``ridge`` and the least eigenvalue of V_m.

        ``ridge`` is lambda_m plus the shift that made V_m positive definite, if any. The numbers
        are scalars or have one entry per run. ``least`` is correct only for an adaptive radius.
        """


def self_normalized(dimension: int, rounds: float, rho: float, log_failure: float) -> float:
    """Return sqrt(2 ln(1/alpha) + d ln(1 + t / (d rho))).

    Abbasi-Yadkori, Pal, Szepesvari 2011, Theorem 1 and Lemma 10.
    """
    return math.sqrt(2 * log_failure + dimension * math.log1p(rounds / (dimension * rho)))


def check_ridge(name: str, ridge: float, dimension: int, rounds: int, size: float) -> None:
    """Refuse a ridge that is lost in rounding beside a sum of x x' with norms of x <= ``size``."""
    least = LOST * dimension * rounds * size**2
    if ridge < least:
        raise ValueError(f"{name} must be at least {least:.3g} for the bounds of the problem, or "
                         f"it is lost in rounding beside features of {rounds} rounds, {dimension} "
                         f"numbers of norm at most {size:g} each, got {ridge:g}")


class FixedWidth:
    """A width of the caller's choice.

    Parameters
    ----------
    width : float
        The width beta, >= 0.
    regularizer : float
        lambda or kappa, > 0.

    Examples
    --------
    >>> from bandits_dp.contextual.radius import FixedWidth
    >>> width = FixedWidth(width=0.3, regularizer=1.0)
    >>> [width.beta(batch, 1.0, 1.0) for batch in (1, 1000)]
    [0.3, 0.3]
    """

    adaptive = False

    @_checks.checked(width=_checks.nonnegative)
    def __init__(self, width: float, regularizer: float) -> None:
        self.width, self.ridge = width, regularizer

    def regularizer(self, batch: int) -> float:
        """Return the regularizer."""
        return self.ridge

    def floor(self, batch: int) -> float:
        """Return half of the regularizer, which V never reaches without noise."""
        return self.ridge / 2

    def beta(self, batch: int, ridge: PerRun, least: PerRun) -> float:
        """Return the width."""
        return self.width


class PublicWidth(FixedWidth):
    """A chosen width for A without noise, whose eigenvalues are at least the regularizer.

    Examples
    --------
    >>> from bandits_dp.contextual.radius import PublicWidth
    >>> PublicWidth(width=0.3, regularizer=1.0).floor(batch=1)
    0.0
    """

    def floor(self, batch: int) -> float:
        """Return 0: A is never shifted."""
        return 0.0


class PlainRadius(PublicWidth):
    r"""Radius without noise (Abbasi-Yadkori, Pal, Szepesvari 2011, Theorem 2 with Lemma 10).

    :math:`\beta_m = R \sqrt{2 \ln(1/\alpha) + d \ln(1 + t_m L^2 / (d \lambda))} + \sqrt\lambda S`,
    valid for all rounds at once.

    Parameters
    ----------
    dimension, users : int
        d, and users per batch B; t_m = m B.
    reward_std, failure : float
        Sub-Gaussian constant R of a reward, half the length of its range; and the probability that
        some radius is too small, in (0, 1).
    regularizer, theta_norm, feature_norm : float
        lambda > 0, and the bounds S and L.

    Examples
    --------
    >>> from bandits_dp.contextual.radius import PlainRadius
    >>> radius = PlainRadius(dimension=5, users=1, reward_std=0.5, failure=0.05)
    >>> [round(radius.beta(batch, 1.0, 1.0), 2) for batch in (10, 1000)]  # grows like a logarithm
    [2.69, 3.85]
    """

    @_checks.checked(failure=_checks.chance)
    def __init__(self, dimension: int, users: int, reward_std: float, failure: float,
                 regularizer: float = 1.0, theta_norm: float = 1.0,
                 feature_norm: float = 1.0) -> None:
        super().__init__(0.0, regularizer)
        self.dimension, self.users, self.reward_std = dimension, users, reward_std
        self.theta_norm, self.feature_norm = theta_norm, feature_norm
        self.log_failure = -math.log(failure)

    def beta(self, batch: int, ridge: PerRun, least: PerRun) -> float:
        """Return the radius after ``batch`` batches."""
        rewards = self_normalized(self.dimension, batch * self.users * self.feature_norm**2,
                                  self.ridge, self.log_failure)
        return self.reward_std * rewards + math.sqrt(self.ridge) * self.theta_norm
