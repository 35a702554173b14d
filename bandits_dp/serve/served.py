"""A served app: threads take turns, a crash loses nothing, tickets travel.

**Nothing happens twice.** ``update`` works on a shallow copy of the app and takes it over in one
assignment. Refused or interrupted, by Ctrl-C too, it leaves everything as it was, and what it may
have drawn is forgotten before anybody saw it. A release is kept before the learner, whose class may
be anybody's, is told: if that fails, the next call tells the same release again, in another process
after ``save`` and ``restore``, too.

**Late answers.** A batch is released when it has its answers; some tickets may be open then. With
``late="drop"`` they expire: their users are not counted, and may come again. With ``late="next"``
they stay open, and an answer joins the batch that waits when it comes. Why the promises still hold:

* *Privacy.* Every answer is in one batch, through the noise of that batch, and no user is twice in
  one: a user who comes again gives up such a ticket. What a user was shown is a function of earlier
  releases and of that user's own features, whichever batch the answer is in. So batches of
  different users compose in parallel, and each batch has at most one answer of a user who comes
  back. For both choices *when* an answer comes is no secret: the promise compares two answers that
  would have come at the same time.
* *Widths.* A batch has as many answers and as much noise as before. Number users in the order of
  their answers, and let :math:`F_k` know the first k answers and all times and features. What user
  k + 1 was shown depends on releases that were made of some of these k, so it is known in
  :math:`F_k`, and the reward is not: the rewards' noise is a sequence of martingale differences,
  which is all that a radius needs. For both choices that takes one thing for granted: when users
  answer does not depend on what they answer. Regret bounds are for answers that come in time.
* *Phases.* Elimination asks users about each of some arms. The sum of one arm may be complete while
  others are not, and the next phase may not ask about that arm at all: there is no batch to join,
  so only ``"drop"`` is allowed.

In every model but the local one, a saved state is as secret as the answers.
"""

from __future__ import annotations

import secrets
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bandits_dp import _checks
from bandits_dp._snapshot import snapshot
from bandits_dp.app.app import App
from bandits_dp.app.phases import PhasedApp
from bandits_dp.app.refusals import TicketExpired
from bandits_dp.app.ticket import DRAWN, Ticket
from bandits_dp.serve import state
from bandits_dp.serve.explore import ask
from bandits_dp.serve.ids import hashed
from bandits_dp.serve.saved import Saved, locked
from bandits_dp.serve.status import Status
from bandits_dp.serve.suggest import suggested
from bandits_dp.serve.ticket import Sealed, opened

LATE = ("drop", "next")


