"""The app of learners that ask for sums of rewards: one batch and one privatizer per asked arm."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bandits_dp import _checks
from bandits_dp._types import Floats
from bandits_dp.app.phases import PhasedApp
from bandits_dp.app.slot import Slot
from bandits_dp.app.ticket import Ticket
from bandits_dp.guarantee import Guarantee
from bandits_dp.privatizers import Privatizer
from bandits_dp.privatizers.domain import covers


class SumsApp(PhasedApp):
    """An app in which every answer is the reward of a user who is in no other batch.

    Parameters
    ----------
    learner : object
        It has ``ask()`` and ``tell(released, noise)``, see :mod:`bandits_dp.ask_tell`.
    privatizer : callable
        ``privatizer(users)`` gives the privatizer of a batch.
    arms, horizon : int
        Numbers of arms K and rounds T, both >= 1.
    guarantee : Guarantee, optional
        If not given, the weakest guarantee of the first phase's privatizers. A weaker privatizer in
        a later phase is then refused.
    fidelity : {"aggregate", "messages"}
        See :class:`bandits_dp.app.app.App`.
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
    >>> from bandits_dp.app.sums import SumsApp
    >>> from bandits_dp.learners import ArmElimination
    >>> from bandits_dp.arms.batches import EqualBatches
    >>> from bandits_dp.arms.widths import ChernoffWidth
    >>> width = ChernoffWidth(horizon=1000, decisions=10)
    >>> learner = ArmElimination(2, EqualBatches(50), width)
    >>> laplace = partial(bdp.privatizers.CentralLaplace, epsilon=1.0)
    >>> app = SumsApp(learner, laplace, arms=2, horizon=1000)
    >>> ticket = app.act(users=30)
    >>> app.update(ticket, [1] * 30)
    >>> app.guarantee.model, app.played, app.missing
    ('central', 30, 20)
    """

    def __init__(
        self, learner: Any, privatizer: Callable[[int], Privatizer], arms: int, horizon: int,
        guarantee: Guarantee | None = None, fidelity: str = "aggregate", setting: str = "arms",
    ) -> None:
        self.privatizer, self.setting, self.privatizers = privatizer, setting, []
        super().__init__(learner, arms, horizon, guarantee, fidelity)  # type: ignore[arg-type]
        self.begin()
        self.sample = self.privatizers[0] if self.privatizers else privatizer(1)
        if guarantee is None:
            self._promise_weakest()

    def begin(self) -> None:
        """Ask the learner, and make a slot for each asked arm."""
        self.asked = asked = self._ask()
        left = self.horizon - self.played
        self.decides = bool(asked.decides and asked.plays.sum() < left)  # else no play needs it
        if len(asked.arms) == 1 and not self.decides:  # one ticket may be for all remaining users
            self.asked = asked = replace(asked, plays=np.array([max(1, left)]))
        plays: list[int] = asked.plays.tolist()
        if self.decides or not self.privatizers:
            made: dict[int, Privatizer] = {one.users: one for one in self.privatizers}
            for users in plays:
                if users not in made:
                    made[users] = self._kept(self.privatizer(users))
            self.privatizers = [made[users] for users in plays]
        sources = self.privatizers if self.decides else [None] * len(plays)
        self.slots = list(map(Slot, sources, plays, asked.arms.tolist()))
        self.released = np.zeros(len(plays))

    @property
    def _turn(self) -> int:
        """The first slot that lacks users; if none does, the first that lacks answers."""
        slots = self.slots
        lacking = [place for place, slot in enumerate(slots) if slot.users > slot.filled]
        return next((place for place in lacking
                     if slots[place].users > slots[place].filled + slots[place].shown), lacking[0])

    def place(self, ticket: Ticket) -> int:
        """Return the slot of the arm that a ticket's users are shown."""
        return next(place for place, slot in enumerate(self.slots) if slot.arm == ticket.arm)

    def _lacks(self, place: int) -> int:
        slot = self.slots[place]
        return slot.users - slot.filled if self.decides else self.horizon - self.played

    def act(self, users: int = 1, user: Hashable = None) -> Ticket:
        """Return a ticket for the next user, or for the next few, who are all shown one arm.

        Parameters
        ----------
        users : int
            How many, 1 to ``missing``.
        user : hashable, optional
            The user's id. A user with an id is asked once only.

        Returns
        -------
        Ticket
            ``ticket.arm`` is what to show.

        Raises
        ------
        ValueError
            If the horizon is reached, an argument is out of range, or the user was there before.
        """
        users = self.admit(users)
        slot = self.slots[self._turn]
        return self.hand_out(slot, slot.arm, users, user)

    def offer(self, place: int, user: Hashable = None) -> Ticket:
        """Return a ticket for the asked arm with index ``place``, whether it is next or not."""
        self.tell()
        self.must_go_on()
        if place not in range(len(self.slots)):
            raise ValueError(f"place must be 0 to {len(self.slots) - 1}, the index of an asked "
                             f"arm, got {_checks.told(place)}")
        return self.hand_out(self.slots[place], self.slots[place].arm, 1, user)

    def _values(self, ticket: Ticket, answers: ArrayLike) -> Floats:
        return self._allowed(ticket, answers, self.slots[self.place(ticket)].source or self.sample)

    def _take(self, place: int, ticket: Ticket, values: Floats, rng: np.random.Generator) -> None:
        self.played += ticket.users
        slot = self.slots[place].with_answers(ticket.users, values if self.decides else None, rng)
        self.slots[place] = slot
        if not self.decides:
            if all(one.filled >= one.users for one in self.slots):  # round and round
                self.slots = [Slot(None, one.users, one.arm, one.shown) for one in self.slots]
        elif slot.filled == slot.users:
            self.released = self.released.copy()
            self.released[place] = slot.source.receive(slot.waiting, rng)[0]
            self.bits += slot.users * slot.source.bits_per_user
            slot.waiting = None
            self._close(slot.arm)
            if all(one.filled == one.users for one in self.slots):
                self.here, self.due = {}, (self.released,)

    def check_problem(self, problem: Any) -> None:
        """Raise a ValueError if this app cannot play a problem, or a TypeError if it is none."""
        super().check_problem(problem)
        domain = self.sample.domain
        if self.setting == "linear" and problem.domain != domain:
            raise ValueError(f"problem must have rewards in {domain}, for which the learner was "
                             f"made, got {problem.domain}")
        if not (self.sample.clip or covers(domain, problem.domain)):
            raise ValueError(f"problem must have rewards in {domain}, for which the noise is made, "
                             f"got {problem.domain}")
