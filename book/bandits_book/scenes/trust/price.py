"""The error of a private count against the number of users, in each trust model."""

import numpy as np

from bandits_book.plots import MovingFigure, Series
from bandits_dp.privatizers import BinarySum, CentralLaplace, RandomizedResponse


def prices() -> MovingFigure:
    """Draw the error of a private count against the number of users, in each trust model."""
    sizes = np.unique(np.rint(np.geomspace(1, 1e6, 13)).astype(int))

    def errors(epsilon: float, delta: float, honest: float) -> tuple[list[Series], str]:
        def shuffle(n: int) -> float:
            return BinarySum(int(n), epsilon, delta, honest_fraction=honest).noise_std

        def local(n: int) -> float:
            return RandomizedResponse(int(n), epsilon, delta).noise_std

        central = CentralLaplace(1, epsilon).noise_std
        n = 10_000
        note = f"At 10,000 users: central ±{central:.1f}, shuffle ±{shuffle(n):.1f}, local ±{local(n):.1f} people"
        note += " (certified noise, one standard deviation)."
        return [
            Series("local", sizes, [local(n) for n in sizes], color="local"),
            Series("shuffle", sizes, [shuffle(n) for n in sizes], color="shuffle"),
            Series("central", sizes, [central] * len(sizes), color="central"),
        ], note

    return MovingFigure(
        errors,
        {"epsilon": [0.1, 0.25, 0.5, 1.0, 2.0], "delta": [1e-8, 1e-6, 1e-4], "honest": [0.01, 0.1, 0.5, 1.0]},
        {"epsilon": 1.0, "delta": 1e-6, "honest": 1.0},
        title="Error of a private count", x_label="users n", y_label="noise std (people)", x_scale="log", y_scale="log",
        labels={"epsilon": "ε (privacy)", "delta": "δ (failure)", "honest": "honest share (shuffle)"},
        alt="Noise standard deviation against the number of users on log axes. Local rises like the square root of n; "
        "shuffle is nearly flat, and central flat below it.",
    )
