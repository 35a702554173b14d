"""Figures that a reader can move, in a page with no kernel and in a live notebook alike.

The numbers behind every combination of slider values are computed once and travel with the page, where a
small script draws them.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bandits_dp import _checks
from bandits_dp.companion.plots.page import curves_snippet
from bandits_dp.companion.plots.payload import Frame, Limits, Range, Words, pack
from bandits_dp.companion.plots.series import Series, check_axis
from bandits_dp.companion.plots.sliders import Setting, check_sliders, check_start, settings, value_text
from bandits_dp.companion.plots.still import still_picture

SeriesFunction = Callable[..., Sequence[Series] | tuple[Sequence[Series], str]]
_SCALES = ("linear", "log")
_SHORTEST_ALT = 20


class MovingFigure:
    """A figure with sliders; made by `moving_figure`. As the last value of a notebook cell it shows itself.

    Attributes
    ----------
    sliders : dict of str to tuple
        Values of each slider.
    start : dict
        The setting shown first.
    words : Words
        Title, axis labels, alternative text and slider labels.
    asked_limits, limits : Limits
        Scales and ranges of the axes as asked for, and with the ranges found that show every setting.
    data : dict
        What the page's script draws, ready for JSON, numbers rounded to five significant digits.

    Examples
    --------
    >>> from bandits_dp.companion.plots import Series, moving_figure
    >>> def error(users):
    ...     return [Series("error", [0, users], [0, users**0.5])], f"{users} users, error {users**0.5:g}"
    >>> figure = moving_figure(
    ...     error, {"users": [100, 400]}, {"users": 100}, title="Noise", x_label="users", y_label="error",
    ...     alt="The error grows as the square root of the number of users.")
    >>> figure.frame({"users": 2500}).note  # of any value, with a kernel
    '2500 users, error 50'
    """

    def __init__(
        self,
        series: SeriesFunction,
        sliders: dict[str, tuple[Any, ...]],
        start: Setting,
        words: Words,
        limits: Limits,
    ) -> None:
        self._series, self.sliders, self.start = series, sliders, start
        self.words, self.asked_limits = words, limits
        every = list(settings(sliders))
        frames = [self.frame(setting) for setting in every]
        self.limits = limits.showing(frames)
        self.data = pack(frames, sliders, start, words, self.limits)
        still = still_picture(frames[every.index(start)], words, self.limits)
        self._html = curves_snippet(self.data, words, still)

    def frame(self, setting: Setting) -> Frame:
        """Compute afresh what is shown at one setting, which gives each slider any value, not only its own.

        Raises
        ------
        ValueError
            If the series function does not return series that these axes can show.
        """
        where = ", ".join(f"{name}={value!r}" for name, value in setting.items())
        result = _checks.answer("series", self._series, **setting)
        shown, note = (
            result
            if isinstance(result, tuple) and len(result) == 2 and isinstance(result[1], str)
            else (result, "")
        )
        if not isinstance(shown, Sequence) or not shown or not all(isinstance(one, Series) for one in shown):
            raise ValueError(
                f"series({where}) is {result!r}; allowed are a list of at least one Series, and (list, note)"
            )
        try:
            for axis, scale in (("x", self.asked_limits.x_scale), ("y", self.asked_limits.y_scale)):
                check_axis(axis, scale, shown)
        except ValueError as error:
            raise ValueError(f"series({where}): {error}") from None
        return Frame(tuple(shown), note)

    def live(self, **values: Sequence[Any]) -> "MovingFigure":
        """Return the same figure with other values for some sliders, computed afresh; so it takes a running kernel.

        Parameters
        ----------
        **values : sequence
            Other values for the sliders named. The setting shown first keeps what it can.

        Raises
        ------
        ValueError
            If a name is not a slider, its values are not allowed, or there are more than 400 combinations.
        """
        unknown = sorted(set(values) - set(self.sliders))
        if unknown:
            raise ValueError(f"live() was given {', '.join(unknown)}; allowed are the sliders {', '.join(self.sliders)}")
        sliders = check_sliders({**self.sliders, **values})
        start = {name: self.start[name] if self.start[name] in offered else offered[0] for name, offered in sliders.items()}
        return MovingFigure(self._series, sliders, start, self.words, self.asked_limits)

    def _repr_html_(self) -> str:
        return self._html

    def __repr__(self) -> str:
        parts = [
            f"{name} ({len(values)} values, now {value_text(self.start[name])})"
            for name, values in self.sliders.items()
        ]
        return f"Moving figure: {self.words.title}. Sliders: {', '.join(parts)}."


def moving_figure(
    series: SeriesFunction,
    sliders: Mapping[str, Sequence[Any]],
    start: Mapping[str, Any],
    *,
    title: str,
    x_label: str,
    y_label: str,
    alt: str = "",
    x_scale: str = "linear",
    y_scale: str = "linear",
    x_range: Range = None,
    y_range: Range = None,
    x_ticks: Mapping[float, str] | None = None,
    labels: Mapping[str, str] | None = None,
) -> MovingFigure:
    """Make a figure whose sliders work in the rendered page with no kernel.

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

    Returns
    -------
    MovingFigure

    Raises
    ------
    ValueError
        If an argument is not as above, or the numbers come to more than 300 kB; the message names it.

    Examples
    --------
    >>> from bandits_dp.companion.plots import Series, moving_figure
    >>> def noise(users):
    ...     error = users ** 0.5
    ...     return [Series("error", [0, users], [0, error])], f"With {users} users the error is {error:.3g}."
    >>> moving_figure(
    ...     noise, {"users": [100, 400]}, {"users": 100}, title="Noise", x_label="users", y_label="error",
    ...     alt="The error grows as the square root of the number of users.")
    Moving figure: Noise. Sliders: users (2 values, now 100).
    """
    _checks.called("series", series)
    checked = check_sliders(sliders)
    first = check_start(start, checked)
    shown = dict(_checks.one_of("labels", {} if labels is None else labels, Mapping, "texts by the names of sliders"))
    if not set(shown) <= set(checked):
        raise ValueError(
            f"labels has the names {sorted(shown)}; allowed are those of sliders, {sorted(checked)}"
        )
    for name, text in (("title", title), ("x_label", x_label), ("y_label", y_label)):
        if not isinstance(text, str) or not text.strip():
            raise ValueError(f"{name} is {text!r}; allowed is text that is not empty")
    if not isinstance(alt, str) or len(alt.strip()) < _SHORTEST_ALT:
        raise ValueError(f"alt is {alt!r}; allowed is a description of at least {_SHORTEST_ALT} characters")
    for name, scale in (("x_scale", x_scale), ("y_scale", y_scale)):
        if not isinstance(scale, str) or scale not in _SCALES:
            raise ValueError(f"{name} is {scale!r}; allowed are {', '.join(map(repr, _SCALES))}")
    words = Words(title, x_label, y_label, alt.strip(), {name: shown.get(name, name) for name in checked})
    given = _checks.one_of("x_ticks", {} if x_ticks is None else x_ticks, Mapping, "texts by numbers")
    ticks = {_checks.real("x_ticks", at, -math.inf, math.inf): str(text) for at, text in given.items()}
    return MovingFigure(series, checked, first, words, Limits(x_scale, y_scale, x_range, y_range, ticks))
