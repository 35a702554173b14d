"""Decide which slides a chapter makes.

A chapter is prose to be read, so its slides show what a room can take in at once, one idea each:

* title; what one will be able to do; each section's heading with a few of its sentences;
* each box (definition, theorem, algorithm) with what it means in plain words below;
* each figure with its number and a sentence; code that the book shows, with its output; output alone where the book folds the code;
* displayed formulas with the sentence around them; tables; lists, shortened;
* at the end warm-ups and pencil exercises, without solutions.

All the prose goes to the speaker's notes, proofs too. What a cell's metadata says, Jupyter's own ``slideshow.slide_type``, wins
over these rules: with slide or subslide the whole cell begins a slide, with fragment or - it joins the one before, with notes its
text is told, with skip it is left out.
"""

import re
from typing import Any

from plain_text import source
from slide_blocks import Block, blocks, clean, items, length, sentences
from slide_parts import (
    LONGEST_OUTPUT,
    Cell,
    Part,
    Slide,
    bullets,
    code_of,
    drawings,
    markdown,
    output_text,
    shortened,
    shown,
    whole,
)
from slide_words import lead, opening, points, short_items, slides_of, worth_a_slide

# Sections that are for reading, not for telling.
UNTOLD = re.compile(r"Where the code differs|Further reading|For a second reading")
ASKED = ("slide", "subslide", "fragment", "-", "notes", "skip")
SET_UP = ("symbols", "imports", "colab-setup", "numbers")
ACTIVITY = re.compile(r"\*(?P<kind>Warm-up|Pencil)\.\*\s*(?P<task>.+)", re.DOTALL)
IN_WORDS = re.compile(r"\*{0,2}(?:In (?:plain )?words|What it means)[:.]\*{0,2} ?")
LONG_BOX = 620  # characters; below it there is room for plain words
MOST_LINES = 18  # of code and its output on one slide
LONGEST_CODE = 24  # lines; what is longer is for a screen of one's own


def slides(notebook: Cell, chapter: int) -> list[Slide]:
    """Return the slides of a chapter, in their order."""
    deck = Deck(chapter)
    for cell in notebook["cells"]:
        deck.add(cell)
    return deck.finish()


