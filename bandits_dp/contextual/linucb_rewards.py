r"""LinUCB with private rewards: features are public, and so is every matrix computed from them.

The learner is told a released vector of d numbers and the public features of the batch. It fixes
the public direction :math:`g_s` of each reward before the reward is known. The release is
:math:`\tilde u_t = \sum_{s \le t} g_s r_s + n_t`, or a function of it. The three learners here
differ in the directions and in the release; :math:`A_t = \lambda I + \sum x_s x_s^\top` is public
in all of them:

**Sums of** :math:`x_s r_s` (:class:`RidgeLinUCB`; LinUCB-Tree, Neel & Roth 2018): a Laplace tree
releases the sums. The estimate is ridge regression's :math:`A_t^{-1} \tilde u_t`, as in LinUCB.

**Parameters** (:class:`ParameterLinUCB`; LinUCB-DGS, Wang, Zhao, Wang 2022, Algorithm 2): a curator
adds up :math:`b_t = \sum x_s r_s` and releases the estimate :math:`A_t^{-1} b_t + \eta_t`, with
noise that shrinks over time (:mod:`bandits_dp.contextual.dynamic`;
:mod:`bandits_dp.accounting.dynamic` bounds its privacy).

**Instruments** (:class:`InstrumentLinUCB`; LinUCB-RewardTree): a Gaussian counter releases sums of
:math:`g_s r_s`, for any unit vectors :math:`g_s` known before the rewards. Generalized
least squares gives the estimate,

.. math:: \tilde u_t = W_t \theta + \sum_{s \le t} g_s \xi_s + n_t , \quad
          W_t = \sum_{s \le t} g_s x_s^\top , \quad
          M_t = \kappa I + W_t^\top C_t^{-1} W_t , \quad
          \hat\theta_t = M_t^{-1} W_t^\top C_t^{-1} \tilde u_t ,

where :math:`C_t = s_t^2 I + R^2 \sum_{s \le t} g_s g_s^\top` bounds the covariance of two noises:
the rewards' :math:`\xi_s` (sub-Gaussian with constant R) and the counter's
:math:`n_t \sim N(0, s_t^2 I)`. *Which* :math:`g`? Whitened features predict best (proved in chapter
12, "Whitened directions are best"): :math:`g_s` is :math:`L^{-1} x_s` divided by its norm, with
:math:`L L^\top = I + \sum_{r < s} x_r x_r^\top`. *Which* :math:`\kappa`? If only
:math:`\lVert\theta\rVert \le S` is known, :math:`\kappa = d / S^2`, as for independent coordinates
of variance :math:`S^2 / d`. The bias of shrinking is then :math:`\sqrt\kappa S = \sqrt d` in the
norm of :math:`M_t`, as large as the noise.

**Privacy of a run.** Neighbouring inputs differ in the rewards of one round j. Features must not
depend on these rewards except through arms. Given the releases up to round t, all arms, features
and :math:`g_s` up to t are the same under both inputs, so the next release differs by a *known*
shift: :math:`g_j (r_j - r_j')` in one leaf of a counter, or :math:`A_t^{-1} x_j (r_j - r_j')` in
every later parameter. Gaussian releases whose squared shifts sum to at most D^2 are as private as
one Gaussian mechanism of sensitivity D, also if features are chosen adaptively
(``bandits_dp.continual``; complete proof: chapter 12, "Privacy of a whole run"). Arms are functions
of releases and public data.

All releases of a counter together are one mechanism, and a reward enters one leaf of it. Parameters
have fresh noise each, and a reward enters all later ones.
"""

import numpy as np

from bandits_dp import _checks
from bandits_dp._types import Floats
from bandits_dp.contextual.linucb import LinUCB
from bandits_dp.contextual.radius import Radius

SHORT = 1e-150  # shorter vectors are scaled, as their squares may be 0


def scaled(vectors: Floats) -> Floats:
    """Divide each vector by a power of 2 that puts its largest entry in [1/2, 1), in size."""
    top = np.frexp(np.abs(vectors).max(axis=-1, keepdims=True))[1]
    return np.ldexp(vectors, -top)


class RidgeLinUCB(LinUCB):
    """LinUCB that is told noisy sums of x r and computes the sums of x x' exactly.

    Its parameters and attributes are those of :class:`bandits_dp.contextual.linucb.LinUCB`. The
    first d entries of ``sums`` are the release; the others are exact.
    """

    def directions(self, phi: Floats) -> Floats:
        """Return g for each user; features and g are (..., users, d)."""
        return phi

    def tell(  # type: ignore[override]  # the batch's features are public
        self, released: Floats, phi: Floats
    ) -> None:
        """Take the released vector and the played features (..., users, d)."""
        row, column = self.upper
        self.batch += 1
        products = (phi[..., row] * phi[..., column]).sum(axis=-2)
        exact = self.sums[..., len(self.place) :] + products
        self._fit(np.concatenate([released, exact], axis=-1))


class ParameterLinUCB(RidgeLinUCB):
    """LinUCB whose estimate is released (Wang, Zhao, Wang 2022, Algorithm 2).

    It has the parameters and attributes of :class:`RidgeLinUCB`; the first d entries of ``sums``
    are the released estimate.
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
        Standard deviation s_t of the noise in each released number, after batch 1, 2, ...
    reward_std : float
        Sub-Gaussian constant R of the rewards' noise, > 0.
    whiten : bool
        Whether feature vectors are whitened before g is computed as a feature vector over its norm.
    radius_scale : float
        Factor on the radius, >= 0.

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

    def __init__(
        self, dimension: int, radius: Radius, noise_std: Floats,
        reward_std: float, whiten: bool = True, radius_scale: float = 1.0,
    ) -> None:
        self.reward_std = _checks.positive("reward_std", reward_std)
        self.whiten = _checks.flag("whiten", whiten)
        self.variance = np.append(1.0, noise_std**2)  # batch 0 has no sums
        self.cross = self.instruments = np.zeros((dimension, dimension))
        self.whitener = np.eye(dimension)
        super().__init__(dimension, radius, radius_scale)

    def directions(self, phi: Floats) -> Floats:
        """Return unit vectors g, also for features whose squares round to 0."""
        g = phi @ self.whitener.mT
        if np.abs(g).max(axis=-1).min() < SHORT:
            g = scaled(scaled(phi) @ self.whitener.mT)
        return g / np.linalg.norm(g, axis=-1, keepdims=True)

    def tell(  # type: ignore[override]  # the batch's features are public
        self, released: Floats, phi: Floats
    ) -> None:
        """Take the released sum of g r and the played features."""
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
