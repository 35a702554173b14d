"""The largest error of each counter so far, against rounds."""

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from bandits_book.plots import MovingFigure, Series


def errors(worst: Mapping[str, Callable[[int, float], NDArray[np.float64]]], delta: float) -> MovingFigure:
    """Draw the largest error up to each round of every counter; ``worst`` maps names to functions of horizon and epsilon."""
    def lines(T: int, epsilon: float) -> tuple[list[Series], str]:
        at = np.unique(np.rint(np.geomspace(1, T, 19)).astype(int))
        shown = {name: error(T, epsilon) for name, error in worst.items()}
        digits = {"naive": 0, "tree": 1, "square root": 1}
        told = ", ".join(f"{name} {shown[name][-1]:,.{after}f}" for name, after in digits.items() if name in shown)
        note = f"Largest error for {T:,} users: {told} users (one standard deviation, δ = {np.format_float_positional(delta)})."
        return [Series(name, at, error[at - 1]) for name, error in shown.items()], note

    return MovingFigure(
        lines, {"T": [100, 1000, 10_000, 100_000, 1_000_000], "epsilon": [0.1, 0.3, 1.0, 3.0]}, {"T": 1_000_000, "epsilon": 1.0},
        title="Error of a running count", x_label="round t (users so far)", y_label="largest error up to t (users)",
        x_scale="log", y_scale="log", labels={"T": "T (horizon)", "epsilon": "ε (privacy)"},
        alt="Largest error so far against rounds on log axes. Naive is flat; noise per answer rises with slope one half; "
        "hybrid, tree and square root rise slowly, the square root lowest at the end.",
    )
