"""What must hold on each page of the built book. It is opened once from a server, on a wide screen, and once from its file.

The tests of a page follow one another, and each finds the page as the one before it left it: more and more of it is open.
"""

import json
import posixpath
import re
from collections.abc import Iterator
from html import unescape
from urllib.parse import unquote, urlsplit

import pytest
from pages import CHAPTERS, DESKTOP, FRONT, PAGES, PHONE, Address, watch
from playwright.sync_api import Browser, Locator, Page, expect

from checkout import ROOT, SITE

# The tests of one name are run together, because chapters come first among the pages.
every_page = pytest.mark.parametrize("name", PAGES, scope="module")
every_chapter = pytest.mark.parametrize("name", CHAPTERS, scope="module")
WIDTHS = 320, 390, 768, 1366, 1920
DRAFT = "whole-book.html"  # which test_pdf.py prints meanwhile, and removes

# Wait for fonts and images; then return what a reader would miss.
SETTLE = """async () => {
  await document.fonts.ready;
  document.querySelectorAll("img[loading=lazy]").forEach((img) => (img.loading = "eager"));
  await Promise.all([...document.images].map((img) => img.decode().catch(() => {})));
}"""
FAULTS = """() => {
  const all = (what) => [...document.querySelectorAll(what)];
  return {
    "formula not typeset": all(".formula:not(:has(.katex-html)), .math").map((e) => e.textContent),
    "live widget, which needs a kernel": all("script[type*='jupyter.widget-view']").map((e) => e.textContent),
    "image not loaded": all("img").filter((i) => !i.naturalWidth && i.checkVisibility()).map((i) => i.src),
    // The theme's logos on the buttons of a book with an address say their own names.
    "image whose text is missing, short or its file's name": all("article img, main img:not(.bd-header-article img)")
      .filter((i) => i.alt.trim().length < 20 || i.alt.trim().endsWith(i.src.split("/").pop()))
      .map((i) => i.src),
  };
}"""
# Elements of the article that reach beyond the window, unless a box of their own scrolls or clips them.
BEYOND = """() => {
  const held = (e) => {
    for (let p = e.parentElement; p && p !== document.body; p = p.parentElement)
      if (getComputedStyle(p).overflowX !== "visible" && p.getBoundingClientRect().right <= innerWidth + 1)
        return true;
    return false;
  };
  return [...document.querySelectorAll("article *")]
    .filter((e) => e.getBoundingClientRect().right > innerWidth + 1 && e.getBoundingClientRect().width > 0)
    .filter((e) => e.checkVisibility() && !held(e))
    .filter((e) => !e.closest("[clip-path]") && !e.querySelector("[clip-path]")) // a drawing cuts marks at its axes
    .map((e) => e.outerHTML.slice(0, 120));
}"""
# Opens what is still folded by its own handle; returns what cannot be seen then.
CLOSED = """() => {
  const boxes = [...document.querySelectorAll("article details")];
  boxes.forEach((box) => box.open || box.querySelector(":scope > summary").click());
  return boxes.filter((box) => !box.open || !box.querySelector(":scope > :not(summary)").checkVisibility())
    .map((box) => box.textContent.trim().slice(0, 80));
}"""
# Everything open, and no side bar and no ink still on its way.
UNFOLD = """() => {
  document.head.append(Object.assign(document.createElement("style"), {textContent: "* { transition: none !important }"}));
  document.querySelectorAll("details").forEach((fold) => (fold.open = true));
  // Sections far away are laid out when a reader comes near; here he has been everywhere.
  document.querySelectorAll("article > section > section").forEach((part) => (part.style.contentVisibility = "visible"));
  document.querySelectorAll(".toggle-hidden").forEach((box) => box.classList.remove("toggle-hidden"));
}"""
# A canvas turns any way of writing a colour into numbers.
INKS = """() => {
  const pen = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  const known = new Map(), light = (color) => known.get(color) ?? known.set(color, measure(color)).get(color);
  const measure = (color) => {
    pen.fillStyle = color;
    pen.fillRect(0, 0, 1, 1);
    const parts = [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3).map((level) => level / 255);
    const [r, g, b] = parts.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
  };
  const paper = light(getComputedStyle(document.body).backgroundColor);
  return JSON.stringify([...document.querySelectorAll(".drawing text")].map((text) => { // many values come faster as one text
    const ink = light(getComputedStyle(text).fill), size = parseFloat(getComputedStyle(text).fontSize);
    return [text.textContent, Math.max(ink, paper) / Math.min(ink, paper), size * text.getScreenCTM().a, text.getScreenCTM().b];
  }));
}"""
# No formula is cut off, scrolls without need or stops the Tab key. The parts that KaTeX never breaks are followed outwards, through
# every box that clips or scrolls. What a scrolling box can show counts as seen, and from there on the box itself is what has to be
# in sight.
FORMULAS = """async () => {
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


def faults(page: Page) -> dict[str, list[str]]:
    """Let a page settle; return what is wrong with it."""
    page.evaluate(SETTLE)
    return {fault: found for fault, found in page.evaluate(FAULTS).items() if found}


@pytest.fixture
def shown(one_tab: tuple[Page, list[str]], server: str, name: str) -> Iterator[Page]:
    """Lend the one tab with the page that the tests of this name share, opened by the first of them."""
    page, wrong = one_tab
    if page.url != f"{server}/{name}":
        page.set_viewport_size(DESKTOP)
        page.emulate_media(color_scheme="light")
        page.goto(f"{server}/{name}")
    yield page
    told = wrong[:]
    wrong.clear()
    assert not told


@every_page
def test_page_is_whole_and_asks_no_other_host(shown: Page, name: str) -> None:
    assert not faults(shown)


@every_chapter
def test_everything_folded_opens(shown: Page, name: str) -> None:
    assert not shown.locator("article .toggle-button, article div.dropdown").count(), "folded in another way than everything else"
    names = shown.locator("article details > summary").all_text_contents()
    assert not [told for told in names if "hidden" in told or "Click" in told or not told.strip()]
    boxes = shown.locator("article details")
    for place in {boxes.count() // 2, boxes.count() - 1}:
        open_box(boxes.nth(place))
    assert not shown.evaluate(CLOSED), "these do not open"


def open_box(box: Locator) -> None:
    """Open a folded box as a reader does, and expect to see what is in it."""
    body = box.locator(":scope > :not(summary)").first
    box.evaluate("(e) => { while ((e = e.parentElement)) if (e.tagName === 'DETAILS') e.open = true; }")
    if not box.is_visible() or body.is_visible():
        return
    box.locator("summary").first.click()
    expect(body).to_be_visible()


@every_chapter
def test_a_chapter_offers_its_notebook_and_the_package(shown: Page, name: str) -> None:
    links = shown.locator("p.take-along a").evaluate_all("all => all.map((a) => a.getAttribute('href'))")
    assert shown.locator("p.take-along").count() == 1
    assert links == [f"../_sources/{name.removesuffix('.html')}.ipynb", "../book/get_the_code.html#the-package-alone"]


@every_chapter
def test_a_figure_moves_by_keyboard(shown: Page, name: str) -> None:
    shown.evaluate("document.querySelectorAll('details').forEach((fold) => (fold.open = true))")
    sliders = shown.locator(".bdp-figure input[type=range]")
    assert sliders.count(), "a chapter has at least one figure that a reader can move"
    for slider in sliders.all():
        figure = slider.locator("xpath=ancestor::*[contains(concat(' ', @class, ' '), ' bdp-figure ')][1]")
        slider.scroll_into_view_if_needed()
        expect(slider).to_have_accessible_name(re.compile(r"\S"))
        expect(figure.locator("svg").first).to_be_visible()
        drawn = "(e) => [...e.querySelectorAll('svg')].map((s) => s.outerHTML).join()"
        before = figure.evaluate(drawn)
        at_end = slider.evaluate("(e) => Number(e.value) >= Number(e.max)")
        slider.focus()
        shown.keyboard.press("ArrowLeft" if at_end else "ArrowRight")
        if figure.evaluate(drawn) == before:  # at its start a scene may show nothing yet that another slider could change
            figure.locator("input[type=range]").first.press("End")
            before = figure.evaluate(drawn)
            slider.press("ArrowRight" if at_end else "ArrowLeft")
        shown.wait_for_function(f"([e, before]) => ({drawn})(e) !== before", arg=[figure.element_handle(), before], timeout=5000)


@every_chapter
def test_drawings_can_be_read_in_both_themes(shown: Page, name: str) -> None:
    shown.evaluate(UNFOLD)
    assert not shown.locator(".cell_output img:visible").count(), "a picture that cannot follow the theme"
    for theme in ("dark", "light"):
        shown.emulate_media(color_scheme=theme)
        shown.wait_for_function("(theme) => document.documentElement.dataset.theme === theme", arg=theme)
        texts = json.loads(shown.evaluate(INKS))
        assert texts or not shown.locator(".drawing").count()
        assert not [text for text in texts if text[1] < 4], f"these can hardly be read in the {theme}"


@every_page
def test_formulas_and_letters_are_whole_at_every_width(shown: Page, name: str) -> None:
    shown.evaluate(UNFOLD)
    count = shown.locator("article .formula").count()
    assert name not in CHAPTERS or count > 50
    for width in WIDTHS if count else ():
        shown.set_viewport_size({"width": width, "height": 900})
        assert not shown.evaluate(FORMULAS), width
        if name in CHAPTERS and width < 1920:
            upright = [text for text in json.loads(shown.evaluate(INKS)) if not text[3]]
            assert not [text for text in upright if not 11.4 <= text[2] <= 16], f"letters too small or too large at {width} pixels"


@pytest.fixture(scope="module")
def phone(browser: Browser, server: str) -> Iterator[tuple[Page, list[str]]]:
    wrong: list[str] = []
    with browser.new_context(viewport=PHONE, device_scale_factor=2, is_mobile=True) as context:
        yield watch(context, server, wrong), wrong


@every_page
def test_page_from_its_file_is_whole_and_fits_a_phone(phone: tuple[Page, list[str]], address: Address, name: str) -> None:
    page, wrong = phone
    wrong.clear()
    page.goto(address("file", name))
    assert not faults(page)
    width = page.evaluate("document.documentElement.scrollWidth")
    beyond = page.evaluate(BEYOND)
    assert width <= PHONE["width"], f"the page scrolls sideways: it is {width} px wide; {beyond[:5]}"
    assert not beyond, "these reach beyond the window and are cut off"
    assert not wrong


def test_pages_of_source_code_are_whole(phone: tuple[Page, list[str]], address: Address) -> None:
    """Made by one template from the files of the package and of its tests, so that visits to the longest of each are enough."""
    others = {path.relative_to(SITE).as_posix() for path in SITE.rglob("*.html")} - {*PAGES, FRONT, "404.html", DRAFT}
    sources = sorted(name for name in others if not name.startswith("_static/"))
    assert all(name.startswith(("_modules/", "_tests/")) for name in sources), "these pages are in no contents"
    assert {"_modules/bandits_dp/play/simulate.html", "_tests/test_07_arm_elimination.html"} <= set(sources)
    page, wrong = phone
    for kind in ("_modules/", "_tests/"):
        for name in sorted((name for name in sources if name.startswith(kind)), key=lambda name: -(SITE / name).stat().st_size)[:3]:
            page.goto(address("file", name))
            assert not any(page.evaluate(FAULTS).values()), name
            assert not page.evaluate(BEYOND), f"{name} reaches beyond a phone's window"
    assert not wrong


TAG = re.compile(r"""<([a-zA-Z]\w*)\b((?:[^<>"']|"[^"]*"|'[^']*')*)>""")
NOT_READ = re.compile(r"(?s)<!--.*?-->|(<script\b[^>]*>).*?(?=</script>)")


def test_links_lead_somewhere_and_no_page_holds_a_name_twice() -> None:
    """On no page of the book, of the package's code or of the tests."""
    files = {path.relative_to(SITE).as_posix(): path for path in SITE.rglob("*") if path.name != DRAFT and path.is_file()}
    pages = {name: parsed(path.read_text("utf-8")) for name, path in files.items() if name.endswith(".html")}
    known = {name: {*anchors} for name, (_, anchors) in pages.items()}
    for name, (links, anchors) in pages.items():
        assert len(anchors) == len(known[name]), (name, sorted(one for one in known[name] if anchors.count(one) > 1)[:5])
        for link in {*links} if not name.startswith("_static/") else ():
            parts = urlsplit(link)
            if not (parts.scheme or parts.netloc):
                target = posixpath.normpath(posixpath.join(posixpath.dirname(name), unquote(parts.path))) if parts.path else name
                assert target in files, f"{link} in {name} leads nowhere"
                there = not parts.fragment or target not in known or unquote(parts.fragment) in known[target]
                assert there, f"{link} in {name} leads to no place on its page"


def parsed(text: str) -> tuple[list[str], list[str]]:
    """Return the addresses that a page names and the anchors that it offers."""
    addresses, anchors = [], []
    for tag, attributes in TAG.findall(NOT_READ.sub(r"\1", text)):
        named = {key: unescape(value) for key, value in re.findall(r'([\w:-]+)="([^"]+)"', attributes)}
        anchors += [named["id"]] if "id" in named else []
        if tag in ("a", "img", "link", "script", "source", "iframe"):
            addresses += [named[key] for key in ("href", "src") if key in named]
        if named.get("http-equiv", "").lower() == "refresh":
            addresses.append(named.get("content", "").partition("url=")[2].strip("'\" "))
    return addresses, anchors


def test_every_licence_is_beside_its_files() -> None:
    texts = [path for path in (ROOT / "book" / "_static" / "vendor").rglob("*") if path.name.startswith(("LICENSE", "NOTICE"))]
    assert len(texts) == 6
    assert all((SITE / path.relative_to(ROOT / "book")).read_bytes() == path.read_bytes() for path in texts)
