"""A line with a band around it and its name at its right end."""

from typing import TYPE_CHECKING

from bandits_dp import _checks
from bandits_dp._extras import needed
from bandits_dp.companion.plots.series import Series
from bandits_dp.companion.plots.style import line_look

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D
    from numpy.typing import ArrayLike


def band(ax: "Axes", x: "ArrayLike", mean: "ArrayLike", low: "ArrayLike", high: "ArrayLike", label: str,
         color: str | None = None) -> "Line2D":
    """Draw a line, a band around it, and a label at its right end.

    Labels of several bands on the same axes are moved apart when the figure is drawn, so none covers another.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    x, mean, low, high : array_like, shape (points,)
        Finite numbers in the units of the axes; the band goes from `low` to `high`.
    label : str
        Name shown at the right end.
    color : str, optional
        A trust model ("none", "central", "shuffle", "local", which also sets the dash) or "#rrggbb";
        by default the next of `COLORS`.

    Raises
    ------
    ValueError
        If lengths differ, a number is not finite, or `color` is unknown.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from bandits_dp.companion.plots import TRUST_COLORS, band
    >>> ax = Figure().subplots()
    >>> line = band(ax, [1, 2, 3], [1.0, 1.5, 1.8], [0.8, 1.2, 1.5], [1.2, 1.8, 2.1], "SDP-AE", color="shuffle")
    >>> line.get_label(), line.get_color() == TRUST_COLORS["shuffle"]
    ('SDP-AE', True)
    """
    with needed("plots", "band"):
        from matplotlib.axes import Axes

        from bandits_dp.companion.plots.end_labels import EndLabel

    _checks.one_of("ax", ax, Axes, "axes of matplotlib")
    if low is None or high is None:
        raise ValueError("low and high must be numbers, one for each of x, got None")
    try:
        data = Series(label, x, mean, low=low, high=high, color=color)
    except ValueError as error:  # a series calls the mean y
        start = f"series {label!r}: "
        raise ValueError(str(error).replace(f"{start}y", f"{start}mean", 1)) from error
    assert data.low is not None and data.high is not None
    shade, dash, _ = line_look(color, len(ax.lines))
    (line,) = ax.plot(data.x, data.y, color=shade, linestyle=dash, label=label)
    ax.fill_between(data.x, data.low, data.high, color=shade, alpha=0.18, linewidth=0)
    ax.add_artist(EndLabel(label, (float(data.x[-1]), float(data.y[-1])), shade))
    return line
