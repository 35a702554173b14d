"""No formula of the book is cut off, scrolls without need or stops the Tab key, from the narrowest phone to a wide screen."""

from collections.abc import Callable

import pytest
from pages import CHAPTERS, every_page
from playwright.sync_api import Page

pytestmark = pytest.mark.site

WIDTHS = 320, 390, 768, 1366, 1920

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


@every_page
def test_formulas_are_whole_at_every_width(tab: Page, address: Callable[[str, str], str], name: str) -> None:
    tab.goto(address("file", name))
    tab.evaluate(UNFOLD)
    tab.evaluate("document.fonts.ready")
    count = tab.locator("article .formula").count()
    assert name not in CHAPTERS or count > 50
    for width in WIDTHS if count else ():
        tab.set_viewport_size({"width": width, "height": 900})
        assert not tab.evaluate(FAULTS), width
