"""Tickets: what an app hands out when it shows something, and takes back with the answer."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

DRAWN = 28  # last bits of a number, in which apps that go on from one state may differ


@dataclass(frozen=True, eq=False)
class Ticket:
    """What some users were shown. An app takes back only the object that it handed out, once.

    Parameters
    ----------
    arm : int or ndarray of int
        The arm to show; with features for several users, one arm each; with clients, all arms
        of the phase.
    users : int
        Number of users (clients) that it is for.
    user : hashable, optional
        The user's id, if ``act`` got one.
    plays : ndarray of int, optional
        With clients: how often each arm is played.
    number : int
        Later tickets have larger numbers.
    shown : ndarray, shape (users, dimension), optional
        With features: those of the shown arms.

    Examples
    --------
    >>> from bandits_dp.app.ticket import Ticket
    >>> Ticket(arm=2, user="Ada")
    Ticket(arm=2, users=1, user='Ada', plays=None)
    """

    arm: Any
    users: int = 1
    user: Hashable = None
    plays: NDArray[np.int64] | None = None
    number: int = field(default=0, repr=False)
    shown: Any = field(default=None, repr=False)

    def __post_init__(self) -> None:
        """Protect the features: their norm was checked, and the answer is encoded with them."""
        if self.shown is not None:
            self.shown.flags.writeable = False
