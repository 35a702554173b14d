"""Lecture slides: which slides a chapter makes, whose words they are, and what the page holds."""

import json
import re
from functools import cache
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from nbformat.v4 import new_markdown_cell

import make_slides
from plain_text import FOLD, source
from slide_blocks import Block, blocks, clean, sentences
from slide_pages import page
from slide_parts import Part, Slide
from slide_rules import UNTOLD, slides
from slide_words import MOST_POINTS, opening, points
from tests.book_helpers import chapter

CHAPTERS = make_slides.chapters()
COUNTING = next(path for path in CHAPTERS if path.stem.startswith("04"))

every_chapter = pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem[:2])


@cache
def notebook(path: Path) -> dict:
    return json.loads(path.read_text("utf-8"))


@cache
def deck(path: Path) -> list[Slide]:
    return slides(notebook(path), int(path.name[:2]))


def shown(slide: Slide, *roles: str) -> str:
    """Return the Markdown that a slide shows in the places named, or everywhere."""
    return "\n".join(source(part.cell) for part in slide.parts if not roles or part.role in roles)


def flat(text: str) -> str:
    return re.sub(r"[\s*]+", " ", text)


def paragraphs(path: Path) -> list[str]:
    """List the paragraphs of the sections that are told."""
    found, told = [], True
    for cell in notebook(path)["cells"][2:]:
        if cell["cell_type"] == "markdown" and cell["id"] != "symbols":
            for block in blocks(source(cell)):
                if block.kind == "heading" and block.title == "##":
                    told = not UNTOLD.match(block.text) and block.text != "Exercises"
                elif block.kind == "paragraph" and told:
                    found.append(block.text)
    return found


# ---- Sentences


def test_a_sentence_stays_in_one_piece():
    text = (
        "Chan et al. (2011) found it. **Two words. In bold.** Take `a. B` and $x.\\ Y$ (an aside. Of two sentences.) in one. "
        'Ines said: "So many slept well." A new one? Yes!'
    )
    assert sentences(text) == [
        "Chan et al. (2011) found it.", "**Two words. In bold.**", "Take `a. B` and $x.\\ Y$ (an aside. Of two sentences.) in one.",
        'Ines said: "So many slept well."', "A new one?", "Yes!",
    ]  # fmt: skip


def test_marks_and_links_become_words_but_not_in_code():
    text = "[Theorem 3.1](#thm-x) costs 385<!-- = users --> (see [Whom](03_x.ipynb), `a[0](b)` and $f[1](x)$)."
    assert clean(text) == "Theorem 3.1 costs 385 (see *Whom*, `a[0](b)` and $f[1](x)$)."


def test_blocks_keep_their_order_and_their_inside():
    text = (
        "Words.\n\n$$\nx\n$$\n\n1. one\n   more\n\n2. two\n\n> <a id=\"thm-x\"></a>**Theorem 1.1 (Name).**\n>\n> Says.\n>\n"
        "> *Checked by* [`t`](../tests/t.py).\n\n<details><summary>Proof</summary>\n\nWhy.\n\n</details>\n\n| a |\n| - |\nEnd."
    )
    found = blocks(text)
    assert [block.kind for block in found] == ["paragraph", "formula", "list", "box", "fold", "table", "paragraph"]
    assert found[3] == Block("box", "Says.", "**Theorem 1.1** Name", "thm-x", [Block("paragraph", "Says.")])
    assert found[4].title == "Proof" and found[4].text == "Why."


def test_words_about_a_paper_are_shown_whole_or_not_at_all():
    verdict = "The paper prints another constant. It is right in order. With ours the bound holds."
    assert points([verdict]) == [verdict] and opening(verdict) == verdict
    theirs = "Theorem 1 says so. Some condition is needed for that to be true. With it the step is right."
    assert points([theirs]) == [theirs], "a box of ours has two numbers, 1.1"
    longer = " ".join([verdict] * 6)
    assert points([longer]) == [] and opening(longer) == ""


