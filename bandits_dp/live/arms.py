"""Live use of learners that ask about arms: every answer is one fresh user's reward, and every arm has batches of its own."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp import _checks
from bandits_dp._state import locked
from bandits_dp.guarantee import Guarantee
from bandits_dp.live.asked import LiveAsked
from bandits_dp.live.slot import Slot
from bandits_dp.live.ticket import Ticket
from bandits_dp.privatizers import Identity, Privatizer
from bandits_dp.privatizers.domain import covers


class LiveArms(LiveAsked):
    """A learner that asks for sums of rewards, with a privatizer for each.

    Parameters
    ----------
    learner : object
        ``ask()`` and ``tell(released, noise)``, see :mod:`bandits_dp.ask_tell`.
    privatizer : callable
        ``privatizer(users)`` gives the privatizer of a batch of so many users.
    arms, horizon : int
        Numbers of arms K and rounds T, both >= 1.
    guarantee : Guarantee, optional
        If not given, that of the weakest privatizer of the first phase, and a weaker one in a later phase is refused.
    fidelity : {"aggregate", "messages"}
        See :class:`bandits_dp.live.live.Live`.
    setting : {"arms", "linear"}
        Whether the arms are known actions.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> from functools import partial
    >>> import bandits_dp as bdp
    >>> from bandits_dp.learners import ArmElimination
    >>> from bandits_dp.live.arms import LiveArms
    >>> from bandits_dp.arms.batches import EqualBatches
    >>> from bandits_dp.arms.widths import ChernoffWidth
    >>> learner = ArmElimination(2, EqualBatches(50), ChernoffWidth(horizon=1000, decisions=10))
    >>> live = LiveArms(learner, partial(bdp.privatizers.CentralLaplace, epsilon=1.0), arms=2, horizon=1000)
    >>> live.guarantee.model, live.act(users=30).users
    ('central', 30)
    """

    def __init__(
        self,
        learner: Any,
        privatizer: Callable[[int], Privatizer],
        arms: int,
        horizon: int,
        guarantee: Guarantee | None = None,
        fidelity: str = "aggregate",
        setting: str = "arms",
    ) -> None:
        self.privatizer, self.setting, self.privatizers = privatizer, setting, []
        super().__init__(learner, arms, horizon, guarantee, fidelity)  # type: ignore[arg-type]  # set below
        self.begin()
        self.sample = self.privatizers[0] if self.privatizers else privatizer(1)
        if guarantee is None:
            self._promise_weakest()

    def begin(self, answered: int = 0) -> None:
        """Hear what the learner asks, and who answers through what; so many have answered already."""
        self.asked = asked = self._ask()
        left = self.horizon - self.played + answered
        self.decides = bool(asked.decides and asked.plays.sum() < left)  # else nobody would play by it
        if len(asked.arms) == 1 and not self.decides:  # one ticket may be for everybody who is left
            self.asked = asked = replace(asked, plays=np.array([max(1, left)]))
        if self.decides or not self.privatizers:
            made: dict[int, Privatizer] = {privatizer.users: privatizer for privatizer in self.privatizers}
            for users in map(int, asked.plays):
                if users not in made:
                    made[users] = self._kept(self.privatizer(users))
            self.privatizers = [made[users] for users in map(int, asked.plays)]
        sources = self.privatizers if self.decides else [None] * len(asked.arms)
        self.slots = [Slot(*one) for one in zip(sources, asked.plays.tolist(), asked.arms.tolist(), strict=True)]
        self.released = np.zeros(len(asked.arms))

    @property
    def _turn(self) -> int:
        """Which of the asked arms is next: the first that lacks users, or answers if all of them were shown it."""
        lacking = (place for place, slot in enumerate(self.slots) if slot.users > slot.filled)
        first, slots = next(lacking), self.slots
        return next((place for place in (first, *lacking) if slots[place].users > slots[place].filled + slots[place].shown), first)

    def _place(self, ticket: Ticket) -> int:
        return next(place for place, slot in enumerate(self.slots) if slot.arm == ticket.arm)

    def _lacks(self, place: int) -> int:
        return self.slots[place].users - self.slots[place].filled if self.decides else self.horizon - self.played

    @locked
    def act(self, users: int = 1, user: Hashable = None) -> Ticket:
        """Return a ticket for the next user, or for the next few, who are all shown one arm.

        Parameters
        ----------
        users : int
            How many, 1 to ``missing``.
        user : int or str, optional
            Who she is. A user who gives her id is asked once only.

        Returns
        -------
        Ticket
            ``ticket.arm`` is what to show.

        Raises
        ------
        ValueError
            If the horizon is reached, an argument is out of range, or the user was there before.

        Examples
        --------
        >>> import bandits_dp as bdp
        >>> problem = bdp.problems.BernoulliArms([0.9, 0.8])
        >>> learner = bdp.make("SDP-AE", problem, horizon=1000, epsilon=1.0, delta=1e-3, batch_size=50)
        >>> learner.act(user="Ada").arm, learner.act(users=30).users
        (0, 30)
        """
        users = self._admit(users)
        slot = self.slots[self._turn]
        return self.register.hand_out(slot, slot.arm, users, user)

    @locked
    def offer(self, place: int, user: Hashable = None) -> Ticket:
        """Return a ticket for one of the asked arms, by its place among them, whether it is next or not."""
        self._settle()
        self._must_go_on()
        if place not in range(len(self.slots)):
            raise ValueError(f"place must be 0 to {len(self.slots) - 1}, that of an asked arm, got {_checks.told(place)}")
        return self.register.hand_out(self.slots[place], self.slots[place].arm, 1, user)

    def _values(self, ticket: Ticket, answers: ArrayLike) -> NDArray[np.float64]:
        return self._allowed(ticket, answers, self.slots[self._place(ticket)].source or self.sample)

    def _take(self, place: int, ticket: Ticket, values: NDArray[np.float64], rng: np.random.Generator) -> None:
        self.played += ticket.users
        slot = self.slots[place] = self.slots[place].taking(ticket.users, values if self.decides else None, rng)
        if not self.decides and all(one.filled >= one.users for one in self.slots):  # round and round
            self.slots = [Slot(None, one.users, one.arm, one.shown) for one in self.slots]
        if not self.decides or slot.filled < slot.users:
            return
        self.released = self.released.copy()
        self.released[place] = slot.source.receive(slot.waiting, rng)[0]
        self.bits += slot.users * slot.source.bits_per_user
        slot.waiting, slot.shown = None, 0
        self.register.next_batch(slot.arm)
        if all(one.filled == one.users for one in self.slots):
            self.register.here = {}
            self.due = (self.released,)

    def learn_publicly(self, rewards: Sequence[NDArray[np.float64]]) -> None:
        """Take a whole phase from people to whom nothing is promised: the learner is told exact sums, and nobody sends anything.

        Parameters
        ----------
        rewards : sequence of ndarray
            As many rewards as are asked for, for each of the asked arms.
        """
        asked, domain = self.asked, self.sample.domain
        if any(slot.filled for slot in self.slots) or not self.decides or [len(own) for own in rewards] != asked.plays.tolist():
            raise ValueError(f"rewards must be those of a whole phase, {asked.plays} of them, got {[len(own) for own in rewards]}")
        values = [own[:, None] for own in rewards]
        if self.sample.clip:
            values = [domain.clip(own) for own in values]
        else:
            for own in values:
                domain.check(own, "rewards")
        self.played += int(asked.plays.sum())
        self._tell(np.array([own.sum() for own in values]), [Identity(len(own), domain) for own in values])
        self.begin()

    def check_problem(self, problem: Any) -> None:
        """Raise a ValueError if this learner cannot play the problem, or a TypeError if it is none."""
        super().check_problem(problem)
        domain = self.sample.domain
        if self.setting == "linear" and problem.domain != domain:
            raise ValueError(f"problem must have rewards in {domain}, for which the learner was made, got {problem.domain}")
        if not (self.sample.clip or covers(domain, problem.domain)):
            raise ValueError(f"problem must have rewards in {domain}, for which the noise is made, got {problem.domain}")

    def _pack(self) -> dict[str, ArrayLike]:
        return super()._pack() | {"released": self.released, "answered": sum(slot.filled for slot in self.slots)}

    def _reopen(self, state: dict[str, NDArray[Any]]) -> None:
        self.begin(int(state["answered"]))
        self.released = state["released"]
        for kept in self.register.open.values():
            next(slot for slot in self.slots if slot.arm == kept.arm).shown += kept.users
