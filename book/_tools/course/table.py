"""The table of a batch, as CSV: a row for each student, a column for each task."""

import csv
import io
import unicodedata
from collections.abc import Sequence

from course.score import Result


def table(results: Sequence[Result], name: str) -> str:
    """Return the text of the table."""
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
