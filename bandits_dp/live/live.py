r"""Live use: who holds what, and when it is released.

A learner is told releases and nothing else; this is where users are. ``act`` gives a ticket that says what to show, ``update``
takes it back with the answer. What is held follows the trust model, because it is what the privatizer's users *send*: in the local
model a value is randomized inside ``update``, at once; in the shuffle model what messages add up to waits until the batch is full;
in the central model the trusted server's raw sum waits. Noise is taken when something is released: no state holds any before.

**Nothing happens twice.** ``update`` works on a shallow copy and takes it over in one step at the end. Refused or interrupted, by
Ctrl-C too, it leaves the learner as it was, and what it may have drawn is forgotten before anybody saw it. Answers and their
release are committed before the learner, whose class may be anybody's, is told: if it fails, it is told the same release again by
the next call, in another process after ``save`` and ``restore``, too. Threads may share a learner: its methods take turns.

**Late answers.** A batch is released when it has its answers, and then some tickets may still be open. With ``late="drop"`` they
expire: who comes late is not counted, and may come again. With ``late="next"`` they stay open, and an answer joins the batch that
waits when it comes. Why the promises still hold:

* *Privacy.* Every answer is in one batch, as before, through the noise of that batch, and nobody is twice in one: a user with such
  a ticket who comes again gives it up. What she was shown is a function of releases before it, and of her own features, whether
  her answer is in this batch or in a later one. So batches of different users still compose in parallel, and of users who come
  back each batch has one answer at most. Either way *when* an answer comes is no secret: the promise compares two answers that
  would have come at the same time.
* *Widths.* A batch has as many answers and as much noise as before. Number users in the order of their answers, and let
  :math:`F_k` know the first k answers and all times and features. What user k + 1 was shown depends on releases that were made of
  some of these k, so it is known in :math:`F_k`, and her reward is not: the rewards' noise is a sequence of martingale differences,
  which is all that a radius needs. That takes one thing for granted, for both choices: when she answers does not depend on what.
  Regret bounds are for answers that come in time.
* *Phases.* Elimination asks so many users about each of some arms. The sum about an arm may be complete while those about others
  are not, and the next phase may not ask about it at all: there is no batch to join, so only ``"drop"`` is allowed.
"""

from __future__ import annotations

import copy
from abc import abstractmethod
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp import _checks
from bandits_dp._state import Saved, locked, pack, snapshot, unpack
from bandits_dp.app.randomness import generator
from bandits_dp.app.refusals import HorizonReached
from bandits_dp.ask_tell import Learner
from bandits_dp.guarantee import Guarantee
from bandits_dp.live.register import Register
from bandits_dp.live.slot import Slot
from bandits_dp.live.status import Status
from bandits_dp.live.ticket import Ticket
from bandits_dp.privatizers.domain import rows
from bandits_dp.problem import Problem, check_problem

NO_END = 2**62  # rounds that nobody plays
LATE = ("drop", "next")


