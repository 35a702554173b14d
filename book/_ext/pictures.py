"""Sphinx extension: every picture has a text for readers who cannot see it, and our own drawings become part of the page.

A cell that draws a figure says what it shows in its metadata,

    {"mystnb": {"image": {"alt": "Regret against rounds: the private learner's curve lies above ..."}}}

and an image in the prose does so between its brackets. A picture with less text than `SHORTEST` characters is a warning; the book
is built with warnings as errors. The drawings of `bandits_book.plots` take the page's colours and letters, which as files
of their own they could not: a style sheet does not reach into an image. The image's text becomes the drawing's name.
"""

import re
from html import escape
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

logger = logging.getLogger(__name__)

SHORTEST = 20
OWN = 'class="bdp-letters"'
POINT = re.compile(r"L(-?[\d.]+) (-?[\d.]+)")
LINE = re.compile(r"(?:L-?[\d.]+ -?[\d.]+){8,}")
NEAR = 0.7  # in units of the drawing, of which 500 and more are its width: less than what one sees


def check(app: Sphinx, document: nodes.document, docname: str) -> None:
    for image in document.findall(nodes.image):
        text = str(image.get("alt", "")).strip()
        if len(text) < SHORTEST:
            told = f"only the alt text {text!r}" if text else "no alt text"
            how = f'say what it shows in at least {SHORTEST} characters (cell metadata {{"mystnb": {{"image": {{"alt": "..."}}}}}})'
            place = image if image.line else (docname, None)
            logger.warning("picture %s has %s; %s", image.get("uri", ""), told, how, location=place, type="figure_text")


def put_in(app: Sphinx, document: nodes.document, docname: str) -> None:
    """Replace the images of one page that `bandits_book.plots` drew."""
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
    svg = re.sub(r'(id="|href="#|url\(#)(s\d+)', rf"\1{name}\2", LINE.sub(without_near_points, svg))
    return svg.replace("<svg ", f'<svg role="img" aria-label="{escape(text.strip())}" ', 1)


def without_near_points(line: re.Match[str]) -> str:
    """Leave out the points of a long line that lie on the one before, as far as one sees: bands have thousands."""
    kept: list[tuple[float, float]] = []
    *points, last = ((float(x), float(y)) for x, y in POINT.findall(line[0]))
    for x, y in points:
        if not kept or abs(x - kept[-1][0]) >= NEAR or abs(y - kept[-1][1]) >= NEAR:
            kept.append((x, y))
    return "".join(f"L{round(x, 1):g} {round(y, 1):g}" for x, y in [*kept, last])


def setup(app: Sphinx) -> None:
    app.connect("doctree-resolved", check)
    app.connect("doctree-resolved", put_in, priority=900)
