r"""LinUCB when only rewards are private: contexts are public, and so is every matrix that is made of features.

The learner is told a released vector of d numbers and the public features of the batch. It says beforehand in which public
direction :math:`g_s` a reward is counted: what is released is :math:`\tilde u_t = \sum_{s \le t} g_s r_s + n_t`, or a function of
it. Three learners do it in three ways (:math:`A_t = \lambda I + \sum x_s x_s^\top` is public in all of them):

**Sums of** :math:`x_s r_s` (:class:`RidgeLinUCB`; LinUCB-Tree, Neel & Roth 2018): a Laplace tree, and the ridge estimate
:math:`A_t^{-1} \tilde u_t`, as in LinUCB.

**Parameters** (:class:`ParameterLinUCB`; LinUCB-DGS, Wang, Zhao, Wang 2022, Algorithm 2): a curator adds up :math:`b_t = \sum x_s
r_s` and releases :math:`A_t^{-1} b_t + \eta_t`, with noise that shrinks (:mod:`bandits_dp.contextual.dynamic`; bounds on what it
protects: :mod:`bandits_dp.accounting.dynamic`).

**Instruments** (:class:`InstrumentLinUCB`; LinUCB-RewardTree): generalized least squares on sums of :math:`g_s r_s`, with a
Gaussian counter and any unit vectors :math:`g_s` that are known before the reward is,

.. math:: \tilde u_t = W_t \theta + \sum_{s \le t} g_s \xi_s + n_t , \quad W_t = \sum_{s \le t} g_s x_s^\top , \quad
          M_t = \kappa I + W_t^\top C_t^{-1} W_t , \quad \hat\theta_t = M_t^{-1} W_t^\top C_t^{-1} \tilde u_t ,

where :math:`C_t = s_t^2 I + R^2 \sum_{s \le t} g_s g_s^\top` bounds the covariance of the rewards' noise :math:`\xi_s`
(sub-Gaussian, constant R) and the counter's, :math:`n_t \sim N(0, s_t^2 I)`. *Which* :math:`g`? Those of whitened features,
:math:`L^{-1} x_s` over its norm with :math:`L L^\top = I + \sum_{r < s} x_r x_r^\top`, predict best (proved in chapter 12,
"Whitened directions are best"). *Which prior?* :math:`\kappa = d / S^2`, coordinates of variance :math:`S^2 / d`, if only
:math:`\lVert\theta\rVert \le S` is known: the bias of shrinking, :math:`\sqrt\kappa S = \sqrt d` in the norm of :math:`M_t`, is
then as large as the noise.

**Privacy of a run.** Neighbouring inputs differ in the reward that one round pays, whatever arm is played in it; contexts must not
depend on that reward other than through arms. Given the releases up to round t, all arms, features and :math:`g_s` up to t are the
same under both inputs, so the next release differs by a shift that is *known*: :math:`g_j (r_j - r_j')` in one leaf of a counter,
or :math:`A_t^{-1} x_j (r_j - r_j')` in every later parameter. Gaussian shifts whose squares add up to at most D^2 are one Gaussian
mechanism of sensitivity D, adaptively chosen features or not (``bandits_dp.continual``; complete proof: chapter 12, "Privacy of a
whole run"). Arms are functions of releases and public data.

A counter treats a continual release as one mechanism. Parameters with fresh noise cannot: a reward stays in all later ones.
"""

import numpy as np

from bandits_dp import _checks
from bandits_dp.ask_tell import Floats
from bandits_dp.contextual.radius import Radius
from bandits_dp.learners.linucb import LinUCB

SHORT = 1e-150  # whose square is a float still


def scaled(vectors: Floats) -> Floats:
    """Return vectors over powers of two; their largest number is near 1."""
    top = np.frexp(np.abs(vectors).max(axis=-1, keepdims=True))[1]
    return np.ldexp(vectors, -top)


class RidgeLinUCB(LinUCB):
    """LinUCB that is told noisy sums of x r, and adds up x x' exactly by itself.

    Parameters and attributes: those of :class:`bandits_dp.learners.linucb.LinUCB`; of ``sums`` the first d numbers are what was
    released, the others exact.
    """

    def directions(self, phi: Floats) -> Floats:
        """Return g for each user, from the features; (..., users, d) both."""
        return phi

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
        """Return unit vectors g, also of features whose squares are 0."""
        g = phi @ self.whitener.mT
        if np.abs(g).max(axis=-1).min() < SHORT:
            g = scaled(scaled(phi) @ self.whitener.mT)
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
