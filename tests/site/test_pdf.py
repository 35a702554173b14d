"""The book on paper: pages joined into one, with links that lead somewhere, in print."""

import re
from pathlib import Path

import pytest
from pages import CHAPTERS

import make_pdf

TWO = [chapter.removesuffix(".html") for chapter in CHAPTERS[:2]]


def thinned(page: str) -> str:
    """Leave out what holds neither link nor anchor, and is most of a page: MathML, and spans without a name that hold only text."""
    page, more = re.sub(r"(?s)<math\b.*?</math>", "", page), 1
    while more:
        page, more = re.subn(r"<span(?:(?! id=|url\()[^<>])*>([^<]*)</span>", r"\1", page)
    return page


def test_every_page_has_its_place_and_every_link_its_anchor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = make_pdf.pages()
    for name in names:
        path = tmp_path / f"{name}.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(thinned((make_pdf.SITE / f"{name}.html").read_text("utf-8")), "utf-8")
    monkeypatch.setattr(make_pdf, "SITE", tmp_path)
    assert [f"{name}.html" for name in names if name.startswith("notebooks/")] == CHAPTERS
    book = re.sub(r"(?s)(<script\b[^>]*>).*?</script>", r"\1", make_pdf.assemble(names))
    anchors = set(re.findall(r'<[^<>]* id="([^"]*)"', book))
    links = re.findall(r'<a [^<>]*href="#([^"]*)"', book)
    assert len(links) > 500 and not set(links) - anchors
    contents, cover = re.search(r'(?s)<article class="[^"]*contents">(.*?)</article>', book), book.index("<svg")
    assert contents and cover < contents.start()
    assert re.findall(r'href="#([^"]*)"', contents[1]) == [make_pdf.anchor(name) for name in names]
    assert not re.search(r'<details [^<>]*class="[^"]*\bfold\b', book)
    painted = set(re.findall(r"url\(#(.+?)\)", " ".join(re.findall(r'<[^<>]* (?:clip-path|style)="[^<>]*>', book))))
    assert len(painted) > 20 and not painted - anchors, "a clip or a hatch is lost on paper"
    figures = re.findall(r'(?s)<figure [^<>]*class="[^"]*bdp-(?:curves|scene).*?</figure>', book)
    assert book.count("<script") == sum(figure.count("<script") for figure in figures), "a script that draws no figure"


@pytest.mark.browser
def test_chapters_are_printed_with_contents_and_links(tmp_path: Path) -> None:
    make_pdf.print_book(TWO, tmp_path / "two.pdf")
    printed = (tmp_path / "two.pdf").read_bytes()
    assert printed.startswith(b"%PDF-")
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) > 20
    assert len(re.findall(rb"/Subtype\s*/Link\b", printed)) > 20
    assert b"/Outlines" in printed
    assert not (make_pdf.SITE / "whole-book.html").exists()
