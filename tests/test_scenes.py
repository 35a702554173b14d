"""Moving scenes: the marks that a function returns are what a reader sees, at every setting, by mouse and by keyboard."""

import base64
import re

import pytest

import bandits_dp as bdp
from bandits_dp.plots import Bar, Dot, Path, Text
from tests.test_plots import chromium, page_json, show  # noqa: F401  (fixtures)

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


def seen(page):
    """Return what is drawn: key -> (x, y) in pixels from the upper left corner."""
    return page.locator(".bdp-plot > svg > *").evaluate_all(
        """nodes => Object.fromEntries(nodes.map(node => {
            const [, x, y] = node.style.transform.match(/translate\\(([-\\d.]+)px, ([-\\d.]+)px\\)/);
            return [node.dataset.key, [Number(x), Number(y)]];
        }))""")


@pytest.mark.parametrize("width", [390, 1000])
def test_keyboard_moves_marks_to_their_places(show, width):  # noqa: F811
    page = show(scene(), width=width)
    plot = page.locator(".bdp-plot").evaluate("box => box.clientWidth")
    for key, step in ((None, 1), ("ArrowRight", 2), ("End", 3), ("Home", 0)):
        if key:
            page.locator("input[type=range]").first.press(key)
        marks, note = passing(step)
        assert page.locator(".bdp-note").text_content() == note
        places = seen(page)
        assert set(places) == {mark.key for mark in marks}
        for mark in marks:
            top = 60 - mark.y - (mark.height if isinstance(mark, Bar) else 0)
            assert places[mark.key] == pytest.approx([mark.x * plot / 100, top * plot / 100], abs=0.1)
        assert page.locator(".bdp-plot text").text_content() == f"slow: {step} < 4"
        assert float(page.locator(".bdp-plot text").evaluate("node => parseFloat(getComputedStyle(node).fontSize)")) >= 12


def test_play_goes_to_the_end_and_starts_again(show):  # noqa: F811
    page = show(scene())
    button = page.get_by_role("button")
    assert button.text_content() == "Play"
    button.click()
    page.wait_for_function("document.querySelector('.bdp-play').textContent === 'Play again'", timeout=10_000)
    assert page.locator(".bdp-note").text_content() == "3 of 3 have passed (slow)."
    button.press("Enter")
    page.wait_for_function("document.querySelector('.bdp-note').textContent.startsWith('1 of 3')", timeout=10_000)
    page.locator("input[type=range]").first.press("Home")  # a hand on the slider stops it
    page.wait_for_timeout(400)
    assert page.locator(".bdp-note").text_content().startswith("0 of 3") and button.text_content() == "Play"


def test_nothing_glides_for_readers_who_want_no_motion(chromium):  # noqa: F811
    for motion, wanted in (("reduce", "0s"), ("no-preference", "0.45s")):
        page = chromium.new_page(reduced_motion=motion)
        page.set_content(scene()._repr_html_())
        page.locator("input[type=range]").first.press("End")
        lasts = page.locator(".bdp-plot circle").first.evaluate("node => getComputedStyle(node).transitionDuration")
        assert lasts.split(",")[0] == wanted
        page.close()
