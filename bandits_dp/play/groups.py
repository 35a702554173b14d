"""Which runs are played together: many, since most learners play them faster so, but not for long, so that little can be lost."""

from collections.abc import Iterator

TOGETHER = 1000  # runs that are played at once at most: bounds the arrays of learners whose runs advance together
PATIENCE = 5.0  # seconds of work that may be lost when a simulation with a cache is interrupted, or one run if that takes longer
GROWTH = 8  # a group is at most so many times as large as one that was timed: the first run may have been a quick one


class Groups:
    """Cut runs into groups: of the largest size, or, if ``timed``, of single runs first and then as fits into half of ``PATIENCE``.

    Whoever plays a group calls :meth:`took`. Several workers may have taken more groups before the first one is told: they are
    small, then, and the later ones grow.
    """

    def __init__(self, runs: list[int], largest: int, timed: bool) -> None:
        self.runs, self.largest, self.timed = runs, largest, timed
        self.size = 1 if timed else largest

    def __iter__(self) -> Iterator[list[int]]:
        """Yield the groups; each one's size is decided when it is asked for."""
        done = 0
        while done < len(self.runs):
            group = self.runs[done : done + self.size]
            done += len(group)
            yield group

    def took(self, runs: int, seconds: float) -> None:
        """Learn how long a group took."""
        if self.timed:
            fits = self.largest if seconds <= 0 else runs * PATIENCE / 2 / seconds
            self.size = max(1, int(min(self.largest, GROWTH * runs, fits)))
