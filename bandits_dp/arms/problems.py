"""Multi-armed bandits: a few arms with unknown means."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp import _checks
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
        Their number K, and the bits {0, 1}: all that a learner may know of the rewards.

    Examples
    --------
    >>> import numpy as np
    >>> import bandits_dp as bdp
    >>> problem = bdp.problems.BernoulliArms([0.8, 0.5])
    >>> problem.gaps.round(2).tolist()
    [0.0, 0.3]
    >>> round(float(problem.rewards(0, 10_000, np.random.default_rng(1)).mean()), 1)  # of as many users who pull arm 0
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
        self.means: NDArray[np.float64] = array
        self.arms = int(array.size)
        self.gaps: NDArray[np.float64] = array.max() - array

    def rewards(self, arm: int, users: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """Draw the rewards of ``users`` users who pull one arm, shape (users, 1)."""
        return (rng.random((users, 1)) < self.means[arm]).astype(float)

    def reward_sums(self, arms: NDArray[np.intp], users: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Draw, for each of the given arms, the sum of the rewards of ``users`` users: a binomial; shape of ``arms``."""
        return np.asarray(rng.binomial(users, self.means[arms]))

    def reward_tally(self, arms: NDArray[np.intp], users: int,
                     rng: np.random.Generator) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Return the values 0 and 1, and how many of ``users`` users get which of each of the given arms, shape (len(arms), 2)."""
        ones = self.reward_sums(arms, users, rng)
        return np.array([0.0, 1.0]), np.stack([users - ones, ones], axis=-1)

    def reward_quantiles(self, arms: NDArray[np.intp], u: NDArray[np.float64]) -> NDArray[np.float64]:
        """Turn uniform numbers into rewards of the given arms; both arguments and the result have one shape."""
        return (u < self.means[arms]).astype(float)

    def __repr__(self) -> str:
        """Return the class and the means."""
        return f"BernoulliArms({np.array2string(self.means, separator=', ')})"
