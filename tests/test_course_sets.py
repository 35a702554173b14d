"""Every set of the course: its student version, its solution under five seeds, and submissions of seven kinds with their scores."""

import functools
import json
import re
from dataclasses import replace

import numpy as np
import pytest

from checkout import NOTEBOOKS
from course import power
from course.processes import Limits
from course.rehearsal import played, rehearsal, until
from course.release import checked, student_text
from course.restore import Original, parsed
from course.runner import Cell
from course.score import graded
from course.sets import ASSIGNMENTS, POINTS, is_answer, is_test, masters, tasks
from set_repository import SETUP_CELL, address
from tests import small_course as small

SETS = masters()
SHORT = Limits(cell=3)  # for submissions of which nothing but the endless cell takes time
KILLS = "import os\nos._exit(1)"
WAITS = "import time\nwhile True:\n    time.sleep(1)"
FIXES = """
get_ipython().ast_transformers.append(None)
class Yes:
    def __getattr__(self, name): return Yes()
    def __call__(self, *_, **__): return Yes()
np = stats = bdp = Yes()
"""

every_set = pytest.mark.parametrize("path", SETS, ids=lambda path: path.stem)


@functools.cache
def ready(path):
    return rehearsal(path)


@pytest.fixture(scope="module")
def grade():
    """Grade a submission as it would be read from a file."""
    originals = {}

    def grade_one(path, submission, seed=5, limits=Limits()):  # noqa: B008
        if path not in originals:
            originals[path] = Original(checked(path), path.stem)
        return graded(parsed(json.dumps(submission)), originals[path], seed, limits)

    return grade_one


def student(path):
    return small.loaded((ASSIGNMENTS / path.name).read_text("utf-8"))


def solution(path):
    return {cell.name: cell.source for cell in ready(path).cells if cell.kind == "answer"}


def submitted(path, answers):
    return small.answered(student(path), answers)


def test_every_student_version_has_a_master():
    assert [path.name for path in sorted(ASSIGNMENTS.glob("*.ipynb"))] == [path.name for path in SETS]


@every_set
def test_the_student_version_is_the_master_without_solutions(path):
    master, stored = checked(path), (ASSIGNMENTS / path.name).read_text("utf-8")
    assert stored == student_text(master, address()), "run make assignments"
    assert not re.search(r"(BEGIN|END) (SOLUTION|HIDDEN)", stored)
    left = [cell for cell in student(path).cells if cell.id != SETUP_CELL]
    for cell, whole in zip(left, master.cells, strict=True):
        assert cell.id == whole.id
        if is_answer(cell):
            assert "raise NotImplementedError" in cell.source
        elif is_test(cell):
            assert cell.source.rstrip() == re.sub(r"(?s)### BEGIN HIDDEN.*?### END HIDDEN TESTS", "", whole.source).rstrip()
            assert "assert" in cell.source, f"{cell.id} shows students no test"
        else:
            assert cell.source == whole.source


@every_set
def test_lines_of_code_fit_a_notebook(path):
    assert not [line for cell in ready(path).cells for line in cell.source.split("\n") if len(line) > 80]


@every_set
def test_hidden_tests_draw_their_own_randomness(path):
    """A number after the seed that a visible test uses would let an answer that was read off pass."""
    for cell in checked(path).cells:
        if is_test(cell):
            shown, hidden = cell.source.split("### BEGIN HIDDEN TESTS")[0], cell.source.split("### BEGIN HIDDEN TESTS")[1]
            used = [set(re.findall(r"\[SEED, ?([^\]]+)\]", part)) for part in (shown, hidden)]
            assert not used[0] & used[1], f"{cell.id}: {used[0] & used[1]}"


@every_set
@pytest.mark.parametrize("seed", np.random.default_rng(14).integers(10**9, size=4).tolist())
def test_the_solution_passes(path, seed):
    said = played(ready(path).cells, seed)
    assert {name: what for name, what in said.items() if what} == {}


@every_set
def test_a_perfect_submission(path, grade):
    """With a fifth seed, and where submissions are run."""
    result = grade(path, submitted(path, solution(path)), seed=19)
    assert (result.total, result.remarks) == (POINTS, []), result.tasks


@every_set
def test_an_empty_submission(path, grade):
    result = grade(path, student(path))
    assert result.total == 0 and result.remarks == []


@every_set
def test_a_partly_right_submission(path, grade):
    expected = ready(path).plan
    result = grade(path, submitted(path, solution(path) | expected.partly))
    assert result.total == expected.partly_points, result.tasks
    assert 0 < result.total < POINTS


@every_set
def test_a_hard_coded_submission(path, grade):
    """It satisfies the visible tests, and nothing else."""
    expected = ready(path).plan
    result = grade(path, submitted(path, expected.hard_coded))
    assert result.total == expected.hard_coded_points <= POINTS / 4, result.tasks
    said = played(visible(path), 2026, expected.hard_coded)
    assert {name: what for name, what in said.items() if what} == {}


def visible(path):
    """List the code of the student version, as a rehearsal runs it."""
    code = [cell for cell in student(path).cells if cell.cell_type == "code" and cell.id != SETUP_CELL]
    return [Cell(cell.id, cell.source, cell.id) for cell in code]


