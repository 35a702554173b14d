r"""Linear bandits: known actions, an unknown parameter, and a new user in every round.

The mean reward of the action x is :math:`\langle\theta, x\rangle`. Three kinds of rewards have such
means:

* ``"signs"``: +1 with probability :math:`(1 + \langle\theta, x\rangle)/2`, else -1. Bounded by 1
  and 1-sub-Gaussian (Hoeffding).
* ``"gaussian"``: normal with standard deviation 1 and no bound, so private sums refuse them.
* ``"gaussian"`` with a ``bound`` B: the same, clipped to [-B, B]. They stay 1-sub-Gaussian around
  their mean, since clipping never increases distances, but **clipping shifts means** to an odd,
  increasing and nonlinear function of :math:`\langle\theta, x\rangle`, so the best action stays the
  best. Regret uses the means before clipping; ``clipping_bias`` has the shifts.
"""

import math

import numpy as np
import scipy  # special is loaded when it is used first
from numpy.typing import ArrayLike, NDArray

from bandits_dp import _checks
from bandits_dp._types import Floats
from bandits_dp.linear.designs import bounded_actions
from bandits_dp.privatizers.domain import Ball, Box, Domain, Reals
from bandits_dp.problem import OneInstance, parameter

REWARDS = ("signs", "gaussian")
BLOCK = 1_000_000  # clipped rewards drawn at once


class KnownActions(OneInstance):
    """One instance with known actions and an unknown parameter."""

    reward_std = 1.0
    domain: Domain

    def _take(self, actions: ArrayLike, theta: ArrayLike, rewards: str) -> Floats:
        """Set actions, parameter, kind of rewards and gaps; return the means."""
        self.actions: Floats = bounded_actions(actions)
        self.arms, self.dimension = self.actions.shape
        self.theta: Floats = parameter(theta, self.dimension, "one per column of actions")
        Ball(self.dimension).check(self.theta[None], "theta")
        self.kind = _checks.choice("rewards", rewards, REWARDS)
        means = np.clip(self.actions @ self.theta, -1.0, 1.0)  # norms may exceed 1 by rounding
        self.gaps: Floats = means.max() - means
        return np.asarray(means)


class LinearArms(KnownActions):
    """One linear bandit.

    Parameters
    ----------
    actions : array_like, shape (k, d)
        The actions, k >= 2, of norm at most 1, not all zero. They may be repeated or linearly
        dependent.
    theta : array_like, shape (d,)
        The parameter, of norm at most 1.
    rewards : {"signs", "gaussian"}
        +1 or -1, or normal with standard deviation 1.
    bound : float, optional
        B > 0, to which Gaussian rewards are clipped; must be None for signs, whose bound is 1.

    Attributes
    ----------
    arms, dimension : int
        k and d.
    means, gaps, clipping_bias : ndarray, shape (k,)
        <theta, x>, regret per play, and mean reward minus <theta, x>, which is zero unless Gaussian
        rewards are clipped.
    domain, reward_std : Domain, float
        Allowed rewards, {-1, 1}, [-B, B], or R^1; and the sub-Gaussian parameter of a reward around
        its mean, 1.

    Examples
    --------
    >>> import bandits_dp as bdp
    >>> problem = bdp.problems.LinearArms([[1, 0], [0, 1], [0.6, 0.8]], theta=[0.5, 0])
    >>> problem.means.round(2).tolist(), problem.gaps.round(2).tolist()
    ([0.5, 0.0, 0.3], [0.0, 0.5, 0.2])
    """

    setting = "linear"

    @_checks.checked(bound=_checks.positive)
    def __init__(self, actions: ArrayLike, theta: ArrayLike, rewards: str = "signs",
                 bound: float | None = None) -> None:
        self.means = self._take(actions, theta, rewards)
        self.domain = reward_domain(rewards, bound)
        self.clipping_bias: Floats = np.zeros(self.arms)
        if self.kind == "gaussian" and isinstance(self.domain, Box):
            self.clipping_bias = (excess(self.domain.high + self.means)
                                  - excess(self.domain.high - self.means))

    def rewards(self, arm: int, users: int, rng: np.random.Generator) -> Floats:
        """Draw the rewards of ``users`` users for one action, shape (users, 1)."""
        if self.kind == "signs":
            return np.where(rng.random((users, 1)) < (1 + self.means[arm]) / 2, 1.0, -1.0)
        return self.domain.clip(rng.normal(self.means[arm], 1.0, (users, 1)))

    def reward_sums(self, arms: NDArray[np.intp], users: ArrayLike,
                    rng: np.random.Generator) -> Floats:
        """Draw the reward sums of ``users`` users (a number, or one per action) for each action."""
        arms, users = np.broadcast_arrays(arms, users)
        if self.kind == "signs":
            return 2.0 * rng.binomial(users, (1 + self.means[arms]) / 2) - users
        if isinstance(self.domain, Reals):
            return rng.normal(users * self.means[arms], np.sqrt(users))
        return np.array([self._clipped_sum(int(arm), int(n), rng)
                         for arm, n in zip(arms, users, strict=True)])

    def _clipped_sum(self, arm: int, users: int, rng: np.random.Generator) -> float:
        """Add up single rewards, as the distribution of the sum has no simple form."""
        return sum(float(self.rewards(arm, min(BLOCK, users - start), rng).sum())
                   for start in range(0, users, BLOCK))

    def __repr__(self) -> str:
        """Return the sizes and the domain of rewards."""
        return f"LinearArms({self.arms} actions in R^{self.dimension}, rewards in {self.domain})"


