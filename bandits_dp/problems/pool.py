r"""A pool of items, a few of which are shown in every round: the simulation of Wang, Zhao, Wang (2022, section 4).

An instance has a pool of N feature vectors and a parameter :math:`\theta`, all with coordinates uniform in [0, 1] before scaling:
the pool is divided by its largest norm, and :math:`\theta` by its own if that is above 1. A round shows K items, drawn without
replacement, and the reward of an item x is :math:`\langle \theta, x \rangle` plus Gaussian noise. (The paper says neither how
norms are brought below 1 nor whether candidates may repeat. Our scaling keeps the uniform law up to one factor.)

**Clipping.** Private learners need bounded rewards, and Gaussian ones are not: ``clip=True`` moves them to [-1, 1]. The mean of a
clipped reward is no longer linear. It is a function of :math:`\mu = \langle \theta, x \rangle` with the slope :math:`P(|\mu +
\text{noise}| < 1)`, which lies between 0 and 1: items keep their order, and differences of means shrink, never grow. With a noise
of 0.5, means of 0.3, 0.5 and 0.7 become 0.28, 0.46 and 0.62. *Regret is measured against the linear means*, with and without
clipping, so that all curves share one axis; in clipped means it would be smaller. Confidence radii are proved for linear means,
so under clipping they are proved up to this bias, and an estimate of theta tends to a shrunk one.
"""

import math
from typing import Self

import numpy as np
import scipy  # special is loaded when it is used first
from numpy.typing import ArrayLike, NDArray

from bandits_dp import _checks
from bandits_dp.problems.contextual import LinearMeans, checked_features, checked_parameter


def different(uniform: NDArray[np.float64], items: int | NDArray[np.int64]) -> NDArray[np.intp]:
    """Turn rows of uniform numbers into rows of items that are all different, of so many items in all, or so many for each row."""
    count = uniform.shape[1]
    left = np.reshape(items, (-1, 1)) - np.arange(count)
    chosen = (uniform * left).astype(np.intp)  # number k counts the items that are still there
    for k in range(1, count):
        for earlier in np.sort(chosen[:, :k], axis=1).T:
            chosen[:, k] += chosen[:, k] >= earlier
    return chosen


class PoolContextual(LinearMeans):
    r"""K candidates a round from a pool, with Gaussian rewards.

    Parameters
    ----------
    arms, dimension, items : int
        Candidates per round K, >= 2, numbers per feature vector d, >= 1, and items in the pool N, >= K.
    noise_std, clip : float, bool
        Standard deviation of the reward's noise, > 0, and whether rewards are moved to [-1, 1].
    pool : array_like, shape (items, dimension), optional
        A pool of your own, of norms at most 1; it says how many items and dimensions there are.
    theta : array_like, shape (dimension,), optional
        A parameter of your own, of norm at most 1.

    Attributes
    ----------
    reward_range, feature_norm, theta_norm
        (-1, 1) if clipped, else (-inf, inf); 1 and 1.

    Examples
    --------
    >>> import numpy as np
    >>> import bandits_dp as bdp
    >>> rng = np.random.default_rng(1)
    >>> instance = bdp.problems.PoolContextual(arms=3, dimension=2, items=5).draw(rng)
    >>> instance.candidates(instance.numbers(rng, 2)).tolist()  # three different items in each of two rounds
    [[1, 4, 0], [0, 2, 1]]
    """

    fixed, features = False, None

    @_checks.checked(dimension=_checks.unchecked, items=_checks.unchecked, arms=_checks.at_least_two)
    def __init__(self, arms: int = 10, dimension: int = 10, items: int = 1000, noise_std: float = 0.5, clip: bool = False,
                 pool: ArrayLike | None = None, theta: ArrayLike | None = None) -> None:
        self.pool = None if pool is None else checked_features(pool, (None, None), name="pool")
        if self.pool is not None:
            items, dimension = self.pool.shape
        self.arms, self.noise_std, self.clip = arms, noise_std, clip
        self.dimension = _checks.integer("dimension", dimension)
        self.items = _checks.integer("items", items)
        if self.items < self.arms:
            raise ValueError(f"items must be at least as many as arms, {self.arms}, got {self.items}")
        _checks.room("items and dimension", self.items * self.dimension)
        self.reward_range = (-1.0, 1.0) if self.clip else (-math.inf, math.inf)
        self.theta = None if theta is None else checked_parameter(theta, self.dimension)

    @property
    def least_eigenvalue(self) -> float:
        r"""Least eigenvalue of :math:`E[x x^\top]` for a random item x.

        That of the pool, if it is known. Before it is drawn, 1 / (12 d): uniform coordinates have variance 1/12, and the largest
        norm, by which they are divided, is at most the square root of d. A pool of 1000 in 10 dimensions has about 0.011.
        """
        if self.pool is None:
            return 1 / (12 * self.dimension)
        return float(np.linalg.eigvalsh(self.pool.T @ self.pool / self.items)[0])

    def draw(self, rng: np.random.Generator) -> Self:
        """Return an instance: what was not given is drawn, the pool first."""
        pool, theta = self.pool, self.theta
        if pool is None:
            pool = rng.random((self.items, self.dimension))
            pool /= np.linalg.norm(pool, axis=1).max()
        if theta is None:
            theta = rng.random(self.dimension)
            theta /= max(1.0, float(np.linalg.norm(theta)))
        return type(self)(self.arms, self.dimension, self.items, self.noise_std, self.clip, pool, theta)

    def numbers(self, rng: np.random.Generator, rounds: int) -> NDArray[np.float64]:
        """Draw a row of uniform numbers for each of the next rounds: one per candidate, and the last for the reward."""
        return rng.random((rounds, self.arms + 1))

    def candidates(self, numbers: NDArray[np.float64]) -> NDArray[np.intp]:
        """Return which items the rounds with these numbers show, all different, shape (rounds, arms)."""
        return different(numbers[:, :-1], self.items)

    def contexts(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the features of the candidates, shape (rounds, arms, dimension)."""
        if self.pool is None:
            raise ValueError("pool must be known to show items, got None: draw an instance first")
        return self.pool[self.candidates(numbers)]

    def chances(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the uniform numbers behind the rewards, shape (rounds,)."""
        return numbers[:, -1]

    def reward_quantiles(self, means: NDArray[np.float64], chances: NDArray[np.float64]) -> NDArray[np.float64]:
        """Add Gaussian noise, and clip if that was asked for."""
        rewards = means + self.noise_std * scipy.special.ndtri(np.maximum(chances, 1e-300))
        return np.clip(rewards, -1.0, 1.0) if self.clip else np.asarray(rewards)

    def __repr__(self) -> str:
        """Return the class, the sizes and what is known."""
        known = "" if self.theta is None else ", one instance"
        return (f"PoolContextual(arms={self.arms}, dimension={self.dimension}, items={self.items}, noise_std={self.noise_std:g}, "
                f"clip={self.clip}{known})")
