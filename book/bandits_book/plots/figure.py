"""Figures with axes that a reader can move, in a page with no kernel and in a live notebook alike."""

import io
import math
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from bandits_book.plots.moving import Moving, Setting, called, check_seen, placed, things
from bandits_book.plots.series import Series, check_axis, extent
from bandits_book.plots.style import line_look, use_style
from bandits_dp import _checks
from bandits_dp._extras import needed

Range = tuple[float, float] | str | None
DASHES = {"-": "", "--": "8 4", "-.": "9 3 2 3", ":": "2 4"}  # SVG's, in pixels
NUMBERS = '<details class="bdp-numbers"><summary>Numbers in this figure</summary><div></div></details>\n'


class Frame(NamedTuple):
    """What is shown at one setting: the series, and a note with the key numbers ("" for none)."""

    series: tuple[Series, ...]
    note: str


class MovingFigure(Moving):
    """A figure whose sliders work in the rendered page with no kernel; chapters call it `moving_figure`.

    Parameters
    ----------
    series : callable
        `series(**setting)` returns a list of `Series`, or a pair of that list and a note: a sentence with the
        key numbers at this setting. Called once for every combination of slider values.
    sliders : mapping of str to sequence
        Values of each slider, numbers or text, from left to right; at most 400 combinations in all.
    start : mapping of str to value
        The setting shown first.
    title, x_label, y_label : str
        Heading and axis labels; write the unit into the label, as in "rounds" or "regret (lost rewards)".
    alt : str
        What the figure shows, for somebody who cannot see it; at least 20 characters.
    x_scale, y_scale : {"linear", "log"}
        A log scale needs numbers > 0.
    x_range, y_range : None, "each" or (low, high)
        None keeps the axis still and shows every setting's numbers; "each" fits the axis to each setting.
    x_ticks : mapping of float to str, optional
        Names for positions on the x axis, for bars that stand for things.
    labels : mapping of str to str, optional
        Words for a slider shown instead of its name, as in {"epsilon": "ε (privacy)"}.

    Raises
    ------
    ValueError
        If an argument is not as above, or the numbers, of five significant digits each, come to more than 300 kB.

    Examples
    --------
    >>> from bandits_book.plots import Series, moving_figure
    >>> def noise(users):
    ...     error = users ** 0.5
    ...     return [Series("error", [0, users], [0, error])], f"With {users} users the error is {error:.3g}."
    >>> figure = moving_figure(
    ...     noise, {"users": [100, 400]}, {"users": 100}, title="Noise", x_label="users", y_label="error",
    ...     alt="The error grows as the square root of the number of users.")
    >>> figure
    Moving figure: Noise. Sliders: users (2 values, now 100).
    >>> figure.frame({"users": 2500}).note  # of any value, with a kernel
    'With 2500 users the error is 50.'
    """

    kind = "figure", "curves"
    scripts = "moving_scales.js", "moving_controls.js", "moving_figure.js"

    def __init__(self, series: Callable[..., Any], sliders: Mapping[str, Sequence[Any]], start: Mapping[str, Any], *, title: str,
                 x_label: str, y_label: str, alt: str = "", x_scale: str = "linear", y_scale: str = "linear", x_range: Range = None,
                 y_range: Range = None, x_ticks: Mapping[float, str] | None = None,
                 labels: Mapping[str, str] | None = None) -> None:
        self._series = _checks.called("series", series)
        super().__init__(sliders, start, title, alt, labels)
        self.x_label, self.y_label = check_seen("x_label", x_label), check_seen("y_label", y_label)
        self.x_scale, self.y_scale = x_scale, y_scale
        self._axes = ("x", x_scale, x_range), ("y", y_scale, y_range)
        for axis in self._axes:
            _check_limits(*axis)
        given = _checks.one_of("x_ticks", {} if x_ticks is None else x_ticks, Mapping, "texts by numbers")
        self.x_ticks = {_checks.finite("x_ticks", at): str(text) for at, text in given.items()}
        self._make()

    def _make(self) -> None:
        """Compute every frame, and pack them for the page: arrays and looks once each, to which frames refer by position."""
        frames, first = self._frames()
        every = [one for frame in frames for one in frame.series]
        axes = [(axis, scale, extent(axis, scale, every) if limits is None else limits) for axis, scale, limits in self._axes]
        arrays: dict[str, int] = {}
        looks: dict[str, int] = {}
        packed, windows = [], []
        for frame in frames:
            series = [_packed(one, index, arrays, looks) for index, one in enumerate(frame.series)]
            windows.append([extent(axis, scale, frame.series) if isinstance(at, str) else at for axis, scale, at in axes])
            packed.append({"note": frame.note, "window": placed(arrays, rounded(windows[-1])), "series": series})
        ticks = [[at, text] for at, text in sorted(self.x_ticks.items())]
        data = {"xLabel": self.x_label, "yLabel": self.y_label, "xScale": self.x_scale, "yScale": self.y_scale, "xTicks": ticks,
                "sliders": self._slider_table(), "arrays": things(arrays), "looks": things(looks), "frames": packed}
        stage = (f'<ul class="bdp-legend"></ul>\n<div class="bdp-axis">{escape(self.y_label)}</div>\n<div class="bdp-plot"></div>\n'
                 f'<div class="bdp-axis bdp-axis-x">{escape(self.x_label)}</div>')
        still = still_picture(self, frames[first].series, *windows[first])
        self._show("series", data, still, frames[first].note, stage, numbers=NUMBERS)

    def frame(self, setting: Setting) -> Frame:
        """Compute afresh what is shown at one setting, which gives each slider any value, not only its own.

        A ValueError says if the figure shows stored results, and has none for that setting.
        """
        try:
            where, result = called("series", self._series, setting)
        except LookupError as error:
            raise ValueError(f"series has nothing for the setting {setting!r} ({error!r}); "
                             "allowed are the values for which its results were stored") from error
        noted = isinstance(result, tuple) and len(result) == 2 and isinstance(result[1], str)
        shown, note = result if noted else (result, "")
        if not isinstance(shown, Sequence) or not shown or not all(isinstance(one, Series) for one in shown):
            raise ValueError(f"{where} is {result!r}; allowed are a list of at least one Series, and (list, note)")
        try:
            for axis, scale, _ in self._axes:
                check_axis(axis, scale, shown)
        except ValueError as error:
            raise ValueError(f"{where}: {error}") from None
        return Frame(tuple(shown), note)


