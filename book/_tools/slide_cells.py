"""Choose what a chapter's slides show, and give it the metadata that nbconvert's exporter for slides reads.

A slide shows the chapter's own words, and always whole paragraphs, so that nothing loses what belongs to it:

* each section's heading, with its first paragraph if that is short; each short paragraph with bold words; each list and table;
* each box, and the paragraph below it that says it in plain words; of the exercises the warm-ups and those for a pencil;
* each figure with its caption; code that the book shows, and what it prints, if they are short.

All the other prose, proofs too, goes to the speaker's notes of the slide before it. What a cell's metadata says, Jupyter's own
``slideshow.slide_type``, wins over these rules, for the whole cell.
"""

import re

from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell

from plain_text import BOLD_LINE, BOX, FIGURE, blocks

SHORT = 480  # characters of a paragraph
MOST_LINES = 20  # of code and its output on one slide, and of each on its own
SET_UP = ("symbols", "imports", "find-package", "numbers")
NOT_SHOWN = {"remove-cell", "solution", "remove-output", "hide-cell"}
UNTOLD = re.compile(r"Where the code differs|Further reading|For a second reading")  # sections to be read, not to be told
ROLES = {"bullet_list": "list", "ordered_list": "list", "table": "table"}
ACTIVITY = re.compile(r"\s*\*(?:Warm-up|Pencil)\.\*")
IN_WORDS = re.compile(r"\*{0,2}(?:In (?:plain )?words|What it means)[:.]\*{0,2} ?")


def printed(cell: NotebookNode) -> str:
    return "".join(output.get("text", "") or output.get("data", {}).get("text/plain", "") for output in cell.outputs).rstrip()


