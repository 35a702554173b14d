"""Turn slides into one HTML page with nbconvert, and set their formulas while it is made, as in the book.

nbconvert knows notebooks, so the slides become one: a cell for each part, with the metadata that its exporter for slides reads. Our
template (`slides/index.html.j2`) puts the parts in their places. Formulas, figures and moving figures stand aside as names while
Markdown is read, and come back when the page is written.
"""

import re
import sys
from html import escape
from typing import Any

import nbformat
from nbconvert.exporters import SlidesExporter

from checkout import ROOT, TOOLS

sys.path.append(str(ROOT / "book" / "_ext"))

from drawings import on_page
from formulas import PART, BadFormula, render
from plain_text import CODE, FORMULA, source
from slide_blocks import length
from slide_parts import Cell, Part, Slide

TEMPLATES = TOOLS  # the folder that holds the template `slides`
# A formula with the brackets before and the punctuation after it, which no line ends between.
TOGETHER = re.compile(rf"(?P<code>{CODE})|(?P<before>[(\[“]*)(?P<formula>{FORMULA})(?P<after>-th\b|[-,.;:!?)\]”’]*)", re.DOTALL)
MATHML = re.compile(r"<math\b.*?</math>", re.DOTALL)
VIEW = re.compile(r'viewBox="0 0 ([\d.]+) ([\d.]+)"')
UNBROKEN = 24  # characters of a formula that no line ends in
WIDE = 1.75  # width over height of a drawing that leaves no room beside it


class Aside:
    """Keeps pieces of HTML that nothing is to read or change, under names."""

    def __init__(self) -> None:
        self.kept: list[str] = []

    def put(self, html: str) -> str:
        """Keep a piece; return what stands for it."""
        self.kept.append(html)
        return f"\ue000{len(self.kept) - 1}\ue001"

    def back(self, text: str) -> str:
        """Put the pieces back, also those inside others."""
        while "\ue000" in text:
            text = re.sub("\ue000(\\d+)\ue001", lambda found: self.kept[int(found[1])], text)
        return text


def formulas_set(text: str, aside: Aside, spoken: bool) -> str:
    """Set the formulas of some Markdown; `spoken` ones, in notes, as MathML, which needs no styles in the speaker's window."""

    def one(found: re.Match[str]) -> str:
        if found["code"]:
            return found[0]
        display = found["formula"].startswith("$$")
        try:
            html = render(found["formula"].strip("$").strip(), display)
        except BadFormula as wrong:
            raise ValueError(f"formula {found['formula']} cannot be set: {wrong}") from wrong
        if spoken:
            html = MATHML.search(html)[0]  # type: ignore[index]
            return found["before"] + aside.put(html) + found["after"]
        kind = "formula displayed" if display else "formula"
        if not display and length(found["formula"]) > UNBROKEN:
            kind, html = "formula long", html.replace(PART, f"<wbr>{PART}").replace("<wbr>", "", 1)
        return aside.put(
            f'<span class="together">{escape(found["before"])}<span class="{kind}">{html}</span>{escape(found["after"])}</span>'
        )

    return TOGETHER.sub(one, text)


def picture(cell: Cell, aside: Aside, name: str) -> Cell:
    """Put a cell's figure aside, as part of the page."""
    output = cell["outputs"][0]
    if "text/html" in output["data"]:
        html = "".join(output["data"]["text/html"])
    else:
        text = cell["metadata"].get("mystnb", {}).get("image", {}).get("alt", "")
        svg = on_page("".join(output["data"]["image/svg+xml"]), text, name)
        html = f'<div class="drawing">{svg}</div>'
    return {"cell_type": "markdown", "metadata": {}, "source": aside.put(html)}


def is_wide(slide: Slide) -> bool:
    """Say whether a slide's drawing is so wide that words go below it."""
    for part in slide.parts:
        if part.role == "picture" and (svg := "".join(part.cell["outputs"][0]["data"].get("image/svg+xml", ""))):
            width, height = map(float, VIEW.search(svg).groups())  # type: ignore[union-attr]
            return width / height > WIDE
    return False


def notebook(slides: list[Slide], aside: Aside) -> nbformat.NotebookNode:
    """Make the notebook that nbconvert's exporter for slides reads."""
    cells = []
    for number, slide in enumerate(slides):
        about = {"kind": slide.kind + " wide" * is_wide(slide), "accent": slide.accent, "anchor": slide.label}
        notes = "\n\n".join(note for note in slide.notes if note)
        parts = [*slide.parts, *([Part("notes", {"cell_type": "markdown", "metadata": {}, "source": notes})] if notes else [])]
        for place, part in enumerate(parts):
            first = "slide" if slide.top else "subslide"
            kind = part.role if part.role == "notes" else "fragment" if part.fragment else "-" if place else first
            cell = picture(part.cell, aside, f"s{number}-") if part.role == "picture" else part.cell
            metadata = {"slideshow": {"slide_type": kind}, "slide": {**about, "role": part.role}}
            if cell["cell_type"] == "markdown":
                text = formulas_set(source(cell), aside, part.role == "notes")
                cells.append(nbformat.v4.new_markdown_cell(text, id=f"c{len(cells)}", metadata=metadata))
            else:
                made = {"id": f"c{len(cells)}", "metadata": metadata, "execution_count": None}
                cells.append(nbformat.from_dict({**cell, "source": source(cell), **made}))
    return nbformat.v4.new_notebook(cells=cells, metadata={"language_info": {"name": "python", "pygments_lexer": "ipython3"}})


def page(slides: list[Slide], title: str, **settings: Any) -> str:
    """Return the page of some slides."""
    aside = Aside()
    exporter = SlidesExporter(template_name="slides", extra_template_basedirs=[str(TEMPLATES)], exclude_anchor_links=True)
    body, _ = exporter.from_notebook_node(notebook(slides, aside), {"metadata": {"name": title}, "deck": settings})
    return aside.back(str(body))
