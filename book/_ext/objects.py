"""Sphinx extension: a page of the API is there to look things up, so that everything said of one thing is one line.

An attribute's type stands beside its name, and of a parameter, an error and what is returned, name and type stand on the left and
the meaning on the right. Sphinx makes fields of a list and a paragraph for each; `objects.css` lays out what is made here.

    .. modules:: bandits_dp.arms

documents all modules of a room, but for those whose names follow, so that a new one is listed nowhere.
"""

import importlib
import pkgutil

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

DASH = " – "  # what Sphinx puts between a name and its meaning


class Modules(SphinxDirective):
    required_arguments, optional_arguments = 1, 9

    def run(self) -> list[nodes.Node]:
        room = importlib.import_module(self.arguments[0])
        names = sorted({one.name for one in pkgutil.iter_modules(room.__path__)} - {*self.arguments[1:]})
        lines = [line for name in names for line in (f".. automodule:: {room.__name__}.{name}", "   :members:", "")]
        return self.parse_text_to_nodes("\n".join(lines))


def put_in(app: Sphinx, document: nodes.document, docname: str) -> None:
    """Arrange all objects of one page."""
    for thing in document.findall(addnodes.desc):
        content = thing[-1]
        for fields in [child for child in content.children if isinstance(child, nodes.field_list)]:
            known = {field[0].astext() for field in fields.children}
            for field in list(fields.children):
                name, body = field.children
                if name.astext() == "Type":
                    thing[0] += nodes.inline("", "", nodes.Text(body.astext()), classes=["kind"])
                if name.astext() == "Type" or (name.astext() == "Return type" and "Returns" in known):  # which says it in words
                    fields.remove(field)
                else:
                    for line in body.findall(nodes.paragraph):
                        arrange(line)
            if not fields.children:
                content.remove(fields)


def arrange(line: nodes.paragraph) -> None:
    """Divide a paragraph, "name (type) – meaning", in two."""
    place = next((i for i, part in enumerate(line.children) if isinstance(part, nodes.Text) and part.startswith(DASH)), 0)
    if not place:
        return
    name, *kind = line.children[:place]
    what = nodes.inline("", "", name, classes=["what"])
    if kind := [part for part in kind if part not in (" (", ")")]:
        what += [nodes.Text(" "), nodes.inline("", "", *kind, classes=["kind"])]
    rest = nodes.Text(line.children[place].removeprefix(DASH))
    said = nodes.inline("", "", rest, *line.children[place + 1 :], classes=["said"])
    line["classes"].append("one-line")
    line.children = []
    line += [what, nodes.Text(" "), said]


def setup(app: Sphinx) -> None:
    app.add_directive("modules", Modules)
    app.connect("doctree-resolved", put_in)
