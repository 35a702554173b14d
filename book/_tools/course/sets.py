"""The assignments of the course: where they are, and what a master notebook consists of."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

from checkout import BUILD, NOTEBOOKS

ASSIGNMENTS = NOTEBOOKS / "assignments"
MASTERS = ASSIGNMENTS / "masters"
SOLUTIONS = BUILD / "course" / "solutions"

SETUP = "setup"  # the grade id of the cell with the imports and the seed
TEST = "test-"  # the test of the answer "laplace" is "test-laplace"
GIVEN = "given"  # code that students read and run, and that is put back if they change it; the set-up cell is the first
POINTS = 20
HEADING = re.compile(r"(?m)^## ((?:Task )?\d.+?)(?: \([\d.]+ points?\))?$")
SEED_LINE = re.compile(r"(?m)^SEED = \d+$")


@dataclass(frozen=True)
class Task:
    """One task of a set: the grade ids of its answer and of its test, what passing the test is worth, and its heading."""

    answer: str
    test: str
    points: float
    title: str = ""


def masters(folder: Path = MASTERS, numbers: Sequence[str] = ()) -> list[Path]:
    """List the master notebooks, or those with some numbers, in their order."""
    return sorted(path for path in folder.glob("*.ipynb") if not numbers or path.name.split("_")[0] in numbers)


def read(path: Path) -> NotebookNode:
    """Read a notebook as it is stored; nbformat.reads would repair it."""
    return nbformat.v4.reads(path.read_text("utf-8"))


def mark(cell: NotebookNode) -> dict[str, Any]:
    """Return what nbgrader knows of a cell; empty for an ordinary one, or where an editor left nonsense."""
    found = cell.metadata.get("nbgrader", {})
    return found if isinstance(found, dict) else {}


def kind(cell: NotebookNode) -> str:
    """Name what a cell is for: an "answer" of the student's, a "test" that is worth points, "given", or "" for an ordinary one."""
    found = mark(cell)
    return "answer" if found.get("solution") else "test" if found.get("grade") else GIVEN if found else ""


def tasks(master: NotebookNode) -> list[Task]:
    """List the tasks of a checked master, in order."""
    points = {mark(cell)["grade_id"]: mark(cell)["points"] for cell in master.cells if kind(cell) == "test"}
    made, title = [], ""
    for cell in master.cells:
        if cell.cell_type == "markdown" and (found := HEADING.findall(cell.source)):
            title = found[-1]
        if kind(cell) == "answer":
            answer = mark(cell)["grade_id"]
            made.append(Task(answer, TEST + answer, points[TEST + answer], title))
    return made


def with_seed(source: str, seed: int) -> str:
    return SEED_LINE.sub(f"SEED = {seed}", source)
