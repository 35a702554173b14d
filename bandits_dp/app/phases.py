"""Apps whose learner asks in phases, of users or of clients."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bandits_dp import _checks
from bandits_dp._snapshot import snapshot
from bandits_dp._types import Floats
from bandits_dp.app.app import App
from bandits_dp.ask_tell import Asked
from bandits_dp.privatizers import Privatizer


class PhasedApp(App):
    """An app whose learner has ``ask()`` and ``tell(released, noise)``.

    Attributes
    ----------
    asked : Asked
        What the learner asks in this phase.
    decides : bool
        Whether the phase releases anything; if not, its arms are played to the end.
    privatizers : list of Privatizer
        One for every sum of the phase.
    sample : Privatizer
        The privatizer of one answer of one user; its domain holds the allowed answers.
    """

    asked: Asked
    decides: bool
    privatizers: list[Privatizer]
    numbers_sent = 0  # in simulations: numbers that people sent
    weakest = False  # whether the guarantee is that of the weakest privatizer of the first phase

    @abstractmethod
    def begin(self) -> None:
        """Ask the learner, and make the slots of the phase."""

    def _ask(self) -> Asked:
        """Return what the learner asks; check it, as its class may not be ours."""
        asked = self.learner.ask()
        if not isinstance(asked, Asked):
            raise TypeError(f"ask must return an Asked(arms, plays), got {_checks.told(asked)}")
        if len(asked.arms) and asked.arms.max() >= self.arms:
            raise ValueError(f"arms must be 0 to {self.arms - 1}, got {asked.arms!r} from ask()")
        if not len(asked.arms) and not hasattr(self.learner, "show"):
            raise ValueError(f"ask must name an arm at least, got {_checks.told(asked)}")
        clients = self.setting == "clients"
        if len(asked.arms) and asked.decides and bool(asked.clients) != clients:
            raise ValueError(f"clients must be {'at least 1' if clients else '0'} in the setting "
                             f"{self.setting!r}, got {_checks.told(asked)}")
        return asked

    @property
    def counts(self) -> dict[str, Any]:
        """With actions: numbers that people sent, and phases that began."""
        if self._actions is None:
            return {}
        return {"numbers": self.numbers_sent, "phases": self.learner.phase}

    def take_phase(self, released: Floats) -> None:
        """Take the releases of a whole phase, which a simulator drew from their distribution."""
        self._count_phase(released)
        self.tell()

    def _count_phase(self, released: Floats) -> None:
        self.played += int(self.asked.plays.sum())
        self.bits += float(sum(one.users * one.bits_per_user for one in self.privatizers))
        self.due = (released,)

    def _hear(self) -> None:
        asked = self.asked
        self.numbers_sent += asked.clients * len(asked.arms) or int(asked.plays.sum())
        self._told(*self.due, self.privatizers)
        self.begin()

    def _promise_weakest(self) -> None:
        """Set the weakest guarantee of the first phase; later phases must not be weaker."""
        promises = [one.guarantee for one in (self.sample, *self.privatizers)]
        weakest = {name: max(getattr(one, name) for one in promises)
                   for name in ("epsilon", "delta", "rho")}
        self.guarantee = replace(max(promises, key=lambda one: one.epsilon), **weakest)
        self.weakest = True

    def _kept(self, privatizer: Privatizer) -> Privatizer:
        """Return the privatizer, or raise a ValueError if it promises less than this app."""
        own, other = self.guarantee, privatizer.guarantee
        if self.weakest and (other.epsilon > own.epsilon or other.delta > own.delta):
            raise ValueError(f"privatizer must promise ({own.epsilon:g}, {own.delta:g}), as in the "
                             f"first phase, to each of {privatizer.users} users, got "
                             f"({other.epsilon:g}, {other.delta:g}); a guarantee= of your own is "
                             "taken as it is")
        return privatizer

    @property
    def _actions(self) -> Floats | None:
        """The learner's actions, without rows if unknown; None if it has no actions."""
        return getattr(self.learner, "actions", None)

    def show(self, actions: ArrayLike) -> None:
        """Tell the actions to a learner made for a distribution of instances, and begin.

        Parameters
        ----------
        actions : array_like, shape (k, d)
            One action per row, of norm at most 1; not all zero.

        Raises
        ------
        ValueError
            If the actions have another shape, are not finite, all zero or too long, or are known
            already. Nothing has changed then.
        """
        then = snapshot(self)
        then.learner = snapshot(self.learner)
        then.learner.show(actions)
        then.begin()
        self.__dict__ = then.__dict__

    def meet(self, world: Any) -> None:
        """Receive the actions of the drawn instance, if they are not known yet."""
        if self._actions is not None and not len(self._actions):
            self.show(world.actions)

    def must_go_on(self) -> None:
        """Raise HorizonReached if there is no next user, or a ValueError without actions."""
        super().must_go_on()
        self.must_know_actions()

    def must_know_actions(self) -> None:
        """Raise a ValueError if the actions are not known yet."""
        if self._actions is not None and not len(self._actions):
            raise ValueError("actions must be known before the first play, got none: this learner "
                             "was made for a distribution of instances; call show(actions)")

    def check_problem(self, problem: Any) -> None:
        """Raise a ValueError if this app cannot play a problem, or a TypeError if it is none."""
        super().check_problem(problem)
        actions = self._actions
        if actions is None:
            return
        if problem.dimension != actions.shape[1]:
            raise ValueError(f"problem must have actions of length {actions.shape[1]}, for which "
                             f"the learner was made, got {problem.dimension}")
        known = problem.actions
        if len(actions) and (known is None or not np.array_equal(known, actions)):
            raise ValueError("problem must have the actions for which the learner was made, "
                             "got others")
