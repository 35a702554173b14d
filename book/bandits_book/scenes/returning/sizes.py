"""Regret against the size of a batch, with the named sizes as stars."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from numpy.typing import NDArray

from bandits_book.plots import COLORS, TRUST_COLORS

Row = tuple[int, NDArray[np.float64]]  # a batch size, and final regrets
LOOKS = ["central", "shuffle", COLORS[4], COLORS[5], "local"]
PLACES = {"utility": ("#009e73", 0.95, 1.18, "right"), "privacy": ("#009e73", 0.85, 1.1, "right"),
          "returning": (COLORS[4], 1.1, 0.8, "left")}


def regrets(sizes: NDArray[np.int_], swept: Mapping[str, Sequence[Row]], named: Mapping[str, Row], random_play: float) -> None:
    """Draw means with two standard errors."""
    ax: Any = plt.subplots(figsize=(6.0, 4.8))[1]
    for (key, rows), color in zip(swept.items(), LOOKS, strict=True):
        values = np.array([regret for _, regret in rows])
        mean, error = values.mean(axis=1), 2 * values.std(axis=1, ddof=1) / values.shape[1] ** 0.5
        look = "--" if "returning" in key else "-"
        ax.errorbar(sizes, mean, error, color=TRUST_COLORS.get(color, color), linestyle=look, marker="o", markersize=3.5, label=key)
    for name, (color, right, up, side) in PLACES.items():
        B, regret = named[name]
        ax.plot(B, regret.mean(), "*", color=color, markersize=15, zorder=5, markeredgecolor="white")
        ax.text(right * B, up * regret.mean(), name, ha=side, color=color, zorder=5)
    ax.axhline(random_play, color="#777777", linewidth=1, label="random play")
    ax.set(xscale="log", yscale="log", xlabel="batch size B (users)", ylabel="regret (lost rewards)")
    ax.set(xlim=(16, 9000), ylim=(850, 1.4e4))
    ax.set_xticks(list(sizes), [str(size) for size in sizes])
    ax.set_yticks([1000, 2000, 5000, 10000], ["1000", "2000", "5000", "10000"])
    ax.minorticks_off()
    ax.legend(fontsize=12, ncol=2, loc="upper center", bbox_to_anchor=(0.45, -0.18))
