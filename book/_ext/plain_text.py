"""What plain notebooks are written in: ordinary Markdown in which the book finds its boxes, figures, numbers and links.

Nothing here needs Sphinx: the extension `plain`, the tool that writes numbers, and the tests build on it. A notebook holds

* **numbers** of its run, each followed by an invisible mark, ``385<!-- = users -->``, that names an entry of the dict which the
  notebook's last cell, with the id `numbers`, shows;
* **boxes**: quotes whose first line is ``<a id="thm-x"></a>**Theorem 3.1 (Title).**``, or bold words alone for one without number;
* **figures**: a Markdown cell below the cell that draws, which begins ``<a id="fig-x"></a>**Figure 3.1.** Caption``;
* **references** ``[Theorem 3.1](#thm-x)``, ``[Figure 2.1](02_x.ipynb#fig-x)``;
* **citations** ``[Warner (1965)](../book/references.bib#warner1965)``;
* **folds**, ``<details><summary>Proof</summary>``, each tag on a line of its own between empty lines.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin

Notebook = dict[str, Any]
MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable("table").use(dollarmath_plugin)

NUMBERS_CELL = "numbers"
# Kinds of sphinx-proof's boxes that the book uses, and the one of sphinx-exercise.
PROVED = ("theorem", "lemma", "proposition", "corollary", "definition", "algorithm", "observation", "remark")
KINDS = (*PROVED, "exercise")

BOX = re.compile(r'<a id="(?P<label>[^"]+)"></a>\*\*(?P<kind>[A-Z]\w*)(?: (?P<number>\d+(?:\.\d+)*))?(?: \((?P<title>.+)\))?\.\*\*')
BOLD_LINE = re.compile(r"\*\*(?P<title>[^*]+)\*\*")
FIGURE = re.compile(r'<a id="(?P<label>fig-[^"]+)"></a>\*\*Figure (?P<number>\d+(?:\.\d+)*)\.\*\* (?P<caption>.+)', re.DOTALL)
FOLD = re.compile(r"<details><summary>(?P<title>.+)</summary>")
CHECKED_BY = re.compile(r"\*Checked by\* (?P<tests>\[.+\))\.")
TEST = re.compile(r"\[`(?P<name>[\w:]+)`\]\(\.\./(?P<file>[^)#]+)\)")

CODE = r"(?P<tick>`+)(?!`).*?(?<!`)(?P=tick)(?!`)"
FORMULA = r"\$\$.*?\$\$|(?<![\\$])\$(?! ).*?(?<!\\)\$"
VALUE = r"(?:[^\s(\[*_\"$>]|\u00a0)+"
MARK = rf"(?P<value>{VALUE})<!-- = (?P<name>[\w.-]+) -->"
LINK = r"(?<!!)\[(?P<text>[^\]\[]+)\]\((?P<file>[^)\s#]*)#(?P<target>[^)\s]+)\)"
# Code and formulas come first, so that nothing inside them is taken for a mark or a link.
INLINE = re.compile(f"(?P<keep>{CODE}|{FORMULA})|{MARK}|{LINK}", re.DOTALL)


def source(cell: Notebook) -> str:
    """Return a cell's text, which a notebook stores as one string or as lines."""
    return "".join(cell["source"])


def markdown(notebook: Notebook) -> Iterator[tuple[Notebook, str]]:
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            yield cell, source(cell)


def blocks(text: str) -> Iterator[tuple[str, str]]:
    """Yield the kind, as markdown-it names it, and the text of each block of some Markdown; what is folded is one "fold"."""
    lines, depth, start = text.split("\n"), 0, 0
    for token in MARKDOWN.parse(text):
        if token.level or not token.map:
            continue
        opened = depth
        if token.type == "html_block":
            depth += token.content.count("<details>") - token.content.count("</details>")
        start = start if opened else token.map[0]
        if not depth:
            block = "\n".join(lines[start : token.map[1]]).rstrip()
            yield "fold" if opened else token.type.removesuffix("_open"), block
    if depth:
        raise ValueError(f"the fold {lines[start]!r} is not closed")


def found_inline(text: str) -> Iterator[re.Match[str]]:
    """Yield the marks and links of a text, but not what stands in code or formulas."""
    return (found for found in INLINE.finditer(text) if not found["keep"])


def run_numbers(notebook: Notebook) -> dict[str, str]:
    """Return the numbers that the notebook's last run gave, from the stored output of its last cell."""
    for cell in notebook["cells"]:
        if cell.get("id") == NUMBERS_CELL:
            for output in cell.get("outputs", []):
                if shown := output.get("data", {}).get("text/plain"):
                    return {name: str(value) for name, value in ast.literal_eval("".join(shown)).items()}
    return {}


def titles(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield label, kind and number of the boxes and of the figure that a cell holds."""
    for line in text.split("\n"):
        if found := BOX.fullmatch(line.removeprefix("> ")):
            yield found["label"], found["kind"], found["number"] or ""
    if found := FIGURE.match(text):
        yield found["label"], "Figure", found["number"]


def numbering(chapters: Iterable[tuple[int, Notebook]]) -> dict[str, str]:
    """Say what every box and figure is called, "Theorem 3.1": chapters count from 1, and each kind in its chapter too."""
    names = {}
    for chapter, notebook in chapters:
        count: Counter[str] = Counter()
        for _, text in markdown(notebook):
            for label, kind, _ in titles(text):
                count[kind] += 1
                names[label] = f"{kind} {chapter}.{count[kind]}"
    return names


def written(text: str, numbers: dict[str, str], names: dict[str, str]) -> str:
    """Return a cell's text with the run's numbers and the book's numbering in place of what stands there."""

    def inline(found: re.Match[str]) -> str:
        if found["name"] and found["name"] in numbers:
            value = "\u00a0".join(numbers[found["name"]].split())
            if not re.fullmatch(VALUE, value):
                raise ValueError(f"number {found['name']} is {value!r}, which a text cannot hold: it has one of ( [ * _ \" $ >")
            return f"{value}<!-- = {found['name']} -->"
        if found["target"] in names:
            words = re.sub(r"[A-Z]\w+ \d+(?:\.\d+)*$", names[found["target"]], found["text"])
            return f"[{words}]({found['file']}#{found['target']})"
        return found[0]

    def title(found: re.Match[str]) -> str:
        return found[1] + names.get(found[2], found[3])

    text = re.sub(r'(?m)^((?:> )?<a id="([^"]+)"></a>\*\*)([A-Z]\w* \d+(?:\.\d+)*)', title, text)
    return INLINE.sub(inline, text)
