"""Pack a figure's numbers for the page: rounded, without repetition, ready for JSON."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandits_dp.companion.plots.series import Series, extent
from bandits_dp.companion.plots.sliders import Setting, value_text
from bandits_dp.companion.plots.style import line_look

MOST_BYTES = 300_000
_DIGITS = 5  # more than a pixel can show, few enough to keep the page small
_DASHES = {"-": "", "--": "8 4", "-.": "9 3 2 3", ":": "2 4"}  # SVG's, in pixels
Range = tuple[float, float] | str | None


@dataclass(frozen=True)
class Frame:
    """What is shown at one setting: the series, and a note with the key numbers ("" for none)."""

    series: tuple[Series, ...]
    note: str


@dataclass(frozen=True)
class Words:
    """Everything a figure says, besides its numbers."""

    title: str
    x_label: str
    y_label: str
    alt: str
    sliders: dict[str, str]


@dataclass(frozen=True)
class Limits:
    """Scales ("linear" or "log") and ranges of the axes.

    A range is (low, high) in axis units, None for one that shows the numbers of every setting, or "each" for
    one that is fitted to each setting.
    """

    x_scale: str
    y_scale: str
    x_range: Range
    y_range: Range
    x_ticks: dict[float, str]

    def __post_init__(self) -> None:
        for axis, scale, limits in (("x", self.x_scale, self.x_range), ("y", self.y_scale, self.y_range)):
            if limits is None or limits == "each":
                continue
            allowed = "None, 'each' or (low, high) with low < high, both finite" + (
                " and > 0" if scale == "log" else ""
            )
            try:
                low, high = (float(edge) for edge in limits)
            except (TypeError, ValueError):
                raise ValueError(f"{axis}_range is {limits!r}; allowed are {allowed}") from None
            if not -math.inf < low < high < math.inf or (scale == "log" and low <= 0):
                raise ValueError(f"{axis}_range is {limits!r}; allowed are {allowed}")

    def showing(self, frames: Sequence[Frame]) -> "Limits":
        """Return limits where None is replaced by the range that shows all of `frames`."""
        every = [one for frame in frames for one in frame.series]
        x_range = extent("x", self.x_scale, every) if self.x_range is None else self.x_range
        y_range = extent("y", self.y_scale, every) if self.y_range is None else self.y_range
        return replace(self, x_range=x_range, y_range=y_range)

    def at(self, frame: Frame) -> tuple[tuple[float, float], tuple[float, float]]:
        """Return the ranges (x, y) in use when `frame` is shown; None is fitted to it, as "each" is."""

        def use(axis: str, scale: str, limits: Range) -> tuple[float, float]:
            if limits is None or isinstance(limits, str):
                return extent(axis, scale, frame.series)
            return limits

        return use("x", self.x_scale, self.x_range), use("y", self.y_scale, self.y_range)


def pack(
    frames: Sequence[Frame], sliders: dict[str, tuple[Any, ...]], start: Setting, words: Words, limits: Limits
) -> dict[str, Any]:
    """Return the figure as plain lists and dicts.

    Arrays that occur often (most often `x`) are stored once in "arrays" and looks once in "looks"; a frame
    refers to them by position. A frame's "window" is (x low, x high, y low, y high). Frames are in the order
    of `itertools.product` over the sliders.

    Raises
    ------
    ValueError
        If the result is larger than 300 kB of JSON.
    """
    arrays, looks = Shelf(), Shelf()
    packed = []
    for frame in frames:
        series = []
        for index, one in enumerate(frame.series):
            color, line, _ = line_look(one.color, index)
            dash = _DASHES.get(line, "") if isinstance(line, str) else " ".join(str(part) for part in line[1])
            look = {"label": one.label, "kind": one.kind, "color": color, "dash": dash, "marker": index % 4}
            numbers = {"x": one.x, "y": one.y, "low": one.low, "high": one.high}
            kept = {
                name: arrays.place(rounded(values)) for name, values in numbers.items() if values is not None
            }
            series.append({"look": looks.place(look)} | kept)
        window = arrays.place(rounded(np.array(limits.at(frame)).ravel()))
        packed.append({"note": frame.note, "window": window, "series": series})
    data = {
        "xLabel": words.x_label,
        "yLabel": words.y_label,
        "xScale": limits.x_scale,
        "yScale": limits.y_scale,
        "xTicks": [[at, text] for at, text in sorted(limits.x_ticks.items())],
        "sliders": slider_table(sliders, start, words),
        "arrays": arrays.items,
        "looks": looks.items,
        "frames": packed,
    }
    check_size("series", data, len(frames))
    return data


def slider_table(sliders: dict[str, tuple[Any, ...]], start: Setting, words: Words) -> list[dict[str, Any]]:
    """Return what the page's script needs to know of the sliders."""
    return [
        {"name": name, "label": words.sliders[name], "start": values.index(start[name])}
        | {"values": list(values), "texts": [value_text(value) for value in values]}
        for name, values in sliders.items()
    ]


def check_size(maker: str, data: dict[str, Any], count: int) -> None:
    """Raise a ValueError if what `maker` made for so many settings is too large for a page."""
    size = len(to_json(data).encode())
    if size > MOST_BYTES:
        raise ValueError(
            f"{maker} makes {size:,} bytes of JSON over {count} settings; allowed are {MOST_BYTES:,}: "
            "use fewer points or marks in each setting, or fewer values in sliders"
        )


def to_json(data: dict[str, Any]) -> str:
    """Write `data` as compact JSON that cannot end the HTML script element it stands in."""
    return json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":")).replace(
        "<", "\\u003c"
    )


def rounded(values: NDArray[Any]) -> list[float | int]:
    """Round to five significant digits; whole numbers become int, which is shorter in JSON."""
    short = [float(f"{value:.{_DIGITS}g}") for value in values.tolist()]
    return [int(value) if value.is_integer() and abs(value) < 1e15 else value for value in short]


class Shelf:
    """A list of different things; `place` tells where a thing stands, adding it if it is new."""

    def __init__(self) -> None:
        self.items: list[Any] = []
        self._places: dict[str, int] = {}

    def place(self, item: Any) -> int:
        """Return where an item stands."""
        key = json.dumps(item)
        if key not in self._places:
            self._places[key] = len(self.items)
            self.items.append(item)
        return self._places[key]
