"""How often each user was there: who is promised one batch, or so many, is not shown anything in one more."""

from __future__ import annotations

from collections.abc import Hashable

from bandits_dp import _checks


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
        if user in self.here:
            raise ValueError(f"user must be another one in every round of a batch, got {user!r} again")
        if self.count.get(user, 0) >= self.most:
            times = "once" if self.most == 1 else f"in {self.most} batches"
            raise ValueError(f"user must be asked {times} at most, for which the noise is made, got {user!r} once more")
        self.count[user] = self.count.get(user, 0) + 1
        self.here.add(user)

    def leave(self, user: Hashable) -> None:
        """Take back the visit of a user whose ticket expired."""
        self.count[user] -= 1

    def next_batch(self) -> Visits:
        """Return the visits at the start of the next batch."""
        then = Visits(self.most)
        then.count = self.count
        return then
