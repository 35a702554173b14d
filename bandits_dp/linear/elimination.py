r"""Phased elimination of actions: PE, DPE and their private forms are one algorithm.

Li, Zhou, Ji 2022, Algorithms 1 and 3. In phase l = 1, 2, ... each action x in the support of a
near-G-optimal design :math:`\pi_l` on the active actions is played
:math:`T_l(x) = \lceil h_l \pi_l(x) \rceil` times, with :math:`h_l = 2^{l-1} h_1`. Least squares
estimates the parameter from the released mean answer :math:`\tilde y(x)` of each,

.. math:: \tilde\theta_l = V_l^{-1} \sum_x T_l(x)\, x\, \tilde y(x), \qquad
          V_l = \sum_x T_l(x)\, x x^\top,

and an action is dropped if the best estimate exceeds its own by more than a margin
(:mod:`bandits_dp.linear.widths`). The inverse is taken in the span of the active actions, whose
dimension shrinks with the set.

**Who answers.** In PE (Algorithm 3) each play has a fresh user, with one reward. A release is the
sum of one action's rewards, and :math:`h_1 = 4 d \ln \ln d + 16`. In DPE (Algorithm 1)
:math:`|U_l|` new clients watch all plays of the phase (:mod:`bandits_dp.linear.clients_needed`).
Each client has one vector, its average reward for every action of the support; the release is the
sum of these vectors, and :math:`h_1 = 2`. Trust models differ only in the privatizer.

**Privacy of a run.** The unit is one user's reward, or one client's vector of averages in
:math:`[-B, B]^s`. Each user or client is in one sum of one phase, so the run keeps the guarantee of
a single release, although designs depend on earlier releases (proved in chapters 8 and 9). A phase
that the horizon cuts short releases nothing. Once all active actions are equal or no clients are
left, nothing more is released.

**A population is finite.** Phase l gets the remaining clients if they are fewer than :math:`|U_l|`.
Once none are left, the action with the largest last estimate is played: if the same clients were
asked again, their privacy losses would add up.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp import _checks
from bandits_dp._checks import called
from bandits_dp._ties import first_largest, round_up
from bandits_dp._types import Floats
from bandits_dp.ask_tell import Asked, Learner, Noise, able
from bandits_dp.linear.clients_needed import Schedule
from bandits_dp.linear.designs import bounded_actions, g_optimal_design
from bandits_dp.linear.widths import DesignWidth, Phase

BLOCK = 4096  # number of actions whose margins are computed at once


class PhasedElimination(Learner):
    """Phased elimination.

    Parameters
    ----------
    arms, dimension : int
        Number of actions k and their dimension d, both >= 1.
    first_length : float
        Length h_1 of the first phase, > 0.
    width : DesignWidth
        Margins of differences.
    clients : callable, optional
        ``clients(l)`` gives the number of clients in phase l, >= 1. If None, each play has a fresh
        user.
    population : int
        Number of all clients, >= 0; ignored without ``clients``.

    Attributes
    ----------
    actions : ndarray, shape (k, d)
        The actions; no rows before :meth:`show`.
    active : ndarray of int, shape (left,)
        Actions that are not eliminated.
    phase : int
        The current phase l, from 1.
    estimate : ndarray, shape (d,)
        Estimate of the parameter after the last release.

    Examples
    --------
    >>> import numpy as np
    >>> import bandits_dp as bdp
    >>> from bandits_dp.learners import PhasedElimination
    >>> from bandits_dp.linear.widths import ExactWidth
    >>> width = ExactWidth(2, horizon=10_000, reward_std=1.0)
    >>> learner = PhasedElimination(2, 2, first_length=2000, width=width)
    >>> learner.show([[1, 0], [0, 1]])
    >>> learner.ask().plays.tolist()
    [1000, 1000]
    >>> noise = bdp.privatizers.CentralLaplace(1000, epsilon=1.0)
    >>> learner.tell(np.array([700.0, 100.0]), [noise, noise])
    >>> learner.estimate.round(2).tolist(), learner.active.tolist()
    ([0.7, 0.1], [0])
    """

    changes = ("phase", "actions", "active", "estimate")

    def __init__(
        self, arms: int, dimension: int,
        first_length: float, width: DesignWidth,
        clients: Schedule | None = None, population: int = 0,
    ) -> None:
        self.first_length = _checks.positive("first_length", first_length)
        self.width = able("width", width, "margins")
        self.population = _checks.integer("population", population, low=0)
        self.clients = None if clients is None else called("clients", clients)
        d = _checks.integer("dimension", dimension, high=2000)
        self.active = np.arange(_checks.integer("arms", arms, high=10**7))
        self.actions = np.zeros((0, d))
        self.estimate, self.phase = np.zeros(d), 1

    def show(self, actions: ArrayLike) -> None:
        """Receive the actions, one per row, shape (k, d).

        Raises
        ------
        ValueError
            If there are fewer than two actions, one is not finite or has a norm above 1, all are
            zero, the shape is wrong, or the actions were shown before.
        """
        if len(self.actions):
            raise ValueError("actions must be shown once, and this learner "
                             "knows its actions; make another one")
        array = bounded_actions(actions)
        shape = len(self.active), len(self.estimate)
        if array.shape != shape:
            raise ValueError(f"actions must have shape {shape}, one row per "
                             f"action, got {array.shape}")
        self.actions = array

    def ask(self) -> Asked:
        """Design a phase for fresh users or new clients (lines 4 to 7)."""
        if not len(self.actions):
            return Asked(self.active[:0], self.active[:0], decides=False)
        x, clients = self.actions[self.active], self._new_clients()
        if (x == x[0]).all() or clients == 0:  # all equal, or none left
            return Asked(
                np.array([self.leading()]), np.array([1]), decides=False
            )
        design = g_optimal_design(x)  # pi_l, line 4
        chosen = np.flatnonzero(design.weights)
        self.rank, self.length = (  # h_l
            design.rank, self.first_length * 2.0 ** (self.phase - 1)
        )
        plays = round_up(self.length * design.weights[chosen])  # T_l(x), line 5
        self.asked = Asked(self.active[chosen], plays, clients or 0)
        return self.asked

    def _new_clients(self) -> int | None:
        """Return |U_l| (line 7), or all clients left; None without clients."""
        if self.clients is None:
            return None
        asked = sum(map(self.clients, range(1, self.phase)))
        return max(0, min(self.clients(self.phase), self.population - asked))

    def tell(self, released: Floats, noise: Sequence[Noise]) -> None:
        """Take one sum per action, and eliminate (lines 17 to 19)."""
        asked, x = self.asked, self.actions[self.active]
        inverse = least_squares(
            self.actions[asked.arms], asked.plays, self.rank
        )
        self.estimate = inverse @ (  # theta_l, line 17
            released / (asked.clients or asked.plays)
        )
        values = x @ self.estimate
        best = first_largest(values)
        phase = Phase(
            self.length, asked.plays, asked.clients or 1, tuple(noise)
        )
        margins = np.concatenate([
            self._margins(phase, x[best] - x[start : start + BLOCK], inverse)
            for start in range(0, len(x), BLOCK)
        ])
        self.active = self.active[values[best] - values <= margins]  # 18, 19
        self.phase += 1

    def leading(self) -> int:
        """Return the active action with the largest estimate."""
        return int(self.active[first_largest(
            self.actions[self.active] @ self.estimate
        )])

    def _margins(
        self, phase: Phase, differences: Floats, inverse: Floats
    ) -> Floats:
        """Return margins, plus the norm that rounding puts outside the span."""
        coefficients = differences @ inverse
        outside = differences - coefficients @ self.actions[self.asked.arms]
        margins = self.width.margins(phase, differences, coefficients)
        return margins + np.linalg.norm(outside, axis=1)  # |theta| <= 1


def least_squares(support: Floats, plays: NDArray[np.int64], rank: int) -> Floats:
    """Return V^-1 sum_x T(x) x e_x', which maps mean answers to the estimate, shape (d, s).

    ``rank`` is the rank of V.
    """
    roots = np.sqrt(plays)
    left, singular, right = np.linalg.svd(roots[:, None] * support, full_matrices=False)
    return (right[:rank].T / singular[:rank]) @ left[:, :rank].T * roots
