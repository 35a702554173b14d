r"""Phased elimination of actions, whoever answers: the core that DP-PE and DP-DPE share.

In phase l = 1, 2, ... a near-G-optimal design :math:`\pi_l` on the active actions says which of them are played, the support, and
each action x of the support is played :math:`T_l(x) = \lceil h_l \pi_l(x) \rceil` times with :math:`h_l = 2^{l-1} h_1`. From the
released mean answer :math:`\tilde y(x)` of each, least squares estimates the parameter,

.. math:: \tilde\theta_l = V_l^{-1} \sum_x T_l(x)\, x\, \tilde y(x), \qquad V_l = \sum_x T_l(x)\, x x^\top,

and an action is dropped when the best estimate exceeds its own by more than a margin (Li, Zhou, Ji 2022, Algorithms 1 and 3). The
inverse is taken in the span of the active actions, which loses dimensions as the set shrinks.

Subclasses say who plays and answers (one fresh user per play, or the same clients in every play), and how their answers are
collected through a privatizer. Nothing here knows a trust model.

**Privacy of a run.** Every person answers in one phase only. Releases of different phases compose in parallel, though designs
depend on earlier releases. A phase that the horizon cuts, or after which nobody plays, decides nothing, and releases nothing; nor
does anything follow once the active actions are all the same.
"""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp import _checks
from bandits_dp.designs import bounded_actions, g_optimal_design
from bandits_dp.engine.regret import RegretTrack
from bandits_dp.learners.base import Learner, Played
from bandits_dp.learners.phased_parts import KnownActions, Phase, Width
from bandits_dp.privatizers.base import FIDELITIES

BLOCK = 4096  # actions whose margins are computed at a time
Floats = NDArray[np.float64]
A = TypeVar("A", bound=KnownActions)


