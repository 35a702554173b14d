"""When a stored output is no longer what the code gives, the report says which cell, which output, and by how much it moved."""

import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_output

import drift
from checkout import ROOT, TOOLS
from tests.book_helpers import chapter, picture, save

TABLE = "learner   regret\nSDP-AE    1,250.0\nVB-SDP-AE   980.4"


def text(content: str, name: str = "stdout") -> nbformat.NotebookNode:
    return new_output("stream", name=name, text=content)


def figure(height: float, word: str = "slope") -> nbformat.NotebookNode:
    return new_output("display_data", data={"text/plain": "<Figure>", "image/svg+xml": picture(height, word)})


def page(content: str) -> nbformat.NotebookNode:
    return new_output("display_data", data={"text/html": content})


@pytest.mark.parametrize(("stored", "fresh", "told"), [
    ([text(TABLE)], [text(TABLE)], ""),
    ([text(TABLE)], [text(TABLE.replace("1,250.0", "1,262.5"))], "text: line 2: 1,250.0 → 1,262.5; largest change 1 %"),
    ([text(TABLE)], [text(TABLE.replace("  980.4", "1,029.4"))], "text: line 3: 980.4 → 1,029.4; largest change 5 %"),
    ([text("0.0")], [text("1e-3")], "text: line 1: 0.0 → 1e-3; largest change inf %"),
    ([text("1\n2 3 4")], [text("2\n3 6 5")], "text: line 1: 1 → 2, line 2: 3 → 6, line 2: 2 → 3, and 1 more; largest change 100 %"),
    ([text("a  b")], [text("a b")], "text: other spaces"),
    ([text("1\nout of 7")], [text("1\nout of 8\nand 1")], "text: line 3 has other words: '' → 'and 1'"),
    ([text("phases: long")], [text("phases: short")], "text: line 1 has other words: 'long' → 'short'"),
    ([text("1")], [], "puts out text → nothing"),
    ([text("1")], [new_output("error", ename="ValueError", evalue="no"), text("1")], "error: ValueError: no"),
    ([text("1")], [text("1"), text("careful", "stderr")], "stderr: careful"),
    ([figure(60)], [figure(59.8)], ""),
    ([figure(60)], [figure(57)], "figure: 1 of 10 coordinates moved, the farthest by 3 points"),
    ([figure(60)], [figure(60, "slide")], "figure: other words, looks or number of parts"),
    ([page('<b id="bdp-0123456789">8</b>')], [page('<b id="bdp-abcdef0123">9</b>')], "page: line 1: 8 → 9; largest change 12.5 %"),
])
def test_what_drifted_is_told(stored: list[nbformat.NotebookNode], fresh: list[nbformat.NotebookNode], told: str) -> None:
    assert drift.told(stored, fresh, lambda content: content) == told


def test_the_report_names_the_cell_and_the_amount(tmp_path: Path) -> None:
    """Two cells, and what is stored of the second is 1% too much; a worker runs them, and the first process tells."""
    notebook = chapter('print("fine")', 'noise = 4.0\nprint(f"noise {noise:.2f}")')
    for cell, stored in zip(notebook.cells[1:], ("fine\n", "noise 4.04\n"), strict=True):
        cell.execution_count, cell.outputs = 1, [text(stored)]
    path = save(notebook, tmp_path / "two_cells.ipynb")
    command = [sys.executable, str(TOOLS / "run_tests.py"), f"--rootdir={tmp_path}", "--numprocesses=1", str(path)]
    log = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=False, timeout=600).stdout
    told = "(cell-1, `noise = 4.0`): text: line 1: 4.04 → 4.00; largest change 0.99 %"
    assert [line for line in log.splitlines() if line.startswith("DRIFT")] == [f"DRIFT two_cells.ipynb::Cell 1 {told}"]
