"""Every notebook still gives what is stored in it: texts exactly, figures by their pixels.

In `make test` every notebook runs twice, in two kernels: when the book is built, and by nbval. Here texts and figures of the
first run are compared with the stored ones, all outputs of all cells; nbval compares the texts of the second, cell by cell. If the
book was not built from what is here now, the notebook runs for this test alone.
"""

from pathlib import Path

import nbformat
import pytest

import run_notebooks
from checkout import NOTEBOOKS

CHAPTERS = sorted(NOTEBOOKS.glob("*.ipynb"))


def test_there_are_notebooks() -> None:
    assert CHAPTERS


@pytest.mark.slow
@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_stored_outputs_are_what_a_run_gives(path: Path) -> None:
    complaints = run_notebooks.check_build(path)
    if complaints is None:
        complaints = run_notebooks.run(path, check=True)[1]
    complaints += [f"if that is meant: make notebooks ONLY=notebooks/{path.name}"] if complaints else []
    assert not complaints, "\n".join(complaints)


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
