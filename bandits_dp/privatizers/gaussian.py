"""Gaussian noise, at the server (central model) or at every user (local model)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from bandits_dp import _checks
from bandits_dp._types import Floats
from bandits_dp.accounting.gaussian import classical_gaussian_noise_std, gaussian_noise_std
from bandits_dp.noise.grid import Grid
from bandits_dp.privatizers.base import certified
from bandits_dp.privatizers.domain import UNIT_INTERVAL, Domain, domain_grid
from bandits_dp.privatizers.senders import Noisy, Trusting


class GaussianNoise(Trusting):
    """Base class of sums with Gaussian noise of std ``noise_std`` in every coordinate."""

    gaussian = True
    unit_std: float  # of one draw

    @property
    def grid(self) -> Grid:  # type: ignore[override]
        """The grid of one draw's noise; sums of values or shuffled messages are exact on it."""
        added = 1 if self.model == "local" else self.users
        return domain_grid("gaussian", self.unit_std, self.domain, added, self.model == "shuffle")

    @property
    def ahead(self) -> int:  # type: ignore[override]
        """One number per coordinate."""
        return self.dimension

    def draw_ahead(self, batches: int, rng: np.random.Generator) -> Floats:
        """Draw the noise of ``batches`` releases."""
        return rng.normal(0.0, self.noise_std, (batches, self.dimension))

    def noise_from(self, rows: Floats,
                   values: Floats) -> Floats:
        """Return the rows; they are the noise."""
        return rows

    def release_sum(self, total: ArrayLike, rng: np.random.Generator,
                    batches: int = 1) -> Floats:
        """Add N(0, batches * noise_std^2) to every entry."""
        total = np.asarray(total, dtype=float)
        return np.asarray(total + rng.normal(0.0, self.noise_std * math.sqrt(batches), total.shape))

    def log_mgf(self, s: Floats) -> Floats:
        """Return s^2 noise_std^2 / 2."""
        return s**2 * self.noise_std**2 / 2


class UserNoise(Noisy, GaussianNoise):
    """Every user adds Gaussian noise of std ``unit_std`` to its own value."""


class _Calibrated(GaussianNoise):
    """Gaussian noise calibrated to the domain's l2 diameter, at the server or at each user."""

    @_checks.checked()
    def __init__(self, users: int, epsilon: float, delta: float, calibration: str = "certified",
                 domain: Domain = UNIT_INTERVAL, clip: bool = False, strict: bool = True) -> None:
        super().__init__(users, domain, clip)
        distance, gap, rho = domain.l2_diameter, "", math.inf
        if certified(calibration, "a Gaussian sum"):
            # exact for all batches
            self.unit_std = gaussian_noise_std(epsilon, delta, distance * math.sqrt(self.batches))
            rho = self.batches * (distance / self.unit_std) ** 2 / 2
            times = f" in each of {self.batches} batches" if self.batches > 1 else ""
            reason = (f"exact Gaussian mechanism, l2-sensitivity {distance:.4g}{times} (Balle & "
                      "Wang 2018, Theorem 8)")
        else:
            each, each_delta = self._each(epsilon, delta, strict)
            self.unit_std = classical_gaussian_noise_std(each, each_delta, distance, strict=strict)
            reason = (f"classical Gaussian mechanism, l2-sensitivity {distance:.4g} (Dwork & Roth "
                      "2014, Theorem A.1)")
            if each >= 1:
                gap = ("the classical formula is proved for epsilon < 1 only, and epsilon is "
                       f"{each:g}")
        self._promise(epsilon, delta, calibration, reason, gap, rho)
        self.noise_std = self.unit_std * math.sqrt(self.users if self.model == "local" else 1)


class CentralGaussian(_Calibrated):
    """Sum plus Gaussian noise at the server.

    Parameters
    ----------
    users : int
        Batch size n, >= 1.
    epsilon : float
        Privacy parameter, > 0; below 1 in the theorem calibration.
    delta : float
        Failure mass, in (0, 1).
    calibration : {"certified", "theorem"}
        Exact noise (Balle & Wang 2018), or the textbook formula (Dwork & Roth 2014, Theorem A.1).
    domain : Domain
        Allowed values of one user; the l2 diameter is the sensitivity.
    clip : bool
        Whether to move values outside to the domain's border.
    strict : bool
        Whether the theorem calibration refuses epsilon >= 1, which the textbook's proof does not
        cover.

    Raises
    ------
    ValueError
        If an argument is out of range, or the calibration is ``"experiment"``, which no paper has
        for this sum.

    Examples
    --------
    >>> import numpy as np
    >>> import bandits_dp as bdp
    >>> noisy = bdp.privatizers.CentralGaussian(1000, epsilon=1.0, delta=1e-6)
    >>> [released] = noisy.release([1, 1, 1, 0] * 250, np.random.default_rng(1))  # 750 slept well
    >>> print(f"{released:.0f} of 1000 slept well, give or take {noisy.noise_std:.1f}")
    756 of 1000 slept well, give or take 4.2
    """


class LocalGaussian(UserNoise, _Calibrated):
    """Sum of values to which every user adds Gaussian noise.

    Parameters as for :class:`CentralGaussian`; ``noise_std`` is sqrt(users) times one user's std.

    Examples
    --------
    >>> import numpy as np
    >>> import bandits_dp as bdp
    >>> noisy = bdp.privatizers.LocalGaussian(1000, epsilon=1.0, delta=1e-6)
    >>> [released] = noisy.release([1, 1, 1, 0] * 250, np.random.default_rng(1))  # 750 slept well
    >>> print(f"{released:.0f} of 1000 slept well, give or take {noisy.noise_std:.1f}")
    571 of 1000 slept well, give or take 133.6
    """
