"""What a figure shows: one named series of numbers."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_book.plots.style import check_color
from bandits_dp import _checks

KINDS = ("line", "points")


class Series:
    """One line, or set of points.

    Parameters
    ----------
    label : str
        Name shown to the reader; not empty.
    x, y : array_like, shape (points,)
        At least one point; finite numbers in the units of the axes.
    kind : {"line", "points"}
        What is drawn.
    low, high : array_like, shape (points,), optional
        Both or none, with low <= high: a band around a line, whiskers on points.
    color : str, optional
        A trust model ("none", "central", "shuffle", "local") or "#rrggbb"; by default the figure's palette.

    Raises
    ------
    ValueError
        If an argument is outside what is said above; the message names argument, value and what is allowed.

    Examples
    --------
    >>> from bandits_book.plots import Series
    >>> Series("regret", [1, 10, 100], [0.1, 0.9, 5], low=[0, 0.5, 4], high=[0.2, 1.3, 6])
    Series('regret', 3 points, kind='line')
    """

    def __init__(self, label: str, x: ArrayLike, y: ArrayLike, kind: str = "line", low: ArrayLike | None = None,
                 high: ArrayLike | None = None, color: str | None = None) -> None:
        if not isinstance(label, str) or not label.strip():
            raise ValueError(f"label is {label!r}; a series needs a name that a reader can see")
        if not isinstance(kind, str) or kind not in KINDS:
            raise ValueError(f"series {label!r}: kind is {kind!r}; allowed are {', '.join(map(repr, KINDS))}")
        if (low is None) != (high is None):
            missing, given = ("low", "high") if low is None else ("high", "low")
            raise ValueError(f"series {label!r}: {missing} is None but {given} is not; give both or none")
        check_color(color)
        self.label, self.kind, self.color = label, kind, color
        self.x, self.y = _numbers("x", x, label), _numbers("y", y, label)
        self.low = None if low is None else _numbers("low", low, label)
        self.high = None if high is None else _numbers("high", high, label)
        for name, values in (("y", self.y), ("low", self.low), ("high", self.high)):
            if values is not None and len(values) != len(self.x):
                raise ValueError(f"series {label!r}: {name} has {len(values)} numbers; allowed are {len(self.x)}, as in x")
        if self.low is not None and self.high is not None and (self.low > self.high).any():
            at = int(np.argmax(self.low > self.high))
            raise ValueError(f"series {label!r}: low[{at}] is {self.low[at]:g}; allowed is at most high[{at}], {self.high[at]:g}")

    def __repr__(self) -> str:
        return f"Series({self.label!r}, {len(self.x)} points, kind={self.kind!r})"


def _numbers(name: str, values: ArrayLike, label: str) -> NDArray[np.float64]:
    """Return `values` as a one-dimensional array of finite numbers, or say what is wrong with them."""
    try:
        array = _checks.numbers(name, values, "numbers")
    except ValueError:
        raise ValueError(f"series {label!r}: {name} is {_checks.told(values)}; allowed are numbers") from None
    if array.ndim != 1 or array.size == 0:
        raise ValueError(f"series {label!r}: {name} has shape {array.shape}; allowed is (points,) with at least one point")
    if not _checks.usable(array).all():
        at = int(np.argmin(_checks.usable(array)))
        raise ValueError(f"series {label!r}: {name}[{at}] is {array[at]}; allowed are finite numbers")
    return array


def check_axis(axis: str, scale: str, series: Sequence[Series]) -> None:
    """Raise a ValueError if a series cannot be drawn on a logarithmic axis.

    `low` may reach 0 or below, as a mean minus its error often does: the band then ends at the edge.
    """
    for one in series if scale == "log" else ():
        values = one.x if axis == "x" else one.y
        if (values <= 0).any():
            at = int(np.argmax(values <= 0))
            raise ValueError(f"series {one.label!r}: {axis}[{at}] is {values[at]:g}; allowed with {axis}_scale='log' are numbers "
                             "> 0")


def extent(axis: str, scale: str, series: Sequence[Series]) -> tuple[float, float]:
    """Return the limits of an axis, in its units, that show all of `series` with a little room."""
    parts = [values for one in series for values in ((one.x,) if axis == "x" else (one.y, one.low, one.high)) if values is not None]
    numbers = np.concatenate(parts)
    if scale == "log":
        numbers = numbers[numbers > 0]
        room = 1.0 if axis == "x" else 1.15
        bottom, top = float(numbers.min()) / room, float(numbers.max()) * room
        return (bottom, top) if bottom < top else (bottom / 2, top * 2)
    bottom, top = float(numbers.min()), float(numbers.max())
    if axis == "y" and 0 <= bottom < top / 2:
        bottom = 0.0  # a cut axis misleads
    if math.isclose(bottom, top):
        return bottom - 0.5, top + 0.5
    room = 0.0 if axis == "x" else 0.04 * (top - bottom)
    return (bottom if bottom == 0 else bottom - room), (top if top == 0 else top + room)
