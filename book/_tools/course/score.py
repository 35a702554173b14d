"""The score of one submission: a test is worth its points if it raises nothing, and its answer was handed in."""

from dataclasses import dataclass, field
from typing import Any

from nbformat import NotebookNode

from course.processes import Limits, run
from course.restore import Original, code, names, restored

GRADED, STOPPED = "graded", "stopped"


@dataclass
class Result:
    """What came of one submission.

    `tasks` has a row for each task: its points, its score and what its test said. `prose` is what the student wrote in text cells.
    """

    student: str
    status: str
    tasks: list[dict[str, Any]] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    prose: str = ""
    key: str = ""

    @property
    def total(self) -> float:
        return sum(task["score"] for task in self.tasks)


def nothing(original: Original, student: str, status: str, remark: str) -> Result:
    """Score a submission that cannot be run: zero for every task, with the reason."""
    rows = [row(task, 0, status) for task in original.tasks]
    return Result(student, status, rows, [remark])


def row(task: Any, score: float, said: str, source: str = "") -> dict[str, Any]:
    return {"task": task.answer, "title": task.title, "points": task.points, "score": score, "said": said, "source": source}


def graded(submission: NotebookNode, original: Original, seed: int, limits: Limits, student: str = "") -> Result:
    """Restore, run and score a submission."""
    notebook, remarks = restored(submission, original)
    cells = code(notebook, seed)
    report = run(cells, limits)
    if report.errors[0]:
        raise RuntimeError(f"the set-up cell of {original.name} fails: {report.errors[0]}")
    said = {cell.name: report.errors[index] for index, cell in enumerate(cells)}
    sources = {cell.name: cell.source for cell in cells if cell.kind == "answer"}
    there = set(names(submission, list(original.marked)))
    rows = []
    for task in original.tasks:
        wrong = "the answer's cell is missing" if task.answer not in there else said[task.test]
        if wrong and said.get(task.answer):
            wrong = f"{wrong} (and the answer's own cell: {said[task.answer]})"
        if wrong and sources.get(task.answer, "").rstrip() == original.released[task.answer].rstrip():
            wrong = "Not tried."
        rows.append(row(task, 0 if wrong else task.points, wrong, sources.get(task.answer, "")))
    # Text cells that the set does not have as they are: answers in words, which no program grades.
    texts = [cell.source.strip() for cell in submission.cells if cell.cell_type == "markdown"]
    prose = "\n\n".join(text for text in texts if text and text not in original.texts)
    return Result(student, STOPPED if report.stopped else GRADED, rows, remarks + report.remarks, prose)
