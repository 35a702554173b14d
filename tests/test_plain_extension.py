"""The build turns plain notebooks into boxes, numbers and links; it fails, naming cell and mark, where text and run differ."""

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
from bs4 import BeautifulSoup
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

import plain_myst
import plain_text
from tests import book_helpers

EXTENSIONS = ("sphinx_proof", "sphinx_exercise", "sphinx_togglebutton", "sphinxcontrib.bibtex", "plain", "checked_by")
SETTINGS = """\
numfig = True
numfig_format = {"figure": "Figure %s"}
bibtex_bibfiles = ["all.bib"]
bibtex_reference_style = "author_year"
"""
INDEX = "# A book\n\n```{toctree}\n:numbered:\n\none\ntwo\nbibliography\n```\n"
BIBLIOGRAPHY = "@book{warner1965, author={Warner, Stanley L.}, title={Lies}, publisher={ASA}, year={1965}}\n"

ONE = """\
# First

By now 385<!-- = users --> users came; $n={}$12<!-- = ch.two --> of them `stay <!-- -->`.
See [Figure 1.1](#fig-one) and [Theorem 2.1](two.ipynb#thm-big).
[Warner (1965)](all.bib#warner1965) lied ([Warner, 1965](all.bib#warner1965)).

> **In short**
>
> Nothing yet.

> An ordinary quote.

<details><summary>Proof</summary>

It is so.

</details>
"""
CAPTION = '<a id="fig-one"></a>**Figure 1.1.** All 385<!-- = users --> users.'
EXERCISE = """\
> <a id="ex-run"></a>**Exercise 1.1 (Run).**
>
> Count.

<details><summary>Solution</summary>

Run or open the folded cell below.

</details>"""
AFTER = """\
<details><summary>Solution, continued</summary>

One.

</details>

That was [Exercise 1.1](#ex-run).
"""
TWO = """\
# Second

> <a id="thm-big"></a>**Theorem 2.1 (Big, and $x < y$).**
>
> It holds that $$a = b.$$
>
> *Checked by* [`test_holds`](../tests/test_truth.py), [`TestAll::test_more`](../tests/test_truth.py).
"""


def a_book(folder: Path) -> dict[str, nbformat.NotebookNode]:
    drawn = new_output("display_data", data={"text/html": "<p>A figure.</p>"})
    told = new_output("execute_result", data={"text/plain": "{'users': '385',\n 'ch.two': '12'}"}, execution_count=3)
    first = [
        new_markdown_cell(ONE, id="start"), new_code_cell("draw()", id="draw", outputs=[drawn], execution_count=1),
        new_markdown_cell(CAPTION, id="caption-one"), new_markdown_cell(EXERCISE, id="exercise"),
        new_code_cell("1", id="answer", metadata={"tags": ["solution"]}, execution_count=2), new_markdown_cell(AFTER, id="after"),
        new_code_cell("numbers", id="numbers", outputs=[told], metadata={"tags": ["remove-cell"]}, execution_count=3),
    ]
    python = {"language_info": {"name": "python", "pygments_lexer": "ipython3"}}
    (folder / "index.md").write_text(INDEX)
    (folder / "bibliography.md").write_text("# Books\n\n```{bibliography}\n```\n")
    (folder / "all.bib").write_text(BIBLIOGRAPHY)
    (folder / "tests").mkdir()
    (folder / "tests" / "test_truth.py").write_text("def test_holds(): ...\nclass TestAll:\n    def test_more(self): ...\n")
    return {
        "one": new_notebook(cells=first, metadata=python),
        "two": new_notebook(cells=[new_markdown_cell(TWO, id="all")], metadata=python),
    }


Build = Callable[..., SimpleNamespace]


@pytest.fixture
def build(tmp_path: Path) -> Build:
    books = a_book(tmp_path)

    def run(*changes: tuple[str, str]) -> SimpleNamespace:
        for name, book in books.items():
            text = nbformat.writes(book)
            for old, new in changes:
                text = text.replace(json.dumps(old)[1:-1], json.dumps(new)[1:-1])
            (tmp_path / f"{name}.ipynb").write_text(text, "utf-8")
        status, told = book_helpers.build(tmp_path, *EXTENSIONS, root="index", more=SETTINGS)
        there = {name: tmp_path / "_built" / f"{name}.html" for name in books}
        pages = {name: BeautifulSoup(path.read_text("utf-8"), "html.parser") for name, path in there.items() if path.exists()}
        return SimpleNamespace(status=status, told=told, pages=pages)

    return run


def test_everything_becomes_what_it_is(build: Build) -> None:
    built = build()
    assert built.status == 0, built.told
    one, two = built.pages["one"], built.pages["two"]
    text = " ".join(one.get_text().split())
    assert "By now 385 users came" in text and "Warner (1965) lied (Warner, 1965)." in text
    assert [link.text for link in one.select("a.noted")] == ["Warner (1965)"], "the first one has its reference beside it"
    assert [link["href"] for link in one.select("a.reference.internal") if "Theorem 2.1" in link.text] == ["two.html#thm-big"]
    assert "Figure 1.1" in one.select_one("figcaption").text and "All 385 users." in one.select_one("figcaption").text
    assert "In short" in [title.text.strip() for title in one.select("div.admonition > p.admonition-title")]
    assert one.select_one("blockquote").text.strip() == "An ordinary quote."
    assert len(one.select("div.solution")) == 1 and "One." in one.select_one("div.solution").text
    assert "Run or open" not in text and "continued" not in text
    assert "numbers" not in text
    assert "Theorem 2.1" in two.select_one("div.theorem").text
    tests = [link["href"].rpartition("_tests/")[2] for link in two.select(".checked-by a")]
    assert tests == ["test_truth.html#test_holds", "test_truth.html#TestAll.test_more"]


