"""The protocol of problems, and checks for them."""

from __future__ import annotations

from typing import Protocol, Self

import numpy as np
from numpy.typing import ArrayLike

from bandits_dp import _checks
from bandits_dp._types import Floats


class Problem(Protocol):
    """A source of rewards and regret: one instance, or a distribution of instances.

    Examples
    --------
    >>> import bandits_dp as bdp
    >>> from bandits_dp.privatizers.domain import BITS
    >>> class AnyArms:  # three arms, with new means in every run
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
        """The kind of problem, which determines the learners that can play it.

        ``"arms"`` (means without structure), ``"linear"`` (known actions, one reward per user),
        ``"clients"`` (known actions, a parameter per client) or ``"contextual"`` (features shown in
        every round).
        """

    @property
    def arms(self) -> int:
        """Number of arms (actions, candidates) per round."""

    def draw(self, rng: np.random.Generator) -> Problem:
        """Return a run's instance: the problem itself if it is one, else a draw from ``rng``."""


class OneInstance:
    """A problem that is one instance."""

    def draw(self, rng: np.random.Generator) -> Self:
        """Return the problem itself."""
        return self


def parameter(theta: ArrayLike, dimension: int, words: str) -> Floats:
    """Return theta as an array of shape (dimension,), or raise a ValueError."""
    allowed = f"{dimension} finite numbers, {words}"
    array = _checks.numbers("theta", theta, allowed)
    if array.shape != (dimension,) or not _checks.usable(array).all():
        raise ValueError(f"theta must be {allowed}, got {_checks.told(theta)}")
    return array


def check_problem(problem: object) -> None:
    """Raise a TypeError if ``problem`` is not one, such as a list of means, a class, a learner."""
    if (isinstance(problem, type)
            or not all(hasattr(problem, name) for name in ("setting", "arms", "draw"))):
        raise TypeError("problem must be one of bandits_dp.problems, such as BernoulliArms([0.9, "
                        f"0.8]), got {_checks.told(problem)}")
