"""What every learner can do: two verbs for live use, two to stop and go on later, and one for the simulator."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp import _checks
from bandits_dp._state import Saved
from bandits_dp.engine.played import Played
from bandits_dp.guarantee import Guarantee
from bandits_dp.problems import Problem

P = TypeVar("P", bound=Problem)


class Learner(Saved, Generic[P]):
    """A bandit algorithm with a finite number of arms in every round.

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
    description : str
        Name, size and options: a state can be restored only into a learner with the same description.
    setting : str
        The setting of the problems that it can play, see :class:`bandits_dp.problems.base.Problem`.
    played : int
        Rounds played so far.
    guarantee : Guarantee
        What the whole run promises to each user.

    Raises
    ------
    ValueError
        If an argument is not a positive integer.
    """

    kind = "learner"
    setting = "arms"
    guarantee: Guarantee

    def __init__(self, arms: int, horizon: int) -> None:
        self.arms = _checks.integer("arms", arms)
        self.horizon = _checks.integer("horizon", horizon)
        self.name = type(self).__name__
        self.description = f"{self.name}(arms={self.arms}, horizon={self.horizon})"
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

        Warnings
        --------
        After any other exception, as from Ctrl-C, throw the learner away. A release may have been drawn that it does not know of,
        and going on may release the same users once more, which no guarantee covers.
        """

    @abstractmethod
    def play(
        self,
        problem: P,
        rngs: list[np.random.Generator],
        rounds: NDArray[np.int64],
        tick: Callable[[int], object],
    ) -> Played:
        """Play fresh runs of this learner, one per generator, without changing it.

        Parameters
        ----------
        problem : Problem
            Who gives rewards; each run plays ``problem.draw(rng)`` if it is a distribution of instances.
        rngs : list of numpy.random.Generator
            One per run; a run depends on its own generator only.
        rounds : ndarray of int, shape (checkpoints,)
            Ascending checkpoints; the last one is where the run stops.
        tick : callable
            Told now and then how many rounds, over all runs, were played since the last call.

        Returns
        -------
        Played
            Regret, bits, and whatever else was counted.
        """

    def check_problem(self, problem: Problem) -> None:
        """Raise a ValueError if this learner cannot play the problem."""
        if problem.setting != self.setting:
            raise ValueError(f"problem must be of the setting {self.setting!r} for {self.name}, got one of {problem.setting!r}")
        if problem.arms != self.arms:
            raise ValueError(f"problem must have {self.arms} arms, for which the learner was made, got {problem.arms}")

    def _must_go_on(self) -> None:
        if self.played >= self.horizon:
            raise ValueError(f"horizon is {self.horizon} and {self.played} rounds are played: there is no next user")
