r"""Sphinx extension: formulas are set while the book is built, and a page needs no script to show them.

KaTeX (katex.min.js, beside this file) runs in a JavaScript engine inside this process. It makes HTML for the eye
and MathML for screen readers; `render` is all of it, for tests too. A formula that KaTeX does not know how to set
is a warning that names the page, the line and the formula, and the book is built with warnings as errors. There
are no macros of our own: what is written here works in every notebook front end.
"""

import re
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import dukpy
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.writers.html5 import HTML5Translator

logger = logging.getLogger(__name__)

KATEX = Path(__file__).with_name("katex.min.js")
STYLES = "vendor/katex/katex.min.css"
# Commands that KaTeX knows but does not trust are not refused: they come out in this colour, which no formula has.
REFUSED = "#0badc0"
# What KaTeX never breaks. A line may end before any but the first.
PART = '<span class="katex-base">'
SETTER = """
function set(tex, displayMode) {
  try {
    const options = {displayMode, strict: "error", throwOnError: true, errorColor: "%s"};
    return {html: katex.renderToString(tex, options)};
  } catch (error) {
    return {error: error.message};
  }
}
"""


class BadFormula(ValueError):
    """A formula that cannot be set, and why."""


@cache
def engine() -> dukpy.JSInterpreter:
    """Start the JavaScript engine with KaTeX in it, once."""
    started = dukpy.JSInterpreter()
    started.evaljs([KATEX.read_text("utf-8"), SETTER % REFUSED, "null"])
    return started


@cache
def render(tex: str, display: bool) -> str:
    """Return the HTML of a formula; raise `BadFormula` if there is an unknown command, a missing brace or the like."""
    answer = engine().evaljs("set(dukpy.tex, dukpy.display)", tex=tex, display=display)
    if "error" in answer:
        # KaTeX underlines the place with combining characters, which terminals show as rubbish.
        raise BadFormula(answer["error"].removeprefix("KaTeX parse error: ").replace("\u0332", ""))
    html = str(answer["html"])
    if REFUSED in html:
        raise BadFormula("it holds a command that is not allowed, such as \\href or \\includegraphics")
    return html


def keep_together(app: Sphinx, document: nodes.document, docname: str) -> None:
    """Move brackets and punctuation beside a formula to its node, because a browser may begin a new line between the two."""
    for node in document.findall(nodes.math):
        place = node.parent.index(node)
        before, after = node.parent[place - 1 : place], node.parent[place + 1 : place + 2]
        if before and isinstance(before[0], nodes.Text) and (found := re.search(r"[(\[“‘]+$", before[0])):
            node["before"] = found[0]
            node.parent[place - 1] = nodes.Text(before[0][: found.start()])
        if after and isinstance(after[0], nodes.Text) and (found := re.match(r"-th\b|[-,.;:!?)\]”’]+", after[0])):
            node["after"] = found[0]
            node.parent[place + 1] = nodes.Text(after[0][found.end() :])


def set_or_warn(node: nodes.Element, display: bool) -> str:
    """Return the HTML of a node's formula; of a bad one, its source, after a warning."""
    tex = node.astext().strip()
    try:
        return render(tex, display)
    except BadFormula as wrong:
        place: Any = node
        while place.line is None and place.parent is not None:
            place = place.parent  # the paragraph knows its line when the formula does not
        logger.warning("formula %s cannot be set: %s", tex, wrong, location=place, type="formula")
        return escape(tex)


def visit_math(self: HTML5Translator, node: nodes.Element) -> None:
    html = set_or_warn(node, display=False).replace(PART, f"<wbr>{PART}").replace("<wbr>", "", 1)
    self.body.append(f'<span class="together">{escape(node.get("before", ""))}')
    self.body.append(self.starttag(node, "span", "", CLASS="formula notranslate nohighlight"))
    self.body.append(f"{html}</span>{escape(node.get('after', ''))}</span>")
    raise nodes.SkipNode


def visit_displayed(self: HTML5Translator, node: nodes.Element) -> None:
    self.body.append(self.starttag(node, "div", "", CLASS="formula notranslate nohighlight"))
    self.body.append(f"{set_or_warn(node, display=True)}</div>\n")
    raise nodes.SkipNode


def add_styles(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object) -> None:
    """Let a page load the styles, and with them the fonts, only if it shows a formula."""
    if 'class="katex' in context.get("body", ""):
        app.add_css_file(STYLES, priority=300)  # before the book's own styles


def setup(app: Sphinx) -> None:
    """Register the renderer; Sphinx prefers any to its own, which is MathJax."""
    app.add_html_math_renderer("katex", (visit_math, None), (visit_displayed, None))
    app.connect("doctree-resolved", keep_together)
    app.connect("html-page-context", add_styles)
