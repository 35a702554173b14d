"""Multi-armed bandits: a few arms with unknown means."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp import _checks
from bandits_dp._types import Floats
from bandits_dp.privatizers.domain import BITS
from bandits_dp.problem import OneInstance


class BernoulliArms(OneInstance):
    """Arms that pay 1 or 0.

    Parameters
    ----------
    means : array_like, shape (arms,)
        Probability mu_a that each arm pays 1, in [0, 1].

    Attributes
    ----------
    gaps : ndarray, shape (arms,)
        Regret per pull, max(means) - means.
    arms, domain : int, Domain
        Number of arms K, and the domain {0, 1} of rewards; both are public.

    Examples
    --------
    >>> import numpy as np
    >>> import bandits_dp as bdp
    >>> problem = bdp.problems.BernoulliArms([0.8, 0.5])
    >>> problem.gaps.round(2).tolist()
    [0.0, 0.3]
    >>> rewards = problem.rewards(0, 10_000, np.random.default_rng(1))  # 10,000 users pull arm 0
    >>> round(float(rewards.mean()), 1)
    0.8
    """

    setting = "arms"

    def __init__(self, means: ArrayLike) -> None:
        allowed = "a non-empty list of numbers in [0, 1], one per arm"
        array = _checks.numbers("means", means, allowed)
        if array.ndim != 1 or array.size == 0:
            raise ValueError(f"means must be {allowed}, got shape {array.shape}")
        bad = np.flatnonzero(~((array >= 0) & (array <= 1)))  # NaN is bad, too
        if bad.size:
            raise ValueError(f"means must be in [0, 1], got {array[bad[0]]} for arm {bad[0]}")
        self.domain = BITS
        self.means: Floats = array
        self.arms = int(array.size)
        self.gaps: Floats = array.max() - array

    def rewards(self, arm: int, users: int, rng: np.random.Generator) -> Floats:
        """Draw the rewards of ``users`` users who pull one arm, shape (users, 1)."""
        return (rng.random((users, 1)) < self.means[arm]).astype(float)

    def reward_sums(self, arms: NDArray[np.intp], users: int,
                    rng: np.random.Generator) -> NDArray[np.int64]:
        """Draw the reward sum of ``users`` users for each arm, a binomial; shape of ``arms``."""
        return rng.binomial(users, self.means[arms])

    def reward_tally(self, arms: NDArray[np.intp], users: int,
                     rng: np.random.Generator) -> tuple[Floats, NDArray[np.int64]]:
        """Return the values (0, 1) and, per arm, numbers of users with each, (len(arms), 2)."""
        ones = self.reward_sums(arms, users, rng)
        return np.array([0.0, 1.0]), np.stack([users - ones, ones], axis=-1)

    def reward_quantiles(self, arms: NDArray[np.intp],
                         u: Floats) -> Floats:
        """Turn uniform numbers into rewards of the given arms; all shapes are equal."""
        return (u < self.means[arms]).astype(float)

    def __repr__(self) -> str:
        """Return the class and the means."""
        return f"BernoulliArms({np.array2string(self.means, separator=', ')})"
