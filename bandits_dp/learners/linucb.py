r"""LinUCB on released statistics: the server's half of Chowdhury & Zhou (2022, Algorithm 1).

Users come in batches of B. In batch m every user plays :math:`\arg\max_a \langle \phi_a, \hat\theta_{m-1} \rangle + \beta_{m-1}
\sqrt{\phi_a^\top V_{m-1}^{-1} \phi_a}` with the model of the last batch end. When a batch is full, the running sums of
:math:`\phi y` and :math:`\phi \phi^\top` are released, and the model is computed anew. Only the release tells the trust
models apart, only the radius the calibrations (:mod:`bandits_dp.contextual.radius`).

**If V is not positive definite**, or its least eigenvalue is below the radius's floor, the identity is added often enough that the
least eigenvalue is the floor; the shift counts as part of the regularizer.

**Privacy of a run.** A user's arm depends on the user's own features and on the releases before, so whoever sees all arms but the
user's own sees a function of the releases and of data that are not the user's (billboard lemma, Hsu et al. 2016, Lemma
9). A batch that the horizon cuts short is not released.
"""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bandits_dp import _checks
from bandits_dp._ties import first_largest
from bandits_dp.ask_tell import Floats, Learner, able
from bandits_dp.contextual.radius import Radius


def statistics(phi: Floats, y: Floats, upper: Any) -> Floats:
    """Return (phi y, upper triangle of phi phi') for (..., users, d)."""
    squares = phi.take(upper[0], axis=-1) * phi.take(upper[1], axis=-1)
    return np.concatenate([phi * y[..., None], squares], axis=-1)


class LinUCB(Learner):
    """LinUCB with any release of its statistics and any radius.

    It plays one run, or many at once: if the sums that it is told have leading axes, all that it knows has them, too, and each run
    is played as if it were alone.

    Parameters
    ----------
    dimension : int
        Numbers per feature vector d.
    radius : Radius
        Regularizer lambda_m and confidence radius beta_m.
    radius_scale : float
        Factor on the radius, >= 0; 1 keeps what the radius promises.

    Attributes
    ----------
    batch : int
        Number of batches m released.
    sums : ndarray, shape (..., d + d (d + 1) / 2)
        The released sums of phi y, and of the upper triangle of phi phi', row by row.
    inverse, theta, beta : ndarray, shapes (..., d, d), (..., d) and (...)
        V^-1, the estimate, and the radius times its scale.
    shifts : ndarray of int, shape (...)
        How often V was lifted to the radius's floor.
    upper : tuple of ndarray
        Rows and columns of the upper triangle.

    Examples
    --------
    >>> import numpy as np
    >>> from bandits_dp.learners import LinUCB
    >>> from bandits_dp.contextual.radius import FixedWidth
    >>> learner = LinUCB(2, FixedWidth(width=0.3, regularizer=1.0))
    >>> learner.tell(np.array([8.0, 0.0, 9.0, 0.0, 0.0]))  # nine users with phi = (1, 0), rewards of 8 in all
    >>> learner.theta.round(2).tolist(), int(learner.choose(np.eye(2)))
    ([0.8, 0.0], 0)
    """

    changes: ClassVar[tuple[str, ...]] = (
        "batch", "sums", "inverse", "theta", "beta", "shifts"
    )
    fixed: ClassVar[tuple[str, ...]] = changes[1:]  # keep their shape

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
        """Return the best arms (line 5) for features (..., any, arms, d)."""
        phi = features.reshape(*self.beta.shape, -1, features.shape[-1])
        scaled = phi @ self.inverse
        squares = np.einsum("...kd,...kd->...k", scaled, phi)
        index = (phi @ self.theta[..., None])[..., 0]
        index += self.beta[..., None] * self.widths(squares)
        return first_largest(index.reshape(features.shape[:-1]))

    def leading(self, features: Floats) -> NDArray[np.intp]:
        """Return the arms with the largest estimates: nothing is explored."""
        return first_largest(features @ self.theta)

    def widths(self, squares: Floats) -> Floats:
        """Return the roots of phi' V^-1 phi, negative by rounding at most."""
        return np.sqrt(np.maximum(squares, 0.0))

    def statistics(self, phi: Floats, y: Floats) -> Floats:
        """Return what each user's round adds to the sums (lines 7 to 10)."""
        return statistics(phi, y, self.upper)

    def tell(self, released: Floats) -> None:
        """Take the running sums after one more batch (lines 14 to 18)."""
        self.batch += 1
        self._fit(released)

    def _fit(self, sums: Floats) -> None:
        """Compute the model."""
        radius, m, d = self.radius, self.batch, len(self.place)
        runs, one = sums.shape[:-1], self.one
        ridge = np.full(runs, radius.regularizer(m))[()]  # of one run a number
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
