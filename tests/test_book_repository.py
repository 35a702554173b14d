"""`make repository` sets the one address, and takes it away without a trace."""

import json
import re
import shutil
from pathlib import Path

import nbformat
import pytest

import run_notebooks
import set_repository
from checkout import ROOT
from tests.book_helpers import chapter, save

URL = "https://github.com/somebody/a-fork"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Copy what carries the address: the settings, the page with commands, the chapters and the assignments."""
    shutil.copy(ROOT / "_config.yml", tmp_path)
    (tmp_path / "book").mkdir()
    shutil.copy(ROOT / set_repository.COMMANDS, tmp_path / "book")
    shutil.copytree(ROOT / "notebooks", tmp_path / "notebooks", ignore=shutil.ignore_patterns(".*", "masters"))
    save(run_ten_times(chapter("1")), tmp_path / "notebooks" / "99_test.ipynb")
    (tmp_path / "notebooks" / "assignments").mkdir(exist_ok=True)
    save(run_ten_times(chapter("1")), tmp_path / "notebooks" / "assignments" / "9_test.ipynb")
    set_repository.rewrite(tmp_path, "")
    return tmp_path


def run_ten_times(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Give a notebook metadata and text of the kinds that a careless rewrite would change."""
    notebook.metadata["title"] = "ε-privacy \u2028 “quoted”"
    notebook.cells[1].execution_count = 10
    return notebook


def contents(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_address_is_set_once_changed_and_removed_without_a_trace(copy: Path) -> None:
    before = contents(copy)
    assert set_repository.rewrite(copy, URL)
    with_address = contents(copy)
    assert all(with_address[name] != before[name] for name in before)
    assert set_repository.rewrite(copy, URL) == []
    set_repository.rewrite(copy, "https://github.com/somebody/else")
    set_repository.rewrite(copy, URL)
    assert contents(copy) == with_address
    set_repository.rewrite(copy, "")
    assert contents(copy) == before
    assert set_repository.rewrite(copy, "") == []
    (example,) = re.findall(r"URL=(\S+)\n", (copy / set_repository.COMMANDS).read_text("utf-8"))
    set_repository.rewrite(copy, example)  # just as the page says it
    set_repository.rewrite(copy, "")
    assert contents(copy) == before


def test_setup_cell_follows_the_title_and_runs_anywhere(copy: Path) -> None:
    set_repository.rewrite(copy, URL)
    path = copy / "notebooks" / "99_test.ipynb"
    notebook = nbformat.reads(path.read_text("utf-8"), as_version=4)
    nbformat.validate(notebook)
    title, cell, *_ = notebook.cells
    assert title.source.startswith("# ")
    assert cell.metadata.tags == ["remove-cell"]
    assert f'%pip install -q "bandits-dp @ git+{URL}"' in cell.source  # no extras: Colab keeps its own versions
    assert run_notebooks.run(path)[1] == []


def test_setup_cell_does_not_count_among_the_others(copy: Path) -> None:
    path = copy / "notebooks" / "99_test.ipynb"
    run_notebooks.run(path)
    before = path.read_bytes()
    set_repository.rewrite(copy, URL)
    run_notebooks.run(path)
    set_repository.rewrite(copy, "")
    assert path.read_bytes() == before


def test_buttons_are_only_for_hosts_that_have_them() -> None:
    assert set(set_repository.settings("").values()) == {'""', "false"}
    github = set_repository.settings(URL)
    assert '""' not in github.values()
    assert "false" not in github.values()
    elsewhere = set_repository.settings("https://git.example.org/some/body")
    assert elsewhere["url"] == '"https://git.example.org/some/body"'
    assert {value for key, value in elsewhere.items() if key != "url"} == {'""', "false"}


def test_an_odd_notebook_stops_everything(copy: Path) -> None:
    path = copy / "notebooks" / "99_test.ipynb"
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")), indent=3), "utf-8")
    before = contents(copy)
    with pytest.raises(ValueError, match=r"99_test\.ipynb is not laid out as Jupyter does it"):
        set_repository.rewrite(copy, URL)
    assert contents(copy) == before


@pytest.mark.parametrize(
    ("given", "expected"), [("", ""), ("  ", ""), (f"{URL}/", URL), (f"{URL}.git", URL), (f"{URL}.git/", URL)]
)
def test_address_is_tidied(given: str, expected: str) -> None:
    assert set_repository.checked(given) == expected


@pytest.mark.parametrize(
    "given",
    [
        "fork",
        "github.com/somebody/fork",
        "git@github.com:somebody/fork",
        "ftp://github.com/somebody/fork",
        "https://github.com",
        "https://github.com/somebody",
        "https://user:secret@github.com/somebody/fork",
        "https://github.com/somebody/fork?x=1",
        "https://github.com/somebody/fork#main",
        'https://github.com/somebody/fork"; import os',
        "https://github.com/some body/fork",
        "https:///somebody/fork",
    ],
)
def test_other_addresses_are_refused(given: str) -> None:
    with pytest.raises(ValueError, match="is not the web address of a repository"):
        set_repository.checked(given)


def test_nothing_else_names_the_address() -> None:
    """The committed state has no address; nor has what a citation is made from."""
    assert "repository-code" not in (ROOT / "CITATION.cff").read_text("utf-8")
    assert "github.com" not in (ROOT / "pyproject.toml").read_text("utf-8")
