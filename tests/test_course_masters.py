"""Masters are checked with errors that name the cell, and become students' versions without solutions and hidden tests."""

import copy
import json
from collections.abc import Callable

import nbformat
import pytest

import make_assignments
import set_repository
from course.check import complaints
from course.release import checked, converted, solved, student_text
from tests import small_course as small

FAULTS: dict[str, tuple[Callable[[nbformat.NotebookNode], object], str]] = {
    "points": (lambda nb: small.points(nb, "test-split", 7), "points sum to 19, not to 20"),
    "no points": (lambda nb: small.points(nb, "test-split", 0), "cell 'test-split' has points=0; it has to be a positive number"),
    "twice": (lambda nb: nb.cells.append(copy.deepcopy(nb.cells[0])), "cell id 'title' is used 2 times"),
    "grade id": (lambda nb: small.mark(nb, "split", grade_id="other"), "cell 'split' has the grade id 'other': make them equal"),
    "output": (lambda nb: small.cell(nb, "split").update(execution_count=3), "cell 'split' has a stored output or count"),
    "no seed": (lambda nb: small.write(nb, "setup", "import numpy as np"), "cell 'setup' has 0 lines such as 'SEED = 2026'"),
    "no setup": (lambda nb: nb.cells.pop(1), "the first code cell has to be the set-up cell"),
    "schema": (lambda nb: small.mark(nb, "split", schema_version=2), "cell 'split' needs schema_version 3"),
    "locked": (lambda nb: small.mark(nb, "split", locked=True), "cell 'split' (answer) has grade, solution, locked ="),
    "no test": (lambda nb: nb.cells.pop(), "cell 'split' has no test 'test-split' after it"),
    "wrong test": (lambda nb: nb.cells.reverse(), "cell 'test-split' tests no answer"),
    "in between": (lambda nb: nb.cells.insert(4, nbformat.v4.new_code_cell("x = 1", id="x")), "'laplace' has to be followed"),
    "open region": (lambda nb: small.swap(nb, "split", "### END SOLUTION", ""), "'split' has the markers ['BEGIN'] of"),
    "no region": (lambda nb: small.write(nb, "test-split", "assert True"), "cell 'test-split' has the markers [] of HIDDEN TESTS"),
    "odd marker": (lambda nb: small.swap(nb, "split", "### BEGIN SOLUTION", "# BEGIN SOLUTION x"), "of SOLUTION; it has to have"),
    "outside": (lambda nb: small.swap(nb, "setup", "SEED", "### BEGIN SOLUTION\n### END SOLUTION\nSEED"), "it has to have none"),
    "syntax": (lambda nb: small.swap(nb, "split", "return [", "return (["), "cell 'split' is not Python: line 4"),
    "rates": (lambda nb: small.swap(nb, "test-laplace", "at most 1e-8", "at most 1e-5"), "sum to 1e-05; allowed is 1e-06"),
    "title": (lambda nb: small.write(nb, "title", "no title"), "has no title"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_named(fault):
    change, message = FAULTS[fault]
    master = small.master()
    assert complaints(master) == []
    change(master)
    assert any(message in found for found in complaints(master)), complaints(master)


def test_all_faults_are_told_at_once_and_nothing_is_released(tmp_path, capsys):
    master = small.master()
    small.points(master, "test-split", 7)
    small.write(master, "title", "no title")
    (tmp_path / "9_small.ipynb").write_text(small.text(master), "utf-8")
    (tmp_path / "8_broken.ipynb").write_text("{", "utf-8")
    with pytest.raises(ValueError, match=r"(?s)9_small\.ipynb cannot be released:.*no title.*points sum to 19"):
        checked(tmp_path / "9_small.ipynb")
    assert make_assignments.main(["--masters", str(tmp_path)]) == 1
    assert "8_broken.ipynb is not a notebook" in capsys.readouterr().out


def test_students_get_no_solution_and_no_hidden_test():
    text = student_text(small.master(), "https://github.com/somebody/a-fork")
    assert text == student_text(small.master(), "https://github.com/somebody/a-fork") != student_text(small.master(), "")
    student, master = small.loaded(text), small.master()
    nbformat.validate(student)
    title, *rest = [cell.id for cell in master.cells]
    assert [cell.id for cell in student.cells] == [title, set_repository.SETUP_CELL, *rest]
    assert "SOLUTION" not in text and "HIDDEN" not in text and "laplace(scale" not in text and "kstest" not in text
    assert "raise NotImplementedError()" in small.cell(student, "split").source
    assert small.cell(student, "test-split").source == small.TEST_SPLIT.split("\n### BEGIN")[0]
    assert small.cell(student, "test-split").metadata.editable is False


def test_a_solution_is_stored_with_its_outputs():
    master = small.answered(small.master(), {"split": small.SPLIT + "\nprint(split(1.0, 2))"})
    before = json.dumps(master)
    solution = solved(master)
    assert json.dumps(master) == before and json.dumps(converted(master, ())) == before
    assert small.cell(solution, "split").outputs[0].text == "[0.5, 0.5]\n"