class Deck:
    """Goes through a chapter's cells and remembers what was told since the last slide."""

    def __init__(self, chapter: int) -> None:
        self.chapter = chapter
        self.made: list[Slide] = []
        self.activities: list[Slide] = []
        self.section = self.within = ""
        self.silent = False  # in a section that is left out
        self.prose: list[str] = []  # paragraphs since the last slide
        self.folds: list[str] = []
        self.carried: list[str] = []  # notes for the next slide

    # ---- Cells

    def add(self, cell: Cell) -> None:
        """Take the next cell."""
        asked = cell["metadata"].get("slideshow", {}).get("slide_type", "")
        if asked == "skip" or (not asked and cell.get("id") in SET_UP):
            return
        if asked:
            self.as_asked(cell, asked)
        elif cell["cell_type"] == "markdown":
            for block in blocks(source(cell)):
                self.block(block)
        elif cell["cell_type"] == "code" and not self.silent:
            self.code(cell)

    def as_asked(self, cell: Cell, asked: str) -> None:
        """Show or tell a whole cell, as its metadata says."""
        if asked not in ASKED:
            raise ValueError(f"cell {cell.get('id')}: slide_type is {asked!r}; allowed are {', '.join(ASKED)}")
        if asked not in ("slide", "subslide") and not self.made:
            raise ValueError(f"cell {cell.get('id')}: slide_type is {asked!r}, and there is no slide before it")
        if asked == "notes":
            self.made[-1].notes.append(clean(source(cell)))
            return
        self.settle()
        parts = list(whole(cell, asked == "fragment"))
        if asked in ("slide", "subslide"):
            heading = next((part.cell["source"] for part in parts if part.role == "heading"), "")
            self.section = heading.lstrip("# ") if asked == "slide" and heading else self.section
            self.silent = False
            self.show("asked", parts, top=asked == "slide", label=cell.get("id", ""))
        else:
            self.made[-1].parts += parts

    def code(self, cell: Cell) -> None:
        """Show a figure, or code and what it printed."""
        tags = set(cell["metadata"].get("tags", []))
        if tags & {"remove-cell", "solution", "remove-output"}:
            return
        if drawn := drawings(cell):
            html = "".join(drawn[0]["data"].get("text/html", ""))
            words = None if "bdp-gallery" in html else ""  # what is said below a gallery gives its answers away
            self.settle()
            parts = [Part("picture", shown(cell, drawn[:1]))]
            self.show("moving" if html else "figure", parts, label=cell.get("id", ""), words=words)
            return
        lines = code_of(cell).split("\n")
        visible = not tags & {"hide-input", "hide-cell"}
        printed = [] if "hide-cell" in tags else [output for output in cell["outputs"] if output_text(output)]
        if not visible and not printed:
            return
        count = sum(output_text(output).rstrip().count("\n") + 1 for output in printed)
        if not visible and count == 1 and not (self.prose and lead(self.prose[-1])[1]):
            self.folds.append(f"Printed: `{output_text(printed[0]).strip()}`")  # the result of a check
            return
        introduction = self.settle(keep_lead=True)
        parts = [markdown("lead", introduction)] if introduction else []
        if visible:
            long = markdown("look", f"The code, {len(lines)} lines, is in the notebook: cell `{cell.get('id')}`.")
            code = Part("code", {**cell, "source": code_of(cell), "outputs": []})
            parts.append(long if len(lines) > LONGEST_CODE else code)
            if printed and len(lines) + min(count, LONGEST_OUTPUT) > MOST_LINES and len(lines) > 1:
                self.show("code", parts, label=cell.get("id", ""))
                parts = []
        if printed:
            parts.append(Part("output", shown(cell, shortened(printed))))
        label = cell.get("id", "") if self.made[-1].label != cell.get("id") else ""
        self.show("code", parts, label=label, words="")

    # ---- Blocks of Markdown

    def block(self, block: Block) -> None:
        """Take the next block of a Markdown cell."""
        if block.kind == "heading":
            self.heading(block)
        elif block.kind == "box" and block.title.startswith("**Exercise"):
            self.exercise(block)
        elif self.section == "Exercises" or self.silent:
            return
        elif block.kind == "box" and not self.section:
            self.goals(block)
        elif block.kind == "box":
            self.box(block)
        elif block.kind == "paragraph":
            self.paragraph(block.text)
        elif block.kind == "figure":
            self.caption(block)
        elif block.kind == "fold":
            self.folds.append(f"<details><summary>{block.title}</summary>\n\n{block.text}\n\n</details>")
        elif block.kind == "formula":
            self.formula(block.text)
        else:
            introduction = self.settle(keep_lead=True)
            text = bullets(short_items(items(block.text))) if block.kind == "list" else block.text
            parts = [markdown("lead", introduction)] if introduction else []
            slide = self.made[-1]
            if block.kind == "list" and slide.kind == "section" and len(slide.parts) == 1 and not introduction:
                slide.parts.append(markdown("points", text))  # a section that is a list, such as the summary
                slide.notes.append(block.text)
            else:
                self.show(block.kind, [*parts, markdown(block.kind, text)], words="")
                self.made[-1].notes.append(block.text if block.kind == "list" else "")

    def heading(self, block: Block) -> None:
        """Begin the chapter, a section, or a part of one."""
        self.settle()
        level = len(block.title)
        if level == 1:
            title = [markdown("chapter", f"Chapter {self.chapter}"), markdown("heading", f"# {block.text}")]
            told = "These notes are the chapter's prose. Proofs are folded; solutions are in the book."
            self.show("title", [*title, markdown("book", "Private Bandits")], top=True, label="title", notes=[told])
            return
        self.within = "" if level == 2 else block.text
        if level == 2:
            self.section = block.text
            self.silent = bool(UNTOLD.match(block.text)) or block.text == "Exercises"
        if not self.silent:
            self.show("section", [markdown("heading", f"## {block.text}")], top=level == 2)

    def goals(self, block: Block) -> None:
        """Show what the chapter is for."""
        wanted = next((items(inner.text) for inner in block.inside if inner.kind == "list"), None)
        if wanted is None:  # they stand in a sentence
            found = re.search(r"You will(?: be able to)?(?:\*\*)?\s+(.+?)\n\n", block.text + "\n\n", re.DOTALL)
            wanted = [part.removeprefix("and ") for part in re.split(r";\s+", " ".join(found[1].split()))] if found else []
        parts = [markdown("lead", "You will be able to"), markdown("points", bullets(wanted))]
        self.show("goals", [markdown("heading", f"## {block.title}"), *parts], label="goals", notes=[block.text])

    def box(self, block: Block) -> None:
        """Show a definition, a theorem or the like."""
        self.settle(keep_lead=True)
        kind = block.title.strip("*").partition(" ")[0].lower()
        words = "" if length(block.text) <= LONG_BOX else None
        parts = [markdown("name", block.title), markdown("statement", block.text)]
        self.show("box", parts, label=block.label, words=words, accent=kind)

    def caption(self, block: Block) -> None:
        """Name the figure that was drawn last."""
        slide = self.made[-1]
        if slide.kind in ("figure", "moving"):
            slide.label = block.label
            slide.parts.append(markdown("caption", f"**{block.title}.** {opening(block.text, 150)}"))
            slide.notes.append(f"**{block.title}.** {block.text}")

    def paragraph(self, text: str) -> None:
        """Remember prose; a caption without a number belongs to the figure, the end of a sentence to its formula."""
        slide = self.made[-1]
        if slide.kind in ("figure", "moving") and not self.prose and re.fullmatch(r"\*[^*].*[^*]\*", text, re.DOTALL):
            slide.notes.append(text)
        elif slide.kind == "formula" and not self.prose and re.match(r"[a-z$]", text) and slide.parts[-1].role == "formula":
            end, *rest = sentences(text)
            slide.parts.append(markdown("lead", end))
            slide.notes.append(end)
            self.prose += [" ".join(rest)] if rest else []
        else:
            self.prose.append(text)

    def formula(self, text: str) -> None:
        """Show a displayed formula with the sentence that it stands in, and a few before it."""
        slide = self.made[-1]
        if slide.kind != "formula" or self.prose:
            before = sentences(self.prose.pop()) if self.prose else []
            alone = not self.prose and slide.words != "" and not self.waiting()
            self.prose += [] if alone or not before[:-1] else [" ".join(before[:-1])]
            self.settle()
            told = points([" ".join(before[:-1])])[:3] if alone and before[:-1] else []
            self.show("formula", [markdown("points", bullets(told))] if told else [], words="")
            slide = self.made[-1]
            slide.parts += [markdown("lead", before[-1])] if before else []
            slide.notes.append(" ".join(before if alone else before[-1:]))
        slide.parts.append(markdown("formula", text))
        slide.notes.append(text)

    def exercise(self, block: Block) -> None:
        """Keep a warm-up or a pencil exercise for the end."""
        if found := ACTIVITY.match(block.text):
            parts = [markdown("kicker", f"To try: {found['kind'].lower()}"), markdown("name", block.title)]
            parts.append(markdown("statement", found["task"]))
            told = ["The solution is in the book, folded, below the exercise."]
            self.activities.append(Slide("box", parts, told, block.label, accent="exercise"))

    # ---- Slides

    def show(self, kind: str, parts: list[Part], **more: Any) -> None:
        """Add a slide."""
        self.made.append(Slide(kind, parts, **more))
        self.made[-1].notes[:0], self.carried = self.carried, []
        if kind not in ("title", "goals") and not self.made[-1].top and self.section:
            within = f" · {self.within}" if self.within and kind != "section" else ""
            self.made[-1].parts.insert(0, markdown("kicker", self.section + within))

    def waiting(self) -> bool:
        """Say whether the last slide is a heading that wants its points."""
        return self.made[-1].kind == "section" and self.made[-1].parts[-1].role == "heading"

    def settle(self, keep_lead: bool = False) -> str:
        """Put the prose since the last slide onto slides and into notes; return the sentence that leads to what comes."""
        if not self.made:
            return ""
        slide, prose, introduction = self.made[-1], self.prose, ""
        slide.notes += self.folds
        self.prose, self.folds = [], []
        if keep_lead and prose:
            prose[-1], introduction = lead(prose[-1])
            prose = [text for text in prose if text]
        if prose and slide.words == "" and (slide.kind != "box" or IN_WORDS.match(prose[0])):
            role = "plainly" if IN_WORDS.match(prose[0]) else "look"
            if said := opening(IN_WORDS.sub("", prose[0])):
                slide.parts.append(markdown(role, said[:1].upper() + said[1:]))
            slide.notes.insert(-1 if slide.notes else 0, prose.pop(0))
        slide.words = None
        for chosen, told in slides_of(prose):
            if self.waiting() and chosen:
                self.made[-1].parts.append(markdown("points", bullets(chosen)))
            elif worth_a_slide(chosen):
                self.show("points", [markdown("points", bullets(chosen))])
            self.made[-1].notes += told
        if introduction:
            self.carried.append(introduction)
        if self.waiting() and not self.made[-1].top:
            self.carried[:0] = self.made.pop().notes  # what comes says in its corner where it belongs
        return introduction

    def finish(self) -> list[Slide]:
        """Return all slides, with the exercises at the end."""
        self.settle()
        if self.activities:
            self.activities[0].top = True
            self.made += self.activities
        return self.made


