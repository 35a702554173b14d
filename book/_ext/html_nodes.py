"""Sphinx extension: elements of HTML that docutils has no node for, with attributes of our own.

`element("tr", *children, data_outcome="open")` stands for ``<tr data-outcome="open">``. Text inside is escaped by
docutils as everywhere; the children are ordinary nodes, so formulas, links and citations in them work.
"""

from html import escape

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator


class Element(nodes.General, nodes.Element):  # type: ignore[misc]
    """One element; `tag` is its name and `own` holds its attributes."""


VOID = {"input"}


def element(tag: str, *children: nodes.Node | str, **own: str) -> Element:
    """Make an element; an underscore in an attribute's name stands for a hyphen, and at its end for nothing."""
    made = Element("", tag=tag, own={name.rstrip("_").replace("_", "-"): value for name, value in own.items()})
    for child in children:
        made += nodes.Text(child) if isinstance(child, str) else child
    return made


def visit(self: HTML5Translator, node: Element) -> None:
    """Write the opening tag."""
    own = "".join(f' {name}="{escape(value)}"' for name, value in node["own"].items())
    self.body.append(f"<{node['tag']}{own}>")


def depart(self: HTML5Translator, node: Element) -> None:
    """Write the closing tag, if there is one."""
    if node["tag"] not in VOID:
        self.body.append(f"</{node['tag']}>")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the node."""
    app.add_node(Element, html=(visit, depart))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