class Deck:
    """Goes through a chapter's cells in order; what is not shown waits for the notes of the slide before it."""

    def __init__(self, chapter: int) -> None:
        self.chapter = chapter
        self.cells: list[NotebookNode] = []
        self.notes: list[str] = []
        self.section = self.within = self.kind = ""
        self.silent = False  # in a section that is left out
        self.top = True  # the next slide begins a column

    def part(self, role: str, content: str | NotebookNode, first: str = "-") -> None:
        """Add some Markdown or a code cell to the slide, in a place that the style sheet knows by its role."""
        cell = new_markdown_cell(content) if isinstance(content, str) else content.copy()
        cell.id = f"part-{len(self.cells)}"
        about = {"slideshow": NotebookNode(slide_type=first), "slide": NotebookNode(kind=self.kind, role=role)}
        cell.metadata = NotebookNode(cell.metadata, **about)
        self.cells.append(cell)

    def begin(self, kind: str, *parts: tuple[str, str | NotebookNode], label: str = "", accent: str = "") -> None:
        self.finish()
        self.kind, place = kind, len(self.cells)
        if kind not in ("title", "section") and self.section:
            parts = (("kicker", f"{self.section} · {self.within}" if self.within else self.section), *parts)
        for role, content in parts:
            self.part(role, content, "-" if len(self.cells) > place else "slide" if self.top else "subslide")
        self.about, self.top = self.cells[place].metadata.slide, False
        self.about.update(label=label, accent=accent)

    def finish(self) -> list[NotebookNode]:
        """Put what waits into notes, and return all cells."""
        if self.notes and self.cells:
            self.part("notes", "\n\n".join(self.notes), "notes")
        self.notes = []
        return self.cells

    def add(self, cell: NotebookNode) -> None:
        asked = cell.metadata.get("slideshow", {}).get("slide_type")
        if asked in ("slide", "subslide"):
            self.top = asked == "slide"
            self.begin("asked", ("text", cell), label=cell.id)
        elif asked == "notes" or cell.id == "lab-text":  # which tells who runs the notebook what to do
            self.notes.append(cell.source)
        elif asked in ("-", "fragment"):
            self.part("text", cell, asked)
        elif asked == "skip" or cell.id in SET_UP:
            return
        elif cell.id == "in-this-chapter":  # the goals, which the page folds
            needs, goals = re.split(r"\s*<details><summary>.*</summary>\s*", cell.source.removesuffix("\n\n</details>"))
            self.begin("list", ("points", "You will be able to"), ("list", goals))
            self.notes.append(needs)
        elif cell.cell_type == "markdown":
            for kind, text in blocks(cell.source):
                self.block(kind, text)
        elif cell.cell_type == "code" and not self.silent and not NOT_SHOWN & {*cell.metadata.get("tags", [])}:
            self.code(cell)

    def code(self, cell: NotebookNode) -> None:
        """Show a figure, or code and what it printed."""
        kinds = {kind for output in cell.outputs for kind in output.get("data", {})}
        if kinds & {"text/html", "image/svg+xml"}:
            kind = "moving" if "text/html" in kinds else "figure"
            return self.begin(kind, ("picture", NotebookNode(cell, source="")), label=cell.id)
        told = printed(cell)
        source, output = NotebookNode(cell, outputs=[]), NotebookNode(cell, source="")
        lengths = [text.count("\n") + 1 for text in (cell.source, told)]
        parts = [("code", source)] if lengths[0] <= MOST_LINES and "hide-input" not in cell.metadata.get("tags", []) else []
        parts += [("output", output)] if told and lengths[1] <= MOST_LINES else []
        if len(parts) == 2 and sum(lengths) > MOST_LINES:
            self.begin("code", parts.pop(0), label=cell.id)
            self.begin("code", *parts)
        elif parts:
            self.begin("code", *parts, label=cell.id)

    def block(self, kind: str, text: str) -> None:
        """Show a block; of paragraphs, short ones that open a section, say a box in plain words, or have bold words."""
        if kind == "heading":
            return self.heading(*text.split(" ", 1))
        if self.silent or self.box(kind, text) or self.section == "Exercises":
            return
        bare = self.cells[-1].metadata.slide.role == "heading" and not self.notes  # nothing was said since a heading
        short = kind == "paragraph" and len(text) <= SHORT and text[-1] in ".:?!*)"
        if (figure := FIGURE.match(text)) and self.kind in ("figure", "moving"):
            self.part("caption", f"**Figure {figure['number']}.** {figure['caption']}")
            self.about.label = figure["label"]
        elif short and self.kind == "box" and not self.notes and IN_WORDS.match(text):
            said = IN_WORDS.sub("", text)
            self.part("plainly", said[0].upper() + said[1:])
        elif kind in ROLES or (short and (bare or "**" in text)):
            role = ROLES.get(kind, "points")
            self.part(role, text) if bare else self.begin(role, (role, text))
        else:
            self.notes.append(text)

    def heading(self, marks: str, text: str) -> None:
        self.top, self.within = len(marks) < 3, text if len(marks) == 3 else ""
        if len(marks) == 1:
            chapter = ("chapter", f"Chapter {self.chapter}")
            return self.begin("title", chapter, ("heading", f"# {text}"), ("book", "Private Bandits"))
        if len(marks) == 2:
            self.section, self.silent = text, bool(UNTOLD.match(text))
        if not self.silent:
            self.begin("section", ("heading", f"## {text}"))

    def box(self, kind: str, text: str) -> bool:
        """Show a definition, a theorem or the like, and say whether this is one, or an exercise that is left out."""
        lines = [re.sub("^> ?", "", line) for line in text.split("\n")] if kind == "blockquote" else [""]
        found, plain = BOX.fullmatch(lines[0]), BOLD_LINE.fullmatch(lines[0])
        body = "\n".join(line for line in lines[1:] if not line.startswith("*Checked by*"))
        if found and (found["kind"] != "Exercise" or ACTIVITY.match(body)):
            name = f"**{found['kind']} {found['number'] or ''}**" + f" {found['title']}" * bool(found["title"])
            self.begin("box", ("name", name), ("statement", body), label=found["label"], accent=found["kind"].lower())
        elif plain:
            self.begin("box", ("name", lines[0]), ("statement", body))
        return bool(found or plain)


def slide_cells(notebook: NotebookNode, chapter: int) -> list[NotebookNode]:
    """Return the parts of a chapter's slides, in their order, as cells."""
    deck = Deck(chapter)
    for cell in notebook.cells:
        deck.add(cell)
    return deck.finish()
