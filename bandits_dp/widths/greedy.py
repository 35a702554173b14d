r"""No width at all: a learner that plays what looks best, and a regularizer that outweighs the noise on V.

Where contexts are independent and look in all directions, whatever a learner plays teaches it enough, and a width is not needed
(Theorem 10.5, chapter 10, "Must a learner explore?").
"""

from bandits_dp.widths.ridge import Floats
from bandits_dp.widths.ridge_private import CertifiedRadius


class GreedyRadius(CertifiedRadius):
    r"""Radius 0, and :math:`\lambda_m = \max(1, s_m)`, so that :math:`V_m \succeq G_m` for all m with probability 1 - failure / 3.

    Parameters, :math:`r_m` and :math:`s_m`: see :class:`bandits_dp.widths.ridge_private.CertifiedRadius`, of which every event is
    the same. Its regularizer is smaller, as its radius sees what noise does to V.

    Examples
    --------
    >>> import numpy as np
    >>> from bandits_dp.widths.greedy import GreedyRadius
    >>> from bandits_dp.widths.ridge import NoiseLaw
    >>> radius = GreedyRadius(2, 1, NoiseLaw(np.full(1000, 3.0), np.full(1000, 3.0)), reward_std=0.5, failure=0.05)
    >>> round(radius.regularizer(1000), 1), radius.beta(1000, 1.0, 1.0)
    (22.3, 0.0)
    """

    adaptive = False

    def regularizer(self, batch: int) -> float:
        """Return lambda_m."""
        return max(1.0, float(self.matrix_bound[batch]))

    def floor(self, batch: int) -> float:
        """Return 0: V is never lifted, as in Theorem 10.5, since it is at least G where the noise keeps its bound."""
        return 0.0

    def beta(self, batch: int, ridge: Floats, least: Floats) -> float:
        """Return 0."""
        return 0.0