def test_a_question_takes_its_answer_along():
    text = "How much noise does one block of the tree need? It needs as much as all of its levels together. Grass is green in May."
    assert points([text, "Another paragraph says something else, too."])[:2] == sentences(text)[:2]


# ---- Rules


def test_a_chapters_slides_are_what_the_rules_say():
    made = deck(COUNTING)
    assert [slide.kind for slide in made[:3]] == ["title", "goals", "section"]
    assert shown(made[1], "points").count("* **") >= 3
    by_label = {slide.label: slide for slide in made}
    cells = notebook(COUNTING)["cells"]
    inside = [block for cell in cells if cell["cell_type"] == "markdown" for block in blocks(source(cell))]
    theorems = {block.label for block in inside if block.kind == "box" and block.label and not block.label.startswith("ex-")}
    assert len(theorems) >= 6 and theorems <= set(by_label)
    tree = by_label["thm-tree"]
    assert tree.accent == "theorem" and shown(tree, "plainly").startswith("The error grows like the *logarithm*")
    assert any("Complete proof" in note for note in tree.notes) and "Checked by" not in shown(tree)
    assert shown(by_label["fig-errors"], "caption").startswith("**Figure 4.2.** Largest error")
    assert shown(by_label["fig-errors"], "look")
    assert shown(by_label["plain-tree"], "lead") == "So the whole mechanism is this:"
    assert "def errors(" not in "".join(map(shown, made)), "the book folds this code"


def test_exercises_are_set_without_solutions():
    made = [slide for slide in deck(COUNTING) if slide.accent == "exercise"]
    kinds = [shown(slide, "kicker") for slide in made]
    assert len(kinds) >= 3 and set(kinds) == {"To try: warm-up", "To try: pencil"}
    folds = [
        block.text
        for cell in notebook(COUNTING)["cells"] if cell["cell_type"] == "markdown"
        for block in blocks(source(cell)) if block.kind == "fold" and block.title == "Solution"
    ]  # fmt: skip
    assert folds
    everything = flat("".join(shown(slide) + "".join(slide.notes) for slide in deck(COUNTING)))
    assert not any(flat(fold)[:40] in everything for fold in folds)


@every_chapter
def test_slides_say_only_what_stands_in_the_chapter_and_little_of_it(path):
    text = "\n".join(source(cell) for cell in notebook(path)["cells"] if cell["cell_type"] == "markdown")
    known = flat(re.sub(r"(?m)^> ?|^\s*(?:[*+-]|\d+\.) +", "", clean(text)))
    for slide in deck(path):
        said = shown(slide, "points")
        assert slide.kind in ("goals", "section") or said.count("\n* ") < MOST_POINTS
        if slide.kind == "goals":
            continue
        for point in re.split(r"(?m)^\* ", said + "\n* " + shown(slide, "look")):
            for sentence in sentences(point):
                rest = flat(sentence).strip()[1:]  # what follows "In words:" gets a capital
                assert rest in known, f"{path.stem}: {sentence!r} is not the chapter's"


@every_chapter
def test_all_prose_is_in_the_notes(path):
    notes = flat("\n".join(note for slide in deck(path) for note in slide.notes))
    kept = [text for text in paragraphs(path) if not text.startswith("**Symbols")]
    lost = [text for text in kept for sentence in sentences(text) if flat(sentence).strip() not in notes]
    assert not lost
    assert all(slide.notes for slide in deck(path) if slide.kind in ("title", "goals") or slide.accent == "exercise")


