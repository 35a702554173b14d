"""Moving scenes: the marks that a function returns are what is stored, at every setting."""

import base64
import itertools
import re

import numpy as np
import pytest

from bandits_book import plots
from bandits_book.plots import Bar, Dot, Ground, Icon, Path, Text
from tests.test_plots import page_json

SLIDERS = {"step": [0, 1, 2, 3], "speed": ["slow", "fast"]}


def passing(step, speed="slow"):
    colors = ["secret" if i == step else "shuffle" for i in range(3)]
    messages = [Dot(f"message {i}", 80 if i < step else 20, 40 - 10 * i, colors[i], np.bool_(i == 2)) for i in range(3)]
    wall = Path("wall", 50, 0, points=[(0, 5), (0, 45)], dash="6 4", color="soft")
    crowd = [Bar("crowd", 70, 5, width=5.0 * step, height=2, hollow=True)] if step else []
    words = Text("words", 50, 50, words=f"{speed}: {step} < 4", bold=True)
    return [wall, *messages, *crowd, words], f"{step} of 3 have passed ({speed})."


def scene(**changes):
    given = {"draw": passing, "sliders": SLIDERS, "start": {"step": 1, "speed": "slow"}, "title": "A wall", "play": "step",
             "alt": "Three messages pass a wall, one after the other.", "pace": 100, "labels": {"step": "messages sent"}}
    return plots.moving_scene(**given | changes)


def test_json_holds_every_frame_and_the_still_picture_shows_the_start():
    html = scene()._repr_html_()
    data = page_json(html)
    assert [slider["label"] for slider in data["sliders"]] == ["messages sent", "speed"]
    for setting, frame in zip(itertools.product(*SLIDERS.values()), data["frames"], strict=True):
        (wanted, note), marks = passing(*setting), [data["marks"][place] for place in frame["marks"]]
        assert frame["note"] == note and [mark["key"] for mark in marks] == [mark.key for mark in wanted]
        assert [(mark.get("x", 0), mark.get("y", 0)) for mark in marks] == [(mark.x, mark.y) for mark in wanted]
    still = base64.b64decode(re.search(r'svg\+xml;base64,([^"]+)"', html)[1]).decode()
    assert still.count("<circle") == 3 and still.count('opacity="0.35"') == 1 and 'stroke-dasharray="6 4"' in still
    assert 'cx="352.0"' in still and "slow: 1 &lt; 4" in still  # 80 units of 4.4


def test_grounds_and_icons_are_in_the_data_and_in_the_still_picture():
    def places(step, speed):
        return [Ground("open", 50, width=50, height=60, color="local"), Icon("Eve", 60, 50, size=2, name="eye")], "Eve waits."

    html = scene(draw=places)._repr_html_()
    data = page_json(html)
    assert [mark["kind"] for mark in data["marks"]] == ["ground", "icon"] and set(data["icons"]) == {"eye"}
    still = base64.b64decode(re.search(r'svg\+xml;base64,([^"]+)"', html)[1]).decode()
    assert 'translate(264.0 44.0) scale(8.80)' in still and still.count('opacity="0.12"') == 1 and '"C"' not in still


def test_few_texts_are_pills_and_numbers_and_what_plays_stay_sliders():
    trust = {"model": ["central", "shuffle", "local"], "step": ["first", "last"], "users": [1, 2]}
    html = plots.moving_scene(lambda **setting: ([Dot("one")], ""), trust, {"model": "local", "step": "first", "users": 1},
                              title="A wall", alt="A dot that stands still, whatever is chosen.", play="step")._repr_html_()
    assert html.count('<input type="radio"') == 3 and html.count('<input type="range"') == 2
    assert "<legend>Whom do you trust?</legend>" in html and "<b>A shuffler</b> <small>shuffle</small>" in html
    assert [slider["pills"] for slider in page_json(html)["sliders"]] == [True, False, False]


def crowd(step, speed):
    return [Dot(f"a rather long name {i} {step}", i, step) for i in range(2000)], ""


@pytest.mark.parametrize(("changes", "words"), [
    ({"alt": "short"}, "alt is 'short'"),
    ({"play": "pace"}, r"play is 'pace'; allowed are the sliders, \['speed', 'step'\]"),
    ({"labels": {"stop": "x"}}, "labels has the names .'stop'"),
    ({"draw": lambda **setting: [Dot("one")]}, r"draw\(step=0, speed='slow'\) is .* allowed is a pair"),
    ({"draw": lambda **setting: ([], "note")}, r"draw\(step=0, speed='slow'\) has no mark"),
    ({"draw": lambda **setting: ([Dot("one"), Dot("one")], "note")}, r"draw\(step=0, .* has \['one'\]; allowed are marks, each"),
    ({"draw": lambda **setting: (["dot"], "note")}, r"draw\(step=0, .* has \['dot'\]"),
    ({"draw": crowd}, "draw makes .* bytes"),
    ({"draw": lambda **setting: Dot("a", color="amber")}, "draw must be a function .* color is 'amber'; allowed are"),
    ({"draw": lambda **setting: Icon("a", name="hat")}, "draw must be a function .* name must be one of"),
    ({"draw": lambda **setting: Path("a", points=[(0, 1e400)])}, "draw must be a function .* points of 'a' is inf"),
])
def test_refusals_name_the_argument(changes, words):
    with pytest.raises(ValueError, match=words):
        scene(**changes)
