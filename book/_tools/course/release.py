"""From a master notebook: the students' version, and the solution with its outputs."""

import json
import tempfile
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbgrader.preprocessors import CheckCellMetadata, ClearHiddenTests, ClearOutput, ClearSolutions, ComputeChecksums, LockCells

from course.check import complaints
from course.sets import read
from run_notebooks import execute, normalise
from set_repository import with_setup

# Before its hidden tests go a master is what is graded, and after that it is what students get: nbgrader's own two halves.
GRADED = (LockCells, ClearSolutions, ClearOutput, CheckCellMetadata, ComputeChecksums)
RELEASED = (ClearHiddenTests, ComputeChecksums, CheckCellMetadata)


def checked(path: Path) -> NotebookNode:
    """Read a master; raise ValueError with all that is wrong with it."""
    try:
        master = read(path)
    except ValueError as error:
        raise ValueError(f"{path.name} is not a notebook: {error}") from error
    if found := complaints(master):
        raise ValueError("\n  ".join([f"{path.name} cannot be released:", *found]))
    return master


def converted(notebook: NotebookNode, steps: tuple[type, ...]) -> NotebookNode:
    """Return a copy of a notebook after some of nbgrader's preprocessors."""
    notebook, resources = nbformat.from_dict(json.loads(json.dumps(notebook))), {}
    for step in steps:
        notebook, resources = step().preprocess(notebook, resources)
    return notebook


def student_text(master: NotebookNode, url: str) -> str:
    """Return the file that students get: the master without solutions and hidden tests."""
    notebook = converted(master, GRADED + RELEASED)
    notebook.metadata = {key: notebook.metadata[key] for key in ("kernelspec", "language_info") if key in notebook.metadata}
    return str(nbformat.writes(with_setup(notebook, url))) + "\n"


def solved(master: NotebookNode) -> NotebookNode:
    """Run a master in a kernel of its own and return it with its outputs; raise CellExecutionError if a cell fails."""
    notebook = converted(master, ())
    with tempfile.TemporaryDirectory() as folder:  # for what it may write
        execute(notebook, Path(folder))
    normalise(notebook)
    return notebook
