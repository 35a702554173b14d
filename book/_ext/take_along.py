"""Sphinx extension: how a reader gets what a page runs on: a chapter's notebook, its package, and the repository.

Below a chapter's title stands a line that offers its notebook, and says where its package comes from. The rest follows from the
repository's address, `repository.url` in `_config.yml`: at the hosts that the theme knows, pages have buttons that lead to the
repository, and at GitHub also to Binder and Colab; commands that are to be copied name the address. Without one there are no
buttons, and the commands have a place to fill in.
"""

import re
from urllib.parse import urlsplit

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config

NO_ADDRESS = "https://host/owner/name"  # stands for the address in the commands of a page
BUTTONS = ("use_repository_button", "use_edit_page_button", "use_issues_button")
CODE_PAGE, CODE_ANCHOR = "book/get_the_code", "the-package-alone"
LAUNCHES = {"binderhub_url": "https://mybinder.org", "colab_url": "https://colab.research.google.com"}


def switch_on(app: Sphinx, config: Config) -> None:
    theme = config.html_theme_options
    host = urlsplit(theme.get("repository_url", "")).netloc.lower()
    theme |= dict.fromkeys(BUTTONS, host in ("github.com", "gitlab.com"))
    theme["launch_buttons"] = theme.get("launch_buttons", {}) | (LAUNCHES if host == "github.com" else {})


def write(app: Sphinx, docname: str, source: list[str]) -> None:
    if address := app.config.html_theme_options.get("repository_url"):
        source[0] = re.sub(rf"(git clone |git\+){re.escape(NO_ADDRESS)}(?![\w/-])", lambda found: found[1] + address, source[0])


def offer(app: Sphinx, document: nodes.document, docname: str) -> None:
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


def setup(app: Sphinx) -> None:
    app.connect("config-inited", switch_on)
    app.connect("source-read", write)
    app.connect("doctree-resolved", offer)
