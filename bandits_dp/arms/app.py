"""The app of learners that are told a running sum after every answer: one stream per arm.

No batch has to fill, and no ticket expires. Every answer enters the sum of the arm that was shown,
and this sum is released at once.
"""

from __future__ import annotations

import copy
from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bandits_dp import _checks
from bandits_dp._snapshot import snapshot
from bandits_dp._types import Floats
from bandits_dp.app.app import App
from bandits_dp.app.slot import Slot
from bandits_dp.app.streams import CountedBatches, FreshBatches
from bandits_dp.app.ticket import Ticket
from bandits_dp.guarantee import Guarantee


class RunningApp(App):
    """An app in which a trusted server keeps a stream of running sums for every arm.

    Parameters
    ----------
    learner : object
        It has ``ask()`` for one user, and ``tell(released, noise, arm)``.
    stream : FreshBatches or CountedBatches
        A stream of one number from one user at a time. Every arm gets a copy.
    arms, horizon : int
        Numbers of arms K and rounds T, both >= 1.
    guarantee : Guarantee
        What the whole run promises to each user.

    Raises
    ------
    ValueError
        If an argument is out of range, or the stream is for vectors, for fewer rounds, or used
        already.

    Examples
    --------
    >>> import bandits_dp as bdp
    >>> from bandits_dp.arms.app import RunningApp
    >>> from bandits_dp.learners import UCB
    >>> from bandits_dp.app.streams import FreshBatches
    >>> from bandits_dp.arms.running_widths import ExactWidth
    >>> exact = bdp.privatizers.Identity(1)
    >>> learner = UCB(2, ExactWidth())
    >>> app = RunningApp(learner, FreshBatches(exact), 2, 1000, exact.guarantee)
    >>> app.update(app.act(), 1.0)
    >>> app.act().arm, app.played
    (1, 1)
    """

    def __init__(
        self, learner: Any, stream: FreshBatches | CountedBatches, arms: int, horizon: int,
        guarantee: Guarantee,
    ) -> None:
        super().__init__(learner, arms, horizon, guarantee)
        self.sample = counter = (stream.counter if isinstance(stream, CountedBatches)
                                 else stream.privatizer)
        room, steps = getattr(counter, "horizon", None), getattr(counter, "steps", 0)
        if counter.dimension != 1 or (room is not None and room < horizon) or steps:
            raise ValueError(f"counter must be a fresh one for {horizon} numbers, got {counter!r} "
                             f"of dimension {counter.dimension} with {steps} values")
        self.slots = [Slot(copy.deepcopy(stream), 1, arm) for arm in range(self.arms)]
        self.asked = self.learner.ask()

    @property
    def missing(self) -> int:
        """Number of users that a ticket can be for: 1, as every answer can change the next arm."""
        return 1

    def place(self, ticket: Ticket) -> int:
        """Return the slot of the arm that a ticket's user is shown."""
        return int(ticket.arm)

    def act(self, users: int = 1, user: Hashable = None) -> Ticket:
        """Return a ticket for the next user.

        Parameters
        ----------
        users : int
            Must be 1.
        user : hashable, optional
            The user's id. A user with an id is asked once only.

        Raises
        ------
        ValueError
            If the horizon is reached, an argument is out of range, or the user was asked before.
        """
        self.admit(users)
        return self.offer(int(self.asked.arms[0]), user)

    def offer(self, place: int, user: Hashable = None) -> Ticket:
        """Return a ticket for an arm, whether the learner asks about it or not."""
        self.tell()
        self.must_go_on()
        if place not in range(self.arms):
            raise ValueError(f"arm must be 0 to {self.arms - 1}, got {_checks.told(place)}")
        return self.hand_out(self.slots[place], place, 1, user)

    def _values(self, ticket: Ticket, answers: ArrayLike) -> Floats:
        return self._allowed(ticket, answers, self.sample)

    def _take(self, place: int, ticket: Ticket, values: Floats, rng: np.random.Generator) -> None:
        slot = self.slots[place] = snapshot(self.slots[place])
        source = slot.source = snapshot(slot.source)
        released = source.receive(source.send(values, rng).sum(axis=0), rng)
        self.played, self.bits = self.played + 1, self.bits + source.bits_per_user
        self.due = released, np.array(place)

    def _hear(self) -> None:
        released, place = self.due
        self._told(released, (self.slots[int(place)].source,), int(place))
        self.asked = self.learner.ask()
