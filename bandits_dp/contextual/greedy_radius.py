r"""Greedy learners: width 0, and a regularizer that outweighs the noise on V.

If contexts are independent and point in all directions, any play teaches the learner enough, so no
width is needed (Theorem 10.5, chapter 10, "Must a learner explore?").
"""

from bandits_dp.contextual.private_radius import CertifiedRadius
from bandits_dp.contextual.radius import PerRun


class GreedyRadius(CertifiedRadius):
    r"""Radius 0 with :math:`\lambda_m = \max(1, s_m)`.

    So :math:`V_m \succeq G_m` for all m with probability 1 - failure / 3. Parameters, :math:`r_m`,
    :math:`s_m` and events are those of
    :class:`bandits_dp.contextual.private_radius.CertifiedRadius`, whose regularizer is smaller,
    because its radius accounts for the noise on V.

    Examples
    --------
    >>> import numpy as np
    >>> from bandits_dp.contextual.greedy_radius import GreedyRadius
    >>> from bandits_dp.app.streams import NoiseLaw
    >>> law = NoiseLaw(np.full(1000, 3.0), np.full(1000, 3.0))
    >>> radius = GreedyRadius(2, 1, law, reward_std=0.5, failure=0.05)
    >>> round(radius.regularizer(1000), 1), radius.beta(1000, 1.0, 1.0)
    (22.3, 0.0)
    """

    adaptive = False

    def regularizer(self, batch: int) -> float:
        """Return lambda_m."""
        return max(1.0, float(self.matrix_bound[batch]))

    def floor(self, batch: int) -> float:
        """Return 0: V is never shifted, as in Theorem 10.5; within the noise's bound it is >= G."""
        return 0.0

    def beta(self, batch: int, ridge: PerRun, least: PerRun) -> float:
        """Return 0."""
        return 0.0
