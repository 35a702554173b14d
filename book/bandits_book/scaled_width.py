"""A learner with a factor on its width: its releases are as private as before, and the width is proved no longer."""

from dataclasses import replace
from typing import Any

from bandits_dp import _checks


class ScaledWidth:
    """A width, margins, or how far an upper bound is above the mean, times a factor."""

    def __init__(self, width: Any, scale: float) -> None:
        self.width, self.scale = width, scale
        self.users, self.s = getattr(width, "users", 0), getattr(width, "s", None)

    def after(self, *told: Any) -> "ScaledWidth":
        """Return the width after more releases."""
        return ScaledWidth(self.width.after(*told), self.scale)

    def forget(self, *told: Any) -> "ScaledWidth":
        """Return the width without any release."""
        return ScaledWidth(self.width.forget(*told), self.scale)

    def half_width(self, *told: Any) -> Any:
        """Return the scaled width of one side of a mean."""
        return self.scale * self.width.half_width(*told)

    def margins(self, *told: Any) -> Any:
        """Return the scaled margins of differences."""
        return self.scale * self.width.margins(*told)

    def upper(self, total: float, rewards: int, log_mgf: Any) -> float:
        """Return the upper confidence bound, which is scaled as seen from the mean, as far as that is in [0, 1]."""
        mean = min(max(total / rewards, 0.0), 1.0)
        return mean + self.scale * (float(self.width.upper(total, rewards, log_mgf)) - mean)

    def fewest_users(self, noise: Any, half_width: float) -> int:
        """Return the fewest users of a batch for a scaled half width."""
        return int(self.width.fewest_users(noise, half_width / self.scale))


def scale_width(app: Any, scale: float) -> None:
    """Scale the width of a fresh learner, and say so in its guarantee.

    Examples
    --------
    >>> import bandits_dp as bdp
    >>> from bandits_book import contest
    >>> app = bdp.make("UCB1", bdp.problems.BernoulliArms([0.9, 0.8]), horizon=1000)
    >>> contest.scale_width(app, 0.5)
    >>> app.learner.width.scale
    0.5
    """
    learner, scale = app.learner, _checks.positive("scale", scale)
    names = [name for name in ("width", "bound") if hasattr(learner, name)]
    if hasattr(learner, "radius_scale"):
        learner.radius_scale, learner.beta = learner.radius_scale * scale, learner.beta * scale
    elif names:
        setattr(learner, names[0], ScaledWidth(getattr(learner, names[0]), scale))
        if hasattr(getattr(learner, "schedule", None), "width"):  # whose batches are as large as the width asks for
            learner.schedule.width = ScaledWidth(learner.schedule.width, scale)
            app.begin()
    else:
        raise ValueError(f"learner must have a width or a radius to scale, got {app.name}")
    reason = f"{app.guarantee.reason}; its width is scaled by {scale:g}, for which nothing is proved"
    app.guarantee = replace(app.guarantee, reason=reason)
