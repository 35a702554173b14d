"""Regret of learners with private rewards, one frame for each epsilon."""

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from bandits_book.plots import COLORS, MovingFigure, Series

LOOKS = {"LinUCB": "none", "DGS (experiment)": COLORS[3], "Private LinUCB (experiment)": COLORS[4], "RewardTree": COLORS[2]}


def regrets(losses: Mapping[float, Mapping[str, NDArray[np.float64]]], rounds: NDArray[np.int_], chance: float, delta: float,
            start: float) -> MovingFigure:
    """Draw, at each epsilon, the regret (run, round) of each learner; random play loses `chance` in the end."""

    def curves(epsilon: float) -> tuple[list[Series], str]:
        lines = []
        for name, runs in losses[epsilon].items():
            y, two = runs.mean(0), 2 * runs.std(0, ddof=1) / math.sqrt(len(runs))
            lines.append(Series(name, rounds, y, low=np.maximum(y - two, 0.5), high=y + two, color=LOOKS[name]))
        note = ", ".join(f"{line.label} {line.y[-1]:,.0f}" for line in lines)
        return lines, f"After {rounds[-1]:,} rounds: {note}, random play {chance:,.0f}."

    return MovingFigure(
        curves, {"epsilon": list(losses)}, {"epsilon": start}, title="Regret and the privacy budget",
        x_label="round", y_label="regret (lost rating points)", x_scale="log", y_scale="log",
        labels={"epsilon": f"ε (at δ = {delta:g})"},
        alt="Regret against rounds on log axes. LinUCB, RewardTree and DGS stay close together and low, and come closer as epsilon "
        "grows. Private LinUCB lies far above.")
