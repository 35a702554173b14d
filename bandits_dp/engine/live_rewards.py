"""Live use when only rewards are private: the server is trusted with them, and features are public.

A user's row is g r, in the direction g that the learner chose before the reward, and then x, the features of what she was shown. The
learner is told what is released about the first half, and the second half as it is.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp.continual import Counter
from bandits_dp.continual.dynamic import DynamicGaussian, DynamicLaplace
from bandits_dp.engine.live_contexts import LiveContexts
from bandits_dp.engine.randomness import generator
from bandits_dp.engine.streams import CountedBatches
from bandits_dp.guarantee import Guarantee
from bandits_dp.problems import Problem
from bandits_dp.problems.contextual import Contextual

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

    def __init__(self, counter: Counter, users: int, guarantee: Guarantee) -> None:
        super().__init__(counter, users)
        self.guarantee = guarantee

    def send(self, values: ArrayLike, rng: np.random.Generator) -> Floats:
        """Return the rows themselves."""
        return np.asarray(values)

    def add(self, sent: Floats, rng: np.random.Generator) -> Floats:
        """Release the running sum of g r after one more batch."""
        return super().add(sent[:, : self.counter.dimension], rng)


class Curator:
    r"""A trusted server that releases :math:`A_t^{-1} b_t + \eta_t` in every round (Wang, Zhao, Wang 2022, Algorithm 1).

    Parameters
    ----------
    noise : DynamicGaussian or DynamicLaplace
        The law of eta.
    ridge : float
        lambda, > 0.
    guarantee : Guarantee
        What all releases together promise to each user.

    Attributes
    ----------
    vector, gram : ndarray, shapes (d,) and (d, d)
        The exact sums of x r, which nobody else may see, and of x x'.
    """

    changes = ("vector", "gram", "noise")
    users = 1

    def __init__(self, noise: DynamicGaussian | DynamicLaplace, ridge: float, guarantee: Guarantee) -> None:
        d = noise.dimension
        self.noise, self.ridge, self.guarantee, self.bits_per_user = noise, ridge, guarantee, 64.0 * d
        self.vector, self.gram = np.zeros(d), np.zeros((d, d))

    def send(self, values: ArrayLike, rng: np.random.Generator) -> Floats:
        """Return the rows themselves."""
        return np.asarray(values)

    def add(self, sent: Floats, rng: np.random.Generator) -> Floats:
        """Release the parameter after one more round."""
        xr, x = np.split(sent, 2, axis=1)
        self.vector, self.gram = self.vector + xr.sum(axis=0), self.gram + x.T @ x
        A = self.gram + self.ridge * np.eye(len(self.gram))
        least = float((np.linalg.eigvalsh(A) ** -32.0).sum() ** (-1 / 32))  # a lower bound on the least eigenvalue
        self.noise = copy.copy(self.noise)
        return np.linalg.inv(A) @ self.vector + self.noise.step(least, rng)


class LiveRewards(LiveContexts):
    """A learner of :mod:`bandits_dp.learners.linucb_rewards`, with what is released about rewards.

    Parameters
    ----------
    learner, stream, problem, horizon
        See :class:`LiveContexts`; the stream is a :class:`CountedRewards` or a :class:`Curator`.
    context_std : float
        Standard deviation of the noise on every coordinate of what is shown, >= 0. Perturbed features take the place of the true
        ones everywhere but in the reward: the arm is chosen by them, and the regression is on them. Before the first release
        nothing is perturbed.
    """

    def __init__(self, learner: Any, stream: Any, problem: Contextual, horizon: int, context_std: float = 0.0) -> None:
        super().__init__(learner, stream, problem, horizon)
        self.context_std = context_std

    def _shown(self, features: ArrayLike, rng: np.random.Generator | None) -> Floats:
        array = super()._shown(features, rng)
        if self.context_std and self.learner.batch:
            array = array + self.context_std * generator(rng).normal(size=array.shape)
        return array

    def _values(self, phi: Floats, y: Floats) -> Floats:
        """Return (g y, phi) of every user."""
        return np.hstack([self.learner.directions(phi) * y[:, None], phi])

    def _release(self, rows: Floats, rng: np.random.Generator) -> tuple[Floats, ...]:
        return *super()._release(rows, rng), rows[:, self.dimension :]

    def check_problem(self, problem: Problem) -> None:
        """Raise a ValueError if this learner cannot play the problem."""
        super().check_problem(problem)
        if self.context_std and getattr(problem, "fixed", False):
            raise ValueError("problem must show new features in every round, so that they can be perturbed, got fixed ones")
