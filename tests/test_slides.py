"""Lecture slides: which slides a chapter makes, that all its words are on them or in their notes, and what the page holds."""

import re
from functools import cache
from pathlib import Path

import nbformat
import pytest
from bs4 import BeautifulSoup
from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell

import make_slides
from plain_text import BOX, FIGURE
from slide_cells import ACTIVITY, MOST_LINES, SET_UP, SHORT, UNTOLD, blocks, slide_cells
from tests.book_helpers import chapter

TRUST = next(path for path in make_slides.CHAPTERS if path.stem.startswith("03"))
every_chapter = pytest.mark.parametrize("path", make_slides.CHAPTERS, ids=lambda path: path.stem[:2])


@cache
def deck(path: Path) -> list[NotebookNode]:
    return slide_cells(nbformat.read(path, 4), int(path.name[:2]))


def parts(cells: list[NotebookNode], *roles: str) -> list[str]:
    return [cell.source for cell in cells if cell.metadata.slide.role in roles]


@every_chapter
def test_a_slide_for_each_heading_box_and_figure_and_all_prose_in_whole_paragraphs(path):
    """Nothing is cut out of what surrounds it, as what judges a paper must not be."""
    cells = deck(path)
    told = {*parts(cells, "points", "list", "table", "plainly")}
    said = "\n\n".join([*parts(cells, "notes"), *told])
    labels = [label for cell in cells if (label := cell.metadata.slide.get("label"))]
    section, titles = "", 0
    for cell in nbformat.read(path, 4).cells:
        if cell.id == "in-this-chapter":
            cell.source = re.sub("</?details>.*", "", cell.source)
        for kind, text in blocks(cell.source) if cell.cell_type == "markdown" and cell.id not in SET_UP else ():
            if kind == "heading":
                section = text.lstrip("# ") if text.startswith("## ") else section
                titles += not UNTOLD.match(section)
                continue
            box, figure = BOX.match(text.removeprefix("> ")), FIGURE.match(text)
            if UNTOLD.match(section) or (section == "Exercises" and not (box and ACTIVITY.search(text.split("\n")[2]))):
                continue
            if box or figure:
                assert (box or figure)["label"] in labels
            elif kind != "blockquote":
                assert text in said or any(text.lower().endswith(one.lower()) for one in told), text[:80]
    assert len(parts(cells, "heading")) == titles
    assert max(map(len, parts(cells, "points"))) <= SHORT
    assert len(labels) == len({*labels})  # a link leads to one slide


@every_chapter
def test_what_a_lab_tells_who_runs_it_is_said_and_not_shown(path):
    """A slide said alone that "below is one setting"; the next one shows it."""
    assert not [text for text in parts(deck(path), "points") if text.startswith("**Lab.**")]
    assert sum("**Lab.**" in text for text in parts(deck(path), "notes")) == 1


def test_metadata_wins_over_the_rules():
    made = chapter()
    for kind, text in [("slide", "## Mine\n\nAll of this."), ("fragment", "Then this."), ("notes", "Said only."), ("skip", "Lost."),
                       ("subslide", "> A quote.")]:  # fmt: skip
        made.cells.append(new_markdown_cell(text, metadata={"slideshow": {"slide_type": kind}}))
    cells = slide_cells(made, 1)
    told = [f"{cell.metadata.slideshow.slide_type}: {cell.source}" for cell in cells if cell.metadata.slide.kind == "asked"]
    assert told == ["slide: ## Mine\n\nAll of this.", "fragment: Then this.", "notes: Said only.", "subslide: > A quote."]


def test_long_code_and_long_outputs_are_left_to_the_notebook():
    made = chapter("print(1)", "\n".join(f"a = {i}" for i in range(40)), "\n".join(["b = 1"] * 15))
    made.cells[1].outputs, made.cells[3].outputs = (
        [{"output_type": "stream", "name": "stdout", "text": "line\n" * lines}] for lines in (50, MOST_LINES)
    )
    told = [(cell.metadata.slide.role, cell.metadata.slideshow.slide_type) for cell in slide_cells(made, 1)[3:]]
    assert told == [("code", "subslide"), ("code", "subslide"), ("output", "subslide")]


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> BeautifulSoup:
    folder = tmp_path_factory.mktemp("slides")
    assert make_slides.make(TRUST, folder) > 30
    make_slides.write_contents(folder)
    links = BeautifulSoup((folder / "index.html").read_text("utf-8"), "html.parser").select("li a")
    assert [(link["href"], link.get_text()) for link in links] == [(f"{TRUST.stem}.html", make_slides.title(TRUST))]
    return BeautifulSoup((folder / f"{TRUST.stem}.html").read_text("utf-8"), "html.parser")


def test_every_slide_has_its_sheet_formulas_are_set_and_no_link_leads_away(built):
    assert not built.select("a")
    sheets = built.select(".slides > section > section > .sheet")
    assert len(sheets) == len(built.select(".sheet")) > len(built.select(".slides > section")) > 10
    assert len(built.select(".drawing svg[aria-label]")) == 4 and len(built.select("figure.bdp-figure")) == 2
    assert "$" not in " ".join(tag.get_text() for tag in built.select(".part:not(.code):not(.output):not(.picture), .notes"))
    assert len(built.select(".part .katex")) > 50 and len(built.select(".notes math")) > 40
    assert not built.select(".notes .katex")  # the speaker's window has no styles for it


def test_what_is_no_chapter_is_refused(capsys):
    with pytest.raises(SystemExit):
        make_slides.main(["notebooks/99_nothing.ipynb"])
    assert "chapters are notebooks/NN_name.ipynb" in capsys.readouterr().err
