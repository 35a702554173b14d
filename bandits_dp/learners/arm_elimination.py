r"""Arm elimination on privatized batch sums: AE, LDP-AE, SDP-AE, VB-SDP-AE and DP-SE are one algorithm.

In phase t every viable arm is pulled by a batch of :math:`m_t` fresh users; the privatizer releases the sum of each batch; an arm
whose upper confidence bound falls below the largest lower one is dropped (Tenenbaum et al. 2021, Algorithms 1 and 2; Sajed &
Sheffet 2019; without privacy, Even-Dar, Mannor, Mansour 2006). Only the privatizer tells the trust models apart, and
only the batches (:mod:`bandits_dp.learners.batches`) tell SDP-AE from VB-SDP-AE and from DP-SE, which forgets earlier phases.

**Privacy of a run.** Every user is in one batch, and batches are disjoint, so releases compose in parallel: the run keeps the
guarantee of a single release, even though later batches depend on earlier releases. A phase that the horizon cuts short decides
nothing, and none of its sums is released; nor is anything once a single arm is left.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp import _checks
from bandits_dp.learners.base import Learner, Played
from bandits_dp.learners.batches import Batches, Published, batches
from bandits_dp.learners.confidence import ChernoffWidth, PaperWidth
from bandits_dp.privatizers import Privatizer
from bandits_dp.privatizers.base import FIDELITIES
from bandits_dp.privatizers.domain import rows
from bandits_dp.problems.graded import Arms
from bandits_dp.regret import RegretTrack


def most_decisions(horizon: int, batch_size: int | str | Batches) -> int:
    """Count the phases with two viable arms that fit into the horizon: no run decides more often, unless batches shrink.

    Warning: of a schedule of your own the first batch alone is looked at. If a later one is smaller, a run may decide more often.

    Parameters
    ----------
    horizon : int
        Number of rounds T, >= 1.
    batch_size : int or "doubling" or Batches
        Users per arm and phase, not fewer than in the phase before.

    Returns
    -------
    int
        At least 1.

    Raises
    ------
    ValueError
        If the batch size is neither a positive integer nor "doubling", or the first batch is larger than the horizon.
    """
    first = _first_batch(horizon, batches(batch_size), arms=2)
    phases = int(math.log2(horizon / 4 + 1)) if batch_size == "doubling" else horizon // (2 * first)
    return max(1, phases)  # with doubling, 2 (2 + 4 + ... + 2^P) <= T


def _first_batch(horizon: int, schedule: Batches, arms: int) -> int:
    """Return the first phase's users per arm, unless the horizon is too short for them."""
    first = schedule.size(1, arms)
    if first > horizon:
        raise ValueError(f"batch_size must not exceed the horizon, got a first batch of {first} users for {horizon} rounds")
    return first


