"""What a reader does with the built book: search, switch to the dark, look at what a link names, print."""

import re
from collections.abc import Callable

import pytest
from pages import CHAPTERS, both_schemes
from playwright.sync_api import Page, expect

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


def test_buttons_follow_the_repository_address() -> None:
    known = re.search(r'(?m)^  url: "(.*)"$', (ROOT / "_config.yml").read_text("utf-8"))
    page = (SITE / CHAPTERS[0]).read_text("utf-8")
    assert bool(re.search('class="[^"]*dropdown-(launch|source)-buttons', page)) == bool(known and known[1])


def test_the_first_page_leads_to_the_welcome_page(page: Page, address: Address) -> None:
    page.goto(address("file", "index.html"))
    page.wait_for_url("**/book/welcome.html")


def test_what_a_link_names_stands_beside_it(page: Page, address: Address) -> None:
    page.goto(address("http", "notebooks/10_private_linucb.html"))
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


def test_notes_stand_beside_the_text_of_wide_screens_and_over_nothing(page: Page, address: Address) -> None:
    for name in (CHAPTERS[1], CHAPTERS[9]):
        for width in (1440, 1520, 1920):
            page.set_viewport_size({"width": width, "height": 900})
            page.goto(address("http", name))
            beside, inside, wrong = page.evaluate("""async () => {
              await document.fonts.ready;
              const all = (what) => [...document.querySelectorAll(`article ${what}`)];
              for (const part of all("> section > section")) part.style.contentVisibility = "visible";
              // What a style sheet writes has no box to measure: an element like it takes its place.
              for (const link of all("a.noted")) {
                const {float, clear, width, margin, font, display} = getComputedStyle(link, "::after");
                if (float === "none") continue;
                link.append(Object.assign(document.createElement("b"), {className: "note", textContent: link.title}));
                Object.assign(link.lastElementChild.style, {float, clear, width, margin, font, display});
              }
              document.head.insertAdjacentHTML("beforeend", "<style>a.noted::after { content: none !important }</style>");
              const end = all("p")[0].getBoundingClientRect().right, contents = document.querySelector(".bd-sidebar-secondary");
              const box = (e) => e.getBoundingClientRect();
              const overlap = (a, b) => Math.min(a.right, b.right) > Math.max(a.left, b.left) + 1
                && Math.min(a.bottom, b.bottom) > Math.max(a.top, b.top) + 1;
              const notes = all(":is(.checked-by, .note, figure:not(.bdp-figure) > figcaption)").filter((e) => e.checkVisibility());
              const beside = notes.filter((e) => box(e).left > end), over = all(":is(p, pre, svg, img, table)")
                .filter((e) => e.checkVisibility() && !e.closest(".output, figcaption") && !e.querySelector(".note, .checked-by"));
              return [beside.length, notes.length - beside.length, beside.filter((e) => box(e).right > box(contents).left
                || [...beside, ...over].some((o) => o !== e && !e.contains(o) && overlap(box(e), box(o)))).map((e) => e.outerHTML)];
            }""")
            assert not wrong, (name, width, wrong)
            assert (beside > 8, inside > 8) == (width >= 1520, width < 1520) and not beside * inside, (name, width, beside, inside)


def test_a_printed_chapter_shows_its_proofs_and_no_scrollbar(page: Page, address: Address) -> None:
    page.set_viewport_size({"width": 674, "height": 950})
    page.emulate_media(media="print")
    for name in (CHAPTERS[5], CHAPTERS[9], "book/catalogue.html", "book/welcome.html"):
        page.goto(address("http", name))
        page.evaluate("document.fonts.ready")
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
