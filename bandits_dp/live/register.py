"""Which tickets are open, and in how many batches each user was: who is promised one, or so many, is shown nothing in one more.

Of a user's id nothing is kept but a keyed hash, so that a saved state holds no id, and is as large for long ids as for short ones.
That hides nobody from who has a list of members: the key is in the same state, and every id can be tried. And in every model but
the local one a state is as secret as the answers, for what waits is what they add up to.
"""

from __future__ import annotations

import base64
import secrets
from collections.abc import Hashable, Iterable
from dataclasses import replace
from hashlib import blake2b
from hmac import compare_digest
from numbers import Integral
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp import _checks
from bandits_dp._state import snapshot
from bandits_dp.app.refusals import BudgetSpent, InBatch, TicketExpired
from bandits_dp.live.slot import Slot
from bandits_dp.live.ticket import Ticket

LONGEST = 256  # bytes of an id
DIGEST = 16  # bytes that are kept of it
DRAWN = 28  # last bits of a ticket's number: a restored learner never hands out one that somebody has since the state was saved


class Kept(NamedTuple):
    """What is kept of an open ticket: for how many users it is, which one, and the arm if that is no secret (else -1)."""

    users: int
    user: bytes
    arm: int


class Register:
    """Open tickets, and the batches of every user who gave an id; whoever gives none is the caller's to look after.

    Parameters
    ----------
    appearances : int
        In how many batches one user may be, >= 1.

    Examples
    --------
    >>> from bandits_dp.live.register import Register
    >>> from bandits_dp.live.slot import Slot
    >>> register, slot = Register(appearances=1), Slot(None, users=10, arm=0)
    >>> ticket = register.hand_out(slot, arm=0, user="Ada")
    >>> register.hand_out(slot, arm=0, user="Ada")
    Traceback (most recent call last):
        ...
    bandits_dp.app.refusals.BudgetSpent: user must be asked once at most, for which the noise is made, got 'Ada' once more
    """

    def __init__(self, appearances: int) -> None:
        self.most = _checks.integer("appearances", appearances)
        self.owner, self.secret = "", b""  # whose tickets are taken, and the key of the hashes: made with the first ticket
        self.numbers = 0  # tickets so far
        self.open: dict[int, Kept] = {}
        self.count: dict[bytes, int] = {}  # batches of every user
        self.here: dict[bytes, None] = {}  # who is in the current batch
        self.held: dict[bytes, int] = {}  # open tickets whose batch is over, by user
        self.missed = 0  # users whose tickets expired
        self.expired: tuple[bytes, ...] = ()  # whose ticket expired, and who still counts as in that batch

    def admitted(self, user: Hashable) -> bytes:
        """Return what stands for a user who may be shown something, or say why she may not.

        Raises
        ------
        ValueError
            If the id is neither an integer nor a string, or too long.
        BudgetSpent, InBatch
            If the user was in as many batches as are promised, or is in this one.
        """
        key = self.hashed(user)
        self.settle()
        if self.count.get(key, 0) - (key in self.held) >= self.most:
            times = "once" if self.most == 1 else f"in {self.most} batches"
            raise BudgetSpent(f"user must be asked {times} at most, for which the noise is made, got {user!r} once more")
        if key in self.here:
            raise InBatch(f"user must be another one in every round of a batch, got {user!r} again")
        return key

    def hashed(self, user: Hashable) -> bytes:
        """Return a keyed hash of an id; 5 and "5" are two users."""
        kind = b"text" if isinstance(user, str) else b"number"
        if isinstance(user, str):
            text = user.encode("utf-8", "surrogatepass")
        elif _checks.is_number(user, Integral) and abs(int(user)) < 10**LONGEST:  # type: ignore[call-overload]
            text = b"%d" % int(user)  # type: ignore[call-overload]
        else:
            raise ValueError(f"user must be an integer or a string of at most {LONGEST} bytes, got {_checks.told(user)}")
        if len(text) > LONGEST:
            raise ValueError(f"user must be an integer or a string of at most {LONGEST} bytes, got one of {len(text):,}")
        return self._hash(text, kind)

    def _hash(self, text: bytes, kind: bytes) -> bytes:
        """Return a keyed hash, which nobody can make who has not this register or a saved state."""
        self.secret = self.secret or secrets.token_bytes(DIGEST)
        return blake2b(text, digest_size=DIGEST, key=self.secret, person=kind).digest()

    def ticket(self, token: str) -> Ticket:
        """Return the open ticket of a token, or say why it is not taken."""
        if not isinstance(token, str):
            raise TypeError(f"token must be what ticket.token says, a string, got {_checks.told(token)}")
        text, _, seal = token.rpartition(".")
        try:
            content = base64.b64decode(text, b"-_", validate=True)
        except ValueError:  # other letters, or a number of them that no token has
            content = b""
        if not compare_digest(self._hash(content, b"ticket").hex().encode(), seal.encode("utf-8", "replace")):
            raise ValueError("token must be one that this learner's ticket.token said, got another learner's, or one "
                             "that was changed")
        ticket = Ticket.read(content, seal)
        self.check(ticket)
        return ticket

    def visit(self, user: Hashable) -> None:
        """Count a user as one of this batch, without a ticket."""
        key = self.admitted(user)
        self.count[key], self.here[key] = self.count.get(key, 0) + 1, None

    def hand_out(self, slot: Slot, arm: Any, users: int = 1, user: Hashable = None, **more: Any) -> Ticket:
        """Hand out a ticket for users of a slot, who count from now on; interrupted, nothing has changed or everything has.

        A user whose ticket is held gives it up: the new one takes its place.
        """
        if user is not None and users != 1:
            raise ValueError(f"user must be left out for several users at once, got {_checks.told(user)} for {users}")
        key, number = b"" if user is None else self.admitted(user), self.numbers << DRAWN | secrets.randbits(DRAWN)
        self.owner = self.owner or secrets.token_hex(8)
        ticket = Ticket(arm, users, user, number=number, owner=self.owner, **more)
        object.__setattr__(ticket, "seal", self._hash(ticket.content(), b"ticket").hex())
        kept, times, shown = Kept(users, key, slot.arm), self.count.get(key, 0) + 1, slot.shown + users
        opened, held, missed = self.open, self.held, self.missed
        if key in held:
            opened = {other: one for other, one in opened.items() if other != held[key]}
            held = {other: one for other, one in held.items() if other != key}
            missed, times, shown = missed + 1, times - 1, max(0, shown - 1)
        if key:  # one step, in which nothing is called
            self.open, self.held, self.missed, self.open[number], self.numbers, slot.shown, self.count[key], self.here[key] = (
                opened, held, missed, kept, self.numbers + 1, shown, times, None)
        else:
            self.open[number], self.numbers, slot.shown = kept, self.numbers + 1, shown
        return ticket

    def check(self, ticket: Ticket) -> Kept:
        """Return what is kept of a ticket, or say why it is not taken."""
        if not isinstance(ticket, Ticket):
            raise TypeError(f"ticket must be what act() returned, got {_checks.told(ticket)}; update takes the ticket first, then "
                            "the answer")
        if ticket.owner != self.owner:
            raise ValueError(f"ticket must be one of this learner's, got that of another: {_checks.told(ticket)}")
        if ticket.number not in self.open:
            if ticket.number >> DRAWN < self.numbers:
                raise TicketExpired("ticket must be open, got one that is used already, or its batch was released without it: "
                                    f"{_checks.told(ticket)}")
            raise ValueError(f"ticket must be open, got one that is unknown: {_checks.told(ticket)}")
        kept = self.open[ticket.number]
        if kept.users != ticket.users or (kept.arm >= 0 and not (isinstance(ticket.arm, int) and kept.arm == ticket.arm)):
            true = replace(ticket, users=kept.users, arm=kept.arm)
            raise ValueError(f"ticket must be what act() returned, {_checks.told(true)}, got {_checks.told(ticket)}")
        return kept

    def without(self, number: int) -> Self:
        """Return a register in which a ticket is answered; both share the users' counts."""
        then = snapshot(self)
        then.open = self.open.copy()
        user = then.open.pop(number).user
        if user in self.held:
            then.held = {key: other for key, other in self.held.items() if key != user}
            then.here = {**self.here, user: None}  # she is in this batch now
        return then

    def next_batch(self, arm: int = -1, late: str = "drop") -> None:
        """Close the open tickets of an arm, or of all: their batch was released without them, and without their users.

        With ``late="next"`` they stay open, and are held for a batch that takes them.
        """
        if late == "next":
            self.held, self.here = {kept.user: number for number, kept in self.open.items() if kept.user}, {}
            return
        self.held, self.missed = {}, self.missed + sum(kept.users for kept in self.open.values() if arm in (-1, kept.arm))
        gone = {number: kept.user for number, kept in self.open.items() if arm < 0 or kept.arm == arm}
        self.open = {number: kept for number, kept in self.open.items() if number not in gone}
        self.here = {key: None for key in self.here if arm >= 0 and key not in gone.values()}
        self.expired = (*self.expired, *filter(None, gone.values()))

    def settle(self) -> None:
        """Let users whose tickets expired not have been in that batch."""
        while self.expired:
            key = self.expired[-1]
            self.count[key], self.expired = self.count[key] - 1, self.expired[:-1]  # one step, whoever interrupts

    def appearances_of(self, user: Hashable) -> int:
        """Return in how many batches a user was or is."""
        self.settle()
        return self.count.get(self.hashed(user), 0)

    def pack(self) -> dict[str, ArrayLike]:
        """Return everything, to be saved."""
        self.settle()
        kept = list(self.open.values())
        return {
            "owner": self.owner, "secret": _bytes([self.secret]), "numbers": self.numbers, "missed": self.missed,
            "tickets": np.array([(number, one.users, one.arm) for number, one in self.open.items()], dtype=np.int64).reshape(-1, 3),
            "ticket_users": _bytes(one.user for one in kept), "users": _bytes(sorted(self.count)),
            "appearances": np.array([self.count[key] for key in sorted(self.count)], dtype=np.int64),
            "here": _bytes(sorted(self.here)),
        }

    def unpack(self, state: dict[str, NDArray[Any]]) -> None:
        """Take back what :meth:`pack` returned."""
        self.owner, (self.secret,), self.numbers = str(state["owner"]), _from_bytes(state["secret"]), int(state["numbers"])
        rows = zip(state["tickets"].tolist(), _from_bytes(state["ticket_users"]), strict=True)
        self.open = {number: Kept(users, user, arm) for (number, users, arm), user in rows}
        self.count = dict(zip(_from_bytes(state["users"]), state["appearances"].tolist(), strict=True))
        self.here, self.missed = dict.fromkeys(_from_bytes(state["here"])), int(state["missed"])
        self.held = {kept.user: number for number, kept in self.open.items() if kept.user and kept.user not in self.here}


def _bytes(keys: Iterable[bytes]) -> NDArray[np.uint8]:
    """Return hashes as rows of bytes; of none, zeros."""
    return np.frombuffer(b"".join(key.ljust(DIGEST, b"\0") for key in keys), dtype=np.uint8).reshape(-1, DIGEST)


def _from_bytes(rows: NDArray[np.uint8]) -> list[bytes]:
    return [row.tobytes() if row.any() else b"" for row in rows]
