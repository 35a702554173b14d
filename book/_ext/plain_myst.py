"""Turn a plain notebook into the MyST of the book: quotes become boxes, folds become dropdowns, links become roles.

What it reads is described in `plain_text`. Cells keep their places, so that a warning names the cell of the notebook.
"""

import copy
import re
from collections.abc import Iterable

from plain_text import BOLD_LINE, BOX, CHECKED_BY, FIGURE, FOLD, INLINE, KINDS, PROVED, TEST, Notebook, blocks, source

RUN_BELOW = "Run or open the folded cell below."  # what a fold says whose solution is code; the book shows the code instead
# How the prefix of a label says what it names.
ROLES = dict.fromkeys(("thm", "lem", "prop", "cor", "def", "alg", "obs", "rem"), "prf:ref") | {"fig": "ref", "ex": "ref"}


def inline(text: str) -> str:
    """Turn references and citations into roles and drop the marks of numbers; code and formulas stay as they are."""

    def one(found: re.Match[str]) -> str:
        if found["keep"]:
            return found[0]
        if found["name"]:
            return found["value"]
        words, target = " ".join(found["text"].split()), found["target"]
        if found["file"].endswith(".bib"):
            return f"{{citation}}`{words} <{target}>`"
        role = ROLES.get(target.partition("-")[0])
        if role is None:
            raise ValueError(f"{found[0]} leads to a label of no known kind; they begin with {', '.join(ROLES)}")
        return f"{{{role}}}`{words} <{target}>`"

    if raw := re.search(r"<!--.*|</?(?:a|details|summary)\b.*", INLINE.sub("", text)):
        raise ValueError(f"nothing is known of the mark {raw[0][:60]!r}")
    return INLINE.sub(one, text)


def directive(name: str, title: str, body: str, **options: str) -> str:
    """Write a directive, with a fence longer than any inside it."""
    fence = "`" * max(3, 1 + max(map(len, re.findall(r"(?m)^\s*(`{3,}|~{3,})", body)), default=2))
    settings = "".join(f":{key}: {value}\n" for key, value in options.items())
    return f"{f'{fence}{{{name}}} {title}'.rstrip()}\n{settings}\n\n{body}\n{fence}"


class Translator:
    """Goes through one notebook's cells in order, and remembers which exercise a solution belongs to."""

    def __init__(self) -> None:
        self.exercise = ""
        self.inside_solution = False  # between a solution's fold and the end of its cells

    def notebook(self, notebook: Notebook) -> Notebook:
        """Return the MyST notebook: the same code cells with the same outputs in the same places."""
        made = {**notebook, "cells": []}
        cells = notebook["cells"]
        for index, cell in enumerate(cells):
            if cell["cell_type"] != "markdown":
                made["cells"].append(cell)
                continue
            text = source(cell)
            following = cells[index + 1]["metadata"].get("tags", []) if index + 1 < len(cells) else []
            try:
                if figure := FIGURE.match(text):
                    self.caption(made["cells"], figure)
                    text = ""
                translated = self.cell(list(blocks(text)), "solution" in following)
            except ValueError as error:
                raise ValueError(f"cell {index + 1} ({cell['id']}): {error}") from error
            if cell["id"] == "symbols":  # a class to draw it by
                translated = directive("container", "symbols", translated)
            made["cells"].append({**cell, "source": translated})
        return made

    def caption(self, before: list[Notebook], figure: re.Match[str]) -> None:
        """Hand a caption to the code cell that draws the figure."""
        if not before or before[-1]["cell_type"] != "code":
            raise ValueError(f"the caption {figure['label']} does not follow a code cell")
        drawn = before[-1] = copy.deepcopy(before[-1])
        made = {"caption": inline(" ".join(figure["caption"].split())), "name": figure["label"]}
        drawn["metadata"].setdefault("mystnb", {})["figure"] = made

    def cell(self, parts: list[tuple[str, str]], code_follows: bool) -> str:
        """Translate the blocks of a Markdown cell; `code_follows` if the next cell is code that belongs to a solution."""
        before = ""
        if self.inside_solution:  # its cells are over; a fold "Solution, continued" still belongs to it
            if parts and parts[0][0] == "fold" and opened(parts[0][1])[0].endswith("continued"):
                before = self.blocks(blocks(opened(parts.pop(0)[1])[1]))
            before += "\n\n```{solution-end}\n```\n\n"
            self.inside_solution = False
        out = before + self.blocks(parts, code_follows)
        if code_follows and not self.inside_solution:
            raise ValueError("a cell with the tag solution follows, but this one does not end with a fold 'Solution'")
        return out

    def blocks(self, parts: Iterable[tuple[str, str]], code_follows: bool = False) -> str:
        made, parts = [], list(parts)
        for place, (kind, text) in enumerate(parts, 1):
            lead, *body = [re.sub("^> ?", "", line) for line in text.split("\n")]
            if kind == "blockquote" and (BOX.fullmatch(lead) or BOLD_LINE.fullmatch(lead)):
                made.append(self.box(lead, body))
            elif kind == "fold":
                made.append(self.fold(*opened(text), code_follows and place == len(parts)))
            else:  # a block of code stays as it is
                made.append(text if kind == "fence" else inline(text))
        return "\n\n".join(made)

    def box(self, lead: str, body: list[str]) -> str:
        """Make a box of what follows its first line."""
        found = BOX.fullmatch(lead)
        if not found:
            return directive("admonition", lead.strip("*"), self.blocks(blocks("\n".join(body))))
        kind, label = found["kind"].lower(), found["label"]
        if kind not in KINDS:
            raise ValueError(f"box {label} is called {found['kind']}; allowed are {', '.join(kind.title() for kind in KINDS)}")
        if kind == "exercise":
            self.exercise = label
        name = f"prf:{kind}" if kind in PROVED else kind
        text = "\n".join(checked_by(line) for line in body)
        return directive(name, inline(found["title"] or ""), self.blocks(blocks(text)), label=label)

    def fold(self, title: str, body: str, code_follows: bool) -> str:
        """Make a solution of the exercise above, or a box that opens."""
        if title != "Solution":
            text = self.blocks(blocks(body))
            if "proof" in title.lower():
                text = directive("prf:proof", "", text)
            return directive("admonition", title, text, **{"class": "dropdown"})
        exercise, self.exercise = self.exercise, ""
        if not exercise:
            raise ValueError("a fold 'Solution' has no exercise above it that still needs one")
        text = self.blocks(blocks(body.replace(RUN_BELOW, "")))
        if not code_follows:
            return directive("solution", exercise, text, **{"class": "dropdown"})
        self.inside_solution = True
        return f"```{{solution-start}} {exercise}\n:class: dropdown\n```\n\n{text}"


def opened(fold: str) -> tuple[str, str]:
    first, *body, _ = fold.split("\n")
    found = FOLD.fullmatch(first)
    if not found:
        raise ValueError(f"a fold begins <details><summary>Title</summary>, in a line of its own, not {first!r}")
    return found["title"], "\n".join(body)


def checked_by(line: str) -> str:
    """Turn the line that links a box's tests into the role that looks them up."""
    if not line.startswith("*Checked by*"):
        return line
    found = CHECKED_BY.fullmatch(line)
    tests = [f"{test['file']}::{test['name']}" for test in TEST.finditer(found["tests"])] if found else []
    if not found or found["tests"].count("](") != len(tests):
        raise ValueError(f"cannot read the tests in {line!r}; each is written [`test_name`](../tests/test_file.py)")
    return f"{{checked-by}}`{', '.join(tests)}`"
