"""Regret against epsilon: of every system, and over that of learning without privacy."""

from collections.abc import Callable, Mapping
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

from bandits_book.plots import TRUST_COLORS
from bandits_dp import Result

Runs = Mapping[str, Mapping[float, Result]]  # by system and epsilon
LOOKS = [("LDP-DPE", "local", "^"), ("SDP-DPE", "shuffle", "o"), ("CDP-DPE", "central", "s")]


def upper(ax: Any, certified: Runs, theorem: Runs, lines: Mapping[str, float], spread: float) -> None:
    """Draw regret: of certified runs, of those with printed formulas, of random play, and of DPE with a band."""
    drawn = [(name, certified[name], mark, "-", TRUST_COLORS[model]) for name, model, mark in LOOKS if name in certified]
    drawn += [(f"{name[:3]}, theorem", theorem[name], mark, ":", TRUST_COLORS[model]) for name, model, mark in LOOKS[::-1]
              if name in theorem]
    for name, results, mark, line, color in drawn:
        y, e = (np.array([getattr(r, what)[-1] for r in results.values()]) for what in ("mean", "std_error"))
        ax.errorbar([*results], y, 2 * e, color=color, marker=mark, linestyle=line, capsize=3, label=name)
    for (word, place), style in zip(lines.items(), (":", "--"), strict=True):
        ax.axhline(place, color="#5a5a5a", linestyle=style, label=word)
    ax.axhspan(lines["DPE"] - spread, lines["DPE"] + spread, color="#5a5a5a", alpha=0.18, linewidth=0)


def lower(ax: Any, certified: Runs, over: Callable[[Result], tuple[float, float]]) -> None:
    """Draw the ratios of the two best systems to DPE, with bands."""
    for name, model, mark in [look for look in LOOKS[1:] if look[0] in certified]:
        y, e = np.array([over(r) for r in certified[name].values()]).T
        ax.plot([*certified[name]], y, color=TRUST_COLORS[model], marker=mark, label=name)
        ax.fill_between([*certified[name]], y - e, y + e, color=TRUST_COLORS[model], alpha=0.18, linewidth=0)
    ax.axhline(1, color="#5a5a5a", linestyle="--", label="DPE: free")


def against_epsilon(certified: Runs, theorem: Runs, free: Result, random_play: float,
                    over: Callable[[Result], tuple[float, float]]) -> None:
    """Draw regret at each epsilon above, and below it the ratios, `over(result)` with an error, to `free`, which has no privacy."""
    _, (top, low) = plt.subplots(2, 1, figsize=(6.0, 7.4), height_ratios=(3, 2), sharex=True)
    upper(top, certified, theorem, {"random play": random_play, "DPE": free.mean[-1]}, 2 * free.std_error[-1])
    lower(low, certified, over)
    epsilons = sorted({e for results in certified.values() for e in results})
    top.set(xscale="log", yscale="log", ylabel="regret at T = 10⁶", ylim=(500, 1e8))
    low.set(xlabel="ε (less privacy →)", ylabel="regret over DPE's", ylim=(0, 4), xticks=epsilons,
            xticklabels=[f"{e:g}" for e in epsilons])
    low.minorticks_off()
    top.legend(loc="upper center", ncols=2)
    low.legend(loc="upper right")
    plt.show()
