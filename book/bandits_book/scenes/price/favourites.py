"""The favourites of every kind of trust against ε, above a break in the axis and the floor below it."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from bandits_book.plots import TRUST_COLORS, TRUST_MARKERS


def above(epsilons: NDArray[np.float64], shares: Mapping[str, tuple[str, NDArray[np.float64]]], floor: NDArray[np.float64]) -> None:
    """Draw the share of each kind of trust, with its words, and below a break in the axis the floor where there is one."""
    _, (ax, last) = plt.subplots(2, sharex=True, figsize=(6.0, 5.7), height_ratios=(4, 1))
    for trust, (words, share) in shares.items():
        ax.plot(epsilons, share, color=TRUST_COLORS[trust], label=words, marker=TRUST_MARKERS[trust], linestyle="-", clip_on=False)
    line, = last.plot(epsilons[floor > 0], floor[floor > 0], color=TRUST_COLORS["central"], linestyle=":")
    last.text(0.97, 0.6, "floor if δ = 0", color=line.get_color(), ha="right", transform=last.transAxes)
    last.set(yscale="log", ylim=(0.004, 0.6))
    ax.legend(frameon=False, title="whom users trust")
    part(ax, last)
    ax.set(xscale="log", yscale="log", ylabel="% of random play's regret", xlim=(0.1, 10), ylim=(10, 120))
    ax.set_yticks([10, 20, 50, 100])
    last.set(xlabel="ε (less privacy →)")
    for axis in (last.xaxis, ax.yaxis, last.yaxis):
        axis.set_major_formatter("{x:g}")
        axis.set_minor_formatter("")
    plt.show()


def part(ax: Axes, last: Axes) -> None:
    """Show that a part of the axis is left out between two panels."""
    ax.spines["bottom"].set_visible(False)
    ax.tick_params(bottom=False, which="both")
    for one, end in ((ax, 0), (last, 1)):
        one.plot(0, end, marker=[(-1, -0.6), (1, 0.6)], markersize=9, markeredgecolor="#777777", clip_on=False,
                 transform=one.transAxes)
