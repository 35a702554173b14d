"""Colours, line styles and matplotlib settings shared by every figure of the book.

Colours are those of Okabe and Ito (2008), with Tol's purple (#aa3377) for their pink, which is too pale.
Meaning never rests on colour alone: each trust model also has its own dash and marker.
"""

import re
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from bandits_dp._extras import needed

#: Colour of each trust model; "none" is learning without privacy.
TRUST_COLORS = {"none": "#5a5a5a", "central": "#0072b2", "shuffle": "#009e73", "local": "#d55e00"}

#: matplotlib line style of each trust model.
TRUST_LINES = {"none": ":", "central": "--", "shuffle": "-", "local": "-."}

#: matplotlib marker of each trust model.
TRUST_MARKERS = {"none": "x", "central": "s", "shuffle": "o", "local": "^"}

#: Palette for lines that are not trust models, in order of use.
COLORS = ("#0072b2", "#d55e00", "#009e73", "#aa3377", "#e69f00", "#56b4e9")

#: matplotlib line style that goes with each of `COLORS`.
LINES = ("-", "--", "-.", ":", (0, (7, 2, 2, 2, 2, 2)), (0, (1, 1)))


def use_style() -> ExitStack:
    """Set matplotlib up for the book.

    Call it once at the top of a notebook, or as `with use_style():` to get the former settings back.
    SVG pictures, and in a notebook all pictures, are then those of `bandits_book.plots.drawing`: transparent, in the page's
    colours where it has its own, the same bytes on every run.

    Examples
    --------
    >>> import matplotlib
    >>> from bandits_book.plots import COLORS, use_style
    >>> with use_style():
    ...     matplotlib.rcParams["axes.prop_cycle"].by_key()["color"][0] == COLORS[0]
    True
    """
    with needed("plots", "use_style"):
        import matplotlib
        from cycler import cycler
        from matplotlib.backend_bases import get_registered_canvas_class, register_backend

    settings = dict(matplotlib.rc_params_from_file(Path(__file__).with_name("book.mplstyle"), use_default_template=False))
    settings["axes.prop_cycle"] = cycler(color=COLORS) + cycler(linestyle=LINES)
    current: Any = matplotlib.rcParams
    undo = ExitStack()
    undo.callback(current.update, {name: current[name] for name in settings})
    current.update(settings)
    undo.callback(register_backend, "svg", get_registered_canvas_class("svg"))
    register_backend("svg", "bandits_book.plots.drawing")
    ipython = sys.modules.get("IPython")  # loaded already if this is a notebook
    shell = ipython.get_ipython() if ipython else None
    if hasattr(shell, "kernel"):
        from matplotlib_inline.config import InlineBackend

        backend: Any = InlineBackend.instance(parent=shell)
        backend.shell = shell
        # JupyterLab shows the SVG only in notebooks that the reader trusts, and the PNG in others.
        # The default, bbox_inches="tight", gives each figure another width and so another size of letters.
        for name, value in (("print_figure_kwargs", {"bbox_inches": None}), ("figure_formats", {"svg", "png"})):
            undo.callback(setattr, backend, name, getattr(backend, name))
            setattr(backend, name, value)
    return undo


def line_look(color: str | None, index: int) -> tuple[str, Any, str]:
    """Return a series' colour "#rrggbb", and its line style and marker in matplotlib's words.

    The colour may be a trust model, "#rrggbb", or None for the palette, in which the series' place in its figure counts.
    """
    if color in TRUST_COLORS:
        return TRUST_COLORS[color], TRUST_LINES[color], TRUST_MARKERS[color]
    place = index % len(COLORS)
    return color or COLORS[place], LINES[place], "os^Dv<"[place]


def check_color(color: str | None) -> None:
    """Raise a ValueError unless `color` is None, a trust model or "#rrggbb"."""
    if color is not None and not (isinstance(color, str) and (color in TRUST_COLORS or re.fullmatch("#[0-9a-fA-F]{6}", color))):
        allowed = ", ".join(map(repr, TRUST_COLORS))
        raise ValueError(f"color is {color!r}; allowed are {allowed}, a colour written '#rrggbb', or None")


def letter_shade(color: str) -> str:
    """Return the shade of "#rrggbb" for letters: as far from white as from black, with a contrast of more than 4 to both."""
    from matplotlib.colors import to_hex, to_rgb

    parts, wanted = np.array(to_rgb(color)), 0.18
    light = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    seen = light @ (0.2126, 0.7152, 0.0722)  # luminance
    light = light * wanted / seen if seen > wanted else light + (1 - light) * (wanted - seen) / (1 - seen)
    return to_hex(tuple(np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)))
