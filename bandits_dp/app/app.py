"""The app: a learner, its privatizer, and users who are shown something and answer.

``act`` hands out a ticket that says what to show; ``update`` takes it back with the answer. What
waits for a full batch is what users *send*: noisy messages in the local model, what these add up to
in the shuffle model, the raw sum at a trusted server in the central model. Noise of the server is
drawn when a batch is released, not before.

``update`` is ``take`` and ``tell``. ``take`` checks every argument first; then it replaces
attributes and changes no array in place, so ``copy.copy(app)`` before it is a snapshot. ``tell``
happens in one step: a learner that fails is told the same release again by the next call.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Hashable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp import _checks
from bandits_dp._snapshot import snapshot
from bandits_dp._types import Floats
from bandits_dp.app.randomness import generator
from bandits_dp.app.refusals import BudgetSpent, HorizonReached, InBatch, TicketExpired
from bandits_dp.app.slot import Slot
from bandits_dp.app.ticket import DRAWN, Ticket
from bandits_dp.ask_tell import Learner
from bandits_dp.guarantee import Guarantee
from bandits_dp.privatizers.domain import rows
from bandits_dp.problem import Problem, check_problem

NO_END = 2**62  # rounds: more than any run plays


class App(ABC):
    """A learner with its privatizer, ready for users.

    A user who gives an id counts as a visitor as soon as ``act`` returns a ticket. The app gives
    no visit back: a user whose ticket expires is in that batch all the same. Tickets and visits
    are noted in place, in one step; shallow copies share them.

    Parameters
    ----------
    learner : object
        It asks and is told, see :mod:`bandits_dp.ask_tell`.
    arms, horizon : int
        Numbers of arms K and rounds T, both >= 1.
    guarantee : Guarantee
        What the whole run promises to each user.
    fidelity : {"aggregate", "messages"}
        Whether :func:`bandits_dp.simulate` may draw sums from their law, or plays every message.
    appearances : int
        Number of batches that one user may be in, >= 1.

    Attributes
    ----------
    name, description : str
        What tables call it; and name, size and options, which a saved state must match.
    parameters : dict
        What ``make`` was given, with the defaults of all options.
    played, bits : int, float
        Rounds that were answered, and bits that users sent for what was released.
    slots : list of Slot
        The batches that fill.
    open : dict of int to Ticket
        Tickets that are not answered yet, by number.
    handed, salt : int
        Tickets handed out so far, and the last bits of the next one's number.
    visits : dict of hashable to int
        Number of batches of each user who gave an id; ``here`` has those of the current batch.
    due : tuple of ndarray
        What was released and not told yet: empty, unless the learner failed when it was told.
    """

    setting = "arms"
    salt = 0
    centre: Floats | None = None  # a learner's parameter is measured from here, if not from 0
    sample: Any  # the privatizer of one answer, where there is one for all
    listener: Any = None  # of an audit, see bandits_dp.audit.views: told what is sent and released

    def __init__(
        self, learner: Any, arms: int, horizon: int, guarantee: Guarantee,
        fidelity: str = "aggregate", appearances: int = 1,
    ) -> None:
        self.learner, self.guarantee = learner, guarantee
        self.arms = _checks.integer("arms", arms)
        self.horizon = _checks.integer("horizon", horizon)
        self.fidelity = _checks.choice("fidelity", fidelity, ("aggregate", "messages"))
        self.appearances = _checks.integer("appearances", appearances)
        self.name = type(learner).__name__
        self.description = f"{self.name}(arms={self.arms}, horizon={self.horizon})"
        self.parameters: dict[str, Any] = {}
        self.played, self.bits, self.handed = 0, 0.0, 0
        self.slots: list[Slot] = []
        self.open: dict[int, Ticket] = {}
        self.visits: dict[Hashable, int] = {}
        self.here: dict[Hashable, None] = {}
        self.due: tuple[NDArray[Any], ...] = ()

    def __copy__(self) -> Self:
        """Return a snapshot, faster than Python's own."""
        return snapshot(self)

    @property
    def counts(self) -> dict[str, Any]:
        """What a simulation counts besides regret and bits, by name."""
        return {}

    @property
    def missing(self) -> int:
        """Number of users that one ticket can be for: those without one, or without an answer."""
        if self.due or not self.slots:
            return 0
        return min(self.slots[self._turn].free, self.horizon - self.played)

    @property
    def _turn(self) -> int:
        """The slot whose users are shown something next."""
        return 0

    def place(self, ticket: Ticket) -> int:
        """Return the slot of a ticket's users."""
        return 0

    def _lacks(self, place: int) -> int:
        """Return how many more answers a slot takes."""
        slot = self.slots[place]
        return min(slot.users - slot.filled, self.horizon - self.played)

    @abstractmethod
    def _values(self, ticket: Ticket, answers: ArrayLike) -> Floats:
        """Return the values of a ticket's users, one row each, or say what is wrong."""

    @abstractmethod
    def _take(self, place: int, ticket: Ticket, values: Floats, rng: np.random.Generator) -> None:
        """Take values in; what they release is due then."""

    @abstractmethod
    def _hear(self) -> None:
        """Tell the learner what is due, and ask what it wants next."""

    def update(
        self, ticket: Ticket, answers: ArrayLike, rng: np.random.Generator | None = None
    ) -> None:
        """Take the answer to a ticket; release the batch when it is full.

        Parameters
        ----------
        ticket : Ticket
            What ``act`` returned. Answers may come in any order.
        answers : array_like
            The reward, or one for each user of the ticket.
        rng : numpy.random.Generator, optional
            Source of the privatizer's randomness; the operating system's if not given.

        Raises
        ------
        ValueError
            If an answer is out of range, their number is wrong, or ``rng`` is no Generator; as
            TicketExpired, if the ticket was used already or its batch was released without it; as
            HorizonReached, if all rounds are played. Nothing has changed then.
        TypeError
            If ``ticket`` is not a ticket.
        Exception
            What a learner of your own raises when it is told a release. The answer is taken then,
            and the next call tells the same release again.

        Examples
        --------
        >>> import bandits_dp as bdp
        >>> problem = bdp.problems.BernoulliArms([0.9, 0.8])
        >>> app = bdp.make("SDP-AE", problem, horizon=1000, epsilon=1, delta=1e-3, batch_size=50)
        >>> ada, grace = app.act(user="Ada"), app.act(user="Grace")
        >>> app.update(grace, 1)
        >>> app.update(ada, 0)
        >>> app.played
        2
        """
        self.tell()
        self.take(ticket, answers, rng)
        self.tell()

    def take(
        self, ticket: Ticket, answers: ArrayLike, rng: np.random.Generator | None = None
    ) -> None:
        """Do all of :meth:`update` but telling the learner."""
        self.must_go_on()
        if not isinstance(ticket, Ticket):
            raise TypeError(f"ticket must be what act() returned, got {_checks.told(ticket)}; "
                            "update takes the ticket first, then the answer")
        if self.open.get(ticket.number) is not ticket:
            raise TicketExpired("ticket must be open, got one that is used already, or its batch "
                                f"was released without it: {_checks.told(ticket)}")
        place = self.place(ticket)
        if ticket.users > (lacks := self._lacks(place)):
            raise ValueError(f"ticket must be for no more users than the {lacks} whose answers "
                             f"are lacking, got {ticket.users}")
        values, rng = self._values(ticket, answers), generator(rng)
        self.open, self.slots = self.open.copy(), self.slots.copy()
        del self.open[ticket.number]
        if self.listener is None:
            self._take(place, ticket, values, rng)
        else:
            self.listener.takes(self, place, ticket, values, rng)

    def tell(self) -> None:
        """Tell the learner what is due, in one step."""
        if self.due:
            then = snapshot(self)
            then._hear()
            then.due = ()
            self.__dict__ = then.__dict__

    def must_go_on(self) -> None:
        """Raise HorizonReached if there is no next user."""
        if self.played >= self.horizon:
            raise HorizonReached(f"horizon is {self.horizon} and {self.played} rounds are played: "
                                 "there is no next user")

    def check_user(self, user: Hashable) -> None:
        """Raise BudgetSpent or InBatch if a user may not be shown anything now."""
        try:
            hash(user)
        except TypeError as error:
            raise TypeError(f"user must be hashable, got {_checks.told(user)}") from error
        if self.visits.get(user, 0) >= self.appearances:
            times = "once" if self.appearances == 1 else f"in {self.appearances} batches"
            raise BudgetSpent(f"user must be asked {times} at most, for which the noise is made, "
                              f"got {_checks.told(user)} once more")
        if user in self.here:
            raise InBatch("user must be another one in every round of a batch, "
                          f"got {_checks.told(user)} again")

    def admit(self, users: int = 1) -> int:
        """Check for how many users a ticket is wanted, and return the number."""
        self.tell()
        self.must_go_on()
        users = _checks.integer("users", users)
        if users > self.missing:
            raise ValueError(f"users must be 1 to {self.missing}, the rest of this batch, "
                             f"got {users}")
        return users

    def hand_out(self, slot: Slot, arm: Any, users: int, user: Hashable, **more: Any) -> Ticket:
        """Hand out a ticket to users of any slot, in one step: all changes happen, or none."""
        if user is not None:
            if users != 1:
                raise ValueError("user must be left out for several users at once, "
                                 f"got {_checks.told(user)} for {users}")
            self.check_user(user)
        number = self.handed << DRAWN | self.salt
        ticket = Ticket(arm, users, user, number=number, **more)
        handed, shown, times = self.handed + 1, slot.shown + users, self.visits.get(user, 0) + 1
        if user is None:
            self.open[number], self.handed, slot.shown = ticket, handed, shown
        else:
            self.open[number], self.handed, slot.shown, self.visits[user], self.here[user] = (
                ticket, handed, shown, times, None)
        return ticket

    def _close(self, arm: int = -1) -> None:
        """Let the open tickets of an arm, or of all, expire: their batch was released."""
        kept = self.open.items() if arm >= 0 else ()
        self.open = {number: ticket for number, ticket in kept if ticket.arm != arm}
        self.here = self.here if arm >= 0 else {}

    @staticmethod
    def _rewards(ticket: Ticket, answers: Any, finite: bool = True) -> Floats:
        """Return a copy of a ticket's rewards, one row each."""
        if type(answers) in (int, float, np.float64) and ticket.users == 1 and abs(answers) < 1e100:
            return np.array([[answers]], dtype=float)  # the usual case, in a tenth of the time
        several = hasattr(answers, "__len__") and getattr(answers, "ndim", True)
        listed = answers if several and not np.isscalar(answers) else [answers]
        if len(listed) != ticket.users:
            raise ValueError("rewards must be one for each user of the ticket, "
                             f"{ticket.users} in all, got {len(listed)}")
        return rows(listed, ticket.users, 1, "rewards", finite).copy()

    def _allowed(self, ticket: Ticket, answers: ArrayLike, source: Any) -> Floats:
        """Return a copy of a ticket's rewards: inside the domain of a source, or clipped to it.

        A clipped answer always counts, also NaN: a refusal would tell something about it.
        """
        array = self._rewards(ticket, answers, finite=not source.clip)
        if source.clip:
            return source.domain.clip(array)
        source.domain.check(array, "rewards")
        return array

    def _told(self, released: Floats, *noise: Any) -> None:
        """Tell a copy of the learner what was released, and keep the copy."""
        if self.listener is not None:
            self.listener.told(released)
        ours = isinstance(self.learner, Learner)
        learner = snapshot(self.learner) if ours else copy.deepcopy(self.learner)
        learner.tell(released.copy(), *noise)
        self.learner = learner

    def meet(self, world: Problem) -> None:  # noqa: B027 - most have nothing to receive
        """Receive what is public of the drawn instance."""

    def check_problem(self, problem: Problem) -> None:
        """Raise a ValueError if this app cannot play a problem, or a TypeError if it is none."""
        check_problem(problem)
        if problem.setting != self.setting:
            raise ValueError(f"problem must be of the setting {self.setting!r} for {self.name}, "
                             f"got one of {problem.setting!r}")
        if problem.arms != self.arms:
            raise ValueError(f"problem must have {self.arms} arms, for which the learner was made, "
                             f"got {problem.arms}")

    def __repr__(self) -> str:
        """Return the description, the rounds played and the guarantee."""
        return f"{self.description}, {self.played} rounds played. {self.guarantee}"
