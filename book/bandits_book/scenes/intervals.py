"""UCB1's confidence intervals, as users go by."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandits_book.plots import MovingFigure, Series


def narrowing(arms: NDArray[Any], tapes: NDArray[Any], means: NDArray[Any], width: Callable[..., Any], users: Sequence[int],
              names: str) -> MovingFigure:
    """Draw the intervals, `width(users, pulls)` to each side, of the first runs; `arms` were shown, `tapes` are their luck."""
    K = len(means)

    def draw(users: int, tape: int) -> tuple[list[Series], str]:
        shown = arms[tape, :users]
        pulls = np.bincount(shown, minlength=K)
        answers = tapes[tape, :users] < means[shown]
        estimate = np.bincount(shown, weights=answers, minlength=K) / pulls
        half = width(users, pulls)
        upper, following = estimate + half, arms[tape, users]
        told = ", ".join(f"{name} {n:,} ({high:.2f})" for name, n, high in zip(names, pulls, upper, strict=True))
        cut = "; bars are cut at 1" if upper.max() > 1 else ""
        note = f"Shown so far (upper end{cut}): {told}. The next user gets {names[following]}."
        low, high = np.maximum(estimate - half, 0), np.minimum(upper, 1)  # no probability is beyond
        return [Series("estimate and interval", np.arange(K), estimate, "points", low, high),
                Series("true mean", np.arange(K) + 0.25, means, "points")], note

    return MovingFigure(
        draw, {"users": users, "tape": [0, 1, 2, 3, 4, 5]}, {"users": 2000, "tape": 0},
        title="UCB1 narrows down", x_label="exercise", y_label="probability of sleeping better",
        x_range=(-0.5, K - 0.3), y_range=(0, 1), x_ticks=dict(enumerate(names)),
        labels={"users": "users so far", "tape": "run (its tape)"},
        alt="Five exercises, each with an estimate, an interval around it and its true mean. As users go by the "
            "intervals shrink, that of D fastest, and all upper ends come to about the same height.")
