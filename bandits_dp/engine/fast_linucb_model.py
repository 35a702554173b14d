"""What LinUCB knows, in many runs at once: its model, computed from exact sums and the noise on them.

A run draws the random numbers of the next few batches in one call. How many depends on nothing but the stream, so that a run
consumes its generator in the same way, alone or with others.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bandits_dp._ties import first_largest
from bandits_dp.engine.live_contexts import LiveContexts
from bandits_dp.problems.contextual import Contextual
from bandits_dp.widths.ridge import Shape

Rngs = list[np.random.Generator]


class LinearModel:
    """State of LinUCB in ``runs`` parallel runs.

    Parameters
    ----------
    live : LiveContexts
        Fresh; not changed.
    runs : int
        Number of runs.

    Attributes
    ----------
    gram, vector : ndarray, shapes (runs, d, d) and (runs, d)
        Exact sums G and b over all released batches.
    noise : ndarray, shape (runs, numbers of the stream)
        Noise on them: on b, and on G if the stream releases that, too.
    inverse, theta, beta : ndarray, shapes (runs, d, d), (runs, d) and (runs,)
        V^-1, estimate and radius (times its scale).
    batch : int
        Number of batches released.
    shifts : ndarray, shape (runs,)
        How often V was lifted to the radius's floor.
    """

    def __init__(self, live: LiveContexts, runs: int) -> None:
        d = live.dimension
        self.learner, self.stream, self.batch = live.learner, live.stream, 0
        self.gram, self.vector, self.shifts = np.zeros((runs, d, d)), np.zeros((runs, d)), np.zeros(runs)
        self.noise = np.zeros((runs, self.stream.dimension))
        self._left, self._rows, self._used = live.horizon // live.batch_size, np.empty((runs, 0, self.stream.ahead)), 0
        self._eye = np.eye(d)
        self._upper = row, column = np.triu_indices(d)
        self._entry = np.empty((d, d), dtype=int)  # which number of a noise row an entry of the matrix is
        self._entry[row, column] = self._entry[column, row] = d + np.arange(len(row))
        self._refresh()

    def learn(self, phi: NDArray[np.float64], y: NDArray[np.float64], rngs: Rngs) -> None:
        """End a batch.

        Parameters
        ----------
        phi : ndarray, shape (runs, users, d) or (runs, 1, d)
            Features of the arms that the users played; one row if all played the same arm.
        y : ndarray, shape (runs, users)
            Their rewards.
        rngs : list of numpy.random.Generator
            One per run, for the noise.
        """
        if self.stream.noisy:
            self._add_noise(phi, y, rngs)
        if phi.shape[1] == 1:
            self.gram += phi[:, 0, :, None] * (phi * y.shape[1])
            self.vector += phi[:, 0] * y.sum(axis=1, keepdims=True)
        else:
            self.gram += phi.transpose(0, 2, 1) @ phi
            self.vector += (y[:, None, :] @ phi)[:, 0]
        self.batch += 1
        self._refresh()

    def _add_noise(self, phi: NDArray[np.float64], y: NDArray[np.float64], rngs: Rngs) -> None:
        """Add the noise of one more batch."""
        if self._used == self._rows.shape[1]:
            length = self.stream.tape(self._left)
            self._rows, self._used, self._left = np.empty((len(rngs), length, self.stream.ahead)), 0, self._left - length
            for own, rng in zip(self._rows, rngs, strict=True):
                own[:] = self.stream.draw(length, rng)
        values = self.statistics(phi, y) if self.stream.needs_values else None
        self.noise = self.stream.noise(self.noise, self._rows[:, self._used], values)
        self._used += 1

    def statistics(self, phi: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return (phi y, upper triangle of phi phi') of every user, shape (runs, users, d + d (d + 1) / 2)."""
        row, column = self._upper
        vector = phi * y[..., None]
        matrix = np.broadcast_to(phi[..., row] * phi[..., column], (*vector.shape[:-1], len(row)))
        return np.concatenate([vector, matrix], axis=-1)

    def _refresh(self) -> None:
        """Compute what depends on the released sums."""
        radius, d, noisy = self.learner.radius, self.gram.shape[1], self.stream.noisy
        ridge, floor = radius.regularizer(self.batch), radius.floor(self.batch)
        V = self.gram + ridge * self._eye
        noisy_matrix = noisy and self.noise.shape[1] > d
        if noisy_matrix:
            V += self.noise[:, self._entry]
        shape = Shape(ridge, ridge)
        if (noisy_matrix and floor > -np.inf) or radius.adaptive:
            least = np.linalg.eigvalsh(V)[:, 0]
            shift = np.maximum(floor - least, 0.0)
            if shift.any():
                self.shifts += shift > 0
                V += shift[:, None, None] * self._eye
            shape = Shape(ridge + shift, least + shift)
        self.inverse = np.linalg.inv(V)
        u = self.vector + self.noise[:, :d] if noisy else self.vector
        self.theta = (self.inverse @ u[:, :, None])[:, :, 0]
        self.beta = np.zeros(len(V)) + self.learner.radius_scale * radius.beta(self.batch, shape)

    def curves(self, instances: list[Contextual]) -> dict[str, NDArray[np.float64]]:
        """Return what else was recorded over time, by name, given the runs' instances."""
        return {}

    def choose(self, features: NDArray[np.float64]) -> NDArray[np.intp]:
        """Return the first arms with the largest index, shape (runs, users), for features of shape (runs, users, arms, d)."""
        runs, users, arms, d = features.shape
        flat = features.reshape(runs, users * arms, d)
        scaled = flat @ self.inverse
        square = np.einsum("rkd,rkd->rk", scaled, flat)
        index = (flat @ self.theta[:, :, None])[:, :, 0] + self.beta[:, None] * self.learner.widths(square)
        return first_largest(index.reshape(runs, users, arms))
