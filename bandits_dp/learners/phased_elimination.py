r"""Phased elimination for linear bandits: PE, CDP-PE, LDP-PE and SDP-PE are one algorithm (Li, Zhou, Ji 2022, Algorithm 3).

Every play shows an action to a fresh user and asks for one reward. The privatizer releases, for each action x of the support, the
sum of the rewards of its :math:`T_l(x)` users; everything else is :mod:`bandits_dp.learners.phased_base`. The first phase has
:math:`h_1 = 4 d \ln \ln d + 16` plays, before rounding up.

**Privacy of a run.** The users of one action, and of one phase, are nobody else's, so all releases compose in parallel: the run
keeps the guarantee of a single sum.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp import _checks
from bandits_dp.designs import support_bound
from bandits_dp.learners.phased_base import PhasedElimination
from bandits_dp.learners.phased_parts import CLIPPED, Floats, Phase, Width
from bandits_dp.privatizers import Privatizer
from bandits_dp.privatizers.domain import rows
from bandits_dp.problems.linear import LinearArms


class LinearElimination(PhasedElimination[LinearArms]):
    """Phased elimination in which every play is a fresh user's.

    Parameters
    ----------
    arms, dimension : int
        Number k of actions and their length d, both >= 1.
    horizon : int
        Number of rounds T, >= 1.
    privatizer : callable
        ``privatizer(users)`` gives the privatizer of a sum over so many users.
    width : Width
        Margins of differences.
    fidelity : {"aggregate", "messages"}
        How the privatizer releases.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """

    setting = "linear"

    def __init__(
        self,
        arms: int,
        dimension: int,
        horizon: int,
        privatizer: Callable[[int], Privatizer],
        width: Width,
        fidelity: str = "aggregate",
    ) -> None:
        super().__init__(arms, dimension, horizon, support_bound(dimension), width, fidelity)
        self.new_privatizer = privatizer
        anyone = privatizer(1)
        self.domain, self.clip = anyone.domain, anyone.clip
        self.guarantee = anyone.guarantee
        if self.guarantee.proved:
            once = f"{self.guarantee.reason}; each sum is calibrated to its own users, who are in no other"
            self.guarantee = replace(self.guarantee, reason=once)
        if self.clip:
            self.guarantee = replace(self.guarantee, reason=self.guarantee.reason + CLIPPED)
        self.rewards: list[Floats] = []  # of the current action
        self.means: list[float] = []  # released, of the actions before it

    def _recruit(self, phase: Phase) -> Phase:
        """Give every action a privatizer for the users that it needs; equal numbers share one."""
        made = {users: self.new_privatizer(users) for users in map(int, np.unique(phase.pulls))}
        return replace(phase, privatizers=tuple(made[int(users)] for users in phase.pulls))

    def update(self, rewards: ArrayLike, rng: np.random.Generator) -> None:
        """Take the reward of one user, or of the next few users of the current action; release when all its users answered."""
        missing = self.missing
        array = np.atleast_1d(np.array(rewards))  # a copy, for the caller may use its own again
        if not 1 <= len(array) <= missing:
            raise ValueError(f"rewards must hold 1 to {missing} numbers, the rest of this action's users, got {len(array)}")
        array = rows(array, len(array), 1, "rewards")
        if not self.clip:
            self.domain.check(array, "rewards")
        _checks.generator(rng)
        if not self.phase.decides:
            self._advance(len(array))
            return
        if len(array) == missing:
            privatizer = self.phase.privatizers[self.turn]
            released = privatizer.release(np.concatenate([*self.rewards, array]), rng, self.fidelity)
            self.means.append(float(released[0]) / privatizer.users)
            self.rewards = []
        else:
            self.rewards.append(array)
        self._advance(len(array))
        if self.turn == len(self.phase.support):
            means, self.means = np.array(self.means), []
            self._listen(means)

    def check_problem(self, problem: Any) -> None:
        """Raise a ValueError if this learner cannot play the problem."""
        super().check_problem(problem)
        if problem.domain != self.domain:
            raise ValueError(f"problem must have rewards in {self.domain}, for which the learner was made, got {problem.domain}")

    def _answers(self, problem: LinearArms, rng: np.random.Generator) -> Floats:
        return problem.rewards(self.act(), self.missing, rng)

    def _collect(self, problem: LinearArms, answers: np.random.Generator, noise: np.random.Generator) -> Floats:
        """Draw sums of rewards from their law and add noise, or let single users answer where the sum alone does not do."""
        privatizers, support = self.phase.privatizers, self.phase.support
        if privatizers[0].needs_values:
            pairs = zip(privatizers, support, strict=True)
            sums = [p.release(problem.rewards(int(arm), p.users, answers), noise) for p, arm in pairs]
        else:
            totals = problem.reward_sums(support, self.phase.pulls, answers)
            sums = [p.release_sum(total, noise) for p, total in zip(privatizers, totals, strict=True)]
        return np.array([float(released.item()) for released in sums]) / self.phase.pulls

    def _communication(self) -> tuple[float, float]:
        users = self.phase.pulls.astype(float)
        return float(users.sum()), float(sum(n * p.bits_per_user for n, p in zip(users, self.phase.privatizers, strict=True)))

    def _pack(self) -> dict[str, ArrayLike]:
        waiting = np.concatenate([np.empty((0, 1)), *self.rewards])
        return super()._pack() | {"rewards": waiting, "means": np.array(self.means, dtype=float)}

    def _unpack(self, state: dict[str, NDArray[Any]]) -> None:
        super()._unpack(state)
        self.rewards = [state["rewards"]] if len(state["rewards"]) else []
        self.means = state["means"].tolist()
