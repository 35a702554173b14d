"""Lecture slides in a browser, straight from their files: nothing runs over, nothing is asked of anybody, notes are at hand."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

import make_slides

COUNTING = next(path.stem for path in make_slides.CHAPTERS if path.stem.startswith("04"))
READY = "document.documentElement.dataset.ready === ''"

# All slides are laid out, one upon the other, as when they are fitted. Lengths are those of the sheet, before it is scaled.
MEASURED = """() => {
  const deck = document.querySelector(".reveal"), wrong = [], smallest = [];
  deck.classList.add("fitting");
  const scale = deck.querySelector(".sheet").getBoundingClientRect().width / 1280;
  for (const sheet of deck.querySelectorAll(".sheet")) {
    const page = sheet.getBoundingClientRect(), parts = [...sheet.querySelectorAll(".part")];
    const name = `${sheet.parentElement.className} ${sheet.parentElement.id} ${sheet.textContent.trim().slice(0, 40)}`;
    const boxes = parts.map((part) => part.getBoundingClientRect());
    for (const part of [...parts, ...sheet.querySelectorAll(".part pre, .part table, .katex, .bdp-figure")]) {
      const box = part.getBoundingClientRect();
      const off = box.right > page.right + 1 || box.bottom > page.bottom + 1 || box.left < page.left - 1;
      if (off) wrong.push(`${name}: off the sheet`);
      if (part.matches(".part, pre") && part.scrollWidth > part.clientWidth + 1) wrong.push(`${name}: wider than its box`);
    }
    boxes.forEach((one, i) => boxes.slice(i + 1).forEach((other) => {
      const across = Math.min(one.right, other.right) - Math.max(one.left, other.left);
      const down = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
      if (across > 2 && down > 2) wrong.push(`${name}: one over the other`);
    }));
    for (const text of sheet.querySelectorAll(".part :is(p, li, pre, td, .bdp-note), .drawing text")) {
      const drawn = text.closest(".drawing") ? Math.hypot(text.getScreenCTM().a, text.getScreenCTM().b) / scale : 1;
      const size = parseFloat(getComputedStyle(text).fontSize) * (text.currentCSSZoom || 1) * drawn;
      if (size < 13) smallest.push(`${name}: ${text.textContent.slice(0, 20)} at ${size.toFixed(1)}`);
    }
  }
  deck.classList.remove("fitting");
  if (!scale) wrong.push("nothing is laid out");
  return { wrong, smallest };
}"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("slides")
    make_slides.copy_assets(made)
    return made


@pytest.fixture(scope="module")
def watched(browser: Browser) -> Iterator[tuple[BrowserContext, list[str]]]:
    """Open a context without a network, and note every page's error and every outside request."""
    wrong: list[str] = []
    with browser.new_context(viewport={"width": 1280, "height": 720}, offline=True) as context:
        context.on("request", lambda request: wrong.append(request.url) if request.url.startswith("http") else None)
        context.on("requestfailed", lambda request: wrong.append(request.url))
        context.on("weberror", lambda error: wrong.append(str(error.error)))
        yield context, wrong


@pytest.fixture
def slides(watched: tuple[BrowserContext, list[str]], folder: Path) -> Iterator[Callable[..., Page]]:
    """Return a function that makes a chapter's slides if need be, and opens them."""
    context, wrong = watched

    def opened(stem: str, place: str = "") -> Page:
        path = folder / f"{stem}.html"
        if not path.is_file():
            make_slides.make(make_slides.NOTEBOOKS / f"{stem}.ipynb", folder)
        page = context.new_page()
        page.goto(path.as_uri() + place)
        page.wait_for_function(READY)
        return page

    yield opened
    for page in context.pages:
        page.close()
    told = wrong[:]
    wrong.clear()
    assert not told


@pytest.mark.parametrize("stem", [path.stem for path in make_slides.CHAPTERS])
def test_nothing_runs_over_and_all_can_be_read(slides: Callable[..., Page], stem: str) -> None:
    page = slides(stem)
    assert page.evaluate(MEASURED) == {"wrong": [], "smallest": []}


def test_keys_themes_and_paper(slides: Callable[..., Page]) -> None:
    page = slides(COUNTING, "#/fig-dyadic")
    light = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    page.keyboard.press("d")
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") != light
    figure = page.locator("#fig-dyadic figure")
    before, place = figure.locator(".bdp-note").inner_text(), page.evaluate("Reveal.getSlidePastCount()")
    figure.locator("input").first.click(position={"x": 20, "y": 15})
    assert figure.locator(".bdp-note").inner_text() != before
    page.wait_for_function("document.activeElement === document.body")  # so that keys lead on
    page.keyboard.press("PageDown")
    count = page.evaluate("Reveal.getTotalSlides()")
    assert count > 30 and page.evaluate("Reveal.getSlidePastCount()") == place + 1
    page = slides(COUNTING, "?print-pdf")
    page.locator(".pdf-page").last.wait_for()
    assert page.locator(".pdf-page").count() == count
    assert page.evaluate("document.documentElement.dataset.theme") == "light"


@pytest.mark.parametrize("place", ["#/%E0%A4%A", "#/nonsense/99", "#/-1e999", "#%", "?view=nonsense&print=%E0", "#/__proto__"])
def test_nonsense_in_an_address_or_kept_by_a_browser_shows_the_first_slide(slides: Callable[..., Page], place: str) -> None:
    """A theme that no style sheet knows was taken over from what the browser kept."""
    page = slides(COUNTING, place)
    page.evaluate("localStorage.setItem('slides-theme', 'nonsense')")
    page.reload()
    page.wait_for_function(READY)
    assert page.evaluate("document.documentElement.dataset.theme") == "light" and page.evaluate("Reveal.getSlidePastCount()") == 0


def test_the_speakers_window_works_without_a_network(slides: Callable[..., Page]) -> None:
    page = slides(COUNTING, "#/thm-root")
    assert page.locator("section.present > section.present .part .katex").first.is_visible()
    with page.context.expect_page() as opened:
        page.keyboard.press("s")
    notes = opened.value.locator(".speaker-controls-notes .value")
    opened.value.wait_for_function("document.querySelector('.speaker-controls-notes .value').textContent.includes('proof')")
    assert notes.locator("math").count() > 10 and notes.locator("summary").inner_text() == "Complete proof"
