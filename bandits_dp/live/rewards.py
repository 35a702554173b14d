"""Live use when only rewards are private: the server is trusted with them, and features are public.

A user's row is g r, in the direction g that the learner chose before the reward, and then x, the features of what she was shown.
The learner is told what is released about the first half, and the second half as it is.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandits_dp._state import WrongEntry, snapshot
from bandits_dp.continual import Counter
from bandits_dp.continual.dynamic import DynamicGaussian, DynamicLaplace
from bandits_dp.guarantee import Guarantee
from bandits_dp.live.contexts import LiveContexts
from bandits_dp.live.randomness import generator
from bandits_dp.live.restored import FARTHEST, ROUNDING
from bandits_dp.live.streams import CountedBatches
from bandits_dp.problems import Problem

Floats = NDArray[np.float64]


class CountedRewards(CountedBatches):
    """A trusted server counts the sums of g r over batches.

    Parameters
    ----------
    counter : Counter
        For one user's g r; of its domain only the diameter counts, as the range of rewards need not be centred.
    users : int
        Users per batch B, >= 1.
    guarantee : Guarantee
        What all releases together promise to each user.
    """

    context_std = 0.0

    def __init__(self, counter: Counter, users: int, guarantee: Guarantee) -> None:
        super().__init__(counter, users)
        self.guarantee = guarantee

    def check(self, values: Floats, name: str) -> None:
        """Accept all: the counter was made for how far a reward moves g r, not for where g r lies."""

    def add(self, sent: Floats, rng: np.random.Generator) -> Floats:
        """Release the running sum of g r after one more batch."""
        return super().add(sent[:, : self.dimension], rng)

    def advance(self, values: Floats, rows: Floats) -> Floats:
        """Release the running sums of g r of many runs after one more batch."""
        return super().advance(values[..., : self.dimension], rows)


class Curator:
    r"""A trusted server that releases :math:`A_t^{-1} b_t + \eta_t` in every round (Wang, Zhao, Wang 2022, Algorithm 1).

    It may also perturb what users are shown (Corollary 1). Perturbed features take the place of the true ones everywhere but in the
    reward: the arm is chosen by them, and the regression is on them. Before the first release nothing is perturbed.

    Parameters
    ----------
    eta : DynamicGaussian or DynamicLaplace
        The noise.
    ridge : float
        lambda, > 0.
    guarantee : Guarantee
        What all releases together promise to each user.
    context_std : float
        Standard deviation of the noise on every coordinate of what is shown, >= 0.
    arms : int
        How many feature vectors are shown in a round, if they are perturbed.

    Attributes
    ----------
    vector, gram : ndarray, shapes (d,) and (d, d)
        The exact sums of x r, which nobody else may see, and of x x'.
    dimension, ahead : int
        Numbers that :meth:`draw` draws for a round: noise on the parameter, then on the next contexts.
    """

    changes, fixed = ("vector", "gram", "eta"), ("vector", "gram")
    users, noisy = 1, True

    def __init__(
        self, eta: DynamicGaussian | DynamicLaplace, ridge: float, guarantee: Guarantee, context_std: float = 0.0, arms: int = 0
    ) -> None:
        d = eta.dimension
        self.eta, self.ridge, self.guarantee, self.context_std, self.bits_per_user = eta, ridge, guarantee, context_std, 64.0 * d
        self.dimension = self.ahead = d * (1 + (arms if context_std else 0))
        self.vector, self.gram = np.zeros(d), np.zeros((d, d))
        self.context_noise = np.zeros(0)

    def check(self, values: Floats, name: str) -> None:
        """Accept all: the noise was made for how far a reward moves the parameter."""

    def send(self, values: Floats, rng: np.random.Generator) -> Floats:
        """Return the rows themselves: the server is trusted with them."""
        return values

    def add(self, sent: Floats, rng: np.random.Generator) -> Floats:
        """Release the parameter after one more round."""
        parameter, A = self._parameter(sent)
        self.eta = snapshot(self.eta)
        return parameter + self.eta.step(A, self.ridge, rng)

    def advance(self, values: Floats, rows: Floats) -> Floats:
        """Release the parameters of many runs after one more round."""
        parameter, A = self._parameter(values)
        self.context_noise = rows[:, None, parameter.shape[-1] :]
        return parameter + self.eta.factor(A, self.ridge) * rows[:, : parameter.shape[-1]]

    def _parameter(self, rows: Floats) -> tuple[Floats, Floats]:
        """Take the rows of a round, and return A^-1 b and A."""
        xr, x = np.split(rows, 2, axis=-1)
        self.vector, self.gram = self.vector + xr.sum(axis=-2), self.gram + x.mT @ x
        A = self.gram + self.ridge * np.eye(x.shape[-1])
        return np.linalg.solve(A, self.vector[..., None])[..., 0], A

    def tape(self, batches: int) -> int:
        """Return all rounds: kept noises belong together."""
        return batches

    def draw(self, batches: int, rng: np.random.Generator) -> Floats:
        """Draw the noise of one run."""
        noise = self.eta.path(rng, batches)
        return np.hstack([noise, self.context_std * rng.normal(size=(batches, self.ahead - self.eta.dimension))])


class LiveRewards(LiveContexts):
    """A learner of :mod:`bandits_dp.learners.linucb_rewards`, with what is released about rewards.

    Parameters: those of :class:`LiveContexts`; the stream is a :class:`CountedRewards` or a :class:`Curator`.
    """

    stream: CountedRewards | Curator

    def _perturbed(self, features: Floats, rng: np.random.Generator | None) -> Floats:
        if self.stream.context_std and self.learner.batch:
            return features + self.stream.context_std * generator(rng).normal(size=features.shape)
        return features

    def moved(self, features: Floats) -> Floats:
        """Return features with the noise that was drawn for this round, in many runs at once."""
        if isinstance(self.stream, Curator) and self.stream.context_std and self.learner.batch:
            return features + self.stream.context_noise.reshape(len(features), 1, *features.shape[2:])
        return features

    def values(self, phi: Floats, y: Floats) -> Floats:
        """Return (g y, phi) of every user, shape (..., users, 2 d)."""
        return np.concatenate([self.learner.directions(phi) * y[..., None], phi], axis=-1)

    def told(self, released: Floats, values: Floats) -> tuple[Floats, ...]:
        """Return what the learner is told after a batch of these values, of one run or of many: features are public."""
        return released, values[..., self.dimension :]

    def _unpack(self, state: dict[str, NDArray[Any]]) -> None:
        super()._unpack(state)
        upper = self.learner.upper
        squares = self.learner.sums[self.dimension :]
        longest = self.feature_norm + FARTHEST * self.stream.context_std * math.sqrt(self.dimension)
        if squares[upper[0] == upper[1]].sum() > self.played * longest**2 * (1 + ROUNDING):
            raise WrongEntry("learner_sums", f"no {self.played} features of norm {longest:g} have such squares")
        if isinstance(self.stream, Curator):
            gram = self.stream.gram
            if not (np.allclose(gram, gram.T, rtol=ROUNDING) and np.allclose(gram[upper], squares, rtol=ROUNDING)):
                raise WrongEntry("stream_gram", "it is not what the learner knows")

    def check_problem(self, problem: Problem) -> None:
        """Raise a ValueError if this learner cannot play the problem."""
        super().check_problem(problem)
        if self.stream.context_std and getattr(problem, "fixed", False):
            raise ValueError("problem must show new features in every round, so that they can be perturbed, got fixed ones")
