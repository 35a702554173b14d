"""A batch: every submission gets a row, bad ones are named and stop nobody, nothing is done twice or overwritten."""

import csv
import json
import os
import re
import signal
import subprocess
import sys

import pytest
from nbformat.v4 import new_markdown_cell

from checkout import ROOT, TOOLS
from course import batch as batches
from course.batch import ERROR, file_names, main
from course.processes import Limits
from course.release import student_text
from course.reports import page, plain, shape, similar
from course.score import Result
from course.submissions import Handed, named
from tests import small_course as small

SOLUTION = {"laplace": small.LAPLACE, "split": small.SPLIT}
STUDENT = small.loaded(student_text(small.master(), ""))
SOLVED = small.text(small.answered(STUDENT, SOLUTION))
UNMARKED = json.dumps({"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": [
    {"cell_type": "code", "metadata": {}, "source": small.SPLIT, "outputs": []}
]})  # fmt: skip


def other_set():
    text = small.text(small.master())
    for name in ("laplace", "split"):
        text = re.sub(rf'"(id|grade_id)": "((?:text-|test-)?{name})"', r'"\1": "\2-again"', text)
    return small.loaded(text)


@pytest.fixture
def course(tmp_path):
    (tmp_path / "masters").mkdir()
    (tmp_path / "masters" / "9_small.ipynb").write_text(small.text(small.master()), "utf-8")
    (tmp_path / "masters" / "8_other.ipynb").write_text(small.text(other_set()), "utf-8")
    (tmp_path / "handed").mkdir()
    return tmp_path


def put(course, name, text):
    path = course / "handed" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text) if isinstance(text, bytes) else path.write_text(text, "utf-8")
    return path


def grade(course, *more):
    where = ["--masters", str(course / "masters"), "--out", str(course / "out"), *small.sandbox()]
    return main([str(course / "handed"), *where, *more])


def table(course):
    with (course / "out" / "grades.csv").open(encoding="utf-8", newline="") as file:
        return {row["student"]: row for row in csv.DictReader(file)}


