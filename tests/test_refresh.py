"""What is stored is made again: in order, from where a run was killed, and with a report of what moved."""

import json
import multiprocessing
import os
import re
import signal
import subprocess

import pytest

import checkout
import refresh
from checkout import ROOT
from refresh import Step

# Written by people, or from the papers, which are not here; all else that is neither code nor text nor another's is made by a step.
WRITTEN = {"book/not_testable.json", "book/_tools/slides/conf.json", "book/_static/cover.svg", "book/_static/favicon.svg",
           "tests/quotations.json"}
CODE = {".py", ".md", ".js", ".css", ".html", ".j2", ".toml", ".cfg", ".txt", ".bib", ".typed", ".mplstyle"}
OTHERS = {"vendor", "reveal", "masters", "__pycache__"}

TOY = (
    Step("first", "tool.py one {part}", ("one.json",), parts=("a", "b")),
    Step("second", "tool.py two", ("two.json",), ("one.json",)), Step("idle", "tool.py three", ("three.json",), wants="IDLE"),
)
TOOL = """\
import json, os, signal, sys
from pathlib import Path
name, *part = sys.argv[1:]
with open("calls", "a") as calls:
    print(*sys.argv[1:], file=calls)
if Path("broken").exists() and name == "two":
    sys.exit("it is broken")
if Path("kill").exists() and name == "two":
    Path("kill").unlink()
    os.kill(os.getppid(), signal.SIGKILL)
    sys.exit(1)
path = Path(name + ".json")
data = json.loads(path.read_text())
data |= {"regret": 1.5 * data["regret"], "seconds": 9} if name == "one" else {"seconds": 9}
path.write_text(json.dumps(data))
"""


@pytest.fixture
def toy(tmp_path, monkeypatch):
    for name in ("one", "two", "three"):
        (tmp_path / f"{name}.json").write_text(json.dumps({"regret": 4.0, "seconds": 1}))
    (tmp_path / "tool.py").write_text(TOOL)
    for module in (checkout, refresh):
        monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(refresh, "STATE", tmp_path / "_build" / "state.json")
    monkeypatch.setattr(refresh, "LOG", tmp_path / "_build" / "log.txt")
    monkeypatch.setattr(refresh, "STEPS", TOY)
    monkeypatch.setattr(refresh, "neutralise", lambda: None)
    monkeypatch.delenv("IDLE", raising=False)
    git = ("git", "-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    for command in ("init -q", "add .", "commit -qm toy"):
        subprocess.run([*git, *command.split()], cwd=tmp_path, check=True, timeout=60)
    return tmp_path


def calls(toy):
    return (toy / "calls").read_text().splitlines()


def test_steps_are_made_in_order_and_what_moved_is_told(toy, capsys):
    assert refresh.main() == 0 and calls(toy) == ["one a", "one b", "two"]
    said = capsys.readouterr().out
    assert "one.json: line 1: 4.0 → 9.0; largest change 125 %\n" in said
    assert "two.json: unchanged\n" in said and json.loads((toy / "two.json").read_text())["seconds"] == 1
    assert "three.json: kept; it measures time" in said


def test_a_step_can_be_named_and_times_asked_for(toy, monkeypatch):
    monkeypatch.setenv("IDLE", "yes")
    assert [refresh.main("second"), refresh.main("second")] == [0, 0]  # a run that came to its end is forgotten
    assert calls(toy) == ["two", "two"] and json.loads((toy / "two.json").read_text())["seconds"] == 9
    assert refresh.main() == 0 and calls(toy)[2:] == ["one a", "one b", "two", "three"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows has no fork")
def test_a_killed_run_goes_on_where_it_was(toy, capsys):
    (toy / "kill").touch()
    killed = multiprocessing.get_context("fork").Process(target=refresh.main)
    killed.start()
    killed.join(60)
    assert killed.exitcode == -signal.SIGKILL
    assert refresh.main() == 0 and calls(toy) == ["one a", "one b", "two", "two"]
    assert "one.json: line 1: 4.0 → 9.0" in capsys.readouterr().out


def test_what_is_made_from_something_that_changed_is_made_again(toy, capsys):
    (toy / "broken").touch()
    assert refresh.main() == 1
    said = capsys.readouterr().out
    assert "it is broken" in said and "goes on from there" in said
    (toy / "broken").unlink()
    for number, package in enumerate(("bandits_dp", "book/bandits_book"), 1):
        (toy / package).mkdir(parents=True)
        (toy / package / "new.py").touch()
        if number == 1:
            (toy / "broken").touch()
        assert refresh.main() == 2 - number
        (toy / "broken").unlink(missing_ok=True)
    assert calls(toy) == ["one a", "one b", "two"] * 3


def test_a_step_that_is_not_there_and_a_folder_without_commits_are_refused(toy):
    with pytest.raises(SystemExit, match="no such step: third; there are first, second, idle"):
        refresh.main("third")
    (toy / ".git" / "HEAD").unlink()
    with pytest.raises(SystemExit, match="run this in a clone"):
        refresh.main()


def test_every_stored_file_has_its_step():
    folders = [ROOT / name for name in ("bandits_dp", "binder", "book", "notebooks", "tests")]
    stored = [path for folder in folders for path in folder.rglob("*") if path.is_file() and path.suffix not in CODE]
    names = {path.relative_to(ROOT).as_posix() for path in stored if not OTHERS & {*path.relative_to(ROOT).parts}}
    names = {name for name in names if "/." not in name}
    made = [path for step in refresh.STEPS for path in step.files()]
    assert {path.relative_to(ROOT).as_posix() for path in made} == names - WRITTEN and len(made) == len({*made})


def test_no_step_reads_what_a_later_one_writes():
    for place, step in enumerate(refresh.STEPS):
        later = {path for other in refresh.STEPS[place + 1:] for path in other.files()}
        read = {path for part in step.parts for pattern in step.reads for path in ROOT.glob(pattern.format(part=part))}
        assert read and not read & later
        assert all((ROOT / script).exists() for script in re.findall(r"book/\S+\.py", step.command))
