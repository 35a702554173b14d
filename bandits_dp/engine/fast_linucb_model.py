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


def norm_bound(matrices: NDArray[np.float64]) -> NDArray[np.float64]:
    """Bound the operator norms of symmetric matrices, shape (runs, d, d), from above; at most d^(1/32) too large.

    It is the Schatten norm of order 32, the Frobenius norm of the 16th power; much cheaper than eigenvalues.
    """
    size = np.sqrt(np.einsum("rij,rij->r", matrices, matrices))
    power = matrices / size[:, None, None]
    for _ in range(4):
        power = power @ power
    return np.asarray(size * np.einsum("rij,rij->r", power, power) ** (1 / 32))


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
        How often V was not positive definite, or below the radius's floor.
    """

    def __init__(self, live: LiveContexts, runs: int) -> None:
        d = live.dimension
        self.learner, self.stream, self.batch = live.learner, live.stream, 0
        self.gram, self.vector, self.shifts = np.zeros((runs, d, d)), np.zeros((runs, d)), np.zeros(runs)
        self.noise = np.zeros((runs, self.stream.dimension))
        self._left, self._rows, self._used = live.horizon // live.batch_size, np.empty((runs, 0, self.stream.ahead)), 0
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
        ridge = np.full(len(self.gram), radius.regularizer(self.batch))
        V = self.gram + ridge[0] * np.eye(d)
        noisy_matrix = noisy and self.noise.shape[1] > d
        if noisy_matrix:
            V += self.noise[:, self._entry]
        self.inverse = np.linalg.inv(V)
        least = self._make_definite(V, ridge) if noisy_matrix or radius.adaptive else ridge
        u = self.vector + self.noise[:, :d] if noisy else self.vector
        self.theta = (self.inverse @ u[:, :, None])[:, :, 0]
        self.beta = np.zeros(len(V)) + self.learner.radius_scale * radius.beta(self.batch, Shape(ridge, least))

    def _make_definite(self, V: NDArray[np.float64], ridge: NDArray[np.float64]) -> NDArray[np.float64]:
        """Shift V where needed, and with it inverse and regularizer, in place; return lower bounds on the least eigenvalues."""
        floor = self.learner.radius.floor(self.batch)
        least = 1 / norm_bound(self.inverse) if floor > 0 else np.full(len(V), np.nan)
        low = least < floor
        try:
            np.linalg.cholesky(V)
        except np.linalg.LinAlgError:  # some matrix is not positive definite
            low |= np.linalg.eigvalsh(V)[:, 0] <= 0
        if low.any():
            least[low] = np.linalg.eigvalsh(V[low])[:, 0]
            low &= least < max(floor, 0.0)
            self.shifts[low] += 1
            shift = np.maximum(floor - least[low], 0.0)  # a radius without a floor leaves V as it is
            V[low] += shift[:, None, None] * np.eye(V.shape[1])
            self.inverse[low] = np.linalg.inv(V[low])
            ridge[low] += shift
            least[low] = np.maximum(least[low], floor)
        return least

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
