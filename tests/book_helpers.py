"""What the tests of the book's tools share: a browser, and small pictures, notebooks and books made for a test."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from playwright.sync_api import Browser, sync_playwright

import get_browser

FLAGS = [  # Chromium as root in a container, without the services that would ask other hosts for things
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
    # No other host has an address, so no request reaches one; asking this process about each would cost more than many pages.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]
EXTENSIONS = str(Path(__file__).parents[1] / "book" / "_ext")
SETTINGS = """\
import sys
sys.path.insert(0, {EXTENSIONS!r})
extensions = {extensions!r}
myst_enable_extensions = ["dollarmath", "amsmath"]
nb_execution_mode = "off"
root_doc = {root!r}
{more}
"""

DRAW = """\
%config InlineBackend.figure_formats = ["svg"]
%config InlineBackend.print_figure_kwargs = {{"metadata": {{"Date": None}}}}
import matplotlib.pyplot as plt
plt.rcParams["svg.hashsalt"] = "a test"
plt.plot([0, 1], [0, {height}])
plt.ylim(0, 2)
plt.show()"""


@pytest.fixture(scope="module")  # no longer: Playwright runs once at a time, and other tests use it too
def browser() -> Iterator[Browser]:
    """Start the browser that the tools find or get, with scrollbars: they take space, and boxes that scroll for no reason show."""
    chromium = get_browser.get()
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=chromium, args=FLAGS, ignore_default_args=["--hide-scrollbars"])


def picture(height: float = 60, word: str = "slope", shift: float = 0) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 80 60"><path d="M0 0L80 {height}" style="stroke:#777777"/>'
        f'<text x="{10 + shift}" y="20">{word}</text></svg>'
    )


def chapter(*sources: str) -> nbformat.NotebookNode:
    cells = [new_markdown_cell("# A chapter", id="title")]
    cells += [new_code_cell(source, id=f"cell-{index}") for index, source in enumerate(sources)]
    return new_notebook(cells=cells)


def save(notebook: nbformat.NotebookNode, path: Path) -> Path:
    path.write_text(nbformat.writes(notebook) + "\n", "utf-8")
    return path


def build(folder: Path, *extensions: str, root: str = "page", more: str = "") -> tuple[int, str]:
    """Build the small book in a folder, with warnings as errors; return how that ended, and what was told."""
    settings = SETTINGS.format(EXTENSIONS=EXTENSIONS, extensions=["myst_nb", *extensions], root=root, more=more)
    (folder / "conf.py").write_text(settings)
    command = [sys.executable, "-P", "-m", "sphinx", "-b", "html", "-W", "--keep-going", "-q", ".", "_built"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=600)
    return done.returncode, done.stderr
