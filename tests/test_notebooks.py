"""Every notebook is stored in the one form. (nbval runs it, and the book is not built where outputs come from other code.)"""

from pathlib import Path

import nbformat
import pytest

import run_notebooks
from checkout import NOTEBOOKS

CHAPTERS = sorted(NOTEBOOKS.glob("*.ipynb"))


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_outputs_are_stored_in_the_one_form(path: Path) -> None:
    text = path.read_text("utf-8")
    notebook = nbformat.reads(text, as_version=4)
    nbformat.validate(notebook)
    run_notebooks.normalise(notebook)
    assert nbformat.writes(notebook) + "\n" == text, f"run make notebooks ONLY=notebooks/{path.name}"
    for cell in notebook.cells:
        if cell.cell_type == "code" and cell.source.strip() and cell.id != run_notebooks.SETUP_CELL:
            assert cell.execution_count, f"cell {cell.id} never ran, so there is nothing to compare it with"
