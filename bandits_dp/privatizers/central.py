"""The central model: users send their values, and a trusted server adds noise to the sum."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp import _checks
from bandits_dp.accounting.gaussian import classical_gaussian_noise_std, gaussian_noise_std
from bandits_dp.accounting.laplace import laplace_scale
from bandits_dp.guarantee import Guarantee, no_guarantee
from bandits_dp.privatizers.base import NEIGHBOURS, Privatizer

UNIT = "one reward in [0, 1]"


class _CentralSum(Privatizer):
    """What both noises share: honest messages, and one draw of noise at the server."""

    bits_per_user = 64.0  # one double-precision number
    span = float("inf")

    def randomize(self, values: ArrayLike, rng: np.random.Generator) -> NDArray[Any]:
        """Send the value itself: the server is trusted with it."""
        return self.check(values)

    def analyze(self, messages: NDArray[Any], rng: np.random.Generator) -> NDArray[np.float64]:
        """Add the messages up, and one noise."""
        return self.release_sum(messages.sum(axis=0), rng)


class CentralGaussian(_CentralSum):
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
    strict : bool
        Whether the theorem calibration refuses epsilon >= 1, where the textbook proves nothing.

    Raises
    ------
    ValueError
        If an argument is out of range, or the calibration is ``"experiment"``: no paper publishes one for this sum.
    """

    def __init__(
        self, users: int, epsilon: float, delta: float, calibration: str = "certified", strict: bool = True
    ) -> None:
        super().__init__(users)
        _known(calibration)
        if calibration == "certified":
            self.noise_std = gaussian_noise_std(epsilon, delta)
            reason = "exact Gaussian mechanism, sensitivity 1 (Balle & Wang 2018, Theorem 8)"
        else:
            self.noise_std = classical_gaussian_noise_std(epsilon, delta, strict=strict)
            reason = "classical Gaussian mechanism, sensitivity 1 (Dwork & Roth 2014, Theorem A.1)"
        if calibration == "theorem" and epsilon >= 1:
            text = f"the classical formula is proved for epsilon < 1 only, and epsilon is {epsilon:g}"
            self.guarantee = no_guarantee("central", UNIT, NEIGHBOURS, calibration, text)
        else:
            self.guarantee = Guarantee(epsilon, delta, "central", UNIT, NEIGHBOURS, calibration, reason)

    def release_sum(
        self, total: ArrayLike, rng: np.random.Generator, batches: int = 1
    ) -> NDArray[np.float64]:
        """Add N(0, batches * noise_std^2) to every entry."""
        total = np.asarray(total, dtype=float)
        return np.asarray(total + rng.normal(0.0, self.noise_std * np.sqrt(batches), total.shape))

    def log_mgf(self, s: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return s^2 noise_std^2 / 2."""
        return np.asarray(s**2 * self.noise_std**2 / 2)


class CentralLaplace(_CentralSum):
    """Sum plus Laplace noise at the server.

    Parameters
    ----------
    users : int
        Batch size n, >= 1.
    epsilon : float
        Privacy parameter, > 0.
    delta : float
        Failure mass, in [0, 1); 0 gives pure privacy.
    calibration : {"certified", "theorem"}
        The scale that uses delta (:func:`bandits_dp.accounting.laplace.laplace_scale`), or 1 / epsilon, which does not need it.

    Raises
    ------
    ValueError
        If an argument is out of range, or the calibration is ``"experiment"``: no paper publishes one for this sum.
    """

    def __init__(self, users: int, epsilon: float, delta: float = 0.0, calibration: str = "certified") -> None:
        super().__init__(users)
        delta = _checks.delta(delta, zero=True)
        if _known(calibration) == "theorem":
            delta = 0.0
        self.scale = laplace_scale(epsilon, delta)
        self.noise_std = float(np.sqrt(2) * self.scale)
        reason = "Laplace mechanism, sensitivity 1 (Dwork et al. 2006; with delta, Balle et al. 2018, Theorem 3)"
        self.guarantee = Guarantee(epsilon, delta, "central", UNIT, NEIGHBOURS, calibration, reason)

    def release_sum(
        self, total: ArrayLike, rng: np.random.Generator, batches: int = 1
    ) -> NDArray[np.float64]:
        """Add Laplace noise to every entry; several Laplace draws add up to a difference of two Gamma draws."""
        total = np.asarray(total, dtype=float)
        up, down = rng.gamma(batches, self.scale, (2, *total.shape))
        return np.asarray(total + up - down)

    def log_mgf(self, s: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return -log(1 - (s * scale)^2), infinite from s = 1 / scale on."""
        square = (s * self.scale) ** 2
        return np.where(square < 1, -np.log1p(-np.minimum(square, 1 - 1e-16)), np.inf)


def _known(calibration: str) -> str:
    if _checks.calibration(calibration) == "experiment":
        raise ValueError("calibration must be 'certified' or 'theorem' for a central sum of rewards, got 'experiment': "
                         "no paper publishes a figure with it")
    return calibration
