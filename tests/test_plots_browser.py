"""Moving figures, scenes and the gallery in a browser: drawn as the numbers say, and moved by mouse and by keyboard."""

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import expect

from bandits_book.plots import COLORS, TRUST_COLORS, Bar, Series, Text, moving_figure
from tests.book_helpers import browser  # noqa: F401  (a fixture)
from tests.test_museum import gallery  # noqa: F401  (a fixture)
from tests.test_plots import ALT, WORDS, contrast, make, regret
from tests.test_scenes import passing, scene


@pytest.fixture
def show(browser: Any) -> Iterator[Any]:  # noqa: F811
    """Return a function that opens figures in a page; an error or a request of the page fails the test."""
    problems: list[str] = []
    contexts = []

    def open_page(*figures: Any, theme: str = "light", width: int = 1000, script: bool = True, motion: str | None = None) -> Any:
        size = {"width": width, "height": 900}
        context = browser.new_context(viewport=size, java_script_enabled=script, reduced_motion=motion)
        contexts.append(context)
        context.route("**/*", lambda route: (problems.append("request " + route.request.url), route.abort()))
        page = context.new_page()
        page.on("pageerror", lambda error: problems.append(str(error)))
        body, paper = "\n".join(figure._repr_html_() for figure in figures), "#fff" if theme == "light" else "#121212"
        page.set_content(f'<!doctype html><html data-theme="{theme}"><meta name="viewport" content="width=device-width">'
                         f'<body style="margin: 12px; background: {paper}">{body}')
        if script:
            page.locator("svg text").first.wait_for(state="attached")  # figures are drawn when they are near
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not problems


def drawn(page: Any, label: str, kind: str) -> np.ndarray:
    """Return the corners of a drawn path, (corners, 2), in axis units told by the tick labels alone."""
    path = page.locator(f'.bdp-marks path[data-label="{label}"][class*="{kind}"]').get_attribute("d")
    corners = np.array([part.split(",") for part in re.findall(r"-?[\d.]+,-?[\d.]+", path)], dtype=float)
    for column, (axis, shift) in enumerate((("x", 0.0), ("y", 4.3))):
        ticks = page.locator(f".bdp-ticks text[data-{axis}]").evaluate_all(
            f'texts => texts.map(text => [text.getAttribute("{axis}"), text.textContent.replace(",", "").replace("−", "-")])')
        pixels, values = np.array(ticks, dtype=float).T
        slope, start = np.polyfit(pixels - shift, values, 1)
        corners[:, column] = slope * corners[:, column] + start
    return corners


@pytest.mark.parametrize("width", [390, 1000])
def test_keyboard_moves_the_drawing_to_the_data(show: Any, width: int) -> None:
    page = show(make(y_range="each"), width=width)
    for slider, key, setting in ((0, None, {"epsilon": 0.5, "users": 10}), (0, "ArrowLeft", {"epsilon": 0.1, "users": 10}),
                                 (1, "End", {"epsilon": 0.1, "users": 100}), (0, "End", {"epsilon": 1.0, "users": 100})):
        control = page.locator("input[type=range]").nth(slider)
        if key:
            control.press(key)
        series, note = regret(**setting)
        assert page.locator(".bdp-note").text_content() == note
        private = series[0]
        outline = np.append(private.x, private.x[::-1]), np.append(private.high, private.low[::-1])
        for label, kind, (x, y) in (*((one.label, "stroke", (one.x, one.y)) for one in series), ("private", "band", outline)):
            corners = drawn(page, label, kind)
            np.testing.assert_allclose(corners[:, 0], x, rtol=0, atol=10)
            np.testing.assert_allclose(corners[:, 1], y, rtol=0.01, atol=0.01 * float(private.high.max()))
        value = f"{list(setting.values())[slider]:g}"
        assert control.get_attribute("aria-valuetext") == value == page.locator("output").nth(slider).text_content()


def test_points_named_ticks_and_log_axes(show: Any) -> None:
    def noise(users: int) -> list[Series]:
        x = 10.0 ** np.arange(1, 7)
        return [Series("noise", x, users * x, kind="points"), Series("line", x, x, low=-x, high=2 * x)]

    logs = {"x_scale": "log", "y_scale": "log", "alt": ALT} | WORDS
    for named, ticks in (({}, ["10¹", "10²", "10³", "10⁴", "10⁵", "10⁶"]), ({10.0: "AE", 1e5: "SDP-AE"}, ["AE", "SDP-AE"])):
        page = show(moving_figure(noise, {"users": [1, 10]}, {"users": 1}, x_ticks=named, **logs))
        assert page.locator(".bdp-ticks text[data-x]").all_text_contents() == ticks
        assert "NaN" not in page.content() and "Infinity" not in page.locator(".bdp-plot").inner_html()


