"""The same figure in a live notebook: widgets, and a picture computed afresh at every move."""

import base64
import io
from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from bandits_dp.plots.payload import Frame, Limits
from bandits_dp.plots.sliders import check_values, value_text
from bandits_dp.plots.style import line_look, use_style

if TYPE_CHECKING:
    import ipywidgets
    from matplotlib.axes import Axes

    from bandits_dp.plots.moving import MovingFigure


def live_figure(figure: "MovingFigure", values: Mapping[str, Sequence[Any]]) -> "ipywidgets.VBox":
    """Return sliders above a picture; see `MovingFigure.live`."""
    try:
        import ipywidgets
    except ImportError as error:
        raise ImportError(
            "live() needs ipywidgets: run `pip install ipywidgets` and restart the kernel"
        ) from error
    unknown = sorted(set(values) - set(figure.sliders))
    if unknown:
        raise ValueError(
            f"live() was given {', '.join(unknown)}; allowed are the sliders {', '.join(figure.sliders)}"
        )
    controls = {}
    for name, usual in figure.sliders.items():
        offered = check_values(name, values[name]) if name in values else usual
        controls[name] = ipywidgets.SelectionSlider(
            options=[(value_text(value), value) for value in offered],
            value=figure.start[name] if figure.start[name] in offered else offered[0],
            description=figure.words.sliders[name],
            continuous_update=False,  # a new setting is computed, which may take a moment
            style={"description_width": "initial"},
            layout={"width": "100%", "max_width": "36rem"},
        )
    picture = ipywidgets.HTML()
    # Other values than the precomputed ones may need other axes: fit those to each picture.
    limits = figure.asked_limits if values else figure.limits

    def redraw(_: object = None) -> None:
        frame = figure.frame({name: control.value for name, control in controls.items()})
        picture.value = _picture(figure, frame, limits)

    for control in controls.values():
        control.observe(redraw, names="value")
    redraw()
    return ipywidgets.VBox([*controls.values(), picture])


def _picture(figure: "MovingFigure", frame: Frame, limits: Limits) -> str:
    """Return an img element, with its alternative text, and the note below it."""
    from matplotlib.figure import Figure

    words = figure.words
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
        canvas.savefig(stream, format="png", metadata={"Software": None})
    coded = base64.b64encode(stream.getvalue()).decode()
    return (
        f'<img alt="{escape(words.alt)}" style="width:100%;max-width:40rem" '
        f'src="data:image/png;base64,{coded}">'
        f'<p style="max-width:40rem">{escape(frame.note)}</p>'
    )


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
        gaps = [float(np.diff(np.unique(other.x)).min()) for other in bars if len(np.unique(other.x)) > 1]
        width = 0.84 * min(gaps, default=1.0) / len(bars)
        shift = (bars.index(one) - (len(bars) - 1) / 2) * width
        ax.bar(one.x + shift, one.y, width, color=color, label=one.label, yerr=whiskers)
    else:
        ax.errorbar(
            one.x, one.y, yerr=whiskers, color=color, linestyle="none", marker=marker, label=one.label
        )
