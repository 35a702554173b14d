r"""Live use: who holds what, and when it is released.

A learner is told releases and nothing else; this is where users are. ``act`` gives a ticket that says what to show, ``update``
takes it back with the answer. What is held follows the trust model, because it is what the privatizer's users *send*: in the local
model a value is randomized inside ``update``, at once; in the shuffle model the messages wait until the batch is full; in the
central model the trusted server's raw values wait. Noise is drawn when something is released, never before.

**Nothing happens twice.** ``update`` works on a shallow copy and takes it over in one step at the end. Refused or interrupted, by
Ctrl-C too, it leaves the learner as it was, and what it may have drawn is forgotten before anybody saw it. Who serves users in
several threads takes a lock for every call: two updates at once could release the same answers twice.
"""

from __future__ import annotations

import copy
import secrets
from abc import abstractmethod
from collections.abc import Hashable
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp import _checks
from bandits_dp._state import Saved, WrongEntry, pack, snapshot, unpack
from bandits_dp.guarantee import Guarantee
from bandits_dp.learners.ask_tell import Asked, Learner
from bandits_dp.live.randomness import generator
from bandits_dp.live.restored import check_restored
from bandits_dp.live.ticket import Ticket
from bandits_dp.live.visits import Visits, unworded, words
from bandits_dp.privatizers.domain import rows
from bandits_dp.problems import Problem
from bandits_dp.problems.base import check_problem

NO_END = 2**62  # rounds that nobody plays


