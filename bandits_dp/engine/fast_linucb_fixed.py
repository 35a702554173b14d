r"""LinUCB on arms whose features never change: the same indices, computed for all arms at once.

V is another matrix after every batch, and all indices are computed anew, from products that do not change:
:math:`\langle \phi_a, \hat\theta \rangle` is one product per run, and so is :math:`\phi_a^\top V^{-1} \phi_a`, a linear function of
the upper triangle of :math:`V^{-1}`. (To update them by the formula of Sherman and Morrison is faster, but rounding piles up in
it, until some processor plays another arm.)
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bandits_dp._ties import first_largest
from bandits_dp.engine.fast_linucb_model import LinearModel, Rngs


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
        return first_largest(index)

    def learn(self, arms: NDArray[np.intp], y: NDArray[np.float64], rngs: Rngs) -> None:
        """End a batch in which everybody played the chosen arm; ``y`` has shape (runs, users)."""
        self.model.learn(self.features[self.runs, arms][:, None], y, rngs)
