"""Write a figure that a reader can move as one self-contained piece of HTML."""

import hashlib
import json
from collections.abc import Sequence
from functools import cache
from html import escape
from importlib import resources
from string import Template
from typing import Any


def page(
    kind: str, title: str, alt: str, data: dict[str, Any], still: str, parts: str, note: str, sliders: Sequence[dict[str, Any]],
    scripts: Sequence[str], styles: Sequence[str] = ("moving_figure.css",),
) -> str:
    """Return the figure's HTML: the same bytes for the same figure, and nothing loaded from anywhere.

    Without its script (switched off, or taken out by a host that shows notebooks, as JupyterLab does until a notebook is trusted
    or run) the reader still gets the title, `still`, and the note. The parts that could do nothing wait inside a script, which such
    a host drops whole; where they say <sliders>, the sliders are put. The ignore classes of the template keep MathJax, which looks
    for dollar signs in notebooks, away from titles and notes.
    """
    written = to_json(data)
    name = "bdp-" + hashlib.sha256((written + title + alt).encode()).hexdigest()[:10]
    controls = "\n".join(_slider(f"{name}-{place}", slider) for place, slider in enumerate(sliders))
    return Template(asset("figure.html")).substitute(
        kind=kind, name=name, title=escape(title), alt=escape(alt), still=still, parts=parts.replace("<sliders>", controls),
        note=escape(note), json=written, scripts="".join(map(asset, scripts)), styles="".join(map(asset, styles)))


def to_json(data: dict[str, Any]) -> str:
    """Write `data` as compact JSON that cannot end the HTML script element it stands in."""
    return json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")


def _slider(name: str, slider: dict[str, Any]) -> str:
    """Return one labelled range input whose positions 0, 1, ... stand for the slider's values."""
    text = escape(slider["texts"][slider["start"]])
    return (f'<div class="bdp-slider"><label for="{name}">{escape(slider["label"])}</label>'
            f'<output for="{name}" aria-live="off">{text}</output>'  # the note is read aloud, and the slider says its value
            f'<input type="range" id="{name}" min="0" max="{len(slider["values"]) - 1}" step="1" '
            f'value="{slider["start"]}" aria-valuetext="{text}" autocomplete="off"></div>')


@cache
def asset(name: str) -> str:
    """Return the text of a file that lies beside this one."""
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")
