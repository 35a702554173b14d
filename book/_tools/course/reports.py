"""What comes of a batch: a small page for each student, with the score and what each test said, and one table, as CSV."""

import csv
import html
import io
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from string import Template

from course.score import Result

PAGE = Template(Path(__file__).with_name("feedback.html").read_text("utf-8"))
TASK = """\
<h2>{title} <code>{task}</code>: {score:g} of {points:g}</h2>
<p>{said}</p>
{source}"""


def page(result: Result, name: str) -> str:
    remarks = "".join(f"<li>{html.escape(remark)}</li>\n" for remark in result.remarks)
    return PAGE.substitute(
        title=html.escape(f"{result.student}, {name}"), total=f"{result.total:g}", status=html.escape(result.status),
        most=f"{sum(task['points'] for task in result.tasks):g}", remarks=f"<ul>\n{remarks}</ul>" if remarks else "",
        tasks="\n".join(map(part, result.tasks)))


def part(task: dict[str, object]) -> str:
    source = str(task["source"])
    shown = f"<details><summary>Your answer</summary><pre>{html.escape(source)}</pre></details>" if source else ""
    said = html.escape(str(task["said"] or "Passed."))
    names = {key: html.escape(str(task.get(key, ""))) for key in ("task", "title")}
    return TASK.format(**names, score=task["score"], points=task["points"], said=said, source=shown)


def table(results: Sequence[Result], name: str) -> str:
    """Return the text of the table: a row for each student, a column for each task."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    tasks = [task["task"] for task in results[0].tasks] if results else []
    writer.writerow(["student", "set", *tasks, "total", "status", "remark"])
    for result in sorted(results, key=lambda one: one.student.casefold()):
        scores = [f"{task['score']:g}" for task in result.tasks]
        remarks = plain("; ".join(result.remarks))
        writer.writerow([plain(result.student), name, *scores, f"{result.total:g}", result.status, remarks])
    return text.getvalue()


def plain(text: str) -> str:
    """Keep a spreadsheet from calculating what a student wrote."""
    text = " ".join(text.split())
    first = unicodedata.normalize("NFKC", text[:1])  # wide signs count, too
    return f"'{text}" if first and first in "=+-@" else text
