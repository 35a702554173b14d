"""Private rewards fast: many runs that advance together as arrays, with the noise of many rounds drawn ahead.

The three models are those of :mod:`bandits_dp.learners.linucb_rewards`, where the mathematics is.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from bandits_dp.engine.fast_linucb import play_linucb
from bandits_dp.engine.fast_linucb_model import LinearModel, Rngs
from bandits_dp.engine.live_rewards import Curator, LiveRewards
from bandits_dp.engine.played import Played
from bandits_dp.learners.linucb_rewards import InstrumentLinUCB, ParameterLinUCB, RidgeLinUCB
from bandits_dp.problems.contextual import Contextual
from bandits_dp.widths.ridge import Shape

Floats = NDArray[np.float64]


class RewardModel(LinearModel):
    """Ridge regression on noisy sums of x r; and, for all three, a memory of the estimates after some batches.

    Parameters
    ----------
    batches : ndarray of int
        Which estimates to keep.
    live : LiveRewards
        Fresh; not changed.
    runs : int
        Number of runs.
    """

    def __init__(self, batches: NDArray[np.int64], live: LiveRewards, runs: int) -> None:
        self._batches, self._kept = batches.tolist(), dict[int, Floats]()
        super().__init__(live, runs)

    def _refresh(self) -> None:
        self._estimate()
        if self.batch in self._batches:
            self._kept[self.batch] = self.theta

    def _estimate(self) -> None:
        """Compute inverse, theta and beta."""
        super()._refresh()

    def curves(self, instances: list[Contextual]) -> dict[str, Floats]:
        """Return the distance between theta and the kept estimates in Euclidean norm, for problems that have a ``theta``."""
        thetas = [getattr(instance, "theta", None) for instance in instances]
        if any(theta is None for theta in thetas):
            return {}
        estimates = np.stack([self._kept[batch] for batch in self._batches], axis=1)
        return {"parameter error": np.linalg.norm(estimates - np.array(thetas)[:, None], axis=2)}


class InstrumentModel(RewardModel):
    """Generalized least squares on noisy sums of g r; ``vector`` is the exact sum of g r."""

    learner: InstrumentLinUCB

    def __init__(self, batches: NDArray[np.int64], live: LiveRewards, runs: int) -> None:
        self.cross, self.instruments = np.zeros((2, runs, live.dimension, live.dimension))
        super().__init__(batches, live, runs)

    def learn(self, phi: Floats, y: Floats, rngs: Rngs) -> None:
        """End a batch; see :class:`LinearModel`."""
        self._add_noise(phi, y, rngs)
        users = y.shape[1] // phi.shape[1]  # how many users a row of phi stands for
        g = phi
        if self.learner.whiten:
            root = np.linalg.cholesky(self.gram + np.eye(phi.shape[2]))
            g = np.linalg.solve(root, phi.transpose(0, 2, 1)).transpose(0, 2, 1)
        g = g / np.linalg.norm(g, axis=2, keepdims=True)
        columns = users * g.transpose(0, 2, 1)
        self.cross += columns @ phi
        self.instruments += columns @ g
        self.gram += users * phi.transpose(0, 2, 1) @ phi
        self.vector += (y.reshape(len(y), 1, phi.shape[1], users).mean(axis=3) @ columns.transpose(0, 2, 1))[:, 0]
        self.batch += 1
        self._refresh()

    def _estimate(self) -> None:
        learner, m, d = self.learner, self.batch, self.gram.shape[1]
        kappa = learner.radius.regularizer(m)
        C = learner.reward_std**2 * self.instruments + learner.variance[m] * np.eye(d)
        u = self.vector + self.noise
        weighted = np.linalg.solve(C, np.concatenate([self.cross, u[:, :, None]], axis=2))
        M = self.cross.transpose(0, 2, 1) @ weighted
        self.inverse = np.linalg.inv(M[:, :, :d] + kappa * np.eye(d))
        self.theta = (self.inverse @ M[:, :, d:])[:, :, 0]
        known = np.full(len(M), kappa)
        self.beta = np.broadcast_to(learner.radius_scale * learner.radius.beta(m, Shape(known, known)), len(M))


class ParameterModel(RewardModel):
    """Noise on the estimate, and on contexts if they are perturbed."""

    stream: Curator

    def __init__(self, batches: NDArray[np.int64], live: LiveRewards, runs: int) -> None:
        self._moved = np.zeros((runs, live.dimension))  # noise on the contexts that were chosen last
        super().__init__(batches, live, runs)

    def choose(self, features: Floats) -> NDArray[np.intp]:
        """Return the arms with the largest index."""
        if not self.stream.context_std:
            return super().choose(features)
        runs, _, arms, d = features.shape
        noise = self.noise[:, d:].reshape(runs, arms, d)
        chosen = super().choose(features + noise[:, None])
        self._moved = noise[np.arange(runs), chosen[:, -1]]
        return chosen

    def learn(self, phi: Floats, y: Floats, rngs: Rngs) -> None:
        """Take a round's reward."""
        super().learn(phi + self._moved[:, None], y, rngs)

    def _estimate(self) -> None:
        radius, d = self.learner.radius, self.gram.shape[1]
        ridge = radius.regularizer(self.batch)
        A = self.gram + ridge * np.eye(d)
        self.inverse = np.linalg.inv(A)
        self.theta = (self.inverse @ self.vector[:, :, None])[:, :, 0] + self.noise[:, :d] * self.stream.eta.factor(A, ridge)
        self.beta = np.full(len(A), self.learner.radius_scale * radius.beta(self.batch, Shape(ridge, ridge)))


MODELS: dict[type, type[RewardModel]] = {
    RidgeLinUCB: RewardModel, InstrumentLinUCB: InstrumentModel, ParameterLinUCB: ParameterModel,
}


def play_rewards(
    live: LiveRewards,
    problem: Contextual,
    rngs: Rngs,
    rounds: NDArray[np.int64],
    tick: Callable[[int], object],
) -> Played:
    """Play one run per generator; see :func:`bandits_dp.engine.plain.play_plainly`. There is a curve ``"parameter error"``."""
    return play_linucb(live, problem, rngs, rounds, tick, partial(MODELS[type(live.learner)], rounds // live.batch_size))
