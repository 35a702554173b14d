"""What the tests of the book's tools share: small pictures, notebooks and books made for a test."""

import subprocess
import sys
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

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
