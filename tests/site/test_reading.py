"""What a reader does with the built book: search, switch to the dark, open solutions, move figures."""

import re
from collections.abc import Callable

import pytest
from pages import CHAPTERS, both_schemes, every_chapter
from playwright.sync_api import Locator, Page, expect

from checkout import ROOT, SITE

pytestmark = pytest.mark.site

Address = Callable[[str, str], str]


@both_schemes
def test_search_finds_a_chapter(page: Page, address: Address, scheme: str) -> None:
    chapter = CHAPTERS[-1]
    page.goto(address(scheme, chapter))
    title = page.locator("h1").first.inner_text()
    word = max(re.findall(r"[a-z]+", title.lower()), key=len)
    page.locator("button.search-button-field:visible, button.search-button:visible").first.click()
    page.locator("dialog[open] input[type=search]").fill(word)
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/search.html?q={word}*")
    page.locator("ul.search li a").first.wait_for()
    found = page.eval_on_selector_all("ul.search li a", "all => all.map((a) => a.href)")
    assert any(chapter in link for link in found), f"a search for {word!r} does not find {chapter}: {found}"


@both_schemes
def test_theme_can_be_switched(page: Page, address: Address, scheme: str) -> None:
    page.goto(address(scheme, CHAPTERS[0]))
    colours = {}
    for _ in range(3):
        page.locator("button.theme-switch-button:visible").first.click()
        theme = page.evaluate("document.documentElement.dataset.theme")
        colours[theme] = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert set(colours) == {"light", "dark"}
    assert colours["light"] != colours["dark"]


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
  return [...document.querySelectorAll(".drawing text")].map((text) => {
    const ink = light(getComputedStyle(text).fill), size = parseFloat(getComputedStyle(text).fontSize);
    return [text.textContent, Math.max(ink, paper) / Math.min(ink, paper), size * text.getScreenCTM().a, text.getScreenCTM().b];
  });
}"""


@every_chapter
def test_drawings_can_be_read(tab: Page, address: Address, name: str) -> None:
    """Inks in both themes, and sizes at every width, as neither depends on the other."""
    tab.goto(address("file", name))
    assert not tab.locator(".cell_output img:visible").count(), "a picture that cannot follow the theme"
    tab.add_style_tag(content="* { transition: none !important }")  # no ink is on its way from theme to theme
    for theme in ("dark", "light"):
        tab.emulate_media(color_scheme=theme)
        tab.wait_for_function("(theme) => document.documentElement.dataset.theme === theme", arg=theme)
        texts = tab.evaluate(INKS)
        assert texts or not tab.locator(".drawing").count()
        assert not [text for text in texts if text[1] < 4], f"these can hardly be read in the {theme}"
    for width in (320, 390, 768, 1366):
        tab.set_viewport_size({"width": width, "height": 900})
        upright = [text for text in tab.evaluate(INKS) if not text[3]]
        assert not [text for text in upright if not 11.4 <= text[2] <= 16], f"letters too small or too large at {width} pixels"


@every_chapter
def test_everything_folded_opens(tab: Page, address: Address, name: str) -> None:
    tab.goto(address("file", name))
    tab.wait_for_load_state()
    assert not tab.locator("article .toggle-button, article div.dropdown").count(), "folded in another way than everything else"
    names = tab.locator("article details > summary").all_text_contents()
    assert not [told for told in names if "hidden" in told or "Click" in told or not told.strip()]
    boxes = tab.locator("article details")
    for place in {0, boxes.count() // 2, boxes.count() - 1}:
        open_box(boxes.nth(place))
    assert not tab.evaluate(CLOSED), "these do not open"


# Opens what is still folded by its own handle; returns what cannot be seen then.
CLOSED = """() => [...document.querySelectorAll("article details")].filter((box) => {
  const handle = box.querySelector(":scope > summary"), body = box.querySelector(":scope > :not(summary)");
  if (!box.open) handle.click();
  return !box.open || !body.checkVisibility();
}).map((box) => box.textContent.trim().slice(0, 80))"""


def open_box(box: Locator) -> None:
    """Open a folded box as a reader does, and expect to see what is in it."""
    body = box.locator(":scope > :not(summary)").first
    for parent in reversed(box.locator("xpath=ancestor::details").all()):
        parent.evaluate("(e) => (e.open = true)")
    if not box.is_visible() or body.is_visible():
        return
    box.locator("summary").first.click()
    expect(body).to_be_visible()


@every_chapter
def test_a_figure_moves_by_keyboard(tab: Page, address: Address, name: str) -> None:
    tab.goto(address("file", name))
    tab.wait_for_load_state()
    sliders = tab.locator(".bdp-figure input[type=range]")
    assert sliders.count(), "a chapter has at least one figure that a reader can move"
    for slider in sliders.all():
        figure = slider.locator("xpath=ancestor::*[contains(concat(' ', @class, ' '), ' bdp-figure ')][1]")
        for folded in slider.locator("xpath=ancestor::details").all():
            folded.evaluate("(e) => (e.open = true)")
        slider.scroll_into_view_if_needed()
        expect(slider).to_have_accessible_name(re.compile(r"\S"))
        expect(figure.locator("svg").first).to_be_visible()
        first = figure.locator("input[type=range]").first
        drawn = "(e) => [...e.querySelectorAll('svg')].map((s) => s.outerHTML).join()"
        before = figure.evaluate(drawn)
        at_end = slider.evaluate("(e) => Number(e.value) >= Number(e.max)")
        slider.focus()
        tab.keyboard.press("ArrowLeft" if at_end else "ArrowRight")
        if figure.evaluate(drawn) == before:  # at its start a scene may show nothing yet that another slider could change
            first.press("End")
            before = figure.evaluate(drawn)
            slider.press("ArrowRight" if at_end else "ArrowLeft")
        tab.wait_for_function(f"([e, before]) => ({drawn})(e) !== before", arg=[figure.element_handle(), before], timeout=5000)


def test_buttons_follow_the_repository_address(page: Page, address: Address) -> None:
    known = re.search(r'(?m)^  url: "(.*)"$', (ROOT / "_config.yml").read_text("utf-8"))
    page.goto(address("file", CHAPTERS[0]))
    assert bool(page.locator(".dropdown-launch-buttons, .dropdown-source-buttons").count()) == bool(known and known[1])


def test_the_first_page_leads_to_the_welcome_page(page: Page, address: Address) -> None:
    page.goto(address("file", "index.html"))
    page.wait_for_url("**/book/welcome.html")


def test_what_a_link_names_stands_beside_it(page: Page, address: Address) -> None:
    page.goto(address("http", "notebooks/10_private_linucb.html"), wait_until="networkidle")
    card = page.locator("article > .beside")
    link = page.locator("article a.internal[href*='06_vector_summation.html#lem-linear']").first  # a box of another page
    link.hover()
    expect(card).to_be_visible()
    expect(card).to_contain_text("Lemma 6.3")
    card.hover()
    expect(card).to_be_visible()
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()
    page.mouse.move(1, 1)
    page.keyboard.press("Tab")
    link.focus()
    expect(card).to_be_visible()
    link.blur()
    expect(card).to_be_hidden()
    assert not card.locator("a, [id]").count(), "nothing in it can be focused or is there twice"


def test_a_printed_chapter_shows_its_proofs_and_no_scrollbar(page: Page, address: Address) -> None:
    page.set_viewport_size({"width": 674, "height": 950})
    page.emulate_media(media="print")
    for name in (CHAPTERS[5], CHAPTERS[9], "book/catalogue.html", "book/welcome.html"):
        page.goto(address("http", name), wait_until="networkidle")
        hidden, forms, scrolls = page.evaluate("""() => {
          const all = (what) => [...document.querySelectorAll(`article ${what}`)];
          const told = (list) => list.map((e) => e.outerHTML.slice(0, 100));
          return [told(all("details.fold:not(.solution) div.proof").filter((e) => !e.closest(".solution") && !e.offsetHeight)),
            told(all(":is(form, button, input)").filter((e) => e.checkVisibility())),
            told(all("*").filter((e) => /auto|scroll/.test(getComputedStyle(e).overflowX) && e.scrollWidth > e.clientWidth + 1
              && e.checkVisibility()))];
        }""")
        assert not (hidden or forms or scrolls), (name, hidden, forms, scrolls)
    expect(page.locator("canvas.lull-stage")).to_be_visible()


def test_no_page_holds_a_name_twice() -> None:
    """Not one page of the book, of the package's code or of the tests."""
    for page in SITE.rglob("*.html"):
        names = re.findall(r'<[a-z][^<>]*? id="([^"]*)"', page.read_text("utf-8"))
        assert len(names) == len(set(names)), (page.name, sorted(name for name in set(names) if names.count(name) > 1)[:5])
