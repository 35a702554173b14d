"""What slides are made of: parts, each some Markdown or what a code cell shows, and notes."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from plain_text import source
from slide_blocks import blocks

Cell = dict[str, Any]

LONGEST_OUTPUT = 20  # lines; of what is printed no more is shown
SHOWN = ("image/svg+xml", "text/html")


@dataclass
class Part:
    """What a slide shows: Markdown, or a code cell's source or outputs, in a place that the style sheet knows by its role."""

    role: str
    cell: Cell
    fragment: bool = False


@dataclass
class Slide:
    """One slide. `top` begins a section; `words` is the place for what the chapter says next, until that is known."""

    kind: str
    parts: list[Part] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    label: str = ""
    top: bool = False
    words: str | None = None
    accent: str = ""


def markdown(role: str, text: str, fragment: bool = False) -> Part:
    """Make a part of some Markdown."""
    return Part(role, {"cell_type": "markdown", "metadata": {}, "source": text}, fragment)


def bullets(entries: list[str]) -> str:
    """Write a list."""
    return "\n".join(f"* {entry}" for entry in entries)


def code_of(cell: Cell) -> str:
    """Return a cell's code, with single empty lines."""
    return re.sub(r"\n{3,}", "\n\n", source(cell).rstrip())


def output_text(output: Cell) -> str:
    """Return what an output says in plain text; an error says nothing to a room."""
    return "".join(output.get("text", "") or output.get("data", {}).get("text/plain", ""))


def drawings(cell: Cell) -> list[Cell]:
    """Return the outputs of a cell that are figures."""
    return [output for output in cell["outputs"] if set(output.get("data", {})) & set(SHOWN)]


def shortened(outputs: list[Cell]) -> list[Cell]:
    """Cut what is printed at the last line that a slide has room for."""
    text = "".join(output_text(output).rstrip() + "\n" for output in outputs)
    lines = text.rstrip().split("\n")
    if len(lines) > LONGEST_OUTPUT:
        kept = LONGEST_OUTPUT - 2
        lines = [*lines[:kept], "", f"... and {len(lines) - kept} more lines in the notebook"]
    return [{"output_type": "stream", "name": "stdout", "text": "\n".join(lines) + "\n"}]


def shown(cell: Cell, outputs: list[Cell]) -> Cell:
    """Return a cell with these outputs and no source."""
    return {**cell, "source": "", "outputs": outputs}


def whole(cell: Cell, fragment: bool) -> Iterator[Part]:
    """Yield all that a cell holds, unabridged, but for proofs and solutions."""
    if cell["cell_type"] == "code":
        tags = cell["metadata"].get("tags", [])
        if "hide-input" not in tags:
            yield Part("code", {**cell, "source": code_of(cell), "outputs": []}, fragment)
        if drawn := drawings(cell):
            yield Part("picture", shown(cell, drawn[:1]), fragment)
        elif any(map(output_text, cell["outputs"])):
            yield Part("output", shown(cell, shortened(cell["outputs"])), fragment)
        return
    for block in blocks(source(cell)):
        if block.kind == "heading":
            yield markdown("heading", f"## {block.text}", fragment)
        elif block.kind == "box":
            yield markdown("name", block.title, fragment)
            yield markdown("statement", block.text, fragment)
        elif block.kind != "fold":
            yield markdown("caption" if block.kind == "figure" else "text", block.text, fragment)

