"""The workflows that a code host runs for a fork: what they call is there, and they may do no more than they need."""

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import newest
import pytest
import yaml

from checkout import ROOT, SITE

WORKFLOWS = sorted((ROOT / ".github" / "workflows").iterdir())
every_workflow = pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
PUBLISHING = {"pages": "write", "id-token": "write"}


def read(path: Path) -> dict[Any, Any]:
    loaded = yaml.safe_load(path.read_text("utf-8"))
    assert isinstance(loaded, dict)
    return loaded


def steps(path: Path) -> Iterator[dict[str, Any]]:
    for job in read(path)["jobs"].values():
        yield from job["steps"]


def commands(path: Path) -> list[str]:
    return [step["run"] for step in steps(path) if "run" in step]


def test_there_is_one_to_test_one_to_publish_and_one_that_looks_ahead() -> None:
    assert [path.name for path in WORKFLOWS] == ["newest.yml", "publish.yml", "test.yml"]


@every_workflow
def test_it_has_the_form_that_the_host_reads(path: Path) -> None:
    workflow = read(path)
    # YAML 1.1 reads the key `on` as true
    assert workflow.keys() == {"name", True, "permissions", "concurrency", "defaults", "jobs"}
    assert workflow[True].keys() <= {"push", "pull_request", "schedule", "workflow_dispatch"}
    assert workflow["concurrency"].keys() == {"group", "cancel-in-progress"}
    assert workflow["defaults"] == {"run": {"shell": "bash"}}  # which fails when any part of a pipe does
    for job in workflow["jobs"].values():
        known = {"needs", "strategy", "runs-on", "timeout-minutes", "permissions", "environment", "env", "steps"}
        assert {"runs-on", "timeout-minutes", "steps"} <= job.keys() <= known
        assert {job["needs"]} <= workflow["jobs"].keys() if "needs" in job else True
    for step in steps(path):
        assert len(step.keys() & {"run", "uses"}) == 1
        assert step.keys() <= {"run", "uses", "name", "id", "if", "with"}


@every_workflow
def test_it_may_do_no_more_than_it_needs(path: Path) -> None:
    workflow, text = read(path), path.read_text("utf-8")
    assert workflow["permissions"] == {"contents": "read"}
    for name, job in workflow["jobs"].items():
        assert job.get("permissions") == (PUBLISHING if (path.stem, name) == ("publish", "deploy") else None)
    assert "secrets" not in text and "pull_request_target" not in text
    for step in steps(path):
        if step.get("uses", "").startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] is False
    assert not [command for command in commands(path) if "${{" in command]  # text from outside is no command


@every_workflow
def test_what_others_wrote_is_pinned(path: Path) -> None:
    """To a commit, which nobody can exchange, with its version for whoever reads it."""
    used = re.findall(r"(?m)uses: (.*)$", path.read_text("utf-8"))
    assert used and all(re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40}  # v\d+\.\d+\.\d+", name) for name in used)


def test_one_action_has_one_version() -> None:
    used = {use for path in WORKFLOWS for use in re.findall(r"(?m)uses: (.*)$", path.read_text("utf-8"))}
    assert len(used) == len({use.split("@")[0] for use in used})


@every_workflow
def test_what_it_calls_is_there(path: Path) -> None:
    targets = set(re.findall(r"(?m)^([a-z]+):", (ROOT / "Makefile").read_text("utf-8")))
    told = "\n".join(commands(path))
    assert set(re.findall(r"\bmake ([a-z]+)", told)) <= targets
    files = re.findall(r"(?<![\w/])((?:book|tests)/[\w/.]+|requirements\.\w+)", told)
    files += [step["with"]["cache-dependency-path"] for step in steps(path) if "cache-dependency-path" in step.get("with", {})]
    assert files and all((ROOT / name).exists() for name in files)
    first = {line.split()[0] for command in commands(path) for line in command.splitlines()}
    assert first <= {"make", "python", "cp"}


def test_what_is_published_is_what_the_build_makes() -> None:
    (upload,) = [step for step in steps(ROOT / ".github/workflows/publish.yml") if "upload-pages" in step.get("uses", "")]
    assert ROOT / upload["with"]["path"] == SITE
    assert upload["with"]["include-hidden-files"] is True