def _check_limits(axis: str, scale: str, limits: Range) -> None:
    """Raise a ValueError unless a scale and a range are allowed."""
    if not isinstance(scale, str) or scale not in ("linear", "log"):
        raise ValueError(f"{axis}_scale is {scale!r}; allowed are 'linear', 'log'")
    if limits is None or limits == "each":
        return
    try:
        low, high = (float(edge) for edge in limits)
    except (TypeError, ValueError):
        low = high = math.nan
    if not -math.inf < low < high < math.inf or (scale == "log" and low <= 0):
        raise ValueError(f"{axis}_range is {limits!r}; allowed are None, 'each' or (low, high) with low < high, both finite"
                         + " and > 0" * (scale == "log"))


def _packed(one: Series, index: int, arrays: dict[str, int], looks: dict[str, int]) -> dict[str, int]:
    """Return a series as places of its look and its numbers."""
    color, line, _ = line_look(one.color, index)
    dash = DASHES.get(line, "") if isinstance(line, str) else " ".join(map(str, line[1]))
    look = {"label": one.label, "kind": one.kind, "color": color, "dash": dash, "marker": index % 4}
    numbers = {"x": one.x, "y": one.y, "low": one.low, "high": one.high}
    kept = {name: placed(arrays, rounded(values)) for name, values in numbers.items() if values is not None}
    return {"look": placed(looks, look)} | kept


def rounded(values: ArrayLike) -> list[float | int]:
    """Round to five significant digits, which are more than a pixel can show; whole numbers become int, shorter in JSON."""
    short = [float(f"{value:.5g}") for value in np.ravel(values).tolist()]
    return [int(value) if value.is_integer() and abs(value) < 1e15 else value for value in short]


def still_picture(figure: Any, series: Sequence[Series], x_range: tuple[float, float], y_range: tuple[float, float]) -> str:
    """Return an SVG picture of the series of a moving figure, for wherever no script may run."""
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
