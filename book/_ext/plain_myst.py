"""Turn a plain notebook into the MyST of the book: quotes become boxes, folds become dropdowns, links become roles.

What it reads is described in `plain_text`. Cells keep their places, so that a warning names the cell of the notebook.
"""

import copy
import re

from plain_text import (
    BOLD_LINE,
    BOX,
    CHECKED_BY,
    FIGURE,
    FOLD,
    INLINE,
    KINDS,
    PROVED,
    TEST,
    Notebook,
    source,
)  # fmt: skip

FENCE = re.compile(r"\s*(`{3,}|~{3,})")
RUN_BELOW = "Run or open the folded cell below."  # what a fold says whose solution is code; the book shows the code instead
# How the prefix of a label says what it names.
ROLES = {"thm": "prf:ref", "lem": "prf:ref", "prop": "prf:ref", "cor": "prf:ref", "def": "prf:ref", "alg": "prf:ref"}
ROLES |= {"obs": "prf:ref", "rem": "prf:ref", "fig": "ref", "ex": "ref"}


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


def directive(name: str, title: str, body: list[str], **options: str) -> list[str]:
    """Write a directive, with a fence longer than any inside it."""
    inner = max((len(found[1]) for line in body if (found := FENCE.match(line))), default=2)
    fence = "`" * max(3, inner + 1)
    settings = [f":{key}: {value}" for key, value in options.items()]
    return ["", f"{fence}{{{name}}} {title}".rstrip(), *settings, "", *body, fence, ""]


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
                translated = self.cell(text.split("\n"), "solution" in following)
            except ValueError as error:
                raise ValueError(f"cell {index + 1} ({cell['id']}): {error}") from error
            if cell["id"] == "symbols":  # a class to draw it by
                translated = directive("container", "symbols", translated)
            made["cells"].append({**cell, "source": "\n".join(translated)})
        return made

    def caption(self, before: list[Notebook], figure: re.Match[str]) -> None:
        """Hand a caption to the code cell that draws the figure."""
        if not before or before[-1]["cell_type"] != "code":
            raise ValueError(f"the caption {figure['label']} does not follow a code cell")
        drawn = before[-1] = copy.deepcopy(before[-1])
        made = {"caption": inline(" ".join(figure["caption"].split())), "name": figure["label"]}
        drawn["metadata"].setdefault("mystnb", {})["figure"] = made

    def cell(self, lines: list[str], code_follows: bool) -> list[str]:
        """Translate one Markdown cell; `code_follows` if the next cell is code that belongs to a solution."""
        if not self.inside_solution:
            out = self.blocks(lines, code_follows)
        else:  # the cells of a solution are over; a fold "Solution, continued" still belongs to it
            end = 0
            if (found := FOLD.fullmatch(lines[0])) and found["title"].endswith("continued"):
                end = closing(lines, 0)
            out = [*self.blocks(lines[1:end]), "", "```{solution-end}", "```", ""]
            self.inside_solution = False
            out += self.blocks(lines[end + 1 if end else 0 :], code_follows)
        if code_follows and not self.inside_solution:
            raise ValueError("a cell with the tag solution follows, but this one does not end with a fold 'Solution'")
        return out

    def blocks(self, lines: list[str], code_follows: bool = False) -> list[str]:
        """Translate lines that may hold boxes and folds."""
        out: list[str] = []
        prose: list[str] = []

        def flush() -> None:
            out.extend(inline("\n".join(prose)).split("\n") if prose else [])
            prose.clear()

        i = 0
        while i < len(lines):
            if fence := FENCE.match(lines[i]):  # a block of code stays as it is
                end = next((j for j in range(i + 1, len(lines)) if lines[j].strip().startswith(fence[1])), len(lines) - 1)
                flush()
                out.extend(lines[i : end + 1])
            elif lines[i].startswith(">"):
                end = next((j for j in range(i, len(lines)) if not lines[j].startswith(">")), len(lines)) - 1
                quoted = [re.sub("^> ?", "", line) for line in lines[i : end + 1]]
                if BOX.fullmatch(quoted[0]) or BOLD_LINE.fullmatch(quoted[0]):
                    flush()
                    out.extend(self.box(quoted[0], quoted[1:]))
                else:
                    prose.extend(lines[i : end + 1])
            elif found := FOLD.fullmatch(lines[i]):
                end = closing(lines, i)
                flush()
                last = code_follows and not any(line.strip() for line in lines[end + 1 :])
                out.extend(self.fold(found["title"], lines[i + 1 : end], last))
            else:
                end = i
                prose.append(lines[i])
            i = end + 1
        flush()
        return out

    def box(self, lead: str, body: list[str]) -> list[str]:
        """Make a box of what follows its first line."""
        found = BOX.fullmatch(lead)
        if not found:
            return directive("admonition", lead.strip("*"), self.blocks(body))
        kind, label = found["kind"].lower(), found["label"]
        if kind not in KINDS:
            raise ValueError(f"box {label} is called {found['kind']}; allowed are {', '.join(kind.title() for kind in KINDS)}")
        if kind == "exercise":
            self.exercise = label
        name = f"prf:{kind}" if kind in PROVED else kind
        lines = self.blocks([checked_by(line) for line in body])
        return directive(name, inline(found["title"] or ""), lines, label=label)

    def fold(self, title: str, body: list[str], code_follows: bool) -> list[str]:
        """Make a solution of the exercise above, or a box that opens."""
        if title != "Solution":
            lines = self.blocks(body)
            if "proof" in title.lower():
                lines = directive("prf:proof", "", lines)
            return directive("admonition", title, lines, **{"class": "dropdown"})
        exercise, self.exercise = self.exercise, ""
        if not exercise:
            raise ValueError("a fold 'Solution' has no exercise above it that still needs one")
        lines = self.blocks([line for line in body if line != RUN_BELOW])
        if not code_follows:
            return directive("solution", exercise, lines, **{"class": "dropdown"})
        self.inside_solution = True
        return ["", f"```{{solution-start}} {exercise}", ":class: dropdown", "```", "", *lines, ""]


def checked_by(line: str) -> str:
    """Turn the line that links a box's tests into the role that looks them up."""
    if not line.startswith("*Checked by*"):
        return line
    found = CHECKED_BY.fullmatch(line)
    tests = [f"{test['file']}::{test['name']}" for test in TEST.finditer(found["tests"])] if found else []
    if not found or found["tests"].count("](") != len(tests):
        raise ValueError(f"cannot read the tests in {line!r}; each is written [`test_name`](../tests/test_file.py)")
    return f"{{checked-by}}`{', '.join(tests)}`"


def closing(lines: list[str], start: int) -> int:
    """Return the line that closes the fold which opens at `start`."""
    depth = 0
    for i in range(start, len(lines)):
        depth += lines[i].startswith("<details>") - (lines[i] == "</details>")
        if not depth:
            return i
    raise ValueError(f"the fold {lines[start]!r} is not closed")