def test_what_does_not_agree_fails_the_build(build: Build) -> None:
    built = build(
        ("385<!-- = users --> users came", "386<!-- = users --> users came"),
        ("All 385<!-- = users -->", "All 385<!-- = losers -->"), ("[Figure 1.1](#fig-one)", "[Figure 1.1](#fig-none)"),
        ("[Theorem 2.1](two", "[Theorem 2.2](two"), ("**Theorem 2.1 (Big", "**Theorem 2.3 (Big"),
        ("**Figure 1.1.** All", "**Figure 1.2.** All"), ("[Warner (1965)]", "[Werner (1965)]"),
        ("[Warner, 1965](all.bib#warner1965)", "[Warner, 1965](all.bib#warner1966)"),
        ("[`test_holds`](../tests/test_truth.py), ", ""), ("[`TestAll::test_more`]", "[`test_lies`]"),
    )
    assert built.status == 1
    for told in (
        "one.ipynb:10001: WARNING: cell start: number users is '386' in the text and '385' in the run",
        "one.ipynb:30001: WARNING: cell caption-one: number losers is '385' in the text and not among the run's",
        "one.ipynb:10001: WARNING: [Figure 1.1](...#fig-none) refers to nothing",
        "one.ipynb:10001: WARNING: the text says 'Theorem 2.2', the book's numbering 'Theorem 2.1': thm-big",
        "two.ipynb:10001: WARNING: the text says 'Theorem 2.3', the book's numbering 'Theorem 2.1': thm-big",
        "one.ipynb:30001: WARNING: the text says 'Figure 1.2', the book's numbering 'Figure 1.1': fig-one",
        "the text says 'Werner (1965)', the bibliography 'Warner 1965': warner1965", "could not find bibtex key \"warner1966\"",
        "names a test that does not exist: no test_lies in tests/test_truth.py",
    ):
        assert told in built.told, f"{told}\n{built.told}"


@pytest.mark.parametrize(("old", "new", "told"), [
    ("An ordinary quote.", 'A <a id="thm-x"></a>quote.', r"cell 1 \(start\): nothing is known of the mark '<a id="),
    ("An ordinary quote.", "A quote.<!-- box: thm-x -->", "nothing is known of the mark '<!-- box: thm-x -->'"),
    ("[Figure 1.1](#fig-one)", "[Table 1.1](#tab-one)", r"cell 1 \(start\): .* leads to a label of no known kind"),
    ("**Exercise 1.1 (Run", "**Dream 1.1 (Run", r"cell 4 \(exercise\): box ex-run is called Dream; allowed are Theorem, "),
    ("> Count.", "> *Checked by* [test_holds](../tests/test_truth.py).", r"cell 4 \(exercise\): cannot read the tests in"),
    ("</details>", "</detail>", r"cell 1 \(start\): the fold '<details><summary>Proof</summary>' is not closed"),
    ("<details><summary>Solution</summary>", "<details><summary>Hint</summary>", "a cell with the tag solution follows"),
    ("Exercise 1.1 (Run)", "Algorithm 1.1 (Run)", "a fold 'Solution' has no exercise above it"),
])
def test_marks_that_cannot_be_read_name_their_cell(tmp_path: Path, old: str, new: str, told: str) -> None:
    book = a_book(tmp_path)["one"]
    changed = json.loads(nbformat.writes(book).replace(json.dumps(old)[1:-1], json.dumps(new)[1:-1]))
    with pytest.raises(ValueError, match=told):
        plain_myst.Translator().notebook(changed)


def test_a_caption_needs_a_figure() -> None:
    cells = [{"cell_type": "markdown", "id": "alone", "metadata": {}, "source": CAPTION}]
    with pytest.raises(ValueError, match=r"cell 1 \(alone\): the caption fig-one does not follow a code cell"):
        plain_myst.Translator().notebook({"cells": cells})


def test_numbers_and_names_are_written() -> None:
    names = {"thm-big": "Theorem 4.7", "fig-one": "Figure 3.2"}
    assert plain_text.written(TWO, {}, names).count("**Theorem 4.7 (Big") == 1
    assert plain_text.written("the [main Theorem 2.1](two.ipynb#thm-big)", {}, names) == "the [main Theorem 4.7](two.ipynb#thm-big)"
    assert plain_text.written(CAPTION, {"users": "1 ± 2"}, names) == (
        '<a id="fig-one"></a>**Figure 3.2.** All 1\u00a0±\u00a02<!-- = users --> users.'
    )
    kept = "`3<!-- = users -->` and $[T 1](#fig-one)$"
    assert plain_text.written(kept, {"users": "4"}, names) == kept
    with pytest.raises(ValueError, match=r"number users is '\(3\)', which a text cannot hold"):
        plain_text.written("3<!-- = users -->", {"users": "(3)"}, {})


def test_every_kind_counts_by_itself_in_each_chapter() -> None:
    def chapter(*kinds: str) -> dict:
        boxes = [f'> <a id="{kind.lower()}-{place}"></a>**{kind} 9.9 (Title).**\n>\n> Text.' for place, kind in enumerate(kinds)]
        return {"cells": [{"cell_type": "markdown", "id": "all", "metadata": {}, "source": "\n\n".join(boxes)}]}

    names = plain_text.numbering([(1, chapter("Theorem", "Lemma", "Theorem")), (2, chapter("Exercise"))])
    assert names == {"theorem-0": "Theorem 1.1", "lemma-1": "Lemma 1.1", "theorem-2": "Theorem 1.2", "exercise-0": "Exercise 2.1"}
