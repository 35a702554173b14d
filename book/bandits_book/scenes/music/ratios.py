"""Ratios over random play that are stored for the real files: over rounds, and against the factor on the width."""

import math
from collections.abc import Mapping
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from bandits_book.plots import COLORS, band

LEARNERS: list[tuple[str, str, str, Any]] = [  # what is stored, its label, colour and dash
    ("LinUCB, tuned", "LinUCB, scale 0.1: none", "none", "--"),
    ("DGS, early code", "DGS, early code: none", COLORS[3], "-"), ("RewardTree", "RewardTree: (2, 0.1)", COLORS[2], "-"),
    ("RewardTree, small budget", "RewardTree: (1, 0.0001)", COLORS[2], "--"),
    ("JDP, tuned", "JDP, scale 0.1: (2, 0.1)", COLORS[0], "--"),
    ("Tree", "Tree: (2, 0)", COLORS[4], "-"),
    ("random play", "random play", "#8a8a8a", ":"),
]
WIDTHS: list[tuple[str, str, str, Any]] = [
    ("LinUCB", "LinUCB: none", "none", "-"), ("RewardTree", "RewardTree, 0.3: (2, 0.1)", COLORS[2], "-"),
    ("RewardTree, proved width", "proved width: (2, 0.1)", COLORS[2], "--"), ("JDP", "JDP: (2, 0.1)", COLORS[0], "-"),
    ("Tree", "Tree: (2, 0)", COLORS[4], "-"),
    ("DGS, early code", "DGS, early code: none", COLORS[3], "-"),
]


def draw(ax: Axes, curve: Mapping[str, Any], label: str, color: str, dash: Any) -> None:
    """Draw a stored mean from round 100 on, with two standard errors to both sides."""
    c = {key: np.array(curve[key]) for key in ("rounds", "mean", "error")}
    keep = c["rounds"] >= 100
    x, y, two_errors = c["rounds"][keep], c["mean"][keep], 2 * c["error"][keep]
    band(ax, x, y, y - two_errors, y + two_errors, label, color=color).set_linestyle(dash)


def over_rounds(curves: Mapping[str, Mapping[str, Any]]) -> None:
    """Draw each learner's ratio over the rounds, with its guarantee in its label."""
    fig, ax = plt.subplots(figsize=(6.0, 4.6), layout="none")
    fig.subplots_adjust(left=0.1, right=0.61, bottom=0.14, top=0.97)
    for name, label, color, dash in LEARNERS:
        draw(ax, curves[name], label, color, dash)
    ax.set(xscale="log", xlabel="round", ylabel="click rate over that of random play", xlim=(100, 5000), ylim=(0, 8))
    ax.set_xticks([100, 1000, 5000], ["100", "1,000", "5,000"])
    plt.show()


def over_widths(stored: Mapping[str, Mapping[str, Any]], scales: list[float]) -> None:
    """Draw each learner's ratio at the end against the factor on its width."""
    fig, ax = plt.subplots(figsize=(6.0, 3.9), layout="none")
    fig.subplots_adjust(left=0.1, right=0.6, bottom=0.15, top=0.97)
    for name, label, color, dash in WIDTHS:
        ends = np.array([stored[name][f"{scale:g}"] for scale in scales])
        mean, two_errors = ends.mean(axis=1), 2 * ends.std(axis=1, ddof=1) / math.sqrt(ends.shape[1])
        band(ax, range(5), mean, mean - two_errors, mean + two_errors, label, color=color).set_linestyle(dash)
    ax.set(xticks=range(5), xticklabels=[f"{scale:g}" for scale in scales], xlabel="radius_scale", xlim=(0, 4), ylim=(0, 8),
           ylabel="click rate over random play")
    plt.show()
