"""Write a moving figure as one self-contained piece of HTML."""

import base64
import hashlib
from functools import cache
from html import escape
from importlib import resources
from typing import Any

from bandits_dp.companion.plots.payload import Words, to_json

_NUMBERS = '<details class="bdp-numbers"><summary>Numbers in this figure</summary><div></div></details>\n'


def curves_snippet(data: dict[str, Any], words: Words, still: str) -> str:
    """Return the HTML of a figure with axes; `still` is an SVG in base64."""
    stage = f"""\
<ul class="bdp-legend"></ul>
<div class="bdp-axis">{escape(words.y_label)}</div>
<div class="bdp-plot"></div>
<div class="bdp-axis bdp-axis-x">{escape(words.x_label)}</div>"""
    scripts = ("moving_scales.js", "moving_controls.js", "moving_figure.js")
    return _snippet("curves", data, words, still, (stage, "", _NUMBERS), scripts)


def scene_snippet(data: dict[str, Any], words: Words, still: str, play: str | None, pace: int) -> str:
    """Return the HTML of a scene; `still` is an SVG, `play` names the slider that a button moves every `pace` milliseconds."""
    button = ""
    if play is not None:
        place = [slider["name"] for slider in data["sliders"]].index(play)
        button = f'<button type="button" class="bdp-play" data-slider="{place}" data-pace="{pace}">Play</button>\n'
    image = base64.b64encode(still.encode()).decode()
    stage = '<div class="bdp-plot"></div>'
    return _snippet("scene", data, words, image, (stage, button, ""), ("moving_controls.js", "moving_scene.js"))


def _snippet(
    kind: str, data: dict[str, Any], words: Words, still: str, parts: tuple[str, str, str], scripts: tuple[str, ...]
) -> str:
    """Return the figure's HTML: the same bytes for the same figure, and nothing loaded from anywhere.

    Without its script (switched off, or taken out by a host that shows notebooks, as JupyterLab does until a
    notebook is trusted or run) the reader still gets the title, the `still` picture (an SVG in base64) and the note
    at the start setting. The controls could do nothing; they wait inside a script, which such a host drops whole.
    """
    stage, button, numbers = parts
    json = to_json(data)
    name = "bdp-" + hashlib.sha256((json + words.title + words.alt).encode()).hexdigest()[:10]
    controls = "\n".join(_slider(f"{name}-{place}", slider) for place, slider in enumerate(data["sliders"]))
    note, alt = escape(_start_note(data)), escape(words.alt)
    # The ignore classes keep MathJax, which looks for dollar signs in notebooks, away from titles and notes.
    return f"""\
<style>
{_asset("moving_figure.css")}</style>
<figure class="bdp-figure bdp-{kind} mathjax_ignore tex2jax_ignore" id="{name}" role="group" aria-label="{alt}">
<figcaption class="bdp-title">{escape(words.title)}</figcaption>
<img class="bdp-still" alt="{alt}" src="data:image/svg+xml;base64,{still}">
<script type="text/html" class="bdp-parts">
<div class="bdp-stage" aria-hidden="true">
{stage}
</div>
<div class="bdp-controls">
{button}{controls}
</div>
{numbers}</script>
<p class="bdp-note" aria-live="polite">{note}</p>
<script type="application/json">{json}</script>
<script>
(function () {{
"use strict";
{"".join(map(_asset, scripts))}}}());
</script>
</figure>
"""


def _slider(name: str, slider: dict[str, Any]) -> str:
    """Return one labelled range input whose positions 0, 1, ... stand for the slider's values."""
    text = escape(slider["texts"][slider["start"]])
    return (
        f'<div class="bdp-slider"><label for="{name}">{escape(slider["label"])}</label>'
        f'<output for="{name}" aria-live="off">{text}</output>'  # the note is read aloud, and the slider says its value
        f'<input type="range" id="{name}" min="0" max="{len(slider["values"]) - 1}" step="1" '
        f'value="{slider["start"]}" aria-valuetext="{text}" autocomplete="off"></div>'
    )


def _start_note(data: dict[str, Any]) -> str:
    """Return the note at the start setting."""
    place = 0
    for slider in data["sliders"]:
        place = place * len(slider["values"]) + slider["start"]
    note: str = data["frames"][place]["note"]
    return note


@cache
def _asset(name: str) -> str:
    """Return the text of a file that lies beside this one."""
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")
