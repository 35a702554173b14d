"""Sphinx extension: long tables that one can browse; what every page of that kind shares.

A table is written out in full, so that it reads, prints and is searched without a script. Each of its rows says in attributes
what it can be filtered by; `tables.js` shows the form and does the filtering, and `tables.css` makes cards of rows on a phone.
The roles say what the tags say already, because a browser forgets that a row is a row when it is laid out as a card.

`element("tr", *children, data_outcome="open")` stands for ``<tr data-outcome="open">``, for which docutils has no node. Text inside
is escaped by docutils as everywhere; the children are ordinary nodes, so formulas, links and citations in them work.
"""

import json
import re
from collections.abc import Iterable, Mapping
from html import escape
from pathlib import Path
from types import MappingProxyType

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.writers.html5 import HTML5Translator

from plain import cited
from plain_text import markdown


class Element(nodes.General, nodes.Element):  # type: ignore[misc]
    """One element; `tag` is its name and `own` holds its attributes."""


def element(tag: str, *children: nodes.Node | str, **own: str) -> Element:
    """Make an element; an underscore in an attribute's name stands for a hyphen, and at its end for nothing."""
    made = Element("", tag=tag, own={name.rstrip("_").replace("_", "-"): value for name, value in own.items()})
    for child in children:
        made += nodes.Text(child) if isinstance(child, str) else child
    return made


def visit(self: HTML5Translator, node: Element) -> None:
    own = "".join(f' {name}="{escape(value)}"' for name, value in node["own"].items())
    self.body.append(f"<{node['tag']}{own}>")


def depart(self: HTML5Translator, node: Element) -> None:
    if node["tag"] != "input":  # which holds nothing
        self.body.append(f"</{node['tag']}>")


# What a form offers: the words that a reader sees for each value.
Choices = Mapping[str, str]


def table(caption: Iterable[nodes.Node], columns: Mapping[str, str], rows: Iterable[Element], kind: str = "") -> Element:
    """Make a table; `columns` maps the class of each column to its heading, and "browse-narrow" stays a table on a phone."""
    heads = [element("th", words, role="columnheader", scope="col", class_=name) for name, words in columns.items()]
    head, body = element("thead", element("tr", *heads, role="row"), role="rowgroup"), element("tbody", *rows, role="rowgroup")
    return element("table", element("caption", *caption, role="caption"), head, body, role="table", class_=f"browse {kind}".strip())


def row(
    columns: Mapping[str, str], cells: Mapping[str, Iterable[nodes.Node]], name: str, own: Mapping[str, str] = MappingProxyType({})
) -> Element:
    """Make a row, whose first cell is its heading and whose `name` is its anchor; `own` is what it can be filtered by."""
    made: list[Element] = []
    for column, words in columns.items():
        tag, role, scope = ("td", "cell", {}) if made else ("th", "rowheader", {"scope": "row"})
        # The second element keeps a cell in one piece where it is laid out beside the name of its column.
        inside = element("div", *cells[column], class_="browse-cell")
        made.append(element(tag, inside, role=role, class_=column, data_label=words, **scope))
    return element("tr", *made, role="row", id_=name, **{f"data_{key}": value for key, value in own.items()})


def field(form: str, name: str, words: str, control: Element) -> Element:
    control["own"].update(id=f"{form}-{name}", name=name)
    return element("div", element("label", words, for_=f"{form}-{name}"), control)


def select(options: Choices) -> Element:
    return element("select", *(element("option", words, value=value) for value, words in options.items()))


def form(rows: str, choices: Mapping[str, Choices], orders: Choices = MappingProxyType({})) -> Element:
    """Make the form that filters, and sorts if there are orders, all tables of a page; a script shows it."""

    def chooser(name: str, first: str, options: Choices) -> Element:
        return field("browse", name, name.replace("-", " ").capitalize(), select({"": first, **options}))

    fields = [chooser(name, "all", options) for name, options in choices.items()]
    fields.append(field("browse", "words", "Words", element("input", type_="search", autocomplete="off")))
    if orders:
        fields.append(chooser("order", "as in the book", orders))
    count = element("output", role="status", class_="browse-count", data_rows=rows)
    reset = element("button", "Show all", type_="reset")
    told = element("p", count, " ", reset)
    return element("form", *fields, told, class_="browse-form", aria_label=f"Filter the {rows}", hidden="hidden")


def chapter_title(root: Path, name: str) -> str:
    """Name a chapter as the contents do, "3. Whom do you trust?"."""
    text = (root / "notebooks" / f"{name}.ipynb").read_text("utf-8")
    title = next(found for _, cell in markdown(json.loads(text)) for found in re.findall(r"(?m)^# (.+)", cell))
    return f"{int(name[:2])}. {title}"


def rounded(value: float) -> str:
    """Write a number for people, in three digits and without powers of ten."""
    number = float(f"{value:.3g}")
    return f"{number:,.0f}" if abs(number) >= 1000 else f"{number:.3g}"


def fold(words: str, *content: nodes.Node) -> Element:
    """Make something that opens."""
    return element("details", element("summary", words), *content)


class Browse(SphinxDirective):
    """What the directives of such pages need: text, links and sections."""

    @property
    def root(self) -> Path:
        return Path(self.env.srcdir)

    def chapter(self, name: str) -> str:
        return f"Chapter {int(name[:2])}, {{doc}}`../notebooks/{name}`"

    def text(self, markdown: str) -> list[nodes.Node]:
        return self.parse_text_to_nodes(markdown)  # type: ignore[no-any-return]

    def authors(self, keys: Iterable[str]) -> dict[str, str]:
        """Name papers by their authors and years, as text."""
        entries = self.env.get_domain("cite").bibdata.data.entries  # type: ignore[attr-defined]
        return {key: cited(entries[key]) for key in keys}

    def section(self, title: str, label: str, *content: nodes.Node) -> nodes.section:
        """Make a section that the page's contents list."""
        made = nodes.section("", nodes.title(title, title), *content, names=[label], ids=[label])
        self.state.document.note_explicit_target(made)
        return made


def setup(app: Sphinx) -> None:
    app.add_node(Element, html=(visit, depart))
