r"""DP-DPE: phased elimination with clients who each have a parameter of their own (Li, Zhou, Ji 2022, Algorithm 1).

In phase l the actions of the support are played :math:`T_l(x)` times each, from :math:`h_1 = 2` on, and :math:`|U_l|` new clients
watch all these rounds, :math:`\lceil 2^{\alpha l} \rceil` of them in DPE. At the end each client has one vector, its average reward
for each action of the support, and the privatizer releases the sum of the vectors. Everything else is
:mod:`bandits_dp.learners.phased_base`. DPE, CDP-DPE, LDP-DPE and SDP-DPE differ in the privatizer alone, and DPE-FixedU from DPE
in the number of clients.

**Privacy of a run.** The unit is a client with all its rewards, that is its vector of averages in :math:`[-B, B]^s`; neighbours
differ in one client's vector. A client takes part in one phase only, so phases compose in parallel: the run keeps the guarantee of
one release, although designs depend on earlier ones.

**What exact margins rest on** (:class:`bandits_dp.learners.phased_width.ExactWidth`). Given the releases of earlier phases, the
clients of a phase are new, so an estimate's error is a sum of independent parts: :math:`\langle \bar\xi, b - x\rangle` for the
average :math:`\bar\xi` of their deviations, the noise of their rewards, and the privatizer's. This takes a client's mean rewards
to be linear. Two things bend them a little, and no margin contains that: the projection of the means of signs
(``projection_bias`` of :class:`bandits_dp.problems.clients.ClientPopulation`), and clipping, where it was asked for.

**A population is finite.** Phase l gets the clients that are left if they are fewer than :math:`|U_l|`. Once nobody is left,
nothing more can be learned from anybody new, and asking the same clients again would add up their losses; so the action with the
largest last estimate is played from then on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp import _checks
from bandits_dp.guarantee import Guarantee
from bandits_dp.learners.phased_base import PhasedElimination
from bandits_dp.learners.phased_parts import CLIPPED, Floats, Phase, Width
from bandits_dp.privatizers import Privatizer
from bandits_dp.problems.clients import ClientPopulation

FIRST_LENGTH = 2.0  # h_1
BLOCK = 5_000_000  # rewards that the simulator draws at a time
MOST_VALUES = 5_000_000  # averages that one release may need one by one
NEIGHBOURS = "replace one client's data"


def _for_clients(anyone: Privatizer) -> Guarantee:
    """Return what the release for one client with one average promises, in the words of the whole run."""
    promise = anyone.guarantee
    unit = f"one client's average rewards, each in {anyone.domain}" + (", after clipping to it" if anyone.clip else "")
    reason = promise.reason
    if promise.proved:
        reason += "; that is for one average, and each phase calibrates it to all averages of its clients, who are in no other"
    if anyone.clip:
        reason += CLIPPED
    return replace(promise, unit=unit, neighbours=NEIGHBOURS, reason=reason)


class ClientElimination(PhasedElimination[ClientPopulation]):
    """Phased elimination in which every phase has clients of its own, each of whom sees all its rounds.

    Live use: ``act()`` says what is played, ``clients`` how many clients watch, and ``update`` takes one reward from each.

    Parameters
    ----------
    arms, dimension : int
        Number k of actions and their length d, both >= 1.
    horizon : int
        Number of rounds T, >= 1.
    population : int
        Number of clients there are, >= 1.
    privatizer : callable
        ``privatizer(clients, numbers)`` gives the privatizer of a sum of so many vectors of so many averages.
    schedule : callable
        ``schedule(l)`` gives the number of clients of phase l, >= 1.
    width : Width
        Margins of differences.
    fidelity : {"aggregate", "messages"}
        Whether sums over rounds and clients are drawn from their law, or every reward and every message is made.

    Attributes
    ----------
    sums : ndarray, shape (clients, s)
        Rewards so far of each client of this phase, for each action of the support; empty before its first round.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """

    setting = "clients"

    def __init__(
        self,
        arms: int,
        dimension: int,
        horizon: int,
        population: int,
        privatizer: Callable[[int, int], Privatizer],
        schedule: Callable[[int], int],
        width: Width,
        fidelity: str = "aggregate",
    ) -> None:
        super().__init__(arms, dimension, horizon, FIRST_LENGTH, width, fidelity)
        self.population = _checks.integer("population", population)
        self.new_privatizer = privatizer
        self.schedule = schedule
        anyone = privatizer(1, 1)
        self.domain, self.clip = anyone.domain, anyone.clip
        self.guarantee = _for_clients(anyone)
        self.sums = np.zeros((0, 0))
        self.watching = self.sums  # parameters of the phase's clients, of whom only the simulator knows

    @property
    def clients(self) -> int:
        """How many clients watch the current round, and send a reward to ``update``; 0 if the phase releases nothing."""
        return self.phase.people if self.phase.decides else 0

    def _recruit(self, phase: Phase) -> Phase:
        """Take new clients for the phase, as far as there are any (line 7)."""
        left = self.population - sum(self.schedule(number) for number in range(1, self.number))
        if left <= 0:
            assert self.actions is not None
            best = self.active[[(self.actions[self.active] @ self.estimate).argmax()]]
            return Phase(phase.length, best, np.array([self.horizon - self.played]), 1, False)
        people = min(self.schedule(self.number), left)
        return replace(phase, people=people, privatizers=(self.new_privatizer(people, len(phase.support)),))

    def update(self, rewards: ArrayLike, rng: np.random.Generator) -> None:
        """Take the rewards of the phase's clients in this round, or in the next few rounds; release at the end of the phase.

        Parameters
        ----------
        rewards : array_like, shape (clients,) or (rounds, clients)
            One reward from each client, always in the same order during a phase; at most ``missing`` rounds.
        rng : numpy.random.Generator
            Source of the privatizer's randomness.

        Raises
        ------
        ValueError
            If rewards have another shape, are not finite or out of range, or the horizon is reached. The learner stays as it was.
        """
        missing = self.missing
        array = self._check(rewards, missing)
        _checks.generator(rng)
        phase, turn = self.phase, self.turn
        if not phase.decides:
            self._advance(len(array))
            return
        complete = turn == len(phase.support) - 1 and len(array) == missing
        if turn == self.filled == 0:
            self.sums = np.zeros((phase.people, len(phase.support)))
        sums = self.sums.copy() if complete else self.sums  # a release that raises leaves the learner as it was
        for row in array:  # one by one, so that sums do not depend on how many rounds come at once
            sums[:, turn] += row
        if not complete:
            self._advance(len(array))
            return
        averages = sums / phase.pulls  # line 10
        if not self.clip:  # every reward was checked, but an average may pass the end by a rounding error
            averages = np.clip(averages, self.domain.low, self.domain.high)
        means = phase.privatizers[0].release(averages, rng, self.fidelity) / phase.people
        self.sums = np.zeros((0, 0))
        self._advance(len(array))
        self._listen(means)

    def _check(self, rewards: ArrayLike, missing: int) -> Floats:
        """Return rewards as an array of shape (rounds, clients), or raise the ValueError that says what is wrong."""
        allowed = f"rewards must be finite numbers of shape ({self.clients},), one per client, or (1 to {missing}, {self.clients})"
        try:
            array = np.atleast_1d(np.asarray(rewards, dtype=float))
        except (TypeError, ValueError) as error:
            raise ValueError(f"{allowed}, got {rewards!r}") from error
        array = array[None] if array.ndim == 1 else array
        if array.ndim != 2 or array.shape[1] != self.clients or not 1 <= len(array) <= missing:
            raise ValueError(f"{allowed}, got shape {np.shape(rewards)}")
        if not np.isfinite(array).all():
            raise ValueError(f"{allowed}, got {array[~np.isfinite(array)][0]}")
        if not self.clip:
            self.domain.check(array, "rewards")
        return array

    def _answers(self, problem: ClientPopulation, rng: np.random.Generator) -> Floats:
        """Let the phase's clients see as many of the missing rounds as fit into memory, shape (rounds, clients)."""
        if self.turn == self.filled == 0:  # a new phase
            self.watching = problem.parameters(self.clients, rng)
        rounds = min(self.missing, max(1, BLOCK // self.clients))
        return problem.rewards(self.act(), self.watching, rng, rounds)

    def _collect(self, problem: ClientPopulation, answers: np.random.Generator, noise: np.random.Generator) -> Floats:
        """Draw the sum of all clients' averages from its law, or all averages where their sum alone does not do."""
        phase, privatizer = self.phase, self.phase.privatizers[0]
        if not (privatizer.needs_values or privatizer.clip):
            sums = problem.average_sums(phase.support, phase.pulls, phase.people, answers)
            return privatizer.release_sum(sums, noise) / privatizer.users
        if phase.people * len(phase.support) > MOST_VALUES:
            raise ValueError(f"clients must be few enough for memory where every client's averages are needed, got "
                             f"{phase.people:,} in phase {self.number} with {len(phase.support)} averages each: more than "
                             f"{MOST_VALUES:,} in all; take a smaller population or alpha")
        averages = problem.averages(phase.support, phase.pulls, phase.people, answers)
        return privatizer.release(averages, noise) / privatizer.users

    def _communication(self) -> tuple[float, float]:
        """Count a vector of averages from each client."""
        people, privatizer = self.phase.people, self.phase.privatizers[0]
        return float(people * privatizer.dimension), people * privatizer.bits_per_user

    def check_problem(self, problem: Any) -> None:
        """Raise a ValueError if this learner cannot play the problem."""
        super().check_problem(problem)
        if problem.clients < self.population:
            raise ValueError(f"problem must have {self.population} clients at least, for which the learner was made, "
                             f"got {problem.clients}")
        if not self.clip and problem.domain.high > self.domain.high:
            raise ValueError(f"problem must have rewards in {self.domain}, or clip must be True so that clients' averages are "
                             f"moved there, got rewards in {problem.domain}")

    def _pack(self) -> dict[str, ArrayLike]:
        return super()._pack() | {"sums": self.sums}

    def _unpack(self, state: dict[str, NDArray[Any]]) -> None:
        super()._unpack(state)
        begun = self.turn > 0 or self.filled > 0
        self.sums = state["sums"].reshape((self.clients, len(self.phase.support)) if begun and self.phase.decides else (0, 0))
