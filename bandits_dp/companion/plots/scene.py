"""Scenes: figures that explain a mechanism by things that move, in a page with no kernel and in a live notebook alike."""

from collections.abc import Callable, Mapping, Sequence
from html import escape
from numbers import Integral
from typing import Any

from bandits_dp import _checks
from bandits_dp.companion.plots.marks import Bar, Dot, Mark, Path, Text
from bandits_dp.companion.plots.page import scene_snippet
from bandits_dp.companion.plots.payload import Shelf, Words, check_size, slider_table
from bandits_dp.companion.plots.sliders import Setting, check_sliders, check_start, settings, value_text

Drawing = Callable[..., tuple[Sequence[Mark], str]]
_SHORTEST_ALT = 20
_PIXELS = 4.4  # of the still picture, for one unit of a scene that is 100 wide
_INK = {"ink": "#6a7080", "soft": "#8a8f9c", "secret": "#bd7d00"}  # readable on white and on black


class MovingScene:
    """A scene with sliders; made by `moving_scene`. As the last value of a notebook cell it shows itself.

    Attributes
    ----------
    sliders : dict of str to tuple
        Values of each slider.
    start : dict
        The setting shown first.
    data : dict
        What the page's script draws, ready for JSON.

    Examples
    --------
    >>> from bandits_dp.companion.plots import Dot, moving_scene
    >>> def walk(step):
    ...     return [Dot("Noor", 10 * step, 5)], f"Noor has made {step} steps."
    >>> scene = moving_scene(walk, {"step": [0, 1, 2]}, {"step": 0}, title="A walk", alt="A dot that walks to the right.")
    >>> marks, note = scene.frame({"step": 2})
    >>> marks[0].x, note
    (20, 'Noor has made 2 steps.')
    """

    def __init__(
        self,
        draw: Drawing,
        sliders: dict[str, tuple[Any, ...]],
        start: Setting,
        words: Words,
        size: tuple[float, float],
        play: str | None,
        pace: int,
    ) -> None:
        self._draw, self.sliders, self.start, self.words = draw, sliders, start, words
        every = list(settings(sliders))
        frames = [self.frame(setting) for setting in every]
        marks = Shelf()
        self.data = {
            "size": list(size),
            "sliders": slider_table(sliders, start, words),
            "frames": [{"marks": [marks.place(mark.packed()) for mark in shown], "note": note} for shown, note in frames],
            "marks": marks.items,
        }
        check_size("draw", self.data, len(frames))
        self._html = scene_snippet(self.data, words, _still(frames[every.index(start)][0], size), play, pace)

    def frame(self, setting: Setting) -> tuple[tuple[Mark, ...], str]:
        """Compute afresh the marks and the note of one setting, which gives each slider any value, not only its own.

        Raises
        ------
        ValueError
            If the drawing function does not return marks with different keys, and a note.
        """
        result = _checks.answer("draw", self._draw, **setting)
        where = ", ".join(f"{name}={value!r}" for name, value in setting.items())
        if not (isinstance(result, tuple) and len(result) == 2 and isinstance(result[1], str)):
            raise ValueError(f"draw({where}) is {result!r}; allowed is a pair of marks and a note")
        marks = tuple(result[0])
        keys = [mark.key if isinstance(mark, Mark) else mark for mark in marks]
        wrong = [key for mark, key in zip(marks, keys, strict=True) if not isinstance(mark, Mark) or keys.count(key) > 1]
        if wrong or not marks:
            raise ValueError(f"draw({where}) has {wrong[:1] or 'no mark'}; allowed are marks, each with a key of its own")
        return marks, result[1]

    def _repr_html_(self) -> str:
        return self._html

    def __repr__(self) -> str:
        parts = [f"{name} ({len(values)} values, now {value_text(self.start[name])})" for name, values in self.sliders.items()]
        return f"Moving scene: {self.words.title}. Sliders: {', '.join(parts)}."


