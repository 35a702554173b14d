"""`run_notebooks` stores the same bytes again, tells figures apart, notes the code it ran, and keeps bad runs out."""

from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_output

import run_notebooks
import stored_outputs
from tests.book_helpers import DRAW, chapter, picture, save


def test_pictures_may_differ_by_a_breath_and_no_more() -> None:
    assert run_notebooks.same_picture(picture(), picture(height=59.8, shift=0.1))
    for change in ({"height": 58}, {"shift": 1}, {"word": "slopes"}, {"word": "2 slopes"}):
        assert not run_notebooks.same_picture(picture(), picture(**change))
        assert not run_notebooks.same_picture(picture(**change), picture())
    assert not run_notebooks.same_picture(picture(word="3 slopes"), picture(word="4 slopes"))


def test_a_run_is_stored_reproducibly_and_code_that_changed_since_is_found(tmp_path: Path) -> None:
    path = save(chapter("x = 6", "x * 7", DRAW.format(height=1)), tmp_path / "chapter.ipynb")
    assert "code cell 1 has changed" in (stored_outputs.complaint(path) or "")  # it never ran
    assert run_notebooks.run(path)[1:] == ([], True)
    ran = path.read_text("utf-8")
    assert run_notebooks.run(path)[1:] == ([], False) and path.read_text("utf-8") == ran

    def complaint(**edits: str) -> str | None:
        notebook = nbformat.reads(ran, as_version=4)
        for index, source in edits.items():
            notebook.cells[int(index.removeprefix("cell"))].source = source
        return stored_outputs.complaint(save(notebook, path))

    assert complaint() is None
    assert complaint(cell0="# Another title") is None
    told = complaint(cell2="x * 8") or ""
    assert told.startswith(f"{path}: code cell 2 has changed since its outputs were stored: make notebooks ONLY=")
    assert "code cell 1 " in (complaint(cell1="x = 5", cell2="x * 8") or "")

    notebook = nbformat.reads(ran, as_version=4)
    notebook.cells.append(new_code_cell("x"))
    assert "code cell 4 " in (stored_outputs.complaint(save(notebook, path)) or "")
    notebook.cells[-1].id = run_notebooks.SETUP_CELL
    assert stored_outputs.complaint(save(notebook, path)) is None
    del notebook.cells[1:2]
    assert "code cell 1 " in (stored_outputs.complaint(save(notebook, path)) or "")


@pytest.mark.parametrize(("sources", "wanted"), [
    (["raise RuntimeError('no luck')"], ["no luck"]),
    (["import sys; print('careful', file=sys.stderr)", "1 + 1;"], ["cell-0 wrote to stderr: careful", "cell-1 ends in ';'"]),
])
def test_a_bad_notebook_stays_as_it_was(tmp_path: Path, sources: list[str], wanted: list[str]) -> None:
    path = save(chapter(*sources), tmp_path / "chapter.ipynb")
    before = path.read_bytes()
    _, complaints, _ = run_notebooks.run(path)
    assert all(part in "\n".join(complaints) for part in wanted) and path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["chapter.ipynb"]


def test_what_changes_from_run_to_run_is_not_stored() -> None:
    notebook = chapter("1", "2")
    notebook.metadata["language_info"] = {"name": "python", "version": "3.99"}
    notebook.metadata["widgets"] = {"application/vnd.jupyter.widget-state+json": {}}
    first, second = notebook.cells[1:]
    first.metadata["execution"] = {"shell.execute_reply": "2026-01-01"}
    first.execution_count, second.execution_count = 17, 23
    first.outputs = [new_output("execute_result", data={"text/plain": "1"}, execution_count=17)]
    second.metadata["tags"] = ["remove-output", "nbval-ignore-output"]  # a figure for whoever has a kernel
    second.outputs = [new_output("execute_result", data={"text/html": "<p>2</p>"}, execution_count=23)]
    run_notebooks.normalise(notebook)
    assert "version" not in notebook.metadata.language_info and "widgets" not in notebook.metadata
    assert "execution" not in first.metadata
    assert [output.output_type for output in first.outputs] == ["execute_result"] and not second.outputs
    assert (first.execution_count, first.outputs[0].execution_count, second.execution_count) == (1, 1, 2)
