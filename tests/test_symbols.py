"""A chapter's table of symbols: what is found in it, what it lacks, and the joint table of all chapters."""

from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_markdown_cell, new_notebook

from notation import Symbol, complaints, merged, symbols_of
from tests.book_helpers import build, save

TABLE = """**Symbols in this chapter**

| symbol | meaning | in the code |
| --- | --- | --- |
| $K$ | number of arms | `arms` |
| $\\mu_a$, $\\mu^*$ | mean reward of arm $a$; the largest | `means` |
| $a$, $i$ | an arm; an index | |
| $\\lVert x \\rVert \\| y$ | a bar | |
"""
TEXT = """# A chapter

> **Theorem.** With $K$ arms, $\\mu_a \\le \\mu^*$ and $e^{\\mu_a} \\operatorname{Reg}$,
> $$\\sum_{i=1}^K \\mu_i \\text{ if } \\Pr[x] \\ge \\mathbb{E}[y]$$

<details><summary>Proof</summary>

With $Q$.

</details>
"""
EXERCISES = "## Exercises\n\nLet $Z$ be."


def chapter(text: str = TEXT, table: str | None = TABLE) -> nbformat.NotebookNode:
    cells = [new_markdown_cell(text, id="text"), new_markdown_cell(EXERCISES, id="exercises")]
    if table is not None:
        cells.insert(0, new_markdown_cell(table, id="symbols"))
    return new_notebook(cells=cells)


def told(**changed: str | None) -> list[str]:
    made = chapter(**changed)
    return list(complaints(made, symbols_of(made) or []))


def test_a_whole_table_is_read_and_passes() -> None:
    first, *_, last = symbols_of(chapter()) or []
    assert first == Symbol("$K$", "number of arms", "`arms`") and last == Symbol("$\\lVert x \\rVert \\| y$", "a bar", "")
    assert told() == []
    assert symbols_of(chapter(table=None)) is None


@pytest.mark.parametrize(("old", "new", "letter"), [
    ("\\le \\mu^*", "\\le \\mu^* + \\varepsilon", "varepsilon"),
    ("</details>", "</details>\n\n$Z$", "Z"),
])
def test_a_letter_without_a_row_is_named(old: str, new: str, letter: str) -> None:
    (found,) = told(text=TEXT.replace(old, new))
    assert found.startswith(f"cell text uses {letter} in $")


def test_a_torn_row_is_refused() -> None:
    with pytest.raises(ValueError, match=r"three cells: '\| \$K\$ \| number of arms \|'"):
        symbols_of(chapter(table=TABLE.replace(" `arms` |", "")))


def test_tables_are_joined_where_they_agree() -> None:
    arms, other = Symbol("$K$", "number of arms", "`arms`"), Symbol("$K$", "a kernel", "")
    mean, gap = Symbol("$\\mu_a$", "a mean", "`means`"), Symbol("$\\Delta_a$", "a gap", "`gaps`")
    joint = merged([("1", [arms, mean]), ("2", [gap, other, Symbol("$K$", "number of arms", "`k`, `arms`")])])
    assert joint == [(Symbol("$K$", "number of arms", "`arms`, `k`"), ["1", "2"]), (other, ["2"]), (gap, ["2"]), (mean, ["1"])]


PAGE = "# A page\n\n```{notation}\n```\n\n```{toctree}\nnotebooks/01_one\n```\n"


def test_the_build_makes_the_page_and_fails_on_symbols_that_are_not_told(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text(PAGE)
    (tmp_path / "notebooks").mkdir()
    save(chapter(), tmp_path / "notebooks" / "01_one.ipynb")
    assert build(tmp_path, "formulas", "notation") == (0, "")
    page = (tmp_path / "_built" / "page.html").read_text("utf-8")
    assert 'href="notebooks/01_one.html"' in page and "number of arms" in page
    made = chapter(text=TEXT.replace("$K$", "$n$"), table=TABLE + "| $K$ | a kernel | |\n")
    save(made, tmp_path / "notebooks" / "01_one.ipynb")
    status, told = build(tmp_path, "formulas", "notation")
    assert status == 1 and "01_one.ipynb: WARNING: cell text uses n in $n$" in told
    assert "01_one.ipynb: WARNING: $K$ means 'number of arms' and 'a kernel'" in told