def test_phone_shows_all_without_scrolling_sideways(show: Any) -> None:
    page = show(make(), width=360)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    figure = page.locator(".bdp-figure").bounding_box()
    for text in page.locator(".bdp-figure text, .bdp-figure label, .bdp-legend li, .bdp-note").all():
        box = text.bounding_box()
        assert box["x"] >= figure["x"] and box["x"] + box["width"] <= figure["x"] + figure["width"]
    sizes = page.locator(".bdp-figure text").evaluate_all(
        "t => t.map(e => parseFloat(getComputedStyle(e).fontSize) * e.ownerSVGElement.getScreenCTM().a)")
    assert min(sizes) >= 11
    assert page.locator("input[type=range]").first.bounding_box()["height"] >= 44
    page.set_viewport_size({"width": 1000, "height": 900})
    page.locator(".bdp-end").first.wait_for()  # wide enough to name the lines where they end
    assert page.locator(".bdp-end").all_text_contents() == ["private", "flat", "batched"]


def test_names_at_line_ends_move_apart_and_no_further(show: Any) -> None:
    ends = {"none": 10, "central": 50, "shuffle": 50.2, "local": 90}

    def close(users: int) -> list[Series]:
        return [Series(name, [0, 1], [0, end], color=name) for name, end in ends.items()]

    page = show(moving_figure(close, {"users": [1, 2]}, {"users": 1}, alt=ALT, y_range=(0, 100), **WORDS))
    assert page.locator(".bdp-end").all_text_contents() == ["local", "shuffle", "central", "none"]
    heights = page.locator(".bdp-end").evaluate_all("ends => ends.map(end => parseFloat(end.getAttribute('y')))")
    assert min(np.diff(heights)) >= 16.8
    leads = page.locator(".bdp-lead").evaluate_all("leads => leads.map(lead => lead.getAttribute('d'))")
    moved = [float(np.diff([float(y) for y in re.findall(r",([\d.]+)", lead)])[0]) for lead in leads]
    assert moved[0] == moved[3] == 0  # room enough
    assert moved[1] == pytest.approx(-moved[2], abs=0.2) and moved[2] > 5


# A canvas turns any way of writing a colour into red, green and blue.
INKS = """() => {
  const pen = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  const rgb = (color) => {
    pen.fillStyle = color;
    pen.fillRect(0, 0, 1, 1);
    return [...pen.getImageData(0, 0, 1, 1).data];
  };
  const all = document.querySelectorAll(".bdp-figure :is(text, label, output, summary, td, p, figcaption, .bdp-axis)");
  return [...all].map((e) => [e.textContent, rgb(getComputedStyle(e)[e.tagName === "text" ? "fill" : "color"])]);
}"""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_stands_out(show: Any, theme: str) -> None:
    page = show(make(), theme=theme)
    page.locator("summary").click()
    paper = page.locator(".bdp-figure").evaluate("e => getComputedStyle(e).backgroundColor")
    colors, behind = page.evaluate(INKS), tuple(int(part) for part in re.findall(r"\d+", paper)[:3])
    assert (max(behind) < 60) == (theme == "dark")
    assert {"private", "flat", "batched", "rounds", "epsilon"} <= {text for text, _ in colors}
    for text, rgba in colors:
        assert contrast(tuple(rgba[:3]), behind) >= 4.5, text
    assert page.locator(".bdp-stroke").count() == 3


def test_the_same_figure_twice_keeps_its_own_sliders(show: Any) -> None:
    page = show(make(), make())
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map(e => e.id)")
    assert len(ids) == len(set(ids)) == 6
    page.get_by_label("epsilon").nth(1).press("End")
    assert page.locator(".bdp-note").all_text_contents() == [regret(0.5, 10)[1], regret(1.0, 10)[1]]
    expect(page.locator(".bdp-plot > svg")).to_have_count(2)  # a figure is drawn when it is near


def test_numbers_follow_the_slider_and_move_for_readers_who_want_it(show: Any) -> None:
    page = show(make())
    page.locator("summary").click()
    page.get_by_label("epsilon").press("Home")
    assert page.locator(".bdp-numbers tr").count() == 1 + 9 + 9 + 2
    row = page.locator(".bdp-numbers tr").nth(9).locator("td").all_text_contents()
    assert row == ["private", "2,000", "447.21", "402.49", "491.93"]
    for wish, seconds in (("reduce", "0s"), ("no-preference", "0.16s")):
        page.emulate_media(reduced_motion=wish)
        page.get_by_label("epsilon").press("End")
        assert page.locator(".bdp-stroke").first.evaluate("e => getComputedStyle(e).transitionDuration") == seconds


