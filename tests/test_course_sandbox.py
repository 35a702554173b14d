"""In its sandbox a submission meets nothing of the machine, and nothing of the course but itself."""

import csv
import os
import re
import socket

import pytest

import get_sandbox
from checkout import NOTEBOOKS, ROOT
from course import sandbox
from course.batch import main
from course.processes import PROCESSES, Limits, run
from course.release import student_text
from course.runner import Cell
from tests import small_course as small

STUDENT = small.loaded(student_text(small.master(), ""))


@pytest.fixture
def box(request):
    if why := get_sandbox.settle():
        pytest.skip(f"{request.node.name}: {why}")


def said(answer, **limits):
    return run([Cell("setup", "import os", "setup"), Cell("answer", answer, "answer")], Limits(**limits)).errors[1]


ACTS = {  # what a submission does, and what it gets
    "open('/etc/passwd').read()": "FileNotFoundError",
    f"open({str(NOTEBOOKS / 'assignments' / 'masters' / '1_mechanisms.ipynb')!r}).read()": "FileNotFoundError",
    f"os.listdir({str(ROOT / 'book' / '_tools')!r})": r"\['course'\]",
    f"os.path.exists({str(ROOT / '.git')!r})": "False",
    "open('/usr/x', 'w')": "Read-only",
    "open('/x', 'w')": "Read-only",
    "open('/dev/x', 'w')": "Read-only",
    f"open({str(ROOT / 'bandits_dp' / 'x')!r}, 'w')": "Read-only",
    "__import__('socket').create_connection(('127.0.0.1', PORT), 2)": "ConnectionRefused",
    "[name for name in os.listdir('/proc') if name.isdigit() and int(name) > 9]": r"\[\]",
    "b'TEACHER' in b''.join(open(f'/proc/{pid}/environ', 'rb').read() for pid in ('self', os.getppid(), 1))": "False",
    "__import__('signal').pidfd_send_signal(os.pidfd_open(GRADER), 9)": "ProcessLookupError",
    "int([line for line in open('/proc/self/status') if 'CapEff' in line][0].split()[1], 16)": "^0$",
    "__import__('resource').getrlimit(__import__('resource').RLIMIT_NPROC)[0]": f"^{PROCESSES}$",
    "open('big', 'wb').write(bytes(65 << 20))": "File too large",
    "[open(name, 'wb').write(bytes(60 << 20)) for name in 'abcde']": "No space left",
}


@pytest.mark.sandbox
def test_what_is_seen_and_done_from_inside(box, monkeypatch):
    monkeypatch.setenv("TEACHER", "secret")
    lines = ["got = []", "class Got(Exception):\n    __str__ = lambda _: '|'.join(one[:30] for one in got)"]
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        for act in ACTS:
            words = act.replace("PORT", str(server.getsockname()[1])).replace("GRADER", str(os.getpid()))
            lines.append(f"try: got.append(str({words}))\nexcept BaseException as e: got.append(repr(e))")
        told = said("\n".join([*lines, "raise Got"])).removeprefix("Got: ").split("|")
    assert {act: got for act, got in zip(ACTS, told, strict=True) if not re.search(ACTS[act], got)} == {}


REACHES = """
import json, os
below, seen = os.open('.', os.O_RDONLY), []
for _ in range(12):  # relative to the open folder these paths lead out; from here they would not
    os.makedirs('d', exist_ok=True)
    os.chdir('d')
for path in {paths}:
    try:
        for place in (path, '../..' + path, '../../..' + path):
            seen.append(os.read(os.open(place, os.O_RDONLY, dir_fd=below), 10**6))
            result = json.loads(seen[-1])
            for task in result['tasks']: task['score'] = 8
            os.write(os.open(place, os.O_WRONLY | os.O_TRUNC, dir_fd=below), json.dumps(result).encode())
    except (OSError, LookupError, ValueError) as error: print(error)
def split(*_): raise ValueError(seen)
"""


@pytest.mark.sandbox
def test_a_submission_reads_nothing_and_changes_nobodys_result(box, tmp_path):
    """A descriptor of its own folder once led it to the masters, to keys, and to another student's 20 points."""
    given = {"masters/9_small": small.text(small.master()), "handed/ada": small.text(STUDENT), "handed/key": "KEY"}
    for name, text in given.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / f"{name}.ipynb").write_text(text, "utf-8")
    paths = [str(tmp_path / name) for name in ("handed/key.ipynb", "masters/9_small.ipynb", "out/results/ada.json")]
    eve = small.answered(STUDENT, {"split": REACHES.replace("{paths}", repr(paths))})
    (tmp_path / "handed" / "eve.ipynb").write_text(small.text(eve), "utf-8")
    where = ["--masters", str(tmp_path / "masters"), "--out", str(tmp_path / "out"), "--workers", "1"]
    for _ in range(2):
        assert main([str(tmp_path / "handed"), *where]) == 0
    with (tmp_path / "out" / "grades.csv").open(encoding="utf-8", newline="") as file:
        assert {row["student"]: row["total"] for row in csv.DictReader(file)} == {"ada": "0", "eve": "0", "key": "0"}
    assert "ValueError: []" in (tmp_path / "out" / "feedback" / "eve.html").read_text("utf-8")


def test_without_a_sandbox_nothing_is_graded_unless_that_is_asked_for(tmp_path, monkeypatch, capsys):
    for folder in ("masters", "handed"):
        (tmp_path / folder).mkdir()
    (tmp_path / "masters" / "9_small.ipynb").write_text(small.text(small.master()), "utf-8")
    (tmp_path / "handed" / "ada.ipynb").write_text(small.text(STUDENT), "utf-8")
    monkeypatch.setattr(sandbox.shutil, "which", lambda _: "/no/such/bwrap")
    sandbox.command.cache_clear()
    where = [str(tmp_path / "handed"), "--masters", str(tmp_path / "masters")]
    assert main(where) == 1 and not (tmp_path / "handed-graded").exists()
    told = capsys.readouterr().err
    assert "there is none here: [Errno 2] No such file or directory: '/no/such/bwrap'\n" in told and 'ARGS="--sandbox none"' in told
    assert main([*where, "--sandbox", "none"]) == 0
    assert "NO SANDBOX: these submissions ran as you" in capsys.readouterr().err


@pytest.mark.parametrize(("root", "works", "tried"), [(True, [True], "i"), (True, [False, True, True], "iui"), (False, [], "")])
def test_it_is_got_as_root_from_debian(monkeypatch, capsys, root, works, tried):
    done = []
    monkeypatch.setenv(get_sandbox.MISSING, "")  # so that it is as before in the end
    monkeypatch.delenv(get_sandbox.MISSING)
    monkeypatch.setattr(os, "geteuid", lambda: 0 if root else 1000)
    monkeypatch.setattr(get_sandbox.shutil, "which", lambda name: None if name == "bwrap" else f"/usr/bin/{name}")
    monkeypatch.setattr(get_sandbox, "attempt", lambda *command: done.append(command) or works[len(done) - 1])
    monkeypatch.setattr(sandbox, "missing", lambda: "bwrap: No permissions")
    assert get_sandbox.settle() == get_sandbox.settle() == "bwrap: No permissions"
    assert capsys.readouterr().out == "There is no sandbox, and its tests are skipped: bwrap: No permissions\n"
    assert "".join(command[1][0] for command in done) == tried