class SphericalArms:
    """Linear bandits with actions and parameter uniform on the unit sphere, new in every run.

    Parameters
    ----------
    arms, dimension : int
        Number of actions k, >= 2, and their dimension d, >= 1.
    rewards, bound
        As in :class:`LinearArms`, like the attributes ``domain`` and ``reward_std``; the attribute
        ``actions`` is None.
    theta_norm : float
        Norm of the parameter, in (0, 1].

    Examples
    --------
    >>> import numpy as np
    >>> import bandits_dp as bdp
    >>> instance = bdp.problems.SphericalArms(arms=5, dimension=2).draw(np.random.default_rng(1))
    >>> np.linalg.norm(instance.actions, axis=1).round(9).tolist()
    [1.0, 1.0, 1.0, 1.0, 1.0]
    """

    setting = "linear"
    reward_std, actions = 1.0, None

    @_checks.checked(arms=_checks.at_least_two, bound=_checks.positive, theta_norm=_checks.share)
    def __init__(self, arms: int, dimension: int, rewards: str = "signs",
                 bound: float | None = None, theta_norm: float = 1.0) -> None:
        _checks.room("arms and dimension", (arms + 1) * dimension)
        self.arms, self.dimension, self.bound, self.theta_norm = arms, dimension, bound, theta_norm
        self.kind = _checks.choice("rewards", rewards, REWARDS)
        self.domain = reward_domain(rewards, bound)

    def draw(self, rng: np.random.Generator) -> LinearArms:
        """Draw an instance."""
        points = on_sphere(self.arms + 1, self.dimension, rng)
        return LinearArms(points[1:], self.theta_norm * points[0], self.kind, self.bound)

    def __repr__(self) -> str:
        """Return the sizes and the domain of rewards."""
        return f"SphericalArms({self.arms} actions in R^{self.dimension}, rewards in {self.domain})"


def on_sphere(points: int, dimension: int, rng: np.random.Generator) -> Floats:
    """Draw points uniformly from the unit sphere, shape (points, dimension)."""
    drawn = rng.normal(size=(points, dimension))
    return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)


def reward_domain(rewards: str, bound: float | None) -> Box | Reals:
    """Return the domain of rewards of this kind, or raise a ValueError."""
    if rewards == "signs":
        if bound is not None:
            raise ValueError("bound must be None for rewards='signs', which are +1 or -1, got "
                             f"{_checks.told(bound)}")
        return Box(1, -1.0, 1.0, whole=True)
    return Reals(1) if bound is None else Box(1, -bound, bound)


def excess(z: Floats) -> Floats:
    """E (Z - z)_+ for a standard normal Z."""
    return np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi) - z * scipy.special.ndtr(-z)
