r"""Arm elimination on released sums: AE, LDP-AE, SDP-AE, VB-SDP-AE and DP-SE are one algorithm.

In phase t a batch of :math:`m_t` fresh users pulls each viable arm, and the privatizer releases the
sum of each batch. An arm is dropped if its upper confidence bound is below the largest lower one
(Tenenbaum et al. 2021, Algorithms 1 and 2; Sajed & Sheffet 2019; without privacy, Even-Dar, Mannor,
Mansour 2006). Trust models differ only in the privatizer, and the algorithms of one trust model
only in the schedule (:mod:`bandits_dp.arms.batches`). DP-SE's schedule forgets earlier phases.

**Privacy of a run.** Every user is in one batch, so the run keeps the guarantee of a single
release, even though later batches depend on earlier releases (parallel composition; chapter 7). A
phase that the horizon cuts short releases nothing. Once a single arm is left, nothing more is
released.
"""

from collections.abc import Sequence

import numpy as np

from bandits_dp import _checks
from bandits_dp._ties import first_largest
from bandits_dp._types import Floats
from bandits_dp.arms.batches import Batches
from bandits_dp.arms.widths import ArmWidth
from bandits_dp.ask_tell import Asked, Learner, Noise, able


class ArmElimination(Learner):
    """Arm elimination.

    Parameters
    ----------
    arms : int
        Number of arms K, >= 1.
    schedule : Batches
        Users per arm m_t in each phase.
    width : ArmWidth
        Confidence half-width I_t of a released mean.

    Attributes
    ----------
    viable : ndarray of int, shape (left,)
        Arms that are not eliminated.
    sums : ndarray, shape (arms,)
        Released sums S_a over all phases, or of the last phase if the schedule forgets.
    phase : int
        The current phase t, from 1.

    Examples
    --------
    >>> import numpy as np
    >>> import bandits_dp as bdp
    >>> from bandits_dp.learners import ArmElimination
    >>> from bandits_dp.arms.batches import EqualBatches
    >>> from bandits_dp.arms.widths import ChernoffWidth
    >>> learner = ArmElimination(2, EqualBatches(1000), ChernoffWidth(horizon=10_000, decisions=5))
    >>> learner.ask().plays.tolist()
    [1000, 1000]
    >>> noise = bdp.privatizers.CentralLaplace(1000, epsilon=1.0)
    >>> learner.tell(np.array([902.3, 497.1]), [noise, noise])
    >>> learner.viable.tolist()
    [0]
    """

    changes = ("phase", "viable", "sums", "width")

    def __init__(self, arms: int, schedule: Batches, width: ArmWidth) -> None:
        self.schedule = able("schedule", schedule, "size")
        self.width = able("width", width, "after", "half_width")
        arms = _checks.integer("arms", arms, high=10**7)
        self.viable, self.sums, self.phase = np.arange(arms), np.zeros(arms), 1

    def ask(self) -> Asked:
        """Ask m_t users about each viable arm (lines 5 to 10)."""
        left = len(self.viable)
        users = self.schedule.size(self.phase, left)  # m_t
        return Asked(self.viable, np.full(left, users), decides=left > 1)

    def tell(
        self, released: Floats, noise: Sequence[Noise], phases: int = 1
    ) -> None:
        """Take one sum per viable arm, and eliminate (lines 12 to 15)."""
        sums = self.sums.copy()
        if self.schedule.fresh:
            sums[:] = 0.0
            self.width = self.width.forget(self.phase, len(self.viable))
        sums[self.viable] += released  # S_a
        self.width = self.width.after(noise[0], phases)
        means = sums[self.viable] / self.width.users  # S_a / N
        I = self.width.half_width()  # line 14  # noqa: E741
        self.viable = self.viable[means + I >= means.max() - I]  # line 15
        self.sums, self.phase = sums, self.phase + phases

    def leading(self) -> int:
        """Return the viable arm with the largest sum."""
        return int(self.viable[first_largest(self.sums[self.viable])])
