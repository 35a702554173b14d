"""Private rewards fast: many runs that advance together as arrays, with the noise of many rounds drawn at once.

The three models are those of :mod:`bandits_dp.learners.linucb_rewards`, where the mathematics is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandits_dp.engine.live_rewards import CountedRewards, Curator, LiveRewards
from bandits_dp.engine.played import Played
from bandits_dp.learners.linucb_model import LinearModel, norm_bound
from bandits_dp.learners.linucb_play import play_runs
from bandits_dp.learners.linucb_release import Floats, Release, Rngs
from bandits_dp.learners.linucb_releases import CountedSums
from bandits_dp.learners.linucb_rewards import InstrumentLinUCB, ParameterLinUCB, RidgeLinUCB
from bandits_dp.problems.contextual import Contextual
from bandits_dp.widths.ridge import Shape


class RewardModel(LinearModel):
    """Ridge regression on noisy sums of x r; and, for all three, a memory of the estimates after some batches.

    Parameters
    ----------
    live : LiveRewards
        What the runs play; it is not changed.
    release : Release
        Its noise.
    runs : int
        Number of runs.

    Attributes
    ----------
    kept : dict
        The estimates after the batches that are its keys, shape (runs, d) each.
    """

    def __init__(self, live: LiveRewards, release: Release, runs: int) -> None:
        self.kept: dict[int, Floats] = {}
        super().__init__(release, live.learner.radius, runs, live.learner.radius_scale)

    def watch(self, batches: NDArray[np.int64]) -> dict[int, Floats]:
        """Keep the estimates after these batches, in the dictionary that is returned."""
        self.kept = dict.fromkeys(batches.tolist(), self.theta)
        return self.kept

    def _refresh(self) -> None:
        self._estimate()
        if self.batch in self.kept:
            self.kept[self.batch] = self.theta

    def _estimate(self) -> None:
        """Compute inverse, theta and beta."""
        super()._refresh()


class InstrumentModel(RewardModel):
    """Generalized least squares on noisy sums of g r; ``vector`` is the exact sum of g r."""

    def __init__(self, live: LiveRewards, release: Release, runs: int) -> None:
        learner = live.learner
        self.reward_std, self.whiten, self._variance = learner.reward_std, learner.whiten, learner.variance
        self.cross, self.instruments = np.zeros((2, runs, release.dimension, release.dimension))
        super().__init__(live, release, runs)

    def learn(self, phi: Floats, y: Floats, rngs: Rngs) -> None:
        """End a batch; see :class:`LinearModel`."""
        self.tape.add(phi, y, rngs)
        users = y.shape[1] // phi.shape[1]  # how many users a row of phi stands for
        g = phi
        if self.whiten:
            root = np.linalg.cholesky(self.gram + np.eye(phi.shape[2]))
            g = np.linalg.solve(root, phi.transpose(0, 2, 1)).transpose(0, 2, 1)
        g = g / np.linalg.norm(g, axis=2, keepdims=True)
        columns = users * g.transpose(0, 2, 1)
        self.cross += columns @ phi
        self.instruments += columns @ g
        self.gram += users * phi.transpose(0, 2, 1) @ phi
        self.vector += (y.reshape(len(y), 1, -1, users).mean(axis=3) @ columns.transpose(0, 2, 1))[:, 0]
        self._refresh()

    def _estimate(self) -> None:
        m, d = self.batch, self.release.dimension
        kappa = self.radius.regularizer(m)
        C = self.reward_std**2 * self.instruments + self._variance[m] * np.eye(d)
        u = self.vector + self.tape.noise
        weighted = np.linalg.solve(C, np.concatenate([self.cross, u[:, :, None]], axis=2))
        M = self.cross.transpose(0, 2, 1) @ weighted
        self.inverse = np.linalg.inv(M[:, :, :d] + kappa * np.eye(d))
        self.theta = (self.inverse @ M[:, :, d:])[:, :, 0]
        known = np.full(len(M), kappa)
        self.beta = np.broadcast_to(self.radius_scale * self.radius.beta(m, Shape(known, known)), len(M))


class ParameterModel(RewardModel):
    """Noise on the estimate, and on contexts if they are perturbed."""

    release: ParameterNoise

    def __init__(self, live: LiveRewards, release: Release, runs: int) -> None:
        self._moved = np.zeros((runs, release.dimension))  # noise on the contexts that were chosen last
        super().__init__(live, release, runs)

    def choose(self, features: Floats) -> NDArray[np.intp]:
        """Return the arms with the largest index."""
        if not self.release.context_std:
            return super().choose(features)
        runs, _, arms, d = features.shape
        noise = self.tape.noise[:, d:].reshape(runs, arms, d)
        chosen = super().choose(features + noise[:, None])
        self._moved = noise[np.arange(runs), chosen[:, -1]]
        return chosen

    def learn(self, phi: Floats, y: Floats, rngs: Rngs) -> None:
        """Take a round's reward."""
        super().learn(phi + self._moved[:, None], y, rngs)

    def _estimate(self) -> None:
        d = self.release.dimension
        ridge = np.full(len(self.gram), self.radius.regularizer(self.batch))
        self.inverse = np.linalg.inv(self.gram + ridge[0] * np.eye(d))
        least = 1 / norm_bound(self.inverse)
        noise = self.tape.noise[:, :d] * np.reshape(self.release.law_of_noise.factor(least), (-1, 1))
        self.theta = (self.inverse @ self.vector[:, :, None])[:, :, 0] + noise
        self.beta = np.broadcast_to(self.radius_scale * self.radius.beta(self.batch, Shape(ridge, least)), len(ridge))