def test_without_script_the_description_is_read(show: Any) -> None:
    page = show(make(), script=False)
    assert page.locator(".bdp-still").is_visible() and page.locator(".bdp-note").is_visible()
    assert not page.locator("input").first.is_visible()


def seen(page):
    """Return what is drawn: key -> (x, y) in pixels from the upper left corner."""
    return page.locator(".bdp-plot > svg > *").evaluate_all(
        """nodes => Object.fromEntries(nodes.map(node => {
            const [, x, y] = node.style.transform.match(/translate\\(([-\\d.]+)px, ([-\\d.]+)px\\)/);
            return [node.dataset.key, [Number(x), Number(y)]];
        }))""")


@pytest.mark.parametrize("width", [390, 1000])
def test_keyboard_moves_marks_to_their_places(show, width):
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
def test_pills_are_chosen_by_keyboard_and_by_mouse(show, width):
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


def test_controls_stand_beside_a_wide_scene_and_below_a_narrow_one(show):
    for width, beside in ((1000, True), (390, False)):
        page = show(scene(size=(100, 130)), width=width)
        plot, controls = (page.locator(f".bdp-{part}").bounding_box() for part in ("stage", "controls"))
        assert (controls["x"] > plot["x"] + plot["width"]) == beside
        assert plot["height"] <= 420.5 or not beside
        assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_words_of_every_colour_can_be_read(show, theme):
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


def test_play_goes_to_the_end_and_starts_again(show):
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


def test_nothing_glides_for_readers_who_want_no_motion(show):
    for motion, wanted in (("reduce", "0s"), ("no-preference", "0.45s")):
        page = show(scene(), motion=motion)
        page.locator("input[type=range]").first.press("End")
        lasts = page.locator(".bdp-plot circle").first.evaluate("node => getComputedStyle(node).transitionDuration")
        assert lasts.split(",")[0] == wanted


@pytest.mark.parametrize("width", [320, 1000])
def test_a_reader_bets_pays_and_sees_why(show, gallery, width):  # noqa: F811
    page = show(gallery, width=width)
    note, run, why = page.locator(".bdp-note"), page.get_by_role("button", name="Run the audit"), page.locator(".bdp-why")
    assert page.locator("[aria-live]:not([aria-live=off])").count() == 1
    assert run.is_disabled() and not why.is_visible() and "def mechanism(" in page.locator(".bdp-code").inner_text()
    page.get_by_label("broken").check()
    run.click()
    assert "With 100 runs" in note.inner_text() and "Buy more runs" in note.inner_text() and not why.is_visible()
    page.locator("input[type=range]").press("End")
    run.press("Enter")
    last = list(gallery.rooms[0].audits.values())[-1]
    assert f"ε ≥ {last.epsilon_lower:.2f}" in note.inner_text() and "it is broken. Bets won: 1 of 1." in note.inner_text()
    assert "The noise is half" in why.inner_text() or "the noise is half" in why.inner_text()
    assert page.locator(".bdp-plot rect").count() == 4 and page.get_by_label("private").is_disabled()
    page.get_by_role("button", name="Room 2").press("Enter")
    assert not why.is_visible() and not page.get_by_label("private").is_checked()
    page.get_by_label("private").press("Space")
    page.get_by_role("button", name="See why").press("Enter")
    assert "room 2 is private" in note.inner_text() and "Bets won: 2 of 2." in note.inner_text()
    assert page.get_by_role("button", name="Room 1, broken").count() == 1
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    sizes = page.locator("button:visible, .bdp-bet label").evaluate_all("all => all.map(one => one.getBoundingClientRect().height)")
    assert min(sizes) >= 44


def test_bars_are_as_long_as_the_bounds(show, gallery):  # noqa: F811
    page = show(gallery)
    page.get_by_label("private").check()
    page.get_by_role("button", name="See why").click()
    widths = page.locator(".bdp-plot rect").evaluate_all("all => all.map(one => Number(one.getAttribute('width')))")
    bounds = [found.epsilon_lower for found in gallery.rooms[0].audits.values()] + [gallery.rooms[0].twin.epsilon_lower]
    scale = max(widths) / max(bounds)
    assert widths == pytest.approx([max(scale * bound, 2) for bound in bounds], abs=0.1)


def test_two_copies_are_two_games(show, gallery):  # noqa: F811
    page = show(gallery)
    page.evaluate("html => document.body.append(document.createRange().createContextualFragment(html))", gallery._repr_html_())
    names = page.locator(".bdp-bet input").evaluate_all("all => all.map(one => one.name)")
    assert len(set(names)) == 2