class Live(Saved):
    """A learner with its privatizer, ready for users.

    Users wait in slots, each for one release. How people are asked makes the difference between the classes here, as ``act`` takes
    something else in each: a user (:class:`bandits_dp.live.arms.LiveArms`), the clients of a phase, or features.

    Parameters
    ----------
    learner : object
        Asks and is told, see :mod:`bandits_dp.ask_tell`.
    arms, horizon : int
        Numbers of arms K and rounds T, both >= 1.
    guarantee : Guarantee
        What the whole run promises to each user.
    fidelity : {"aggregate", "messages"}
        Whether :func:`bandits_dp.simulate` may draw sums from their law, or plays this very loop. The law is the same.
    appearances : int
        In how many batches one user may be, >= 1.

    Attributes
    ----------
    late : {"drop", "next"}
        What becomes of tickets that are open when their batch is released, see :meth:`accept`.
    name : str
        What plots and tables call it.
    description : str
        Name, size, range and options: a state can be restored only into one with the same description.
    parameters : dict
        What ``make`` was given, by name, with the defaults of all options; empty if something else made it.
    played : int
        Rounds that were answered so far.
    bits : float
        Bits that users sent for what was released so far.
    slots : list of Slot
        Who waits for the next releases.
    register : Register
        Open tickets, and who was there.
    due : tuple of ndarray
        What was released and is yet to be told to the learner: nothing, unless it failed when it was told.
    """

    kind = "learner"
    setting = "arms"
    late, phases = "drop", False  # the latter: whether it asks in phases
    sample: Any  # of what releases, where that is not one for all
    centre: NDArray[np.float64] | None = None  # what a learner's parameter is measured from, if not from 0
    listener: Any = None  # of an audit: it hears what is sent and told, see bandits_dp.audit.views

    def __init__(
        self, learner: Any, arms: int, horizon: int, guarantee: Guarantee, fidelity: str = "aggregate", appearances: int = 1
    ) -> None:
        super().__init__()
        self.learner = learner
        self.arms = _checks.integer("arms", arms)
        self.horizon = _checks.integer("horizon", horizon)
        self.guarantee = guarantee
        self.fidelity = _checks.choice("fidelity", fidelity, ("aggregate", "messages"))
        self.name = type(learner).__name__
        self.description = f"{self.name}(arms={self.arms}, horizon={self.horizon})"
        self.parameters: dict[str, Any] = {}
        self.played, self.bits = 0, 0.0
        self.slots: list[Slot] = []
        self.register = Register(appearances)
        self.due: tuple[NDArray[Any], ...] = ()

    @property
    def terms(self) -> str:  # type: ignore[override]
        """What is promised to whom, for which values."""
        promise = self._source.guarantee
        return f"{self._accepts}, epsilon = {promise.epsilon!r}, delta = {promise.delta!r}: {promise}"

    @property
    def _accepts(self) -> str:
        """Which rewards it takes, in words."""
        return f"rewards in {self.sample.domain}"

    @property
    def _source(self) -> Any:
        """Whose releases it is told."""
        return self.sample

    @property
    def counts(self) -> dict[str, Any]:
        """What a simulation counts besides regret and bits, by name."""
        return {}

    @property
    @locked
    def tickets(self) -> dict[int, int]:
        """Open tickets: how many users each is for, by its number."""
        return {number: kept.users for number, kept in self.register.open.items()}

    @property
    def missed(self) -> int:
        """How many users were shown something and are not counted: their tickets expired before an answer came, if one did."""
        return self.register.missed

    @locked
    def accept(self, late: str) -> Self:
        """Choose what becomes of tickets that are still open when their batch is released, and return this learner.

        Parameters
        ----------
        late : {"drop", "next"}
            They expire, or their answers join the batch that waits when they come; see :mod:`bandits_dp.live.live`.

        Raises
        ------
        ValueError
            If it is another word, or if phases do not allow it.
        """
        if _checks.choice("late", late, LATE) == "next" and self.phases:
            raise ValueError(f"late must be 'drop' for {self.name}, which asks in phases: the next one may not ask about what she "
                             "was shown, got 'next'")
        self.late = late
        return self

    @property
    @locked
    def missing(self) -> int:
        """How many users (with clients: how many more of them) one ticket can be for: those without one, or without an answer."""
        return 0 if self.due or not self.slots else min(self.slots[self._turn].free, self.horizon - self.played)

    @property
    def _turn(self) -> int:
        """The slot whose users are shown something next."""
        return 0

    def _place(self, ticket: Ticket) -> int:
        """Return in which slot the user of a ticket is."""
        return 0

    def _lacks(self, place: int) -> int:
        """Return how many more answers a slot takes."""
        slot = self.slots[place]
        return min(slot.users - slot.filled, self.horizon - self.played)

    @abstractmethod
    def _values(self, ticket: Ticket, answers: ArrayLike) -> NDArray[np.float64]:
        """Return the values that the users of a ticket have, one row each, or raise the ValueError that says what is wrong."""

    @abstractmethod
    def _take(self, place: int, ticket: Ticket, values: NDArray[np.float64], rng: np.random.Generator) -> None:
        """Take values in; what they release is due then. Replaces attributes, and changes nothing that they held before."""

    @abstractmethod
    def _hear(self) -> None:
        """Tell the learner what is due, and ask what it wants next; replaces attributes likewise."""

    def _settle(self) -> None:
        """Tell what is due, in one step: a learner that fails is told the same again next time."""
        if self.due:
            then = snapshot(self)
            then._hear()
            then.due = ()
            self.__dict__ = then.__dict__

    @locked
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
            If an answer is out of range, there is another number of them, the ticket is another learner's or unknown, or ``rng`` is
            not a Generator; as TicketExpired, if the ticket was used already, or its batch was released without it; as
            HorizonReached, if all rounds are played. The learner stays as it was.
        TypeError
            If ``ticket`` is not a ticket.
        Exception
            Whatever a learner of your own raises when it is told a release. The answers are taken then, the ticket is closed, and
            the next call tells it the same release again.

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
        self._settle()
        self._must_go_on()
        self.register.check(ticket)
        place = self._place(ticket)
        if ticket.users > (lacks := self._lacks(place)):
            raise ValueError(f"ticket must be for no more users than the {lacks} whose answers are lacking, got {ticket.users}")
        values, rng = self._values(ticket, answers), generator(rng)
        then = snapshot(self)
        then.register, then.slots = self.register.without(ticket.number), self.slots.copy()
        take = then._take if self.listener is None else partial(self.listener.takes, then)
        take(place, ticket, values, rng)
        self.__dict__ = then.__dict__  # one step: before it nothing has changed, after it everything has
        self._settle()

    @locked
    def ticket(self, token: str) -> Ticket:
        """Return the open ticket of a token.

        Parameters
        ----------
        token : str
            What ``ticket.token`` said; the learner may have been saved and restored since.

        Raises
        ------
        ValueError
            If a token is another learner's, or was changed; as TicketExpired, if it was used already, or its batch was released
            without it.
        TypeError
            If it is no string.

        Examples
        --------
        >>> import bandits_dp as bdp
        >>> problem = bdp.problems.BernoulliArms([0.9, 0.8])
        >>> learner = bdp.make("SDP-AE", problem, horizon=1000, epsilon=1.0, delta=1e-3, batch_size=50)
        >>> token = learner.act(user="Ada").token  # goes to her, and comes back with her answer
        >>> learner.update(learner.ticket(token), 1)
        >>> learner.ticket(token + "x")
        Traceback (most recent call last):
        ...
        ValueError: token must be one that this learner's ticket.token said, got another learner's, or one that was changed
        """
        return self.register.ticket(token)

    @locked
    def status(self) -> Status:
        """Return how many answers, users, open and expired tickets there are, and what is promised to each user."""
        register = self.register
        register.settle()
        users = sum(times > 0 for times in register.count.values())
        return Status(self.name, self.played, self.horizon, users, sum(self.tickets.values()), self.missed, self.guarantee)

    def _admit(self, users: int) -> int:
        """Check for how many users a ticket is wanted."""
        self._settle()
        self._must_go_on()
        users = _checks.integer("users", users)
        if users > self.missing:
            raise ValueError(f"users must be 1 to {self.missing}, the rest of this batch, got {users}")
        return users

    @staticmethod
    def _rewards(ticket: Ticket, answers: Any, finite: bool = True) -> NDArray[np.float64]:
        """Return a copy of the rewards of a ticket, one row each; what is not ``finite`` is refused, if not said otherwise."""
        if type(answers) in (int, float, np.float64) and ticket.users == 1 and abs(answers) < 1e100:
            return np.array([[answers]], dtype=float)  # the usual case, in a tenth of the time
        single = np.isscalar(answers) or getattr(answers, "ndim", None) == 0 or not hasattr(answers, "__len__")
        listed = [answers] if single else answers
        if len(listed) != ticket.users:
            raise ValueError(f"rewards must be one for each user of the ticket, {ticket.users} in all, got {len(listed)}")
        return rows(listed, ticket.users, 1, "rewards", finite).copy()  # for the caller may use its own again

    def _allowed(self, ticket: Ticket, answers: ArrayLike, source: Any) -> NDArray[np.float64]:
        """Return a copy of the rewards of a ticket, if they are in the domain of a privatizer or counter, or clipped to it.

        Clipped answers always count, NaN and infinities, too: a refusal would tell an observer something about them.
        """
        array = self._rewards(ticket, answers, finite=not source.clip)
        if source.clip:
            return np.asarray(source.domain.clip(array))
        source.domain.check(array, "rewards")
        return array

    def _tell(self, released: NDArray[np.float64], *noise: Any) -> None:
        """Tell a copy of the learner what was released, and keep the copy; the numbers that it is given are its own."""
        if self.listener is not None:
            self.listener.told(released)
        self.learner = snapshot(self.learner) if isinstance(self.learner, Learner) else copy.deepcopy(self.learner)
        self.learner.tell(released.copy(), *noise)

    def _must_go_on(self) -> None:
        if self.played >= self.horizon:
            raise HorizonReached(f"horizon is {self.horizon} and {self.played} rounds are played: there is no next user")

    def follow(self, before: Live) -> Self:
        """Go on after a learner whose horizon is reached: its tickets expire, and its users were there."""
        register = snapshot(before.register)
        register.next_batch(late=self.late)
        register.most = self.register.most
        self.register, self.bits = register, before.bits
        for slot in self.slots:
            slot.shown = sum(kept.users for kept in self.register.open.values() if kept.arm == slot.arm)
        return self

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
        packed = {"played": self.played, "bits": self.bits, **self.register.pack(), **pack(self.learner, "learner_")}
        packed |= {f"due_{place}": one for place, one in enumerate(self.due)}
        for place, slot in enumerate(self.slots):
            packed |= slot.pack(f"slot_{place}_")
        return packed

    def _unpack(self, state: dict[str, NDArray[Any]]) -> None:
        self.played, self.bits = int(state["played"]), float(state["bits"])
        self.register = Register(self.register.most)
        self.register.unpack(state)
        unpack(self.learner, state, "learner_")
        self._reopen(state)
        self.slots = [slot.unpack(state, f"slot_{place}_") for place, slot in enumerate(self.slots)]
        self.due = tuple(state[key] for key in sorted(state) if key.startswith("due_"))

    def _reopen(self, state: dict[str, NDArray[Any]]) -> None:
        """Make the slots that a restored learner has."""

    def __repr__(self) -> str:
        """Return the description, the rounds played and the guarantee."""
        return f"{self.description}, {self.played} rounds played. {self.guarantee}"
