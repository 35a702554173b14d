"""What is graded is the student's answers and nothing else, and nothing that a submission does hurts anybody."""

import json
import os
import time

import pytest

import get_sandbox
from course.release import student_text
from course.restore import Original, parsed
from course.score import GRADED, STOPPED, Result, graded
from tests import small_course as small

SOLUTION = {"laplace": small.LAPLACE, "split": small.SPLIT}
SHORT = {"cell": 2, "total": 60}  # for cells that do not end; the others take milliseconds
STUDENT = small.loaded(student_text(small.master(), ""))


ORIGINAL = Original(small.master(), "9_small")


def grade(submission, **limits) -> Result:
    text = submission if isinstance(submission, str) else json.dumps(submission)
    return graded(parsed(text), ORIGINAL, seed=7, limits=small.limits(**limits), student="ada")


def scores(result):
    return {task["task"]: task["score"] for task in result.tasks}


def solved(**answers):
    return small.answered(STUDENT, SOLUTION | answers)


def test_scores_of_usual_submissions():
    result = grade(solved())
    assert (result.total, result.remarks, grade(STUDENT).total) == (20, [], 0)
    assert scores(grade(solved(laplace="def noisy(values, epsilon, rng):\n    return values"))) == {"laplace": 0, "split": 8}
    for wrong in ("def split(epsilon, parts):\n    return [0.5, 0.5]", "def split(:", "1 / 0"):
        assert scores(grade(solved(split=wrong))) == {"laplace": 12, "split": 0}
    told = "def split(epsilon, parts):\n    raise ValueError(SEED)"
    assert grade(solved(split=told)).tasks[1]["said"] == "ValueError: 7"


def test_what_a_cell_prints_warns_or_shows_costs_nothing():
    """Nor does 100 MB of it; nbgrader alone would take stderr for a failure, and a last number for points."""
    loud = "    warnings.warn('!')\n    print('!', file=sys.stderr)\n    print('x' * 10**8)\n    return"
    assert grade(solved(split="import sys, warnings\n" + small.SPLIT.replace("    return", loud) + "\n'x' * 10**8")).total == 20


OWN = "import tempfile, os; os.makedirs('my/own'); open('mine', 'w').close(); os.remove('mine'); tempfile.mkdtemp()"
MAY = "\n".join(("%matplotlib inline", "exit()", "await __import__('asyncio').sleep(0)", "%timeit -n1 -r1 0", "0;"))


@pytest.mark.parametrize("words", (MAY, OWN))
def test_a_cell_may_do_what_it_may_in_a_notebook_and_write_in_its_own_folder(words):
    result = grade(solved(split=f"{words}\n{small.SPLIT}"))
    assert result.total == 20 and (result.remarks == [] or words != OWN)


def test_cells_of_the_students_own_count_and_may_fail():
    mine = solved(split="split = helper")
    mine.cells.insert(1, small.new_code_cell("def helper(epsilon, parts):\n    return [epsilon / parts] * parts", id="mine"))
    mine.cells.insert(2, small.new_code_cell("1 / 0", id="mine-too"))
    assert grade(mine).total == 20


def test_tampering_gains_nothing():
    tampered = small.answered(STUDENT, {"test-laplace": "pass", "test-split": "pass", "setup": "SEED = 1"})
    small.points(tampered, "test-laplace", 100)
    small.mark(tampered, "test-split", grade=False, solution=True, locked=False)
    result = grade(tampered)
    assert result.total == 0 and sum(task["points"] for task in result.tasks) == 20
    assert "the points of 'test-laplace' were changed; the original was used" in result.remarks
    changed = {f"the cell '{name}' was changed; the original was used" for name in ("setup", "test-laplace", "test-split")}
    assert changed <= set(result.remarks)


REPLACING = """\
import builtins
from types import SimpleNamespace
def noisy(values, epsilon, rng): return values
def split(epsilon, parts): return [0.5, 0.5]
np.ptp = np.isclose = np.allclose = builtins.sum = lambda *_, **__: 3
stats.kstest = lambda *_: SimpleNamespace(pvalue=1)
np = stats = SimpleNamespace()
get_ipython().ast_transformers.append(None)
"""


