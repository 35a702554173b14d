"""Colours, line styles and matplotlib settings shared by every figure of the book.

Colours are those of Okabe and Ito (2008), with Tol's purple (#aa3377) for their pink, which is too pale.
Meaning never rests on colour alone: each trust model also has its own dash and marker.
"""

import sys
from contextlib import ExitStack
from typing import Any

from bandits_dp._extras import needed

TRUST_COLORS = {"none": "#5a5a5a", "central": "#0072b2", "shuffle": "#009e73", "local": "#d55e00"}
"""Colour of each trust model; "none" is learning without privacy."""

TRUST_LINES = {"none": ":", "central": "--", "shuffle": "-", "local": "-."}
"""matplotlib line style of each trust model."""

TRUST_MARKERS = {"none": "x", "central": "s", "shuffle": "o", "local": "^"}
"""matplotlib marker of each trust model."""

COLORS = ("#0072b2", "#d55e00", "#009e73", "#aa3377", "#e69f00", "#56b4e9")
"""Palette for lines that are not trust models, in order of use."""

LINES = ("-", "--", "-.", ":", (0, (7, 2, 2, 2, 2, 2)), (0, (1, 1)))
"""matplotlib line style that goes with each of `COLORS`."""

# A column of text on a phone is about 352 pixels wide: a figure 6 inches wide is shown there at 59 pixels per inch, so 15.4
# points become 12.5 pixels. On wider pages the figure grows and its letters keep those pixels: see `drawing`.
_SETTINGS: dict[str, Any] = {
    "figure.figsize": (6.0, 3.9),
    "figure.dpi": 144,
    "figure.facecolor": "none",  # the page's own paper, light or dark
    "axes.facecolor": "none",
    "figure.constrained_layout.use": True,
    "savefig.facecolor": "white",
    "savefig.dpi": "figure",
    "font.family": "DejaVu Sans",  # comes with matplotlib, so it looks the same everywhere
    "font.size": 15.4,
    "axes.titlesize": 15.4,
    "axes.titlelocation": "left",
    "axes.labelsize": 15.4,
    "axes.labelcolor": "#333333",
    "axes.edgecolor": "#777777",
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.7,
    "xtick.labelsize": 15.4,
    "ytick.labelsize": 15.4,
    "xtick.color": "#333333",
    "ytick.color": "#333333",
    "legend.fontsize": 15.4,
    "legend.frameon": False,
    "lines.linewidth": 2.2,
    "lines.markersize": 6.5,
    "text.color": "#333333",
    "svg.hashsalt": "bandits_dp",
    "svg.fonttype": "none",
}


def use_style() -> ExitStack:
    """Set matplotlib up for the book.

    Call it once at the top of a notebook, or as `with use_style():` to get the former settings back.
    SVG pictures, and in a notebook all pictures, are then those of `bandits_dp.companion.plots.drawing`: transparent, in the page's
    colours where it has its own, the same bytes on every run.

    Returns
    -------
    contextlib.ExitStack
        Closing it, or leaving the `with` block, restores the former settings.

    Examples
    --------
    >>> import matplotlib
    >>> from bandits_dp.companion.plots import COLORS, use_style
    >>> with use_style():
    ...     matplotlib.rcParams["axes.prop_cycle"].by_key()["color"][0] == COLORS[0]
    True
    """
    with needed("plots", "use_style"):
        import matplotlib
        from cycler import cycler

    current: Any = matplotlib.rcParams
    settings = _SETTINGS | {"axes.prop_cycle": cycler(color=COLORS) + cycler(linestyle=LINES)}
    former = {name: current[name] for name in settings}
    current.update(settings)
    undo = ExitStack()
    undo.callback(current.update, former)
    _own_canvas(undo)
    _steady_notebook_pictures(undo)
    return undo


def _own_canvas(undo: ExitStack) -> None:
    """Let matplotlib write SVG by `drawing`."""
    from matplotlib.backend_bases import get_registered_canvas_class, register_backend

    undo.callback(register_backend, "svg", get_registered_canvas_class("svg"))
    register_backend("svg", "bandits_dp.companion.plots.drawing")


def _steady_notebook_pictures(undo: ExitStack) -> None:
    """Make a notebook's inline pictures SVG that depends on nothing but what is drawn; do nothing outside a kernel."""
    ipython = sys.modules.get("IPython")  # loaded already if this is a notebook
    shell = ipython.get_ipython() if ipython else None
    if shell is None or not hasattr(shell, "kernel"):
        return
    from matplotlib_inline.config import InlineBackend

    backend: Any = InlineBackend.instance(parent=shell)
    backend.shell = shell
    # The default, bbox_inches="tight", gives each figure another width and so another size of letters.
    for name, value in (("print_figure_kwargs", {"bbox_inches": None}), ("figure_formats", {"svg"})):
        undo.callback(setattr, backend, name, getattr(backend, name))
        setattr(backend, name, value)


def line_look(color: str | None, index: int) -> tuple[str, Any, str]:
    """Look up how a series is drawn.

    Parameters
    ----------
    color : str or None
        A trust model ("none", "central", "shuffle", "local"), a colour "#rrggbb", or None for the palette.
    index : int
        Position of the series in its figure, >= 0; used where `color` does not decide.

    Returns
    -------
    color : str
        "#rrggbb".
    line : str or tuple
        matplotlib line style.
    marker : str
        matplotlib marker.
    """
    if color in TRUST_COLORS:
        return TRUST_COLORS[color], TRUST_LINES[color], TRUST_MARKERS[color]
    place = index % len(COLORS)
    return color or COLORS[place], LINES[place], "os^Dv<"[place]


def check_color(color: str | None) -> None:
    """Raise a ValueError unless `color` is None, a trust model or "#rrggbb"."""
    if color is None or (isinstance(color, str) and color in TRUST_COLORS):
        return
    digits = color[1:] if isinstance(color, str) and color.startswith("#") else ""
    if len(digits) != 6 or not set(digits.lower()) <= set("0123456789abcdef"):
        allowed = ", ".join(repr(name) for name in TRUST_COLORS)
        raise ValueError(f"color is {color!r}; allowed are {allowed}, a colour written '#rrggbb', or None")


def letter_shade(color: str) -> str:
    """Return the shade of "#rrggbb" for letters: as far from white as from black, with a contrast of more than 4 to both."""
    parts = [int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    light = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    luminance = sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), light, strict=True))
    wanted = 0.18
    if luminance > wanted:
        light = [part * wanted / luminance for part in light]
    else:
        light = [part + (1 - part) * (wanted - luminance) / (1 - luminance) for part in light]
    shade = [12.92 * part if part <= 0.0031308 else 1.055 * part ** (1 / 2.4) - 0.055 for part in light]
    return "#" + "".join(f"{round(255 * part):02x}" for part in shade)
