r"""Widths for noisy sums of rewards.

A width belongs to one arm and is immutable: ``after`` returns the width after more releases, and
``half_width`` bounds the distance of the released mean from the true mean.
"""

import math
from typing import Any, Protocol, Self

import numpy as np

from bandits_dp import _checks
from bandits_dp._snapshot import snapshot
from bandits_dp._types import Floats
from bandits_dp.ask_tell import Noise


class ArmWidth(Protocol):
    """Bounds on the distance of an arm's released mean from its true mean.

    Examples
    --------
    >>> import bandits_dp as bdp
    >>> from bandits_dp.learners import ArmElimination
    >>> from bandits_dp.arms.batches import EqualBatches
    >>> class Generous:  # 0.1 to either side; it proves nothing
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
        """Return the width after ``phases`` more releases with this noise."""

    def half_width(self) -> float:
        """Return the width of one side of the mean; infinite before the first release."""

    def forget(self, phase: int, arms: int) -> Self:
        """Return the width without releases, for a phase that begins with ``arms`` arms."""


class SummedWidth:
    """Base class of widths: users, and facts about the noise, add up over releases."""

    changes = ("users", "noise")
    users: int = 0
    noise: Any = 0.0
    none: Any = 0.0  # ``noise`` before the first release

    def forget(self, phase: int, arms: int) -> Self:
        """Return the width without releases."""
        fresh = snapshot(self)
        fresh.users, fresh.noise = 0, self.none
        return fresh

    def after(self, noise: Noise, phases: int = 1) -> Self:
        """Return the width after ``phases`` more releases with this noise."""
        then = snapshot(self)
        then.users, then.noise = (self.users + phases * noise.users,
                                  self.noise + phases * then._of(noise))
        return then

    def half_width(self) -> float:
        """Return the width of one side of the mean; infinite before the first release."""
        return float(self._half_width(self.users)) if self.users else math.inf

    def _of(self, noise: Noise) -> Any:
        """Return the summand of ``noise`` for one release."""

    def _half_width(self, n: int) -> Any:
        """Return the width for n > 0 rewards."""


class ChernoffWidth(SummedWidth):
    r"""Rigorous width from the exact tails of the noise (certified calibration).

    Let :math:`g(s)` be the sum, over all batches so far, of the noise's log-moment generating
    function and of Hoeffding's :math:`m s^2 / 8` for m rewards in [0, 1]. By Chernoff's bound the
    released mean of :math:`N` rewards is off by more than :math:`\min_s (g(s) + L) / (s N)` with
    probability at most :math:`e^{-L}` for each side. Every s gives a valid bound, so the minimum
    over a fixed grid is valid, too. For Gaussian noise of total variance v it is
    :math:`\sqrt{2 L (v + N/4)} / N`.

    **Union bound.** With :math:`L = \ln(2 P T)`, where P is the largest possible number of
    decisions, over K arms, P phases and two sides some width fails with probability at most K / T;
    this costs at most the regret of one pull of every arm.

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
    ...     print(f"{width.after(noise).half_width():.2f}")  # above 1 it says nothing
    0.08
    1.46
    """

    @_checks.checked()
    def __init__(self, horizon: int, decisions: int) -> None:
        self.log_failure = math.log(2 * decisions * horizon)
        # The best s is near sqrt(8 L / N) or below; N is at most T, and s above 30 never helps.
        self.s = np.geomspace(math.sqrt(self.log_failure / horizon) / 1e3, 30.0, 300)
        self._last: tuple[Noise | None, Floats] = (None, self.s)
        self.noise = self.none = np.zeros_like(self.s)

    def _of(self, noise: Noise) -> Floats:
        if self._last[0] is not noise:  # equal batches share one privatizer
            # Hoeffding's lemma
            self._last = noise, noise.users * self.s**2 / 8 + noise.log_mgf(self.s)
        return self._last[1]

    def _half_width(self, n: int) -> Any:
        return ((self.noise + self.log_failure) / self.s).min() / n

    def fewest_users(self, noise: Noise, half_width: float) -> int:
        """Return the fewest users of one batch for a half width; noise must not depend on users."""
        s = self.s[self.s < 8 * half_width]
        # half_width >= (N s^2 / 8 + noise + L) / (s N), solved for N
        needed = (noise.log_mgf(s) + self.log_failure) / (s * (half_width - s / 8))
        return math.ceil(float(needed.min()))


class PaperWidth(SummedWidth):
    r"""Width as printed in the paper (theorem calibration).

    :math:`I = (2 \sqrt{t} \sigma / N + 1 / \sqrt{N}) \sqrt{2 \ln T}` (Tenenbaum et al. 2021,
    Algorithm 1, line 14), where the paper's :math:`\sigma^2 = O(\log(1/\delta) / \varepsilon^2)` is
    a sub-Gaussian parameter, known up to a constant. We use the variance v of the t noises instead
    of :math:`t \sigma^2`. Then line 14 fails with probability at most :math:`2 T^{-2} + 2 T^{-4}`
    for sums of noise bits, by Bernstein's inequality, as long as :math:`\ln T \le 9 v / 8`.

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
    >>> [round(width.after(noise, phases).half_width(), 3) for phases in (1, 4)]
    [0.148, 0.074]
    """

    @_checks.checked()
    def __init__(self, horizon: int) -> None:
        self.scale = math.sqrt(2 * math.log(horizon))

    def _of(self, noise: Noise) -> float:
        return noise.noise_std**2

    def _half_width(self, n: int) -> float:
        # Algorithm 1, line 14
        return (2 * math.sqrt(self.noise) / n + 1 / math.sqrt(n)) * self.scale
