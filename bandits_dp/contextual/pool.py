r"""A pool of items, a few of which appear in every round (Wang, Zhao, Wang 2022, section 4).

An instance has a pool of N feature vectors and a parameter :math:`\theta`, all with coordinates
uniform in [0, 1] before scaling: the pool is divided by its largest norm, and :math:`\theta` by its
own if that is above 1. A round shows K items, drawn without replacement, and the reward of an item
x is :math:`\langle \theta, x \rangle` plus Gaussian noise. (The paper states neither the scaling of
norms nor whether candidates may repeat. Our scaling keeps the uniform distribution up to one
factor.)

**Clipping.** Private learners need bounded rewards, but Gaussian rewards are unbounded;
``clip=True`` clips them to [-1, 1]. The mean of a clipped reward is not linear: it is a function of
:math:`\mu = \langle \theta, x \rangle` with the slope :math:`P(|\mu + \text{noise}| < 1)`, which
lies between 0 and 1. So items keep their order, and differences of means never grow. With a noise
std of 0.5, means of 0.3, 0.5 and 0.7 become 0.28, 0.46 and 0.62. *Regret is measured in linear
means*, with and without clipping, so that all curves share one axis; in clipped means it would be
smaller. Confidence radii are proved for linear means, so with clipping they are proved only up to
this bias, and an estimate of theta is shrunk.
"""

import math
from typing import Self

import numpy as np
import scipy  # special is loaded when it is used first
from numpy.typing import ArrayLike, NDArray

from bandits_dp import _checks
from bandits_dp._types import Floats
from bandits_dp.contextual.problems import LinearMeans, checked_features, checked_parameter


def different(uniform: Floats, items: int | NDArray[np.int64]) -> NDArray[np.intp]:
    """Sample without replacement: rows of uniform numbers to rows of indices below ``items``.

    ``items`` is the pool size, for all rows or per row.
    """
    count = uniform.shape[1]
    left = np.reshape(items, (-1, 1)) - np.arange(count)
    chosen = (uniform * left).astype(np.intp)  # number k indexes the remaining items
    for k in range(1, count):
        for earlier in np.sort(chosen[:, :k], axis=1).T:
            chosen[:, k] += chosen[:, k] >= earlier
    return chosen


class PoolContextual(LinearMeans):
    r"""K candidates per round from a pool, with Gaussian rewards.

    Parameters
    ----------
    arms, dimension, items : int
        Candidates per round K, >= 2; numbers per feature vector d, >= 1; and items in the pool N,
        >= K.
    noise_std, clip : float, bool
        Standard deviation of the reward's noise, > 0, and whether to clip rewards to [-1, 1].
    pool : array_like, shape (items, dimension), optional
        Your own pool, of norms at most 1; it determines ``items`` and ``dimension``.
    theta : array_like, shape (dimension,), optional
        Your own parameter, of norm at most 1.

    Attributes
    ----------
    reward_range, feature_norm, theta_norm
        (-1, 1) if clipped, else (-inf, inf); 1; and 1.

    Examples
    --------
    >>> import numpy as np
    >>> import bandits_dp as bdp
    >>> rng = np.random.default_rng(1)
    >>> instance = bdp.problems.PoolContextual(arms=3, dimension=2, items=5).draw(rng)
    >>> instance.candidates(instance.numbers(rng, 2)).tolist()  # 3 items in each of 2 rounds
    [[1, 4, 0], [0, 2, 1]]
    """

    fixed, features = False, None

    @_checks.checked(dimension=_checks.unchecked, items=_checks.unchecked,
                     arms=_checks.at_least_two)
    def __init__(self, arms: int = 10, dimension: int = 10, items: int = 1000,
                 noise_std: float = 0.5, clip: bool = False, pool: ArrayLike | None = None,
                 theta: ArrayLike | None = None) -> None:
        self.pool = None if pool is None else checked_features(pool, (None, None), name="pool")
        if self.pool is not None:
            items, dimension = self.pool.shape
        self.arms, self.noise_std, self.clip = arms, noise_std, clip
        self.dimension = _checks.integer("dimension", dimension)
        self.items = _checks.integer("items", items)
        if self.items < self.arms:
            raise ValueError(f"items must be at least as many as arms, {self.arms}, got "
                             f"{self.items}")
        _checks.room("items and dimension", self.items * self.dimension)
        self.reward_range = (-1.0, 1.0) if self.clip else (-math.inf, math.inf)
        self.theta = None if theta is None else checked_parameter(theta, self.dimension)

    @property
    def least_eigenvalue(self) -> float:
        r"""Least eigenvalue of :math:`E[x x^\top]` for a random item x.

        Computed from the pool if it is known. Before, 1 / (12 d): uniform coordinates have variance
        1/12 and are divided by the largest norm, which is at most sqrt(d). A pool of 1000 items in
        10 dimensions has about 0.011.
        """
        if self.pool is None:
            return 1 / (12 * self.dimension)
        return float(np.linalg.eigvalsh(self.pool.T @ self.pool / self.items)[0])

    def draw(self, rng: np.random.Generator) -> Self:
        """Return an instance; draws the pool, then theta, unless given."""
        pool, theta = self.pool, self.theta
        if pool is None:
            pool = rng.random((self.items, self.dimension))
            pool /= np.linalg.norm(pool, axis=1).max()
        if theta is None:
            theta = rng.random(self.dimension)
            theta /= max(1.0, float(np.linalg.norm(theta)))
        return type(self)(
            self.arms, self.dimension, self.items, self.noise_std, self.clip, pool, theta)

    def numbers(self, rng: np.random.Generator, rounds: int) -> Floats:
        """Draw a row of uniform numbers per round: one per candidate, the last for the reward."""
        return rng.random((rounds, self.arms + 1))

    def candidates(self, numbers: Floats) -> NDArray[np.intp]:
        """Return the distinct items of the rounds with these numbers, shape (rounds, arms)."""
        return different(numbers[:, :-1], self.items)

    def contexts(self, numbers: Floats) -> Floats:
        """Return the features of the candidates, shape (rounds, arms, dimension)."""
        if self.pool is None:
            raise ValueError("pool must be known to show items, got None: draw an instance first")
        return self.pool[self.candidates(numbers)]

    def chances(self, numbers: Floats) -> Floats:
        """Return the uniform numbers for the rewards, shape (rounds,)."""
        return numbers[:, -1]

    def reward_quantiles(self, means: Floats,
                         chances: Floats) -> Floats:
        """Add Gaussian noise, and clip the sum if ``clip``."""
        rewards = means + self.noise_std * scipy.special.ndtri(np.maximum(chances, 1e-300))
        return np.clip(rewards, -1.0, 1.0) if self.clip else np.asarray(rewards)

    def __repr__(self) -> str:
        """Return the class, the options, and whether it is an instance."""
        known = "" if self.theta is None else ", one instance"
        return (f"PoolContextual(arms={self.arms}, dimension={self.dimension}, items={self.items}, "
                f"noise_std={self.noise_std:g}, clip={self.clip}{known})")
