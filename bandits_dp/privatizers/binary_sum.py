r"""The shuffle model on bits: M_sum, the private binary sum.

Cheu et al. 2019; Tenenbaum et al. 2021. Every user sends its bit together with a few noise bits;
the shuffler mixes the bits of all users; the analyzer counts the ones and subtracts the mean of the
noise. Shuffled bits reveal only their number of ones, so the view is *count + noise*, and the exact
accounting of :mod:`bandits_dp.accounting.binomial` applies.

**theorem** is our own calibration with the paper's order
:math:`\sigma^2 = O(\log(1/\delta) / \varepsilon^2)`. The paper's main text prints no constant, and
we have not seen its appendix C; the constant 96 is from memory of later work. With
:math:`\tau = 96 \ln(2/\delta) / \varepsilon^2`, each user sends one bit that is one with
probability :math:`\tau / 2n` when :math:`n \ge \tau`, and :math:`\lceil \tau / n \rceil` fair bits
otherwise. *Proof for* :math:`\varepsilon \le 1`. The noise is binomial with mean
:math:`\mu \ge \tau / 2` and :math:`p \le 1/2`. The probabilities of neighbouring counts differ by a
factor of at most :math:`e^\varepsilon` while the noise is within
:math:`\mu \tanh(\varepsilon/2) - 1 \ge 0.43\, \varepsilon \mu` of its mean; by Chernoff's bounds,
with exponents of at least :math:`3.6 \ln(2/\delta)`, each tail beyond has mass below
:math:`\delta`. Chapter 3 has the steps.

**certified** sends noise bits in pairs (:mod:`bandits_dp.noise.noise_bits`). Each user makes
just enough pairs for fair bits to suffice, and then :math:`p \le 1/2` is lowered as far as the
exact divergence allows.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp import _checks
from bandits_dp._types import Floats
from bandits_dp.noise.noise_bits import NoiseBits
from bandits_dp.privatizers.base import certified
from bandits_dp.privatizers.bit_sum import BitSum
from bandits_dp.privatizers.domain import BITS
from bandits_dp.privatizers.scalar_sum import certified_bits


def theorem_bits(users: int, epsilon: float, delta: float) -> NoiseBits:
    """Noise bits of the theorem calibration, with our constant 96, for a batch of ``users``."""
    tau = 96 * math.log(2 / delta) / epsilon**2
    if users >= tau:
        return NoiseBits(1, 0, tau / (2 * users))
    return NoiseBits(math.ceil(tau / users), 0, 0.5)


class BinarySum(BitSum):
    """M_sum: the shuffled sum of one bit per user.

    Parameters
    ----------
    users : int
        Batch size n, >= 1.
    epsilon : float
        Privacy parameter, > 0; at most 1 in the theorem calibration.
    delta : float
        Failure mass, in (0, 1); at least 2e-290 in the certified calibration.
    calibration : {"certified", "theorem"}
        Exact divergence, or the paper's order with our own constant, 96.
    honest_fraction : float
        Share of users that follow the protocol, in (0, 1]; at least the protected user does. Their
        noise alone suffices if the others collude with the server and add none.
    strict : bool
        Whether the theorem calibration refuses epsilon > 1, which its proof does not cover.

    Attributes
    ----------
    noise_bits : NoiseBits
        Noise bits that each user adds.

    Raises
    ------
    ValueError
        If an argument is out of range, or the calibration is ``"experiment"``: the paper has no
        experiments.

    Notes
    -----
    Tenenbaum et al. 2021, section 3, uses such a mechanism with epsilon and delta in (0, 1) and
    refers to its appendix C, which we have not seen. The module's proof also covers epsilon = 1.
    The certified guarantee is rigorous: the view is *count + a sum of independent bits*, whose
    hockey-stick divergence is summed exactly, and this sum is log-concave, so a shift by one is the
    worst case.

    Examples
    --------
    >>> import numpy as np
    >>> import bandits_dp as bdp
    >>> noisy = bdp.privatizers.BinarySum(1000, epsilon=1.0, delta=1e-6)
    >>> [released] = noisy.release([1, 1, 1, 0] * 250, np.random.default_rng(1))  # 750 slept well
    >>> print(f"with {noisy.bits_per_user:.0f} bits of each user: {released:.0f}, "
    ...       f"give or take {noisy.noise_std:.1f}")
    with 3 bits of each user: 750, give or take 3.8
    """

    @_checks.checked()
    def __init__(self, users: int, epsilon: float, delta: float, calibration: str = "certified",
                 honest_fraction: float = 1.0, strict: bool = True) -> None:
        super().__init__(users, BITS, honest_fraction=honest_fraction)
        gap = ""
        if certified(calibration, "the binary sum", "Tenenbaum et al. 2021 publish no experiments"):
            bits, reason = (certified_bits(self.honest, epsilon, delta, 1),
                            "exact divergence of the shuffled bits")
        else:
            if epsilon > 1:
                gap = ("the proof of its order constant, 96, chosen by us, covers epsilon up to 1 "
                       f"only, and epsilon is {epsilon:g}")
            if strict and gap:
                raise ValueError("epsilon must be at most 1 for the theorem calibration of the "
                                 f"binary sum, got {epsilon:g}: its order constant, 96, is chosen "
                                 "by us and proved up to there; use calibration='certified', or "
                                 "strict=False for noise without a proof")
            bits = theorem_bits(self.honest, epsilon, delta)
            reason = ("M_sum with tau = 96 ln(2/delta) / epsilon^2, an order constant chosen by "
                      "us, and proved by Chernoff's bound")
        self._set_up(1, bits)
        self.noise_mean = bits.mean(self.users)
        self._promise(epsilon, delta, calibration, reason + self._trust, gap)

    def randomize(self, values: ArrayLike, rng: np.random.Generator) -> NDArray[Any]:
        """Send the bit and the noise bits, shape (users, bits_per_user)."""
        _checks.generator(rng)
        bits = self.check(values).astype(np.uint8)
        return np.hstack([bits, self.noise_bits.draw((len(bits),), rng)])

    def shuffle(self, messages: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
        """Return all users' bits in uniformly random order, shape (users * bits_per_user,)."""
        return rng.permutation(messages.ravel())

    def analyze(self, messages: NDArray[Any], rng: np.random.Generator) -> Floats:
        """Count the ones and subtract the mean of the noise."""
        return self._decode([messages.sum(dtype=np.int64)])

    def _round(self, array: Floats, rng: np.random.Generator) -> NDArray[np.int64]:
        return array.astype(np.int64)
