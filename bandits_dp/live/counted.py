"""Live use of learners that look after every answer: one continual counter per arm, which a trusted server keeps.

Nobody waits for a batch to fill: whatever answer comes enters the counter of the arm that was shown, whose running sum is released
at once. So no ticket ever expires.
"""

from __future__ import annotations

import copy
from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp._state import Saved, WrongEntry, pack_part, unpack_part
from bandits_dp.continual.base import Counter
from bandits_dp.guarantee import Guarantee
from bandits_dp.live.live import Live
from bandits_dp.live.ticket import Ticket
from bandits_dp.privatizers.domain import UNIT_INTERVAL


class ExactSum(Saved):
    """A running sum without noise, in the place of a counter.

    Attributes
    ----------
    steps : int
        Number of values added so far.
    """

    kind = "counter"
    description = "ExactSum()"
    domain, clip, dimension = UNIT_INTERVAL, False, 1

    def __init__(self) -> None:
        self.steps = 0
        self.total: NDArray[np.float64] = np.zeros(1)

    def add(self, value: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
        """Take the next value and release the running sum."""
        self.steps, self.total = self.steps + 1, self.total + value
        return self.total

    def _pack(self) -> dict[str, ArrayLike]:
        return {"steps": self.steps, "total": self.total}

    def _unpack(self, state: dict[str, NDArray[Any]]) -> None:
        self.steps, self.total[:] = int(state["steps"]), state["total"]


class LiveCounted(Live):
    """A learner that is told the running sum of an arm after every answer.

    Parameters
    ----------
    learner : object
        ``ask()`` for one user, and ``tell(released, noise, arm)``.
    counter : Counter or ExactSum
        Of one number, for ``horizon`` numbers. It is not used up: every arm has one like it.
    arms, horizon : int
        Numbers of arms K and rounds T, both >= 1.
    guarantee : Guarantee
        What the whole run promises to each user.

    Attributes
    ----------
    counters : tuple of Counter
        One per arm.

    Raises
    ------
    ValueError
        If an argument is out of range, or the counter is for vectors or for fewer rounds.
    """

    BITS = 64.0  # a double-precision number from every user

    def __init__(self, learner: Any, counter: Counter | ExactSum, arms: int, horizon: int, guarantee: Guarantee) -> None:
        super().__init__(learner, arms, horizon, guarantee)
        room = getattr(counter, "horizon", None)
        if counter.dimension != 1 or (room is not None and room < horizon) or counter.steps:
            raise ValueError(f"counter must be a fresh one for {horizon} numbers, got {counter!r} of dimension "
                             f"{counter.dimension} with {counter.steps} values")
        self.counters = tuple(copy.deepcopy(counter) for _ in range(self.arms))
        self.asked = self._ask()

    @property
    def missing(self) -> int:
        """How many users a ticket can be for: 1, as everybody's answer changes what the next one is shown."""
        return 1

    def _lacks(self, arm: int | None) -> int:
        return self.horizon - self.played

    def act(self, users: int = 1, user: Hashable = None) -> Ticket:
        """Return a ticket for the next user; see :meth:`bandits_dp.live.arms.LiveArms.act`."""
        return self.offer(int(self.asked.arms[0]), users, user)

    def offer(self, arm: int, users: int = 1, user: Hashable = None) -> Ticket:
        """Return a ticket for an arm, whether it is the one that the learner asks about or not."""
        if not 0 <= arm < self.arms:
            raise ValueError(f"arm must be 0 to {self.arms - 1}, got {arm!r}")
        return self._ticket(int(arm), self._admit(users, user), user)

    def _checked(self, ticket: Ticket, answers: ArrayLike) -> NDArray[np.float64]:
        return self._allowed(ticket, answers, self.counters[0])

    def _take(self, ticket: Ticket, answers: NDArray[np.float64], rng: np.random.Generator) -> None:
        counter = copy.deepcopy(self.counters[ticket.arm])  # ``add`` changes it
        released = counter.add(answers[0], rng)
        self.counters = (*self.counters[: ticket.arm], counter, *self.counters[ticket.arm + 1 :])
        self.played, self.bits = self.played + 1, self.bits + self.BITS
        self._tell(released, (counter,), ticket.arm)
        self.asked = self._ask()

    def _pack(self) -> dict[str, ArrayLike]:
        packed = super()._pack()
        for arm, counter in enumerate(self.counters):
            packed |= pack_part(counter, f"counter_{arm}_")
        return packed

    def _unpack(self, state: dict[str, NDArray[Any]]) -> None:
        super()._unpack(state)
        if self.played != self.learner.pulls.sum():
            raise WrongEntry("played", f"the learner was told {self.learner.pulls.sum()} times")
        for arm, counter in enumerate(self.counters):
            unpack_part(counter, state, f"counter_{arm}_")
            if counter.steps != self.learner.pulls[arm]:
                raise WrongEntry(f"counter_{arm}_steps", f"the learner was told {self.learner.pulls[arm]} times")
        self.asked = self._ask()