@pytest.mark.skipif(sys.platform == "win32", reason="bash is another program there")
@every_workflow
def test_its_commands_are_whole(path: Path) -> None:
    for command in commands(path):
        subprocess.run(["bash", "-n"], input=command, text=True, check=True, timeout=600)


def test_systems_are_those_that_the_host_has_and_the_chapters_meet_other_processors() -> None:
    jobs = read(ROOT / ".github/workflows/test.yml")["jobs"]
    systems = jobs["package"]["strategy"]["matrix"]["system"]
    assert systems == ["ubuntu-latest", "ubuntu-24.04-arm", "macos-latest", "windows-latest"]
    assert jobs["chapters"]["strategy"]["matrix"]["system"] == systems[1:3]  # Windows has no make
    for path in WORKFLOWS:
        for job in read(path)["jobs"].values():
            assert job["runs-on"] in (systems[0], "${{ matrix.system }}")
            asked = set(re.findall(r"\$\{\{ matrix\.(\w+) \}\}", str(job)))
            assert asked == job.get("strategy", {"matrix": {}})["matrix"].keys() - {"exclude"}


def test_only_tests_that_skip_nowhere_are_run_by_make_on_other_systems() -> None:
    """There `make test` as a whole fails: it counts a skipped test as failed, and some tests are for Linux alone."""
    named = re.findall(r'make test ARGS="(.*)"', "\n".join(commands(ROOT / ".github/workflows/test.yml")))
    assert [words.split()[0] for words in named] == ["notebooks"]


def test_versions_of_python_are_those_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    told = re.findall(r"Python :: (3\.\d+)", " ".join(project["classifiers"]))
    test = read(ROOT / ".github/workflows/test.yml")["jobs"]
    matrix = test["package"]["strategy"]["matrix"]
    assert matrix["python"] == told and project["requires-python"] == f">={told[0]}"
    whole = [step["with"]["python-version"] for step in test["whole"]["steps"] if "python-version" in step.get("with", {})]
    (left_out,) = matrix["exclude"]
    assert [left_out["python"]] == whole and left_out["system"] == test["whole"]["runs-on"]
    for path in WORKFLOWS:
        for step in steps(path):
            version = step.get("with", {}).get("python-version", told[0])
            assert version in (*told, "${{ matrix.python }}")


# What `newest.yml` reports

LOCK = """\
# This file was made by make lock
alpha==1.0 \\
    --hash=sha256:00
beta-gamma==2.1 ; sys_platform == "win32" \\
    --hash=sha256:11
"""
LOG = """\
..F
FAILED notebooks/01_bandits.ipynb::Cell 3
=== short test summary info ===
FAILED notebooks/01_bandits.ipynb::Cell 3
FAILED tests/test_audit.py::test_alarm[x y] - AssertionError: 1 - 2
ERROR tests/test_lastfm.py - ImportError: no
1 failed, 7 passed in 3.00s
"""


def test_packages_that_moved_are_listed() -> None:
    lock = newest.locked(LOCK)
    assert lock == {"alpha": "1.0", "beta-gamma": "2.1"}
    told = "".join(newest.moved(lock, {"alpha": "1.1", "other": "1"}))  # beta-gamma is for another system
    assert "1 of 2 are other" in told and "| alpha | 1.0 | 1.1 |" in told and "beta" not in told
    assert "0 of 2" in "".join(newest.moved(lock, lock))
    assert {"numpy", "typing-extensions"} <= newest.installed().keys()


def test_what_drifted_is_listed_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "tests.log").write_text(LOG, "utf-8")
    newest.main([str(tmp_path / "tests.log")])
    cells, tests = capsys.readouterr().out.split("## Tests that drifted")
    assert cells.count("* `notebooks/01_bandits.ipynb::Cell 3`") == 1
    assert re.findall(r"\* `(.*)`", tests) == ["tests/test_audit.py::test_alarm[x y]", "tests/test_lastfm.py"]
    assert "None." in "".join(newest.drifted("7 passed in 3.00s"))
