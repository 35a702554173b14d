"""What must hold on each page of the built book, over http and from its file."""

from collections.abc import Callable, Iterator
from urllib.parse import unquote, urlsplit

import pytest
from pages import FRONT, PAGES, Links, every_page
from playwright.sync_api import Browser, Page

from checkout import ROOT, SITE

pytestmark = pytest.mark.site

PHONE = {"width": 390, "height": 844}

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


@every_page
def test_page_is_whole_and_asks_no_other_host(tab: Page, address: Callable[[str, str], str], name: str) -> None:
    tab.goto(address("http", name))
    assert not faults(tab)


def faults(page: Page) -> dict[str, list[str]]:
    """Let a page settle; return what is wrong with it."""
    page.evaluate(SETTLE)
    return {fault: found for fault, found in page.evaluate(FAULTS).items() if found}


@pytest.fixture(scope="module")
def phone(browser: Browser) -> Iterator[Page]:
    """Open a page on a phone; nothing that the tests below do there is remembered."""
    with browser.new_context(viewport=PHONE, device_scale_factor=2, is_mobile=True) as context:
        yield context.new_page()


@every_page
def test_page_from_its_file_is_whole_and_fits_a_phone(phone: Page, address: Callable[[str, str], str], name: str) -> None:
    phone.goto(address("file", name))
    assert not faults(phone)
    width = phone.evaluate("document.documentElement.scrollWidth")
    beyond = phone.evaluate(BEYOND)
    assert width <= PHONE["width"], f"the page scrolls sideways: it is {width} px wide; {beyond[:5]}"
    assert not beyond, "these reach beyond the window and are cut off"


@every_page
def test_links_lead_somewhere(name: str) -> None:
    assert not lost_links(name), "these links lead nowhere"


def lost_links(name: str) -> list[str]:
    """List a page's links to addresses of the book that do not exist."""
    page = SITE / name
    lost = []
    for link in read(name).addresses:
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            continue
        target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
        if target.is_dir():
            target /= "index.html"
        if not target.is_file():
            lost.append(link)
        elif parts.fragment and target.suffix == ".html":
            anchors = read(target.relative_to(SITE).as_posix()).anchors
            lost += [link] if unquote(parts.fragment) not in anchors else []
    return lost


def read(name: str, known: dict[str, Links] = {}) -> Links:  # noqa: B006
    """Read a page's links once."""
    if name not in known:
        known[name] = Links(SITE / name)
    return known[name]


def test_every_licence_is_beside_its_files() -> None:
    texts = [path for path in (ROOT / "book" / "_static" / "vendor").rglob("*") if path.name.startswith(("LICENSE", "NOTICE"))]
    assert len(texts) == 6
    assert all((SITE / path.relative_to(ROOT / "book")).read_bytes() == path.read_bytes() for path in texts)


def test_the_page_for_wrong_addresses_is_whole_at_the_top_of_a_server(tab: Page, address: Callable[[str, str], str]) -> None:
    tab.goto(address("http", "404.html"))
    assert tab.locator("h1").count() and not faults(tab)


def test_pages_of_source_code_are_whole(page: Page, address: Callable[[str, str], str]) -> None:
    """Made by one template from the files of the package and of its tests, so that visits to the longest of each are enough."""
    others = {path.relative_to(SITE).as_posix() for path in SITE.rglob("*.html")} - {*PAGES, FRONT, "404.html"}
    sources = sorted(name for name in others if not name.startswith("_static/"))
    assert all(name.startswith(("_modules/", "_tests/")) for name in sources), "these pages are in no contents"
    assert {"_modules/bandits_dp/play/simulate.html", "_tests/test_07_arm_elimination.html"} <= set(sources)
    assert not {name: lost for name in sources if (lost := lost_links(name))}, "these have links that lead nowhere"
    page.set_viewport_size(PHONE)
    for kind in ("_modules/", "_tests/"):
        for name in sorted((name for name in sources if name.startswith(kind)), key=lambda name: -(SITE / name).stat().st_size)[:8]:
            page.goto(address("file", name))
            assert not any(page.evaluate(FAULTS).values()), name
            assert not page.evaluate(BEYOND), f"{name} reaches beyond a phone's window"
