"""A learning platform's own list of students, filled in: Canvas's gradebook, Moodle's grading worksheet, or a table of names."""

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

from course.reports import comment, plain, written
from course.score import Result
from course.submissions import Handed

NUMBERS = ("ID", "id", "Identifier")  # 101 in Canvas, Participant 101 in Moodle
NAMES = ("Student", "student", "Full name", "SIS Login ID", "Email address")
GRADES, COMMENTS = ("Grade", "grade"), "Feedback comments"


class Roster:
    """The rows of a list of students, and which of them handed something in."""

    def __init__(self, path: Path, name: str, handed: Sequence[Handed]) -> None:
        """Read the list for a set; raise ValueError if it has no column with students."""
        with path.open(encoding="utf-8-sig", newline="") as file:
            table = csv.DictReader(file, restval="")
            self.rows, self.columns = list(table), list(table.fieldnames or ())
        if not {*NUMBERS, *NAMES} & {*self.columns}:
            raise ValueError(f"ROSTER={str(path)!r} has the columns {self.columns}; one of {', '.join(NUMBERS + NAMES)} is needed")
        self.grade = next((column for column in self.columns if column in GRADES or column.startswith(name)), name)
        self.found: dict[str, dict[str, str]] = {}
        for one in handed:
            fitting = [row for row in self.rows if (one.number or one.student.casefold()) in keys(row, bool(one.number))]
            if len(fitting) == 1:  # a name that two have is nobody's
                self.found[one.student] = fitting[0]

    def absent(self) -> list[Handed]:
        """List who handed in nothing; where students have numbers, a row without one is of none."""
        left = [row for row in self.rows if not any(row is one for one in self.found.values())]
        people = [(keys(row, True), [row[name] for name in NAMES if row.get(name)]) for row in left]
        names = ["_".join(name[:1] + number) for number, name in people if number or not {*NUMBERS} & {*self.columns}]
        return [Handed(name, None, "nothing handed in", "on the roster, and nothing in the folder") for name in names]

    def filled(self, results: Iterable[Result]) -> str:
        """Return the list with the grades of who handed something in; all else stays as it is."""
        for result in results:
            if row := self.found.get(result.student):
                row[self.grade] = f"{result.total:g}"
                if COMMENTS in row:
                    row[COMMENTS] = plain(comment(result))
        columns = list(dict.fromkeys([*self.columns, self.grade]))
        return written(columns, [[row.get(column, "") for column in columns] for row in self.rows])


def keys(row: dict[str, str], numbers: bool) -> list[str]:
    """Return the number of a row, the last word of its cell, or the names."""
    if numbers:
        return [word for name in NUMBERS for word in row.get(name, "").split()[-1:]]
    return [row.get(name, "").casefold() for name in NAMES]
