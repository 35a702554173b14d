"""P_1D: shuffled sum of one number per user (Cheu et al. 2021; Li, Zhou, Ji 2022, Algorithm 4)."""

import math
from functools import lru_cache, partial

from bandits_dp import _checks
from bandits_dp.accounting.binomial import binomial_trials, hockey_stick
from bandits_dp.accounting.gaussian import gaussian_noise_std
from bandits_dp.noise.noise_bits import NoiseBits, least_noise_bits
from bandits_dp.privatizers.base import certified
from bandits_dp.privatizers.bit_sum import BitSum
from bandits_dp.privatizers.domain import UNIT_INTERVAL, Box


@lru_cache(maxsize=1024)
def certified_bits(users: int, epsilon: float, delta: float, levels: int) -> NoiseBits:
    """Fewest noise bits, by exact divergence, for a count that a user moves by up to ``levels``."""
    return least_noise_bits(users, lambda allowed: binomial_trials(epsilon, allowed, levels),
                            partial(hockey_stick, epsilon=epsilon, shift=levels), delta,
                            spare=epsilon)


def theorem_bits(users: int, epsilon: float, delta: float,
                 half_range: float) -> tuple[int, NoiseBits]:
    """Return the printed levels and noise bits for values in [-B, B], B = ``half_range``.

    Li, Zhou, Ji 2022, Algorithm 4. The formulas are damaged in our copy of the paper; this is our
    reading of equation 60, g = 2 B sqrt(n) with ln(2 / delta) in b and p. Rounding up and the
    minimum of 2 levels are ours: g = 1, where B sqrt(n) <= 1/2, would give a true delta of 3.3e-4
    for one user, B = 1/2 and (29.9, 1e-6). Lemma C.5, as we read it, promises epsilon (1/2 + 1/g),
    which is at most epsilon for g >= 2.
    """
    levels = max(2, math.ceil(2 * half_range * math.sqrt(users)))
    mean = 180 * levels**2 * math.log(2 / delta) / ((epsilon / 2) ** 2 * users)
    bits = math.ceil(mean)
    return levels, NoiseBits(bits, 0, mean / 2 / bits)


class ScalarSum(BitSum):
    """P_1D: the shuffled sum of one number per user.

    Parameters as for :class:`VectorSum`, except: ``domain`` is a Box of dimension 1, by default [0,
    1]; ``levels`` are by default enough for rounding to add at most 1% to the noise; and the
    theorem calibration uses the published constants, as we read them, and requires epsilon below 30
    and delta below 1/2.

    Raises
    ------
    ValueError
        If an argument is out of range, or the calibration is ``"experiment"``, which no figure
        uses.

    Notes
    -----
    The certified guarantee is rigorous: one user moves the count of ones by at most g, the noise is
    log-concave, and the divergence of a shift by g is summed exactly
    (:mod:`bandits_dp.accounting.binomial`).

    Examples
    --------
    >>> import numpy as np
    >>> import bandits_dp as bdp
    >>> noisy = bdp.privatizers.ScalarSum(2000, epsilon=1.0, delta=1e-6)
    >>> [released] = noisy.release([0.9, 0.6] * 1000, np.random.default_rng(1))  # 0.75 on average
    >>> print(f"a mean of {released / 2000:.3f}, give or take {noisy.noise_std / 2000:.3f}")
    a mean of 0.749, give or take 0.002
    """

    @_checks.checked()
    def __init__(self, users: int, epsilon: float, delta: float, calibration: str = "certified",
                 domain: Box = UNIT_INTERVAL, levels: int | None = None,
                 honest_fraction: float = 1.0, clip: bool = False, strict: bool = True) -> None:
        super().__init__(users, domain, clip, honest_fraction)
        if self.dimension != 1:
            raise ValueError(f"domain must have dimension 1 for a scalar sum, got {self.dimension}")
        gap = ""
        if certified(calibration, "the scalar sum"):
            g = default_levels(self.users, epsilon, delta) if levels is None else levels
            self._set_up(g, certified_bits(self.honest, epsilon, delta, g))
            reason = f"exact divergence of the shuffled bits for a move by {g}"
        else:
            if epsilon >= 30 or delta >= 0.5:
                gap = ("Theorem C.6 of Li, Zhou, Ji 2022 covers epsilon < 30 and delta < 1/2 only, "
                       f"and they are {epsilon:g} and {delta:g}")
            if strict and gap:
                raise ValueError("epsilon must be below 30 and delta below 1/2 for the theorem "
                                 "calibration of the scalar sum (Li, Zhou, Ji 2022, Theorem C.6), "
                                 f"got ({epsilon:g}, {delta:g}); use calibration='certified', or "
                                 "strict=False for an unproved one")
            self._set_up(*theorem_bits(self.honest, epsilon, delta, (self.high - self.low) / 2))
            reason = ("P_1D with its published constants, as we read them (Li, Zhou, Ji 2022, "
                      "Algorithm 4)")
        self._promise(epsilon, delta, calibration, reason + self._trust, gap)


def default_levels(users: int, epsilon: float, delta: float) -> int:
    """Choose g in [4, 4096] so that rounding, of std <= sqrt(n) / 2g, adds <= 1% to the noise."""
    wanted = math.sqrt(users) / (2 * 0.14 * gaussian_noise_std(epsilon, delta, 1.0))
    return min(max(4, math.ceil(wanted)), 4096)
