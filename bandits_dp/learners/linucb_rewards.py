r"""LinUCB when only rewards are private: contexts are public, and so is every matrix that is made of features.

The learner is told a released vector of d numbers and the public features of the batch. It says beforehand in which public
direction :math:`g_s` a reward is counted: what is released is :math:`\tilde u_t = \sum_{s \le t} g_s r_s + n_t`, or a function of
it. Three learners do it in three ways (:math:`A_t = \lambda I + \sum x_s x_s^\top` is public in all of them):

**Sums of** :math:`x_s r_s` (:class:`RidgeLinUCB`; LinUCB-Tree, Neel & Roth 2018): a Laplace tree, and the ridge estimate
:math:`A_t^{-1} \tilde u_t`, as in LinUCB.

**Parameters** (:class:`ParameterLinUCB`; LinUCB-DGS, Wang, Zhao, Wang 2022, Algorithm 2): a curator adds up :math:`b_t = \sum x_s
r_s` and releases :math:`A_t^{-1} b_t + \eta_t`, with noise that shrinks (:mod:`bandits_dp.continual.dynamic`; bounds on what it
protects: :mod:`bandits_dp.accounting.dynamic`).

**Instruments** (:class:`InstrumentLinUCB`; LinUCB-RewardTree). A reward is one number, and its direction in the released sum need
not be :math:`x_s`. For any unit vectors :math:`g_s` that are known before the reward is, and a Gaussian counter,

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

**Privacy of a run.** Neighbouring inputs differ in the reward that one round pays, whatever arm is played in it. Contexts must
not depend on that reward other than through arms. Fix the releases up to round t: by induction all arms up to t are then the same
under both inputs, because an arm is a function of the contexts and of earlier releases. So the features up to t, A_t and all
:math:`g_s` are the same, too, and the next release differs by a shift that is *known*: :math:`g_j (r_j - r_j')` in one leaf of a
counter, or :math:`A_t^{-1} x_j (r_j - r_j')` in every later parameter. That features were chosen adaptively changes nothing:
conditioned on the past, Gaussian shifts whose squares add up to at most D^2 surely are one Gaussian mechanism of sensitivity D
(``bandits_dp.continual``), and Laplace shifts add up likewise. All arms, and all that is computed from releases and
public data, is post-processing. Since arms are functions of releases, whoever sees every arm, also that of the user's own round,
learns no more.

A counter treats a continual release as one mechanism. Parameters with fresh noise cannot: a reward stays in all later ones.
"""

from __future__ import annotations

import numpy as np

from bandits_dp import _checks
from bandits_dp.ask_tell import Floats
from bandits_dp.learners.linucb import LinUCB
from bandits_dp.widths.ridge import Radius


class RidgeLinUCB(LinUCB):
    """LinUCB that is told noisy sums of x r, and adds up x x' exactly by itself.

    Parameters and attributes: those of :class:`bandits_dp.learners.linucb.LinUCB`; of ``sums`` the first d numbers are what was
    released, the others exact.
    """

    def directions(self, phi: Floats) -> Floats:
        """Return g for each user, from the features; (..., users, d) both."""
        return phi

    def statistics(self, phi: Floats, y: Floats) -> Floats:
        """Return (g y, phi) of each user: what is private, what is not."""
        g = self.directions(phi)
        return np.concatenate([g * y[..., None], phi], axis=-1)

    def tell(  # type: ignore[override]  # the batch's features are public
        self, released: Floats, phi: Floats
    ) -> None:
        """Take the released vector, and the features played, (users, d)."""
        row, column = self.upper
        self.batch += 1
        products = (phi[..., row] * phi[..., column]).sum(axis=-2)
        exact = self.sums[..., len(self.place) :] + products
        self._fit(np.concatenate([released, exact], axis=-1))


class ParameterLinUCB(RidgeLinUCB):
    """LinUCB that is told its estimate (Wang, Zhao, Wang 2022, Algorithm 2).

    Parameters and attributes: those of :class:`RidgeLinUCB`.
    """

    def _fit(self, sums: Floats) -> None:
        super()._fit(sums)
        self.theta = sums[..., : len(self.place)]


class InstrumentLinUCB(RidgeLinUCB):
    """Generalized least squares on noisy sums of g r, with unit vectors g.

    Parameters
    ----------
    dimension : int
        d.
    radius : Radius
        ``regularizer`` is kappa; ``beta`` multiplies the norm in M^-1.
    noise_std : ndarray, shape (batches,)
        s_t, standard deviation of the noise in each number that is released after batch 1, 2, ...
    reward_std : float
        R, > 0.
    whiten : bool
        Whether g are whitened features; if not, features divided by their norm.
    radius_scale : float
        Factor on the radius.

    Attributes
    ----------
    cross, instruments : ndarray, shape (..., d, d)
        W and the sum of g g'.
    inverse : ndarray, shape (..., d, d)
        M^-1.
    whitener : ndarray, shape (..., d, d)
        L^-1.
    """

    changes = (*LinUCB.changes, "cross", "instruments", "whitener")
    fixed = changes[1:]

    def __init__(
        self, dimension: int, radius: Radius, noise_std: Floats,
        reward_std: float, whiten: bool = True, radius_scale: float = 1.0,
    ) -> None:
        self.reward_std = _checks.positive("reward_std", reward_std)
        self.whiten = _checks.flag("whiten", whiten)
        self.variance = np.append(1.0, noise_std**2)  # nothing is summed at 0
        self.cross = self.instruments = np.zeros((dimension, dimension))
        self.whitener = np.eye(dimension)
        super().__init__(dimension, radius, radius_scale)

    def directions(self, phi: Floats) -> Floats:
        """Return unit vectors g."""
        g = phi @ self.whitener.mT
        return np.asarray(g / np.linalg.norm(g, axis=-1, keepdims=True))

    def tell(  # type: ignore[override]  # the batch's features are public
        self, released: Floats, phi: Floats
    ) -> None:
        """Take the released sum of g r, and the features played."""
        g = self.directions(phi)
        self.cross = self.cross + g.mT @ phi
        self.instruments = self.instruments + g.mT @ g
        super().tell(released, phi)

    def _fit(self, sums: Floats) -> None:
        m, d, runs = self.batch, len(self.place), sums.shape[:-1]
        kappa, one = np.full(runs, self.radius.regularizer(m)), np.eye(d)
        C = self.reward_std**2 * self.instruments + self.variance[m] * one
        u = np.concatenate([self.cross, sums[..., :d, None]], axis=-1)
        M = self.cross.mT @ np.linalg.solve(C, u)  # W' C^-1 W, and W' C^-1 u
        ridge = kappa[..., None, None] * one
        self.inverse = np.linalg.inv(M[..., :d] + ridge)
        self.sums = sums
        if self.whiten:
            A = sums[..., d:][..., self.place] + one
            self.whitener = np.linalg.inv(np.linalg.cholesky(A))
        self.theta = (self.inverse @ M[..., d:])[..., 0]
        beta = self.radius.beta(m, kappa, kappa)
        self.beta = self.radius_scale * beta + np.zeros(runs)
