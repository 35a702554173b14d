r"""Optimism on running sums: UCB1 and DP-UCB are one algorithm.

In round t every arm has an upper confidence bound :math:`\tilde S_a / n_a + w(n_a, t)`, where
:math:`\tilde S_a` is the sum of its :math:`n_a` rewards as a continual counter last released it.
The arm with the largest bound is pulled. Exact sums and :math:`w = \sqrt{2 \ln t / n_a}` give UCB1
(Auer, Cesa-Bianchi, Fischer 2002), which is not private: the arms are a function of the rewards.
One binary tree per arm gives DP-UCB (Mishra & Thakurta 2015; Tossou & Dimitrakakis 2016).

**Privacy of a run.** A reward enters only the tree of the pulled arm, and there at most h nodes,
one on each of its h levels. So the running sums of *all* arms together have the l1-sensitivity of
one tree, also if arms depend on earlier releases (see ``bandits_dp.continual``).
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bandits_dp import _checks
from bandits_dp._ties import first_largest, largest_mean
from bandits_dp._types import Floats
from bandits_dp.arms.running_widths import RunningWidth
from bandits_dp.ask_tell import Asked, Learner, able


class UCB(Learner):
    """UCB on released running sums.

    Parameters
    ----------
    arms : int
        Number of arms K, >= 1.
    width : RunningWidth
        Confidence half-width w(n, t) of a released running mean.

    Attributes
    ----------
    sums : ndarray, shape (arms,)
        The last released running sum of each arm; 0 before the first.
    pulls : ndarray of int, shape (arms,)
        Number n_a of rewards in each sum.

    Examples
    --------
    >>> import numpy as np
    >>> from bandits_dp.learners import UCB
    >>> from bandits_dp.arms.running_widths import ExactWidth
    >>> learner = UCB(2, ExactWidth())
    >>> for reward in (0.0, 1.0):  # of arm 0, and of arm 1
    ...     learner.tell(np.array([reward]), [])
    >>> learner.ask().arms.tolist()
    [1]
    """

    changes = ("sums", "pulls")

    def __init__(self, arms: int, width: RunningWidth) -> None:
        self.width = able("width", width, "half_width")
        arms = _checks.integer("arms", arms, high=10**7)
        self.sums, self.pulls = np.zeros(arms), np.zeros(arms, dtype=np.int64)

    def next_arm(self) -> NDArray[np.intp]:
        """Return the arm with the largest upper confidence bound; first, each arm once.

        If ``sums`` and ``pulls`` have leading axes of runs, return one arm per run.
        """
        if not self.pulls.all():
            return np.asarray(self.pulls.argmin(axis=-1))
        t = int(self.pulls.reshape(-1, self.pulls.shape[-1])[0].sum()) + 1
        return first_largest(self.sums / self.pulls + self.width.half_width(self.pulls, t))

    def ask(self) -> Asked:
        """Ask one user about the next arm."""
        return Asked(self.next_arm()[None], np.ones(1, dtype=np.int64))

    def tell(self, released: Floats, noise: Sequence[object], arm: int | None = None) -> None:
        """Take the running sum of ``arm``, by default the asked one, after one more reward."""
        at = int(self.next_arm()) if arm is None else arm
        sums, pulls = self.sums.copy(), self.pulls.copy()
        sums[at] = released[0]
        pulls[at] += 1
        self.sums, self.pulls = sums, pulls

    def leading(self) -> int:
        """Return the pulled arm with the largest mean; 0 if there is none.

        Examples
        --------
        >>> import numpy as np
        >>> from bandits_dp.learners import UCB
        >>> from bandits_dp.arms.running_widths import ExactWidth
        >>> learner = UCB(2, ExactWidth())
        >>> for reward in (0.0, 1.0):  # of arm 0, and of arm 1
        ...     learner.tell(np.array([reward]), [])
        >>> learner.leading()
        1
        """
        return largest_mean(self.sums, self.pulls)
