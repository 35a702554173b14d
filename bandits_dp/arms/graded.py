"""Multi-armed bandits whose rewards lie on a grid in [0, 1]: star ratings, shares, grades."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp import _checks
from bandits_dp._types import Floats
from bandits_dp.arms.problems import BernoulliArms
from bandits_dp.privatizers.domain import UNIT_INTERVAL
from bandits_dp.problem import OneInstance


class GradedArms(OneInstance):
    """Arms that pay one of finitely many values in [0, 1].

    Parameters
    ----------
    values : array_like, shape (values,)
        Possible rewards, each in [0, 1].
    probabilities : array_like, shape (arms, values)
        Probability that each arm pays each value, >= 0; each row sums to 1 (up to 1e-9).

    Attributes
    ----------
    means, gaps : ndarray, shape (arms,)
        Mean reward mu_a of each arm, and regret per pull, max(means) - means.
    arms, domain : int, Domain
        Number of arms K, and the domain [0, 1] of rewards; both are public.

    Examples
    --------
    >>> import bandits_dp as bdp
    >>> stars = bdp.problems.GradedArms([0, 0.5, 1], [[0.25, 0.25, 0.5], [0.5, 0.5, 0]])
    >>> stars.means.tolist(), stars.gaps.tolist()
    ([0.625, 0.25], [0.0, 0.375])
    """

    setting = "arms"

    def __init__(self, values: ArrayLike, probabilities: ArrayLike) -> None:
        self.domain = UNIT_INTERVAL
        grid, chances = (_checks.numbers("values", values, "numbers"),
                         _checks.numbers("probabilities", probabilities, "numbers"))
        if grid.ndim != 1 or grid.size == 0:
            raise ValueError("values must be a non-empty list of numbers in [0, 1], got shape "
                             f"{grid.shape}")
        bad = grid[~((grid >= 0) & (grid <= 1))]  # NaN is bad, too
        if bad.size:
            raise ValueError(f"values must be in [0, 1], got {bad[0]}")
        if chances.ndim != 2 or len(chances) == 0 or chances.shape[1] != grid.size:
            raise ValueError(f"probabilities must have shape (arms, {grid.size}), one row per arm, "
                             f"one column for each of values, got shape {chances.shape}")
        with np.errstate(over="ignore", invalid="ignore"):  # for numbers that are refused
            sums = chances.sum(axis=1)
        wrong = np.flatnonzero(~((chances >= 0).all(axis=1) & (np.abs(sums - 1) <= 1e-9)))
        if wrong.size:
            raise ValueError("probabilities must not be negative and add up to 1, got "
                             f"{chances[wrong[0]]} for arm {wrong[0]}")
        self.values = grid
        self.probabilities = chances / sums[:, None]
        below = np.cumsum(self.probabilities, axis=1)
        # probabilities of a smaller index, from the second value on
        self._below = below[:, :-1] / below[:, -1:]
        self.means: Floats = self.probabilities @ self.values
        self.arms = len(chances)
        self.gaps: Floats = self.means.max() - self.means

    def rewards(self, arm: int, users: int, rng: np.random.Generator) -> Floats:
        """Draw the rewards of ``users`` users who pull one arm, shape (users, 1)."""
        return self.reward_quantiles(np.full((users, 1), arm), rng.random((users, 1)))

    def reward_tally(self, arms: NDArray[np.intp], users: int,
                     rng: np.random.Generator) -> tuple[Floats, NDArray[np.int64]]:
        """Return the values and, per arm, numbers of users with each, (len(arms), values)."""
        return self.values, rng.multinomial(users, self.probabilities[arms])

    def reward_quantiles(self, arms: NDArray[np.intp],
                         u: Floats) -> Floats:
        """Turn uniform numbers into rewards of the given arms; all shapes are equal."""
        return self.values[(u[..., None] >= self._below[arms]).sum(axis=-1)]

    def __repr__(self) -> str:
        """Return the class, the values and the means."""
        grid, means = (np.array2string(array, separator=", ")
                       for array in (self.values, self.means))
        return f"GradedArms(values={grid}, means={means})"


Arms = BernoulliArms | GradedArms
