"""Sphinx extension: what a search engine and a link to a page show of it: its first sentences, a short title and a picture."""

import re
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from jinja2 import Template
from sphinx.application import Sphinx

from lost import whole

LONGEST = 200  # characters of a description
BOOK, PICTURE = "Private Bandits", "_static/link.png"
DOOR = Template(Path(__file__).with_name("door.html").read_text("utf-8"), keep_trailing_newline=True)


def description(document: nodes.document) -> str:
    """Return a page's first long paragraph, of a chapter that of its first section, in whole sentences as far as they fit."""
    sections = list(document.findall(nodes.section))
    start = sections[1] if len(sections) > 1 and str(document.get("source", "")).endswith(".ipynb") else document
    texts = (" ".join(paragraph.astext().split()) for paragraph in start.findall(nodes.paragraph))
    text = next((text for text in texts if len(text) > 60 and "$" not in text), "")
    whole = re.match(rf"(?s).{{60,{LONGEST - 1}}}[.?!](?= |$)", text)
    return whole[0] if whole else text[:LONGEST].rpartition(" ")[0] + " …" if len(text) > LONGEST else text


def describe(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None) -> None:
    title = re.sub("<.*?>", "", context.get("title", ""))
    context["docstitle"] = BOOK
    if doctree is None:
        return
    facts = {"og:title": title, "og:type": "article", "og:site_name": BOOK}
    if address := whole(app.config.html_baseurl):  # without one no picture has a whole address, which it must have
        facts["og:image"] = address + PICTURE
    if told := description(doctree):
        facts["og:description"] = told
        context["metatags"] += f'<meta name="description" content="{escape(told)}" />\n'
    context["metatags"] += "".join(f'<meta property="{name}" content="{escape(fact)}" />\n' for name, fact in facts.items())
    if page == app.config.root_doc:  # the book's address itself, which people share, leads there
        door = DOOR.render(tags=context["metatags"], title=BOOK, first=page)
        Path(app.outdir, "index.html").write_text(door, "utf-8")


def setup(app: Sphinx) -> None:
    app.connect("html-page-context", describe)
