"""Laplace noise, at the server (central model) or at every user (local model)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from bandits_dp import _checks
from bandits_dp._types import Floats
from bandits_dp.accounting.laplace import laplace_scale
from bandits_dp.noise.grid import Grid
from bandits_dp.privatizers.base import certified
from bandits_dp.privatizers.domain import UNIT_INTERVAL, Domain, domain_grid
from bandits_dp.privatizers.senders import Noisy, Trusting


class _LaplaceSum(Trusting):
    """Sum with ``draws`` Laplace noises per coordinate, calibrated to the domain's l1 diameter."""

    @_checks.checked(delta=_checks.mass)
    def __init__(self, users: int, epsilon: float, delta: float = 0.0,
                 calibration: str = "certified", domain: Domain = UNIT_INTERVAL,
                 clip: bool = False) -> None:
        super().__init__(users, domain, clip)
        if not certified(calibration, "a Laplace sum") or self.dimension > 1:
            delta = 0.0  # the profile with delta is proved for one number only
        self.scale = laplace_scale(epsilon, delta, domain.l1_diameter)
        self.draws = self.users if self.model == "local" else 1
        self.noise_std = math.sqrt(2 * self.draws) * self.scale
        more = "; with delta, Balle et al. 2018" if delta else ""
        reason = (f"Laplace mechanism, l1-sensitivity {domain.l1_diameter:.4g} (Dwork et al. "
                  f"2006{more})")
        self._promise(epsilon, delta, calibration, reason)

    @property
    def grid(self) -> Grid:  # type: ignore[override]
        """The grid of one draw's noise, on which sums of values are exact."""
        return domain_grid("laplace", self.scale, self.domain,
                           1 if self.model == "local" else self.users)

    def release_sum(self, total: ArrayLike, rng: np.random.Generator,
                    batches: int = 1) -> Floats:
        """Add noise to every entry: Laplace draws sum to a difference of two Gamma draws."""
        total = np.asarray(total, dtype=float)
        up, down = rng.gamma(batches * self.draws, self.scale, (2, *total.shape))
        return np.asarray(total + up - down)

    def log_mgf(self, s: Floats) -> Floats:
        """Return -draws * log(1 - (s * scale)^2), infinite from s = 1 / scale on."""
        square = (s * self.scale) ** 2
        return np.where(square < 1, -self.draws * np.log1p(-np.minimum(square, 1 - 1e-16)), np.inf)


class CentralLaplace(_LaplaceSum):
    """Sum plus Laplace noise at the server.

    Parameters
    ----------
    users : int
        Batch size n, >= 1.
    epsilon : float
        Privacy parameter, > 0.
    delta : float
        Failure mass, in [0, 1); 0 gives pure privacy. Vectors ignore it and use 0.
    calibration : {"certified", "theorem"}
        The scale that uses delta (:func:`bandits_dp.accounting.laplace.laplace_scale`), or the
        scale for delta = 0.
    domain : Domain
        Allowed values of one user; the l1 diameter is the sensitivity.
    clip : bool
        Whether to move values outside to the domain's border.

    Raises
    ------
    ValueError
        If an argument is out of range, or the calibration is ``"experiment"``, which no paper has
        for this sum.

    Examples
    --------
    >>> import numpy as np
    >>> import bandits_dp as bdp
    >>> noisy = bdp.privatizers.CentralLaplace(1000, epsilon=1.0)
    >>> [released] = noisy.release([1, 1, 1, 0] * 250, np.random.default_rng(1))  # 750 slept well
    >>> print(f"{released:.0f} of 1000 slept well, give or take {noisy.noise_std:.1f}")
    752 of 1000 slept well, give or take 1.4
    """


class LocalLaplace(Noisy, _LaplaceSum):
    """Sum of values to which every user adds Laplace noise.

    Parameters as for :class:`CentralLaplace`; ``noise_std`` is sqrt(users) times one user's std.

    Examples
    --------
    >>> import numpy as np
    >>> import bandits_dp as bdp
    >>> noisy = bdp.privatizers.LocalLaplace(1000, epsilon=1.0)
    >>> [released] = noisy.release([1, 1, 1, 0] * 250, np.random.default_rng(1))  # 750 slept well
    >>> print(f"{released:.0f} of 1000 slept well, give or take {noisy.noise_std:.1f}")
    718 of 1000 slept well, give or take 44.7
    """
