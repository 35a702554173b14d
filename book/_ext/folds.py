"""Sphinx extension: everything folded on a page is one element of HTML, `details`, named by what it shows.

It opens without a script, by keyboard, and when the browser searches the page. What the themes fold in their own ways is
turned into it here: the code of figures, proofs and solutions.
"""

import re

from docutils import nodes
from myst_nb.sphinx_ import HideCodeCellNode
from sphinx.application import Sphinx

from browse import element

DRAWING = re.compile('class="(?:drawing"|bdp-figure)')  # a figure in HTML, still or moving


def put_in(app: Sphinx, document: nodes.document, docname: str) -> None:
    """Replace what is folded on one page, after every other extension has had its turn."""
    def put(node: nodes.Element, name: str, inside: list[nodes.Node], kind: str) -> None:
        own = {"class_": " ".join(("fold", kind, *node["classes"]))} | ({"id_": node["ids"][0]} if node["ids"] else {})
        node.replace_self(element("details", element("summary", name), element("div", *inside, class_="inside"), **own))

    for parent in document.findall(nodes.Element):
        for child in parent.children:
            child.parent = parent  # myst-nb does not tell a cell that is folded as a whole
    for node in list(document.findall(HideCodeCellNode)):
        put(node, code_name(node), node.children, "code")
    for node in list(document.findall(lambda node: isinstance(node, nodes.Admonition) and "dropdown" in node["classes"])):
        title, *inside = node.children
        put(node, title.astext(), inside, "box")


def code_name(node: HideCodeCellNode) -> str:
    """Say what folded code is for, and how long it is."""
    (code, *_) = [*node.findall(nodes.literal_block), None]
    if "above-input" not in node["classes"] or code is None:
        return "Output"
    lines = len(code.astext().strip().splitlines())
    inside, near = ([part for part in where.findall() if isinstance(part, (nodes.image, nodes.figure))
                     or (isinstance(part, nodes.raw) and DRAWING.search(part.astext()))] for where in (node, node.parent))
    length = "1 line" if lines == 1 else f"{lines} lines"
    if "tag_answer" in node.parent["classes"]:
        return f"One solution, {length}"
    if inside:
        return f"A figure, and code that draws it, {length}"
    what = "Imports" if re.search(r"\A(#.*\n)*(import|from) ", code.astext()) else "Code"
    return f"Code that draws the figure, {length}" if near else f"{what}, {length}"


def setup(app: Sphinx) -> None:
    app.setup_extension("browse")
    app.connect("doctree-resolved", put_in, priority=950)