class ArmElimination(Learner[Arms]):
    """Arm elimination with any privatizer.

    Parameters
    ----------
    arms, horizon : int
        Numbers of arms K and rounds T, both >= 1.
    privatizer : callable
        ``privatizer(users)`` gives the privatizer of a batch of so many users.
    batch_size : int or "doubling" or Batches
        Users per arm and phase: always the same m, or 2^t in phase t, or as a schedule says.
    width : ChernoffWidth or PaperWidth or Published
        Fresh confidence width.
    fidelity : {"aggregate", "messages"}
        How the privatizer releases.

    Attributes
    ----------
    viable : ndarray of int, shape (left,)
        Arms that are not eliminated.
    sums : ndarray, shape (arms,)
        Released sums S_a over all phases, or of the last one if the schedule forgets.
    phase : int
        The current phase t, from 1.

    Raises
    ------
    ValueError
        If an argument is out of range, or the first batch is larger than the horizon.
    """

    privatizer: Privatizer

    def __init__(
        self,
        arms: int,
        horizon: int,
        privatizer: Callable[[int], Privatizer],
        batch_size: int | str | Batches,
        width: ChernoffWidth | PaperWidth | Published,
        fidelity: str = "aggregate",
    ) -> None:
        super().__init__(arms, horizon)
        self.batch_size = batch_size
        self.batches = batches(batch_size)
        _first_batch(horizon, self.batches, arms)
        self.new_privatizer = privatizer
        self.fidelity = _checks.choice("fidelity", fidelity, FIDELITIES)
        self.width = width
        self.viable = np.arange(arms)
        self.sums = np.zeros(arms)
        self.bits = 0.0
        self.phase = 0
        self._next_phase()
        self.guarantee = self.privatizer.guarantee

    def _next_phase(self) -> None:
        self.phase += 1
        self._renew_privatizer()
        left = self.horizon - self.played
        self.decides = len(self.viable) > 1 and len(self.viable) * self.privatizer.users <= left
        self.turn = 0  # which viable arm is being pulled
        self.batch: list[NDArray[np.float64]] = []  # rewards of its users so far
        self.filled = 0  # and how many these are
        self.released: list[float] = []  # sums of the arms before it

    def _renew_privatizer(self) -> None:
        users = self.batches.size(self.phase, len(self.viable))
        if self.phase == 1 or users != self.privatizer.users:
            self.privatizer = self.new_privatizer(users)

    def _listen(self, released: NDArray[np.float64], batches: int = 1) -> None:
        """End a phase: update the sums and eliminate (lines 11 to 15); ``released`` has one sum per viable arm."""
        if self.batches.fresh:
            self.sums[:] = 0.0
            self.width.forget()
        self.sums[self.viable] += released
        self.width.add(self.privatizer, batches)
        means = self.sums[self.viable] / self.width.users
        half_width = self.width.half_width()
        self.viable = self.viable[means + half_width >= means.max() - half_width]
        self.bits += batches * len(released) * self.privatizer.users * self.privatizer.bits_per_user
        self.phase += batches - 1
        self._next_phase()

    def _quiet_phases(self) -> int:
        """Count the coming phases that surely eliminate nobody, plus one.

        An arm falls when the sums of two arms differ by more than 2 N * half_width, which never shrinks. One phase moves their
        difference by at most the privatizer's span, so phases before it can be reached need no look.
        """
        if not self.batches.steady or self.width.users == 0:
            return 1
        half_width = self.width.half_width()
        if math.isinf(half_width):  # and for ever: the noise is beyond every s of the width's grid
            return self.horizon
        sums = self.sums[self.viable]
        reach = 2 * self.width.users * half_width - (sums.max() - sums.min())
        return 1 + max(0, int(reach / self.privatizer.span * (1 - 1e-9)))  # a hair less, for rounding

    def act(self) -> int:
        """Return the arm for the next user."""
        self._must_go_on()
        return int(self.viable[self.turn])

    def update(self, rewards: ArrayLike, rng: np.random.Generator) -> None:
        """Take the reward of one user, or of the next few users of the batch; release when the batch is full."""
        self._must_go_on()
        array = np.atleast_1d(np.array(rewards))  # a copy, for the caller may use its own again
        missing = self.missing
        if not 1 <= len(array) <= missing:
            raise ValueError(f"rewards must hold 1 to {missing} numbers, the rest of this batch, got {len(array)}")
        array = rows(array, len(array), 1, "rewards")
        self.privatizer.domain.check(array, "rewards")
        _checks.generator(rng)
        if len(array) == missing and self.decides:  # before anything changes, as a release may be refused
            values = np.concatenate([*self.batch, array])
            self.released.append(float(self.privatizer.release(values, rng, self.fidelity)[0]))
        self.played += len(array)
        self.filled += len(array)
        self.batch.append(array)
        if len(array) < missing:
            return
        self.batch, self.filled = [], 0
        self.turn = (self.turn + 1) % len(self.viable)
        if self.decides and self.turn == 0:
            self._listen(np.array(self.released))

    def _pack(self) -> dict[str, ArrayLike]:
        return {
            "played": self.played, "phase": self.phase, "viable": self.viable, "sums": self.sums, "bits": self.bits,
            "decides": self.decides, "turn": self.turn, "batch": np.concatenate([np.empty((0, 1)), *self.batch]),
            "released": np.array(self.released, dtype=float), **self.width.pack(),
        }

    def _unpack(self, state: dict[str, NDArray[Any]]) -> None:
        self.played, self.phase, self.turn = (int(state[key]) for key in ("played", "phase", "turn"))
        self.viable = np.arange(self.arms)[state["viable"]]
        self.sums[:] = state["sums"]
        self.bits, self.decides = float(state["bits"]), bool(state["decides"])
        self.filled = len(state["batch"])
        self.batch = [state["batch"]] if self.filled else []
        self.released = state["released"].tolist()
        self.width.unpack(state)
        self._renew_privatizer()

    @property
    def missing(self) -> int:
        """How many more users pull the current arm before the next one's turn."""
        return min(self.privatizer.users - self.filled, self.horizon - self.played)

    def play(
        self,
        problem: Arms,
        rngs: list[np.random.Generator],
        rounds: NDArray[np.int64],
        tick: Callable[[int], object],
    ) -> Played:
        """Play one run per generator, one after the other."""
        regret = np.empty((len(rngs), len(rounds)))
        bits = np.empty(len(rngs))
        for run, rng in enumerate(rngs):
            learner = copy.deepcopy(self)
            track = RegretTrack(problem.gaps, rounds)
            while learner.played < rounds[-1]:
                step = learner._play_batch if self.fidelity == "messages" else learner._play_phases
                step(problem, rng, track)
            regret[run], bits[run] = track.regret, learner.bits
            tick(int(rounds[-1]))
        return Played(regret, bits)

    def _play_batch(self, problem: Arms, rng: np.random.Generator, track: RegretTrack) -> None:
        """Let the users of one batch really draw rewards and send messages."""
        arm, users = self.act(), self.missing
        track.play(np.array([arm]), users, users)
        self.update(problem.rewards(arm, users, rng), rng)

    def _play_phases(self, problem: Arms, rng: np.random.Generator, track: RegretTrack) -> None:
        """Draw the sums of one phase, or of several that surely eliminate nobody before their end, from their exact law."""
        users, viable, left = self.privatizer.users, self.viable, self.horizon - self.played
        if not self.decides:
            track.play(viable, users, left)
            self.played = self.horizon
            return
        phase_length = users * len(viable)
        batches = min(self._quiet_phases(), left // phase_length)
        track.play(viable, users, batches * phase_length)
        self.played += batches * phase_length
        tally = problem.reward_tally(viable, batches * users, rng)
        self._listen(self.privatizer.release_tally(*tally, rng, batches), batches)
