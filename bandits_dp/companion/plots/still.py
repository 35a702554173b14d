"""One setting of a moving figure as a still picture, for wherever no script may run."""

import io
from collections.abc import Sequence
from typing import Any

import numpy as np

from bandits_dp._extras import needed
from bandits_dp.companion.plots.series import Series
from bandits_dp.companion.plots.style import line_look, use_style


def still_picture(figure: Any, series: Sequence[Series], x_range: tuple[float, float], y_range: tuple[float, float]) -> str:
    """Return an SVG picture of the series of a moving figure."""
    with needed("plots", "a figure that moves"):
        from matplotlib.figure import Figure

    stream = io.StringIO()
    with use_style():
        canvas = Figure()
        ax = canvas.subplots()
        ax.set(title=figure.title, xlabel=figure.x_label, ylabel=figure.y_label, xscale=figure.x_scale, yscale=figure.y_scale)
        for index, one in enumerate(series):
            color, line, marker = line_look(one.color, index)
            look: dict[str, Any] = {"color": color, "label": one.label}
            if one.kind == "points":
                whiskers = None if one.low is None or one.high is None else np.array([one.y - one.low, one.high - one.y])
                ax.errorbar(one.x, one.y, yerr=whiskers, linestyle="none", marker=marker, **look)
                continue
            ax.plot(one.x, one.y, linestyle=line, **look)
            if one.low is not None and one.high is not None:
                ax.fill_between(one.x, one.low, one.high, color=color, alpha=0.18, linewidth=0)
        ax.set(xlim=x_range, ylim=y_range)
        if figure.x_scale == "linear":
            ax.locator_params(axis="x", nbins=6)
        if figure.x_ticks:
            ax.set_xticks(list(figure.x_ticks), list(figure.x_ticks.values()))
        if len(series) > 1:
            canvas.legend(loc="outside upper left", ncols=2)
        canvas.savefig(stream, format="svg")
    return stream.getvalue()
