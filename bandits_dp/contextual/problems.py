r"""Contextual linear bandits: features are shown, and the mean reward is linear in them.

In every round a user comes with K feature vectors :math:`\phi \in R^d`, one per arm, of norm at
most 1; the mean reward of an arm is :math:`\langle \theta, \phi \rangle`. The features are the same
in all rounds of an instance, or fresh in each round.

*Randomness.* A round has one row of random numbers, :meth:`ContextualLinear.numbers`: first the
numbers for the features, last the number for the reward. Drawing n rows one by one or all at once
gives the same numbers, so a simulator may draw far ahead, and a loop over single rounds with the
same generator meets the same users.
"""

from __future__ import annotations

import math
from typing import Any, Protocol, Self

import numpy as np
import scipy  # special is loaded when it is used first
from numpy.typing import ArrayLike

from bandits_dp import _checks
from bandits_dp._types import Floats
from bandits_dp.privatizers.domain import SLACK
from bandits_dp.problem import Problem, parameter


class Contextual(Problem, Protocol):
    """The protocol of contextual problems, an extension of :class:`Problem`.

    Public attributes are known before ``draw``; ``features``, ``means`` and ``contexts`` belong to
    an instance.

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
        Features of an instance with fixed features.

    Examples
    --------
    >>> import numpy as np
    >>> import bandits_dp as bdp
    >>> class Swapped(bdp.problems.Contextual):  # two products swap places in half of the rounds
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
    >>> bool(result.mean[-1] < 100)  # always choosing one place would lose 200
    True
    """

    dimension: int
    fixed: bool
    reward_range: tuple[float, float]
    feature_norm: float
    theta_norm: float
    features: Floats | None

    def draw(self, rng: np.random.Generator) -> Contextual:
        """Return the instance that one run plays."""

    def numbers(self, rng: np.random.Generator, rounds: int) -> Floats:
        """Draw rows of numbers, shape (rounds, any); one call for n rounds equals n calls for 1."""

    def contexts(self, numbers: Floats) -> Floats:
        """Return the features of the rounds with these numbers, shape (rounds, arms, dimension).

        With an attribute ``varying = True``, return a list of one array (any number of arms,
        dimension) per round.
        """

    def chances(self, numbers: Floats) -> Floats:
        """Return the uniform numbers for rewards of the rounds with these numbers, (rounds,)."""

    def means(self, features: Floats) -> Floats:
        """Return the mean rewards of features of shape (..., dimension), shape (...).

        A problem whose means also depend on the user has ``round_means(numbers)`` instead:
        one mean per feature vector of ``contexts(numbers)``.
        """

    def reward_quantiles(self, means: Floats,
                         chances: Floats) -> Floats:
        """Turn uniform numbers into rewards with the given means; arguments broadcast."""


def shown_means(problem: Any, numbers: Floats, features: Any) -> Any:
    """Return the mean rewards of rounds with these numbers and features; a list if these are."""
    if hasattr(problem, "round_means"):
        return problem.round_means(numbers)
    return ([problem.means(own) for own in features] if isinstance(features, list)
            else problem.means(features))


SINGLE = 1e-6  # relative tolerance for norms computed in single precision