def contents(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


BAD = {  # what is handed in under which name: student, status, what is said
    "cut.ipynb": (SOLVED[:500], "cut", "unreadable", "cut.ipynb is not a notebook: JSONDecodeError"),
    "bytes.ipynb": (b"\xff\xfe\x00", "bytes", "unreadable", "no text in UTF-8"),
    "empty.ipynb": ("", "empty", "unreadable", "is not a notebook"),
    "list.ipynb": ("[1]", "list", "unreadable", "its content is a list"),
    "deep.ipynb": ("[" * 100_000, "deep", "unreadable", "deep.ipynb is"),
    "cells.ipynb": ('{"nbformat": 4, "cells": [3]}', "cells", "unreadable", "is not a notebook"),
    "large.ipynb": (b" " * (21 << 20), "large", "unreadable", "is larger than 20 MB: clear the outputs"),
    "zipped.ipynb": (b"PK\x03\x04\xff", "zipped", "unreadable", "no text in UTF-8"),
    "unmarked.ipynb": (UNMARKED, "unmarked", "no set", "or their marks are lost"),
    "essay_7_8_x.txt": ("Dear Ines", "essay_7", "not a notebook", "essay_7_8_x.txt is not a notebook (.ipynb)"),
    "stray.ipynb": ('{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []}', "stray", "no set", "no cell of any set"),
    "lost.ipynb": (student_text(other_set(), ""), "lost", "another set", "lost.ipynb is of the set 8_other"),
    "nobody/readme.md": ("", "nobody", "nothing handed in", "there is no notebook in nobody"),
}


def test_bad_submissions_are_named_and_stop_nobody(course, capsys):
    for name, (text, *_) in BAD.items():
        put(course, name, text)
    put(course, "two/a.ipynb", SOLVED)
    put(course, "two/b.ipynb", SOLVED)
    put(course, "doe_101_2002_9_small.ipynb", SOLVED)
    put(course, "doe_LATE_101_2003_9_small-1.ipynb", SOLVED)
    put(course, "killer.ipynb", small.text(small.answered(STUDENT, {"laplace": "import os\nos._exit(0)"})))
    put(course, "ada.ipynb", SOLVED)
    put(course, "notes.txt", "nobody's")
    before = contents(course / "handed")
    assert grade(course, "--set", "9") == 0
    assert "Left out, as nobody's: notes.txt is not a notebook" in capsys.readouterr().err
    rows = table(course)
    for _, student, status, said in BAD.values():
        assert (rows[student]["status"], rows[student]["total"]) == (status, "0")
        assert said in rows[student]["remark"]
    assert rows["two"]["remark"] == "one of a.ipynb, b.ipynb has to be called 9_small.ipynb"
    assert rows["doe_101"]["remark"] == "leave one of doe_101_2002_9_small.ipynb, doe_LATE_101_2003_9_small-1.ipynb"
    assert rows["killer"]["total"] == "0" and "'laplace' ended its process" in rows["killer"]["remark"]
    assert rows["ada"] == {
        "student": "ada", "set": "9_small", "laplace": "12", "split": "8", "total": "20", "status": "graded", "remark": "",
    }  # fmt: skip
    assert len(rows) == len(BAD) + 4 == len(list((course / "out" / "feedback").iterdir()))
    assert contents(course / "handed") == before


def test_what_editors_and_systems_do_to_a_file_costs_nothing(course):
    put(course, "mark.ipynb", b"\xef\xbb\xbf" + SOLVED.encode())
    put(course, "lines.ipynb", SOLVED.replace("\n", "\r\n"))
    put(course, "ends.ipynb", SOLVED.replace(r"\n", r"\r\n"))
    put(course, "CAPITALS.IPYNB", SOLVED)
    put(course, "名" * 80 + ".ipynb", SOLVED)
    half = small.answered(STUDENT, SOLUTION | {"split": "'HALF'"})  # text that is none
    put(course, "half.ipynb", small.text(half).replace("HALF", r"\ud800<script>"))
    error = "def split(*_):\n    raise ValueError('\\ud800')"
    put(course, "error.ipynb", small.text(small.answered(STUDENT, SOLUTION | {"split": error})))
    if sys.platform == "linux":  # other systems refuse such a name
        with open(os.fsencode(course / "handed") + b"/caf\xe9.ipynb", "w") as file:
            file.write(SOLVED)
    os.mkfifo(course / "handed" / "pipe.ipynb")
    assert grade(course, "--set", "9") == 0
    rows = table(course)
    assert (rows.pop("half")["total"], rows.pop("error")["total"], len(rows)) == ("12", "12", 5 + (sys.platform == "linux"))
    assert all((row["total"], row["remark"]) == ("20", "") for row in rows.values())


def test_layouts_of_nbgrader_and_moodle(course):
    put(course, "ada/9_small/9_small.ipynb", SOLVED)
    put(course, "ada/8_other/8_other.ipynb", student_text(other_set(), ""))
    put(course, "bob/9_small/renamed.ipynb", SOLVED)
    put(course, "Jane Doe_101_assignsubmission_file_/homework.ipynb", SOLVED)
    put(course, "Jane Doe_101_assignsubmission_file_/.ipynb_checkpoints/homework-checkpoint.ipynb", "")
    assert grade(course, "--set", "9_small") == 0
    assert {name: row["total"] for name, row in table(course).items()} == {"ada": "20", "bob": "20", "Jane Doe_101": "20"}
    late = "handed in late"
    told = {"ada": ("ada", "", ""), "doejane_101_2002_1_mechanisms": ("doejane_101", "101", ""), "ada_1": ("ada_1", "", ""),
            "doejane_LATE_101_2002_x-1": ("doejane_101", "101", late), "Jo_assignsubmission_file": ("Jo", "", "")}
    assert {name: (named(name).student, named(name).number, named(name).remark) for name in told} == told


def test_words_of_a_student_and_code_that_two_share_are_shown(course):
    mine = "def noisy(v, eps, rng):\n    u = rng.random(len(v)) - 0.5\n    return v - np.sign(u) * np.log(1 - 2 * abs(u)) / eps"
    theirs = "# my own\n" + mine.replace("eps", "budget").replace("v", "values")
    words = small.answered(STUDENT, {"laplace": mine})
    words.cells.append(new_markdown_cell("I halved <the> noise."))
    put(course, "ada.ipynb", small.text(words))
    put(course, "ben.ipynb", small.text(small.answered(STUDENT, {"laplace": theirs})))
    put(course, "cleo.ipynb", SOLVED)
    put(course, "dora.ipynb", SOLVED)
    assert grade(course) == 0
    similar, imported = ((course / "out" / name).read_text("utf-8").splitlines() for name in ("similar.csv", "import.csv"))
    assert similar == ["students,tasks,which", "ada; ben,1,laplace"]  # the master's own way is no evidence
    assert imported[0] == "student,grade,feedback" and imported[1].startswith("ada,12,laplace: 12 of 12. split: 0 of 8")
    said, unsaid = ((course / "out" / "feedback" / f"{name}.html").read_text("utf-8") for name in ("ada", "ben"))
    assert "I halved &lt;the&gt; noise." in said and "Comments of who grades" in said and "Comments of" not in unsaid


def test_what_is_empty_or_too_deep_is_no_copy():
    """Two files that could not be read headed the table, and a sum of 1,200 summands ended the batch."""
    rows = [{"task": "split", "source": "", "score": 0, "points": 8}]
    assert similar([Result(name, "unreadable", rows) for name in "ab"], []) == "students,tasks,which\n"
    assert shape("# only words\n") == shape("x = " + "+".join("1" * 20_000)) == ""


def test_names_share_no_file():
    name = file_names(["O'Brien"])["O'Brien"]
    assert len(set(file_names(["O'Brien", name]).values())) == 2


CANVAS = "Student,ID,9_small (77),Final\n    Points Possible,,20,\n\"Smith, Jo\",101,,A\n\"Smith, Jo\",102,5,B\nZoe,3,4,C\n"
MOODLE = "Identifier,Full name,Grade,Feedback comments\nParticipant 7,Kim,,\nParticipant 101,Jo,,old\n"


def test_a_platforms_list_is_filled_in_and_tells_who_handed_in_nothing(course, capsys):
    """Two of one name are two students by their numbers; a grade that is there stays, and whoever is not listed is told."""
    put(course, "smithjo_101_2002_x.ipynb", SOLVED)
    put(course, "smithjo_LATE_102_2003_x.ipynb", SOLVED)
    put(course, "eve.ipynb", SOLVED)
    roster = course / "list.csv"
    roster.write_text(CANVAS, "utf-8-sig")
    assert grade(course, "--roster", str(roster)) == 0 and "Not on the roster: eve\n" in capsys.readouterr().out
    assert (course / "out" / "import.csv").read_text("utf-8") == CANVAS.replace("101,", "101,20").replace("102,5", "102,20")
    rows = table(course)
    totals = {"eve": "20", "smithjo_101": "20", "smithjo_102": "20", "Zoe_3": "0"}
    assert {name: row["total"] for name, row in rows.items()} == totals
    assert rows["Zoe_3"]["status"] == "nothing handed in" and rows["smithjo_102"]["remark"] == "handed in late"
    roster.write_text(MOODLE, "utf-8")
    assert grade(course, "--roster", str(roster)) == 0 and "Kim_7" in table(course)
    filled = (course / "out" / "import.csv").read_text("utf-8").splitlines()
    assert filled[1:] == ["Participant 7,Kim,,", "Participant 101,Jo,20,laplace: 12 of 12. split: 8 of 8"]
    roster.write_text("student,team\nEve,red\nada,red\nbob,blue\nbob,blue\n", "utf-8")
    put(course, "bob.zip", "")
    assert grade(course, "--roster", str(roster)) == 0
    filled = (course / "out" / "import.csv").read_text("utf-8").splitlines()
    assert filled[:3] == ["student,team,9_small", "Eve,red,20", "ada,red,"]
    roster.write_text("team\nred\n", "utf-8")
    assert grade(course, "--roster", str(roster)) == 1 and "has the columns ['team']; one of ID, id," in capsys.readouterr().err
    assert grade(course, "--roster", str(course / "no.csv")) == 1 and "No such file" in capsys.readouterr().err


def test_the_set_is_that_of_most_submissions(course, capsys):
    put(course, "ada.ipynb", SOLVED)
    put(course, "bob.ipynb", small.text(STUDENT))
    put(course, "lost.ipynb", student_text(other_set(), ""))
    assert grade(course) == 0 and table(course)["lost"]["status"] == "another set"
    put(course, "ada/8_other/x.ipynb", "")
    put(course, "ada/9_small/x.ipynb", "")
    assert grade(course) == 1 and "there are folders for 8_other, 9_small; say which one" in capsys.readouterr().err
    assert grade(course, "--set", "7") == 1 and "SET='7' is no set; the sets are 8_other, 9_small" in capsys.readouterr().err


def counted(monkeypatch):
    """List the students that are really graded, not those whose result was kept (the solution is nobody's: "")."""
    real, done = batches.graded, []

    def graded(*args):
        done.append(args[4] if len(args) > 4 else "")
        return real(*args)

    monkeypatch.setattr(batches, "graded", graded)
    return done


def test_what_is_done_and_unchanged_is_not_done_again(course, monkeypatch):
    done = counted(monkeypatch)
    for student in ("ada", "bob"):
        put(course, f"{student}.ipynb", SOLVED)
    assert grade(course) == 0 and sorted(done) == ["", "ada", "bob"]
    first = table(course)
    assert grade(course) == 0 and len(done) == 3 and table(course) == first
    put(course, "bob.ipynb", small.text(STUDENT))
    assert grade(course) == 0 and done[3:] == ["", "bob"] and table(course)["bob"]["total"] == "0"
    master = small.answered(small.master(), {"title": "# Another title"})
    (course / "masters" / "9_small.ipynb").write_text(small.text(master), "utf-8")
    assert grade(course) == 0 and sorted(done[5:]) == ["", "ada", "bob"]


def test_another_attempt_meets_another_seed(course):
    (course / "out").mkdir()
    batch = batches.Batch(course / "handed", course / "out", "9_small", 5, Limits(), course / "masters")
    paths = [course / "handed" / f"{name}.ipynb" for name in ("one", "two")]
    for path, text in zip(paths, ("a", "b"), strict=True):
        path.write_text(text)
    seeds = {batch.own_seed(Handed(student, path)) for student in ("ada", "eve") for path in paths}
    assert len(seeds) == 4 and batch.own_seed(Handed("ada", paths[0])) in seeds


def test_the_seed_is_drawn_once_and_kept(course, capsys):
    put(course, "ada.ipynb", SOLVED)
    grade(course)
    seed = json.loads((course / "out" / "batch.json").read_text())["seed"]
    assert grade(course, "--seed", str(seed)) == 0
    assert grade(course, "--seed", str(seed + 1)) == 1
    assert f"holds results of the set 9_small with the seed {seed}" in capsys.readouterr().err
    assert grade(course, "--set", "8") == 1


def test_a_killed_run_goes_on(course, monkeypatch):
    """SIGKILL while a submission is endless; the processes end, and what was done is not done again."""
    put(course, "ada.ipynb", SOLVED)
    word = f"600.{os.getpid()}"
    waits = f"import os\nos.spawnlp(os.P_WAIT, 'sleep', 'sleep', '{word}')"
    put(course, "zoe.ipynb", small.text(small.answered(STUDENT, {"laplace": waits})))
    where = ["--masters", str(course / "masters"), "--out", str(course / "out"), "--workers", "1", *small.sandbox()]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "book")])}
    command = [sys.executable, str(TOOLS / "grade.py"), str(course / "handed"), *where]
    process = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
    small.wait_for(lambda: small.running(word))
    process.send_signal(signal.SIGKILL)
    process.wait(60)
    small.wait_for(lambda: not small.running(word))
    kept = (course / "out" / "results" / "ada.json").stat().st_mtime_ns
    done = counted(monkeypatch)
    put(course, "zoe.ipynb", small.text(STUDENT))
    assert grade(course) == 0 and done == ["", "zoe"]
    assert (course / "out" / "results" / "ada.json").stat().st_mtime_ns == kept
    assert {name: row["total"] for name, row in table(course).items()} == {"ada": "20", "zoe": "0"}


