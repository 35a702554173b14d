"""Moving figures in a browser: drawn as the numbers say, and moved by a keyboard."""

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import expect

import get_browser
from bandits_dp.companion.plots import Series, moving_figure
from tests.test_plots import ALT, WORDS, contrast, make, regret

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    path = get_browser.get()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def show(chromium: Any) -> Iterator[Any]:
    """Return a function that opens figures in a page; an error or a request of the page fails the test."""
    problems: list[str] = []
    contexts = []

    def open_page(*figures: Any, theme: str = "light", width: int = 1000, script: bool = True, motion: str | None = None) -> Any:
        size = {"width": width, "height": 900}
        context = chromium.new_context(viewport=size, java_script_enabled=script, reduced_motion=motion)
        contexts.append(context)
        context.route("**/*", lambda route: (problems.append("request " + route.request.url), route.abort()))
        page = context.new_page()
        page.on("pageerror", lambda error: problems.append(str(error)))
        body, paper = "\n".join(figure._repr_html_() for figure in figures), "#fff" if theme == "light" else "#121212"
        page.set_content(f'<!doctype html><html data-theme="{theme}"><meta name="viewport" content="width=device-width">'
                         f'<body style="margin: 12px; background: {paper}">{body}')
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
