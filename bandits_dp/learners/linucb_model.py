r"""What LinUCB knows, in many runs at once: noisy sums, the ridge estimate and its radius, and the arms that they choose.

:math:`V = \lambda I + G + N`, :math:`u = b + n`, :math:`\hat\theta = V^{-1} u`; an arm's index is
:math:`\langle \phi, \hat\theta \rangle + \beta \sqrt{\phi^\top V^{-1} \phi}`.

**If V is not positive definite**, or its least eigenvalue is below the radius's floor, the identity is added often enough that the
least eigenvalue is the floor; the shift counts as part of the regularizer and is counted in ``shifts``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp.learners.linucb_release import Release, Rngs, Tape
from bandits_dp.widths.ridge import Radius, Shape

TIE = 1e-9  # before the first release all arms of one norm have the same index, up to rounding: the first is played


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
    release : Release
        How the running sums are released.
    radius : Radius
        Regularizer and radius.
    runs : int
        Number of runs.
    radius_scale : float
        Factor on the radius.

    Attributes
    ----------
    gram, vector : ndarray, shapes (runs, d, d) and (runs, d)
        Exact sums G and b over all released batches.
    inverse, theta, beta : ndarray, shapes (runs, d, d), (runs, d) and (runs,)
        V^-1, estimate and radius (times its scale).
    shifts : ndarray, shape (runs,)
        How often V had to be shifted.
    """

    def __init__(self, release: Release, radius: Radius, runs: int, radius_scale: float = 1.0) -> None:
        d = release.dimension
        self.release, self.radius, self.radius_scale = release, radius, radius_scale
        self.tape = Tape(release, runs)
        self.gram = np.zeros((runs, d, d))
        self.vector = np.zeros((runs, d))
        self.shifts = np.zeros(runs)
        row, column = np.triu_indices(d)
        self._entry = np.empty((d, d), dtype=int)  # which number of a noise row an entry of the matrix is
        self._entry[row, column] = self._entry[column, row] = d + np.arange(len(row))
        self._refresh()

    @property
    def batch(self) -> int:
        """Number of batches released."""
        return self.tape.batch

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
        self.tape.add(phi, y, rngs)
        if phi.shape[1] == 1:
            self.gram += phi[:, 0, :, None] * (phi * y.shape[1])
            self.vector += phi[:, 0] * y.sum(axis=1, keepdims=True)
        else:
            self.gram += phi.transpose(0, 2, 1) @ phi
            self.vector += (y[:, None, :] @ phi)[:, 0]
        self._refresh()

    def _refresh(self) -> None:
        """Compute what depends on the released sums."""
        m, noise = self.batch, self.tape.noise
        d = self.release.dimension
        ridge = np.full(len(noise), self.radius.regularizer(m))
        V = self.gram + ridge[0] * np.eye(d)
        if self.release.private_matrix:
            V += noise[:, self._entry]
        self.inverse = np.linalg.inv(V)
        least = self._make_definite(V, ridge) if self.release.private_matrix or self.radius.adaptive else ridge
        u = self.vector + noise[:, :d] if self.release.private else self.vector
        self.theta = (self.inverse @ u[:, :, None])[:, :, 0]
        self.beta = np.zeros(len(V)) + self.radius_scale * self.radius.beta(m, Shape(ridge, least))

    def _make_definite(self, V: NDArray[np.float64], ridge: NDArray[np.float64]) -> NDArray[np.float64]:
        """Shift V where needed, and with it inverse and regularizer, in place; return lower bounds on the least eigenvalues."""
        floor = self.radius.floor(self.batch)
        least = 1 / norm_bound(self.inverse)
        low = least < floor
        try:
            np.linalg.cholesky(V)
        except np.linalg.LinAlgError:  # some matrix is not positive definite
            low |= np.linalg.eigvalsh(V)[:, 0] <= 0
        if low.any():
            least[low] = np.linalg.eigvalsh(V[low])[:, 0]
            low &= least < floor
            shift = floor - least[low]
            V[low] += shift[:, None, None] * np.eye(V.shape[1])
            self.inverse[low] = np.linalg.inv(V[low])
            ridge[low] += shift
            least[low] = floor
            self.shifts[low] += 1
        return least

    def choose(self, features: NDArray[np.float64]) -> NDArray[np.intp]:
        """Return the arms with the largest index.

        Parameters
        ----------
        features : ndarray, shape (runs, users, arms, d)
            What is shown to the users of the current batch.

        Returns
        -------
        ndarray of int, shape (runs, users)
            The first arm of the largest index.
        """
        runs, users, arms, d = features.shape
        flat = features.reshape(runs, users * arms, d)
        scaled = flat @ self.inverse
        square = np.einsum("rkd,rkd->rk", scaled, flat)
        index = (flat @ self.theta[:, :, None])[:, :, 0] + self.beta[:, None] * self.widths(square)
        return self.first(index.reshape(runs, users, arms))

    def widths(self, square: NDArray[np.float64]) -> NDArray[np.float64]:
        """Turn phi' V^-1 phi, in place, into its square root; a rounding error may have made it negative."""
        return np.sqrt(np.maximum(square, 0.0, out=square), out=square)

    def first(self, index: NDArray[np.float64]) -> NDArray[np.intp]:
        """Return the first arm with the largest index along the last axis."""
        if self.batch == 0:
            index = index >= index.max(axis=-1, keepdims=True) * (1 - TIE)
        return index.argmax(axis=-1)

    def pack(self) -> dict[str, ArrayLike]:
        """Return what changes, by name, for a single run."""
        return {"gram": self.gram[0], "vector": self.vector[0], "shifts": self.shifts[0], **self.tape.pack()}

    def unpack(self, state: dict[str, NDArray[Any]]) -> None:
        """Take back what ``pack`` returned."""
        self.gram[0], self.vector[0] = state["gram"], state["vector"]
        self.tape.unpack(state)
        self._refresh()
        self.shifts[0] = state["shifts"]
