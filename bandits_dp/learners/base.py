"""What every learner can do: two verbs for live use, and one for the simulator."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp import _checks
from bandits_dp.guarantee import Guarantee
from bandits_dp.problems import BernoulliArms


class Learner(ABC):
    """A bandit algorithm on a finite set of arms.

    Live use, on somebody's own data: ``arm = learner.act()`` says what the next user is shown, and
    ``learner.update(reward, rng)`` takes the answer. The simulator calls :meth:`play` on many runs instead, which plays the same
    algorithm with sums drawn from their exact law.

    Parameters
    ----------
    arms : int
        Number of arms K, >= 1.
    horizon : int
        Number of rounds T, >= 1.

    Attributes
    ----------
    name : str
        What plots and tables call it.
    played : int
        Rounds played so far.
    guarantee : Guarantee
        What the whole run promises to each user.

    Raises
    ------
    ValueError
        If an argument is not a positive integer.
    """

    guarantee: Guarantee

    def __init__(self, arms: int, horizon: int) -> None:
        self.arms = _checks.integer("arms", arms)
        self.horizon = _checks.integer("horizon", horizon)
        self.name = type(self).__name__
        self.played = 0

    @abstractmethod
    def act(self) -> int:
        """Return the arm for the next user, in range(arms); the state does not change.

        Raises
        ------
        ValueError
            If the horizon is reached.
        """

    @abstractmethod
    def update(self, rewards: ArrayLike, rng: np.random.Generator) -> None:
        """Take the reward of the user (or of the next users) who were shown ``act()``.

        Parameters
        ----------
        rewards : array_like
            One reward, or as many as the current batch still lacks at most.
        rng : numpy.random.Generator
            Source of the privatizer's randomness.

        Raises
        ------
        ValueError
            If a reward is out of range, there are too many, or the horizon is reached. The learner stays as it was.
        """

    @abstractmethod
    def play(
        self,
        problem: BernoulliArms,
        rngs: list[np.random.Generator],
        rounds: NDArray[np.int64],
        tick: Callable[[int], object],
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Play fresh runs of this learner, one per generator, without changing it.

        Parameters
        ----------
        problem : BernoulliArms
            Who gives rewards.
        rngs : list of numpy.random.Generator
            One per run; a run depends on its own generator only.
        rounds : ndarray of int, shape (checkpoints,)
            Ascending checkpoints; the last one is where the run stops.
        tick : callable
            Told now and then how many rounds, over all runs, were played since the last call.

        Returns
        -------
        regret : ndarray, shape (runs, checkpoints)
            Cumulative pseudo-regret.
        bits : ndarray, shape (runs,)
            Bits that all users sent together.
        """

    def _must_go_on(self) -> None:
        if self.played >= self.horizon:
            raise ValueError(f"horizon is {self.horizon} and {self.played} rounds are played: there is no next user")
