"""The book on paper: pages joined into one, with links that lead somewhere, in print."""

import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from pages import CHAPTERS

import make_pdf

pytestmark = pytest.mark.site

TWO = [chapter.removesuffix(".html") for chapter in CHAPTERS[:2]]


def test_every_page_has_its_place_and_every_link_its_anchor() -> None:
    names = make_pdf.pages()
    assert [f"{name}.html" for name in names if name.startswith("notebooks/")] == CHAPTERS
    book = BeautifulSoup(make_pdf.assemble(names), "html.parser")
    anchors = [tag["id"] for tag in book.find_all(id=True)]
    links = [tag["href"][1:] for tag in book.select("a[href^='#']")]
    assert len(links) > 500 and not set(links) - set(anchors)
    assert [link["href"] for link in book.select(".contents a")] == [f"#{make_pdf.anchor(name)}" for name in names]
    assert not book.select("details.fold") and book.select_one(".cover svg")
    assert all(script.find_parent("figure", ("bdp-curves", "bdp-scene")) for script in book.select("script"))
    painted = {name for tag in book.select("[clip-path], [style]") for name in re.findall(r"url\(#(.+?)\)", str(tag.attrs))}
    assert len(painted) > 20 and not painted - set(anchors), "a clip or a hatch is lost on paper"


@pytest.mark.browser
def test_chapters_are_printed_with_contents_and_links(tmp_path: Path) -> None:
    make_pdf.print_book(TWO, tmp_path / "two.pdf")
    printed = (tmp_path / "two.pdf").read_bytes()
    assert printed.startswith(b"%PDF-")
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) > 20
    assert len(re.findall(rb"/Subtype\s*/Link\b", printed)) > 20
    assert b"/Outlines" in printed
    assert not (make_pdf.SITE / "whole-book.html").exists()


@pytest.mark.browser
def test_the_note_has_four_pages_at_most(tmp_path: Path) -> None:
    make_pdf.print_book(["book/note"], tmp_path / "note.pdf")
    assert len(re.findall(rb"/Type\s*/Page\b", (tmp_path / "note.pdf").read_bytes())) <= 4