def moving_scene(
    draw: Drawing,
    sliders: Mapping[str, Sequence[Any]],
    start: Mapping[str, Any],
    *,
    title: str,
    alt: str,
    size: tuple[float, float] = (100.0, 60.0),
    play: str | None = None,
    pace: int = 700,
    labels: Mapping[str, str] | None = None,
) -> MovingScene:
    """Make a scene whose sliders work in the rendered page with no kernel.

    Parameters
    ----------
    draw : callable
        `draw(**setting)` returns a pair: a list of marks (`Dot`, `Path`, `Bar`, `Text`) in drawing order, and a note, a sentence
        with the key numbers at this setting. Called once for every combination of slider values.
    sliders : mapping of str to sequence
        Values of each slider, numbers or text, from left to right; at most 400 combinations in all.
    start : mapping of str to value
        The setting shown first.
    title : str
        Heading.
    alt : str
        What the scene shows, for somebody who cannot see it; at least 20 characters.
    size : (float, float)
        Width and height in the marks' units.
    play : str, optional
        Slider that a button "Play" moves to its end, a step every `pace` milliseconds.
    pace : int
        See `play`; >= 100.
    labels : mapping of str to str, optional
        Words for a slider shown instead of its name.

    Returns
    -------
    MovingScene

    Raises
    ------
    ValueError
        If an argument is not as above, or the marks come to more than 300 kB; the message names it.

    Examples
    --------
    >>> from bandits_dp.companion.plots import Dot, moving_scene
    >>> def walk(step):
    ...     return [Dot("Noor", 10 * step, 5)], f"Noor has made {step} steps."
    >>> moving_scene(walk, {"step": [0, 1, 2]}, {"step": 0}, title="A walk", alt="A dot that walks to the right.", play="step")
    Moving scene: A walk. Sliders: step (3 values, now 0).
    """
    _checks.called("draw", draw)
    checked = check_sliders(sliders)
    first = check_start(start, checked)
    shown = dict(_checks.one_of("labels", {} if labels is None else labels, Mapping, "texts by the names of sliders"))
    if not set(shown) <= set(checked):
        raise ValueError(f"labels has the names {sorted(shown)}; allowed are those of sliders, {sorted(checked)}")
    if not isinstance(title, str) or not title.strip():
        raise ValueError(f"title is {title!r}; allowed is text that is not empty")
    if not isinstance(alt, str) or len(alt.strip()) < _SHORTEST_ALT:
        raise ValueError(f"alt is {alt!r}; allowed is a description of at least {_SHORTEST_ALT} characters")
    if play is not None and (not isinstance(play, str) or play not in checked):
        raise ValueError(f"play is {play!r}; allowed are the sliders, {sorted(checked)}")
    if not _checks.is_number(pace, Integral) or pace < 100:
        raise ValueError(f"pace is {pace!r}; allowed are whole milliseconds >= 100")
    sides = _checks.numbers("size", size, "two finite numbers > 0")
    if sides.shape != (2,) or not ((sides > 0) & _checks.usable(sides)).all():
        raise ValueError(f"size is {size!r}; allowed are two finite numbers > 0")
    size = tuple(side if type(side) is int else float(side) for side in size)  # type: ignore[assignment]
    words = Words(title, "", "", alt.strip(), {name: shown.get(name, name) for name in checked})
    return MovingScene(draw, checked, first, words, size, play, int(pace))


def _still(marks: Sequence[Mark], size: tuple[float, float]) -> str:
    """Return an SVG of one frame, for wherever no script may run."""
    unit = 100 * _PIXELS / size[0]
    width, height = (unit * side for side in size)
    drawn = "".join(_svg(mark, unit, height) for mark in marks)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}" '
        f'font-family="sans-serif" font-size="13">{drawn}</svg>'
    )


def _svg(mark: Mark, unit: float, height: float) -> str:
    x, y = unit * mark.x, height - unit * mark.y
    color = _INK.get(mark.color) or mark.packed()["color"]
    solid = not (getattr(mark, "hollow", False) or (isinstance(mark, Path) and not mark.filled))
    look = f'fill="{color}"' if solid else f'fill="none" stroke="{color}" stroke-width="2"'
    if mark.faint:
        look += ' opacity="0.35"'
    match mark:
        case Dot():
            return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{unit * mark.size:.1f}" {look}/>'
        case Bar():
            tall = unit * mark.height
            return f'<rect x="{x:.1f}" y="{y - tall:.1f}" width="{unit * mark.width:.1f}" height="{tall:.1f}" rx="2" {look}/>'
        case Path():
            corners = "L".join(f"{x + unit * right:.1f},{y - unit * up:.1f}" for right, up in mark.points)
            return f'<path d="M{corners}" stroke-dasharray="{mark.dash or "none"}" {look}/>'
        case Text():
            weight = ' font-weight="700"' if mark.bold else ""
            return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{mark.anchor}"{weight} {look}>{escape(mark.words)}</text>'
    raise TypeError(f"mark must be a Dot, Path, Bar or Text, got {mark!r}")
