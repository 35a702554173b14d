r"""Approximate privacy by distributed noise: differences of Poisson numbers sum to Skellam noise.

Sums of Poisson numbers are Poisson numbers, so n users, each with a share of the variance, make
Skellam noise of any variance (Agarwal, Kairouz, Liu 2021; Chowdhury & Zhou 2023, section 5). Its
tails are lighter than discrete Laplace tails.
"""

import math

import numpy as np
from numpy.typing import NDArray

from bandits_dp import _checks
from bandits_dp._types import Floats
from bandits_dp.accounting.gaussian import gaussian_noise_std
from bandits_dp.accounting.skellam import skellam_variance
from bandits_dp.noise.exact_counts import UNIT, poisson, units
from bandits_dp.privatizers.base import certified
from bandits_dp.privatizers.domain import BITS, Box
from bandits_dp.privatizers.secure_sum import SecureSum

MOST_VARIANCE = 1e12
# beyond, the exact divergence takes seconds; rounding may add more than 1% from 10^6 users on
MOST_LEVELS = 1024


class SkellamSum(SecureSum):
    """Sum by secure aggregation with Skellam noise.

    Parameters as for :class:`DiscreteLaplaceSum`, except: delta is in (0, 1), epsilon is any number
    > 0, and ``calibration`` is "certified" (the exact divergence) or "theorem" (the published bound
    on the Renyi divergence, which gives up to 20% more noise around epsilon = 1, and far more at
    large epsilon).

    Attributes
    ----------
    variance : float
        Variance mu of the honest users' noise, in integers. Each user draws Poisson numbers with a
        mean that is a multiple of 2^-53.

    Raises
    ------
    ValueError
        If an argument is out of range, or the calibration is ``"experiment"``.

    Notes
    -----
    The certified guarantee is rigorous: one user moves the sum of integers by at most g, and the
    divergence of the honest users' noise from its shift by g is summed exactly
    (:mod:`bandits_dp.accounting.skellam`). The rest is post-processing.

    Examples
    --------
    >>> import numpy as np
    >>> import bandits_dp as bdp
    >>> noisy = bdp.privatizers.SkellamSum(1000, epsilon=1.0, delta=1e-6)
    >>> [released] = noisy.release([1, 1, 1, 0] * 250, np.random.default_rng(1))  # 750 slept well
    >>> print(f"{released:.0f} of 1000 slept well, give or take {noisy.noise_std:.1f}")
    749 of 1000 slept well, give or take 3.8
    """

    @_checks.checked()
    def __init__(self, users: int, epsilon: float, delta: float, calibration: str = "certified",
                 domain: Box = BITS, honest_fraction: float = 1.0) -> None:
        super().__init__(users, domain, honest_fraction)
        exact = certified(calibration, "the Skellam sum",
                          "no constants are known that give the published figures")
        levels = 1
        # rounding, of std sqrt(n) / 2, then adds at most 1% to nearly Gaussian noise
        if not domain.whole:
            levels = min(
                math.ceil(math.sqrt(self.users)
                          / (2 * 0.14 * gaussian_noise_std(epsilon, delta, 1.0))), MOST_LEVELS)
        variance = skellam_variance(epsilon, delta, levels, "exact" if exact else "renyi")
        if variance > MOST_VARIANCE:
            raise ValueError("epsilon must be so large that noise has a variance of at most "
                             f"{MOST_VARIANCE:g}, in integers up to {levels:,}, got {epsilon:g}, "
                             f"which needs {variance:.3g} and as many random numbers")
        self._mean_units = units(variance, 2 * self.honest)
        self.variance = 2 * self.honest * self._mean_units / UNIT
        self._set_up(levels, math.sqrt(self.variance * self.users / self.honest))
        reason = ("exact divergence of Skellam noise" if exact
                  else "Renyi divergence of Skellam noise (Agarwal, Kairouz, Liu 2021)")
        reason += (f" of variance {self.variance:.4g} on a sum of integers that moves by at most "
                   f"{levels}")
        self._promise(epsilon, delta, calibration, reason + self._trust)

    def _draw(self, users: int, shape: tuple[int, ...],
              rng: np.random.Generator) -> NDArray[np.int64]:
        """Draw a difference of Poisson numbers; time grows like the variance."""
        return np.subtract(*poisson(users * self._mean_units, (2, *shape), rng))

    def _simulate(self, users: int, shape: tuple[int, ...],
                  rng: np.random.Generator) -> NDArray[np.int64]:
        return np.subtract(*rng.poisson(self.variance * users / self.honest / 2, (2, *shape)))

    def _log_mgf(self, s: Floats) -> Floats:
        """Return variance * (cosh(s) - 1)."""
        return 2 * (self.variance * self.users / self.honest) * np.sinh(s / 2) ** 2
