r"""LinUCB on released statistics: the server's half of Chowdhury & Zhou (2022, Algorithm 1).

Users come in batches of B. In batch m every user plays :math:`\arg\max_a \langle \phi_a, \hat\theta_{m-1} \rangle + \beta_{m-1}
\sqrt{\phi_a^\top V_{m-1}^{-1} \phi_a}` with the model of the last batch end. When a batch is full, the running sums of
:math:`\phi y` and :math:`\phi \phi^\top` are released, and the model is computed anew. Only the release tells the trust
models apart, only the radius the calibrations (:mod:`bandits_dp.widths.ridge`).

**If V is not positive definite**, or its least eigenvalue is below the radius's floor, the identity is added often enough that the
least eigenvalue is the floor; the shift counts as part of the regularizer.

**Privacy of a run.** A user's arm depends on the user's own features and on the releases before, so whoever sees all arms but the
user's own sees a function of the releases and of data that are not the user's (billboard lemma, Hsu et al. 2016, Lemma
9). A batch that the horizon cuts short is not released.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from bandits_dp import _checks
from bandits_dp._ties import first_largest
from bandits_dp.ask_tell import Floats, Learner
from bandits_dp.widths.ridge import Radius, Shape

Names = tuple[str, ...]


class LinUCB(Learner):
    """LinUCB with any release of its statistics and any radius.

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
    sums : ndarray, shape (d + d (d + 1) / 2,)
        The released sums of phi y, and of the upper triangle of phi phi', row by row.
    upper : tuple of ndarray
        Rows and columns of the upper triangle.
    inverse, theta, beta : ndarray, shapes (d, d) and (d,), and float
        V^-1, the estimate, and the radius times its scale.

    Examples
    --------
    >>> import numpy as np
    >>> from bandits_dp.learners import LinUCB
    >>> from bandits_dp.widths.ridge import FixedWidth
    >>> learner = LinUCB(2, FixedWidth(alpha=0.3, regularizer=1.0))
    >>> learner.tell(np.array([8.0, 0.0, 9.0, 0.0, 0.0]))  # nine users with phi = (1, 0), rewards of 8 in all
    >>> learner.theta.round(2).tolist(), int(learner.choose(np.eye(2)))
    ([0.8, 0.0], 0)
    """

    changes: ClassVar[Names] = ("batch", "sums", "inverse", "theta", "beta")
    fixed: ClassVar[Names] = ("sums", "inverse", "theta")  # keep their shape

    def __init__(
        self, dimension: int, radius: Radius, radius_scale: float = 1.0
    ) -> None:
        self.radius, self.batch = radius, 0
        self.radius_scale = _checks.real(
            "radius_scale", radius_scale, 0.0, np.inf, ends="[)"
        )
        self.upper = np.triu_indices(dimension)
        self._fit(np.zeros(dimension + len(self.upper[0])))  # line 2

    def choose(self, features: Floats) -> NDArray[np.intp]:
        """Return the best arm (line 5) for features of shape (..., arms, d)."""
        squares = ((features @ self.inverse) * features).sum(axis=-1)
        index = features @ self.theta + self.beta * self.widths(squares)
        return first_largest(index)

    def widths(self, squares: Floats) -> Floats:
        """Return the roots of phi' V^-1 phi, negative by rounding at most."""
        return np.sqrt(np.maximum(squares, 0.0))

    def tell(self, released: Floats) -> None:
        """Take the running sums after one more batch (lines 14 to 18)."""
        self.batch += 1
        self._fit(released)

    def _fit(self, sums: Floats) -> None:
        """Compute the model."""
        d = len(sums) - len(self.upper[0])
        ridge = self.radius.regularizer(self.batch)
        floor = self.radius.floor(self.batch)
        V = np.empty((d, d))
        V[self.upper] = V.T[self.upper] = sums[d:]
        V.flat[:: d + 1] += ridge  # V_m
        least = np.linalg.eigvalsh(V)[0]
        if least < floor:
            V.flat[:: d + 1] += floor - least
            ridge, least = ridge + floor - least, floor
        self.sums = sums
        self.inverse = np.linalg.inv(V)
        self.theta = self.inverse @ sums[:d]  # line 16
        beta = self.radius.beta(self.batch, Shape(ridge, least))
        self.beta = self.radius_scale * float(np.squeeze(beta))
