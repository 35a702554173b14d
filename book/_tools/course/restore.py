"""Put a submission in order: the student's answers, and everything else as the master has it."""

import copy
import json
from collections import Counter
from collections.abc import Sequence

import nbformat
from nbformat import NotebookNode

from course.release import GRADED, RELEASED, converted
from course.runner import Cell
from course.sets import SETUP, kind, mark, tasks, with_seed


class Original:
    """A set as it was released, and with its hidden tests, from which submissions are restored."""

    def __init__(self, master: NotebookNode, name: str) -> None:
        """Keep the marked cells of a checked master, by their grade ids."""
        self.name = name
        self.tasks = tasks(master)
        graded = converted(master, GRADED)
        self.marked = {mark(cell)["grade_id"]: cell for cell in graded.cells if mark(cell)}
        released = converted(graded, RELEASED).cells
        self.released = {mark(cell)["grade_id"]: cell.source for cell in released if mark(cell)}
        self.texts = {cell.source.strip() for cell in released if cell.cell_type == "markdown"}

    def fresh(self, name: str) -> NotebookNode:
        return copy.deepcopy(self.marked[name])


def parsed(text: str) -> NotebookNode:
    """Read what was handed in; raise ValueError if it is no notebook that can be run."""
    try:
        content = json.loads(text)
        if not isinstance(content, dict):
            raise ValueError(f"its content is a {type(content).__name__}")
        notebook = nbformat.from_dict(content)
        if notebook.get("nbformat") != 4:
            notebook = nbformat.convert(notebook, 4)
        for number, cell in enumerate(notebook.cells):
            source = cell.source if isinstance(cell.source, str) else "".join(cell.source)
            cell["source"] = source.replace("\r\n", "\n")
            if cell.cell_type not in ("code", "markdown", "raw") or not isinstance(cell.get("metadata", {}), dict):
                raise ValueError(f"cell {number} is none of code, markdown and raw, or its metadata is odd")
            cell.setdefault("metadata", nbformat.NotebookNode())
        notebook.metadata = notebook.get("metadata", {})
        return notebook
    except RecursionError as error:
        raise ValueError("is nested too deeply") from error
    except Exception as error:  # whatever is missing or of another type
        raise ValueError(f"is not a notebook: {type(error).__name__}: {str(error)[:200]}") from error


def names(notebook: NotebookNode, known: Sequence[str]) -> list[str]:
    """Say for each cell which of the known grade ids it carries, or "".

    Where an editor dropped nbgrader's marks, the cell's own id tells: they are equal in what is released.
    """
    found = []
    for cell in notebook.cells:
        mine = [mark(cell).get("grade_id"), cell.get("id"), cell.metadata.get("id")]
        found.append(next((name for name in mine if isinstance(name, str) and name in known), ""))
    return found


def restored(submission: NotebookNode, original: Original) -> tuple[NotebookNode, list[str]]:
    """Return the notebook that is run for a submission, with every cell of the set, and remarks on what was missing or changed."""
    found, remarks = names(submission, list(original.marked)), []
    times = Counter(found)
    answers = [task.answer for task in original.tasks]
    last = {name: index for index, name in enumerate(found) if name}
    cells = [original.fresh(SETUP)]
    taken = set()
    for index, (cell, name) in enumerate(zip(submission.cells, found, strict=True)):
        if name and times[name] > 1 and name not in taken:
            remarks.append(f"the grade id {name!r} is on {times[name]} cells")
        if name and name not in answers:
            remarks += [changed for changed in changes(cell, name, original) if changed not in remarks]
        if name in answers and name not in taken:
            kept = original.fresh(name)
            kept.source = cell.source
            cells.append(kept)
        elif name not in original.marked or name in answers:  # a second answer runs as an ordinary cell
            cells.append(nbformat.NotebookNode(cell | {"metadata": nbformat.NotebookNode()}))
        elif name != SETUP and last[name] == index:
            cells.append(original.fresh(name))
        taken.add(name)
    for name in reversed(original.marked):
        if name not in taken:
            remarks.append(f"the cell {name!r} is missing" + ("" if name in answers else "; the original was put back"))
            if name not in (*answers, SETUP):
                cells.insert(place(name, cells, original), original.fresh(name))
    for number, cell in enumerate(cells):  # ids that are surely valid and unique, and nothing that is not needed
        made = nbformat.v4.new_code_cell if cell.cell_type == "code" else nbformat.v4.new_markdown_cell
        cells[number] = made(cell.source, id=f"cell-{number}", metadata=cell.metadata)
    return nbformat.v4.new_notebook(cells=cells), remarks


def place(name: str, cells: Sequence[NotebookNode], original: Original) -> int:
    """Say where a missing cell goes: a test to the end, given code before the first cell that follows it in the set."""
    if kind(original.marked[name]) == "test":
        return len(cells)
    order = list(original.marked)
    later = order[order.index(name) + 1 :]
    return next((index for index, cell in enumerate(cells) if mark(cell).get("grade_id") in later), len(cells))


def changes(cell: NotebookNode, name: str, original: Original) -> list[str]:
    """Say what a student changed in a cell that is not theirs."""
    told = []
    if cell.source.rstrip() != original.released[name].rstrip():
        told.append(f"the cell {name!r} was changed; the original was used")
    wanted = mark(original.marked[name]).get("points")
    if mark(cell) and mark(cell).get("points") != wanted:
        told.append(f"the points of {name!r} were changed; the original was used")
    return told


def code(notebook: NotebookNode, seed: int) -> list[Cell]:
    """List the code cells of a restored notebook, with the seed in the set-up cell."""
    cells = []
    for number, cell in enumerate(notebook.cells):
        if cell.cell_type == "code":
            name = mark(cell).get("grade_id", f"number {number + 1}")
            setup = name == SETUP
            cells.append(Cell(name, with_seed(cell.source, seed) if setup else cell.source, "setup" if setup else kind(cell)))
    return cells
