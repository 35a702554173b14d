"""Sealed tickets, which can leave the process as copies or as tokens."""

from __future__ import annotations

import base64
import json
import math
from dataclasses import dataclass, field
from hmac import compare_digest
from typing import Any, Self

import numpy as np

from bandits_dp import _checks
from bandits_dp.app.ticket import Ticket
from bandits_dp.serve.ids import keyed

KINDS = {"i": "<i8", "u": "<u8", "f": "<f8"}  # of arrays in a token, on any machine


@dataclass(frozen=True, eq=False)
class Sealed(Ticket):
    """A ticket of a served app; copies of it, and its token, are as good as itself.

    It belongs to the user: what was shown is in the ticket and not in saved states. Its seal is
    computed only if the ticket is copied or its token is read.

    Parameters
    ----------
    owner : str
        The name of the app that handed it out.
    propensity : float or ndarray of float, optional
        Probability with which the arm was drawn, if ``act`` explored.
    stored : str
        The seal, if it is a copy.
    arm, users, user, plays, number, shown
        See :class:`bandits_dp.app.ticket.Ticket`.
    """

    owner: str = field(default="", repr=False)
    propensity: Any = field(default=None, repr=False)
    stored: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        """Refuse what ``act`` does not return."""
        for name, kind in (("users", int), ("number", int), ("owner", str), ("stored", str),
                           ("shown", (np.ndarray, type(None)))):
            if not isinstance(getattr(self, name), kind):
                raise TypeError("ticket must be what act() returned, got one with "
                                f"{name}={_checks.told(getattr(self, name))}")
        super().__post_init__()

    def __getstate__(self) -> dict[str, Any]:
        """Return a copy's attributes: with the seal, and without the key."""
        known = {key: value for key, value in self.__dict__.items() if key != "key"}
        return known | {"stored": self.seal}

    def keyed(self, key: bytes) -> Self:
        """Set the key of the seal, and return this ticket; it must be a new one."""
        self.__dict__["key"] = key
        return self

    @property
    def seal(self) -> str:
        """A keyed hash of all that the token contains."""
        key = self.__dict__.get("key")
        return self.stored if key is None else seal(self.content(), key)

    @property
    def token(self) -> str:
        """The ticket without its user's id, in letters that JSON, a form or an address can hold.

        Its holder can read what was shown, and change nothing.
        """
        return f"{base64.urlsafe_b64encode(self.content()).decode()}.{self.seal}"

    def content(self) -> bytes:
        """Return the bytes under the seal: numbers and shapes in a line, and then the arrays."""
        told, arrays = [], []
        for one in (self.arm, self.plays, self.shown, self.propensity):
            if isinstance(one, np.ndarray):
                arrays.append(np.ascontiguousarray(one, KINDS[one.dtype.kind]).tobytes())
                one = [one.dtype.kind, *one.shape]
            told.append(one)
        line = json.dumps([self.owner, self.number, self.users, *told])
        return b"\n".join([line.encode(), b"".join(arrays)])

    def is_sealed(self, key: bytes) -> bool:
        """Whether nothing was changed since an app with this key handed it out."""
        try:
            content = self.content()
        except (KeyError, TypeError, ValueError):  # values that no ticket holds
            return False
        return compare_digest(seal(content, key), self.seal)


def seal(content: bytes, key: bytes) -> str:
    """Return the seal on a content."""
    return keyed(content, b"ticket", key).hex()


def opened(token: str, key: bytes) -> Sealed:
    """Return the ticket of a token.

    Raises
    ------
    TypeError, ValueError
        If the token is not a string, or not the :attr:`Sealed.token` of a ticket with this key.

    Examples
    --------
    >>> from bandits_dp.serve.ticket import Sealed, opened
    >>> ticket = Sealed(arm=2, user="Ada", number=7).keyed(b"secret")
    >>> opened(ticket.token, b"secret")  # it says nothing about the user
    Sealed(arm=2, users=1, user=None, plays=None)
    """
    if not isinstance(token, str):
        raise TypeError("token must be what ticket.token says, a string, "
                        f"got {_checks.told(token)}")
    text, _, stored = token.rpartition(".")
    try:
        content = base64.b64decode(text, b"-_", validate=True)
    except ValueError:  # not base64
        content = b""
    if not compare_digest(seal(content, key).encode(), stored.encode("utf-8", "replace")):
        raise ValueError("token must be one that this learner's ticket gave, got another "
                         "learner's, or one that was changed")
    line, _, rest = content.partition(b"\n")
    owner, number, users, *told = json.loads(line)
    values, at = [], 0
    for one in told:
        if isinstance(one, list):
            kind, size = KINDS[one[0]], math.prod(one[1:])
            array = np.frombuffer(rest, kind, size, at).astype(kind[1:])
            values.append(array.reshape(one[1:]))
            at += 8 * size
        else:
            values.append(one)
    arm, plays, shown, propensity = values
    return Sealed(arm, users, None, plays, number, shown, owner, propensity, stored)
