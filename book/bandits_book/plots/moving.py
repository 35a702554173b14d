"""What figures and scenes that a reader can move have in common: sliders or pills, a frame for each setting, and their HTML."""

import base64
import hashlib
import itertools
import json
import math
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from html import escape
from importlib import resources
from string import Template
from typing import Any, ClassVar

from bandits_book.plots.style import TRUST_COLORS
from bandits_dp import _checks

Setting = dict[str, Any]
MOST_SETTINGS, MOST_BYTES, SHORTEST_ALT, MOST_PILLS = 400, 300_000, 20, 6
TRUSTED = {"none": "Everybody", "central": "The server", "shuffle": "A shuffler", "local": "Nobody"}  # where the wall stands:
WALLS = {"central": 54, "shuffle": 33, "local": 13}


class Moving:
    """A figure or a scene with sliders, which as the last value of a notebook cell shows itself.

    A slider of two to six texts, unless a button plays it, is shown as a row of pills, of which one is chosen.

    The numbers behind every combination of slider values are computed once and travel with the page, where a small script draws
    them, with no kernel and in a live notebook alike.

    ``sliders`` are the values of each slider, ``start`` is the setting shown first, ``data`` what the page's script draws.
    """

    kind: ClassVar[tuple[str, str]]  # for a reader, and for the style sheet
    scripts: ClassVar[tuple[str, ...]]
    data: dict[str, Any]

    def __init__(self, sliders: Mapping[str, Sequence[Any]], start: Mapping[str, Any], title: str, alt: str,
                 labels: Mapping[str, str] | None) -> None:
        self.sliders = check_sliders(sliders)
        self.start = check_start(start, self.sliders)
        self._labels = dict(_checks.one_of("labels", {} if labels is None else labels, Mapping, "texts by the names of sliders"))
        if not set(self._labels) <= set(self.sliders):
            raise ValueError(f"labels has the names {sorted(self._labels)}; allowed are those of sliders, {sorted(self.sliders)}")
        if not isinstance(alt, str) or len(alt.strip()) < SHORTEST_ALT:
            raise ValueError(f"alt is {alt!r}; allowed is a description of at least {SHORTEST_ALT} characters")
        self.title, self._alt = check_seen("title", title), alt.strip()

    @abstractmethod
    def frame(self, setting: Setting) -> Any:
        """Compute afresh what is shown at one setting, and a note."""

    def _frames(self) -> tuple[list[Any], int]:
        """Return the frames of all settings, of which the last slider changes fastest, and the place of the first that is shown."""
        settings = [dict(zip(self.sliders, values, strict=True)) for values in itertools.product(*self.sliders.values())]
        return [self.frame(setting) for setting in settings], settings.index(self.start)

    def _slider_table(self, play: str | None = None) -> list[dict[str, Any]]:
        """Return what the page's script needs to know of the sliders."""
        return [{"name": name, "label": self._labels.get(name, name), "start": values.index(self.start[name]),
                 "values": list(values), "texts": list(map(value_text, values)),
                 "pills": name != play and len(values) <= MOST_PILLS and all(isinstance(value, str) for value in values)}
                for name, values in self.sliders.items()]

    def _show(self, maker: str, data: dict[str, Any], still: str, note: str, stage: str, button: str = "",
              numbers: str = "") -> None:
        """Keep the data, and the HTML with a still picture (an SVG) and a stage to draw on; refuse what is too large for a page."""
        size, count = len(to_json(data).encode()), len(data["frames"])
        if size > MOST_BYTES:
            raise ValueError(f"{maker} makes {size:,} bytes of JSON over {count} settings; allowed are {MOST_BYTES:,}: use fewer "
                             "points or marks in each setting, or fewer values in sliders")
        picture = base64.b64encode(still.encode()).decode()
        image = f'<img class="bdp-still" alt="{escape(self._alt)}" src="data:image/svg+xml;base64,{picture}">'
        parts = (f'<div class="bdp-stage" aria-hidden="true">\n{stage}\n</div>\n'
                 f'<div class="bdp-controls">\n<sliders>\n{button}</div>\n{numbers}')
        self.data = data
        self._html = page(self.kind[1], self.title, self._alt, data, image, parts, note, data["sliders"], self.scripts)

    def _repr_html_(self) -> str:
        return self._html

    def __repr__(self) -> str:
        parts = [f"{name} ({len(values)} values, now {value_text(self.start[name])})" for name, values in self.sliders.items()]
        return f"Moving {self.kind[0]}: {self.title}. Sliders: {', '.join(parts)}."


