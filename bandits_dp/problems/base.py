"""What simulator and learners expect of every problem."""

from __future__ import annotations

from typing import Protocol

import numpy as np

SETTINGS = ("arms", "linear", "clients", "contextual")


class Problem(Protocol):
    """Who gives rewards, and owns the regret: one instance, or a distribution of instances.

    Examples
    --------
    >>> import bandits_dp as bdp
    >>> from bandits_dp.privatizers.domain import BITS
    >>> class AnyArms:  # three arms, with other means in every run
    ...     setting, arms, domain = "arms", 3, BITS
    ...     def draw(self, rng):
    ...         return bdp.problems.BernoulliArms(rng.random(3))
    >>> learner = bdp.make("UCB1", AnyArms(), horizon=100)
    >>> result = bdp.simulate(learner, AnyArms(), horizon=100, runs=4, progress=False)
    >>> len(set(result.regret[:, 0].tolist()))  # different losses in the first round
    4
    """

    @property
    def setting(self) -> str:
        """Which learners can play it.

        ``"arms"`` (means without structure), ``"linear"`` (known actions, one reward per user), ``"clients"`` (known actions,
        every client has its own parameter) or ``"contextual"`` (features shown in every round).
        """

    @property
    def arms(self) -> int:
        """Number of arms (actions, candidates) per round."""

    def draw(self, rng: np.random.Generator) -> Problem:
        """Return the instance that one run plays: the problem itself if it is one, else a fresh one from ``rng``."""


def check_problem(problem: object) -> None:
    """Raise a TypeError if something is no problem: a list of means, a class, a learner."""
    if isinstance(problem, type) or not all(hasattr(problem, name) for name in ("setting", "arms", "draw")):
        raise TypeError(f"problem must be one of bandits_dp.problems, such as BernoulliArms([0.9, 0.8]), got {problem!r}")