def test_replacing_what_tests_rely_on_gains_nothing():
    result = grade(small.answered(STUDENT, {"laplace": REPLACING}))
    assert result.total == 0
    broken = grade(small.answered(STUDENT, {"laplace": "import builtins\nbuiltins.len = None"}))
    assert broken.total == 0
    assert any("had been replaced" in remark for remark in result.remarks)


FAKE = "lambda *_, **__: __import__('types').SimpleNamespace(pvalue=1, error_before_exec=None, error_in_exec=None)"
WRONG = "def noisy(values, epsilon, rng):\n    {}\n    return values + rng.random(len(values))\n"
TRICKS = {  # what is done while the test calls the answer (True) or before: the remark or the words of the test that tell
    "stats.kstest = FAKE": (True, "while the test ran, what it relies on was replaced: scipy.stats.kstest"),
    "import builtins; builtins.type = FAKE; raise ValueError": (True, "ValueError"),
    "globals()['stats'] = 3": (True, "the scale inverted"),
    "import builtins; stats.kstest = FAKE; builtins.setattr = FAKE": (False, "builtins.setattr had been replaced"),
    "stats._distn_infrastructure.rv_frozen.cdf = lambda self, x: np.clip(x, 0, 1)": (False, "rv_frozen.cdf had been replaced"),
    "stats.laplace.cdf = lambda x, *_, **__: np.clip(x, 0, 1)": (False, "laplace_gen.cdf had been replaced"),
    "stats.kstest.__code__ = (FAKE).__code__": (False, "the scale inverted"),
    "import sys; sys.modules['scipy.stats'] = 3": (False, "scipy.stats had been replaced"),
    "np.random = None": (False, "numpy.random had been replaced"),
    "get_ipython().input_transformers_cleanup.append(lambda lines: ['pass\\n'])": (False, "the scale inverted"),
    "get_ipython().run_cell = FAKE": (False, "the scale inverted"),
    "import course.runner; course.runner.outcome = lambda _: ''": (False, "the scale inverted"),
    "import json; json.dumps = lambda told, real=json.dumps: real(told | {'error': ''})": (False, "json.dumps had been replaced"),
}


@pytest.mark.parametrize("trick", TRICKS)
def test_tricks_gain_nothing(trick):
    called, told = TRICKS[trick]
    words = trick.replace("FAKE", FAKE)
    result = grade(solved(laplace=WRONG.format(words) if called else f"{WRONG.format('')}{words}"))
    assert scores(result)["laplace"] == 0
    assert told in result.tasks[0]["said"] + "; ".join(result.remarks)


SENDS = "import os\ndef noisy(values, epsilon, rng):\n    for place in range(3, 50):\n        "
SENDS += "try: os.write(place, {})\n        except OSError: pass\n    while True: pass"


@pytest.mark.parametrize(("message", "total"), [(r"b'\0\0\1\0'", 5), (r"b'\0\0\0\0013'", 60)])
def test_half_a_message_or_an_odd_one_does_not_keep_the_grader_waiting(message, total):
    assert grade(STUDENT).total == 0
    started = time.monotonic()
    assert scores(grade(solved(laplace=SENDS.format(message)), cell=2, total=total))["laplace"] == 0
    assert time.monotonic() - started < 90


def test_a_second_cell_with_a_grade_id_gains_nothing_and_is_named():
    twice = solved(split="def split(epsilon, parts):\n    return []")
    copied = json.loads(json.dumps(small.cell(twice, "test-split"))) | {"source": "pass", "id": "again"}
    twice.cells.append(copied)
    result = grade(twice)
    assert result.total == 12 and "the grade id 'test-split' is on 2 cells" in result.remarks
    answers = solved(split="def split(epsilon, parts):\n    return []")
    place = [cell.id for cell in answers.cells].index("test-split")
    answers.cells.insert(place, json.loads(json.dumps(small.cell(answers, "split"))) | {"source": small.SPLIT, "id": "copy"})
    assert grade(answers).total == 20  # as in the student's notebook, the later definition counts


