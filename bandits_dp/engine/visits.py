"""How often each user was there: who is promised one batch, or so many, is not shown anything in one more."""

from __future__ import annotations

from collections.abc import Collection, Hashable

from bandits_dp import _checks
from bandits_dp._state import WrongEntry


class Visits:
    """Batches of every user who gave an id; whoever gives none is not counted, and the caller's to look after.

    Parameters
    ----------
    most : int
        In how many batches one user may be, >= 1.
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
        if isinstance(user, bool) or not isinstance(user, (int, str)):
            raise ValueError(f"user must be an integer or a string, got {user!r}")
        if self.count.get(user, 0) >= self.most:
            times = "once" if self.most == 1 else f"in {self.most} batches"
            raise ValueError(f"user must be asked {times} at most, for which the noise is made, got {user!r} once more")
        if user in self.here:
            raise ValueError(f"user must be another one in every round of a batch, got {user!r} again")
        self.count[user] = self.count.get(user, 0) + 1
        self.here.add(user)

    def restore(self, count: dict[Hashable, int], here: set[Hashable]) -> None:
        """Take saved visits, or raise a WrongEntry that names what cannot be."""
        for user, times in count.items():
            if isinstance(user, bool) or not isinstance(user, (int, str)):
                raise WrongEntry("visitors", f"nobody is {user!r}")
            if not 0 <= times <= self.most:
                raise WrongEntry("visits", f"nobody was in {times} of {self.most} batches")
        if not here <= {user for user, times in count.items() if times}:
            raise WrongEntry("here", "whoever is here was counted")
        self.count, self.here = count, here

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
