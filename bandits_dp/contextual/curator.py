"""The curator of private rewards: a server that releases a regression's parameter every round.

Contexts are public. A user's row has x (r - c), where x are the shown features and c is the middle
of the rewards' range, and then x twice: as the direction that is counted, and as the features that
the learner gets back. For the distributions of its noise see :mod:`bandits_dp.contextual.dynamic`;
its methods have the names of :mod:`bandits_dp.app.streams`.
"""

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from bandits_dp._snapshot import snapshot
from bandits_dp._types import Floats
from bandits_dp.contextual.dynamic import DynamicGaussian, DynamicLaplace
from bandits_dp.guarantee import Guarantee
from bandits_dp.noise.grid import FINE, whole
from bandits_dp.privatizers.domain import Ball

ENOUGH = 26  # bits of features below the leading bit of the ridge's root
ROUNDED = 4e-9  # relative, of a change of x r: norms of x (r - c) are checked up to 3e-9


class Curator:
    r"""A trusted server that releases :math:`A_t^{-1} b_t + \eta_t` in every round.

    Wang, Zhao, Wang 2022, Algorithm 1. A reward r enters :math:`b_t` as x (r - c), which is rounded
    without c for any reward range, plus the public x c.

    It may also perturb the shown features (Corollary 1). Perturbed features replace the true ones
    everywhere but in the reward: both the choice of the arm and the regression use them. Before the
    first release features are not perturbed.

    Parameters
    ----------
    eta : DynamicGaussian or DynamicLaplace
        The noise.
    ridge : float
        lambda, > 0.
    guarantee : Guarantee
        Guarantee of all releases together to each user.
    domain : Ball
        Allowed values x (r - c) of one user, if features are not perturbed.
    middle : float
        The number c.
    context_std : float
        Standard deviation of the noise on every coordinate of shown features, >= 0.
    arms : int
        Number of feature vectors shown in a round; needed if ``context_std`` is positive.

    Attributes
    ----------
    vector, gram : ndarray of int, shapes (d,) and (d, d)
        The exact sums of x r, in steps of ``step``, which must stay secret, and of x x', in steps
        of ``unit`` squared.
    step, unit : float
        Powers of two to which x r and x are rounded. (Contexts are public, so rounding x costs no
        privacy; a simulator does not round.)
    dimension, ahead : int
        Random numbers per round in :meth:`draw`: noise on the parameter, then on the next contexts.
    """

    changes = ("vector", "gram", "eta")
    users, noisy, adds = 1, True, False

    def __init__(self, eta: DynamicGaussian | DynamicLaplace, ridge: float, guarantee: Guarantee,
                 domain: Ball, middle: float = 0.0, context_std: float = 0.0,
                 arms: int = 0) -> None:
        self.public = d = eta.dimension
        self.domain, self.middle = domain, middle
        self.eta, self.ridge, self.guarantee, self.context_std, self.bits_per_user = (
            eta, ridge, guarantee, context_std, 64.0 * d)
        self.dimension = self.ahead = d * (1 + (arms if context_std else 0))
        self.step, self.unit = (power_of_two(eta.change) * 2.0**-FINE,
                                power_of_two(math.sqrt(ridge)) * 2.0**-ENOUGH)
        self.vector, self.gram = np.zeros(d, dtype=object), np.zeros((d, d), dtype=object)
        self._sums = np.zeros(d), np.zeros((d, d))  # of simulators
        self.context_noise = np.zeros(0)

    def check(self, values: Floats, name: str) -> None:
        """Raise a ValueError if a norm of x (r - c) exceeds the bound; skip perturbed features."""
        if not self.context_std:
            self.domain.check(values[:, : self.public], name)

    def send(self, values: Floats, rng: np.random.Generator) -> Floats:
        """Check and return the rows: the server is trusted with them."""
        self.check(values, "rewards times their features")
        return values

    def receive(self, waiting: Floats, rng: np.random.Generator) -> Floats:
        """Release the parameter after one more round."""
        counted, direction, shown = np.split(waiting, 3, axis=1)
        xr, x = (whole(counted, self.step) + whole(self.middle * direction, self.step),
                 whole(shown, self.unit))
        self.vector, self.gram = self.vector + xr.sum(axis=0), self.gram + x.T @ x
        A = self.gram + np.eye(self.public, dtype=object) * math.ceil(self.ridge / self.unit**2)
        numerators, determinant = solution(A, self.vector)
        scale = Fraction(self.step) / Fraction(self.unit) ** 2 / determinant
        moved = ROUNDED * self.eta.change + self.step * math.sqrt(self.public)
        self.eta = snapshot(self.eta)
        return self.eta.release([n * scale for n in numerators], A.astype(float) * self.unit**2,
                                self.ridge, moved, rng)

    def tape(self, batches: int) -> int:
        """Return ``batches``: the noise of a whole run is drawn together."""
        return batches

    def draw(self, batches: int, rng: np.random.Generator) -> Floats:
        """Draw the noise of one run."""
        noise = self.eta.path(rng, batches)
        return np.hstack([noise,
                          self.context_std * rng.normal(size=(batches, self.ahead - self.public))])

    def advance(self, values: Floats, rows: Floats) -> Floats:
        """Release the parameters of many runs after one more round."""
        counted, direction, x = np.split(values, 3, axis=-1)
        xr = counted + self.middle * direction
        vector, gram = self._sums = self._sums[0] + xr.sum(axis=-2), self._sums[1] + x.mT @ x
        A = gram + self.ridge * np.eye(self.public)
        parameter = np.linalg.solve(A, vector[..., None])[..., 0]
        self.context_noise = rows[:, None, self.public :]
        return parameter + self.eta.factor(A, self.ridge) * rows[:, : self.public]


def power_of_two(number: float) -> float:
    """Return the largest power of two <= ``number``."""
    return math.ldexp(1.0, math.frexp(number)[1] - 1)


def solution(A: NDArray[np.object_], b: NDArray[np.object_]) -> tuple[list[int], int]:
    """Solve A x = b exactly, for integers and positive definite A.

    Returns numerators and their common denominator, by fraction-free elimination (Bareiss 1968), in
    which no division leaves a remainder.
    """
    rows, last, d = np.column_stack([A, b]), 1, len(A)
    for k in range(d):
        pivot, below = rows[k, k], rows[k + 1 :]
        below[:, k + 1 :] = (
            (below[:, k + 1 :] * pivot - np.outer(below[:, k], rows[k, k + 1 :])) // last)
        last = pivot
    x = np.zeros(d, dtype=object)
    for k in reversed(range(d)):
        x[k] = (last * rows[k, d] - rows[k, k + 1 : d] @ x[k + 1 :]) // rows[k, k]
    return x.tolist(), last