def without(notebook, *names):
    notebook.cells = [cell for cell in notebook.cells if cell.id not in names]
    return notebook


def test_missing_cells():
    result = grade(without(solved(), "split"))
    assert scores(result) == {"laplace": 12, "split": 0} and result.remarks == ["the cell 'split' is missing"]
    result = grade(without(solved(), "test-split", "setup"))
    assert result.total == 20
    assert set(result.remarks) == {f"the cell '{name}' is missing; the original was put back" for name in ("setup", "test-split")}


def test_given_code_is_put_back():
    master = small.master()
    given = small.new_code_cell("def halve(x):\n    return x / 2", id="given", metadata=small.marks("given"))
    master.cells.insert(5, given)
    small.swap(master, "split", "[epsilon / parts]", "[2 * halve(epsilon) / parts]")
    release = Original(master, "9_given")
    student = small.loaded(student_text(master, ""))
    answers = SOLUTION | {"split": small.cell(master, "split").source}
    for change in (answers, answers | {"given": "halve = 3"}, answers | {"split": answers["split"] + "\nhalve = None"}):
        assert graded(small.answered(student, change), release, 7, small.limits()).total == 20
    gone = without(small.answered(student, answers), "given")
    assert graded(gone, release, 7, small.limits()).total == 20


def test_marks_that_an_editor_dropped_are_found_by_the_cells_ids():
    dropped = solved()
    for cell in dropped.cells:
        cell.metadata.pop("nbgrader", None)
    assert grade(dropped).total == 20
    for cell in dropped.cells:  # as Colab writes them
        cell.metadata["id"] = cell.pop("id")
    assert grade(dropped).total == 20


def test_odd_metadata_is_no_reason_to_stop():
    strange = json.loads(json.dumps(solved()))
    strange["cells"] += strange["cells"][:1] * 4
    for place, odd in enumerate([[], 3, {"grade_id": []}, {"grade_id": "split", "points": "many"}, "marks"]):
        strange["cells"][place and -place] = strange["cells"][0] | {"id": f"odd-{place}", "metadata": {"nbgrader": odd, "tags": 7}}
    assert grade(json.dumps(strange)).status == GRADED


STUBBORN = "while True:\n        try:\n            while True: pass\n        except BaseException: pass"


@pytest.mark.parametrize(
    ("act", "told"),
    [("__import__('os')._exit(0)", "ended its process"), (STUBBORN, "did not end within 2 s")],
)  # fmt: skip
def test_what_kills_its_process_or_does_not_end_costs_only_itself(act, told):
    result = grade(solved(laplace=f"def noisy(values, epsilon, rng):\n    {act}"), **SHORT)
    assert scores(result) == {"laplace": 0, "split": 8}
    assert f"the cell 'test-laplace' {told}" in result.remarks[0]


def test_time_in_all_is_limited_and_what_passed_counts():
    slow = solved(split="import time\ndef split(epsilon, parts):\n    time.sleep(100)")
    result = grade(slow, cell=50, total=3)
    assert result.status == STOPPED and scores(result) == {"laplace": 12, "split": 0}
    assert "stopped after 3 s in all, at the cell 'test-split'" in result.remarks


def test_memory_is_limited():
    pytest.importorskip("resource")
    greedy = "def split(epsilon, parts):\n    return len(bytearray(10**9)) * [0]"
    result = grade(solved(split=greedy), memory=500)
    assert scores(result) == {"laplace": 12, "split": 0} and "MemoryError" in result.tasks[1]["said"]


def test_nothing_that_it_started_survives():
    """Not even a program that the submission does not wait for; in a sandbox it may be of a session of its own."""
    word, boxed = f"60.{os.getpid()}", not get_sandbox.settle()
    starts = f"import subprocess\nsubprocess.Popen(['sleep', '{word}'], start_new_session={boxed})\nraise RuntimeError('started')"
    assert "started" in grade(solved(split=starts)).tasks[1]["said"]
    small.wait_for(lambda: not small.running(word))