class PhasedElimination(Learner[A]):
    """The core: active actions, designs, estimates, elimination, regret, save and restore.

    A subclass implements ``update`` and the four hooks ``_recruit``, ``_answers``, ``_collect`` and ``_communication``; it calls
    ``_advance`` after every play that it takes in, and ``_listen`` with the released means at the end of a phase that decides.

    Parameters
    ----------
    arms, dimension : int
        Number k of actions and their length d, both >= 1.
    horizon : int
        Number of rounds T, >= 1.
    first_length : float
        h_1, > 0.
    width : Width
        Margins of differences.
    fidelity : {"aggregate", "messages"}
        How the privatizer releases.

    Attributes
    ----------
    actions : ndarray, shape (k, d), or None
        The actions, once :meth:`show` was told; a learner that was made for a distribution of instances waits for it.
    active : ndarray of int, shape (left,)
        Actions that are not eliminated.
    number : int
        The current phase l, from 1.
    phase : Phase
        What it plays.
    turn, filled : int
        Which action of the support is played, and how often it was.
    estimate : ndarray, shape (d,)
        Estimate of the parameter after the last release.
    bits, numbers : float
        What people sent so far.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """

    def __init__(
        self, arms: int, dimension: int, horizon: int, first_length: float, width: Width, fidelity: str = "aggregate"
    ) -> None:
        super().__init__(arms, horizon)
        self.dimension = _checks.integer("dimension", dimension)
        self.first_length = _checks.positive("first_length", first_length)
        self.width = width
        self.fidelity = _checks.choice("fidelity", fidelity, FIDELITIES)
        self.actions: Floats | None = None
        self.active = np.arange(self.arms)
        self.estimate = np.zeros(self.dimension)
        self.bits = self.numbers = 0.0
        self.number = self.turn = self.filled = 0
        self.phase = Phase(0.0, self.active[:0], np.zeros(0, dtype=np.int64), 0, False)

    @abstractmethod
    def _recruit(self, phase: Phase) -> Phase:
        """Return the phase with ``people`` and ``privatizers``; called at the start of every phase that decides."""

    @abstractmethod
    def _answers(self, problem: A, rng: np.random.Generator) -> Floats:
        """Draw what people answer in the missing plays of the current action, or in the next few, ready for ``update``."""

    @abstractmethod
    def _collect(self, problem: A, answers: np.random.Generator, noise: np.random.Generator) -> Floats:
        """Draw the released means of the whole phase from their exact law, shape (s,)."""

    @abstractmethod
    def _communication(self) -> tuple[float, float]:
        """Return how many numbers and how many bits all people send in this phase."""

    def show(self, actions: ArrayLike) -> None:
        """Say what the actions are, and start the first phase.

        Parameters
        ----------
        actions : array_like, shape (k, d)
            One action per row, of norm at most 1; not all zero.

        Raises
        ------
        ValueError
            If the actions have another shape, are not finite, are all zero or too long, or are known already.
        """
        if self.actions is not None:
            raise ValueError("actions must be shown once, and this learner knows its actions; make another one")
        array = bounded_actions(actions)
        if array.shape != (self.arms, self.dimension):
            raise ValueError(f"actions must have shape ({self.arms}, {self.dimension}), one row per action, got {array.shape}")
        self.actions = array
        self._next_phase()

    def _next_phase(self) -> None:
        """Design the next phase (lines 4 and 5)."""
        assert self.actions is not None
        self.number += 1
        self.turn = self.filled = 0
        left = self.horizon - self.played
        candidates = self.actions[self.active]
        length = self.first_length * 2.0 ** (self.number - 1)
        if (candidates == candidates[0]).all():  # nothing to decide any more
            self.phase = Phase(length, self.active[:1], np.array([left]), 1, False)
            return
        design = g_optimal_design(candidates)
        chosen = np.flatnonzero(design.weights)
        pulls = np.ceil(length * design.weights[chosen]).astype(np.int64)
        self.phase = Phase(length, self.active[chosen], pulls, design.rank, bool(pulls.sum() < left))
        if self.phase.decides:
            self.phase = self._recruit(self.phase)

    def _listen(self, means: Floats) -> None:
        """End a phase with its released means, shape (s,): estimate, eliminate (lines 17 to 19), and go on."""
        assert self.actions is not None
        phase, candidates, support = self.phase, self.actions[self.active], self.actions[self.phase.support]
        roots = np.sqrt(phase.pulls)
        left, singular, right = np.linalg.svd(roots[:, None] * support, full_matrices=False)
        rank = phase.rank
        inverse = (right[:rank].T / singular[:rank]) @ left[:, :rank].T * roots  # V^-1 sum_x T(x) x e_x', shape (d, s)
        self.estimate = inverse @ means
        values = candidates @ self.estimate
        best = int(values.argmax())
        margins = []
        for start in range(0, len(candidates), BLOCK):
            differences = candidates[best] - candidates[start : start + BLOCK]
            coefficients = differences @ inverse
            rounding = np.linalg.norm(differences - coefficients @ support, axis=1)  # times the parameter's norm, 1 at most
            margins.append(self.width.margins(phase, differences, coefficients) + rounding)
        self.active = self.active[values[best] - values <= np.concatenate(margins)]
        numbers, bits = self._communication()
        self.numbers += numbers
        self.bits += bits
        self._next_phase()

    def act(self) -> int:
        """Return the action for the next play."""
        self._must_go_on()
        if self.actions is None:
            raise ValueError("actions must be known before the first play, got none: this learner was made for a distribution "
                             "of instances; call show(actions)")
        return int(self.phase.support[self.turn])

    @property
    def missing(self) -> int:
        """How many more plays the current action gets before the next one's turn."""
        self.act()
        return int(min(self.phase.pulls[self.turn] - self.filled, self.horizon - self.played))

    def _advance(self, plays: int) -> None:
        """Count plays of the current action, at most ``missing``, and go on to the next one after the last."""
        self.played += plays
        self.filled += plays
        if self.filled == self.phase.pulls[self.turn]:
            self.turn, self.filled = self.turn + 1, 0

    def play(
        self,
        problem: A,
        rngs: list[np.random.Generator],
        rounds: NDArray[np.int64],
        tick: Callable[[int], object],
    ) -> Played:
        """Play one run per generator, one after the other."""
        regret = np.empty((len(rngs), len(rounds)))
        bits, numbers, phases = (np.empty(len(rngs)) for _ in range(3))
        for run, rng in enumerate(rngs):
            answers, noise = rng.spawn(2)
            instance = problem.draw(answers)
            learner = copy.deepcopy(self)
            if learner.actions is None:
                learner.show(np.asarray(instance.actions))
            track = RegretTrack(instance.gaps, rounds)
            while learner.played < rounds[-1]:
                learner._play_phase(instance, answers, noise, track, int(rounds[-1]))
            regret[run] = track.regret
            bits[run], numbers[run], phases[run] = learner.bits, learner.numbers, learner.number
            tick(int(rounds[-1]))
        return Played(regret, bits, {"numbers": numbers, "phases": phases})

    def _play_phase(
        self, problem: A, answers: np.random.Generator, noise: np.random.Generator, track: RegretTrack, stop: int
    ) -> None:
        """Play one phase, or what of it fits before the round ``stop``."""
        plays = min(self.phase.plays, stop - self.played)
        track.play_each(self.phase.support, self.phase.pulls, plays)
        if not self.phase.decides or plays < self.phase.plays:  # nothing is released
            self.played += plays
        elif self.fidelity == "messages":
            number = self.number
            while self.number == number:
                self.update(self._answers(problem, answers), noise)
        else:
            means = self._collect(problem, answers, noise)
            self.played += plays
            self._listen(means)

    def _pack(self) -> dict[str, ArrayLike]:
        phase = self.phase
        known: dict[str, ArrayLike] = {} if self.actions is None else {"actions": self.actions}
        return known | {
            "played": self.played, "number": self.number, "active": self.active, "estimate": self.estimate,
            "bits": self.bits, "numbers": self.numbers, "turn": self.turn, "filled": self.filled,
            "length": phase.length, "support": phase.support, "pulls": phase.pulls, "rank": phase.rank, "decides": phase.decides,
        }

    def _unpack(self, state: dict[str, NDArray[Any]]) -> None:
        if self.actions is not None and not np.array_equal(self.actions, state["actions"]):
            raise ValueError("actions must be those that the learner was made for")
        self.actions = state.get("actions")
        self.played, self.number, self.turn, self.filled = (int(state[key]) for key in ("played", "number", "turn", "filled"))
        everything = np.arange(self.arms)
        self.active, self.estimate = everything[state["active"]], state["estimate"].reshape(self.dimension)
        self.bits, self.numbers = float(state["bits"]), float(state["numbers"])
        support, pulls = everything[state["support"]], state["pulls"].reshape(state["support"].shape)
        if not 0 <= self.turn <= len(support):
            raise ValueError(f"turn must be at most {len(support)}, the number of actions that are played")
        self.phase = Phase(float(state["length"]), support, pulls, int(state["rank"]), bool(state["decides"]))
        if self.phase.decides:
            self.phase = self._recruit(self.phase)

    def check_problem(self, problem: Any) -> None:
        """Raise a ValueError if this learner cannot play the problem."""
        super().check_problem(problem)
        if problem.dimension != self.dimension:
            raise ValueError(f"problem must have actions of length {self.dimension}, for which the learner was made, "
                             f"got {problem.dimension}")
        if self.actions is not None and (problem.actions is None or not np.array_equal(problem.actions, self.actions)):
            raise ValueError("problem must have the actions for which the learner was made, got others")
