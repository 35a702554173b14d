"""A line with a band around it and its name at its right end; of a result, mean regret."""

from typing import TYPE_CHECKING

import numpy as np

from bandits_book.plots.series import Series
from bandits_book.plots.style import line_look
from bandits_dp import _checks
from bandits_dp._extras import needed
from bandits_dp.play.result import Result

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
    >>> from bandits_book.plots import TRUST_COLORS, band
    >>> ax = Figure().subplots()
    >>> line = band(ax, [1, 2, 3], [1.0, 1.5, 1.8], [0.8, 1.2, 1.5], [1.2, 1.8, 2.1], "SDP-AE", color="shuffle")
    >>> line.get_label(), line.get_color() == TRUST_COLORS["shuffle"]
    ('SDP-AE', True)
    """
    with needed("plots", "band"):
        from matplotlib.axes import Axes

        from bandits_book.plots.end_labels import EndLabel

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


def regret(result: Result, ax: "Axes | None" = None, label: str | None = None) -> "Axes":
    """Draw mean regret against rounds, with a band of two standard errors, in the colour of the trust model; return the axes.

    Parameters
    ----------
    result : Result
        What :func:`bandits_dp.simulate` returned.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default the axes of a new figure.
    label : str, optional
        What the curve is called; by default as the learner.

    Raises
    ------
    TypeError, ValueError
        If something is of another kind.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> import bandits_dp as bdp
    >>> from bandits_book.plots import regret
    >>> problem = bdp.problems.BernoulliArms([0.9, 0.8])
    >>> result = bdp.simulate(bdp.make("UCB1", problem, horizon=1000), problem, horizon=1000, runs=5, progress=False)
    >>> ax = regret(result, Figure().subplots(), label="no privacy")
    >>> ax.get_ylabel(), len(ax.lines)
    ('regret (lost rewards)', 1)
    """
    with needed("plots", "regret"):
        import matplotlib.pyplot as plt  # importing the package must not import matplotlib
    _checks.one_of("result", result, Result, "a result of bandits_dp.simulate")
    if ax is None:
        _, ax = plt.subplots()
    spread = 2 * np.nan_to_num(result.std_error)  # one run has no band
    name = result.name if label is None else label
    band(ax, result.rounds, result.mean, result.mean - spread, result.mean + spread, name, color=result.guarantee.model)
    ax.set_xlabel("round")
    ax.set_ylabel("regret (lost rewards)")
    return ax
