"""Sphinx extension: below a chapter's title stands a line that offers its notebook, and says where its package comes from."""

from docutils import nodes
from sphinx.application import Sphinx

CODE_PAGE, CODE_ANCHOR = "book/get_the_code", "the-package-alone"


def offer(app: Sphinx, document: nodes.document, docname: str) -> None:
    """Add the line to a chapter."""
    title = next(document.findall(nodes.title), None)
    if title is None or not str(app.env.doc2path(docname)).endswith(".ipynb"):
        return
    relative = app.builder.get_relative_uri
    folder = relative(docname, CODE_PAGE).removesuffix("book/get_the_code.html")
    name = f"{docname.rpartition('/')[2]}.ipynb"
    notebook = nodes.reference("", f"download {name}", internal=True, refuri=f"{folder}_sources/{docname}.ipynb")
    package = nodes.reference("", "get its package", internal=True, refuri=f"{relative(docname, CODE_PAGE)}#{CODE_ANCHOR}")
    line = nodes.paragraph("", "", nodes.Text("To run this chapter: "), notebook, nodes.Text(" and "), package, nodes.Text("."))
    line["classes"].append("take-along")
    title.parent.insert(title.parent.index(title) + 1, line)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register it late, when a page's links are made."""
    app.connect("doctree-resolved", offer)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