def check_seen(name: str, text: str) -> str:
    """Return a text that a reader can see, or raise a ValueError."""
    if not isinstance(text, str) or not text.strip():
        raise ValueError(f"{name} is {text!r}; allowed is text that is not empty")
    return text


def check_sliders(sliders: Mapping[str, Sequence[Any]]) -> dict[str, tuple[Any, ...]]:
    """Return the sliders as plain Python values in a fixed order, or raise a ValueError.

    A slider has at least two values, all different, finite numbers or text, and all have at most 400 combinations.
    """
    if not isinstance(sliders, Mapping):
        raise TypeError(f"sliders is {_checks.told(sliders)}; allowed is a mapping of names to values")
    if not sliders:
        raise ValueError("sliders is empty; allowed is at least one name with its values")
    checked = {name: _values(name, values) for name, values in sliders.items()}
    count = math.prod(map(len, checked.values()))
    if count > MOST_SETTINGS:
        sizes = " x ".join(f"{len(values)} {name}" for name, values in checked.items())
        raise ValueError(f"sliders has {sizes} = {count} combinations; allowed are at most {MOST_SETTINGS}")
    return checked


def _values(name: str, values: Sequence[Any]) -> tuple[Any, ...]:
    """Return one slider's values as plain Python values, or raise a ValueError."""
    if not isinstance(values, Iterable):
        raise TypeError(f"sliders[{name!r}] is {_checks.told(values)}; allowed are at least two values, all different")
    plain = tuple(value.item() if hasattr(value, "item") else value for value in values)
    for value in plain:
        number = isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < math.inf
        if not (number or isinstance(value, str)):
            raise ValueError(f"sliders[{name!r}] contains {value!r}; allowed are finite numbers and text")
    if len(plain) < 2 or len(set(plain)) < len(plain):
        raise ValueError(f"sliders[{name!r}] is {list(plain)!r}; allowed are at least two values, all different")
    return plain


def check_start(start: Mapping[str, Any], sliders: Mapping[str, tuple[Any, ...]]) -> Setting:
    """Return the first setting shown, in the order of the sliders, or raise a ValueError."""
    if not isinstance(start, Mapping):
        raise TypeError(f"start is {_checks.told(start)}; allowed is a mapping of names to values")
    if set(start) != set(sliders):
        raise ValueError(f"start has the names {sorted(start)}; allowed are exactly those of sliders, {sorted(sliders)}")
    for name, values in sliders.items():
        if start[name] not in values:
            raise ValueError(f"start[{name!r}] is {start[name]!r}; allowed are its slider's values, {list(values)!r}")
    return {name: values[values.index(start[name])] for name, values in sliders.items()}


def called(maker: str, function: Any, setting: Setting) -> tuple[str, Any]:
    """Return the call of a function that makes a frame, for who reads an error, and its answer."""
    where = ", ".join(f"{name}={value!r}" for name, value in setting.items())
    return f"{maker}({where})", _checks.answer(maker, function, **setting)


