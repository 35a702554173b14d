"""How often each user was there: who is promised one batch, or so many, is not shown anything in one more."""

from __future__ import annotations

import json
from collections.abc import Collection, Hashable, Iterable, Mapping
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp import _checks
from bandits_dp._state import WrongEntry


class Visits:
    """Batches of every user who gave an id; whoever gives none is not counted, and the caller's to look after.

    Parameters
    ----------
    most : int
        In how many batches one user may be, >= 1.

    Examples
    --------
    >>> from bandits_dp.live.visits import Visits
    >>> visits = Visits(most=1)
    >>> visits.admit("Ada")
    >>> visits.admit("Ada")
    Traceback (most recent call last):
        ...
    ValueError: user must be asked once at most, for which the noise is made, got 'Ada' once more
    """

    def __init__(self, most: int) -> None:
        self.most = _checks.integer("visits", most)
        self.count: dict[Hashable, int] = {}
        self.here: set[Hashable] = set()  # in the current batch

    def admit(self, user: Hashable) -> None:
        """Count a user, or say why not.

        Raises
        ------
        ValueError
            If the id is neither an integer nor a string, or the user was in as many batches as are promised, or is in this one.
        """
        self.check(user)
        self.count[user] = self.count.get(user, 0) + 1
        self.here.add(user)

    def check(self, user: Hashable) -> None:
        """Do what :meth:`admit` does, but count nobody."""
        if not _is_id(user):
            raise ValueError(f"user must be an integer or a string, got {user!r}")
        if self.count.get(user, 0) >= self.most:
            times = "once" if self.most == 1 else f"in {self.most} batches"
            raise ValueError(f"user must be asked {times} at most, for which the noise is made, got {user!r} once more")
        if user in self.here:
            raise ValueError(f"user must be another one in every round of a batch, got {user!r} again")

    @property
    def seen(self) -> set[Hashable]:
        """Who was in a batch, or is."""
        return {user for user, times in self.count.items() if times}

    def pack(self) -> dict[str, ArrayLike]:
        """Return everything, to be saved."""
        return {"visitors": words(self.count), "visits": np.array(list(self.count.values()), dtype=np.int64),
                "here": np.sort(words(self.here))}

    def unpack(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Take back what :meth:`pack` returned, or raise a WrongEntry that names what cannot be."""
        users = unworded(state["visitors"])
        for user in users:
            if not _is_id(user):
                raise WrongEntry("visitors", f"nobody is {user!r}")
        times = state["visits"].tolist()
        if len(times) != len(users) or not all(0 <= often <= self.most for often in times):
            raise WrongEntry("visits", f"each of {len(users)} users was in 0 to {self.most} batches")
        self.count = dict(zip(users, map(int, times), strict=True))
        self.here = set(unworded(state["here"]))
        if not self.here <= self.seen:
            raise WrongEntry("here", "whoever is here was counted")

    def without(self, users: Collection[Hashable]) -> Visits:
        """Return the visits as if these users, whose tickets expired, had not been in this batch."""
        then = Visits(self.most)
        then.count = {user: count - (user in users) for user, count in self.count.items()}
        then.here = self.here.difference(users)
        return then

    def next_batch(self) -> Visits:
        """Return the visits at the start of the next batch."""
        then = Visits(self.most)
        then.count = self.count
        return then


def _is_id(user: object) -> bool:
    return isinstance(user, (Integral, str)) and not isinstance(user, bool)


def words(users: Iterable[Hashable]) -> NDArray[np.str_]:
    """Return ids as words that tell 1 from "1"."""
    return np.array([json.dumps(user, default=int) for user in users], dtype=str)  # as an integer of numpy's


def unworded(given: NDArray[np.str_]) -> list[Any]:
    """Return the ids that are saved as words."""
    return list(map(json.loads, given.tolist()))
