r"""Noise on the parameters themselves, certified: dynamic sensitivity with noise that is proved to do for all releases.

Wang, Zhao, Wang (2022) release :math:`A_t^{-1} b_t + \eta_t`, with noise that shrinks as a reward moves the parameter less and
less. What they add is in :mod:`bandits_dp.learners.reward_private_dgs`.

**Certified** (:class:`DynamicGaussian`): the idea, with a proof. Since :math:`A_t` is public, so is the bound :math:`\lVert
A_t^{-1} x_j (r_j - r_j') \rVert_2 \le c L / \lambda_{\min}(A_t)`, c the length of the rewards' range: no assumption on contexts is
needed. A reward is in all T releases, and noise is independent, so each gets Gaussian noise of std :math:`\sqrt T c L /
(\lambda_{\min}(A_t) \mu)`, where :math:`1 / \mu` is the noise of one exact Gaussian mechanism of sensitivity 1. Given the past, the
shift in units of the noise is at most :math:`\mu / \sqrt T`, surely; T of them compose to at most one of :math:`\mu`
(:mod:`bandits_dp.learners.reward_private`). That is the price of independent noise on parameters: it grows like the square root of
T, where a counter's grows like its logarithm.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from bandits_dp import _checks
from bandits_dp.accounting.gaussian import gaussian_noise_std
from bandits_dp.guarantee import Guarantee
from bandits_dp.learners.linucb_release import Floats, Release, Rngs
from bandits_dp.widths.ridge import NoiseLaw


class ParameterNoise(Release):
    """Noise that is added to estimates, one row per round; with ``context_std``, also the noise on the next round's contexts.

    Parameters
    ----------
    dimension, horizon : int
        d and T, >= 1.
    guarantee : Guarantee
        What it promises.
    arms : int
        Candidates per round.
    context_std : float
        Standard deviation of the noise on every coordinate of every context, >= 0; 0 for none.
    """

    private_matrix = False

    def __init__(self, dimension: int, horizon: int, guarantee: Guarantee, arms: int, context_std: float = 0.0) -> None:
        self.arms = arms
        self.context_std = _checks.real("perturb_contexts", context_std, 0.0, math.inf, ends="[)")
        super().__init__(dimension, 1, horizon)
        self.tape = horizon
        self.guarantee = guarantee
        self.bits_per_user = 64.0 * self.entries

    @property
    def entries(self) -> int:
        """Numbers per noise row: those on the parameter, then those on the contexts, arm by arm."""
        return self.dimension * (1 + (self.arms if self.context_std > 0 else 0))

    def factor(self, least: NDArray[np.float64]) -> NDArray[np.float64] | float:
        """Return what noise rows are multiplied by, given lower bounds on the least eigenvalues of A."""
        return 1.0

    def parameter_noise(self, rng: np.random.Generator, rounds: int) -> NDArray[np.float64]:
        """Draw the noise on the first parameters, shape (rounds, d)."""
        raise NotImplementedError

    def draw(self, rng: np.random.Generator, batches: int) -> NDArray[np.float64]:
        """Draw all noise of a run."""
        noise = self.parameter_noise(rng, batches)
        if self.context_std == 0:
            return noise
        return np.hstack([noise, self.context_std * rng.normal(size=(batches, self.entries - self.dimension))])

    def noise(self, before: Floats, row: Floats, phi: Floats, y: Floats, rngs: Rngs) -> Floats:
        """Return this round's row."""
        return row


class DynamicGaussian(ParameterNoise):
    """Noise for the sensitivity that the public matrix shows, composed over all rounds: certified.

    Parameters
    ----------
    dimension, horizon, guarantee, arms
        As in :class:`ParameterNoise`.
    epsilon, delta : float
        The promise.
    change : float
        c L: length of the rewards' range times the bound on the norm of features.
    """

    def __init__(
        self, dimension: int, horizon: int, guarantee: Guarantee, arms: int, epsilon: float, delta: float, change: float
    ) -> None:
        super().__init__(dimension, horizon, guarantee, arms)
        self.scale = gaussian_noise_std(epsilon, delta, change) * math.sqrt(horizon)
        self.law = NoiseLaw(np.ones(horizon), np.zeros(horizon))

    def factor(self, least: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the std of the noise."""
        return self.scale / least

    def parameter_noise(self, rng: np.random.Generator, rounds: int) -> NDArray[np.float64]:
        """Draw standard normal numbers."""
        return rng.normal(size=(rounds, self.dimension))
