"""What a reader does with the built book: search, switch to the dark, look at what a link names, print."""

import json
import re

import pytest
from pages import CHAPTERS, DESKTOP, Address, both_schemes
from playwright.sync_api import Page, expect
from pybtex.database import parse_file

from checkout import ROOT, SITE
from plain import cited


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


def test_the_first_page_leads_to_the_welcome_page(page: Page, address: Address) -> None:
    """With what a link to the book's address shows, as those to its pages do."""
    door, first = ((SITE / name).read_text("utf-8") for name in ("index.html", "book/welcome.html"))
    assert (told := re.findall(r"<meta property=.*|<title>.*</title>", first)) and set(told) <= set(door.splitlines())
    for scheme in ("file", "http"):  # with an icon, or a browser asks the server for one
        page.goto(address(scheme, "index.html"))
        page.wait_for_url("**/book/welcome.html")


def test_what_a_link_names_stands_beside_it(page: Page, address: Address) -> None:
    page.goto(address("http", "notebooks/10_private_linucb.html"))
    card = page.locator("article > .beside")
    link = page.locator("article a.internal[href*='06_vector_summation.html#lem-linear']").first  # a box of another page
    for _ in range(40):  # sections get their height when they are near, which may move the link from under the pointer
        link.hover()
        page.wait_for_timeout(250)
        if card.is_visible():
            break
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


FOUND = "/found \\d+ page/.test(document.querySelector('p.search-summary')?.innerText)"
SOON = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


def test_a_phone_shows_what_a_lab_says_without_scrolling(page: Page, address: Address) -> None:
    """Half of the sentence, which has the still's numbers, stood beyond the edge; that of chapter 7 on a wide screen, too."""
    for name in CHAPTERS:
        page.goto(address("file", name))
        said = page.locator(".cell:has(+ .tag_remove-output:not(.tag_your-turn)) .stream pre")
        for width in (320, 390, DESKTOP["width"]):
            page.set_viewport_size({"width": width, "height": 800})
            assert said.evaluate("one => one.scrollWidth <= one.clientWidth"), (name, width)
    page.set_viewport_size(DESKTOP)


@pytest.mark.parametrize(("words", "first"), [
    ("LinUCB", "notebooks/10_"),
    ("tree mechanism", "notebooks/04_"),
    ("VB-SDP-AE", "notebooks/07_"),
    ("install", "book/get_the_code"),
    ("how to cite", "book/how_to"),
    ("randomized response", "notebooks/03_"),
    ("regret bound", "notebooks/07_"),
])
def test_the_search_puts_the_explanation_first(page: Page, address: Address, words: str, first: str) -> None:
    page.goto(address("http", f"search.html?q={words.replace(' ', '+')}"))
    page.wait_for_function(FOUND)
    found = page.eval_on_selector_all("ul.search > li > a", "all => all.map((a) => a.getAttribute('href'))")
    assert found[0].startswith(first), found[:5]
    kinds = ["api" if "/api" in link else "chapter" for link in found if "/api" in link or link.startswith("notebooks/")]
    assert kinds == sorted(kinds, reverse=True), f"the API comes before a chapter: {found}"


def test_a_typing_error_leads_to_the_nearest_word(page: Page, address: Address) -> None:
    page.goto(address("http", "search.html?q=shuffel"))
    page.locator("p.search-near a").click()
    page.wait_for_function(FOUND)


def test_an_excerpt_holds_no_source_of_a_formula(page: Page, address: Address) -> None:
    page.goto(address("http", "search.html?q=divergence"))
    page.wait_for_function("document.querySelectorAll('p.context').length >= 3")
    excerpts = page.locator("p.context").all_inner_texts()
    assert re.search("[εδ]", " ".join(excerpts)), "choose a word that stands near a formula"
    assert not re.search(r"\\[a-zA-Z]+|\$|δδ|εε", " ".join(excerpts)), excerpts
    assert min(map(len, excerpts[:3])) > 100, "an excerpt is a piece of text"


@both_schemes
def test_a_label_that_moved_is_found_on_its_new_page(page: Page, address: Address, scheme: str) -> None:
    known = json.loads((SITE / "_static" / "labels.js").read_text("utf-8").removeprefix("window.bookLabels = ").rstrip(";\n"))
    assert known["bandits_dp.make"] == "book/api/make.html"
    last = CHAPTERS[-1]
    label = next(label for label, there in known.items() if there == last and label.startswith("thm-"))
    page.goto(f"{address(scheme, CHAPTERS[0])}#{label}")
    page.wait_for_url(f"**/{last}#{label}")
    expect(page.locator(f"[id='{label}']")).to_be_in_viewport()
    page.goto(f"{address(scheme, 'book/api.html')}#bandits_dp.make")
    page.wait_for_url("**/book/api/make.html#bandits_dp.make")


def test_an_anchor_that_stands_here_or_nowhere_moves_nobody(page: Page, address: Address) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(address("http", "book/notation.html#glossary"))
    page.evaluate(SOON)
    assert not [url for url in asked if url.endswith("labels.js")], "the labels are loaded only when they are needed"
    with page.expect_response("**/labels.js") as labels:
        page.goto(address("http", "book/how_to.html#no-such-label"))
    labels.value.finished()
    page.evaluate(SOON)
    assert page.url.endswith("book/how_to.html#no-such-label")


def test_references_are_labelled_as_cited_and_link_to_their_papers(page: Page, address: Address) -> None:
    page.goto(address("file", "book/bibliography.html"))
    known = {f"[{cited(entry)}]": entry.fields for entry in parse_file(ROOT / "book" / "references.bib").entries.values()}
    shown = page.locator("article .citation").evaluate_all("""all => all.map((entry) => [
      entry.querySelector(".label").innerText,
      [...entry.querySelectorAll("a[href^=http]")].map((link) => link.getAttribute("href")),
    ])""")
    assert len({label for label, _ in shown}) == len(shown) > 40
    for label, links in shown:
        fields = known[label]
        wanted = [f"https://doi.org/{fields['doi']}"] if "doi" in fields else []
        wanted += [f"https://arxiv.org/abs/{fields['eprint']}"] if "eprint" in fields else []
        assert sorted(links) == sorted(wanted)


def test_every_sign_is_drawn() -> None:
    drawn = set(re.findall(r"(?m)^\.(fa-[a-z-]+)", (ROOT / "book" / "_static" / "icons.css").read_text("utf-8")))
    shown = {
        sign
        for page in SITE.glob("*/*.html")
        for classes in re.findall(r'class="((?:fa[bs]?|fa-solid|fa-brands) [^"]*)"', page.read_text("utf-8"))
        for sign in re.findall(r"fa-[a-z-]+", classes)
    }
    assert {"fa-chevron-down", "fa-bars"} <= shown - {"fa-solid", "fa-brands", "fa-lg"} <= drawn
