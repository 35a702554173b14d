"""Sphinx extension: the drawings of `bandits_dp.plots` become part of the page, so that they take its colours and its letters.

As files of their own they could not: a style sheet does not reach into an image. The image's text becomes the drawing's name.
"""

import re
from html import escape
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

OWN = 'class="bdp-letters"'


def put_in(app: Sphinx, document: nodes.document, docname: str) -> None:
    """Replace the images of one page that `bandits_dp.plots` drew."""
    place = 0
    for image in list(document.findall(nodes.image)):
        path = Path(app.srcdir, image["uri"])
        if path.suffix != ".svg" or not path.is_file() or OWN not in (svg := path.read_text("utf-8")):
            continue
        place += 1
        html = f'<div class="drawing">{on_page(svg, image.get("alt", ""), f"d{place}")}</div>'
        image.replace_self(nodes.raw("", html, format="html"))


def on_page(svg: str, text: str, name: str) -> str:
    """Return a drawing as part of a page: without the style that it has alone, its names like no other drawing's."""
    svg = re.sub(r"(?s)<style.*?</style>", "", svg.strip())
    svg = re.sub(r'(id="|href="#|url\(#)(s\d+)', rf"\1{name}\2", svg)
    return svg.replace("<svg ", f'<svg role="img" aria-label="{escape(text.strip())}" ', 1)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the change, after `figure_text` has looked at the images' texts."""
    app.connect("doctree-resolved", put_in, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
