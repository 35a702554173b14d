r"""Widths for sums of rewards that carry noise.

Both kinds follow one arm, and never change: ``after`` gives the width once more batches are released, ``half_width`` answers how
far the released mean may be from the true mean.
"""

import math
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from bandits_dp import _checks
from bandits_dp._state import snapshot
from bandits_dp.ask_tell import Noise


class ArmWidth(Protocol):
    """How far the released mean of an arm may be from its true mean.

    Examples
    --------
    >>> import bandits_dp as bdp
    >>> from bandits_dp.learners import ArmElimination
    >>> from bandits_dp.arms.batches import EqualBatches
    >>> class Generous:  # a tenth to either side, whatever the noise; it proves nothing
    ...     users = 0
    ...     def after(self, noise, phases=1):
    ...         then = Generous()
    ...         then.users = self.users + phases * noise.users
    ...         return then
    ...     def half_width(self):
    ...         return 0.1
    ...     def forget(self, phase, arms):
    ...         return Generous()
    >>> learner = ArmElimination(2, EqualBatches(100), Generous())
    >>> learner.tell([81.3, 49.8], [bdp.privatizers.CentralLaplace(100, epsilon=1.0)] * 2)
    >>> learner.viable.tolist()
    [0]
    """

    users: int

    def after(self, noise: Noise, phases: int = 1) -> Self:
        """Return the width after so many more releases with this noise."""

    def half_width(self) -> float:
        """Return the width of one side of the mean; infinite before the first release."""

    def forget(self, phase: int, arms: int) -> Self:
        """Return the width without any release, at the start of a phase with so many viable arms."""


class SummedWidth:
    """What widths share: users, and something about the noise, that add up over releases."""

    changes = ("users", "noise")
    users: int = 0
    noise: Any = 0.0
    none: Any = 0.0  # what ``noise`` is before the first release

    def forget(self, phase: int, arms: int) -> Self:
        """Return the width without any release."""
        fresh = snapshot(self)
        fresh.users, fresh.noise = 0, self.none
        return fresh

    def after(self, noise: Noise, phases: int = 1) -> Self:
        """Return the width after so many more releases with this noise."""
        then = snapshot(self)
        then.users, then.noise = self.users + phases * noise.users, self.noise + phases * then._of(noise)
        return then

    def half_width(self) -> float:
        """Return the width of one side of the mean; infinite before the first release."""
        return float(self._half_width(self.users)) if self.users else math.inf

    def _of(self, noise: Noise) -> Any:
        """Return what one release adds to ``noise``."""

    def _half_width(self, n: int) -> Any:
        """Return the width for n > 0 rewards."""


class ChernoffWidth(SummedWidth):
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

    Examples
    --------
    >>> import bandits_dp as bdp
    >>> from bandits_dp.arms.widths import ChernoffWidth
    >>> width = ChernoffWidth(horizon=10_000, decisions=5)
    >>> for epsilon in (1.0, 0.01):
    ...     noise = bdp.privatizers.CentralLaplace(1000, epsilon=epsilon)
    ...     print(f"{width.after(noise).half_width():.2f}")  # more than 1 says nothing of a mean in [0, 1]
    0.08
    1.46
    """

    fixed = ("noise",)

    @_checks.checked()
    def __init__(self, horizon: int, decisions: int) -> None:
        self.log_failure = math.log(2 * decisions * horizon)
        # The best s is near sqrt(8 L / N) or below; N is at most T, and s beyond 30 helps nobody.
        self.s = np.geomspace(math.sqrt(self.log_failure / horizon) / 1e3, 30.0, 300)
        self._last: tuple[Noise | None, NDArray[np.float64]] = (None, self.s)
        self.noise = self.none = np.zeros_like(self.s)

    def _of(self, noise: Noise) -> NDArray[np.float64]:
        if self._last[0] is not noise:  # equal batches share one privatizer
            self._last = noise, noise.users * self.s**2 / 8 + noise.log_mgf(self.s)  # Hoeffding's lemma
        return self._last[1]

    def _half_width(self, n: int) -> Any:
        return ((self.noise + self.log_failure) / self.s).min() / n

    def fewest_users(self, noise: Noise, half_width: float) -> int:
        """Return the fewest users of a single batch for a given half width, if noise does not depend on their number."""
        s = self.s[self.s < 8 * half_width]
        # half_width >= (N s^2 / 8 + noise + L) / (s N), solved for N
        needed = (noise.log_mgf(s) + self.log_failure) / (s * (half_width - s / 8))
        return math.ceil(float(needed.min()))


class PaperWidth(SummedWidth):
    r"""Width as printed in the paper (theorem calibration).

    :math:`I = (2 \sqrt{t} \sigma / N + 1 / \sqrt{N}) \sqrt{2 \ln T}` (Tenenbaum et al. 2021, Algorithm 1, line 14), where
    the paper's :math:`\sigma^2 = O(\log(1/\delta) / \varepsilon^2)` is a sub-Gaussian parameter, known up to a constant. We put the
    variance v of the t noises in the place of :math:`t \sigma^2`. Line 14 then fails with probability at most
    :math:`2 T^{-2} + 2 T^{-4}` for sums of noise bits, by Bernstein's inequality, as long as :math:`\ln T \le 9 v / 8`.

    Parameters
    ----------
    horizon : int
        T, >= 1.

    Examples
    --------
    >>> import bandits_dp as bdp
    >>> from bandits_dp.arms.widths import PaperWidth
    >>> noise = bdp.privatizers.CentralLaplace(1000, epsilon=1.0)
    >>> width = PaperWidth(horizon=10_000)
    >>> [round(width.after(noise, phases).half_width(), 3) for phases in (1, 4)]  # four times the users, half the width
    [0.148, 0.074]
    """

    @_checks.checked()
    def __init__(self, horizon: int) -> None:
        self.scale = math.sqrt(2 * math.log(horizon))

    def _of(self, noise: Noise) -> float:
        return noise.noise_std**2

    def _half_width(self, n: int) -> float:
        return (2 * math.sqrt(self.noise) / n + 1 / math.sqrt(n)) * self.scale  # Algorithm 1, line 14
