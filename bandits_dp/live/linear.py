"""Live use of learners with known actions, whoever answers; and of linear bandits, where every answer is a fresh user's."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp._state import WrongEntry, snapshot
from bandits_dp.designs import bounded_actions
from bandits_dp.guarantee import Guarantee
from bandits_dp.learners.ask_tell import Asked
from bandits_dp.live.arms import LiveArms
from bandits_dp.live.live import Live
from bandits_dp.privatizers import Privatizer


class LiveActions(Live):
    """What live use of a learner with known actions adds: they are shown once, and everything else has to fit them.

    Attributes
    ----------
    anyone : Privatizer
        That of a single number of a single person.
    """

    anyone: Privatizer
    asked: Asked
    privatizers: Sequence[Privatizer]
    numbers_sent = 0

    @property
    def _actions(self) -> NDArray[np.float64] | None:
        """What the learner knows of the actions; None if it has no need to."""
        actions: NDArray[np.float64] | None = getattr(self.learner, "actions", None)
        return actions

    @abstractmethod
    def begin(self) -> None:
        """Hear what the learner asks."""

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

    def check_problem(self, problem: Any) -> None:
        """Raise a ValueError if this learner cannot play the problem."""
        super().check_problem(problem)
        actions = self._actions
        if actions is None:
            return
        if problem.dimension != actions.shape[1]:
            raise ValueError(f"problem must have actions of length {actions.shape[1]}, for which the learner was made, "
                             f"got {problem.dimension}")
        if len(actions) and (problem.actions is None or not np.array_equal(problem.actions, actions)):
            raise ValueError("problem must have the actions for which the learner was made, got others")

    @property
    def counts(self) -> dict[str, Any]:
        """What a simulation counts besides regret and bits: numbers that people sent, and phases that began."""
        return {"numbers": self.numbers_sent, "phases": self.learner.phase}

    def take_phase(self, released: NDArray[np.float64]) -> None:
        """Take what a simulator drew from the law of the releases of the whole phase."""
        self.played += int(self.asked.plays.sum())
        self.bits += float(sum(privatizer.users * privatizer.bits_per_user for privatizer in self.privatizers))
        self._tell(released, self.privatizers)
        self.begin()

    def _tell(self, released: NDArray[np.float64], *noise: Any) -> None:
        self.numbers_sent += self.asked.clients * len(self.asked.arms) or int(self.asked.plays.sum())
        super()._tell(released, *noise)

    def _must_go_on(self) -> None:
        super()._must_go_on()
        if self._actions is not None and not len(self._actions):
            raise ValueError("actions must be known before the first play, got none: this learner was made for a distribution "
                             "of instances; call show(actions)")

    def _pack(self) -> dict[str, ArrayLike]:
        return super()._pack() | {"numbers_sent": self.numbers_sent}

    def _unpack(self, state: dict[str, NDArray[Any]]) -> None:
        shown = self._actions
        super()._unpack(state)
        self.numbers_sent = int(state["numbers_sent"])
        if shown is None:
            return
        actions, estimate = self.learner.actions, self.learner.estimate
        if len(shown) and not np.array_equal(shown, actions):
            raise WrongEntry("learner_actions", "they are not those that the learner was made for")
        if len(actions) and actions.shape != (self.arms, *shown.shape[1:]):
            raise WrongEntry("learner_actions", f"there are {self.arms} of {shown.shape[1]} numbers, got shape {actions.shape}")
        if len(actions):
            try:
                bounded_actions(actions)
            except ValueError as error:
                raise WrongEntry("learner_actions", str(error)) from error
        if estimate.shape != shown.shape[1:]:
            raise WrongEntry("learner_estimate", f"it must be {shown.shape[1]} numbers, got shape {estimate.shape}")


class LiveLinear(LiveArms, LiveActions):
    """Phased elimination in which every play is a fresh user's, who gives one reward."""

    setting = "linear"

    def __init__(
        self, learner: Any, privatizer: Callable[[int], Privatizer], arms: int, horizon: int, guarantee: Guarantee,
        fidelity: str = "aggregate",
    ) -> None:
        super().__init__(learner, privatizer, arms, horizon, guarantee, fidelity)
        self.anyone = privatizer(1)

    def check_problem(self, problem: Any) -> None:
        """Raise a ValueError if this learner cannot play the problem."""
        super().check_problem(problem)
        domain = self.anyone.domain
        if problem.domain != domain:
            raise ValueError(f"problem must have rewards in {domain}, for which the learner was made, got {problem.domain}")