def checked_features(features: ArrayLike, shape: tuple[int | None, ...], norm: float = 1.0,
                     name: str = "features") -> Floats:
    """Return feature vectors along the last axis as an array, or raise a ValueError.

    None in ``shape`` stands for any length. There must be at least two arms, only finite numbers,
    and no zero vector. Norms that exceed ``norm`` by at most a relative 1e-6, as after rounding to
    single precision, are shortened to it.
    """
    def expected() -> str:
        return "(" + ", ".join("any" if n is None else str(n) for n in shape) + ")"

    array = _checks.numbers(name, features, lambda: f"numbers of shape {expected()}")
    if (array.ndim != len(shape)
            or any(n is not None and n != m for n, m in zip(shape, array.shape, strict=True))):
        raise ValueError(f"{name} must have shape {expected()}, got {array.shape}")
    if array.shape[-2] < 2:
        raise ValueError(f"{name} must have at least 2 arms, or there is nothing to choose, got "
                         f"{array.shape[-2]}")
    squares = np.einsum("...i,...i->...", array, array)
    if squares.size and 0 < squares.min() <= squares.max() <= (norm * (1 + SLACK)) ** 2:
        return array
    if not _checks.usable(array).all():
        raise ValueError(f"{name} must be finite, and at most {_checks.LARGEST:g} in size, got "
                         f"{array[~_checks.usable(array)][0]}")
    if not array.any(axis=-1).all():  # squares of small numbers may be 0
        raise ValueError(
            f"{name} must not be zero, got a zero vector: nothing can be learned from it")
    return shortened(array, name, norm)


def shortened(vectors: Floats, name: str, norm: float = 1.0) -> Floats:
    """Shorten vectors that exceed the norm by float32 rounding; refuse longer ones."""
    norms = np.linalg.norm(vectors, axis=-1, keepdims=True)
    if norms.max(initial=0.0) > norm * (1 + SINGLE):
        raise ValueError(f"{name} must have norm at most {norm:g}, got {norms.max():g}; nothing is "
                         "clipped for you")
    return np.where(norms > norm * (1 + SLACK), vectors * (norm / np.maximum(norms, norm)), vectors)


def checked_parameter(theta: ArrayLike, dimension: int) -> Floats:
    """Return a parameter of norm at most 1, shape (dimension,), or raise a ValueError."""
    return shortened(parameter(theta, dimension, "as many as features have"), "theta")


def centre_of(problem: Contextual) -> tuple[Floats, float]:
    r"""Return a vector c with <c, phi> = the middle reward, and a bound on the norm of theta - c.

    Such a c exists if some linear function of the features is a nonzero constant. Then
    :math:`y - \langle c, \phi\rangle` is a reward with parameter :math:`\theta - c` whose absolute
    value is at most half the length of the range. Both come from the problem's attribute
    ``centre``.
    """
    known = getattr(problem, "centre", None)
    if known is None:
        raise ValueError(f"centred must be False for {_checks.told(problem)}, whose features have "
                         "no known constant, got True")
    return known


class LinearMeans:
    """Mean rewards that are linear in the features, with a parameter per instance."""

    setting = "contextual"
    theta: Floats | None
    feature_norm = theta_norm = 1.0

    def means(self, features: Floats) -> Floats:
        """Return <theta, phi>, the basis of regret, for features of shape (..., dimension)."""
        if self.theta is None:
            raise ValueError("theta must be known to compute means, got None: draw an instance "
                             "first")
        return features @ self.theta


