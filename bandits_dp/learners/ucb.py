r"""UCB1 (Auer, Cesa-Bianchi, Fischer 2002): optimism in the face of uncertainty.

Pull the arm whose upper confidence bound :math:`\hat\mu_a + \sqrt{2 \ln t / n_a}` is largest, where :math:`n_a` is the number
of pulls of arm a before round t. No privacy: the arm sequence is a deterministic function of the rewards.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp.learners.base import Learner, Played
from bandits_dp.privatizers import Identity
from bandits_dp.privatizers.domain import UNIT_INTERVAL, rows
from bandits_dp.problems.graded import Arms

TAPE = 4096  # rounds whose uniform numbers are drawn ahead, per run


class UCB1(Learner[Arms]):
    """UCB1 for rewards in [0, 1]; parallel runs advance together.

    Parameters
    ----------
    arms, horizon : int
        Numbers of arms K and rounds T, both >= 1.
    """

    def __init__(self, arms: int, horizon: int) -> None:
        super().__init__(arms, horizon)
        self.guarantee = Identity(1).guarantee
        self._start(runs=1)

    def _start(self, runs: int) -> Self:
        self.played = 0
        self.counts = np.zeros((runs, self.arms))  # n_a, (runs, arms)
        self.sums = np.zeros((runs, self.arms))
        return self

    def _choose(self) -> NDArray[np.intp]:
        """Return the arm of the next round in every run, shape (runs,)."""
        if self.played < self.arms:
            return np.full(len(self.counts), self.played)  # every arm once
        log_t = np.log(self.played + 1)
        return np.argmax(self.sums / self.counts + np.sqrt(2 * log_t / self.counts), axis=1)  # Auer et al.

    def _learn(self, arms: NDArray[np.intp], rewards: NDArray[np.float64]) -> None:
        """Take the rewards of the chosen arms, both of shape (runs,)."""
        runs = np.arange(len(arms))
        self.counts[runs, arms] += 1
        self.sums[runs, arms] += rewards
        self.played += 1

    def act(self) -> int:
        """Return the arm for the next user."""
        self._must_go_on()
        return int(self._choose()[0])

    def update(self, rewards: ArrayLike, rng: np.random.Generator) -> None:
        """Take one reward in [0, 1]; ``rng`` is not used."""
        self._must_go_on()
        reward = rows(np.atleast_1d(rewards), 1, 1, "rewards")
        UNIT_INTERVAL.check(reward, "rewards")
        self._learn(self._choose(), reward[:, 0])

    def _pack(self) -> dict[str, ArrayLike]:
        return {"played": self.played, "counts": self.counts, "sums": self.sums}

    def _unpack(self, state: dict[str, NDArray[Any]]) -> None:
        self.played = int(state["played"])
        self.counts[:] = state["counts"]
        self.sums[:] = state["sums"]

    def play(
        self,
        problem: Arms,
        rngs: list[np.random.Generator],
        rounds: NDArray[np.int64],
        tick: Callable[[int], object],
    ) -> Played:
        """Play one run per generator, all of them together."""
        learner = UCB1(self.arms, self.horizon)._start(runs=len(rngs))
        regret = np.zeros((len(rngs), len(rounds)))
        so_far = np.zeros(len(rngs))
        last = int(rounds[-1])
        checkpoint = 0
        for t in range(last):
            if t % TAPE == 0:
                length = min(TAPE, last - t)
                tape = np.stack([rng.random(length) for rng in rngs])  # (runs, length)
                tick(len(rngs) * length)
            arms = learner._choose()
            learner._learn(arms, problem.reward_quantiles(arms, tape[:, t % TAPE]))
            so_far += problem.gaps[arms]
            if t + 1 == rounds[checkpoint]:
                regret[:, checkpoint] = so_far
                checkpoint += 1
        return Played(regret, np.full(len(rngs), Identity(1).bits_per_user * last))
