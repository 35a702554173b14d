"""What a reader looks for is found: by the search, by an old address, and in the bibliography."""

import json
import re

import pytest
from pages import CHAPTERS, Address, both_schemes
from playwright.sync_api import Page, expect
from pybtex.database import parse_file

from checkout import ROOT, SITE
from plain import cited

FOUND = "/found \\d+ page/.test(document.querySelector('p.search-summary')?.innerText)"
SOON = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


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


def test_the_search_reads_no_page_that_its_reader_does_not_come_near(page: Page, address: Address) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.partition("#")[0]))
    page.goto(address("http", "search.html?q=regret"))
    page.wait_for_function(FOUND)
    page.wait_for_load_state("networkidle")
    found = page.locator("ul.search > li").count()
    pages = [url for url in asked if re.search(r"/(?:notebooks|book)/.*\.html$", url)]
    assert 3 <= len(pages) <= 14 < found, (pages, found)
    assert len(pages) == len(set(pages)), "no page twice"
    page.locator("ul.search > li").last.scroll_into_view_if_needed()
    page.locator("ul.search > li").last.locator("p.context").wait_for()


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
