"""Live use of learners that look after every answer: one stream of running sums per arm, which a trusted server keeps.

Nobody waits for a batch to fill: whatever answer comes enters the sum of the arm that was shown, which is released at once. So no
ticket ever expires.
"""

from __future__ import annotations

import copy
from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp import _checks
from bandits_dp._state import locked, snapshot
from bandits_dp.app.randomness import explored
from bandits_dp.app.streams import CountedBatches, FreshBatches
from bandits_dp.guarantee import Guarantee
from bandits_dp.live.asked import Suggesting
from bandits_dp.live.slot import Slot
from bandits_dp.live.ticket import Ticket


class LiveCounted(Suggesting):
    """A learner that is told the running sum of an arm after every answer.

    Parameters
    ----------
    learner : object
        ``ask()`` for one user, and ``tell(released, noise, arm)``.
    stream : FreshBatches or CountedBatches
        Of one number and one user. It is not used up: every arm has one like it.
    arms, horizon : int
        Numbers of arms K and rounds T, both >= 1.
    guarantee : Guarantee
        What the whole run promises to each user.

    Raises
    ------
    ValueError
        If an argument is out of range, or the stream is for vectors, or for fewer rounds.
    """

    def __init__(self, learner: Any, stream: FreshBatches | CountedBatches, arms: int, horizon: int, guarantee: Guarantee) -> None:
        super().__init__(learner, arms, horizon, guarantee)
        self.sample = counter = stream.counter if isinstance(stream, CountedBatches) else stream.privatizer
        room, steps = getattr(counter, "horizon", None), getattr(counter, "steps", 0)
        if counter.dimension != 1 or (room is not None and room < horizon) or steps:
            raise ValueError(f"counter must be a fresh one for {horizon} numbers, got {counter!r} of dimension "
                             f"{counter.dimension} with {steps} values")
        self.slots = [Slot(copy.deepcopy(stream), 1, arm) for arm in range(self.arms)]
        self.asked = self.learner.ask()

    @property
    def missing(self) -> int:
        """How many users a ticket can be for: 1, as everybody's answer changes what the next one is shown."""
        return 1

    def _place(self, ticket: Ticket) -> int:
        return int(ticket.arm)

    def _lacks(self, place: int) -> int:
        return self.horizon - self.played

    @locked
    def act(
        self, users: int = 1, user: Hashable = None, rng: np.random.Generator | None = None, explore: float = 0.0
    ) -> Ticket:
        """Return a ticket for the next user.

        Parameters
        ----------
        users : int
            1.
        user : int or str, optional
            Who she is. A user who gives her id is asked once only.
        rng : numpy.random.Generator, optional
            Source of exploration; that of the operating system if not given.
        explore : float
            Share of users who are shown an arm that is drawn uniformly, in [0, 1]. ``ticket.propensity`` then says with which
            probability its arm was drawn, so that a log of tickets can judge other policies. The coin knows nobody's data, so that
            no promise changes; widths hold for any number of pulls of each arm, and a user loses at most this share of the largest
            gap, on average.

        Raises
        ------
        ValueError
            If the horizon is reached, an argument is out of range, or the user was there before.
        """
        users = self._admit(users)
        arm, chance = explored(int(self.asked.arms[0]), self.arms, explore, rng)
        return self.register.hand_out(self.slots[arm], arm, users, user, propensity=chance)

    @locked
    def offer(self, place: int, user: Hashable = None) -> Ticket:
        """Return a ticket for an arm, whether it is the one that the learner asks about or not."""
        self._settle()
        self._must_go_on()
        if place not in range(self.arms):
            raise ValueError(f"arm must be 0 to {self.arms - 1}, got {_checks.told(place)}")
        return self.register.hand_out(self.slots[place], place, 1, user)

    def learn(self, arm: int, values: NDArray[np.float64], rng: np.random.Generator) -> None:
        """Take rewards of different users, in the domain, one row each, who were shown an arm before: only the last sum is told.

        Nobody is shown anything by the sums in between; see ``Counter.leap``.
        """
        slot = self.slots[arm] = snapshot(self.slots[arm])
        source = slot.source = snapshot(slot.source)
        if isinstance(source, CountedBatches):
            released = source.leap(values, len(values), rng)
        else:
            for sent in source.send(values, rng):
                released = source.receive(sent, rng)
        self.played, self.bits = self.played + len(values), self.bits + len(values) * source.bits_per_user
        learner = self.learner = snapshot(self.learner)
        learner.pulls = learner.pulls + (len(values) - 1) * np.eye(1, self.arms, arm, dtype=np.int64)[0]
        self._tell(released, (source,), arm)
        self.asked = self.learner.ask()

    def _values(self, ticket: Ticket, answers: ArrayLike) -> NDArray[np.float64]:
        return self._allowed(ticket, answers, self.sample)

    def _take(self, place: int, ticket: Ticket, values: NDArray[np.float64], rng: np.random.Generator) -> None:
        slot = self.slots[place] = snapshot(self.slots[place])
        slot.source = snapshot(slot.source)
        released = slot.source.receive(slot.source.send(values, rng).sum(axis=0), rng)
        self.played, self.bits = self.played + 1, self.bits + slot.source.bits_per_user
        self.due = released, np.array(place)

    def _hear(self) -> None:
        released, place = self.due
        self._tell(released, (self.slots[int(place)].source,), int(place))
        self.asked = self.learner.ask()

    def _reopen(self, state: dict[str, NDArray[Any]]) -> None:
        self.asked = self.learner.ask()