def test_metadata_wins_over_the_rules():
    made = chapter()
    texts = [
        ("slide", "## Mine\n\nAll of this, and this. And that."), ("fragment", "Then this."), ("-", "And this."),
        ("notes", "Said only."), ("skip", "Lost."), ("subslide", "> <a id=\"thm-x\"></a>**Theorem 1.1.**\n>\n> Holds."),
    ]  # fmt: skip
    for kind, text in texts:
        made.cells.append(new_markdown_cell(text, metadata={"slideshow": {"slide_type": kind}}))
    _, mine, theorem = slides(made, 1)
    assert mine.top and [part.fragment for part in mine.parts] == [False, False, True, False]
    assert "All of this, and this. And that." in shown(mine) and "And this." in shown(mine)
    assert "Said only." in mine.notes and "Lost." not in "".join(map(shown, (mine, theorem)))
    assert not theorem.top and "Holds." in shown(theorem)
    made.cells[-1].metadata.slideshow.slide_type = "slied"
    with pytest.raises(ValueError, match=r"slide_type is 'slied'; allowed are slide, subslide"):
        slides(made, 1)


def test_long_code_and_long_outputs_are_cut_and_say_so():
    made = chapter("print(1)", "\n".join(f"a = {i}" for i in range(40)))
    made.cells[1].outputs = [{"output_type": "stream", "name": "stdout", "text": "line\n" * 50}]
    _, printed, code = slides(made, 1)
    assert printed.parts[-1].cell["outputs"][0]["text"].endswith("... and 32 more lines in the notebook\n")
    assert "The code, 40 lines, is in the notebook: cell `cell-1`." in shown(code)


# ---- Page


@pytest.fixture(scope="module")
def built() -> BeautifulSoup:
    return BeautifulSoup(page(deck(COUNTING), "4. Counting"), "html.parser")


def test_the_page_asks_nobody_and_leads_nowhere(built):
    addresses = [tag.get("src") or tag.get("href") for tag in built.select("script[src], link, img, a")]
    assert addresses and all(address.startswith(("assets/", "data:image/")) for address in addresses)
    assert not built.select("a")
    for address in {address for address in addresses if address.startswith("assets/")}:
        name = address.removeprefix("assets/")
        homes = [make_slides.OURS / name, make_slides.STATIC / name]
        assert any(home.is_file() for home in homes), address


def test_formulas_are_set_and_notes_need_no_styles(built):
    slides_text = " ".join(tag.get_text() for tag in built.select(".part:not(.code):not(.output):not(.picture)"))
    assert "$" not in slides_text
    assert len(built.select(".part .katex")) > 80
    notes = built.select("aside.notes")
    assert len(notes) > 40 and not any(note.select("[class*=katex]") for note in notes)
    assert sum(len(note.select("math")) for note in notes) > 80
    assert "$" not in "".join(note.get_text() for note in notes)


def test_every_slide_has_its_sheet_and_sections_are_columns(built):
    columns = built.select(".slides > section")
    inner = built.select(".slides > section > section")
    assert len(inner) == len(deck(COUNTING)) == len(built.select("section > .sheet"))
    assert len(columns) == sum(slide.top for slide in deck(COUNTING))
    assert len(built.select(".drawing svg[aria-label]")) == 1 and len(built.select("figure.bdp-figure")) == 2


def test_a_bad_formula_is_named():
    slide = Slide("points", [Part("points", {"cell_type": "markdown", "metadata": {}, "source": r"$\nonsense$"})], top=True)
    with pytest.raises(ValueError, match=r"formula \$\\nonsense\$ cannot be set"):
        page([slide], "x")


def test_what_is_no_chapter_is_refused(capsys):
    with pytest.raises(SystemExit):
        make_slides.main(["notebooks/99_nothing.ipynb"])
    assert "chapters are notebooks/NN_name.ipynb" in capsys.readouterr().err


def test_contents_list_what_is_there(tmp_path):
    (tmp_path / f"{COUNTING.stem}.html").touch()
    make_slides.write_contents(tmp_path)
    links = BeautifulSoup((tmp_path / "index.html").read_text("utf-8"), "html.parser").select("li a")
    assert [(link["href"], link.get_text()) for link in links] == [(f"{COUNTING.stem}.html", make_slides.title(COUNTING))]


def test_no_fold_pattern_is_left_on_a_slide():
    assert not any(FOLD.search(shown(slide)) for path in CHAPTERS for slide in deck(path))
