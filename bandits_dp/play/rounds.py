"""Your own problem: a function that yields features and rewards, such as from a table or a log."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp import _checks
from bandits_dp.privatizers.domain import BITS, UNIT_INTERVAL, Box, Domain
from bandits_dp.problem import OneInstance


class Rounds(OneInstance):
    """A problem whose rounds a function yields one by one.

    Parameters
    ----------
    rounds : callable
        ``rounds(rng)`` yields a pair for every round: the features of the arms, shape (arms,
        dimension), or None without features; and the rewards of all arms, shape (arms,). The
        learner gets the reward of its chosen arm; regret is the difference to the round's largest
        reward, or, if there is a third entry with the means of the arms, the difference of means.
    arms : int
        Number of arms K, >= 1; with features it may vary by round.
    dimension : int, optional
        Numbers per feature vector, >= 1; None without features.
    reward_range : tuple of float
        Least and largest reward; without features (0, 1).
    bits : bool
        Whether all rewards are 0 or 1; only without features.
    feature_norm, theta_norm : float
        Public bounds on the norms of features and of the parameter; confidence radii use them.

    Examples
    --------
    >>> import numpy as np
    >>> import bandits_dp as bdp
    >>> def nights(rng):  # a recorded table: 1,000 nights, two exercises, good sleep or not
    ...     for slept in np.random.default_rng(1).random((1000, 2)) < [0.8, 0.3]:
    ...         yield None, slept
    >>> problem = bdp.problems.Rounds(nights, arms=2, bits=True)
    >>> learner = bdp.make("SDP-AE", problem, horizon=1000, epsilon=1.0, delta=1e-3, batch_size=50)
    >>> result = bdp.simulate(learner, problem, horizon=1000, runs=2, progress=False)
    >>> bool(result.mean[-1] < 200)  # blind choices would lose 250
    True
    """

    fixed, features = False, None

    @_checks.checked(bits=_checks.flag)
    def __init__(self, rounds: Callable[[np.random.Generator], Iterator[tuple[Any, ...]]],
                 arms: int, dimension: int | None = None,
                 reward_range: tuple[float, float] = (0.0, 1.0), bits: bool = False,
                 feature_norm: float = 1.0, theta_norm: float = 1.0) -> None:
        if not callable(rounds) or isinstance(rounds, type):
            raise ValueError("rounds must be a function rounds(rng) that yields (features, "
                             f"rewards), got {_checks.told(rounds)}")
        self.rounds, self.arms = rounds, arms
        self.setting = "arms" if dimension is None else "contextual"
        if bits and dimension is not None:
            raise ValueError("bits must be False with features, got True")
        low, high = (_checks.finite("reward_range", end)
                     for end in _checks.interval("reward_range", reward_range))
        if dimension is None and (low, high) != (0.0, 1.0):
            raise ValueError("reward_range must be (0, 1) without features, got "
                             f"{_checks.told(reward_range)}")
        self.reward_range = low, high
        self.domain: Domain = ((BITS if bits else UNIT_INTERVAL) if dimension is None
                               else Box(1, low, high))
        if dimension is not None:
            self.dimension = dimension
        self.feature_norm, self.theta_norm = feature_norm, theta_norm

    def one_by_one(self, rng: np.random.Generator) -> Iterator[
            tuple[Any, NDArray[np.float64], NDArray[np.float64]]]:
        """Yield features, rewards, and rewards or means for regret; check every round."""
        yielded = self.rounds(rng)
        if not isinstance(yielded, Iterable):
            raise ValueError("rounds must yield (features, rewards) for every round, got "
                             f"{_checks.told(yielded)} from {_checks.told(self.rounds)}")
        number = 0
        for number, one in enumerate(yielded, start=1):
            if not isinstance(one, tuple) or len(one) not in (2, 3):
                raise ValueError("rounds must yield (features, rewards) or (features, rewards, "
                                 f"means), got {_checks.told(one)} in round {number}")
            features = one[0]
            if (features is None) != (self.setting == "arms"):
                shown = "None in the place of features" if self.setting == "arms" else "features"
                raise ValueError(f"rounds must yield {shown}, got {_checks.told(features)} in "
                                 f"round {number}")
            arms = len(features) if hasattr(features, "__len__") else self.arms
            rewards, means = (_one_each(arms, numbers, number) for numbers in (one[1], one[-1]))
            self.domain.check(rewards[:, None], f"rewards of round {number}")
            yield features, rewards, means
        raise ValueError(f"rounds must yield rounds up to the horizon, got no round {number + 1}")

    def __repr__(self) -> str:
        """Return the class and the sizes."""
        kind = "" if self.setting == "arms" else f", dimension={self.dimension}"
        return f"Rounds({getattr(self.rounds, '__name__', 'a function')}, arms={self.arms}{kind})"


def _one_each(arms: int, numbers: ArrayLike, number: int) -> NDArray[np.float64]:
    """Return the rewards or means of a round, one per arm, or raise a ValueError."""
    array = _checks.numbers("rounds", numbers,
                            f"a function that yields a known reward for each of {arms} arms in "
                            f"round {number}")
    if array.shape != (arms,) or not _checks.usable(array).all():
        raise ValueError(f"rounds must yield a known reward for each of {arms} arms, and as many "
                         f"means if any, got {_checks.told(numbers)} in round {number}")
    return array
