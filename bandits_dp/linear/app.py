"""The app of learners that ask clients; all clients of a phase watch all its plays."""

from __future__ import annotations

from collections.abc import Callable, Hashable
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
from bandits_dp.privatizers.domain import SLACK, rows


class ClientsApp(PhasedApp):
    """An app in which each client of a phase answers with one vector of average rewards.

    Parameters
    ----------
    learner : object
        It has ``ask()`` and ``tell(released, noise)``, see :mod:`bandits_dp.ask_tell`.
    privatizer : callable
        ``privatizer(clients, numbers)`` gives the privatizer of a sum of vectors of averages.
    arms, horizon : int
        Numbers of arms K and rounds T, both >= 1.
    guarantee : Guarantee, optional
        What the whole run promises to each client; if not given, see
        :class:`bandits_dp.app.sums.SumsApp`.
    fidelity : {"aggregate", "messages"}
        See :class:`bandits_dp.app.app.App`.

    Attributes
    ----------
    plays : ndarray of int
        How often the phase plays each of its arms, up to the horizon.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> import numpy as np
    >>> from bandits_dp.linear.app import ClientsApp
    >>> from bandits_dp.learners import PhasedElimination
    >>> from bandits_dp.privatizers import Identity, Reals
    >>> from bandits_dp.linear.widths import ExactWidth
    >>> width = ExactWidth(2, horizon=1000, reward_std=1.0, client_std=0.1)
    >>> learner = PhasedElimination(2, 2, 20.0, width, clients=lambda phase: 5, population=100)
    >>> learner.show(np.eye(2))
    >>> def exact(clients, numbers):
    ...     return Identity(clients, Reals(numbers))
    >>> app = ClientsApp(learner, exact, arms=2, horizon=1000)
    >>> ticket = app.act()
    >>> ticket.users, ticket.plays.tolist()  # clients, who all watch 20 rounds
    (5, [10, 10])
    >>> app.update(ticket, [[0.5, 0.1]] * 5)
    >>> app.played
    20
    """

    setting = "clients"

    def __init__(
        self, learner: Any, privatizer: Callable[[int, int], Privatizer], arms: int, horizon: int,
        guarantee: Guarantee | None = None, fidelity: str = "aggregate",
    ) -> None:
        super().__init__(learner, arms, horizon, guarantee, fidelity)  # type: ignore[arg-type]
        self.privatizer, self.sample = privatizer, privatizer(1, 1)
        self.begin()
        if guarantee is None:
            self._promise_weakest()

    def begin(self) -> None:
        """Ask the learner, and make the slot of the phase's clients."""
        self.asked = asked = self._ask()
        left, plays = self.horizon - self.played, asked.plays
        self.decides = bool(asked.decides and plays.sum() < left)  # else no later play uses it
        if self.decides:
            made = self._kept(self.privatizer(asked.clients, len(asked.arms)))
            self.privatizers, self.slots = [made], [Slot(made, asked.clients)]
        else:
            self.privatizers, self.slots = [], [Slot(None, 0)]
            again = plays * -(-left // max(1, int(plays.sum())))
            plays = np.diff(np.minimum(np.cumsum(again), left), prepend=0)
        self.plays = plays

    @property
    def missing(self) -> int:
        """Number of clients that still watch the phase; 0 if it releases nothing."""
        return 0 if self.due else self.slots[0].free

    def _lacks(self, place: int) -> int:
        return self.slots[0].users - self.slots[0].filled

    def act(self, users: int | None = None, user: Hashable = None) -> Ticket:
        """Return a ticket for some new clients, who all watch the whole phase.

        Parameters
        ----------
        users : int, optional
            How many clients, 1 to ``missing``; all of them if not given. A phase that decides
            nothing needs no clients: its ticket is for 0 of them.
        user : hashable, optional
            The client's id, for one client. A client with an id is asked once only.

        Returns
        -------
        Ticket
            ``ticket.arm`` has all actions of the phase, ``ticket.plays`` how often each is played.

        Raises
        ------
        ValueError
            If the horizon is reached, an argument is out of range, or the client was asked before.
        """
        self.tell()
        self.must_go_on()
        missing = self.missing
        if users is None:
            users = missing
        if _checks.integer("users", users, low=min(1, missing)) > missing:
            raise ValueError(f"users must be 1 to {missing}, the clients that this phase lacks, "
                             f"got {users}")
        arms, plays = self.asked.arms.copy(), self.plays.copy()
        return self.hand_out(self.slots[0], arms, int(users), user, plays=plays)

    def _values(self, ticket: Ticket, answers: ArrayLike) -> Floats:
        """Return one row of averages per client; an average may be off by a rounding error."""
        size = len(self.asked.arms)
        if not ticket.users:
            if np.size(answers):
                raise ValueError("averages must be empty in a phase that asks no clients, got "
                                 f"shape {np.shape(answers)}")
            return np.zeros((0, size))
        privatizer = self.privatizers[0]
        clip, domain = privatizer.clip, privatizer.domain
        array = rows(answers, ticket.users, size, "averages", finite=not clip).copy()
        inside = domain.clip(array)
        if not clip and (abs(inside - array) > SLACK * abs(inside)).any():
            domain.check(array, "averages")
        return inside

    def _take(self, place: int, ticket: Ticket, values: Floats, rng: np.random.Generator) -> None:
        if not self.decides:
            self.played = self.horizon
            return
        slot = self.slots[0] = self.slots[0].with_answers(ticket.users, values, rng)
        if slot.filled == slot.users:
            self._close()
            self._count_phase(slot.source.receive(slot.waiting, rng))

    def check_problem(self, problem: Any) -> None:
        """Raise a ValueError if this app cannot play a problem, or a TypeError if it is none."""
        super().check_problem(problem)
        population = getattr(self.learner, "population", 1)
        if problem.clients < population:
            raise ValueError(f"problem must have {population} clients at least, for which the "
                             f"learner was made, got {problem.clients}")
        if not self.sample.clip and problem.domain.high > self.sample.domain.high:
            raise ValueError(f"problem must have rewards in {self.sample.domain}, or clip must be "
                             "True to move clients' averages into it, got rewards in "
                             f"{problem.domain}")