class Live(Saved):
    """A learner with its privatizer, ready for users.

    Parameters
    ----------
    learner : object
        Asks and is told, see :mod:`bandits_dp.learners.ask_tell`.
    arms, horizon : int
        Numbers of arms K and rounds T, both >= 1.
    guarantee : Guarantee
        What the whole run promises to each user.
    fidelity : {"aggregate", "messages"}
        Whether :func:`bandits_dp.simulate` may draw sums from their law, or plays this very loop. The law is the same.
    visits : int
        In how many batches one user may be, >= 1.

    Attributes
    ----------
    name : str
        What plots and tables call it.
    description : str
        Name, size and options: a state can be restored only into one with the same description.
    parameters : dict
        What ``make`` was given, by name, with the defaults of all options; empty if something else made it.
    played : int
        Rounds that were answered so far.
    bits : float
        Bits that users sent for what was released so far.
    tickets : dict
        Open tickets, by number: the user of each, if given, and the arm, unless it was chosen by the user's features, or is one of
        all those that a client watches.
    """

    kind = "learner"
    setting = "arms"
    centre: NDArray[np.float64] | None = None  # what a learner's parameter is measured from, if not from 0
    one_arm: ClassVar[bool] = True  # whether a ticket is for one arm that is no secret, and is kept with it

    def __init__(
        self, learner: Any, arms: int, horizon: int, guarantee: Guarantee, fidelity: str = "aggregate", visits: int = 1
    ) -> None:
        self.learner = learner
        self.arms = _checks.integer("arms", arms)
        self.horizon = _checks.integer("horizon", horizon)
        self.guarantee = guarantee
        self.fidelity = _checks.choice("fidelity", fidelity, ("aggregate", "messages"))
        self.name = type(learner).__name__
        self.description = f"{self.name}(arms={self.arms}, horizon={self.horizon})"
        self.parameters: dict[str, Any] = {}
        self.played, self.bits = 0, 0.0
        self.owner = ""  # whose tickets are taken: a name from the first one on
        self.numbers = 0  # tickets so far
        self.tickets: dict[int, Ticket] = {}
        self.visits = Visits(visits)

    @property
    def counts(self) -> dict[str, Any]:
        """What a simulation counts besides regret and bits, by name."""
        return {}

    @property
    def missing(self) -> int:
        """How many users (with clients: how many more of them) one ticket can be for: those without one, or without an answer."""
        lacks = self._lacks(None)
        free = lacks - sum(ticket.users for ticket in self.tickets.values())
        return free if free > 0 else lacks

    @abstractmethod
    def _lacks(self, arm: int | None) -> int:
        """Return how many more answers are taken: about this arm, if every arm has batches of its own."""

    @abstractmethod
    def _take(self, ticket: Ticket, answers: NDArray[np.float64], rng: np.random.Generator) -> None:
        """Take checked answers in; replaces attributes, and changes nothing that the attributes held before in place."""

    @abstractmethod
    def _checked(self, ticket: Ticket, answers: ArrayLike) -> NDArray[np.float64]:
        """Return the answers as an array, or raise the ValueError that says what is wrong."""

    def update(self, ticket: Ticket, answers: ArrayLike, rng: np.random.Generator | None = None) -> None:
        """Take the answer to a ticket; release when the batch is full.

        Parameters
        ----------
        ticket : Ticket
            What ``act`` returned; answers may come late, and in any order.
        answers : array_like
            The reward, or as many as the ticket is for.
        rng : numpy.random.Generator, optional
            Source of the privatizer's randomness; that of the operating system if not given.

        Raises
        ------
        ValueError
            If an answer is out of range, there is another number of them, the ticket is another learner's, unknown, used already,
            or expired because its batch was released without it, or ``rng`` is not a Generator. The learner stays as it was.
        TypeError
            If ``ticket`` is not a ticket.

        Examples
        --------
        >>> import bandits_dp as bdp
        >>> problem = bdp.problems.BernoulliArms([0.9, 0.8])
        >>> learner = bdp.make("SDP-AE", problem, horizon=1000, epsilon=1.0, delta=1e-3, batch_size=50)
        >>> ada, grace = learner.act(user="Ada"), learner.act(user="Grace")
        >>> learner.update(grace, 1)
        >>> learner.update(ada, 0)
        >>> learner.played
        2
        """
        self._must_go_on()
        if self._valid(ticket).users > (lacks := self._lacks(ticket.arm)):
            raise ValueError(f"ticket must be for no more users than the {lacks} whose answers are lacking, got {ticket.users}")
        array = self._checked(ticket, answers)
        then = snapshot(self)
        then.tickets = {number: kept for number, kept in self.tickets.items() if number != ticket.number}
        then._take(ticket, array, generator(rng))
        self.__dict__ = then.__dict__  # one step: before it nothing has changed, after it everything has

    def _valid(self, ticket: Ticket) -> Ticket:
        if not isinstance(ticket, Ticket):
            raise TypeError(f"ticket must be what act() returned, got {ticket!r}; update takes the ticket first, then the answer")
        if ticket.owner != self.owner:
            raise ValueError(f"ticket must be one of this learner's, got that of another: {ticket!r}")
        if ticket.number not in self.tickets:
            known = "used already, or its batch was released without it" if ticket.number < self.numbers else "unknown"
            raise ValueError(f"ticket must be open, got one that is {known}: {ticket!r}")
        kept = self.tickets[ticket.number]
        if kept.users != ticket.users or not (kept.arm is None or (isinstance(ticket.arm, int) and kept.arm == ticket.arm)):
            raise ValueError(f"ticket must be what act() returned, {kept!r}, got {ticket!r}")
        return ticket

    def _admit(self, users: int, user: Hashable) -> int:
        """Check for whom a ticket is wanted, count her visit, and return for how many it is."""
        self._must_go_on()
        users = _checks.integer("users", users)
        if users > self.missing:
            raise ValueError(f"users must be 1 to {self.missing}, the rest of this batch, got {users}")
        if user is not None:
            if users != 1:
                raise ValueError(f"user must be left out for several users at once, got {user!r} for {users}")
            self.visits.admit(user)
        return users

    @staticmethod
    def _rewards(ticket: Ticket, answers: Any) -> NDArray[np.float64]:
        """Return a copy of the rewards of a ticket, one row each."""
        single = np.isscalar(answers) or getattr(answers, "ndim", None) == 0 or not hasattr(answers, "__len__")
        listed = [answers] if single else answers
        if len(listed) != ticket.users:
            raise ValueError(f"rewards must be {ticket.users}, one for each user of the ticket, got {len(listed)}")
        return rows(listed, ticket.users, 1, "rewards").copy()  # for the caller may use its own again

    def _allowed(self, ticket: Ticket, answers: ArrayLike, source: Any) -> NDArray[np.float64]:
        """Return a copy of the rewards of a ticket, if they are in the domain of a privatizer or counter."""
        array = self._rewards(ticket, answers)
        if not source.clip:
            source.domain.check(array, "rewards")
        return array

    def _ticket(self, arm: Any, users: int, user: Hashable = None, **more: Any) -> Ticket:
        """Hand out a ticket."""
        self.owner = self.owner or secrets.token_hex(8)
        ticket = Ticket(arm, users, user, number=self.numbers, owner=self.owner, **more)
        self.numbers += 1
        self.tickets[ticket.number] = ticket if self.one_arm else Ticket(None, users, user)
        return ticket

    def _expire(self, arm: int | None = None) -> None:
        """Close the open tickets of one arm, or of all: their batch was released without them."""
        gone = {number: kept for number, kept in self.tickets.items() if arm is None or kept.arm == arm}
        self.tickets = {number: kept for number, kept in self.tickets.items() if number not in gone}
        if users := {kept.user for kept in gone.values() if kept.user is not None}:
            self.visits = self.visits.without(users)

    def follow(self, before: Live) -> Self:
        """Go on after a learner whose horizon is reached: its tickets expire, and its users were there."""
        before._expire()
        self.owner, self.numbers, self.visits, self.bits = before.owner, before.numbers, before.visits, before.bits
        return self

    def _ask(self) -> Asked:
        """Ask the learner, whose class may be anybody's."""
        asked = self.learner.ask()
        if not isinstance(asked, Asked):
            raise TypeError(f"ask must return an Asked(arms, plays), got {asked!r}")
        if len(asked.arms) and asked.arms.max() >= self.arms:
            raise ValueError(f"arms must be 0 to {self.arms - 1}, got {asked.arms!r} from ask()")
        if not len(asked.arms) and not hasattr(self.learner, "show"):
            raise ValueError(f"ask must name an arm at least, got {asked!r}")
        if len(asked.arms) and asked.decides and bool(asked.clients) != (self.setting == "clients"):
            least = "at least 1" if self.setting == "clients" else "0"
            raise ValueError(f"clients must be {least} in the setting {self.setting!r}, got {asked!r}")
        return asked

    def _tell(self, released: NDArray[np.float64], *noise: Any) -> None:
        """Tell a copy of the learner what was released, and keep the copy; the numbers that it is given are its own."""
        self.learner = snapshot(self.learner) if isinstance(self.learner, Learner) else copy.deepcopy(self.learner)
        self.learner.tell(released.copy(), *noise)

    def _must_go_on(self) -> None:
        if self.played >= self.horizon:
            raise ValueError(f"horizon is {self.horizon} and {self.played} rounds are played: there is no next user")

    def meet(self, world: Problem) -> None:
        """Be shown what is public of the instance that is played, if the learner was made for a distribution of them."""

    def check_problem(self, problem: Problem) -> None:
        """Raise a ValueError if this learner cannot play the problem, or a TypeError if it is none."""
        check_problem(problem)
        if problem.setting != self.setting:
            raise ValueError(f"problem must be of the setting {self.setting!r} for {self.name}, got one of {problem.setting!r}")
        if problem.arms != self.arms:
            raise ValueError(f"problem must have {self.arms} arms, for which the learner was made, got {problem.arms}")

    def _pack(self) -> dict[str, ArrayLike]:
        kept = self.tickets.values()
        return {
            "played": self.played, "bits": self.bits, "owner": self.owner, "numbers": self.numbers,
            "ticket_numbers": np.array(list(self.tickets), dtype=np.int64),
            "ticket_users": np.array([ticket.users for ticket in kept], dtype=np.int64),
            "ticket_arms": np.array([-1 if ticket.arm is None else ticket.arm for ticket in kept], dtype=np.int64),
            "ticket_user": words(ticket.user for ticket in kept),
            **self.visits.pack(),
            **pack(self.learner, "learner_"),
        }

    def _is_foreign(self, key: str) -> bool:
        return key.startswith("learner_") and not isinstance(self.learner, Learner)

    def _unpack(self, state: dict[str, NDArray[Any]]) -> None:
        self.played = int(state["played"])
        if not 0 <= self.played <= self.horizon:
            raise ValueError(f"{self.played} rounds are not 0 to {self.horizon}")
        unpack(self.learner, state, "learner_")
        self._check_learner(state)
        self.bits = float(state["bits"])
        if self.bits < 0:
            raise ValueError(f"nobody sends {self.bits} bits")
        self.owner, self.numbers = str(state["owner"]), int(state["numbers"])
        if not 0 <= self.numbers < NO_END:
            raise ValueError(f"nobody hands out {self.numbers} tickets")
        self._reopen(state)
        self.visits.unpack(state)
        if not {kept.user for kept in self.tickets.values()} <= self.visits.seen | {None}:
            raise WrongEntry("visits", "who has a ticket was here")

    def _check_learner(self, state: dict[str, NDArray[Any]]) -> None:
        """Raise a WrongEntry if the learner cannot be where it says after so many rounds, or does not know what to do next."""
        if isinstance(self.learner, Learner):
            try:
                check_restored(self.learner, self.played)
            except WrongEntry as error:
                raise WrongEntry("learner_" + error.entry, error.why) from error
            return
        try:
            self._try()
        except Exception as error:  # its class may be anybody's
            raise WrongEntry(" or ".join(sorted(key for key in state if self._is_foreign(key))), repr(error)) from error

    def _try(self) -> None:
        """Let a learner say what it would do next, to see whether it can."""
        self._ask()

    def _reopen(self, state: dict[str, NDArray[Any]]) -> None:
        """Take open tickets back."""
        self.tickets = {}
        columns = {name: state[name].tolist() for name in ("ticket_numbers", "ticket_users", "ticket_arms")}
        columns["ticket_user"] = unworded(state["ticket_user"])
        for name, column in columns.items():
            if len(column) != len(columns["ticket_numbers"]):
                raise WrongEntry(name, f"there are {len(columns['ticket_numbers'])} tickets")
        for number, users, arm, user in zip(*columns.values(), strict=True):
            if not 0 <= number < self.numbers:
                raise WrongEntry("ticket_numbers", f"{number} is not 0 to {self.numbers - 1}")
            if not (self.setting != "clients") <= users <= self.horizon:  # clients may watch a phase that asks nobody
                raise WrongEntry("ticket_users", f"no ticket is for {users} users")
            if not (0 <= arm < self.arms if self.one_arm else arm == -1):
                raise WrongEntry("ticket_arms", f"there is no arm {arm}" if self.one_arm else f"arms are not kept, got {arm}")
            self.tickets[int(number)] = Ticket(int(arm) if self.one_arm else None, int(users), user)

    def __repr__(self) -> str:
        """Return the description, the rounds played and the guarantee."""
        return f"{self.description}, {self.played} rounds played. {self.guarantee}"
