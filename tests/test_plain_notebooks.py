"""Chapters read well where nothing knows the book: every Markdown cell is rendered as plain CommonMark, and looked at.

Jupyter takes formulas out before it renders Markdown, so this does, too. That the formulas themselves are standard LaTeX is checked
when the book is built: there KaTeX sets every one of them without a single macro, or the build fails.
"""

import ast
import itertools
import re
import sys
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

import plain_myst
import plain_text
import run_notebooks
from checkout import ROOT

CHAPTERS = run_notebooks.chapters()
every_chapter = pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)

FORMULA = re.compile(plain_text.FORMULA, re.DOTALL)
CODE = re.compile(plain_text.CODE, re.DOTALL)
ALLOWED_TAGS = {"a", "details", "summary"}
# What a reader's notebook may import: the package, what it depends on, and Python itself.
ALLOWED_IMPORTS = {"bandits_dp", "bandits_book", "joblib", "numpy", "scipy", "matplotlib", *sys.stdlib_module_names}


def complaints(text: str) -> list[str]:
    """List what a reader of one cell would stumble over in plain Jupyter."""
    found = [f"MyST role: {role}" for role in re.findall(r"\{[a-z:_-]+\}`[^`]*`", text)]
    found += [f"MyST fence: {fence}" for fence in re.findall(r"(?m)^\s*(?:>\s*)*(?:`{3,}|:{3,})\{.*", text)]
    found += [f"MyST label: {label}" for label in re.findall(r"(?m)^\(\S+\)=$", text)]
    shown = CODE.sub("CODE", text)
    for formula in FORMULA.findall(shown):
        if "<!--" in formula or "](" in formula:
            found.append(f"a mark or a link inside a formula: {formula}")
        if re.search(r"\n\s*>", formula):
            found.append(f"a formula in a quote has to be on one line: {formula}")
        if re.search(r"<[A-Za-z/!]", formula):
            found.append(f"'<' before a letter looks like HTML: {formula}")
    shown = FORMULA.sub("FORMULA", shown)
    lines = shown.split("\n")
    for before, line, after in zip(["", *lines], lines, [*lines[1:], ""], strict=False):
        if re.match(r"\s*(> ?)*<!--", line):
            found.append(f"a comment at the start of a line makes the line HTML: {line}")
        if re.match(r"</?details>", line) and (after.strip() or (line.startswith("</") and before.strip())):
            found.append(f"no empty line beside {line}")
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render(shown)
    seen = re.sub(r"<!--.*?-->", "", html, flags=re.DOTALL)
    found += [f"HTML: <{tag}>" for tag in set(re.findall(r"<([a-z]+)", shown)) - ALLOWED_TAGS]
    words = re.sub(r"<[^>]+>", "", re.sub(r"<(code|pre)\b.*?</\1>", "", seen, flags=re.DOTALL))
    raw = r"\*\*\S.{0,30}|\]\(.{0,30}|&lt;!--.{0,20}|--&gt;|`{3,}|\$.{0,20}"
    found += [f"raw in the text: {one}" for one in re.findall(raw, words)]
    if seen.count("<details") != seen.count("</details"):
        found.append("a fold is not closed")
    return found


@every_chapter
def test_nothing_raw_is_left_in_plain_jupyter(path: Path) -> None:
    found = [f"cell {cell['id']}: {one}" for cell, text in plain_text.markdown(CHAPTERS[path]) for one in complaints(text)]
    assert not found, "\n".join(found)


@every_chapter
def test_every_link_leads_to_something_in_the_repository(path: Path) -> None:
    """In the book the build resolves links; on a code host or in Jupyter the files and anchors themselves have to be there."""
    lost = []
    for cell, text in plain_text.markdown(CHAPTERS[path]):
        for file, anchor in re.findall(r"(?<!!)\[[^\]]+\]\(([^)\s#]*)#?([^)\s]*)\)", FORMULA.sub("", text)):
            target = (path.parent / file).resolve() if file else path
            if file.startswith("https://"):
                continue
            wanted = {".ipynb": f'id=\\"{anchor}\\"', ".bib": f"{{{anchor},"}.get(target.suffix, "") if anchor else ""
            if not target.is_file() or not target.is_relative_to(ROOT) or wanted not in target.read_text("utf-8"):
                lost.append(f"{cell['id']}: {file}#{anchor}")
    assert not lost


@every_chapter
def test_every_solution_is_folded(path: Path) -> None:
    """Text of solutions is inside a fold; their code is collapsed, and a fold above it says so."""
    cells = CHAPTERS[path]["cells"]
    for before, cell in itertools.pairwise(cells):
        if "solution" not in cell["metadata"].get("tags", []):
            continue
        assert cell["metadata"]["jupyter"] == {"source_hidden": True, "outputs_hidden": True}, cell["id"]
        told = plain_text.source(before).rstrip()
        fold = f"{plain_myst.RUN_BELOW}\n\n</details>"
        follows = "solution" in before["metadata"].get("tags", []) or told.endswith(fold)
        assert follows, f"{cell['id']}: no fold above it"
    for cell, text in plain_text.markdown(CHAPTERS[path]):
        outside = re.sub(r"(?ms)^<details>.*?^</details>$", "", text)
        assert not re.search(r"(?i)^\W*solution\b", outside, flags=re.MULTILINE), cell["id"]


@every_chapter
def test_a_notebook_needs_the_package_and_nothing_of_the_book(path: Path) -> None:
    imported = set()
    for cell in CHAPTERS[path]["cells"]:
        code = re.sub(r"(?m)^([ \t]*)%.*$", r"\1pass", plain_text.source(cell)) if cell["cell_type"] == "code" else ""
        for node in ast.walk(ast.parse(code)):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            imported |= {name.partition(".")[0] for name in names}
    assert imported <= ALLOWED_IMPORTS
