"""Write the addresses of the book's repository and site where they have to stand: in `_config.yml`, and in the notebooks for Colab.

    make repository URL=https://host/owner/name    # URL= removes it; without URL, the notebooks get the one of _config.yml
    make repository SITE=https://host/folder/      # only the address of the site; with URL, for a host that is not GitHub

`make book` reads `repository.url` in `_config.yml`, and makes buttons and commands of it (`book/_ext/take_along.py`). Colab opens a
notebook alone, so below its title stands a cell that finds the package, installs it, or says how to. `make book` also reads
`html.baseurl`, the site's address, for what needs a whole one (`book/_ext/lost.py`, `book/_ext/described.py`).
"""

import os
import re
import sys
from typing import Any

import nbformat
import yaml
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from checkout import NOTEBOOKS, ROOT, store

CONFIG = ROOT / "_config.yml"
ADDRESS = re.compile(r"https?://[A-Za-z0-9.:-]+(?:/[A-Za-z0-9._~-]+){2,}|")
FOLDER = re.compile(r"https?://[A-Za-z0-9.:-]+(?:/[A-Za-z0-9._~-]+)*/|")
ON_GITHUB = re.compile(r"(?i)https://github\.com/([^/]+)/([^/]+)")
SETUP_CELL = "find-package"
SETUP = '''\
# The book's package: installed, or in the book's folder around this notebook, or in a wheel beside it, or at its address.
import importlib.util
import pathlib
import sys

here, address = pathlib.Path.cwd(), "{}"
if not importlib.util.find_spec("bandits_book"):
    folder = next((up for up in (here, *here.parents) if (up / "book" / "bandits_book").is_dir()), None)
    wheel = max(here.glob("bandits_dp-*.whl"), default=None)
    source = wheel.as_uri() if wheel else address and f"git+{{address}}"
    if folder:
        sys.path[:0] = [str(folder), str(folder / "book")]
    elif source:
        get_ipython().run_line_magic("pip", f'install -q "bandits-dp[plots,labs] @ {{source}}"')
    else:
        sys.exit("This notebook needs the book's package. Put its wheel, bandits_dp-*.whl, or the book's whole folder "
                 "beside this notebook and run this cell again; the page 'Get the code' says where they are.")'''


def settings() -> Any:
    return yaml.safe_load(CONFIG.read_text("utf-8"))


def address() -> str:
    return str(settings()["repository"]["url"])


def with_setup(notebook: NotebookNode, url: str) -> NotebookNode:
    """Return a notebook with the cell that finds the package, or knows its address, below its title."""
    notebook.cells = [cell for cell in notebook.cells if cell.get("id") != SETUP_CELL]
    notebook.cells.insert(1, new_code_cell(SETUP.format(url), id=SETUP_CELL, metadata={"tags": ["remove-cell"]}))
    return notebook


def shown_at(url: str) -> str:
    """Return where GitHub shows the pages of a repository; nothing for another host, whose address does not follow."""
    if not (known := ON_GITHUB.fullmatch(url)):
        return ""
    host = f"{known[1]}.github.io".lower()
    return f"https://{host}/" if known[2].lower() == host else f"https://{host}/{known[2]}/"


def main() -> int:
    """Set the addresses for which the variables URL and SITE are there, and write that of the repository into the notebooks."""
    lines = {}
    if "URL" in os.environ:
        lines["url"] = url = os.environ["URL"].strip().rstrip("/").removesuffix(".git")
        lines["baseurl"] = shown_at(url)
        if not ADDRESS.fullmatch(url):
            print(f"URL={url!r} is not the web address of a repository, such as https://host/owner/name", file=sys.stderr)
            return 1
    if "SITE" in os.environ:
        site = os.environ["SITE"].strip().rstrip("/")
        lines["baseurl"] = site = site and f"{site}/"
        if not FOLDER.fullmatch(site):
            print(f"SITE={site!r} is not the web address of a site, such as https://host/ or https://host/folder/", file=sys.stderr)
            return 1
    text = CONFIG.read_text("utf-8")
    for name, value in lines.items():
        text = re.sub(rf'(?m)^  {name}: ".*"$', f'  {name}: "{value}"', text, count=1)
    store(CONFIG, text)
    for path in sorted([*NOTEBOOKS.glob("*.ipynb"), *NOTEBOOKS.glob("assignments/*.ipynb")]):
        if store(path, nbformat.writes(with_setup(nbformat.read(path, 4), address())) + "\n"):
            print(f"changed {path.relative_to(ROOT)}")
    print(f"The repository's address is {address()}." if address() else "No repository's address is set.")
    print(f"The site's address is {site}." if (site := settings()["html"]["baseurl"]) else "No site's address is set.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
