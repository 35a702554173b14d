"""Two learners on the same instances and users."""

from bandits_book import contest
from bandits_dp.play.result import Result


def more(first: Result, second: Result) -> tuple[float, float]:
    """Return by how much the first loses more, run by run, and the half-width of the 95% interval."""
    apart = (first.regret - second.regret)[:, -1]
    return float(apart.mean()), float(contest.interval(apart)[1])
