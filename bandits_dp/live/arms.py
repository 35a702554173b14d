"""Live use of learners that ask about arms: every answer is one fresh user's reward, and every arm has batches of its own."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp import _checks
from bandits_dp._state import WrongEntry
from bandits_dp.guarantee import Guarantee
from bandits_dp.live.inbox import Inbox
from bandits_dp.live.live import Live
from bandits_dp.live.ticket import Ticket
from bandits_dp.privatizers import Identity, Privatizer
from bandits_dp.privatizers.domain import covers


class LiveArms(Live):
    """A learner that asks for sums of rewards, with a privatizer for each.

    Parameters
    ----------
    learner : object
        ``ask()`` and ``tell(released, noise)``, see :mod:`bandits_dp.learners.ask_tell`.
    privatizer : callable
        ``privatizer(users)`` gives the privatizer of a batch of so many users.
    arms, horizon : int
        Numbers of arms K and rounds T, both >= 1.
    guarantee : Guarantee, optional
        That of the first privatizer if not given.
    fidelity : {"aggregate", "messages"}
        See :class:`Live`.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> from functools import partial
    >>> import bandits_dp as bdp
    >>> from bandits_dp.live.arms import LiveArms
    >>> from bandits_dp.learners import ArmElimination
    >>> from bandits_dp.schedules.arms import EqualBatches
    >>> from bandits_dp.widths.arms import ChernoffWidth
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
    ) -> None:
        self.privatizer = privatizer
        self.privatizers: list[Privatizer] = []
        self.played = 0
        self.arms, self.horizon, self.learner = _checks.integer("arms", arms), _checks.integer("horizon", horizon), learner
        self.begin()
        super().__init__(learner, arms, horizon, guarantee or self.privatizers[0].guarantee, fidelity)

    def begin(self, answered: int = 0) -> None:
        """Hear what the learner asks, and who answers through what; so many have answered already."""
        self.asked = asked = self._ask()
        left = self.horizon - self.played + answered
        self.decides = bool(asked.decides and asked.plays.sum() < left)  # else nobody would play by it
        made: dict[int, Privatizer] = {privatizer.users: privatizer for privatizer in self.privatizers}
        if self.decides or not made:
            for users in map(int, asked.plays):
                if users not in made:
                    made[users] = self.privatizer(users)
            self.privatizers = [made[users] for users in map(int, asked.plays)]
        if len(asked.arms) == 1 and not self.decides:  # one ticket may be for everybody who is left
            self.asked = replace(asked, plays=np.array([left]))
        self.filled = np.zeros(len(asked.arms), dtype=np.int64)  # answers per arm
        self.out = np.zeros_like(self.filled)  # and open tickets
        self.released = np.zeros(len(asked.arms))
        self.inboxes: list[Inbox | None] = [None] * len(asked.arms)

    @property
    def _turn(self) -> int:
        """Which of the asked arms is next: the first that lacks users, or answers if all of them were shown it."""
        lacks = self.asked.plays - self.filled
        free = np.flatnonzero(lacks > self.out)
        return int(free[0] if len(free) else np.flatnonzero(lacks > 0)[0])

    @property
    def missing(self) -> int:
        """How many more users the arm that is next gets."""
        if not len(self.asked.arms):
            return 0
        turn = self._turn
        lacks = int(self.asked.plays[turn] - self.filled[turn])
        free = lacks - int(self.out[turn])
        return min(free if free > 0 else lacks, self.horizon - self.played)

    def _place(self, arm: Any) -> int:
        """Return which of the asked arms this is."""
        return int(np.flatnonzero(self.asked.arms == arm)[0])

    def _lacks(self, arm: int | None) -> int:
        turn = self._place(arm)
        return int(self.asked.plays[turn] - self.filled[turn]) if self.decides else self.horizon - self.played

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
        users = self._admit(users, user)
        return self._shown(self._turn, users, user)

    def offer(self, turn: int, users: int = 1, user: Hashable = None) -> Ticket:
        """Return a ticket for one of the asked arms, by its place among them, whether it is next or not."""
        if not 0 <= turn < len(self.asked.arms):
            raise ValueError(f"turn must be a place among the {len(self.asked.arms)} asked arms, from 0, got {turn!r}")
        return self._shown(turn, self._admit(users, user), user)

    def _shown(self, turn: int, users: int, user: Hashable) -> Ticket:
        self.out[turn] += users
        return self._ticket(int(self.asked.arms[turn]), users, user)

    def _checked(self, ticket: Ticket, answers: ArrayLike) -> NDArray[np.float64]:
        return self._allowed(ticket, answers, self.privatizers[0])

    def _take(self, ticket: Ticket, answers: NDArray[np.float64], rng: np.random.Generator) -> None:
        turn = self._place(ticket.arm)
        self.out, self.filled, self.inboxes = self.out.copy(), self.filled.copy(), self.inboxes.copy()
        self.out[turn] -= ticket.users
        self.filled[turn] += ticket.users
        self.played += ticket.users
        if not self.decides:
            if (self.filled >= self.asked.plays).all():
                self.filled[:] = 0  # round and round
            return
        privatizer = self.privatizers[turn]
        sent, inbox = privatizer.send(answers, rng), self.inboxes[turn]
        inbox = Inbox(sent) if inbox is None else inbox.put(sent)
        if self.filled[turn] < privatizer.users:
            self.inboxes[turn] = inbox
            return
        self.released = self.released.copy()
        self.released[turn] = privatizer.receive(inbox.rows, rng)[0]
        self.inboxes[turn], self.out[turn] = None, 0
        self._expire(ticket.arm)
        self.visits = self.visits.next_batch()
        self.bits += privatizer.users * privatizer.bits_per_user
        if (self.filled == self.asked.plays).all():
            self._tell(self.released, self.privatizers)
            self.begin()

    def learn_publicly(self, rewards: Sequence[NDArray[np.float64]]) -> None:
        """Take a whole phase from people to whom nothing is promised: the learner is told exact sums, and nobody sends anything.

        Parameters
        ----------
        rewards : sequence of ndarray
            As many rewards as are asked for, for each of the asked arms.
        """
        asked, privatizers = self.asked, self.privatizers
        if self.filled.any() or not self.decides or [len(own) for own in rewards] != asked.plays.tolist():
            raise ValueError(f"rewards must be those of a whole phase, {asked.plays} of them, got {[len(own) for own in rewards]}")
        sums = np.zeros(len(asked.arms))
        for turn, (own, privatizer) in enumerate(zip(rewards, privatizers, strict=True)):
            if privatizer.clip:
                own = privatizer.domain.clip(own[:, None])
            else:
                privatizer.domain.check(own[:, None], "rewards")
            sums[turn] = own.sum()
        self.played += int(asked.plays.sum())
        exact = [Identity(len(own), privatizer.domain) for own, privatizer in zip(rewards, privatizers, strict=True)]
        self._tell(sums, exact)
        self.begin()

    def check_problem(self, problem: Any) -> None:
        """Raise a ValueError if this learner cannot play the problem, or a TypeError if it is none."""
        super().check_problem(problem)
        privatizer = self.privatizers[0] if self.privatizers else None
        if privatizer and not (privatizer.clip or covers(privatizer.domain, problem.domain)):
            raise ValueError(f"problem must have rewards in {privatizer.domain}, for which the noise is made, got {problem.domain}")

    def _pack(self) -> dict[str, ArrayLike]:
        sent = {f"sent_{turn}": inbox.rows for turn, inbox in enumerate(self.inboxes) if inbox is not None}
        return super()._pack() | {"filled": self.filled, "released": self.released} | sent

    def _unpack(self, state: dict[str, NDArray[Any]]) -> None:
        super()._unpack(state)
        self.begin(int(state["filled"].sum()))
        self.filled[:], self.released[:] = state["filled"], state["released"]
        plays = self.asked.plays
        most = plays if self.decides else self.played
        whole = plays.size and (self.filled >= plays).all()  # nothing is asked before the actions are known
        if (self.filled < 0).any() or (self.filled > most).any() or whole or self.filled.sum() > self.played:
            raise WrongEntry("filled", f"{self.filled} of {plays} answers are not those of a phase")
        for kept in self.tickets.values():
            if kept.arm not in self.asked.arms:
                raise WrongEntry("ticket_arms", f"{kept.arm} is not one of those that are asked about, {self.asked.arms}")
            self.out[self._place(kept.arm)] += kept.users
        for turn in np.flatnonzero((self.filled > 0) & (self.filled < plays) & self.decides):
            privatizer, sent = self.privatizers[turn], state[f"sent_{turn}"]
            one = privatizer.send(np.full((1, 1), privatizer.domain.low), np.random.default_rng(0))
            self.inboxes[turn] = Inbox.restored(sent, int(self.filled[turn]), one)
