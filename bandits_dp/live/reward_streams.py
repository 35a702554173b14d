"""What is released when only rewards are private: the server is trusted with them, and features are public.

A user's numbers are g r, in the direction g that the learner chose before the reward, and then x, the features of what she was
shown. The learner is told what is released about the first half, and the second half as it is.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandits_dp._state import snapshot
from bandits_dp.continual import Counter
from bandits_dp.continual.dynamic import DynamicGaussian, DynamicLaplace
from bandits_dp.guarantee import Guarantee
from bandits_dp.live.streams import CountedBatches

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
        self.guarantee, self.public = guarantee, counter.dimension

    def check(self, values: Floats, name: str) -> None:
        """Accept all: the counter was made for how far a reward moves g r, not for where g r lies."""

    def send(self, values: Floats, rng: np.random.Generator) -> NDArray[Any]:
        """Return g r of every user."""
        return values[:, : self.dimension]

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
    users, noisy, adds = 1, True, False

    def __init__(
        self, eta: DynamicGaussian | DynamicLaplace, ridge: float, guarantee: Guarantee, context_std: float = 0.0, arms: int = 0
    ) -> None:
        self.public = d = eta.dimension
        self.eta, self.ridge, self.guarantee, self.context_std, self.bits_per_user = eta, ridge, guarantee, context_std, 64.0 * d
        self.dimension = self.ahead = d * (1 + (arms if context_std else 0))
        self.vector, self.gram, self.context_noise = np.zeros(d), np.zeros((d, d)), np.zeros(0)

    def check(self, values: Floats, name: str) -> None:
        """Accept all: the noise was made for how far a reward moves the parameter."""

    def send(self, values: Floats, rng: np.random.Generator) -> Floats:
        """Return the rows themselves: the server is trusted with them."""
        return values

    def receive(self, waiting: Floats, rng: np.random.Generator) -> Floats:
        """Release the parameter after one more round."""
        parameter, A = self._parameter(waiting)
        self.eta = snapshot(self.eta)
        return parameter + self.eta.step(A, self.ridge, rng)

    def tape(self, batches: int) -> int:
        """Return all rounds: kept noises belong together."""
        return batches

    def draw(self, batches: int, rng: np.random.Generator) -> Floats:
        """Draw the noise of one run."""
        noise = self.eta.path(rng, batches)
        return np.hstack([noise, self.context_std * rng.normal(size=(batches, self.ahead - self.public))])

    def advance(self, values: Floats, rows: Floats) -> Floats:
        """Release the parameters of many runs after one more round."""
        parameter, A = self._parameter(values)
        self.context_noise = rows[:, None, self.public :]
        return np.asarray(parameter + self.eta.factor(A, self.ridge) * rows[:, : self.public])

    def _parameter(self, rows: Floats) -> tuple[Floats, Floats]:
        """Take the rows of a round, and return A^-1 b and A."""
        xr, x = rows[..., : self.public], rows[..., self.public :]
        self.vector, self.gram = self.vector + xr.sum(axis=-2), self.gram + x.mT @ x
        A = self.gram + self.ridge * np.eye(self.public)
        return np.asarray(np.linalg.solve(A, self.vector[..., None])[..., 0]), A
