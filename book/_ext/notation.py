"""Sphinx extension: the notation of the whole book, made from the tables that open the chapters.

    ```{notation}
    ```

is the joint table. A chapter has a Markdown cell with the id `symbols`, in which a table ``| symbol | meaning | in the code |``
stands. Every Latin or Greek letter that stands in a formula of the main text, which is what comes before the exercises and outside
of folds, is in that table, and no symbol is in it twice. All else is a warning, and the book is built with warnings as errors.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging

from browse import Browse, chapter_title, form, row, table
from plain_text import FORMULA, Notebook, blocks, markdown

logger = logging.getLogger(__name__)

CELL = "symbols"
NAMES = (
    "alpha beta gamma delta epsilon varepsilon zeta eta theta kappa lambda mu nu xi pi rho sigma tau phi varphi chi psi omega "
    "Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega ell"
)
GREEK = NAMES.split()
NO_QUANTITY = {"e"}  # Euler's number needs no row
WORDS = re.compile(r"\\(?:operatorname\*?|mathrm|text|mathbf|mathbb|mathcal|textbf|textit)\s*\{[^}]*\}")
LAYOUT = re.compile(r"\\(?:begin|end)\{[^}]*\}(?:\{[^}]*\})?|\\\\(?:\[[^\]]*\])?")
EXERCISES = re.compile(r"^## Exercises", re.MULTILINE)
COLUMNS = {"item": "Symbol", "meaning": "Meaning", "code": "In the code", "chapters": "Chapters"}


@dataclass(frozen=True)
class Symbol:
    """One line of a chapter's table, as it is written there."""

    symbols: str
    meaning: str
    code: str


def letters(tex: str) -> set[str]:
    """Return the letters of a formula that stand for something: Latin ones as they are, Greek ones by their commands' names."""
    tex = LAYOUT.sub(" ", WORDS.sub(" ", tex))
    greek = set(re.findall(rf"\\({'|'.join(GREEK)})(?![A-Za-z])", tex))
    return greek | set(re.findall(r"[A-Za-z]", re.sub(r"\\[A-Za-z]+", " ", tex))) - NO_QUANTITY


def formulas(text: str) -> list[str]:
    return [formula.strip("$") for formula in re.findall(FORMULA, text, re.DOTALL)]


def symbols_of(notebook: Notebook) -> list[Symbol] | None:
    """Return the rows of a chapter's table; None if it has no such cell."""
    for cell, text in markdown(notebook):
        if cell.get("id") == CELL:
            lines = [line for line in text.splitlines() if line.startswith("|")]
            split = [[part.strip() for part in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines[2:]]
            if wrong := next((line for line, parts in zip(lines[2:], split, strict=True) if len(parts) != 3), None):
                raise ValueError(f"a row of the table of symbols needs three cells: {wrong!r}")
            return [Symbol(*parts) for parts in split]
    return None


def main_text(notebook: Notebook) -> Iterator[tuple[str, str]]:
    """Yield the ids and texts of the cells before the exercises, without folds."""
    for cell, text in markdown(notebook):
        before, *after = EXERCISES.split(text, maxsplit=1)
        if cell.get("id") != CELL:
            told = "\n\n".join(block for kind, block in blocks(before) if kind != "fold")
            yield cell.get("id", ""), re.sub(r"(?m)^> ?", "", told)
        if after:
            return


def complaints(notebook: Notebook, rows: Iterable[Symbol]) -> Iterator[str]:
    """Say which symbols the table gives twice, and which letters it lacks."""
    meanings: dict[str, str] = {}
    known: set[str] = set()
    for told in rows:
        for symbol in formulas(told.symbols):
            if symbol in meanings:
                yield f"${symbol}$ means {meanings[symbol]!r} and {told.meaning!r}"
            meanings[symbol] = told.meaning
            known |= letters(symbol)
    missing: dict[str, str] = {}
    for name, text in main_text(notebook):
        for formula in formulas(text):
            for letter in sorted(letters(formula) - known):
                missing.setdefault(letter, f"cell {name} uses {letter} in ${formula}$, but the table of symbols lacks it")
    yield from missing.values()


def merged(chapters: Iterable[tuple[str, Iterable[Symbol]]]) -> list[tuple[Symbol, list[str]]]:
    """Join the tables of all chapters: one row where symbol and meaning agree, with the chapters; in the order of the alphabet."""
    found: dict[tuple[str, str], tuple[list[str], list[str]]] = {}
    for chapter, rows in chapters:
        for told in rows:
            codes, places = found.setdefault((told.symbols, told.meaning), ([], []))
            codes.extend(code for code in re.findall(r"`[^`]+`", told.code) if code not in codes)
            places.extend([] if chapter in places else [chapter])
    rows_of = [(Symbol(*key, ", ".join(codes)), places) for key, (codes, places) in found.items()]
    return sorted(rows_of, key=lambda one: (*rank(one[0].symbols), one[1]))


def rank(symbols: str) -> tuple[bool, int, str]:
    """Place a symbol by its first letter: Latin before Greek, a letter's capital beside it."""
    tex = re.sub(r"\\(?:hat|bar|tilde|widehat|mathbb|mathcal|mathbf|mathrm|operatorname)\b", " ", symbols)
    first = re.search(rf"\\({'|'.join(GREEK)})(?![A-Za-z])|(?<![\\A-Za-z])[A-Za-z]", tex)
    letter = first[0].strip("\\") if first else ""
    small = {"epsilon": "varepsilon", "phi": "varphi"}.get(letter.lower(), letter.lower())
    return len(letter) > 1, GREEK.index(small) if small in GREEK else 0, f"{small} {symbols}"


def chapters(env: BuildEnvironment) -> Iterator[tuple[str, Notebook]]:
    """Yield the chapters of the book in order, by the names of their pages."""
    for docname in sorted(env.found_docs):
        path = env.doc2path(docname)
        if docname.startswith("notebooks/") and path.endswith(".ipynb"):
            with open(path, encoding="utf-8") as file:
                yield docname, json.load(file)


class Notation(Browse):
    def run(self) -> list[nodes.Node]:
        """Make it; the page is read again when a chapter changes."""
        tables = []
        for docname, notebook in chapters(self.env):
            self.env.note_dependency(self.env.doc2path(docname))
            tables.append((docname, symbols_of(notebook) or []))
        rows = []
        for place, (told, where) in enumerate(merged(tables), 1):
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
        rows = symbols_of(notebook)
        if rows is None:
            logger.warning("has no cell 'symbols' with its table of symbols", location=docname, type="notation")
            continue
        for told in complaints(notebook, rows):
            logger.warning("%s", told, location=docname, type="notation")
    return []


def setup(app: Sphinx) -> None:
    app.setup_extension("browse")
    app.add_directive("notation", Notation)
    app.connect("env-updated", check)
