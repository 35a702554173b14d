"""The workflows that a code host runs for a fork: what they call is there, and they may do no more than they need."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from checkout import ROOT, SITE

WORKFLOWS = sorted((ROOT / ".github" / "workflows").iterdir())
every_workflow = pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
# What a job may do besides: one asks where the site will be, one puts it there.
MORE = {("publish", "build"): {"contents": "read", "pages": "read"}, ("publish", "deploy"): {"pages": "write", "id-token": "write"}}


def read(path: Path) -> dict[Any, Any]:
    return yaml.safe_load(path.read_text("utf-8"))


def steps(path: Path) -> Iterator[dict[str, Any]]:
    for job in read(path)["jobs"].values():
        yield from job["steps"]


def commands(path: Path) -> list[str]:
    return [step["run"] for step in steps(path) if "run" in step]


@every_workflow
def test_it_may_do_no_more_than_it_needs(path: Path) -> None:
    workflow, text = read(path), path.read_text("utf-8")
    assert workflow["permissions"] == {"contents": "read"}
    assert workflow["defaults"] == {"run": {"shell": "bash"}}  # which fails when any part of a pipe does
    for name, job in workflow["jobs"].items():
        assert "timeout-minutes" in job
        assert job.get("permissions") == MORE.get((path.stem, name))
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
    everywhere = {use for one in WORKFLOWS for use in re.findall(r"(?m)uses: (.*)$", one.read_text("utf-8"))}
    assert len(everywhere) == len({use.split("@")[0] for use in everywhere}), "one action in two versions"


@every_workflow
def test_what_it_calls_is_there(path: Path) -> None:
    targets = set(re.findall(r"(?m)^([a-z]+):", (ROOT / "Makefile").read_text("utf-8")))
    told = "\n".join(commands(path))
    assert set(re.findall(r"\bmake ([a-z]+)", told)) <= targets
    files = re.findall(r"(?<![\w/])((?:book|tests)/[\w/.]+|requirements\.\w+)", told)
    files += [step["with"]["cache-dependency-path"] for step in steps(path) if "cache-dependency-path" in step.get("with", {})]
    assert files and all((ROOT / name).exists() for name in files)
    first = {line.split()[0] for command in commands(path) for line in command.splitlines()}
    assert first <= {"make", "python", "cp", "grep"}


def test_what_is_published_is_what_the_build_makes() -> None:
    (upload,) = [step for step in steps(ROOT / ".github/workflows/publish.yml") if "upload-pages" in step.get("uses", "")]
    assert ROOT / upload["with"]["path"] == SITE
    assert upload["with"]["include-hidden-files"] is True


def test_what_is_published_knows_its_address() -> None:
    """A project site lies below a folder; its page for wrong addresses had links from the host's root."""
    order = list(steps(ROOT / ".github/workflows/publish.yml"))
    (asked,) = [step for step in order if step.get("uses", "").startswith("actions/configure-pages@")]
    (told,) = [step for step in order if step.get("run") == "make repository"]
    assert told["env"] == {"SITE": f"${{{{ steps.{asked['id']}.outputs.base_url }}}}"}
    built = next(step for step in order if step.get("run") == "make book")
    assert order.index(asked) < order.index(told) < order.index(built)


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
