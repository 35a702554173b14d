"""Parts of a margin against rounds, moved by epsilon, the growth of the crowd, and delta."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from bandits_book.plots import MovingFigure, Series, moving_figure


def free_yet(terms: Callable[..., Any], phases: int = 19) -> MovingFigure:
    """Show the parts that `terms(epsilon, delta, growth, levels)` returns, and when central noise is below the clients'."""
    levels = np.arange(1, phases + 1)

    def parts(epsilon: float, growth: float, delta: float) -> tuple[list[Series], str]:
        t, (plays_term, clients_term, central, local) = terms(epsilon, delta, growth, levels)
        below = np.flatnonzero(central < clients_term)
        crowd = math.ceil(2 ** (growth * levels[below[0]])) if len(below) else 0
        when = f"from about round {t[below[0]]:,.0f} on ({crowd:,} clients)" if crowd else "at no round of this horizon"
        return [Series("local", t, local, color="local"), Series("central", t, central, color="central"),
                Series("clients", t, clients_term, color="#aa3377"), Series("plays", t, plays_term, color="none"),
                ], f"Central privacy noise is below the clients' part {when}."

    return moving_figure(
        parts, {"epsilon": [0.5, 1.0, 3.0, 10.0], "growth": [0.4, 0.6, 0.8], "delta": [1e-6, 0.25]},
        {"epsilon": 10.0, "growth": 0.8, "delta": 0.25}, title="Is privacy free yet?",
        x_label="round at the end of the phase", y_label="part of the margin", x_scale="log", y_scale="log",
        labels={"epsilon": "ε (privacy)", "growth": "γ (growth of clients)", "delta": "δ (failure of the promise)"},
        alt="Parts of the confidence margin against rounds on log axes: plays and clients without privacy, and the noise of "
        "central and local privacy. Central noise falls faster than the part of clients, local noise does not.")