def test_an_error_of_the_grader_is_told_and_tried_again(course, monkeypatch, capsys):
    put(course, "ada.ipynb", SOLVED)
    put(course, "bob.ipynb", SOLVED)
    real = batches.graded

    def fails(*args):
        if len(args) > 4 and args[4] == "ada":
            raise OSError("no space left")
        return real(*args)

    monkeypatch.setattr(batches, "graded", fails)
    assert grade(course) == 1 and "ada: grader's error: OSError: no space left" in capsys.readouterr().out
    assert table(course)["ada"]["status"] == ERROR and table(course)["bob"]["total"] == "20"
    monkeypatch.undo()
    assert grade(course) == 0 and table(course)["ada"]["total"] == "20"


def test_a_set_whose_own_solution_fails_is_not_graded(course, capsys):
    broken = small.answered(small.master(), {"split": small.SPLIT.replace("epsilon / parts", "epsilon")})
    (course / "masters" / "9_small.ipynb").write_text(small.text(broken), "utf-8")
    put(course, "ada.ipynb", SOLVED)
    assert grade(course) == 1 and not (course / "out" / "grades.csv").exists()
    assert "the master's own solution gets 12 of 20 with the seed" in capsys.readouterr().err


def test_folders_are_checked(course, capsys):
    assert main([str(course / "nowhere")]) == 1 and "is not a folder; say make grade SUBMISSIONS=folder" in capsys.readouterr().err
    assert main([""]) == 1
    inside = ["--out", str(course / "handed" / "out")]
    assert main([str(course / "handed"), *inside]) == 1 and "must not be inside" in capsys.readouterr().err
    assert grade(course) == 1 and "no notebook in" in capsys.readouterr().err
    assert grade(course, "--workers", "0") == 1 and "WORKERS=0 must be at least 1" in capsys.readouterr().err
    with batches.alone(course / "out"):
        assert grade(course) == 1 and "another run is writing to" in capsys.readouterr().err


def test_what_is_given_out_calculates_loads_and_betrays_nothing(course):
    assert plain("=HYPERLINK(1)") == "'=HYPERLINK(1)" and plain("a\nb") == "a b"
    assert plain("\N{FULLWIDTH EQUALS SIGN}1") == "'\N{FULLWIDTH EQUALS SIGN}1" and plain("\t=1") == "'=1"
    bad = "<script>alert(1)</script>"
    task = {"task": "split", "points": 8, "score": 0, "said": bad, "source": bad}
    text = page(Result(bad, "graded", [task], [bad]), "9_small")
    assert "<script" not in text and "http" not in text and "src=" not in text and "0 of 8 points" in text
    put(course, "ada.ipynb", small.text(STUDENT))
    grade(course)
    text = (course / "out" / "feedback" / "ada.html").read_text("utf-8")
    assert "NotImplementedError" in text and "kstest" not in text and "HIDDEN" not in text
