"""Groups of runs played together: large, which is fast, but short, so that little can be lost."""

from collections.abc import Iterator

# largest number of runs in a group; bounds the arrays of runs that advance together
TOGETHER = 1000
PATIENCE = 5.0  # seconds of work, or one run, that an interrupted simulation with a cache may lose
GROWTH = 8  # largest ratio of a group to a timed one: the timed run may have been a quick one


class Groups:
    """Cut runs into groups of the largest size or, if ``timed``, of half of ``PATIENCE`` each.

    Timed groups begin with single runs; call :meth:`took` after each group. Several workers may
    take more groups before the first one reports: these are small, and later groups grow.
    """

    def __init__(self, runs: list[int], largest: int, timed: bool) -> None:
        self.runs, self.largest, self.timed = runs, largest, timed
        self.size = 1 if timed else largest

    def __iter__(self) -> Iterator[list[int]]:
        """Yield the groups; the size of each is chosen when it is taken."""
        done = 0
        while done < len(self.runs):
            group = self.runs[done : done + self.size]
            done += len(group)
            yield group

    def took(self, runs: int, seconds: float) -> None:
        """Report that a group of ``runs`` runs took this many seconds."""
        if self.timed:
            fits = self.largest if seconds <= 0 else runs * PATIENCE / 2 / seconds
            self.size = max(1, int(min(self.largest, GROWTH * runs, fits)))
