"""What a master notebook must be; every complaint names its cell."""

import ast
import copy
import math
import re
from collections import Counter
from collections.abc import Iterator

import nbformat
from nbformat import NotebookNode

from course.sets import GIVEN, POINTS, SEED_LINE, SETUP, TEST, kind, mark

FALSE_FAILS = 1e-6  # the most that all statistical checks of a set may cost a correct student, together
RATE = re.compile(r"# false fail at most (\d+(?:\.\d+)?(?:e-?\d+)?)")
REGIONS = {"SOLUTION": "answer", "HIDDEN TESTS": "test"}
KINDS = {"answer": (False, True, False), "test": (True, False, True), GIVEN: (False, False, True)}


def complaints(master: NotebookNode) -> list[str]:
    """List what is wrong with a master; empty if nothing is."""
    counted = Counter(cell.get("id") for cell in master.cells)
    if twice := [f"cell id {name!r} is used {times} times" for name, times in counted.items() if times > 1]:
        return twice
    try:
        nbformat.validate(copy.deepcopy(master))
    except nbformat.ValidationError as error:
        return [f"is not a valid notebook: {error}"]
    of_cells = (found for cell in master.cells for found in of_cell(cell))
    return [*title(master), *of_cells, *setup(master), *pairs(master), *tests(master)]


def title(master: NotebookNode) -> Iterator[str]:
    """Ask for a title in the first cell."""
    first = master.cells[0] if master.cells else None
    if not (first and first.cell_type == "markdown" and re.search(r"(?m)^# ", first.source)):
        yield "has no title: the first cell has to be Markdown with a line '# ...'"


def of_cell(cell: NotebookNode) -> Iterator[str]:
    """Ask a cell for no stored outputs, plain Python, nbgrader's marks of schema 3, and balanced regions where they belong."""
    name, what, found = cell.id, kind(cell), mark(cell)
    if cell.cell_type == "code":
        if cell.outputs or cell.execution_count is not None:
            yield f"cell {name!r} has a stored output or count: clear all outputs"
        try:
            ast.parse(cell.source)
        except SyntaxError as error:
            yield f"cell {name!r} is not Python: line {error.lineno}, {error.msg}"
    elif what:
        yield f"cell {name!r} ({what}) has to be a code cell"
    if what:
        if found.get("grade_id") != name:
            yield f"cell {name!r} has the grade id {found.get('grade_id')!r}: make them equal"
        flags = tuple(found.get(flag) for flag in ("grade", "solution", "locked"))
        if flags != KINDS[what]:
            yield f"cell {name!r} ({what}) has grade, solution, locked = {flags}; allowed is {KINDS[what]}"
        if found.get("schema_version") != 3 or found.get("task") is not False or found.get("cell_type") != cell.cell_type:
            yield f"cell {name!r} needs schema_version 3, task false and its cell_type in its nbgrader metadata"
    for region, where in REGIONS.items():
        markers = re.findall(rf"(?m)^\s*### (BEGIN|END) {region}[ \t]*$", cell.source)
        mentioned = len(re.findall(rf"(?:BEGIN|END) {region}", cell.source))
        balanced = markers == ["BEGIN", "END"] * (len(markers) // 2) and mentioned == len(markers)
        needed = what == where
        if not balanced or bool(markers) != needed:
            wanted = f"'### BEGIN {region}' and '### END {region}' by turns, in lines of their own" if needed else "none"
            yield f"cell {name!r} has the markers {markers} of {region}; it has to have {wanted}"


def setup(master: NotebookNode) -> Iterator[str]:
    """Ask for one set-up cell with the seed, before all other code."""
    first = next((cell for cell in master.cells if cell.cell_type == "code"), None)
    if not first or mark(first).get("grade_id") != SETUP:
        yield f"the first code cell has to be the set-up cell, with the grade id {SETUP!r}"
    elif (found := len(SEED_LINE.findall(first.source))) != 1:
        yield f"cell {SETUP!r} has {found} lines such as 'SEED = 2026' where one is expected"


def pairs(master: NotebookNode) -> Iterator[str]:
    """Ask that the next code after an answer is its test."""
    waiting = ""
    for cell in (cell for cell in master.cells if cell.cell_type == "code"):
        if waiting and cell.id != waiting:
            yield f"cell {waiting.removeprefix(TEST)!r} has to be followed by its test {waiting!r}, not by {cell.id!r}"
        elif kind(cell) == "test" and cell.id != waiting:
            yield f"cell {cell.id!r} tests no answer: the code before it has to be the answer {cell.id.removeprefix(TEST)!r}"
        waiting = TEST + cell.id if kind(cell) == "answer" else ""
    if waiting:
        yield f"cell {waiting.removeprefix(TEST)!r} has no test {waiting!r} after it"


def tests(master: NotebookNode) -> Iterator[str]:
    """Ask for positive points that sum to the same total in every set, and for rates of false fails that are small together."""
    found = [cell for cell in master.cells if kind(cell) == "test"]
    given = {cell.id: mark(cell).get("points") for cell in found}
    odd = {name: value for name, value in given.items() if not isinstance(value, (int, float)) or not value > 0}
    for name, value in odd.items():
        yield f"cell {name!r} has points={value!r}; it has to be a positive number"
    if not odd and not math.isclose(sum(given.values()), POINTS):
        yield f"points sum to {sum(given.values())}, not to {POINTS}"
    declared = math.fsum(float(rate) for cell in found for rate in RATE.findall(cell.source))
    if declared > FALSE_FAILS * (1 + 1e-9):
        yield f"the declared rates of false fails sum to {declared:.3g}; allowed is {FALSE_FAILS}"