def value_text(value: Any) -> str:
    """Write a slider's value for a reader: 1e-06 as 10⁻⁶, 20000 as 20,000, 0.50 as 0.5.

    >>> from bandits_book.plots.moving import value_text
    >>> [value_text(value) for value in (1e-6, 20000, 0.5, 2.5e7, "local")]
    ['10⁻⁶', '20,000', '0.5', '2.5 × 10⁷', 'local']
    """
    if isinstance(value, str):
        return value
    if value != 0 and not 1e-3 <= abs(value) < 1e6:
        mantissa, exponent = f"{value:.5e}".split("e")
        power = "10" + str(int(exponent)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
        factor = f"{float(mantissa):g}"
        return power if factor == "1" else f"{factor} × {power}".replace("-", "−")
    return (f"{value:,.6g}" if abs(value) < 1e4 else f"{value:,.0f}").replace("-", "−")


def placed(shelf: dict[str, int], item: Any) -> int:
    """Return where an item stands on a shelf of different things, on which it is put if it is new."""
    return shelf.setdefault(json.dumps(item), len(shelf))


def things(shelf: dict[str, int]) -> list[Any]:
    """Return what stands on a shelf."""
    return [json.loads(item) for item in shelf]


def page(kind: str, title: str, alt: str, data: dict[str, Any], still: str, parts: str, note: str,
         sliders: Sequence[dict[str, Any]], scripts: Sequence[str], styles: Sequence[str] = ("moving_figure.css",)) -> str:
    """Return the figure's HTML: the same bytes for the same figure, and nothing loaded from anywhere.

    Without its script (switched off, or taken out by a host that shows notebooks, as JupyterLab does until a notebook is trusted
    or run) the reader still gets the title, `still`, and the note. The parts that could do nothing wait inside a script, which such
    a host drops whole; where they say <sliders>, the sliders are put. The ignore classes of the template keep MathJax, which looks
    for dollar signs in notebooks, away from titles and notes.
    """
    written = to_json(data)
    name = "bdp-" + hashlib.sha256((written + title + alt).encode()).hexdigest()[:10]
    choices = [(pills if slider.get("pills") else _slider)(f"{name}-{place}", slider) for place, slider in enumerate(sliders)]
    controls = "\n".join(sorted(choices, key=lambda choice: choice.startswith("<div")))  # what is seen comes before what moves it
    return Template(asset("figure.html")).substitute(
        kind=kind, name=name, title=escape(title), alt=escape(alt), still=still, parts=parts.replace("<sliders>", controls),
        note=escape(note), json=written, scripts="".join(map(asset, scripts)), styles="".join(map(asset, styles)))


def to_json(data: dict[str, Any]) -> str:
    """Write `data` as compact JSON that cannot end the HTML script element it stands in."""
    return json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")


def _slider(name: str, slider: dict[str, Any]) -> str:
    """Return one labelled range input whose positions 0, 1, ... stand for the slider's values."""
    text = escape(slider["texts"][slider["start"]])
    return (f'<div class="bdp-slider" data-place="{name.rpartition("-")[2]}"><label for="{name}">{escape(slider["label"])}</label>'
            f'<output for="{name}" aria-live="off">{text}</output>'  # the note is read aloud, and the slider says its value
            f'<input type="range" id="{name}" min="0" max="{len(slider["values"]) - 1}" step="1" '
            f'value="{slider["start"]}" aria-valuetext="{text}" autocomplete="off"></div>')


def pills(name: str, slider: dict[str, Any]) -> str:
    """Return a slider of few texts as pills, radio buttons of which one is chosen; trust models say whom a user trusts."""
    trust, shown = set(slider["texts"]) <= set(TRUSTED), []
    legend = "Whom do you trust?" if trust and slider["label"] == slider["name"] else slider["label"]
    for value, text in enumerate(slider["texts"]):
        look = f' style="--bdp-pill: var(--bdp-{TRUST_COLORS[text][1:]})"' if trust else ""
        words = f"{_wall(text)}<b>{TRUSTED[text]}</b> <small>{'' if text == 'none' else text}</small>" if trust else escape(text)
        shown.append(f'<label{look}><input type="radio" name="{name}" value="{value}" autocomplete="off"'
                     f'{" checked" * (value == slider["start"])}><span>{words}</span></label>')
    return (f'<fieldset class="bdp-pills" data-place="{name.rpartition("-")[2]}"><legend>{escape(legend)}</legend>'
            f'{"".join(shown)}</fieldset>')


def _wall(trust: str) -> str:
    """Return a small picture: a phone, a shuffler, a server, and the wall where trust ends."""
    wall = f'<path d="M{WALLS[trust]} 1v16"/>' if trust in WALLS else ""
    phone, middle, server = (1, 26 if trust == "local" else 22, 40 if trust in ("shuffle", "local") else 36)
    return ('<svg viewBox="0 0 58 18" width="40" height="13" aria-hidden="true">'
            f'<rect x="{phone}" y="4" width="6" height="10" rx="1.6"/><circle cx="{middle}" cy="9" r="4.2"/>'
            f'<rect x="{server}" y="4.5" width="9" height="9" rx="1.2"/>{wall}</svg>')


@cache
def asset(name: str) -> str:
    """Return the text of a file that lies beside this one."""
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")
