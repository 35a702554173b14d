"""What learners that ask have in common, whoever answers: what they ask, and actions that they are shown once."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp import _checks
from bandits_dp._state import locked, snapshot
from bandits_dp.ask_tell import Asked
from bandits_dp.live.live import Live
from bandits_dp.privatizers import Privatizer


class Suggesting(Live):
    """A live learner of arms without features, which can suggest one without learning."""

    asked: Asked

    @locked
    def suggest(self) -> int:
        """Return the arm that looks best by what was released, for a user from whom nothing is learned.

        Nobody answers, nothing is counted or changed, and it costs her nothing: the arm is a function of releases, whose price is
        paid. So it is for users whose budget is spent, and for all when the horizon is reached. Of somebody's own learner it is
        the first that it asks about.

        Examples
        --------
        >>> import bandits_dp as bdp
        >>> problem = bdp.problems.BernoulliArms([0.9, 0.8])
        >>> learner = bdp.make("SDP-AE", problem, horizon=1000, epsilon=1.0, delta=1e-3, batch_size=50)
        >>> learner.suggest(), learner.tickets
        (0, {})
        """
        self._must_know_actions()
        leading = getattr(self.learner, "leading", None)
        return leading() if callable(leading) else int(self.asked.arms[0])

    def _must_know_actions(self) -> None:
        """Raise a ValueError if what can be shown is not known yet."""


class LiveAsked(Suggesting):
    """A learner with ``ask()`` and ``tell(released, noise)``; see :class:`bandits_dp.live.live.Live`.

    Attributes
    ----------
    asked : Asked
        What the learner asks in this phase.
    decides : bool
        Whether the phase releases anything; if not, its arms are played to the end.
    privatizers : list of Privatizer
        One for every sum of the phase.
    sample : Privatizer
        The privatizer of one answer of one user; it says what answers may be.
    """

    asked: Asked
    decides: bool
    privatizers: list[Privatizer]
    sample: Privatizer
    phases = True
    numbers_sent = 0  # in simulations: numbers that people sent
    weakest = False  # whether the guarantee is that of the weakest privatizer of the first phase

    @abstractmethod
    def begin(self) -> None:
        """Hear what the learner asks, and make the slots."""

    def _ask(self) -> Asked:
        """Ask the learner, whose class may be anybody's."""
        asked = self.learner.ask()
        if not isinstance(asked, Asked):
            raise TypeError(f"ask must return an Asked(arms, plays), got {_checks.told(asked)}")
        if len(asked.arms) and asked.arms.max() >= self.arms:
            raise ValueError(f"arms must be 0 to {self.arms - 1}, got {asked.arms!r} from ask()")
        if not len(asked.arms) and not hasattr(self.learner, "show"):
            raise ValueError(f"ask must name an arm at least, got {_checks.told(asked)}")
        if len(asked.arms) and asked.decides and bool(asked.clients) != (self.setting == "clients"):
            least = "at least 1" if self.setting == "clients" else "0"
            raise ValueError(f"clients must be {least} in the setting {self.setting!r}, got {_checks.told(asked)}")
        return asked

    @property
    def counts(self) -> dict[str, Any]:
        """What a simulation counts: with actions, numbers that people send, and phases that began."""
        return {} if self._actions is None else {"numbers": self.numbers_sent, "phases": self.learner.phase}

    def take_phase(self, released: NDArray[np.float64]) -> None:
        """Take what a simulator drew from the law of the releases of the whole phase."""
        self._count_phase(released)
        self._settle()

    def _count_phase(self, released: NDArray[np.float64]) -> None:
        self.played += int(self.asked.plays.sum())
        self.bits += float(sum(privatizer.users * privatizer.bits_per_user for privatizer in self.privatizers))
        self.due = (released,)

    def _hear(self) -> None:
        """Tell the learner what its phase released, and begin the next."""
        self.numbers_sent += self.asked.clients * len(self.asked.arms) or int(self.asked.plays.sum())
        self._tell(*self.due, self.privatizers)
        self.begin()

    def _promise_weakest(self) -> None:
        """Promise what the weakest privatizer of the first phase does, and from now on refuse a weaker one."""
        promises = [one.guarantee for one in (self.sample, *self.privatizers)]
        weakest = {name: max(getattr(one, name) for one in promises) for name in ("epsilon", "delta", "rho")}
        self.guarantee, self.weakest = replace(max(promises, key=lambda one: one.epsilon), **weakest), True

    def _kept(self, privatizer: Privatizer) -> Privatizer:
        """Return a privatizer, unless it promises less than this learner."""
        own, other = self.guarantee, privatizer.guarantee
        if self.weakest and (other.epsilon > own.epsilon or other.delta > own.delta):
            raise ValueError(f"privatizer must promise ({own.epsilon:g}, {own.delta:g}), as in the first phase, to each of "
                             f"{privatizer.users} users, got ({other.epsilon:g}, {other.delta:g}); a guarantee= of your own is "
                             "taken as it is")
        return privatizer

    @property
    def _actions(self) -> NDArray[np.float64] | None:
        """What the learner knows of the actions; None if it has no need to."""
        actions: NDArray[np.float64] | None = getattr(self.learner, "actions", None)
        return actions

    @locked
    def show(self, actions: ArrayLike) -> None:
        """Say what the actions are, if the learner was made for a distribution of instances, and start the first phase.

        Parameters
        ----------
        actions : array_like, shape (k, d)
            One action per row, of norm at most 1; not all zero.

        Raises
        ------
        ValueError
            If the actions have another shape, are not finite, are all zero or too long, or are known already.
        """
        then = snapshot(self)
        then.learner = snapshot(self.learner)
        then.learner.show(actions)
        then.begin()
        self.__dict__ = then.__dict__

    def meet(self, world: Any) -> None:
        """Be shown the actions of the instance that is played, if the learner was made for a distribution of instances."""
        if self._actions is not None and not len(self._actions):
            self.show(world.actions)

    def _must_go_on(self) -> None:
        super()._must_go_on()
        self._must_know_actions()

    def _must_know_actions(self) -> None:
        if self._actions is not None and not len(self._actions):
            raise ValueError("actions must be known before the first play, got none: this learner was made for a distribution "
                             "of instances; call show(actions)")

    def check_problem(self, problem: Any) -> None:
        """Raise a ValueError if this learner cannot play the problem, or a TypeError if it is none."""
        super().check_problem(problem)
        actions = self._actions
        if actions is None:
            return
        if problem.dimension != actions.shape[1]:
            raise ValueError(f"problem must have actions of length {actions.shape[1]}, for which the learner was made, "
                             f"got {problem.dimension}")
        if len(actions) and (problem.actions is None or not np.array_equal(problem.actions, actions)):
            raise ValueError("problem must have the actions for which the learner was made, got others")

    def _pack(self) -> dict[str, ArrayLike]:
        return super()._pack() | {"numbers_sent": self.numbers_sent}

    def _unpack(self, state: dict[str, NDArray[Any]]) -> None:
        known = self._actions
        if known is not None and len(known) and not np.array_equal(known, state.get("learner_actions", known)):
            raise ValueError("state must come from a learner with the same actions, got that of one with others")
        super()._unpack(state)
        self.numbers_sent = int(state["numbers_sent"])
