"""Sphinx extension: long tables that one can browse; what every page of that kind shares.

A table is written out in full, so that it reads, prints and is searched without a script. Each of its rows says in attributes
what it can be filtered by; `tables.js` shows the form and does the filtering, and `tables.css` makes cards of rows on a phone.
The roles say what the tags say already, because a browser forgets that a row is a row when it is laid out as a card.
"""

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from html_nodes import Element, element
from plain import cited
from plain_text import markdown

# What a form offers: the words that a reader sees for each value.
Choices = Mapping[str, str]


def table(caption: Iterable[nodes.Node], columns: Mapping[str, str], rows: Iterable[Element], kind: str = "") -> Element:
    """Make a table; `columns` maps the class of each column to its heading, and "browse-narrow" stays a table on a phone."""
    heads = [element("th", words, role="columnheader", scope="col", class_=name) for name, words in columns.items()]
    return element(
        "table",
        element("caption", *caption, role="caption"),
        element("thead", element("tr", *heads, role="row"), role="rowgroup"),
        element("tbody", *rows, role="rowgroup"),
        role="table",
        class_=f"browse {kind}".strip(),
    )


def row(
    columns: Mapping[str, str], cells: Mapping[str, Iterable[nodes.Node]], name: str, own: Mapping[str, str] = MappingProxyType({})
) -> Element:
    """Make a row, whose first cell is its heading and whose `name` is its anchor; `own` is what it can be filtered by."""
    made = []
    for place, (column, words) in enumerate(columns.items()):
        tag, role = ("th", "rowheader") if place == 0 else ("td", "cell")
        scope = {"scope": "row"} if place == 0 else {}
        # The second element keeps a cell in one piece where it is laid out beside the name of its column.
        inside = element("div", *cells[column], class_="browse-cell")
        made.append(element(tag, inside, role=role, class_=column, data_label=words, **scope))
    return element("tr", *made, role="row", id_=name, **{f"data_{key}": value for key, value in own.items()})


def form(rows: str, choices: Mapping[str, Choices], orders: Choices = MappingProxyType({})) -> Element:
    """Make the form that filters, and sorts if there are orders, all tables of a page; a script shows it."""

    def field(name: str, control: Element) -> Element:
        control["own"].update(id=f"browse-{name}", name=name)
        words = name.replace("-", " ").capitalize()
        return element("div", element("label", words, for_=f"browse-{name}"), control)

    def chooser(name: str, first: str, options: Choices) -> Element:
        listed = [element("option", words, value=value) for value, words in options.items()]
        return field(name, element("select", element("option", first, value=""), *listed))

    fields = [chooser(name, "all", options) for name, options in choices.items()]
    fields.append(field("words", element("input", type_="search", autocomplete="off")))
    if orders:
        fields.append(chooser("order", "as in the book", orders))
    count = element("output", role="status", class_="browse-count", data_rows=rows)
    reset = element("button", "Show all", type_="reset")
    return element(
        "form", *fields, element("p", count, " ", reset),
        class_="browse-form", aria_label=f"Filter the {rows}", hidden="hidden",
    )  # fmt: skip


def chapter_title(root: Path, name: str) -> str:
    """Name a chapter as the contents do, "3. Whom do you trust?"."""
    text = (root / "notebooks" / f"{name}.ipynb").read_text("utf-8")
    title = next(found for _, cell in markdown(json.loads(text)) for found in re.findall(r"(?m)^# (.+)", cell))
    return f"{int(name[:2])}. {title}"


def fold(words: str, *content: nodes.Node) -> Element:
    """Make something that opens."""
    return element("details", element("summary", words), *content)


class Browse(SphinxDirective):
    """What the directives of such pages need: text, links and sections."""

    @property
    def root(self) -> Path:
        """The folder of the whole book."""
        return Path(self.env.srcdir)

    def chapter(self, name: str) -> str:
        """Link to a chapter, in MyST."""
        return f"Chapter {int(name[:2])}, {{doc}}`../notebooks/{name}`"

    def text(self, markdown: str) -> list[nodes.Node]:
        """Parse MyST."""
        made: list[nodes.Node] = self.parse_text_to_nodes(markdown)
        return made

    def authors(self, keys: Iterable[str]) -> dict[str, str]:
        """Name papers by their authors and years, as text."""
        entries = self.env.get_domain("cite").bibdata.data.entries  # type: ignore[attr-defined]
        return {key: cited(entries[key]) for key in keys}

    def section(self, title: str, label: str, *content: nodes.Node) -> nodes.section:
        """Make a section that the page's contents list."""
        made = nodes.section("", nodes.title(title, title), *content, names=[label], ids=[label])
        self.state.document.note_explicit_target(made)
        return made


def setup(app: Sphinx) -> dict[str, bool]:
    """Load the elements first; the pages' own extensions register their directives."""
    app.setup_extension("html_nodes")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
