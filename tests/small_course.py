"""A master of two tasks, for tests of the course's machinery, and what is handed in for it."""

import copy
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

import get_sandbox
from course.processes import Limits

SETUP = "import numpy as np\nfrom scipy import stats\n\nimport bandits_dp as bdp\n\nSEED = 2026"
LAPLACE = """\
def noisy(values, epsilon, rng):
    \"\"\"Add Laplace noise to values of sensitivity one.\"\"\"
    ### BEGIN SOLUTION
    return values + rng.laplace(scale=1 / epsilon, size=len(values))
    ### END SOLUTION"""
TEST_LAPLACE = """\
rng = np.random.default_rng([SEED, 1])
assert len(noisy(np.zeros(3), 1.0, rng)) == 3, "one value for each that is given"
### BEGIN HIDDEN TESTS
draws = noisy(np.zeros(20_000), 0.5, np.random.default_rng([SEED, 2]))
assert np.ptp(draws) > 0, "there is no noise"
# false fail at most 1e-8
p = stats.kstest(draws, stats.laplace(scale=2).cdf).pvalue
assert p > 1e-8, "the noise is not Laplace(1/epsilon): is the scale inverted?"
### END HIDDEN TESTS"""
SPLIT = """\
def split(epsilon, parts):
    \"\"\"Share epsilon equally.\"\"\"
    ### BEGIN SOLUTION
    return [epsilon / parts] * parts
    ### END SOLUTION"""
TEST_SPLIT = """\
assert np.allclose(split(1.0, 2), [0.5, 0.5]), "two halves"
### BEGIN HIDDEN TESTS
assert np.isclose(sum(split(1.2, 5)), 1.2), "the shares sum to the whole"
assert len(split(1.2, 5)) == 5, "as many as parts"
### END HIDDEN TESTS"""


def marks(name: str, grade: bool = False, solution: bool = False, **more: float) -> dict:
    flags = {"grade": grade, "solution": solution, "locked": not solution, "task": False}
    return {"nbgrader": flags | {"schema_version": 3, "grade_id": name, "cell_type": "code"} | more}


def master() -> nbformat.NotebookNode:
    cells = [new_markdown_cell("# Set 9. A small set\n\nTwo tasks.", id="title")]
    cells += [new_code_cell(SETUP, id="setup", metadata=marks("setup"))]
    for name, answer, test, points in (("laplace", LAPLACE, TEST_LAPLACE, 12), ("split", SPLIT, TEST_SPLIT, 8)):
        cells += [new_markdown_cell(f"## Task: {name}", id=f"text-{name}")]
        cells += [new_code_cell(answer, id=name, metadata=marks(name, solution=True))]
        cells += [new_code_cell(test, id=f"test-{name}", metadata=marks(f"test-{name}", grade=True, points=points))]
    kernel = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
    return new_notebook(cells=cells, metadata={"kernelspec": kernel})


def text(notebook: nbformat.NotebookNode) -> str:
    return nbformat.writes(notebook) + "\n"


def cell(notebook: nbformat.NotebookNode, name: str) -> nbformat.NotebookNode:
    return next(one for one in notebook.cells if one.id == name)


def answered(notebook: nbformat.NotebookNode, answers: dict[str, str]) -> nbformat.NotebookNode:
    notebook = copy.deepcopy(notebook)
    for name, source in answers.items():
        cell(notebook, name).source = source
    return notebook


def loaded(stored: str) -> nbformat.NotebookNode:
    return nbformat.reads(stored, as_version=4)


def write(notebook: nbformat.NotebookNode, name: str, source: str) -> None:
    cell(notebook, name).source = source


def swap(notebook: nbformat.NotebookNode, name: str, old: str, new: str) -> None:
    assert old in cell(notebook, name).source
    write(notebook, name, cell(notebook, name).source.replace(old, new))


def mark(notebook: nbformat.NotebookNode, name: str, **values: object) -> None:
    cell(notebook, name).metadata.nbgrader.update(values)


def points(notebook: nbformat.NotebookNode, name: str, value: float) -> None:
    mark(notebook, name, points=value)


def limits(**told: Any) -> Limits:
    """Make limits, with a sandbox if there is one here."""
    return Limits(**told, sandbox=not get_sandbox.settle())


def sandbox() -> list[str]:
    return ["--sandbox", "none" if get_sandbox.settle() else "bwrap"]


def running(word: str) -> bool:
    """Say whether a process, in a sandbox or not, was started with a word."""
    if not Path("/proc/self").exists():
        return word in subprocess.run(["ps", "-axww", "-o", "args"], capture_output=True, text=True, timeout=60, check=True).stdout
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if word.encode() in process.read_bytes().split(b"\0"):
                return True
        except OSError:
            continue
    return False


def wait_for(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.1)
