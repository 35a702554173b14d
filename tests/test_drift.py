"""When a stored output is no longer what the code gives, the report says which cell, which output, and by how much it moved."""

import nbformat
import pytest
from nbformat.v4 import new_output

import drift
from tests.book_helpers import picture

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
