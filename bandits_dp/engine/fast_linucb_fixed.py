r"""LinUCB on arms whose features never change: the same indices, computed for all arms at once.

With noise, V is another matrix after every batch, and all indices are computed anew, from products that do not change:
:math:`\langle \phi_a, \hat\theta \rangle` is one product per run, and so is :math:`\phi_a^\top V^{-1} \phi_a`, a linear function of
the upper triangle of :math:`V^{-1}`.

Without noise, a batch of B users on arm a changes V by :math:`B \phi_a \phi_a^\top`, and nothing needs to be computed anew. With
:math:`w_b = \phi_b^\top V^{-1} \phi_a` for all arms b, the formula of Sherman and Morrison gives

.. math:: q_b \leftarrow q_b - \frac{w_b^2}{1/B + w_a} , \qquad
          s_b \leftarrow s_b + \frac{w_b (\bar y - s_a)}{1/B + w_a} , \qquad
          V^{-1} \leftarrow V^{-1} - \frac{z z^\top}{1/B + w_a} , \quad z = V^{-1} \phi_a ,

for :math:`q_b = \phi_b^\top V^{-1} \phi_b` and :math:`s_b = \langle \phi_b, \hat\theta \rangle`; the batch's mean reward is
:math:`\bar y`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bandits_dp.engine.fast_linucb_model import LinearModel, Rngs
from bandits_dp.widths.ridge import Shape


class FixedArms:
    """Runs of LinUCB with features that stay, any release.

    Parameters
    ----------
    model : LinearModel
        Fresh; changed by :meth:`learn`.
    features : ndarray, shape (runs, arms, d)
        Features of each run's arms.
    """

    def __init__(self, model: LinearModel, features: NDArray[np.float64]) -> None:
        self.model = model
        self.features = features
        self.runs = np.arange(len(features))
        row, column = self._triangle = np.triu_indices(features.shape[2])
        twice = np.where(row == column, 1.0, 2.0)
        self._columns = np.ascontiguousarray(features.transpose(0, 2, 1))  # (runs, d, arms)
        self._products = self._columns[:, row] * self._columns[:, column] * twice[:, None]  # (runs, triangle, arms)

    def choose(self) -> NDArray[np.intp]:
        """Return the arm of the next batch, shape (runs,)."""
        model = self.model
        row, column = self._triangle
        index = (model.inverse[:, None, row, column] @ self._products)[:, 0]  # phi' V^-1 phi
        index = model.learner.widths(index)
        index *= model.beta[:, None]
        index += (model.theta[:, None] @ self._columns)[:, 0]
        return model.first(index)

    def learn(self, arms: NDArray[np.intp], y: NDArray[np.float64], rngs: Rngs) -> None:
        """End a batch in which everybody played the chosen arm; ``y`` has shape (runs, users)."""
        self.model.learn(self.features[self.runs, arms][:, None], y, rngs)


class ExactFixedArms(FixedArms):
    """The same without noise, for a radius that does not look at V; the model itself is not kept up to date."""

    def __init__(self, model: LinearModel, features: NDArray[np.float64]) -> None:
        super().__init__(model, features)
        self.inverse = model.inverse.copy()
        self.scores = np.zeros(features.shape[:2])  # s
        self.squares = np.einsum("rkd,rkd->rk", features @ self.inverse, features)  # q
        self.batch = 0
        self._index = np.empty_like(self.scores)
        unknown = np.full(1, np.nan)
        self._shape = Shape(unknown, unknown)

    def choose(self) -> NDArray[np.intp]:
        """Return the arm of the next batch, shape (runs,)."""
        if self.batch == 0:
            return super().choose()
        index = self.model.learner.widths(self.squares)
        index *= self.model.learner.radius_scale * self.model.learner.radius.beta(self.batch, self._shape)
        index += self.scores
        return index.argmax(axis=1)

    def learn(self, arms: NDArray[np.intp], y: NDArray[np.float64], rngs: Rngs) -> None:
        """End a batch in which everybody played the chosen arm; ``y`` has shape (runs, users)."""
        z = (self.inverse @ self.features[self.runs, arms][:, :, None])[:, :, 0]
        w = (z[:, None] @ self._columns)[:, 0]
        users = y.shape[1]
        weight = 1 / (1 / users + w[self.runs, arms])
        mean = y[:, 0] if users == 1 else y.mean(axis=1)
        step = weight * (mean - self.scores[self.runs, arms])
        self.inverse -= z[:, :, None] * (z * weight[:, None])[:, None]
        self.scores += np.multiply(w, step[:, None], out=self._index)
        np.multiply(w, w, out=w)
        w *= weight[:, None]
        self.squares -= w
        self.batch += 1
