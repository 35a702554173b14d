"""`run_notebooks` stores the same bytes again, finds other outputs and figures, and keeps bad runs out."""

from pathlib import Path

import nbformat
import numpy as np
import pytest
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from nbformat.v4 import new_output

import build_book
import run_notebooks
from checkout import fingerprint
from tests.book_helpers import DRAW, chapter, picture, save


def test_pictures_may_differ_by_a_breath() -> None:
    def breath(pixels: np.ndarray) -> None:
        pixels += 5
        pixels[0, :4] = 255  # 4 of 4800 pixels

    assert run_notebooks.same_picture(picture(), picture())
    assert run_notebooks.same_picture(picture(), picture(breath))


def test_other_pictures_are_told_apart() -> None:
    def line(pixels: np.ndarray) -> None:
        pixels[30, :] = 255

    assert not run_notebooks.same_picture(picture(), picture(line))
    assert not run_notebooks.same_picture(picture(), picture(size=(60, 81)))


def test_a_run_is_stored_reproducibly_and_checked(tmp_path: Path) -> None:
    path = save(chapter("print('hello')", "6 * 7", DRAW.format(height=1)), tmp_path / "chapter.ipynb")
    _, complaints, changed = run_notebooks.run(path, check=False)
    assert changed
    assert not complaints
    stored = path.read_bytes()
    assert run_notebooks.run(path, check=False)[1:] == ([], False)
    assert path.read_bytes() == stored
    assert run_notebooks.run(path, check=True)[1:] == ([], False)

    # Another figure under the same code, another text, a lost output: each is found, at its cell.
    notebook = nbformat.reads(stored.decode(), as_version=4)
    notebook.cells[3].outputs[0].data["image/png"] = other_figure(tmp_path)
    notebook.cells[1].outputs[0].text = "hallo\n"
    notebook.cells[2].outputs = []
    save(notebook, path)
    complaints = run_notebooks.run(path, check=True)[1]
    cells = [complaint.partition(":")[0] for complaint in complaints]
    assert cells == ["cell cell-0", "cell cell-1", "cell cell-2"]


def test_a_run_of_the_build_is_checked_instead_of_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The book's build has run the same cells: its outputs count if nothing has changed since, and all of them are compared."""
    monkeypatch.setattr(build_book, "BUILD", tmp_path)
    monkeypatch.setattr(build_book, "STATE", tmp_path / "state.json")
    path = save(chapter("print('hello')\nprint('you')", "6 * 7"), tmp_path / "chapter.ipynb")
    assert run_notebooks.check_build(path) is None  # no build
    run_notebooks.run(path, check=False)
    built = nbformat.reads(path.read_text("utf-8"), as_version=4)
    built.cells[1].outputs = [new_output("stream", name="stdout", text=text) for text in ("hello\n", "y", "ou\n")]
    built.cells[2].execution_count = built.cells[2].outputs[0].execution_count = 17

    def build(status: str = "built", code: str = fingerprint(*build_book.CODE), seconds: float = 1) -> None:
        build_book.write_state({"status": status, "code": code})
        bundle = CacheBundleIn(built, str(path), data={"execution_seconds": seconds})
        get_cache(tmp_path / ".jupyter_cache").cache_notebook_bundle(bundle, check_validity=False, overwrite=True)

    build()
    assert run_notebooks.check_build(path) == []
    for state in ({"status": "failed"}, {"status": "building"}, {"code": "of another package"}):
        build(**state)
        assert run_notebooks.check_build(path) is None
    build(seconds=run_notebooks.NOTEBOOK_LIMIT + 1)
    assert ["a notebook may take" in complaint for complaint in run_notebooks.check_build(path) or []] == [True]
    built.cells[1].outputs[2].text = "ou all\n"
    built.cells[2].outputs = [new_output("stream", name="stderr", text="careful")]
    build()
    assert [complaint.partition(":")[0] for complaint in run_notebooks.check_build(path) or []] == [
        "cell cell-1 wrote to stderr", "cell cell-0", "cell cell-1"]
    stored = nbformat.reads(path.read_text("utf-8"), as_version=4)
    stored.cells[1].source += "  # other cells than those of the build"
    assert run_notebooks.check_build(save(stored, path)) is None


def other_figure(folder: Path) -> str:
    """Return the picture that the figure's cell draws with one line at another height."""
    path = save(chapter(DRAW.format(height=1.5)), folder / "other.ipynb")
    assert run_notebooks.run(path, check=False)[1:] == ([], True)
    return nbformat.reads(path.read_text("utf-8"), as_version=4).cells[1].outputs[0].data["image/png"]


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        ("raise RuntimeError('no luck')", "no luck"),
        ("import sys; print('careful', file=sys.stderr)", "cell cell-0 wrote to stderr: careful"),
        ("1 + 1;", "cell cell-0 ends in ';'"),
    ],
)
def test_a_bad_notebook_stays_as_it_was(tmp_path: Path, source: str, complaint: str) -> None:
    path = save(chapter(source), tmp_path / "chapter.ipynb")
    before = path.read_bytes()
    _, complaints, _ = run_notebooks.run(path, check=False)
    assert complaint in complaints[0]
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["chapter.ipynb"]


def test_a_slow_notebook_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_notebooks, "NOTEBOOK_LIMIT", 0.01)
    path = save(chapter("1"), tmp_path / "chapter.ipynb")
    assert "a notebook may take" in run_notebooks.run(path, check=False)[1][0]


def test_what_changes_from_run_to_run_is_not_stored() -> None:
    notebook = chapter("1", "2")
    notebook.metadata["widgets"] = {"state": {}}
    notebook.metadata["language_info"] = {"name": "python", "version": "3.99"}
    first, second = notebook.cells[1:]
    first.metadata["execution"] = {"shell.execute_reply": "2026-01-01"}
    first.execution_count, second.execution_count = 17, 23
    first.outputs = [
        new_output("display_data", data={run_notebooks.WIDGET: {"model_id": "5eed"}}),
        new_output("execute_result", data={"text/plain": "1"}, execution_count=17),
    ]
    run_notebooks.normalise(notebook)
    assert "widgets" not in notebook.metadata
    assert "version" not in notebook.metadata.language_info
    assert "execution" not in first.metadata
    assert [output.output_type for output in first.outputs] == ["execute_result"]
    assert (first.execution_count, first.outputs[0].execution_count, second.execution_count) == (1, 1, 2)
