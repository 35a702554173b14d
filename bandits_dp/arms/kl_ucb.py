r"""Batched KL-UCB; the privatizer makes it KL-UCB, DP-KLUCB, SDP-KLUCB or LDP-KLUCB.

A batch of fresh users pulls the arm with the largest upper confidence bound. The batch has half as
many users as have pulled the arm before. The privatizer releases the batch's sum, which is added to
the arm's earlier sums. The bound is KL-UCB's (Garivier & Cappé 2011) with the tails of the noise.
DP-KLUCB (Azize et al. 2025) has growing batches and Laplace noise, too; the bound and the constants
here are ours.

**Privacy of a run.** Every user is in one batch, so the run keeps the guarantee of a single
release, even though later batches depend on earlier releases (parallel composition; chapter 7). A
batch that the horizon cuts short releases nothing.
"""

import math
from collections.abc import Sequence

import numpy as np

from bandits_dp import _checks
from bandits_dp._ties import largest, largest_mean
from bandits_dp._types import Floats
from bandits_dp.arms.kl_widths import ChernoffBound
from bandits_dp.ask_tell import Asked, Learner, Noise

GROWTH = 1.5  # factor by which a batch multiplies an arm's number of rewards


def next_batch(rewards: int, first: int) -> int:
    """Return the size of an arm's next batch, given its number of rewards; ``first`` if it is 0."""
    return math.ceil((GROWTH - 1) * rewards) or first


def most_batches(horizon: int, first: int) -> int:
    """Return the number of batches of one arm that end within the horizon, at least 1."""
    batches = rewards = 0
    while (rewards := rewards + next_batch(rewards, first)) <= horizon:
        batches += 1
    return max(1, batches)


class KLUCB(Learner):
    """KL-UCB on released sums of batches.

    Parameters
    ----------
    arms : int
        Number of arms K, >= 1.
    bound : ChernoffBound
        The upper confidence bound.
    first : int
        Users in an arm's first batch, >= 1.

    Attributes
    ----------
    sums, rewards : ndarray, shape (arms,)
        Sum of all releases about each arm, and the number of rewards in it.
    log_mgf : ndarray, shape (arms, exponents)
        Bound of the log-moment generating function of the noise in these sums.
    bounds : ndarray, shape (arms,)
        Upper confidence bounds of the means; 1 before an arm's first batch.

    Examples
    --------
    >>> import numpy as np
    >>> import bandits_dp as bdp
    >>> from bandits_dp.learners import KLUCB
    >>> from bandits_dp.arms.kl_widths import ChernoffBound
    >>> learner = KLUCB(2, ChernoffBound(horizon=10_000, batches=10), first=200)
    >>> for released in (181.3, 99.8):  # of arm 0, and of arm 1
    ...     learner.tell(np.array([released]), [bdp.privatizers.CentralLaplace(200, epsilon=1.0)])
    >>> learner.ask().arms.tolist(), learner.ask().plays.tolist()
    ([0], [100])
    """

    changes = ("sums", "rewards", "log_mgf", "bounds")

    def __init__(self, arms: int, bound: ChernoffBound, first: int = 1) -> None:
        self.bound = _checks.one_of(
            "bound", bound, ChernoffBound, "a ChernoffBound"
        )
        self.first, arms = (
            _checks.integer("first", first), _checks.integer("arms", arms)
        )
        _checks.room("arms", arms * len(bound.s))
        self.sums, self.rewards, self.bounds = (
            np.zeros(arms), np.zeros(arms, dtype=np.int64), np.ones(arms)
        )
        self.log_mgf = np.zeros((arms, len(bound.s)))

    def next_arm(self) -> np.intp:
        """Return the arm with the largest bound; of ties, the least pulled."""
        return np.where(
            largest(self.bounds), self.rewards, np.iinfo(np.int64).max
        ).argmin()

    def ask(self) -> Asked:
        """Ask the next batch of users about the arm with the largest bound."""
        arm = self.next_arm()
        return Asked(
            np.array([arm]),
            np.array([next_batch(int(self.rewards[arm]), self.first)]),
            decides=len(self.bounds) > 1,
        )

    def tell(self, released: Floats, noise: Sequence[Noise]) -> None:
        """Take the sum of one more batch of the asked arm."""
        arm, [batch] = self.next_arm(), noise
        sums, rewards, log_mgf, bounds = (
            getattr(self, name).copy() for name in self.changes
        )
        sums[arm] += released[0]
        rewards[arm] += batch.users
        log_mgf[arm] += batch.log_mgf(self.bound.s)
        bounds[arm] = self.bound.upper(sums[arm], rewards[arm], log_mgf[arm])
        self.sums, self.rewards, self.log_mgf, self.bounds = (
            sums, rewards, log_mgf, bounds
        )

    def leading(self) -> int:
        """Return the pulled arm with the largest mean; 0 if there is none."""
        return largest_mean(self.sums, self.rewards)