class ContextualLinear(LinearMeans):
    r"""Bernoulli rewards of mean :math:`\langle \theta, \phi \rangle` (Chowdhury & Zhou 2022).

    As in their simulation (section 5), the parameter and every feature vector are uniformly random
    vectors of norm :math:`1/\sqrt 2` in d - 1 dimensions with :math:`1/\sqrt 2` appended; so all
    norms are 1, and means are in [0, 1]. Given features and theta are used instead of drawn ones.

    Parameters
    ----------
    arms, dimension : int
        Number of arms K, >= 2, and numbers per feature vector d, >= 2.
    fixed : bool
        Whether an instance shows the same features in all rounds; if not, fresh ones in each.
    features : array_like, shape (arms, dimension), optional
        Your own fixed features, of norm at most 1; they determine ``arms`` and ``dimension``.
    theta : array_like, shape (dimension,), optional
        Your own parameter, of norm at most 1; with your own features, means must be in [0, 1].

    Attributes
    ----------
    reward_range, feature_norm, theta_norm
        (0, 1), 1 and 1.
    centre : tuple of ndarray and float, or None
        A vector c with <c, phi> = 1/2 for all features, and a bound on the norm of theta - c:
        1/sqrt(2) if neither features nor theta are given, else 1 + norm(c). None if there is no
        such vector.

    Examples
    --------
    >>> import bandits_dp as bdp
    >>> problem = bdp.problems.ContextualLinear(features=[[1, 0], [0.6, 0.8]], theta=[0.5, 0.5])
    >>> problem.means(problem.features).round(2).tolist()
    [0.5, 0.7]
    """

    reward_range = (0.0, 1.0)

    @_checks.checked(arms=_checks.unchecked, dimension=_checks.unchecked)
    def __init__(self, arms: int = 100, dimension: int = 5, fixed: bool = True,
                 features: ArrayLike | None = None, theta: ArrayLike | None = None) -> None:
        self.fixed = fixed
        if features is not None and not fixed:
            raise ValueError("fixed must be True for features of your own, got False: they are the "
                             "same in all rounds")
        self.features = None if features is None else checked_features(features, (None, None))
        if self.features is not None:
            arms, dimension = self.features.shape
        self.arms = _checks.integer("arms", arms, low=2)
        self.dimension = _checks.integer("dimension", dimension,
                                         low=1 if features is not None else 2)
        _checks.room("arms and dimension", self.arms * self.dimension)
        self.theta = None if theta is None else checked_parameter(theta, self.dimension)
        self.centre = self._centre()
        if self.theta is not None and self.features is not None:
            bad = self.means(self.features)
            if bad.min() < -SLACK or bad.max() > 1 + SLACK:
                raise ValueError("theta must give means in [0, 1] for all features, got means from "
                                 f"{bad.min():g} to {bad.max():g}")

    def _centre(self) -> tuple[Floats, float] | None:
        """Compute the attribute ``centre``."""
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
        """Return an instance; draws theta, then fixed features, unless given."""
        theta = (self._append(rng.normal(size=(1, self.dimension - 1)))[0] if self.theta is None
                 else self.theta)
        features = self.features
        if self.fixed and features is None:
            features = self._append(rng.normal(size=(self.arms, self.dimension - 1)))
        return type(self)(self.arms, self.dimension, self.fixed, features, theta)

    @staticmethod
    def _append(normal: Floats) -> Floats:
        """Scale vectors (..., d - 1) to the norm 1/sqrt(2) and append 1/sqrt(2)."""
        half = math.sqrt(0.5)
        out = np.full((*normal.shape[:-1], normal.shape[-1] + 1), half)
        out[..., :-1] = normal * (half / np.linalg.norm(normal, axis=-1, keepdims=True))
        return out

    def numbers(self, rng: np.random.Generator, rounds: int) -> Floats:
        """Draw a row of numbers per round: normal ones for features, the last for the reward."""
        if self.fixed:
            return rng.random((rounds, 1))
        return rng.normal(size=(rounds, self.arms * (self.dimension - 1) + 1))

    def contexts(self, numbers: Floats) -> Floats:
        """Return the features of the rounds, shape (rounds, arms, dimension)."""
        if self.features is not None:
            return np.broadcast_to(self.features, (len(numbers), *self.features.shape))
        return self._append(numbers[:, :-1].reshape(len(numbers), self.arms, self.dimension - 1))

    def chances(self, numbers: Floats) -> Floats:
        """Return the uniform numbers for the rewards, shape (rounds,)."""
        return numbers[:, -1] if self.fixed else scipy.special.ndtr(numbers[:, -1])

    def reward_quantiles(self, means: Floats,
                         chances: Floats) -> Floats:
        """Return 1 where the uniform number is below the mean, else 0."""
        return (chances < means).astype(float)

    def __repr__(self) -> str:
        """Return the class, the sizes, and whether it is an instance."""
        known = "" if self.theta is None else ", one instance"
        return (f"ContextualLinear(arms={self.arms}, dimension={self.dimension}, "
                f"fixed={self.fixed}{known})")
