r"""Contextual linear bandits: features are shown, and the mean reward is linear in them.

In every round a user comes with K feature vectors :math:`\phi \in R^d`, one per arm, of norm at most 1; the mean reward of an
arm is :math:`\langle \theta, \phi \rangle`. The features are the same in all rounds of an instance, or fresh in each round.

*Randomness.* A round's random numbers are one row, :meth:`ContextualLinear.numbers`: those behind the features first, the one
behind the reward last. Drawing n rows one by one or all at once is the same, so a simulator may draw far ahead, and a loop over
single rounds with the same generator meets the same users.
"""

from __future__ import annotations

import math
from typing import Any, Protocol, Self

import numpy as np
import scipy  # special is loaded when it is used first
from numpy.typing import ArrayLike, NDArray

from bandits_dp import _checks
from bandits_dp.privatizers.domain import SLACK
from bandits_dp.problem import Problem, parameter


class Contextual(Problem, Protocol):
    """What contextual learners and their simulator expect of a problem, beyond :class:`bandits_dp.problem.Problem`.

    What is public is known before ``draw``; ``features``, ``means`` and ``contexts`` belong to an instance.

    Attributes
    ----------
    dimension : int
        Numbers per feature vector d.
    fixed : bool
        Whether the features stay the same in all rounds of an instance.
    reward_range : tuple of float
        Least and largest reward.
    feature_norm, theta_norm : float
        Public bounds on the norms of features and parameter.
    features : ndarray, shape (arms, dimension), or None
        Those of an instance with fixed features.

    Examples
    --------
    >>> import numpy as np
    >>> import bandits_dp as bdp
    >>> class Swapped(bdp.problems.Contextual):  # two products, which change places in half of the rounds
    ...     setting, arms, dimension, fixed, features = "contextual", 2, 2, False, None
    ...     reward_range, feature_norm, theta_norm = (0.0, 1.0), 1.0, 1.0
    ...     def draw(self, rng):
    ...         return self
    ...     def numbers(self, rng, rounds):
    ...         return rng.random((rounds, 2))
    ...     def contexts(self, numbers):
    ...         return np.eye(2)[np.where(numbers[:, :1] < 0.5, [0, 1], [1, 0])]
    ...     def chances(self, numbers):
    ...         return numbers[:, 1]
    ...     def means(self, features):
    ...         return features @ np.array([0.9, 0.1])
    ...     def reward_quantiles(self, means, chances):
    ...         return (chances < means).astype(float)
    >>> learner = bdp.make("LinUCB", Swapped(), horizon=500)
    >>> result = bdp.simulate(learner, Swapped(), horizon=500, runs=2, progress=False)
    >>> bool(result.mean[-1] < 100)  # 200 would be lost by always choosing the same place
    True
    """

    dimension: int
    fixed: bool
    reward_range: tuple[float, float]
    feature_norm: float
    theta_norm: float
    features: NDArray[np.float64] | None

    def draw(self, rng: np.random.Generator) -> Contextual:
        """Return the instance that one run plays."""

    def numbers(self, rng: np.random.Generator, rounds: int) -> NDArray[np.float64]:
        """Draw the random numbers of the next rounds, shape (rounds, any width); n calls for one round equal one call for n."""

    def contexts(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the features that the rounds with these numbers show, shape (rounds, arms, dimension).

        If there is an attribute ``varying`` that is True, a list of arrays (any number of arms, dimension), one per round.
        """

    def chances(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the uniform numbers behind the rewards of the rounds with these numbers, shape (rounds,)."""

    def means(self, features: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the mean rewards of features of shape (..., dimension), shape (...).

        A problem whose means depend on who comes, too, has ``round_means(numbers)`` instead, shaped like ``contexts(numbers)``.
        """

    def reward_quantiles(self, means: NDArray[np.float64], chances: NDArray[np.float64]) -> NDArray[np.float64]:
        """Turn uniform numbers into rewards with the given means; the arguments broadcast."""


def shown_means(problem: Any, numbers: NDArray[np.float64], features: Any) -> Any:
    """Return the mean rewards in the rounds with these numbers, which show these features: an array, or a list if they are one."""
    if hasattr(problem, "round_means"):
        return problem.round_means(numbers)
    return [problem.means(own) for own in features] if isinstance(features, list) else problem.means(features)


SINGLE = 1e-6  # relative room for norms that were computed in single precision


def checked_features(features: ArrayLike, shape: tuple[int | None, ...], norm: float = 1.0,
                     name: str = "features") -> NDArray[np.float64]:
    """Return feature vectors along the last axis as an array, or raise the ValueError that says what is wrong with them.

    None in the shape stands for any length. There must be two arms, finite numbers, and no zero vector; what is longer than the
    norm by at most 1e-6 of it, as by rounding to single precision, is shortened to it.
    """
    def expected() -> str:
        return "(" + ", ".join("any" if n is None else str(n) for n in shape) + ")"

    array = _checks.numbers(name, features, lambda: f"numbers of shape {expected()}")
    if array.ndim != len(shape) or any(n is not None and n != m for n, m in zip(shape, array.shape, strict=True)):
        raise ValueError(f"{name} must have shape {expected()}, got {array.shape}")
    if array.shape[-2] < 2:
        raise ValueError(f"{name} must have at least 2 arms, or there is nothing to choose, got {array.shape[-2]}")
    squares = np.einsum("...i,...i->...", array, array)
    if squares.size and 0 < squares.min() <= squares.max() <= (norm * (1 + SLACK)) ** 2:
        return array
    if not _checks.usable(array).all():
        raise ValueError(f"{name} must be finite, and at most {_checks.LARGEST:g} in size, got {array[~_checks.usable(array)][0]}")
    if not array.any(axis=-1).all():  # whose squares may all be 0
        raise ValueError(f"{name} must not be zero, got a zero vector: nothing can be learned from it")
    return shortened(array, name, norm)


def shortened(vectors: NDArray[np.float64], name: str, norm: float = 1.0) -> NDArray[np.float64]:
    """Return vectors along the last axis, those that are too long by no more than float32 rounding shortened to the norm."""
    norms = np.linalg.norm(vectors, axis=-1, keepdims=True)
    if norms.max(initial=0.0) > norm * (1 + SINGLE):
        raise ValueError(f"{name} must have norm at most {norm:g}, got {norms.max():g}; nothing is clipped for you")
    return np.where(norms > norm * (1 + SLACK), vectors * (norm / np.maximum(norms, norm)), vectors)


def checked_parameter(theta: ArrayLike, dimension: int) -> NDArray[np.float64]:
    """Return a parameter of norm at most 1, shape (dimension,), or raise the ValueError that says what is wrong."""
    return shortened(parameter(theta, dimension, "as many as features (of a pool, too) have"), "theta")


def centre_of(problem: Contextual) -> tuple[NDArray[np.float64], float]:
    r"""Return a vector c and a bound on :math:`\lVert\theta - c\rVert`, such that <c, phi> is the middle reward for all features.

    Such a vector exists if features have a constant. Then :math:`y - \langle c, \phi\rangle` is a reward with parameter
    :math:`\theta - c` whose absolute value is at most half the length of the range. The problem says both by an attribute
    ``centre``.
    """
    known = getattr(problem, "centre", None)
    if known is None:
        raise ValueError(f"centred must be False for {_checks.told(problem)}, whose features have no constant that is known, "
                         "got True")
    return known


class LinearMeans:
    """Mean rewards that are linear in the features, with a parameter that belongs to an instance."""

    setting = "contextual"
    theta: NDArray[np.float64] | None
    feature_norm = theta_norm = 1.0

    def means(self, features: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return <theta, phi> for features of shape (..., dimension): what regret is measured against."""
        if self.theta is None:
            raise ValueError("theta must be known to compute means, got None: draw an instance first")
        return np.asarray(features @ self.theta)


class ContextualLinear(LinearMeans):
    r"""Bernoulli rewards of mean :math:`\langle \theta, \phi \rangle`, as simulated by Chowdhury & Zhou (2022, section 5).

    The parameter and every feature vector are a uniformly random vector of norm :math:`1/\sqrt 2` in d - 1 dimensions, with
    :math:`1/\sqrt 2` appended; so all norms are 1, and means are in [0, 1]. What is given is not drawn.

    Parameters
    ----------
    arms, dimension : int
        Number of arms K, >= 2, and numbers per feature vector d, >= 2.
    fixed : bool
        Whether an instance shows the same features in all rounds, or fresh ones in each.
    features : array_like, shape (arms, dimension), optional
        Fixed features of your own, of norm at most 1; they say how many arms and dimensions there are.
    theta : array_like, shape (dimension,), optional
        Parameter of your own, of norm at most 1; with features of your own, means must be in [0, 1].

    Attributes
    ----------
    reward_range, feature_norm, theta_norm
        (0, 1), 1 and 1.
    centre : tuple of ndarray and float, or None
        A vector c with <c, phi> = 1/2 for all features, and a bound on the norm of theta - c: the drawn theta, whose last number
        is known, has 1/sqrt(2), a theta of norm 1 may have 1 + norm(c). None if there is no such vector.

    Examples
    --------
    >>> import bandits_dp as bdp
    >>> problem = bdp.problems.ContextualLinear(features=[[1, 0], [0.6, 0.8]], theta=[0.5, 0.5])
    >>> problem.means(problem.features).round(2).tolist()
    [0.5, 0.7]
    """

    reward_range = (0.0, 1.0)

    @_checks.checked(arms=_checks.unchecked, dimension=_checks.unchecked)
    def __init__(self, arms: int = 100, dimension: int = 5, fixed: bool = True, features: ArrayLike | None = None,
                 theta: ArrayLike | None = None) -> None:
        self.fixed = fixed
        if features is not None and not fixed:
            raise ValueError("fixed must be True for features of your own, got False: they are the same in all rounds")
        self.features = None if features is None else checked_features(features, (None, None))
        if self.features is not None:
            arms, dimension = self.features.shape
        self.arms = _checks.integer("arms", arms, low=2)
        self.dimension = _checks.integer("dimension", dimension, low=1 if features is not None else 2)
        _checks.room("arms and dimension", self.arms * self.dimension)
        self.theta = None if theta is None else checked_parameter(theta, self.dimension)
        self.centre = self._centre()
        if self.theta is not None and self.features is not None:
            bad = self.means(self.features)
            if bad.min() < -SLACK or bad.max() > 1 + SLACK:
                raise ValueError(f"theta must give means in [0, 1] for all features, got means from {bad.min():g} to {bad.max():g}")

    def _centre(self) -> tuple[NDArray[np.float64], float] | None:
        """Return what ``centre`` says."""
        if self.features is None:
            centre = np.eye(1, self.dimension, self.dimension - 1)[0] * math.sqrt(0.5)
        else:
            half = np.full(self.arms, 0.5)
            centre = np.linalg.lstsq(self.features, half)[0]
            if np.abs(self.features @ centre - half).max() > SLACK:
                return None
        drawn = self.features is None and self.theta is None
        return centre, math.sqrt(0.5) if drawn else 1 + float(np.linalg.norm(centre))

    def draw(self, rng: np.random.Generator) -> Self:
        """Return an instance: what was not given is drawn, theta first."""
        theta = self._append(rng.normal(size=(1, self.dimension - 1)))[0] if self.theta is None else self.theta
        features = self.features
        if self.fixed and features is None:
            features = self._append(rng.normal(size=(self.arms, self.dimension - 1)))
        return type(self)(self.arms, self.dimension, self.fixed, features, theta)

    @staticmethod
    def _append(normal: NDArray[np.float64]) -> NDArray[np.float64]:
        """Scale vectors to the norm 1/sqrt(2) and append 1/sqrt(2); shape (..., d - 1) becomes (..., d)."""
        half = math.sqrt(0.5)
        out = np.full((*normal.shape[:-1], normal.shape[-1] + 1), half)
        out[..., :-1] = normal * (half / np.linalg.norm(normal, axis=-1, keepdims=True))
        return out

    def numbers(self, rng: np.random.Generator, rounds: int) -> NDArray[np.float64]:
        """Draw a row of numbers for each of the next rounds: normal ones behind features, the last behind the reward."""
        if self.fixed:
            return rng.random((rounds, 1))
        return rng.normal(size=(rounds, self.arms * (self.dimension - 1) + 1))

    def contexts(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the features of the rounds, shape (rounds, arms, dimension)."""
        if self.features is not None:
            return np.broadcast_to(self.features, (len(numbers), *self.features.shape))
        return self._append(numbers[:, :-1].reshape(len(numbers), self.arms, self.dimension - 1))

    def chances(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the uniform numbers behind the rewards, shape (rounds,)."""
        return np.asarray(numbers[:, -1] if self.fixed else scipy.special.ndtr(numbers[:, -1]))

    def reward_quantiles(self, means: NDArray[np.float64], chances: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return 1 where the uniform number is below the mean, else 0."""
        return (chances < means).astype(float)

    def __repr__(self) -> str:
        """Return the class and what is known."""
        known = "" if self.theta is None else ", one instance"
        return f"ContextualLinear(arms={self.arms}, dimension={self.dimension}, fixed={self.fixed}{known})"
