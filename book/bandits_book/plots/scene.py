"""Scenes: figures that explain a mechanism by things that move, in a page with no kernel and in a live notebook alike."""

from collections.abc import Callable, Mapping, Sequence
from html import escape
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandits_book.plots.marks import ICONS, Bar, Dot, Ground, Icon, Mark, Path
from bandits_book.plots.moving import Moving, Setting, called, placed, things
from bandits_dp import _checks

PIXELS = 4.4  # of the still picture, for one unit of a scene that is 100 wide
PAPER = "#ffffff"
INK = {"ink": "#6a7080", "soft": "#8a8f9c", "secret": "#bd7d00", "paper": PAPER}  # readable on white and on black
STILL = {"#5a5a5a": "#4b4f5c", "#0072b2": "#1f66c2", "#009e73": "#007f65", "#d55e00": "#b8400f"}  # the page's


class MovingScene(Moving):
    """A scene whose sliders work in the rendered page with no kernel; chapters call it `moving_scene`.

    Parameters
    ----------
    draw : callable
        `draw(**setting)` returns a pair: a list of marks (`Dot`, `Path`, `Bar`, `Ground`, `Icon`, `Text`) in drawing order, and
        a note, a sentence with the key numbers at this setting. Called once for every combination of slider values.
    sliders, start, title, alt, labels
        As those of a `MovingFigure`.
    size : (float, float)
        Width and height in the marks' units.
    play, pace : str and int, optional
        Slider that a button "Play" moves to its end, a step every so many milliseconds, >= 100.

    Raises
    ------
    ValueError
        If an argument is not as above, or the marks come to more than 300 kB; the message names it.

    Examples
    --------
    >>> from bandits_book.plots import Dot, moving_scene
    >>> def walk(step):
    ...     return [Dot("Noor", 10 * step, 5)], f"Noor has made {step} steps."
    >>> scene = moving_scene(walk, {"step": [0, 1, 2]}, {"step": 0}, title="A walk", alt="A dot that walks to the right.")
    >>> scene
    Moving scene: A walk. Sliders: step (3 values, now 0).
    >>> marks, note = scene.frame({"step": 2})
    >>> marks[0].x, note
    (20, 'Noor has made 2 steps.')
    """

    kind = "scene", "scene"
    scripts = "moving_controls.js", "moving_scene.js"

    def __init__(self, draw: Callable[..., Any], sliders: Mapping[str, Sequence[Any]], start: Mapping[str, Any], *, title: str,
                 alt: str, size: tuple[float, float] = (100.0, 60.0), play: str | None = None, pace: int = 700,
                 labels: Mapping[str, str] | None = None) -> None:
        self._draw = _checks.called("draw", draw)
        super().__init__(sliders, start, title, alt, labels)
        if play is not None and (not isinstance(play, str) or play not in self.sliders):
            raise ValueError(f"play is {play!r}; allowed are the sliders, {sorted(self.sliders)}")
        if not _checks.is_number(pace, Integral) or pace < 100:
            raise ValueError(f"pace is {pace!r}; allowed are whole milliseconds >= 100")
        sides = _checks.numbers("size", size, "two finite numbers > 0")
        if sides.shape != (2,) or not ((sides > 0) & _checks.usable(sides)).all():
            raise ValueError(f"size is {size!r}; allowed are two finite numbers > 0")
        frames, first = self._frames()
        marks: dict[str, int] = {}
        packed = [{"marks": [placed(marks, mark.packed()) for mark in shown], "note": note} for shown, note in frames]
        used = sorted({mark.name for shown, _ in frames for mark in shown if isinstance(mark, Icon)})
        data = {"size": [side if type(side) is int else float(side) for side in size], "sliders": self._slider_table(play),
                "frames": packed, "marks": things(marks), "icons": {name: ICONS[name] for name in used}}
        place = 0 if play is None else list(self.sliders).index(play)
        button = f'<button type="button" class="bdp-play" data-slider="{place}" data-pace="{pace:d}">Play</button>\n'
        shown, note = frames[first]
        stage = f'<div class="bdp-plot" style="--bdp-shape: {sides[0] / sides[1]:.4g}"></div>'
        self._show("draw", data, _still(shown, sides), note, stage, "" if play is None else button)

    def frame(self, setting: Setting) -> tuple[tuple[Mark, ...], str]:
        """Compute afresh the marks and the note of one setting, which gives each slider any value, not only its own."""
        where, result = called("draw", self._draw, setting)
        if not (isinstance(result, tuple) and len(result) == 2 and isinstance(result[1], str)):
            raise ValueError(f"{where} is {result!r}; allowed is a pair of marks and a note")
        marks = tuple(result[0])
        keys = [mark.key if isinstance(mark, Mark) else mark for mark in marks]
        wrong = [key for mark, key in zip(marks, keys, strict=True) if not isinstance(mark, Mark) or keys.count(key) > 1]
        if wrong or not marks:
            raise ValueError(f"{where} has {wrong[:1] or 'no mark'}; allowed are marks, each with a key of its own")
        return marks, result[1]


def _still(marks: Sequence[Mark], size: NDArray[np.float64]) -> str:
    """Return an SVG of one frame, for wherever no script may run."""
    unit = 100 * PIXELS / size[0]
    width, height = unit * size
    drawn = "".join(_svg(mark, unit, height) for mark in marks)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-8 -6 {width + 16:.0f} {height + 12:.0f}" width="{width + 16:.0f}" '
            f'height="{height + 12:.0f}" font-family="sans-serif" font-size="13">{drawn}</svg>')


def _svg(mark: Any, unit: float, height: float) -> str:
    x, y = unit * mark.x, height - unit * mark.y
    color = INK.get(mark.color) or mark.packed()["color"]
    color = STILL.get(color, color)
    solid = mark.filled if isinstance(mark, Path) else not getattr(mark, "hollow", False)
    look = f'fill="{color}"' if solid else f'fill="none" stroke="{color}" stroke-width="2"'
    look += ' opacity="0.35"' if mark.faint else ""
    match mark:
        case Icon():
            drawn = ICONS[mark.name].replace('"C"', f'"{color}"').replace('"P"', f'"{PAPER}"')
            drawn = drawn.replace("/>", ' vector-effect="non-scaling-stroke"/>')
            return f'<g transform="translate({x:.1f} {y:.1f}) scale({unit * mark.size:.2f})" stroke-width="1.6">{drawn}</g>'
        case Dot():
            return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{unit * mark.size:.1f}" {look}/>'
        case Bar():
            tall, look = unit * mark.height, f'fill="{color}" opacity="0.12"' if isinstance(mark, Ground) else f'rx="2" {look}'
            return f'<rect x="{x:.1f}" y="{y - tall:.1f}" width="{unit * mark.width:.1f}" height="{tall:.1f}" {look}/>'
        case Path():
            corners = "L".join(f"{x + unit * right:.1f},{y - unit * up:.1f}" for right, up in mark.points)
            return f'<path d="M{corners}" stroke-dasharray="{mark.dash or "none"}" {look}/>'
    weight = ' font-weight="700"' if mark.bold else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{mark.anchor}"{weight} {look}>{escape(mark.words)}</text>'
