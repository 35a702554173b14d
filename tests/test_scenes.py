"""Moving scenes: the marks that a function returns are what is stored, at every setting."""

import base64
import re

import pytest

import bandits_dp as bdp
from bandits_dp.companion.plots import Bar, Dot, Path, Text
from bandits_dp.companion.plots.marks import Mark
from tests.test_plots import page_json

ALT = "Three messages pass a wall, one after the other."


def passing(step, speed="slow"):
    colors = ["secret" if i == step else "shuffle" for i in range(3)]
    messages = [Dot(f"message {i}", 80 if i < step else 20, 40 - 10 * i, color=colors[i]) for i in range(3)]
    wall = Path("wall", 50, 0, points=[(0, 5), (0, 45)], dash="6 4", color="soft")
    crowd = [Bar("crowd", 70, 5, width=5.0 * step, height=2, hollow=True)] if step else []
    words = Text("words", 50, 50, words=f"{speed}: {step} < 4", bold=True)
    return [wall, *messages, *crowd, words], f"{step} of 3 have passed ({speed})."


def scene(**changes):
    settings = {"step": [0, 1, 2, 3], "speed": ["slow", "fast"]}
    given = {"title": "A wall", "alt": ALT, "play": "step", "pace": 100, "labels": {"step": "messages sent"}} | changes
    return bdp.plots.moving_scene(passing, settings, {"step": 1, "speed": "slow"}, **given)


def test_json_holds_every_frame():
    data = page_json(scene()._repr_html_())
    assert len(data["frames"]) == 8 and [slider["label"] for slider in data["sliders"]] == ["messages sent", "speed"]
    places = [[data["marks"][place] for place in frame["marks"]] for frame in data["frames"]]
    for setting, frame, marks in zip([(i // 2, ("slow", "fast")[i % 2]) for i in range(8)], data["frames"], places, strict=True):
        wanted, note = passing(*setting)
        assert frame["note"] == note and [mark["key"] for mark in marks] == [mark.key for mark in wanted]
        assert [(mark.get("x", 0), mark.get("y", 0)) for mark in marks] == [(mark.x, mark.y) for mark in wanted]


def test_still_picture_shows_the_start():
    html = scene()._repr_html_()
    still = base64.b64decode(re.search(r'svg\+xml;base64,([^"]+)"', html)[1]).decode()
    assert still.count("<circle") == 3 and "slow: 1 &lt; 4" in still and 'stroke-dasharray="6 4"' in still
    assert 'cx="352.0"' in still  # 80 units of 4.4


@pytest.mark.parametrize(("changes", "words"), [
    ({"alt": "short"}, ["alt", "short"]),
    ({"title": " "}, ["title"]),
    ({"play": "pace"}, ["play", "pace", "step"]),
    ({"pace": 5}, ["pace", "5"]),
    ({"size": (0, 5)}, ["size"]),
    ({"labels": {"stop": "x"}}, ["labels", "stop"]),
])
def test_refusals_name_the_argument(changes, words):
    with pytest.raises(ValueError) as error:
        scene(**changes)
    assert all(word in str(error.value) for word in words)


@pytest.mark.parametrize(("drawn", "words"), [
    ([Dot("one")], "pair"),
    (([], "note"), "no mark"),
    (([Dot("one"), Dot("one")], "note"), "'one'"),
    ((["dot"], "note"), "'dot'"),
])
def test_drawings_that_are_none(drawn, words):
    with pytest.raises(ValueError, match=r"draw\(step=0\)") as error:
        bdp.plots.moving_scene(lambda step: drawn, {"step": [0, 1]}, {"step": 0}, title="A", alt=ALT)
    assert words in str(error.value)


def test_a_mark_of_no_kind_is_refused():
    with pytest.raises(TypeError, match=r"mark must be a Dot, Path, Bar or Text, got Mark\(key='one'"):
        bdp.plots.moving_scene(lambda step: ([Mark("one")], "note"), {"step": [0, 1]}, {"step": 0}, title="A", alt=ALT)


@pytest.mark.parametrize("make", [
    lambda: Dot(""),
    lambda: Dot("a", x=float("nan")),
    lambda: Dot("a", color="amber"),
    lambda: Path("a", points=[(0, float("inf"))]),
])
def test_marks_refuse(make):
    with pytest.raises(ValueError):
        make()


def test_too_many_marks_are_refused():
    def crowd(step):
        return [Dot(f"a rather long name {i} {step}", i, step) for i in range(2000)], ""

    with pytest.raises(ValueError, match="draw makes"):
        bdp.plots.moving_scene(crowd, {"step": range(5)}, {"step": 0}, title="A", alt=ALT)
