"""Regret of private linear learners against rounds, one frame for each epsilon."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from bandits_book.plots import COLORS, MovingFigure, Series
from bandits_dp.play.result import Result


def regrets(runs: Mapping[float, Mapping[str, Result]], colors: Mapping[str, str], random_play: float,
            delta: float) -> MovingFigure:
    """Draw, at each epsilon, the regret of each learner of `runs`, and of random play, which loses so much in the end."""
    first = next(iter(next(iter(runs.values())).values()))
    T, rounds = int(first.rounds[-1]), first.rounds
    grid = np.unique(np.searchsorted(rounds, np.linspace(T / 50, T, 25)))
    r = rounds[grid]

    def curves(epsilon: float) -> tuple[list[Series], str]:
        series, last = [], []
        for word, result in runs[epsilon].items():
            y, two = result.mean[grid], 2 * result.std_error[grid]
            series.append(Series(word, r, y, low=y - two, high=y + two, color=colors[word]))
            last.append(f"{word} {y[-1]:,.0f}")
        series.append(Series("random", r, random_play * r / T, color=COLORS[4]))
        return series, f"After {T:,} rounds: {'; '.join(last)}. Each private curve is ({epsilon:g}, {delta:g})-private."

    start: dict[str, Any] = {"epsilon": 1.0}
    return MovingFigure(
        curves, {"epsilon": list(runs)}, start,
        title="Figure 1 with certified noise", x_label="round", y_label="regret (lost rewards)", y_range="each",
        labels={"epsilon": "ε (privacy)"},
        alt="Regret against rounds for no privacy, JDP, Vec, and Amp and LDP together, in this order from below, and for random "
        "play on top. Less privacy lowers all private curves.")
