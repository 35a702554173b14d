"""No formula of the book is cut off, scrolls without need or stops the Tab key, from the narrowest phone to a wide screen."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pages import CHAPTERS, every_page
from playwright.sync_api import Browser, Page

from checkout import SITE
from formulas import render

pytestmark = pytest.mark.site

WIDTHS = 320, 360, 390, 768, 1366, 1920

# Everything open, and no side bar still on its way.
UNFOLD = """() => {
  document.head.append(Object.assign(document.createElement("style"), {textContent: "* { transition: none !important }"}));
  document.querySelectorAll("details").forEach((fold) => (fold.open = true));
  // Sections far away are laid out when a reader comes near; here he has been everywhere.
  document.querySelectorAll("article > section > section").forEach((part) => (part.style.contentVisibility = "visible"));
  document.querySelectorAll(".toggle-hidden").forEach((box) => box.classList.remove("toggle-hidden"));
}"""
# The parts that KaTeX never breaks are followed outwards, through every box that clips or scrolls. What a scrolling box can show
# counts as seen, and from there on the box itself is what has to be in sight.
FAULTS = """async () => {
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  const faults = [], known = new Map();
  const style = (e) => getComputedStyle(e);
  const room = (e) => {
    while (style(e).display === "inline") e = e.parentElement;
    return e.clientWidth - parseFloat(style(e).paddingLeft) - parseFloat(style(e).paddingRight);
  };
  const measure = (box) => {
    const {overflowX, overflowY, display, borderTopWidth, borderBottomWidth} = style(box);
    if (display === "inline" || (overflowX === "visible" && overflowY === "visible")) return null;
    const edge = box.getBoundingClientRect();
    return {
      top: edge.top, bottom: edge.bottom, from: edge.left + box.clientLeft, to: edge.left + box.clientLeft + box.clientWidth,
      bars: box.offsetHeight - box.clientHeight - parseFloat(borderTopWidth) - parseFloat(borderBottomWidth),
      scrolls: overflowX === "auto" || overflowX === "scroll", clips: overflowY === "hidden" || overflowY === "clip",
    };
  };
  const holder = (box) => known.get(box) ?? known.set(box, measure(box)).get(box);
  for (const formula of document.querySelectorAll("article .formula")) {
    const tell = (fault) => faults.push(`${fault}: ${formula.querySelector("annotation")?.textContent}`);
    const parts = [...formula.querySelectorAll(".katex-html .katex-base")];
    const scrolling = new Set();
    if (!formula.checkVisibility() || !parts.length) tell("not shown");
    for (const part of parts) {
      let {left, right, top, bottom} = part.getBoundingClientRect();
      for (let box = part; box !== document.documentElement; box = box.parentElement) {
        const held = holder(box);
        if (!held) continue;
        const own = formula.contains(box);
        if (own && held.bars > 0) scrolling.add(box);
        if ((own || held.clips) && (top < held.top - 1 || bottom > held.bottom + 1)) tell("cut off above or below");
        if (left + (held.scrolls ? box.scrollLeft : 0) < held.from - 1) tell("cut off at its beginning");
        if (right > held.to + 1 && !held.scrolls) tell("cut off at its end");
        if (right > held.to + 1 && held.scrolls && held.bars <= 0) tell("scrolls without a scrollbar");
        if (held.scrolls) [left, right] = [Math.max(left, held.from), Math.min(right, held.to)];
      }
      if (left < -1 || right > document.documentElement.clientWidth + 1) tell("beyond the window");
    }
    if (scrolling.size) {
      const needed = Math.max(...parts.map((part) => part.offsetWidth)) + (formula.querySelector(".eqno")?.offsetWidth ?? 0);
      if (needed < room(formula.parentElement) - 16) tell("scrolls though there is room"); // 16 px are the indent and the gap
    }
    for (const box of [formula, ...formula.querySelectorAll("[tabindex]"), ...scrolling]) {
      const stop = box.hasAttribute("tabindex");
      if (scrolling.has(box) && !stop) tell("scrolls by mouse only");
      if (stop && !scrolling.has(box)) tell("stops the Tab key");
      if (stop && !box.getAttribute("aria-label")) tell("stops the Tab key without a name");
    }
  }
  return [...new Set(faults)];
}"""


def look(page: Page, address: str, widths: tuple[int, ...] = WIDTHS) -> dict[int, list[str]]:
    """Return what is wrong with the formulas of a page, width by width, with everything unfolded."""
    page.goto(address)
    page.evaluate(UNFOLD)
    page.evaluate("document.fonts.ready")
    faults: dict[int, list[str]] = {}
    if not page.locator("article .formula").count():
        return faults
    for width in widths:
        page.set_viewport_size({"width": width, "height": 900})
        faults[width] = page.evaluate(FAULTS)
    return {width: found for width, found in faults.items() if found}


@every_page
def test_formulas_are_whole_at_every_width(tab: Page, address: Callable[[str, str], str], name: str) -> None:
    assert not look(tab, address("file", name))
    assert name not in CHAPTERS or tab.locator(".formula").count() > 50


LONG = r"\operatorname{Reg}(T) \le " + " + ".join(rf"\sum_{{a}} \frac{{\log T}}{{\Delta_{{{i}}}}}" for i in range(12))
SOLID = rf"\frac{{{'+'.join('abcdefghijklmnopqrstuvwxyz' * 2)}}}{{2}}"


@pytest.fixture
def sample(tmp_path: Path) -> Callable[[str], str]:
    """Return a function that writes a page of formulas of all kinds, in the book's styles and one more, and gives its address."""
    inline = "".join(f'<span class="formula">{render(tex, False)}</span>, ' for tex in ("x^2", r"\sqrt{\tfrac12}", LONG, SOLID))
    displayed = "".join(f'<div class="formula">{render(tex, True)}</div>' for tex in ("x^2", LONG, SOLID))

    def write(style: str) -> str:
        sheets = "".join(
            f'<link rel="stylesheet" href="{(SITE / "_static" / sheet).as_uri()}">'
            for sheet in ("styles/pydata-sphinx-theme.css", "vendor/katex/katex.min.css", "book.css")
        )
        script = f'<script src="{(SITE / "_static" / "book.js").as_uri()}"></script>'
        text = f"<p>Text {inline}</p>{displayed}<ul><li>{inline}{displayed}</li></ul>"
        path = tmp_path / "sample.html"
        path.write_text(
            f'<!doctype html><meta charset="utf-8">{sheets}<style>{style}</style>{script}'
            f'<body><article class="bd-article">{text}</article>'
        )
        return path.as_uri()

    return write


