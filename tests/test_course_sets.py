"""Every set of the course: its student version, its solution, and submissions of five kinds with their scores."""

import functools
import json
import re
from dataclasses import replace

import pytest

from checkout import NOTEBOOKS
from course.release import checked, student_text
from course.restore import Original, parsed
from course.runner import Cell
from course.score import graded
from course.sets import ASSIGNMENTS, POINTS, kind, masters, tasks
from rehearse import STORED, played, rehearsal, score, until
from set_repository import SETUP_CELL, address
from tests import small_course as small

SETS = masters()
FIXES = """
get_ipython().ast_transformers.append(None)
class Yes:
    def __getattr__(self, name): return Yes()
    def __call__(self, *_, **__): return Yes()
np = stats = bdp = Yes()
"""

every_set = pytest.mark.parametrize("path", SETS, ids=lambda path: path.stem)
ready = functools.cache(rehearsal)


@functools.cache
def original(path):
    return Original(checked(path), path.stem)


def grade(path, answers, seed=5):
    submission = answers if "cells" in answers else small.answered(student(path), answers)
    return graded(parsed(json.dumps(submission)), original(path), seed, small.limits())


def student(path):
    return small.loaded((ASSIGNMENTS / path.name).read_text("utf-8"))


def solution(path):
    return {cell.name: cell.source for cell in ready(path).cells if cell.kind == "answer"}


def failed(said):
    return {name: what for name, what in said.items() if what}


@every_set
def test_the_student_version_is_the_master_without_solutions(path):
    master, stored = checked(path), (ASSIGNMENTS / path.name).read_text("utf-8")
    assert stored == student_text(master, address()), "run make assignments"
    assert not re.search(r"(BEGIN|END) (SOLUTION|HIDDEN)", stored)
    left = [cell for cell in student(path).cells if cell.id != SETUP_CELL]
    for cell, whole in zip(left, master.cells, strict=True):
        assert cell.id == whole.id
        if kind(cell) == "answer":
            assert "raise NotImplementedError" in cell.source
        elif kind(cell) == "test":
            assert cell.source.rstrip() == re.sub(r"(?s)### BEGIN HIDDEN.*?### END HIDDEN TESTS", "", whole.source).rstrip()
            assert "assert" in cell.source, f"{cell.id} shows students no test"
        else:
            assert cell.source == whole.source


@every_set
def test_code_fits_a_notebook_and_hidden_tests_draw_their_own_randomness(path):
    """A number after the seed that a visible test uses would let an answer that was read off pass."""
    assert not [line for cell in ready(path).cells for line in cell.source.split("\n") if len(line) > 80]
    for cell in (cell for cell in checked(path).cells if kind(cell) == "test"):
        parts = cell.source.split("### BEGIN HIDDEN TESTS")
        shown, hidden = (set(re.findall(r"\[SEED, ?([^\]]+)\]", part)) for part in parts)
        assert not shown & hidden, f"{cell.id}: {shown & hidden}"


@every_set
def test_perfect_empty_and_partly_right_submissions(path):
    perfect, empty = grade(path, solution(path), seed=19), grade(path, {})
    assert (perfect.total, perfect.remarks, empty.total, empty.remarks) == (POINTS, [], 0, []), perfect.tasks
    assert all(task["title"] for task in perfect.tasks)
    expected = ready(path)
    assert 0 < score(ready(path), 5, expected.partly) == expected.partly_points < POINTS


@every_set
def test_a_hard_coded_submission(path):
    expected = ready(path)
    result = grade(path, expected.hard_coded)
    assert result.total == expected.hard_coded_points <= POINTS / 4, result.tasks
    code = [cell for cell in student(path).cells if cell.cell_type == "code" and cell.id != SETUP_CELL]
    assert failed(played([Cell(cell.id, cell.source, cell.id) for cell in code], 2026, expected.hard_coded)) == {}


@every_set
def test_a_tampering_submission(path):
    """Its tests are replaced, worth more and there twice; and what they use is replaced."""
    tampered = student(path)
    for cell in list(tampered.cells):
        if kind(cell) == "test":
            cell.source = "pass"
            cell.metadata.nbgrader.points = 100
            tampered.cells.append(json.loads(json.dumps(cell)) | {"id": f"{cell.id}-again"})
    first = small.cell(tampered, tasks(checked(path))[0].answer)
    first.source += FIXES
    result = grade(path, tampered)
    assert result.total == 0 and sum(task["points"] for task in result.tasks) == POINTS
    assert any("was changed; the original was used" in remark for remark in result.remarks)


@every_set
def test_the_power_of_its_tests_is_stored(path):
    """As `make rehearsal` measured it: the solution always passed, and every mistake of the plan has its row."""
    stored = json.loads(STORED.read_text("utf-8"))
    (passed,) = [row for row in stored["solutions"] if row["set"] == path.stem]
    assert passed["passed"] == passed["seeds"] >= 100
    mine = [row for row in stored["mistakes"] if row["set"] == path.stem]
    wanted = [(one.name, one.belief, one.test) for one in ready(path).mistakes]
    assert [(row["mistake"], row["belief"], row["test"]) for row in mine] == wanted, "run make rehearsal"
    assert len(mine) >= 6 and all(row["seeds"] >= 100 for row in mine)


@pytest.mark.parametrize(("number", "test"), [(2, "test-eliminate"), (3, "test-dpe")])
def test_rounding_breaks_no_tie_of_regrets(number, test):
    """Another machine sums the package's regrets in another order: they are off by 1e-13, and the solution passes all the same."""
    old = until(ready(SETS[number]), test)
    cells = [replace(cell, source=cell.source.replace(".regret[:, -1]", ".regret[:, -1] * (1 + 1e-13)")) for cell in old]
    assert [cell.name for cell, before in zip(cells, old, strict=True) if cell != before] == [test]
    assert played(cells, 1)[test] == ""


def test_rounding_drops_no_leader():
    """Assignment 4: the leader's estimate computed by itself may be off from the same one among all others."""
    path = SETS[3]
    others = solution(path)["dpe"].replace("values.max() - values", "actions[active[values.argmax()]] @ theta - values")
    assert others != solution(path)["dpe"]
    assert played(until(ready(path), "test-dpe"), 1, {"dpe": others})["test-dpe"] == ""


@every_set
def test_its_links_lead_to_something(path):
    texts = "\n".join(cell.source for cell in student(path).cells if cell.cell_type == "markdown")
    for file in re.findall(r"\]\(([^)\s#]+)", texts):
        assert file.startswith("https://") or (ASSIGNMENTS / file).is_file(), file


def test_sets_have_masters_and_are_no_chapters():
    assert [path.name for path in sorted(ASSIGNMENTS.glob("*.ipynb"))] == [path.name for path in SETS]
    assert not {path.name for path in NOTEBOOKS.glob("*.ipynb")} & {path.name for path in SETS}
