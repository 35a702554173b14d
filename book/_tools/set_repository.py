"""Write the address of the book's repository where it has to stand in a file: in `_config.yml`, and in the notebooks for Colab.

    make repository URL=https://host/owner/name    # URL= removes it; without URL, the notebooks get the one of _config.yml

`make book` reads `repository.url` in `_config.yml`, and makes buttons and commands of it (`book/_ext/take_along.py`). Colab opens a
notebook alone, so below its title stands a cell that installs the package there, and does nothing anywhere else.
"""

import os
import re
import sys

import nbformat
import yaml
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from checkout import NOTEBOOKS, ROOT, store

CONFIG = ROOT / "_config.yml"
ADDRESS = re.compile(r"https?://[A-Za-z0-9.:-]+(?:/[A-Za-z0-9._~-]+){2,}|")
SETUP_CELL = "colab-setup"
SETUP = """\
# On Google Colab this installs the book's package; anywhere else it does nothing.
import sys

if "google.colab" in sys.modules:
    %pip install -q "bandits-dp[plots] @ git+{}\""""


def address() -> str:
    return str(yaml.safe_load(CONFIG.read_text("utf-8"))["repository"]["url"])


def with_setup(notebook: NotebookNode, url: str) -> NotebookNode:
    """Return a notebook with the set-up cell for an address below its title, or without one if that is empty."""
    notebook.cells = [cell for cell in notebook.cells if cell.get("id") != SETUP_CELL]
    if url:
        notebook.cells.insert(1, new_code_cell(SETUP.format(url), id=SETUP_CELL, metadata={"tags": ["remove-cell"]}))
    return notebook


def main() -> int:
    """Set the address if the variable URL is there, and write it into the notebooks."""
    if "URL" in os.environ:
        url = os.environ["URL"].strip().rstrip("/").removesuffix(".git")
        if not ADDRESS.fullmatch(url):
            print(f"URL={url!r} is not the web address of a repository, such as https://host/owner/name", file=sys.stderr)
            return 1
        store(CONFIG, re.sub(r'(?m)^  url: ".*"$', f'  url: "{url}"', CONFIG.read_text("utf-8"), count=1))
    for path in sorted([*NOTEBOOKS.glob("*.ipynb"), *NOTEBOOKS.glob("assignments/*.ipynb")]):
        if store(path, nbformat.writes(with_setup(nbformat.read(path, 4), address())) + "\n"):
            print(f"changed {path.relative_to(ROOT)}")
    print(f"The repository's address is {address()}." if address() else "No repository's address is set.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
