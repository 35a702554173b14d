"""What live use hands out for every user (or several) who are shown something, and takes back with their answer."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray


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
    shown: Any = field(default=None, repr=False)  # features of the arms, for whoever encodes the answer

    def __post_init__(self) -> None:
        """Protect the features, whose norm was checked, and with which the answer will be encoded."""
        for name, kind in (("users", int), ("number", int), ("owner", str), ("shown", (np.ndarray, type(None)))):
            if not isinstance(getattr(self, name), kind):
                raise TypeError(f"ticket must be what act() returned, got one with {name}={getattr(self, name)!r}")
        if self.shown is not None:
            self.shown.flags.writeable = False
