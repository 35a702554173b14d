"""Moving scenes in a browser: the marks that a function returns are what a reader sees, by mouse and by keyboard."""

import re

import pytest

from bandits_dp.companion.plots import COLORS, TRUST_COLORS, Bar, Text
from tests.test_plots import contrast
from tests.test_plots_browser import INKS, chromium, show  # noqa: F401  (fixtures)
from tests.test_scenes import passing, scene


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


@pytest.mark.parametrize("width", [390, 1000])
def test_pills_are_chosen_by_keyboard_and_by_mouse(show, width):  # noqa: F811
    page = show(scene(), scene(), width=width)  # twice: the pills of one do not move the other
    figures = page.locator("figure").all()
    for figure, other in (figures, figures[::-1]):
        group = figure.get_by_role("group", name="speed")
        slow, fast = (group.get_by_role("radio", name=name) for name in ("slow", "fast"))
        slow.focus()
        page.keyboard.press("ArrowRight")
        assert fast.is_checked() and not slow.is_checked()
        assert figure.locator(".bdp-note").text_content() == "1 of 3 have passed (fast)."
        assert other.locator(".bdp-note").text_content() == "1 of 3 have passed (slow)."
        fast.locator("xpath=..").click()
        assert figure.locator(".bdp-plot text").text_content() == "fast: 1 < 4"
        slow.locator("xpath=..").click()
        assert figure.locator(".bdp-note").text_content() == "1 of 3 have passed (slow)."
        assert min(pill.bounding_box()["height"] for pill in group.locator("label").all()) >= 40


def test_controls_stand_beside_a_wide_scene_and_below_a_narrow_one(show):  # noqa: F811
    for width, beside in ((1000, True), (390, False)):
        page = show(scene(size=(100, 130)), width=width)
        plot, controls = (page.locator(f".bdp-{part}").bounding_box() for part in ("stage", "controls"))
        assert (controls["x"] > plot["x"] + plot["width"]) == beside
        assert plot["height"] <= 420.5 or not beside
        assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_words_of_every_colour_can_be_read(show, theme):  # noqa: F811
    colors = ["ink", "soft", "secret", *TRUST_COLORS, *COLORS]

    def words(step, speed):
        return [Text(color, 50, 4 * place, color, words=color) for place, color in enumerate(colors)], "Read all of them."

    page = show(scene(draw=words), theme=theme)
    page.locator(".bdp-plot text").first.wait_for()
    behind = page.locator(".bdp-stage").evaluate("e => getComputedStyle(e).backgroundColor")
    read = dict(page.evaluate(INKS))
    assert len({tuple(read[color]) for color in ("ink", "soft", "secret", *TRUST_COLORS)}) == 7
    for color in colors:
        assert contrast(tuple(read[color][:3]), tuple(int(part) for part in re.findall(r"\d+", behind)[:3])) >= 4.5, color


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
    page.wait_for_timeout(250)  # two of its steps
    assert page.locator(".bdp-note").text_content().startswith("0 of 3") and button.text_content() == "Play"


def test_nothing_glides_for_readers_who_want_no_motion(show):  # noqa: F811
    for motion, wanted in (("reduce", "0s"), ("no-preference", "0.45s")):
        page = show(scene(), motion=motion)
        page.locator("input[type=range]").first.press("End")
        lasts = page.locator(".bdp-plot circle").first.evaluate("node => getComputedStyle(node).transitionDuration")
        assert lasts.split(",")[0] == wanted
