"""One setting of a moving figure as a still picture, for wherever no script may run."""

import base64
import io
from typing import TYPE_CHECKING, Literal

import numpy as np

from bandits_dp._extras import needed
from bandits_dp.companion.plots.payload import Frame, Limits, Words
from bandits_dp.companion.plots.series import bar_gap
from bandits_dp.companion.plots.style import line_look, use_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def still_picture(frame: Frame, words: Words, limits: Limits) -> str:
    """Return an SVG picture of `frame`, in base64."""
    with needed("plots", "a figure that moves"):
        from matplotlib.figure import Figure

    x_range, y_range = limits.at(frame)
    with use_style():
        canvas = Figure()
        ax = canvas.subplots()
        ax.set(
            title=words.title,
            xlabel=words.x_label,
            ylabel=words.y_label,
            xscale=limits.x_scale,
            yscale=limits.y_scale,
        )
        for index in range(len(frame.series)):
            _draw(ax, frame, index)
        ax.set(xlim=x_range, ylim=y_range)
        if limits.x_scale == "linear":
            ax.locator_params(axis="x", nbins=6)
        if limits.x_ticks:
            ax.set_xticks(list(limits.x_ticks), list(limits.x_ticks.values()))
        if len(frame.series) > 1:
            canvas.legend(loc="outside upper left", ncols=2)
        stream = io.BytesIO()
        canvas.savefig(stream, format="svg")
    return base64.b64encode(stream.getvalue()).decode()


def _draw(ax: "Axes", frame: Frame, index: int) -> None:
    """Draw one series of a frame."""
    one = frame.series[index]
    color, line, marker = line_look(one.color, index)
    whiskers = None if one.low is None or one.high is None else np.array([one.y - one.low, one.high - one.y])
    if one.kind in ("line", "step"):
        stairs = one.kind == "step"
        ax.plot(
            one.x,
            one.y,
            color=color,
            linestyle=line,
            label=one.label,
            drawstyle="steps-post" if stairs else "default",
        )
        if one.low is not None and one.high is not None:
            hold: Literal["post"] | None = "post" if stairs else None
            ax.fill_between(one.x, one.low, one.high, color=color, alpha=0.18, linewidth=0, step=hold)
    elif one.kind == "bar":
        bars = [other for other in frame.series if other.kind == "bar"]
        width = 0.84 * bar_gap(bars) / len(bars)
        shift = (bars.index(one) - (len(bars) - 1) / 2) * width
        ax.bar(one.x + shift, one.y, width, color=color, label=one.label, yerr=whiskers)
    else:
        ax.errorbar(
            one.x, one.y, yerr=whiskers, color=color, linestyle="none", marker=marker, label=one.label
        )
