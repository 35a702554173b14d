"""Live use with clients: those of a phase watch all its plays, and each answers with one vector of average rewards."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp import _checks
from bandits_dp._state import locked
from bandits_dp.guarantee import Guarantee
from bandits_dp.live.asked import LiveAsked
from bandits_dp.live.slot import Slot
from bandits_dp.live.ticket import Ticket
from bandits_dp.privatizers import Privatizer
from bandits_dp.privatizers.domain import SLACK, rows


class LiveClients(LiveAsked):
    """A learner that asks so many clients, with a privatizer for the sum of their vectors.

    Parameters
    ----------
    learner : object
        ``ask()`` and ``tell(released, noise)``, see :mod:`bandits_dp.ask_tell`.
    privatizer : callable
        ``privatizer(clients, numbers)`` gives the privatizer of a sum of so many vectors of so many averages.
    arms, horizon : int
        Numbers of arms K and rounds T, both >= 1.
    guarantee : Guarantee, optional
        What the whole run promises to each client; if not given, see :class:`bandits_dp.live.arms.LiveArms`.
    fidelity : {"aggregate", "messages"}
        See :class:`bandits_dp.live.live.Live`.

    Attributes
    ----------
    plays : ndarray of int
        How often the phase plays each of its arms, up to the horizon.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """

    setting = "clients"

    def __init__(
        self, learner: Any, privatizer: Callable[[int, int], Privatizer], arms: int, horizon: int,
        guarantee: Guarantee | None = None, fidelity: str = "aggregate",
    ) -> None:
        super().__init__(learner, arms, horizon, guarantee, fidelity)  # type: ignore[arg-type]  # set below
        self.privatizer, self.sample = privatizer, privatizer(1, 1)
        self.begin()
        if guarantee is None:
            self._promise_weakest()

    def begin(self) -> None:
        """Hear what the learner asks, and who answers through what."""
        self.asked = asked = self._ask()
        left = self.horizon - self.played
        self.decides = bool(asked.decides and asked.plays.sum() < left)  # else nobody would play by it
        self.privatizers = [self._kept(self.privatizer(asked.clients, len(asked.arms)))] if self.decides else []
        self.slots = [Slot(self.privatizers[0], asked.clients) if self.decides else Slot(None, 0)]
        over_and_over = asked.plays * -(-left // max(1, int(asked.plays.sum())))
        self.plays = asked.plays if self.decides else np.diff(np.minimum(np.cumsum(over_and_over), left), prepend=0)

    @property
    def missing(self) -> int:
        """How many more clients watch the current phase; 0 if it releases nothing."""
        return 0 if self.due else self.slots[0].free

    def _lacks(self, place: int) -> int:
        return self.slots[0].users - self.slots[0].filled

    @locked
    def act(self, users: int | None = None, user: Hashable = None) -> Ticket:
        """Return a ticket for some new clients, who all watch the whole phase.

        Parameters
        ----------
        users : int, optional
            How many clients, 1 to ``missing``; all of them if not given. A phase that decides nothing needs nobody: its ticket is
            for 0 clients.
        user : int or str, optional
            Who it is, if it is one. A client who gives an id is asked once only.

        Returns
        -------
        Ticket
            ``ticket.arm`` are all actions of the phase, and ``ticket.plays`` says how often each is played.

        Raises
        ------
        ValueError
            If the horizon is reached, an argument is out of range, or the client was there before.
        """
        self._settle()
        self._must_go_on()
        missing = self.missing
        users = missing if users is None else _checks.integer("users", users, low=min(1, missing))
        if users > missing:
            raise ValueError(f"users must be 1 to {missing}, the clients that this phase lacks, got {users}")
        return self.register.hand_out(self.slots[0], self.asked.arms.copy(), users, user, plays=self.plays.copy())

    def _values(self, ticket: Ticket, answers: ArrayLike) -> NDArray[np.float64]:
        """Return one row of averages per client; an average of rewards may pass the end of its interval by a rounding error."""
        size = len(self.asked.arms)
        if not ticket.users:
            if np.size(answers):
                raise ValueError(f"averages must be empty in a phase that asks nobody, got shape {np.shape(answers)}")
            return np.zeros((0, size))
        privatizer = self.privatizers[0]
        array = rows(answers, ticket.users, size, "averages", finite=not privatizer.clip).copy()  # the caller may use its own again
        inside = privatizer.domain.clip(array)
        if not privatizer.clip and (abs(inside - array) > SLACK * abs(inside)).any():
            privatizer.domain.check(array, "averages")
        return inside

    def _take(self, place: int, ticket: Ticket, values: NDArray[np.float64], rng: np.random.Generator) -> None:
        if not self.decides:
            self.played = self.horizon
            return
        slot = self.slots[0] = self.slots[0].taking(ticket.users, values, rng)
        if slot.filled == slot.users:
            self.register.next_batch()
            self._count_phase(slot.source.receive(slot.waiting, rng))

    def check_problem(self, problem: Any) -> None:
        """Raise a ValueError if this learner cannot play the problem."""
        super().check_problem(problem)
        population = getattr(self.learner, "population", 1)
        if problem.clients < population:
            raise ValueError(f"problem must have {population} clients at least, for which the learner was made, "
                             f"got {problem.clients}")
        if not self.sample.clip and problem.domain.high > self.sample.domain.high:
            raise ValueError(f"problem must have rewards in {self.sample.domain}, or clip must be True so that clients' averages "
                             f"are moved there, got rewards in {problem.domain}")

    def _reopen(self, state: dict[str, NDArray[Any]]) -> None:
        self.begin()
        self.slots[0].shown = sum(kept.users for kept in self.register.open.values())