class Served(Saved):
    """An app that serves people, with its ``act`` and ``update``.

    What is not listed here is the app's: ``played``, ``missing``, ``guarantee``, ``learner``.

    Parameters
    ----------
    app : App
        What :func:`bandits_dp.make` or :func:`bandits_dp.combine` returns, fresh or started from a
        log, without open tickets. From now on only this object may use it.
    late : {"drop", "next"}
        What becomes of tickets that are open when their batch is released, see
        :mod:`bandits_dp.serve.served`. Apps that ask in phases know the former only.

    Attributes
    ----------
    missed : int
        Users whose tickets expired, or were given up.
    held : dict of bytes to int
        Open tickets whose batch is over, by user.

    Raises
    ------
    TypeError
        If ``app`` is none.
    ValueError
        If it has open tickets, ``late`` is another word, or phases do not allow it.

    Examples
    --------
    >>> import bandits_dp as bdp
    >>> from bandits_dp.serve import BudgetSpent, Served
    >>> served = Served(bdp.make("UCB1", bdp.problems.BernoulliArms([0.9, 0.8]), horizon=1000))
    >>> token = served.act(user="Ada").token  # goes to her, and comes back with her answer
    >>> served.update(served.ticket(token), 1)
    >>> try:
    ...     served.act(user="Ada")
    ... except BudgetSpent as error:
    ...     print(error)
    user must be asked once at most, for which the noise is made, got 'Ada' once more
    """

    kind = "learner"

    def __init__(self, app: App, late: str = "drop") -> None:
        super().__init__()
        if not isinstance(app, App) or isinstance(app, Saved):
            raise TypeError("app must be what make() or combine() returned, got "
                            f"{_checks.told(app)}")
        self.app, self.late = app, _checks.choice("late", late, LATE)
        if late == "next" and isinstance(app, PhasedApp):
            raise ValueError(f"late must be 'drop' for {app.name}, which asks in phases: the next "
                             "one may not ask about what the user was shown, got 'next'")
        self.terms = state.terms(app)
        self.owner, self.secret = "", b""
        self.missed, self.held = 0, dict[bytes, int]()
        self.expired: tuple[bytes, ...] = ()  # users whose visit is given back by the next call
        if app.open:
            raise ValueError(f"app must have no open tickets, got one with {len(app.open)}")
        if app.visits:  # of users in a log
            self._name()
            app.visits = {hashed(user, self.secret): n for user, n in app.visits.items()}
            app.here = {hashed(user, self.secret): None for user in app.here}

    def __getattr__(self, name: str) -> Any:
        """Everything else is the app's."""
        if name.startswith("__") or not {"app", "lock"} <= self.__dict__.keys():
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        with self.lock:
            return getattr(self.app, name)

    def __setstate__(self, given: dict[str, Any]) -> None:
        """Make a copy: what it hands out is told apart from what the other one does."""
        super().__setstate__(given)
        if self.secret:
            self._salt()

    def _name(self) -> None:
        """Draw a name and a key before they are first used: no two fresh objects differ."""
        if not self.secret:
            self._salt()
            self.owner, self.secret = secrets.token_hex(8), secrets.token_bytes(16)

    @property
    def listener(self) -> Any:
        """The app's, for audits."""
        return self.app.listener

    @listener.setter
    def listener(self, value: Any) -> None:
        self.app.listener = value

    def _salt(self) -> None:
        """Draw the last bits of the numbers of tickets, which nobody has seen then."""
        self.app.salt = secrets.randbits(DRAWN)

    @property
    @locked
    def tickets(self) -> dict[int, int]:
        """Open tickets: how many users each is for, by its number."""
        return {number: ticket.users for number, ticket in self.app.open.items()}

    @locked
    def act(self, shown: Any = ..., user: Any = None, rng: np.random.Generator | None = None,
            explore: float = 0.0, **more: Any) -> Sealed:
        """Return a ticket.

        Parameters
        ----------
        shown, more
            What the app's ``act`` takes first, by place or by name: features that each user is
            shown, or a number of users.
        user : int or str, optional
            Who it is. A user who gives an id is in no more batches than the guarantee says.
        rng : numpy.random.Generator, optional
            Source of exploration, and of noise on features where they are perturbed; the operating
            system's if not given.
        explore : float
            Share of users who are shown an arm that is drawn uniformly, in [0, 1]. Then
            ``ticket.propensity`` says with which probability the arm was drawn. See
            :mod:`bandits_dp.serve.explore`; apps that ask in phases cannot explore.

        Returns
        -------
        Sealed
            ``ticket.arm`` is what to show, and ``ticket.token`` can travel.

        Raises
        ------
        ValueError
            If an argument is out of range; as BudgetSpent or InBatch, if the user may not be asked
            now; as HorizonReached, if all rounds are played. Nothing has changed then.

        Examples
        --------
        >>> import numpy as np
        >>> import bandits_dp as bdp
        >>> from bandits_dp.serve import Served
        >>> served = Served(bdp.make("UCB1", bdp.problems.BernoulliArms([0.9, 0.8]), horizon=1000))
        >>> ticket = served.act(user="Ada", rng=np.random.default_rng(1), explore=0.5)
        >>> ticket.arm, ticket.propensity
        (0, 0.75)
        """
        self._settle()
        self._name()
        key = None if user is None else hashed(user, self.secret)
        then = self if key is None or key not in self.held else self._without(key)
        try:
            given = () if shown is ... else (shown,)
            ticket, chance = ask(then.app, given, key, explore, rng, **more)
        except ValueError as error:
            if key is None or repr(key) not in str(error):
                raise
            raise type(error)(str(error).replace(repr(key), repr(user))) from None
        if then is not self:
            self.__dict__ = then.__dict__
        return Sealed(ticket.arm, ticket.users, user, ticket.plays, ticket.number, ticket.shown,
                      self.owner, chance).keyed(self.secret)

    def _without(self, key: bytes) -> Served:
        """Return a snapshot in which a user gave up the ticket that was held."""
        then, app = snapshot(self), snapshot(self.app)
        app.open, app.visits, app.here = app.open.copy(), app.visits.copy(), app.here.copy()
        then.held = self.held.copy()
        ticket = app.open.pop(then.held.pop(key))
        app.visits[key] -= 1
        place, app.slots = app.place(ticket), app.slots.copy()
        slot = app.slots[place] = snapshot(app.slots[place])
        slot.shown = max(0, slot.shown - ticket.users)
        then.app, then.missed = app, self.missed + 1
        return then

    @locked
    def update(self, ticket: Ticket, answers: ArrayLike,
               rng: np.random.Generator | None = None) -> None:
        """Take the answer to a ticket; release the batch when it is full.

        Parameters
        ----------
        ticket : Sealed
            What ``act`` returned, or :meth:`ticket`. Answers may come late, and in any order.
        answers : array_like
            The reward, or one for each user of the ticket.
        rng : numpy.random.Generator, optional
            Source of the privatizer's randomness; the operating system's if not given.

        Raises
        ------
        ValueError
            If an answer is out of range, their number is wrong, or ``rng`` is no Generator; if the
            ticket is another app's, or was changed; as TicketExpired, if it was used already or its
            batch was released without it; as HorizonReached, if all rounds are played. Nothing has
            changed then.
        TypeError
            If ``ticket`` is not a ticket.
        Exception
            What a learner of your own raises when it is told a release. The answer is taken then,
            and the next call tells the same release again.

        Examples
        --------
        >>> import bandits_dp as bdp
        >>> from bandits_dp.serve import Served, TicketExpired
        >>> served = Served(bdp.make("UCB1", bdp.problems.BernoulliArms([0.9, 0.8]), horizon=1000))
        >>> ticket = served.act(user="Ada")
        >>> served.update(ticket, 1)
        >>> try:
        ...     served.update(ticket, 1)
        ... except TicketExpired:
        ...     print("it counts once,", served.played, "in all")
        it counts once, 1 in all
        """
        self._settle()
        self.app.must_go_on()
        one, then = self._opened(ticket), snapshot(self)
        app, before = snapshot(self.app), self.app.open
        then.app = app
        if before[one.number] is not one:  # it was restored, or a copy came back
            app.open = before | {one.number: one}
        if one.user in self.held:
            then.held = {key: number for key, number in self.held.items() if key != one.user}
            app.here = {**app.here, one.user: None}
        app.take(one, answers, rng)
        if len(app.open) < len(before) - 1:  # a batch was released without some users
            then._expire({key: other for key, other in before.items() if key != one.number})
        self.__dict__ = then.__dict__  # one step: before it nothing has changed, after it all has
        self._finish()

    def _expire(self, before: dict[int, Ticket]) -> None:
        """Hold the tickets that are not open any more, or count their users as missed."""
        app = self.app
        if self.late == "next":
            app.open = before
            for ticket in before.values():
                app.slots[app.place(ticket)].shown += ticket.users
            self.held = {one.user: number for number, one in before.items()  # type: ignore[misc]
                         if one.user is not None}
            return
        gone = [ticket for number, ticket in before.items() if number not in app.open]
        keys = [ticket.user for ticket in gone if ticket.user is not None]
        self.held, self.missed = {}, self.missed + sum(ticket.users for ticket in gone)
        app.here = app.here.copy()
        for key in keys:
            app.here.pop(key, None)
        self.expired = (*self.expired, *keys)  # type: ignore[arg-type]  # of bytes

    def _give_back(self) -> None:
        """Let users whose tickets expired not have been in that batch."""
        visits = self.app.visits
        while self.expired:  # each in one step, whoever interrupts
            key = self.expired[-1]
            visits[key], self.expired = visits[key] - 1, self.expired[:-1]

    def _finish(self) -> None:
        """Tell the learner what is due."""
        self._give_back()
        self.app.tell()

    def _settle(self) -> None:
        """Do what every call begins with."""
        self._finish()

    def _opened(self, ticket: Any) -> Ticket:
        """Return the app's own ticket for one that comes back, or say what is wrong."""
        if not isinstance(ticket, Sealed):
            raise TypeError(f"ticket must be what act() returned, got {_checks.told(ticket)}; "
                            "update takes the ticket first, then the answer")
        if ticket.owner != self.owner:
            raise ValueError("ticket must be one of this learner's, got that of another: "
                             f"{_checks.told(ticket)}")
        own = self.app.open.get(ticket.number)
        if own is None:
            if ticket.number >> DRAWN < self.app.handed:
                raise TicketExpired("ticket must be open, got one that is used already, or its "
                                    f"batch was released without it: {_checks.told(ticket)}")
            raise ValueError("ticket must be open, got one that is unknown: "
                             f"{_checks.told(ticket)}")
        if (ticket.users == own.users and ticket.arm is own.arm and ticket.plays is own.plays
                and ticket.shown is own.shown):
            return own
        if not ticket.is_sealed(self.secret):
            raise ValueError("ticket must be what act() returned, got one that was changed: "
                             f"{_checks.told(ticket)}")
        return Ticket(ticket.arm, ticket.users, own.user, ticket.plays, ticket.number, ticket.shown)

    @locked
    def ticket(self, token: str) -> Sealed:
        """Return the open ticket of a token; the app may have been saved and restored since.

        Parameters
        ----------
        token : str
            What ``ticket.token`` said.

        Raises
        ------
        ValueError
            If the token is another app's, or was changed; as TicketExpired, if it was used already
            or its batch was released without it.
        TypeError
            If it is no string.

        Examples
        --------
        >>> import bandits_dp as bdp
        >>> from bandits_dp.serve import Served
        >>> served = Served(bdp.make("UCB1", bdp.problems.BernoulliArms([0.9, 0.8]), horizon=1000))
        >>> token = served.act(user="Ada").token
        >>> served.ticket(token).arm
        0
        >>> try:
        ...     served.ticket(token + "x")
        ... except ValueError:
        ...     print("it was changed")
        it was changed
        """
        self._name()
        ticket = opened(token, self.secret)
        self._opened(ticket)
        return ticket

    @locked
    def show(self, actions: ArrayLike) -> None:
        """Tell the actions to a learner that was made for a distribution of instances.

        Parameters
        ----------
        actions : array_like, shape (k, d)
            One action per row, of norm at most 1; not all zero.

        Raises
        ------
        ValueError
            If the actions are out of range, or known already. Nothing has changed then.
        """
        self.app.show(actions)  # type: ignore[attr-defined]

    @locked
    def suggest(self, *features: Any) -> Any:
        """Return the arm that looks best by what was released, for a user who teaches nothing.

        No answer comes, nothing is counted, and it costs the user no privacy: the arm is a function
        of releases, whose price is paid, and of the user's own features, which are forgotten. So it
        is for users whose budget is spent, and for all when the horizon is reached. LinUCB takes
        the largest estimate; a learner of your own chooses as ever.

        Parameters
        ----------
        features : array_like, shape (arms, dimension) or (users, arms, dimension)
            What each user is shown, if the learner is shown features.

        Raises
        ------
        ValueError
            If features are out of range, or the actions of a learner are not known yet.

        Examples
        --------
        >>> import bandits_dp as bdp
        >>> from bandits_dp.serve import Served
        >>> problem = bdp.problems.ContextualLinear(arms=2, dimension=2)
        >>> served = Served(bdp.make("LinUCB", problem, horizon=1000))
        >>> served.suggest([[0.6, 0.8], [0.8, 0.6]]), served.tickets
        (0, {})
        """
        return suggested(self.app, *features)

    @locked
    def status(self) -> Status:
        """Return numbers of answers, users, open and missed tickets, and what is promised.

        Returns
        -------
        Status
            See :class:`bandits_dp.serve.status.Status`. It tells no answer.
        """
        self._give_back()
        users = sum(times > 0 for times in self.app.visits.values())
        waiting = sum(ticket.users for ticket in self.app.open.values())
        return Status(self.name, self.played, self.horizon, users, waiting, self.missed,
                      self.guarantee)

    def _pack(self) -> dict[str, Any]:
        self._give_back()
        return {"owner": self.owner, "secret": state.joined([self.secret]), "missed": self.missed,
                **state.packed(self.app)}

    def _unpack(self, given: state.State) -> None:
        state.unpacked(self.app, given)
        (secret,) = state.apart(given["secret"])
        if secret:  # there is none before the first ticket
            self.owner, self.secret = str(given["owner"]), secret
        self.missed, self.expired = int(given["missed"]), ()
        self._salt()
        self.held = {one.user: number for number, one in self.app.open.items()  # type: ignore[misc]
                     if one.user is not None and one.user not in self.app.here}

    def __repr__(self) -> str:
        """Return the description, the rounds played and the guarantee."""
        return f"{self.description}, {self.played} rounds played. {self.guarantee}"
