"""What live use hands out for every user (or several) who are shown something, and takes back with their answer."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bandits_dp import _checks

KINDS = {"i": "<i8", "u": "<u8", "f": "<f8"}  # of the arrays in a token, on whatever machine


@dataclass(frozen=True, eq=False)
class Ticket:
    """Who was shown what; give it back with the answer.

    Parameters
    ----------
    arm : int or ndarray of int
        The arm to show; with features for several users, one arm each; with clients, all arms that the phase plays.
    users : int
        How many users (clients) it is for.
    user : hashable or tuple, optional
        Who, if that was said.
    plays : ndarray of int, optional
        With clients: how often each arm is played.

    Attributes
    ----------
    propensity : float or ndarray of float or None
        With which probability this arm was drawn, if ``act`` was to ``explore``; for ``bandits_dp.logs.evaluate``.

    Examples
    --------
    >>> import bandits_dp as bdp
    >>> learner = bdp.make("UCB1", bdp.problems.BernoulliArms([0.9, 0.8]), horizon=1000)
    >>> learner.act(user="Ada")
    Ticket(arm=0, users=1, user='Ada', plays=None)

    Notes
    -----
    It is the user's: what she was shown stays in it, and out of the learner.
    """

    arm: Any
    users: int = 1
    user: Hashable = None
    plays: NDArray[np.int64] | None = None
    number: int = field(default=0, repr=False)
    owner: str = field(default="", repr=False)
    seal: str = field(default="", repr=False)  # a keyed hash of all that a token says
    shown: Any = field(default=None, repr=False)  # features of the arms, for whoever encodes the answer
    propensity: Any = field(default=None, repr=False)

    def __post_init__(self) -> None:
        """Protect the features, whose norm was checked, and with which the answer will be encoded."""
        for name, kind in (("users", int), ("number", int), ("owner", str), ("shown", (np.ndarray, type(None)))):
            if not isinstance(getattr(self, name), kind):
                raise TypeError(f"ticket must be what act() returned, got one with {name}={_checks.told(getattr(self, name))}")
        if self.shown is not None:
            self.shown.flags.writeable = False

    @property
    def token(self) -> str:
        """The ticket without its user's id, in letters that JSON, a form or an address can hold; ``learner.ticket`` reads it.

        Whoever has it can read what was shown, and change nothing: it is sealed with a keyed hash (blake2b).
        """
        return f"{base64.urlsafe_b64encode(self.content()).decode()}.{self.seal}"

    def content(self) -> bytes:
        """Return what the seal is on: numbers and shapes in a line, and then the arrays."""
        values = (self.arm, self.plays, self.shown, self.propensity)
        arrays = [np.ascontiguousarray(one, KINDS[one.dtype.kind]) for one in values if isinstance(one, np.ndarray)]
        told = [one if one is None or isinstance(one, (int, float)) else [one.dtype.kind, *one.shape] for one in values]
        line = json.dumps([self.owner, self.number, self.users, *told])
        return b"\n".join([line.encode(), b"".join(array.tobytes() for array in arrays)])

    @classmethod
    def read(cls, content: bytes, seal: str) -> Self:
        """Return the ticket whose :meth:`content` this is."""
        line, _, rest = content.partition(b"\n")
        owner, number, users, *told = json.loads(line)
        values, at = [], 0
        for one in told:
            if isinstance(one, list):
                kind, shape = KINDS[one[0]], one[1:]
                size = math.prod(shape)
                values.append(np.frombuffer(rest, kind, size, at).astype(kind[1:]).reshape(shape))
                at += 8 * size
            else:
                values.append(one)
        arm, plays, shown, propensity = values
        return cls(arm, users, None, plays, number, owner, seal, shown, propensity)

