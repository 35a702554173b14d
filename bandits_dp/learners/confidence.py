r"""Confidence widths for sums of rewards that carry noise.

Both classes follow one arm: ``add`` says that more batches were released, ``half_width`` answers how far the released mean may
be from the true mean.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp.privatizers import Privatizer


class ChernoffWidth:
    r"""Rigorous width from the exact tails of the noise (certified calibration).

    Let :math:`g(s)` be the sum over all batches so far of the log-moment generating functions of the noise, and of Hoeffding's
    :math:`m s^2 / 8` for m rewards in [0, 1]. By Chernoff's bound each side of the released mean of :math:`N` rewards is off by
    more than :math:`\min_s (g(s) + L) / (s N)` with probability at most :math:`e^{-L}`. Every s gives a valid bound, so a minimum
    over a fixed grid is one, too. For Gaussian noise of total variance v it is :math:`\sqrt{2 L (v + N/4)} / N`.

    **Union bound.** With :math:`L = \ln(2 P T)`, P the largest possible number of decisions: over K arms, P phases and two sides,
    some width fails with probability at most K / T, which costs no more regret than one pull of every arm.

    Parameters
    ----------
    horizon : int
        T, >= 1.
    decisions : int
        P, >= 1.
    """

    def __init__(self, horizon: int, decisions: int) -> None:
        self.log_failure = math.log(2 * decisions * horizon)
        # The best s is near sqrt(8 L / N) or below; N is at most T, and s beyond 30 helps nobody.
        self.s = np.geomspace(math.sqrt(self.log_failure / horizon) / 1e3, 30.0, 300)
        self._last: tuple[Privatizer | None, np.ndarray] = (None, self.s)
        self.forget()

    def forget(self) -> None:
        """Start anew, without any release."""
        self.log_mgf = np.zeros_like(self.s)
        self.users = 0

    def add(self, privatizer: Privatizer, batches: int = 1) -> None:
        """Take in ``batches`` more releases of the privatizer."""
        if self._last[0] is not privatizer:  # equal batches share one privatizer
            rewards = privatizer.users * self.s**2 / 8  # Hoeffding's lemma
            self._last = (privatizer, rewards + privatizer.log_mgf(self.s))
        self.log_mgf += batches * self._last[1]
        self.users += batches * privatizer.users

    def half_width(self) -> float:
        """Return the width of one side of the mean; infinite before the first release."""
        if self.users == 0:
            return math.inf
        return float(((self.log_mgf + self.log_failure) / self.s).min() / self.users)

    def fewest_users(self, privatizer: Privatizer, half_width: float) -> int:
        """Return the fewest users of a single batch for a given half width, if noise does not depend on their number."""
        s = self.s[self.s < 8 * half_width]
        # half_width >= (N s^2 / 8 + noise + L) / (s N), solved for N
        needed = (privatizer.log_mgf(s) + self.log_failure) / (s * (half_width - s / 8))
        return math.ceil(float(needed.min()))

    def pack(self) -> dict[str, ArrayLike]:
        """Return what ``add`` changes, by name."""
        return {"width_users": self.users, "width_log_mgf": self.log_mgf}

    def unpack(self, state: dict[str, NDArray[Any]]) -> None:
        """Take back what ``pack`` returned."""
        self.users, self.log_mgf = int(state["width_users"]), state["width_log_mgf"].reshape(self.s.shape)


class PaperWidth:
    r"""Width as printed in the paper (theorem calibration).

    :math:`I = (2 \sqrt{t} \sigma / N + 1 / \sqrt{N}) \sqrt{2 \ln T}` (Tenenbaum et al. 2021, Algorithm 1, line 14), where
    the paper's :math:`\sigma^2 = O(\log(1/\delta) / \varepsilon^2)` is a sub-Gaussian parameter, known up to a constant. We put the
    variance v of the t noises in the place of :math:`t \sigma^2`. Line 14 then fails with probability at most
    :math:`2 T^{-2} + 2 T^{-4}` for sums of noise bits, by Bernstein's inequality, as long as :math:`\ln T \le 9 v / 8`.

    Parameters
    ----------
    horizon : int
        T, >= 1.
    """

    def __init__(self, horizon: int) -> None:
        self.scale = math.sqrt(2 * math.log(horizon))
        self.forget()

    def forget(self) -> None:
        """Start anew, without any release."""
        self.variance = 0.0
        self.users = 0

    def add(self, privatizer: Privatizer, batches: int = 1) -> None:
        """Take in ``batches`` more releases of the privatizer."""
        self.variance += batches * privatizer.noise_std**2
        self.users += batches * privatizer.users

    def half_width(self) -> float:
        """Return the width of one side of the mean; infinite before the first release."""
        if self.users == 0:
            return math.inf
        n = self.users
        return (2 * math.sqrt(self.variance) / n + 1 / math.sqrt(n)) * self.scale  # Algorithm 1, line 14

    def pack(self) -> dict[str, ArrayLike]:
        """Return what ``add`` changes, by name."""
        return {"width_users": self.users, "width_variance": self.variance}

    def unpack(self, state: dict[str, NDArray[Any]]) -> None:
        """Take back what ``pack`` returned."""
        self.users, self.variance = int(state["width_users"]), float(state["width_variance"])
