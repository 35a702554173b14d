"""Hands on: in each chapter code to write, with a solution that its own asserts accept, and names that have one meaning."""

import ast
import symtable
from itertools import pairwise
from pathlib import Path

import nbformat
import pytest

from bandits_book import asserts
from change_safety import FOLDED, code_cells
from checkout import NOTEBOOKS
from set_repository import SETUP_CELL

BLANK, ANSWER = {"your-turn", "remove-output", "nbval-ignore-output"}, {"answer", "hide-input"}
CHAPTERS = [pytest.param(path, id=path.stem) for path in sorted(NOTEBOOKS.glob("*.ipynb"))]


def code(path: Path) -> list[tuple[str, set[str], nbformat.NotebookNode]]:
    cells = nbformat.read(path, 4).cells
    return [(cell.source, set(cell.metadata.get("tags", ())), cell) for cell in cells
            if cell.cell_type == "code" and cell.id != SETUP_CELL]


def checks(source: str) -> list[str]:
    """Return what a cell does, its definitions set apart."""
    return [ast.unparse(line) for line in ast.parse(source).body if not isinstance(line, ast.FunctionDef | ast.Assign)]


def heads(source: str) -> list[str]:
    """Return the names and arguments of what a cell defines."""
    return [f"{line.name}({ast.unparse(line.args)})" for line in ast.parse(source).body if isinstance(line, ast.FunctionDef)]


@pytest.mark.parametrize("path", CHAPTERS)
def test_a_chapter_has_three_blanks_each_with_the_same_cell_filled_in_below(path: Path) -> None:
    cells = code(path)
    blanks = [(source, after, tags, cell) for (source, have, _), (after, tags, cell) in pairwise(cells) if have >= BLANK]
    assert len(blanks) >= 3
    assert len(blanks) == sum("answer" in tags for _, tags, _ in cells) == sum("your-turn" in tags for _, tags, _ in cells)
    for blank, answer, tags, cell in blanks:
        assert tags >= ANSWER and cell.metadata["jupyter"]["source_hidden"], cell.id
        assert asserts.blank(ast.parse(blank)) and not asserts.blank(ast.parse(answer)), cell.id
        assert checks(blank) == checks(answer) and set(heads(blank)) <= set(heads(answer)), cell.id
        asked = [line for line in ast.walk(ast.parse(blank)) if isinstance(line, ast.Assert)]
        assert asked and all(line.msg for line in asked), f"{cell.id}: an assert that says what is right"


def lines(source: str) -> int:
    return sum(bool(line.strip()) and not line.strip().startswith("#") for line in source.splitlines())


@pytest.mark.parametrize("path", CHAPTERS)
def test_at_least_half_of_the_code_that_a_chapter_runs_is_visible(path: Path) -> None:
    """Solutions, which stand below their exercises, are counted on neither side."""
    shown = [(lines(source), bool(FOLDED & tags)) for source, tags, _ in code(path) if not {"solution", "answer"} & tags]
    visible, folded = (sum(length for length, hidden in shown if hidden is side) for side in (False, True))
    assert visible >= folded, f"{visible} lines are visible, {folded} folded"


def outer(table: symtable.SymbolTable) -> set[str]:
    """Return the names that a function, and those within it, take from the notebook."""
    return {one.get_name() for one in table.get_symbols() if one.is_global()}.union(*map(outer, table.get_children()))


@pytest.mark.parametrize("path", CHAPTERS)
def test_a_name_that_a_visible_cell_reads_has_one_meaning(path: Path) -> None:
    """A reader who went back to a cell, after all had run, drew it with what a later cell had put under the same name."""
    cells = code_cells(path)
    tables = [symtable.symtable(cell.source, cell.label, "exec") for cell in cells]
    given = [{one.get_name() for one in table.get_symbols() if one.is_assigned()} for table in tables]
    uses = {inner.get_name(): outer(inner) for table in tables for inner in table.get_children()}
    reads = [{one.get_name() for one in table.get_symbols() if one.is_referenced()}.union(
        *(outer(inner) for inner in table.get_children() if inner.get_name() not in names))  # those are run at once
        for table, names in zip(tables, given, strict=True)]
    for names in reads:  # and by the functions that it names, wherever they are defined
        while new := set[str]().union(*(uses.get(name, ()) for name in names)) - names:
            names |= new
    wrong = []
    for place, cell in enumerate(cells):
        names = (reads[place] - given[place]) & set().union(*given[:place]) - {"rng"} if cell.visible else set()
        wrong += [f"{cell.label} reads {name}, {later.label} gives it anew" for later, new in
                  zip(cells[place + 1:], given[place + 1:], strict=True) for name in sorted(names & new)]
    assert not wrong
