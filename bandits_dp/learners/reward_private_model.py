r"""Three ways to estimate theta from released rewards and public features, in many runs at once.

**Sums of** :math:`x_s r_s` (:class:`RewardModel`): the ridge estimate :math:`A_t^{-1} \tilde b_t`, as in LinUCB.

**Instruments** (:class:`InstrumentModel`). A reward is one number, and its direction in the released sum need not be :math:`x_s`.
For any unit vectors :math:`g_s` that are known before the reward is,

.. math:: \tilde u_t = \sum_{s \le t} g_s r_s + n_t = W_t \theta + \sum_{s \le t} g_s \xi_s + n_t , \qquad
          W_t = \sum_{s \le t} g_s x_s^\top ,

with public :math:`W_t`, noise :math:`\xi_s` of the rewards (sub-Gaussian, constant R) and the counter's noise :math:`n_t \sim
N(0, s_t^2 I)`. One reward moves one term by at most the length of its range, whatever :math:`g_s` is. The estimate weighs by
:math:`C_t`, a bound on the covariance of what is not :math:`W_t \theta`, and a prior precision :math:`\kappa`:

.. math:: M_t = \kappa I + W_t^\top C_t^{-1} W_t , \qquad \hat\theta_t = M_t^{-1} W_t^\top C_t^{-1} \tilde u_t , \qquad
          C_t = s_t^2 I + R^2 \sum_{s \le t} g_s g_s^\top .

*Which* :math:`g`? With :math:`\Sigma = E[x x^\top]` and :math:`g = H x`, :math:`E \lVert g \rVert^2 = \operatorname{tr}(\Sigma
H^2) = 1`, the counter's noise alone gives a prediction error of :math:`E (x^\top (\hat\theta - \theta))^2 = (s_t / t)^2
\operatorname{tr}(\Sigma^{-1} H^{-2})`. By Cauchy and Schwarz :math:`\operatorname{tr}(\Sigma H^2) \operatorname{tr}(\Sigma^{-1}
H^{-2}) \ge d^2`, with equality for :math:`H^2 = \Sigma^{-1} / d`. So *whitened* features are the best: here :math:`g_s = L^{-1}
x_s / \lVert L^{-1} x_s \rVert`, :math:`L L^\top = I + \sum_{r < s} x_r x_r^\top`. Then the error is :math:`d^2` whatever the
features look like, where :math:`g = x` has :math:`\operatorname{tr}(\Sigma^{-1})`, 7 times as much in the simulation of Wang, Zhao,
Wang 2022, and :math:`g = x / \lVert x \rVert` half of that.

*Which prior?* :math:`\kappa = d / S^2`: coordinates of variance :math:`S^2 / d`, if only :math:`\lVert\theta\rVert \le S` is
known. It makes the bias of shrinking, :math:`\sqrt\kappa S = \sqrt d` in the norm of :math:`M_t`, as large as the noise, of mean
square at most d in that norm. With :math:`g = x` this is ridge regression whose ridge grows with the noise: the matrix
:math:`\kappa (R^2 I + s_t^2 A^{-1})` in the place of :math:`\lambda I`. (The best plain number for sums of x r, by the same
balance of :math:`\lambda S` and :math:`s_t \sqrt d`, is :math:`\lambda = s_t \sqrt d / S`.)

**Parameters** (:class:`ParameterModel`): :math:`A_t^{-1} b_t + \eta_t`, the noise is added at the end (Wang, Zhao, Wang 2022,
Algorithm 2).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp.learners.linucb_model import LinearModel, norm_bound
from bandits_dp.learners.linucb_release import Release, Rngs
from bandits_dp.learners.reward_private_noise import ParameterNoise
from bandits_dp.widths.ridge import Radius, Shape


class RewardModel(LinearModel):
    """Ridge regression on noisy sums of x r; and, for all three, a memory of the estimates after some batches."""

    _kept: dict[int, NDArray[np.float64]]

    @property
    def perturbs(self) -> bool:
        """Whether contexts get noise."""
        return False

    def watch(self, batches: NDArray[np.int64]) -> None:
        """Keep the estimates after these batches."""
        self._kept = dict.fromkeys(batches.tolist(), self.theta)

    def watched(self, batches: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the estimates after these batches, shape (runs, batches, d)."""
        return np.stack([self._kept[batch] for batch in batches.tolist()], axis=1)

    def _refresh(self) -> None:
        self._estimate()
        if self.batch in getattr(self, "_kept", ()):
            self._kept[self.batch] = self.theta

    def _estimate(self) -> None:
        """Compute inverse, theta and beta."""
        super()._refresh()


