"""Exercises on a circle that are left at the start of each phase, under four kinds of trust."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from bandits_book.plots import COLORS, MovingFigure, Series, moving_figure
from bandits_dp.problems import LinearArms


def who_survives(circle: LinearArms, history: Mapping[str, Sequence[NDArray[np.intp]]],
                 budgets: Mapping[str, float | None]) -> MovingFigure:
    """Show who is left: by trust model, the survivors of each phase, and epsilon."""
    arms = len(circle.actions)

    def frame(model: str, phase: int) -> tuple[list[Series], str]:
        active = history[model][phase - 1]
        gone = np.setdiff1d(np.arange(arms), active)
        (x, y), (a, b) = circle.actions.T, circle.theta
        shown = [Series("still played", x[active], y[active], "points", color=COLORS[0]),
                 Series("θ*", [0, a], [0, b], color="#333333")]
        if len(gone):
            shown.append(Series("dropped", 0.9 * x[gone], 0.9 * y[gone], "points", color="#999999"))
        return shown, f"{len(active)} of {arms} exercises left at the start of phase {phase}."

    first, phases = next(iter(history)), len(next(iter(history.values())))
    given = {model: f"{model}: {epsilon:g}" for model, epsilon in budgets.items() if epsilon}
    if len(given) == 3 and budgets["central"] == budgets["shuffle"]:
        given = {"both": f"{budgets['central']:g}", "local": given["local"]}
    return moving_figure(
        frame, {"model": list(history), "phase": range(1, phases + 1)}, {"model": first, "phase": min(8, phases)},
        title="Who survives", x_label="first coordinate", y_label="second coordinate", x_range=(-1.6, 1.6), y_range=(-1.05, 1.05),
        alt=("Points on a circle. From phase to phase the surviving ones shrink to a small arc around the direction of theta, "
             "later with more privacy."),
        labels={"model": f"trust model (ε: {'; '.join(given.values())})", "phase": "phase"},
    )
