"""What comes of a batch: a small page for each student, with the score and what each test said, and tables, as CSV.

The tables are all scores, what a learning platform imports, and who handed in the same code.
"""

import ast
import csv
import io
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from jinja2 import Environment

from course.score import Result

PAGE = Environment(autoescape=True, trim_blocks=True).from_string(Path(__file__).with_name("feedback.html").read_text("utf-8"))
SEVERAL = 3  # students whose code is the same; what more of them share is a usual way to write it


def page(result: Result, name: str) -> str:
    return PAGE.render(result=result, name=name, most=sum(task["points"] for task in result.tasks))


def table(results: Sequence[Result], name: str) -> str:
    """Return the text of the table: a row for each student, a column for each task."""
    tasks = [task["task"] for task in results[0].tasks] if results else []
    rows = [[plain(one.student), name, *(f"{task['score']:g}" for task in one.tasks), f"{one.total:g}", one.status,
             plain("; ".join(one.remarks))] for one in ordered(results)]  # fmt: skip
    return written(["student", "set", *tasks, "total", "status", "remark"], rows)


def imported(results: Sequence[Result]) -> str:
    """Return a table that learning platforms import: for each student the grade, and one line about each task."""
    rows = []
    for one in ordered(results):
        rows.append([plain(one.student), f"{one.total:g}", plain(comment(one))])
    return written(["student", "grade", "feedback"], rows)


def comment(one: Result) -> str:
    """Say in one line what each task got."""
    told = [f"{task['title'] or task['task']}: {task['score']:g} of {task['points']:g}" for task in one.tasks]
    return ". ".join([*told, *one.remarks])


def similar(results: Sequence[Result], given: Iterable[str]) -> str:
    """Return a table of two or three students whose answers are the same code, names and comments apart, most tasks first.

    `given` is the code that everybody has, and the master's own, which is no evidence.
    """
    known, sharing = {shape(source) for source in given}, defaultdict(list)
    for one in ordered(results):
        for task in one.tasks:
            sharing[task["task"], shape(str(task["source"]))].append(one.student)
    found = defaultdict(list)
    for (task, code), students in sharing.items():
        if code and code not in known and 1 < len(students) <= SEVERAL:
            found[tuple(students)].append(task)
    rows = [["; ".join(map(plain, students)), len(tasks), " ".join(tasks)] for students, tasks in found.items()]
    return written(["students", "tasks", "which"], sorted(rows, key=lambda row: -row[1]))


def shape(source: str) -> str:
    """Return what is left of code without its comments, docstrings and choice of names; "" if nothing is, or it does not parse."""
    names: dict[str, str] = {}
    try:
        tree = ast.parse(source)
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and ast.get_docstring(node) is not None:
                del node.body[0]
            for field in ("id", "arg"):
                if isinstance(name := getattr(node, field, None), str):
                    setattr(node, field, names.setdefault(name, str(len(names))))
        return ast.dump(tree) if tree.body else ""
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""


def ordered(results: Sequence[Result]) -> list[Result]:
    return sorted(results, key=lambda one: one.student.casefold())


def written(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([head, *rows])
    return text.getvalue()


def plain(text: str) -> str:
    """Keep a spreadsheet from calculating what a student wrote."""
    text = " ".join(text.split())
    first = unicodedata.normalize("NFKC", text[:1])  # wide signs count, too
    return f"'{text}" if first and first in "=+-@" else text
