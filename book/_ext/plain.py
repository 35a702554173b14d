"""Sphinx extension: notebooks that read well without Sphinx become boxes, numbers and links of the book.

`plain_text` describes what a notebook is written in, `plain_myst` turns it into MyST, in memory, when Sphinx reads the file. Here
the book's side of the promise is kept: every number in the text is the one that the stored run gave, every reference is called what
the book's numbering calls it, every citation names its authors. What does not agree is a warning that names notebook, cell and
mark; the book is built with warnings as errors.
"""

import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.nodes import Node, system_message
from pybtex.plugin import register_plugin
from pybtex.style.formatting import plain as plain_style
from pybtex.style.labels import BaseLabelStyle
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging
from sphinx.util.docutils import SphinxRole

import plain_myst
import plain_text

logger = logging.getLogger(__name__)

WRITE = "make notebooks writes it"


def warn(docname: str, cell: int, message: str) -> None:
    """Warn of something in a cell, at the place where myst-nb says that a cell stands."""
    logger.warning("%s", message, location=(docname, cell * 10000 + 1), type="plain")


def read(app: Sphinx, docname: str, source: list[str]) -> None:
    """Hand myst-nb the MyST of a plain notebook, and note what the notebook says."""
    if not str(app.env.doc2path(docname)).endswith(".ipynb"):
        return
    notebook = json.loads(source[0])
    run = plain_text.run_numbers(notebook)
    said: list[tuple[int, str, str]] = []  # the names that the text gives to labels: the cell's place, the words, the label
    for place, cell in enumerate(notebook["cells"], 1):
        if cell["cell_type"] == "markdown":
            text = plain_text.source(cell)
            said += [(place, f"{kind} {number}", label) for label, kind, number in plain_text.titles(text)]
            for mark in plain_text.found_inline(text):
                if mark["target"] and not mark["file"].endswith(".bib"):
                    said.append((place, mark["text"], mark["target"]))
                elif (name := mark["name"]) and (name not in run or mark["value"].split() != run[name].split()):
                    there = f"{run[name]!r} in the run ({WRITE})" if name in run else "not among the run's"
                    warn(docname, place, f"cell {cell['id']}: number {name} is {mark['value']!r} in the text and {there}")
    app.env.metadata[docname]["names told"] = said
    try:
        source[0] = json.dumps(plain_myst.Translator().notebook(notebook))
    except ValueError as error:
        logger.warning("%s", error, location=docname, type="plain")


def book_name(env: BuildEnvironment, label: str) -> str | None:
    """Say what the book's numbering calls a label, "Theorem 6.2"; None if no box or figure has it."""
    if known := getattr(env, "proof_list", {}).get(label):
        kind, counter, page, anchor = known["realtype"], known["countertype"], known["docname"], label
    elif known := getattr(env, "sphinx_exercise_registry", {}).get(label):
        kind, counter, page, anchor = "exercise", "exercise", known["docname"], label
    elif label.startswith("fig-") and (known := env.get_domain("std").anonlabels.get(label)):
        kind, counter, (page, anchor) = "figure", "figure", known
    else:
        return None
    number = env.toc_fignumbers.get(page, {}).get(counter, {}).get(anchor, ())
    return f"{kind.title()} {'.'.join(map(str, number))}"


def compare_names(app: Sphinx, failure: Exception | None) -> None:
    """Compare every name of the whole book with its numbering; also on pages that were not read again, so at the very end."""
    if failure:
        return
    for docname, said in sorted(app.env.metadata.items()):
        for place, words, label in said.get("names told", []):
            name = book_name(app.env, label)
            if name is None:
                warn(docname, place, f"[{words}](...#{label}) refers to nothing")
            elif not " ".join(words.split()).endswith(name):
                warn(docname, place, f"the text says {words!r}, the book's numbering {name!r}: {label} ({WRITE})")


class Citation(SphinxRole):
    """A citation whose words stand in the notebook, ``Warner (1965) <warner1965>``; bibtex makes the link."""

    def run(self) -> tuple[list[Node], list[system_message]]:
        """Compare the words with the bibliography, and leave them for `put_words`."""
        words, _, key = self.text.removesuffix(">").rpartition(" <")
        domain = self.env.get_domain("cite")
        entry = domain.bibdata.data.entries.get(key)
        if entry and re.findall(r"\w+", words) != re.findall(r"\w+", cited(entry)):
            told = f"the text says {words!r}, the bibliography {cited(entry)!r}: {key}"
            logger.warning("%s", told, location=self.get_location(), type="plain")
        made, messages = domain.role("p")("cite:p", "", key, self.lineno, self.inliner)
        return [nodes.inline("", "", *made, words=words)], messages


def cited(entry) -> str:  # type: ignore[no-untyped-def]
    """Say who wrote an entry of the bibliography, and when: "Bittau et al. 2017"."""
    people = [" ".join(map(str, [*person.rich_prelast_names, *person.rich_last_names])) for person in entry.persons["author"]]
    if len(people) > 2 or "others" in people:
        people = [f"{people[0]} et al."]
    return f"{' and '.join(people)} {entry.fields['year']}"


def put_words(app: Sphinx, document: nodes.document, docname: str) -> None:
    """Put the notebook's words in place of the brackets that bibtex writes."""
    for node in list(document.findall(lambda node: isinstance(node, nodes.inline) and "words" in node)):
        if link := next(node.findall(nodes.reference), None):
            link.children = []
            link += nodes.Text(node["words"])
            node.children = [link]


def note_first(app: Sphinx, document: nodes.document, docname: str) -> None:
    """Mark the first citation of each work, in the text and in each fold: on wide screens margin.css shows its reference beside it.

    Beside a cell of a table is no room, nor beside a paragraph for the references of three works.
    """
    noted: set[tuple[int, str]] = set()
    for text in document.findall(nodes.paragraph):
        around: Node | None = text
        while around and not isinstance(around, nodes.table) and "dropdown" not in around.get("classes", ()):
            around = around.parent
        links = {(id(around), link.get("refuri", "")): link for link in reversed([*text.findall(nodes.reference)])}
        new = {work: link for work, link in links.items() if "bibliography.html#" in work[1] and work not in noted}
        if len(new) < 3 and not isinstance(around, nodes.table):
            noted |= new.keys()
            for link in new.values():
                link["classes"].append("noted")


class AsCited(BaseLabelStyle):
    """Labels of the bibliography by which the text cites them."""

    def format_labels(self, entries: Any) -> Iterator[str]:
        return map(cited, entries)


class Style(plain_style.Style):
    """pybtex's plain style with such labels; it links an entry's `doi` or `eprint` (arXiv) by itself."""

    default_label_style = "as_cited"


def setup(app: Sphinx) -> dict[str, int]:
    """Register roles, checks and the style "book" of pybtex; pages are read again when one of the three files changes."""
    register_plugin("pybtex.style.labels", "as_cited", AsCited)
    register_plugin("pybtex.style.formatting", "book", Style)
    app.add_role("citation", Citation())
    app.connect("source-read", read)
    app.connect("doctree-resolved", put_words)
    app.connect("doctree-resolved", note_first)
    app.connect("build-finished", compare_names)
    code = b"".join(Path(module.__file__ or "").read_bytes() for module in (plain_text, plain_myst))
    version = hashlib.sha256(code + Path(__file__).read_bytes()).hexdigest()[:8]
    return {"env_version": int(version, 16)}
