"""Sphinx extension: the notation of the whole book, made from the tables that open the chapters.

    ```{notation}
    ```

is the joint table. A chapter whose table gives a symbol two meanings, or lacks a letter of the main text, is a warning, and the
book is built with warnings as errors; `symbols` says what the rule is.
"""

import json
from collections.abc import Iterator

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging

import symbols
from browse import Browse, chapter_title, form, row, table
from plain_text import Notebook

logger = logging.getLogger(__name__)

COLUMNS = {"item": "Symbol", "meaning": "Meaning", "code": "In the code", "chapters": "Chapters"}


def chapters(env: BuildEnvironment) -> Iterator[tuple[str, Notebook]]:
    """Yield the chapters of the book in order, by the names of their pages."""
    for docname in sorted(env.found_docs):
        path = env.doc2path(docname)
        if docname.startswith("notebooks/") and path.endswith(".ipynb"):
            with open(path, encoding="utf-8") as file:
                yield docname, json.load(file)


class Notation(Browse):
    """The joint table."""

    def run(self) -> list[nodes.Node]:
        """Make it; the page is read again when a chapter changes."""
        tables = []
        for docname, notebook in chapters(self.env):
            self.env.note_dependency(self.env.doc2path(docname))
            tables.append((docname, symbols.table(notebook) or []))
        rows = []
        for place, (told, where) in enumerate(symbols.merged(tables), 1):
            numbers = ", ".join(f"{{doc}}`{number(name)} </{name}>`" for name in where)
            words = {"item": told.symbols, "meaning": told.meaning, "code": told.code, "chapters": numbers}
            cells = {name: self.text(cell) for name, cell in words.items()}
            rows.append(row(COLUMNS, cells, f"symbol-{place}", {"chapter": "|".join(map(number, where))}))
        titles = {number(name): chapter_title(self.root, name.split("/")[-1]) for name, _ in tables}
        made = table([nodes.Text("The symbols of all chapters")], COLUMNS, rows, "browse-narrow")
        return [form("symbols", {"chapter": titles}), made]


def number(docname: str) -> str:
    """Return a chapter's number, with which its name begins."""
    return str(int(docname.removeprefix("notebooks/")[:2]))


def check(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Warn of every symbol of every chapter that is not told, or told twice; on every build, also of pages not read again."""
    for docname, notebook in chapters(env):
        rows = symbols.table(notebook)
        if rows is None:
            logger.warning("has no cell 'symbols' with its table of symbols", location=docname, type="notation")
            continue
        for told in symbols.complaints(notebook, rows):
            logger.warning("%s", told, location=docname, type="notation")
    return []


def setup(app: Sphinx) -> None:
    app.setup_extension("browse")
    app.add_directive("notation", Notation)
    app.connect("env-updated", check)
