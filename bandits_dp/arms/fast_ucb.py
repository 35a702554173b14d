"""Fast simulation of UCB: many runs advance together as arrays, on random numbers drawn ahead."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandits_dp._snapshot import snapshot
from bandits_dp.arms.app import RunningApp
from bandits_dp.arms.graded import Arms
from bandits_dp.arms.ucb import UCB
from bandits_dp.continual import TreeCounter
from bandits_dp.play.paths import fast
from bandits_dp.play.record import Checkpoints, Played, Record, Rngs, Tick
from bandits_dp.privatizers import Identity

TAPE = 4096  # rounds whose random numbers are drawn ahead, per run


class ExactSums:
    """Running sums without noise, one per run and arm.

    Attributes
    ----------
    counts : ndarray of int, shape (runs, arms)
        Rewards added so far.
    released : ndarray, shape (runs, arms)
        The last running sums; 0 before the first.
    """

    def __init__(self, runs: int, arms: int) -> None:
        self.counts = np.zeros((runs, arms), dtype=np.int64)
        self.released = np.zeros((runs, arms))
        self._runs = np.arange(runs)

    def add(self, arms: NDArray[np.intp], rewards: NDArray[np.float64],
            noise: NDArray[np.float64]) -> None:
        """Add the next reward of every run to the sum of its arm; all of shape (runs,)."""
        self.counts[self._runs, arms] += 1
        self.released[self._runs, arms] += rewards


class Trees(ExactSums):
    """Trees of Laplace noise, one per run and arm; on equal draws they agree with TreeCounter."""

    def __init__(self, counter: TreeCounter, runs: int, arms: int) -> None:
        super().__init__(runs, arms)
        self._totals = np.zeros((runs, arms))
        # By level: noise on the last running sum whose number has its lowest set bit there.
        # The last entry stays 0, for the empty sum.
        self._noise = np.zeros((runs, arms, counter.height + 1))

    def add(self, arms: NDArray[np.intp], rewards: NDArray[np.float64],
            noise: NDArray[np.float64]) -> None:
        """Add the next reward of every run to the tree of its arm, with one new node's noise."""
        at = self._runs, arms
        self.counts[at] += 1
        self._totals[at] += rewards
        t = self.counts[at]
        parent = t & (t - 1)  # the new sum extends this one, noise included
        none = self._noise.shape[2] - 1
        noise = noise + self._noise[(*at, np.where(parent > 0, _lowest_bit(parent), none))]
        self._noise[(*at, _lowest_bit(t))] = noise
        self.released[at] = self._totals[at] + noise


def _lowest_bit(t: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Return the position of the lowest set bit of each t > 0; shape of ``t``."""
    return np.bitwise_count((t & -t) - 1)


def knows(app: Any, problem: Any) -> bool:
    """Whether all counters of the app can be kept as arrays here."""
    if not (isinstance(app, RunningApp) and type(app.learner) is UCB
            and hasattr(problem, "reward_quantiles")):
        return False
    return isinstance(app.sample, Identity) or (type(app.sample) is TreeCounter
                                                and app.sample.noise == "laplace")


@fast(knows)
def play_ucb(app: RunningApp, problem: Arms, rngs: Rngs, rounds: Checkpoints, tick: Tick) -> Played:
    """Play one run per generator, all together; see :func:`bandits_dp.play.plain.play_plainly`."""
    counter, scale = app.sample, app.sample.noise_std / math.sqrt(2)  # of a new node's noise
    sums, answers, noises = ExactSums(len(rngs), app.arms), rngs, rngs
    if isinstance(counter, TreeCounter):
        sums = Trees(counter, len(rngs), app.arms)
        answers, noises = (list(pair) for pair in zip(*(rng.spawn(2) for rng in rngs), strict=True))
    learner, record, last = snapshot(app.learner), Record(len(rngs), rounds), int(rounds[-1])
    learner.sums, learner.pulls = sums.released, sums.counts
    for start in range(0, last, TAPE):
        length = min(TAPE, last - start)
        quantiles = np.stack([rng.random(length) for rng in answers], axis=1)  # (length, runs)
        draws = np.stack([rng.laplace(0.0, scale, length) if scale else np.zeros(length)
                          for rng in noises], axis=1)
        lost = np.empty((length, len(rngs)))
        for t in range(length):
            arms = learner.next_arm()
            sums.add(arms, problem.reward_quantiles(arms, quantiles[t]), draws[t])
            lost[t] = problem.gaps[arms]
        record.add(lost.T)
        tick(len(rngs) * length)
    return record.result(app.slots[0].source.bits_per_user * last, {})