class InstrumentModel(RewardModel):
    """Generalized least squares on noisy sums of g r, with unit vectors g.

    Parameters
    ----------
    release : CountedSums
        A counter's noise on sums of vectors.
    radius : Radius
        ``regularizer`` is kappa; ``beta`` multiplies the norm in M^-1.
    runs : int
        Number of runs.
    radius_scale : float
        Factor on the radius.
    reward_std : float
        R, > 0.
    whiten : bool
        Whether g are whitened features; if not, features divided by their norm.

    Attributes
    ----------
    cross, instruments : ndarray, shape (runs, d, d)
        W and the sum of g g'.
    vector : ndarray, shape (runs, d)
        The exact sum of g r.
    inverse : ndarray, shape (runs, d, d)
        M^-1.
    """

    def __init__(
        self, release: Release, radius: Radius, runs: int, radius_scale: float, reward_std: float, whiten: bool
    ) -> None:
        self.reward_std, self.whiten = reward_std, whiten
        self.cross, self.instruments = np.zeros((2, runs, release.dimension, release.dimension))
        self._variance = np.concatenate([[1.0], release.law.vector_std**2])  # s^2 after 0, 1, ... batches; nothing is summed at 0
        super().__init__(release, radius, runs, radius_scale)

    def learn(self, phi: NDArray[np.float64], y: NDArray[np.float64], rngs: Rngs) -> None:
        """End a batch; see :meth:`bandits_dp.learners.linucb_model.LinearModel.learn`."""
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
        M = self.cross.transpose(0, 2, 1) @ weighted  # W' C^-1 W, and W' C^-1 u in the last column
        self.inverse = np.linalg.inv(M[:, :, :d] + kappa * np.eye(d))
        self.theta = (self.inverse @ M[:, :, d:])[:, :, 0]
        known = np.full(len(M), kappa)
        self.beta = np.broadcast_to(self.radius_scale * self.radius.beta(m, Shape(known, known)), len(M))

    def pack(self) -> dict[str, ArrayLike]:
        """Return what changes, by name, for a single run."""
        return {"cross": self.cross[0], "instruments": self.instruments[0], **super().pack()}

    def unpack(self, state: dict[str, NDArray[Any]]) -> None:
        """Take back what ``pack`` returned."""
        self.cross[0], self.instruments[0] = state["cross"], state["instruments"]
        super().unpack(state)


class ParameterModel(RewardModel):
    """Ridge regression on exact sums, with noise on the estimate; contexts may get noise, too.

    Perturbed contexts take the place of the true ones everywhere but in the reward: the arm is chosen by them, and the regression
    is on them. Their noise is drawn together with that of the release before, so those of the first round are not perturbed.

    Parameters: those of :class:`bandits_dp.learners.linucb_model.LinearModel`, with ``release`` a ``ParameterNoise``.
    """

    release: ParameterNoise

    def __init__(self, release: Release, radius: Radius, runs: int, radius_scale: float = 1.0) -> None:
        assert isinstance(release, ParameterNoise)
        self._moved = np.zeros((runs, release.dimension))  # noise on the contexts that were chosen last
        super().__init__(release, radius, runs, radius_scale)

    @property
    def perturbs(self) -> bool:
        """Whether contexts get noise."""
        return self.release.context_std > 0

    def choose(self, features: NDArray[np.float64]) -> NDArray[np.intp]:
        """Return the arms with the largest index."""
        if not self.perturbs:
            return super().choose(features)
        runs, _, arms, d = features.shape
        noise = self.tape.noise[:, d:].reshape(runs, arms, d)
        chosen = super().choose(features + noise[:, None])
        self._moved = noise[np.arange(runs), chosen[:, -1]]
        return chosen

    def learn(self, phi: NDArray[np.float64], y: NDArray[np.float64], rngs: Rngs) -> None:
        """Take a round's reward."""
        super().learn(phi + self._moved[:, None], y, rngs)

    def _estimate(self) -> None:
        d = self.release.dimension
        ridge = np.full(len(self.gram), self.radius.regularizer(self.batch))
        self.inverse = np.linalg.inv(self.gram + ridge[0] * np.eye(d))
        least = 1 / norm_bound(self.inverse)
        noise = self.tape.noise[:, :d] * np.reshape(self.release.factor(least), (-1, 1))
        self.theta = (self.inverse @ self.vector[:, :, None])[:, :, 0] + noise
        self.beta = np.broadcast_to(self.radius_scale * self.radius.beta(self.batch, Shape(ridge, least)), len(ridge))

    def pack(self) -> dict[str, ArrayLike]:
        """Return what changes, by name, for a single run."""
        return {"moved": self._moved[0], **super().pack()}

    def unpack(self, state: dict[str, NDArray[Any]]) -> None:
        """Take back what ``pack`` returned."""
        self._moved[0] = state["moved"]
        super().unpack(state)