class ParameterNoise(Release):
    """A curator's noise, one row per round; with ``context_std``, also the noise on the next round's contexts, arm by arm.

    Parameters
    ----------
    curator : Curator
        Who adds the noise.
    arms : int
        Candidates per round.
    context_std : float
        See :class:`LiveRewards`.
    """

    private_matrix = False

    def __init__(self, curator: Curator, arms: int, context_std: float) -> None:
        self.law_of_noise, self.context_std = curator.noise, context_std
        self._contexts = arms if context_std else 0
        super().__init__(curator.noise.dimension, 1, curator.noise.horizon)
        self.tape, self.bits_per_user = self.batches, curator.bits_per_user

    @property
    def entries(self) -> int:
        """Numbers per noise row."""
        return self.dimension * (1 + self._contexts)

    def draw(self, rng: np.random.Generator, batches: int) -> Floats:
        """Draw all noise of a run."""
        noise = self.law_of_noise.path(rng, batches)
        return np.hstack([noise, self.context_std * rng.normal(size=(batches, self.entries - self.dimension))])

    def noise(self, before: Floats, row: Floats, phi: Floats, y: Floats, rngs: Rngs) -> Floats:
        """Return this round's row."""
        return row


MODELS: dict[type, type[RewardModel]] = {
    RidgeLinUCB: RewardModel, InstrumentLinUCB: InstrumentModel, ParameterLinUCB: ParameterModel,
}


class Party:
    """What :func:`play_runs` wants to know of many runs of one live learner; remembers their models' estimates.

    Parameters
    ----------
    live : LiveRewards
        What the runs play; it is not changed.
    """

    reward_shift = 0.0

    def __init__(self, live: LiveRewards) -> None:
        self.live, self.radius, self.arms = live, live.learner.radius, live.arms
        self.batch_size, self.dimension = live.batch_size, live.dimension
        stream = live.stream
        self.release: Release
        if isinstance(stream, CountedRewards):
            self.release = CountedSums(stream.counter, live.dimension, stream.users, private_matrix=False)
        else:
            self.release = ParameterNoise(stream, live.arms, live.context_std)
        self.batches = np.empty(0, dtype=np.int64)
        self.kept: list[dict[int, Floats]] = []

    def new_model(self, runs: int) -> RewardModel:
        """Return a fresh model of so many runs."""
        model = MODELS[type(self.live.learner)](self.live, self.release, runs)
        self.kept.append(model.watch(self.batches))
        return model


class Drawn:
    """A problem that remembers the instances that were drawn from it."""

    def __init__(self, problem: Contextual) -> None:
        self._problem = problem
        self.instances: list[Contextual] = []

    def draw(self, rng: np.random.Generator) -> Contextual:
        """Return an instance."""
        self.instances.append(self._problem.draw(rng))
        return self.instances[-1]

    def __getattr__(self, name: str) -> Any:
        """Return what the problem has."""
        return getattr(self._problem, name)


def play_rewards(
    live: LiveRewards,
    problem: Contextual,
    rngs: list[np.random.Generator],
    rounds: NDArray[np.int64],
    tick: Callable[[int], object],
) -> Played:
    """Play one run per generator; see :func:`bandits_dp.engine.plain.play_plainly`.

    ``Played.curves["parameter error"]`` is the distance between theta and its estimate in Euclidean norm, for problems that have a
    ``theta``.
    """
    party, world = Party(live), Drawn(problem)
    party.batches = rounds // live.batch_size
    played = play_runs(party, world, rngs, rounds, tick)  # type: ignore[arg-type]  # they have what it uses
    thetas = [getattr(instance, "theta", None) for instance in world.instances]
    if any(theta is None for theta in thetas):
        return played
    estimates = np.concatenate([np.stack([kept[m] for m in party.batches.tolist()], axis=1) for kept in party.kept])
    error = np.linalg.norm(estimates - np.array(thetas)[:, None], axis=2)
    return Played(played.regret, played.bits, played.counts, played.curves | {"parameter error": error})