def test_long_formulas_break_or_scroll(browser: Browser, sample: Callable[[str], str]) -> None:
    with browser.new_context() as context:
        page = context.new_page()
        assert not look(page, sample(""))
        page.set_viewport_size({"width": 390, "height": 900})
        page.evaluate(FAULTS)
        assert page.locator("[tabindex='0'][role=group]").count() == 4, "only the solid ones scroll"
        page.set_viewport_size({"width": 4000, "height": 900})
        page.evaluate(FAULTS)
        assert page.locator("[tabindex]").count() == 0


@pytest.mark.parametrize(
    ("style", "fault"),
    [
        ("span.formula { display: inline-block; max-width: 100%; overflow: hidden !important }", "cut off at its end"),
        ("article { overflow: hidden } span.formula.wide { overflow: visible }", "cut off at its end"),
        ("div.formula > .katex-display { overflow: hidden }", "cut off at its end"),
        (".formula > .katex-display > .katex { display: block; height: 0.5em; overflow: hidden }", "cut off above or below"),
        (".formula > .katex-display { display: flex; justify-content: center }", "cut off at its beginning"),
        (".formula > .katex-display { scrollbar-width: none }", "scrolls without a scrollbar"),
        ("span.formula { display: inline-block; overflow-x: scroll }", "scrolls though there is room"),
        ("div.formula > .katex-display { overflow: visible }", "beyond the window"),
        (".formula { display: none }", "not shown"),
        (".katex-html .katex-base { overflow-x: scroll }", "scrolls by mouse only"),
    ],
)
def test_this_test_sees_formulas_spoilt(browser: Browser, sample: Callable[[str], str], style: str, fault: str) -> None:
    with browser.new_context() as context:
        seen = look(context.new_page(), sample(style), (320,))
    assert any(found.startswith(fault) for found in seen.get(320, [])), seen
