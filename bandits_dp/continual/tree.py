r"""The binary tree: running sums as sums of about log2 T noisy sums over dyadic intervals.

Dwork, Naor, Pitassi, Rothblum 2010; Chan, Shi, Song 2011. Running sum t is the sum of the nodes of
its dyadic decomposition: for t = 13 = 8 + 4 + 1 the intervals (0, 8], (8, 12], (12, 13]. Round t
completes one such node, the interval of length :math:`2^l` that ends at t, where l is the position
of the lowest set bit of t; its noise is drawn then, once, and reused in all later sums. (The other
nodes, the right children, are in no running sum, so they get no noise and cost nothing.)
"""

import math

import numpy as np
from numpy.typing import NDArray

from bandits_dp._types import Floats
from bandits_dp.accounting.gaussian import classical_gaussian_noise_std
from bandits_dp.accounting.laplace import laplace_scale
from bandits_dp.continual.intervals import IntervalCounter, bit_parents, climb_bits, packed, root


class TreeCounter(IntervalCounter):
    r"""Binary tree: a value enters at most 1 + floor(log2 T) nodes; sum t has popcount(t) noises.

    The first value enters h = 1 + floor(log2 T) nodes, :math:`(0, 2^l]` for all :math:`2^l \le T`,
    so the l2-sensitivity is exactly :math:`D \sqrt h`. For M0 rounds per user, level l contributes
    the sum of :math:`m_i^2` over its nodes, with :math:`m_i` of these rounds in node i; this is
    largest if they fill nodes, and the levels are bounded one by one. The result is at most
    :math:`M_0 D \sqrt h` (Chowdhury & Zhou 2022 print this order before Proposition E.7), and less
    if M0 rounds do not fit into one node.

    Calibrations: **certified** is exact for that sensitivity. **theorem** makes each node
    :math:`(\varepsilon / \sqrt{8 h \ln(2/\delta)}, \delta / 2h)`-private by the classical formula,
    with sensitivity :math:`M_0 D`, and composes (Shariff & Sheffet 2018; Dwork & Roth 2014,
    Corollary 3.21), for epsilon < 1. (All nodes of a level form one mechanism: a user's rounds
    shift them by at most :math:`M_0 D` together.) With Laplace noise each node gets epsilon / (M0
    h) (Chan, Shi, Song 2011; they print log T for h). **experiment** is the noise
    :math:`\sqrt{\ln T} \ln(2.5/\delta) / \varepsilon` of the code of Chowdhury & Zhou 2022, without
    a guarantee; that code builds no tree, and puts :math:`1/\sqrt 2` of this noise on off-diagonal
    entries of matrices.

    Parameters, attributes and errors as for :class:`Counter`; also the attribute ``height``, the
    number h. Memory: O(log T) noises.

    Examples
    --------
    Error (std) at (1, 1e-6) of sum 512, with one node, and of sum 1000, with six:

    >>> import bandits_dp as bdp
    >>> counter = bdp.continual.TreeCounter(1000, epsilon=1.0, delta=1e-6)
    >>> counter.error_std([512, 1000]).round(1).tolist()
    [13.4, 32.7]
    """

    _open = staticmethod(bit_parents)
    _climb = staticmethod(climb_bits)

    def _prepare(self) -> None:
        self.height = self._last.bit_length()  # 1 + floor(log2 T), also at powers of two
        self._what = f"all nodes together, of which one round enters at most {self.height}"

    def _parent(self, t: int) -> int:
        return t & (t - 1)

    def _column_norm(self, rounds: int, power: int) -> float:
        sizes = [1 << level for level in range(self.height)]
        # Level l has the nodes (2 m 2^l, (2 m + 1) 2^l], left children, that end by T.
        return root(
            sum(packed(rounds, b, (self._last + b) // (2 * b), power) for b in sizes), power)

    def _variance(self, t: NDArray[np.int64]) -> Floats:
        return np.bitwise_count(t).astype(float)

    def _publish(self, epsilon: float, delta: float, calibration: str, strict: bool) -> None:
        """Set the noise of one node and the guarantee in the theorem or experiment calibration."""
        h, reason, gap = self.height, "", ""
        if calibration == "experiment":
            if self.noise != "gaussian" or self.appearances > 1 or self._last < 2:
                raise ValueError("calibration must be 'certified' or 'theorem' for a TreeCounter "
                                 f"with noise={self.noise!r}, appearances={self.appearances} and "
                                 f"horizon={self.horizon}, got 'experiment': it is known for "
                                 "Gaussian noise, one round per user and horizon >= 2 only")
            self.noise_std = math.sqrt(math.log(self._last)) * math.log(2.5 / delta) / epsilon
            gap = ("node noise sqrt(ln T) ln(2.5/delta) / epsilon as in the code of Chowdhury & "
                   "Zhou 2022, whatever the sensitivity, to compare with their figures")
        elif self.noise == "laplace":
            delta = 0.0
            self.noise_std = math.sqrt(2) * laplace_scale(
                epsilon, delta, self.domain.l1_diameter * self.appearances * h)
            reason = (f"Laplace mechanism on each of the {h} levels, basic composition (Chan, "
                      "Shi, Song 2011)")
        else:
            if epsilon >= 1:
                gap = ("the composition theorem is proved for epsilon < 1 only, and epsilon is "
                       f"{epsilon:g}")
            if strict and gap:
                raise ValueError("epsilon must be below 1 for the tree's theorem (Dwork & Roth "
                                 f"2014, Corollary 3.21), got {epsilon:g}; use the certified "
                                 "calibration, or strict=False for a number without a proof")
            node = epsilon / math.sqrt(8 * h * math.log(2 / delta)), delta / (2 * h)
            self.noise_std = classical_gaussian_noise_std(
                *node, self.domain.l2_diameter * self.appearances, strict=False)
            reason = (f"classical Gaussian mechanism on each of the {h} levels, advanced "
                      "composition (Shariff & Sheffet 2018; Dwork & Roth 2014, Corollary 3.21)")
        self._promise(epsilon, delta, calibration, reason, gap)
