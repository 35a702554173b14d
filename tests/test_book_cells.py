"""In `make test` a notebook's cell fails when it puts out another text or figure than is stored, or writes to stderr."""

import subprocess
import sys
from pathlib import Path

import nbformat

import run_notebooks
from checkout import ROOT
from tests.book_helpers import DRAW, chapter, save


def test_every_output_is_compared_in_one_run(tmp_path: Path) -> None:
    sources = ["print('hello')", DRAW.format(height=1), "import sys", "6 * 7", DRAW.format(height=1), DRAW.format(height=1)]
    path = save(chapter(*sources), tmp_path / "chapter.ipynb")
    assert run_notebooks.run(path)[1:] == ([], True)
    notebook = nbformat.reads(path.read_text("utf-8"), as_version=4)
    hello, draw, warn, product, bare, _ = notebook.cells[1:]
    hello.outputs[0].text = "hallo\n"
    draw.source = DRAW.format(height=1.5)
    warn.source += "; print('careful', file=sys.stderr)"
    warn.metadata["tags"] = ["nbval-ignore-output"]
    product.outputs = []
    del bare.outputs[0].data["image/svg+xml"]
    script = str(ROOT / "book" / "_tools" / "run_tests.py")
    command = [sys.executable, script, str(save(notebook, path)), f"--rootdir={tmp_path}", "-p", "no:cacheprovider"]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=600).stdout
    assert told.splitlines()[-1].startswith("5 failed, 1 passed in ")
    for index, reason in enumerate(
        ["Cell outputs differ", "Cell drew another picture than is stored: figure: ", "Cell wrote to stderr: careful"]):
        assert f"Cell {index}: {reason}" in told
    assert all(f"chapter.ipynb::Cell {index}" in told for index in (3, 4))
