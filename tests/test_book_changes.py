"""`make changes` changes the visible cells of notebooks and says what becomes of them."""

import subprocess
import sys
import tomllib
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

import change_safety
from checkout import NOTEBOOKS, ROOT

TOY = {  # cells by id; those after "sum" are folded
    "imports": "from bandits_book.asserts import explain_asserts\nexplain_asserts()",
    "size": "n, pairs = 3, 4",
    "sum": "total = 10 * n + 2 * pairs",
    "decode": "estimate = (total - 8) / 10\nprint(f'estimate {estimate}')",
    "guard": "assert n == 3",
    "picture": "heights = [1, 2, 3][n - 1]",
}
TABLE = """
[[change]]
chapter = "01"
what = "{what}"
edits = [[["n, pairs = 3, 4", "n, pairs = {n}, {pairs}"]]]
after = "estimate ="
check = "estimate == n"
"""
CASES = {  # what is changed: n, pairs, and the verdict
    "five users": (5, 4, "crash"),
    "five pairs": (3, 5, "silent"),
    "two users, five pairs": (2, 5, "told"),
    "two users": (2, 4, "fine"),
}
ABSENT = '[[change]]\nchapter = "01"\nwhat = "absent"\nedits = [[["m = 3", "m = 4"]]]\n'


def test_each_verdict_is_given_and_whatever_is_not_fine_fails(tmp_path: Path) -> None:
    cells = [new_code_cell(source, id=name) for name, source in TOY.items()]
    for cell in cells[4:]:
        cell.metadata["tags"] = ["hide-input"]
    nbformat.write(new_notebook(cells=cells), tmp_path / "01_toy.ipynb")
    made = "".join(TABLE.format(what=what, n=n, pairs=pairs) for what, (n, pairs, _) in CASES.items())
    (tmp_path / "table.toml").write_text(made + ABSENT)
    command = [sys.executable, str(ROOT / "book/_tools/change_safety.py"), "--notebooks", tmp_path, tmp_path / "table.toml"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    verdicts = {what: verdict for what, (_, _, verdict) in CASES.items()} | {"absent": "not found"}
    lines = [line.removeprefix("01 ") for line in done.stdout.splitlines() if line.startswith("01 ")]
    assert sorted(lines) == sorted(line for line in lines for what, said in verdicts.items() if line.startswith(f"{said:9} {what}"))
    assert "5 changes: 1 crash, 1 silent, 1 told, 1 fine, 1 not found" in done.stdout and done.returncode == 1, done.stdout
    assert "picture: IndexError" in done.stdout and "not so: estimate == n" in done.stdout


@pytest.mark.parametrize("table", sorted((ROOT / "tests").glob("changes*.toml")), ids=lambda path: path.stem)
def test_every_change_is_of_a_chapter_and_finds_its_texts(table: Path) -> None:
    """A text that a chapter no longer has would be a change that nobody makes."""

    changes = tomllib.loads(table.read_text("utf-8"))["change"]
    assert len({(one["chapter"], one["what"]) for one in changes}) == len(changes)
    for chapter in {one["chapter"] for one in changes}:
        cells = change_safety.code_cells(next(NOTEBOOKS.glob(f"{chapter}_*.ipynb")))
        assert not [one["what"] for one in changes if one["chapter"] == chapter and change_safety.plan(cells, one) is None]