@every_set
def test_a_crashing_submission(path, grade):
    """One answer ends its process, another raises; the others count."""
    first, second, *_ = tasks(checked(path))
    result = grade(path, submitted(path, {first.answer: KILLS, second.answer: "1 / 0"}))
    assert result.total == 0 and f"the cell {first.answer!r} ended its process" in result.remarks[0]
    assert "ZeroDivisionError" in result.tasks[1]["said"]


@every_set
def test_an_endless_submission(path, grade):
    last = tasks(checked(path))[-1]
    result = grade(path, submitted(path, {last.answer: WAITS}), limits=SHORT)
    assert result.total == 0 and f"the cell {last.answer!r} did not end within 3 s" in result.remarks[0]


@every_set
def test_a_tampering_submission(path, grade):
    """Its tests are replaced, worth more and there twice; and what they use is replaced."""
    tampered = submitted(path, {})
    for cell in list(tampered.cells):
        if is_test(cell):
            cell.source = "pass"
            cell.metadata.nbgrader.points = 100
            tampered.cells.append(json.loads(json.dumps(cell)) | {"id": f"{cell.id}-again"})
    first = tasks(checked(path))[0].answer
    small.write(tampered, first, small.cell(tampered, first).source + FIXES)
    result = grade(path, tampered)
    assert result.total == 0 and sum(task["points"] for task in result.tasks) == POINTS
    assert any("was changed; the original was used" in remark for remark in result.remarks)


@every_set
def test_the_power_of_its_tests_is_stored(path):
    """As `make rehearsal` measured it: the solution always passed, and every mistake of the plan has its row."""
    stored = json.loads(power.STORED.read_text("utf-8"))
    assert len(ready(path).plan.mistakes) >= 6
    (passed,) = [row for row in stored["solutions"] if row["set"] == path.stem]
    assert passed["passed"] == passed["seeds"] >= 100
    rows = [(row["mistake"], row["belief"], row["test"]) for row in stored["mistakes"] if row["set"] == path.stem]
    assert rows == [(one.name, one.belief, one.test) for one in ready(path).plan.mistakes], "run make rehearsal"
    assert all(row["seeds"] >= 100 for row in stored["mistakes"] if row["set"] == path.stem)


@pytest.mark.parametrize(("number", "test"), [("3", "test-eliminate"), ("4", "test-dpe")])
def test_rounding_breaks_no_tie_of_regrets(number, test):
    """Another machine sums the package's regrets in another order: they are off by 1e-13, and the solution passes all the same."""
    (path,) = [path for path in SETS if path.name.startswith(number)]
    cells = [replace(cell, source=cell.source.replace(".regret[:, -1]", ".regret[:, -1] * (1 + 1e-13)"))
             for cell in until(ready(path), test)]
    assert [cell.name for cell, old in zip(cells, until(ready(path), test), strict=True) if cell != old] == [test]
    assert played(cells, 1)[test] == ""


def test_rounding_drops_no_leader():
    """Assignment 4: the leader's estimate computed by itself may be off from the same one among all others."""
    path = SETS[3]
    others = solution(path)["dpe"].replace("values.max() - values", "actions[active[values.argmax()]] @ theta - values")
    assert others != solution(path)["dpe"]
    assert played(until(ready(path), "test-dpe"), 1, {"dpe": others})["test-dpe"] == ""


@every_set
def test_its_links_lead_to_something_from_the_student_version(path):
    for cell in student(path).cells:
        for file in re.findall(r"\]\(([^)\s#]+)", cell.source if cell.cell_type == "markdown" else ""):
            assert file.startswith("https://") or (ASSIGNMENTS / file).is_file(), f"{cell.id}: {file}"


def test_no_assignment_is_a_chapter():
    assert not {path.name for path in NOTEBOOKS.glob("*.ipynb")} & {path.name for path in SETS}


@functools.cache
def printed():
    """Return all runs of twelve words of the chapters' exercises, and of twenty of their code."""
    cells = [cell for path in NOTEBOOKS.glob("*.ipynb") for cell in small.loaded(path.read_text("utf-8")).cells]
    told = [in_runs(cell.source, 12) for cell in cells if '<a id="ex-' in cell.source]
    return set().union(*told), set().union(*(in_runs(cell.source, 20) for cell in cells if cell.cell_type == "code"))


def in_runs(text, length):
    """Return the runs of words of a text, without formulas and the addresses of links, as many of these are alike."""
    words = re.findall(r"\w+", re.sub(r"\$+[^$]*\$+|\]\([^)]*\)", " ", text.lower()))
    return {" ".join(words[i : i + length]) for i in range(len(words) - length + 1)}


@every_set
def test_no_task_repeats_an_exercise(path):
    """A copied exercise would share sentences or lines of its solution; that no *idea* is repeated was read, not computed."""
    exercises, code = printed()
    assert len(exercises) > 5000 and len(code) > 20_000
    assert not set().union(*(in_runs(cell.source, 12) for cell in student(path).cells if cell.cell_type == "markdown")) & exercises
    assert not set().union(*(in_runs(source, 20) for source in solution(path).values())) & code
