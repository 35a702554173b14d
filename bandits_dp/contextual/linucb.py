r"""LinUCB on released statistics: the server's half of Chowdhury & Zhou (2022, Algorithm 1).

Users come in batches of B. In batch m every user plays :math:`\arg\max_a \langle \phi_a,
\hat\theta_{m-1} \rangle + \beta_{m-1} \sqrt{\phi_a^\top V_{m-1}^{-1} \phi_a}`, with the model from
the end of batch m - 1. When a batch is full, the running sums of :math:`\phi y` and
:math:`\phi \phi^\top` are released, and a new model is computed. For the learner, trust models
differ only in the release, and calibrations only in the radius
(:mod:`bandits_dp.contextual.radius`).

**If the least eigenvalue of V is below the radius's floor**, a multiple of the identity is added
that lifts it to the floor. This shift counts as part of the regularizer. With floor 0, V is checked
only if the radius is adaptive.

**Privacy of a run.** A user's arm depends only on the user's own features and on earlier releases.
So the arms of all other users are a function of the releases and of their own data, and are as
private as the releases (billboard lemma, Hsu et al. 2016, Lemma 9). A batch that the horizon cuts
short is not released.
"""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bandits_dp import _checks
from bandits_dp._ties import first_largest
from bandits_dp._types import Floats
from bandits_dp.ask_tell import Learner, able
from bandits_dp.contextual.radius import Radius


def statistics(phi: Floats, y: Floats, upper: Any) -> Floats:
    """Return each user's phi y and upper triangle of phi phi'; ``phi`` is (..., users, d)."""
    squares = phi.take(upper[0], axis=-1) * phi.take(upper[1], axis=-1)
    return np.concatenate([phi * y[..., None], squares], axis=-1)


class LinUCB(Learner):
    """LinUCB with any release of its statistics and any radius.

    It plays one run, or many runs side by side: leading axes of the sums in ``tell`` are runs, and
    the model then has the same axes. Runs do not affect each other.

    Parameters
    ----------
    dimension : int
        Numbers per feature vector, d.
    radius : Radius
        Regularizer lambda_m and confidence radius beta_m.
    radius_scale : float
        Factor on the radius, >= 0; below 1 the radius's bound need not hold.

    Attributes
    ----------
    batch : int
        Number of batches m released.
    sums : ndarray, shape (..., d + d (d + 1) / 2)
        The released sums of phi y, and of the upper triangle of phi phi', row by row.
    inverse, theta, beta : ndarray, shapes (..., d, d), (..., d) and (...)
        V^-1, the estimate, and the radius times ``radius_scale``.
    shifts : ndarray of int, shape (...)
        Number of batches after which V was lifted to the radius's floor.
    upper : tuple of ndarray
        Row and column indices of the upper triangle.

    Examples
    --------
    >>> import numpy as np
    >>> from bandits_dp.learners import LinUCB
    >>> from bandits_dp.contextual.radius import FixedWidth
    >>> learner = LinUCB(2, FixedWidth(width=0.3, regularizer=1.0))
    >>> learner.tell(np.array([8.0, 0.0, 9.0, 0.0, 0.0]))  # 9 users with phi = (1, 0), rewards 8
    >>> learner.theta.round(2).tolist(), int(learner.choose(np.eye(2)))
    ([0.8, 0.0], 0)
    """

    changes: ClassVar[tuple[str, ...]] = (
        "batch", "sums", "inverse", "theta", "beta", "shifts"
    )

    def __init__(
        self, dimension: int, radius: Radius, radius_scale: float = 1.0
    ) -> None:
        self.radius = able("radius", radius, "regularizer", "floor", "beta")
        self.batch = 0
        self.radius_scale = _checks.real(
            "radius_scale", radius_scale, 0.0, np.inf, ends="[)"
        )
        dimension = _checks.integer("dimension", dimension, high=2000)
        self.upper = row, column = np.triu_indices(dimension)
        self.place = np.empty((dimension, dimension), dtype=int)
        self.place[row, column] = self.place[column, row] = np.arange(len(row))
        self.one = np.eye(dimension)
        self.shifts = np.zeros((), dtype=np.int64)
        self._fit(np.zeros(dimension + len(row)))  # line 2

    def choose(self, features: Floats) -> NDArray[np.intp]:
        """Return the arms with the largest index (line 5).

        ``features`` has shape (..., arms, d); axes of runs come first, then any axes of users.
        """
        phi = features.reshape(*self.beta.shape, -1, features.shape[-1])
        scaled = phi @ self.inverse
        squares = np.einsum("...kd,...kd->...k", scaled, phi)
        index = (phi @ self.theta[..., None])[..., 0]
        index += self.beta[..., None] * self.widths(squares)
        return first_largest(index.reshape(features.shape[:-1]))

    def leading(self, features: Floats) -> NDArray[np.intp]:
        """Return the arms with the largest estimate, without exploration."""
        return first_largest(features @ self.theta)

    def widths(self, squares: Floats) -> Floats:
        """Return sqrt(phi' V^-1 phi); negative squares, by rounding, are 0."""
        return np.sqrt(np.maximum(squares, 0.0))

    def statistics(self, phi: Floats, y: Floats) -> Floats:
        """Return each user's contribution to the sums (lines 7 to 10)."""
        return statistics(phi, y, self.upper)

    def tell(self, released: Floats) -> None:
        """Take the running sums after one more batch (lines 14 to 18)."""
        self.batch += 1
        self._fit(released)

    def _fit(self, sums: Floats) -> None:
        """Compute the model from the running sums."""
        radius, m, d = self.radius, self.batch, len(self.place)
        runs, one = sums.shape[:-1], self.one
        ridge = np.full(runs, radius.regularizer(m))[()]  # a number if one run
        V = sums[..., d:].take(self.place, axis=-1)
        V = V + ridge[..., None, None] * one  # V_m
        least, floor = ridge, radius.floor(m)
        if radius.adaptive or floor > 0:
            least = np.linalg.eigvalsh(V)[..., 0][()]
            if (least < floor).any():
                shift = np.maximum(floor - least, 0.0)
                V = V + shift[..., None, None] * one
                ridge, least = ridge + shift, least + shift
                self.shifts = self.shifts + (shift > 0)
        self.sums = sums
        self.inverse = np.linalg.inv(V)
        self.theta = (self.inverse @ sums[..., :d, None])[..., 0]  # line 16
        beta = radius.beta(m, ridge, least)
        self.beta = self.radius_scale * beta + np.zeros(runs)
