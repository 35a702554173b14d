"""`make repository` sets the one address, and takes it away without a trace."""

import json
import re
import shutil
import tomllib
from pathlib import Path

import nbformat
import pytest
import repository_hosts
import yaml

import run_notebooks
import set_repository
from checkout import ROOT
from tests.book_helpers import chapter, save

URL = "https://github.com/somebody/a-fork"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Copy what carries the address: the settings, the page with commands, the metadata, and the notebooks."""
    copy_carriers(tmp_path)
    save(run_ten_times(chapter("1")), tmp_path / "notebooks" / "99_test.ipynb")
    (tmp_path / "notebooks" / "assignments").mkdir(exist_ok=True)
    save(run_ten_times(chapter("1")), tmp_path / "notebooks" / "assignments" / "9_test.ipynb")
    set_repository.rewrite(tmp_path, "")
    return tmp_path


def copy_carriers(folder: Path) -> None:
    """Copy from this checkout every file that may hold the address, and no other."""
    (folder / "book").mkdir()
    for name in ("_config.yml", set_repository.COMMANDS, *set_repository.METADATA):
        shutil.copy(ROOT / name, folder / name)
    for path in (ROOT / "notebooks").rglob("*.ipynb"):
        if not {".ipynb_checkpoints", "masters"} & set(path.parts):
            (folder / path.relative_to(ROOT)).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, folder / path.relative_to(ROOT))


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
    assert f'%pip install -q "bandits-dp[plots] @ git+{URL}"' in cell.source  # what Colab has is kept, if it is not too old
    assert run_notebooks.run(path)[1] == []


def test_setup_cell_does_not_count_among_the_others(copy: Path) -> None:
    path = copy / "notebooks" / "99_test.ipynb"
    run_notebooks.run(path)
    before = path.read_bytes()
    set_repository.rewrite(copy, URL)
    run_notebooks.run(path)
    set_repository.rewrite(copy, "")
    assert path.read_bytes() == before


def test_a_failed_write_changes_nothing(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before, write = contents(copy), Path.write_bytes

    def full(path: Path, data: bytes) -> int:
        if "pyproject" in path.name:
            raise OSError("no space left")
        return write(path, data)

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OSError, match="no space left"):
        set_repository.rewrite(copy, URL)
    assert contents(copy) == before


# What others read: the citation, the package's metadata, the front page


def metadata(url: str) -> dict[str, str]:
    """Return the texts of the files that others read, with an address."""
    texts = {name: (ROOT / name).read_text("utf-8") for name in set_repository.METADATA}
    return {name: told(told(texts[name], ""), url) for name, told in set_repository.METADATA.items()}


HOSTS = [
    (URL, "https://somebody.github.io/a-fork/", f"{URL}/issues", f"{URL}/blob/main/CHANGELOG.md"),
    (
        "https://github.com/SomeBody/somebody.github.io",
        "https://somebody.github.io/",
        "https://github.com/SomeBody/somebody.github.io/issues",
        "https://github.com/SomeBody/somebody.github.io/blob/main/CHANGELOG.md",
    ),
    (
        "https://gitlab.com/group/of/people",
        "",
        "https://gitlab.com/group/of/people/-/issues",
        "https://gitlab.com/group/of/people/-/blob/main/CHANGELOG.md",
    ),
    (
        "https://codeberg.org/some/body",
        "https://some.codeberg.page/body/",
        "https://codeberg.org/some/body/issues",
        "https://codeberg.org/some/body/src/branch/main/CHANGELOG.md",
    ),
    ("https://git.example.org/some/body", "", "", ""),
]


@pytest.mark.parametrize(("url", "site", "issues", "changes"), HOSTS)
def test_other_addresses_follow_from_the_host(url: str, site: str, issues: str, changes: str) -> None:
    texts = metadata(url)
    citation = yaml.safe_load(texts["CITATION.cff"])
    assert citation["cff-version"] == "1.2.0" and citation.keys() >= {"message", "title", "authors", "version", "license"}
    assert (citation["repository-code"], citation.get("url", "")) == (url, site)
    project = tomllib.loads(texts["pyproject.toml"])["project"]
    told = {"Homepage": site or url, "Documentation": site, "Source": url, "Issues": issues, "Changelog": changes}
    assert project["urls"] == {label: address for label, address in told.items() if address}
    assert (ROOT / "CHANGELOG.md").is_file()
    badges = re.findall(r"\[!\[(\w+)\]\((\S+)\)\]\((\S+)\)", texts["README.md"])
    assert [name for name, _, _ in badges] == (["Test", "Book", "Binder"] if "github.com" in url else [])
    for workflow in re.findall(r"workflows/([\w.]+)", " ".join(picture for _, picture, _ in badges)):
        assert (ROOT / ".github" / "workflows" / workflow).is_file()


def test_the_rest_of_the_metadata_stays() -> None:
    without, having = metadata(""), metadata(URL)
    before, after = (tomllib.loads(texts["pyproject.toml"]) for texts in (without, having))
    del after["project"]["urls"]
    assert before == after
    cited, cited_after = (yaml.safe_load(texts["CITATION.cff"]) for texts in (without, having))
    assert cited == {key: value for key, value in cited_after.items() if key not in ("repository-code", "url")}
    assert cited["version"] == before["project"]["version"]


@pytest.mark.parametrize(
    ("url", "where"),
    [
        ("", ""),
        ("https://github.com/some/body", "https://github.com/some/body/raw/main/"),
        ("https://gitlab.com/group/of/people", "https://gitlab.com/group/of/people/-/raw/main/"),
        ("https://codeberg.org/some/body", "https://codeberg.org/some/body/raw/branch/main/"),
        ("https://git.example.org/some/body", ""),
    ],
)
def test_the_picture_of_the_front_page_is_found_from_elsewhere(url: str, where: str) -> None:
    """By a package index, which shows the page and has no other file of it."""
    pages = [metadata(url)["README.md"], set_repository.METADATA["README.md"](metadata(URL)["README.md"], url)]
    for page in pages:
        links = re.findall(r"\]\(([^)\s]+)\)", page)
        assert f"{where}book/_static/regret.svg" in links
        assert [link for link in links if "://" not in link] == ([] if where else ["book/_static/regret.svg"])
    assert (ROOT / "book" / "_static" / "regret.svg").is_file()


@pytest.mark.parametrize("name", set_repository.METADATA)
def test_metadata_without_its_place_stops_everything(name: str) -> None:
    with pytest.raises(ValueError, match=rf"{name} has 0 places .* where one is expected"):
        set_repository.METADATA[name]("nothing of the kind\n", URL)


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


def test_every_file_tells_the_address_that_the_settings_have(tmp_path: Path) -> None:
    """Also in a fork, where they have one."""
    copy_carriers(tmp_path)
    address = yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))["repository"]["url"]
    assert set_repository.rewrite(tmp_path, address) == []


def test_the_page_on_publishing_names_every_file_that_changes(copy: Path) -> None:
    table = re.findall(r"(?m)^\| `(\S+)` \|", (ROOT / "book" / "publish.md").read_text("utf-8"))
    changed = {path.relative_to(copy) for path in set_repository.rewrite(copy, URL)}
    assert {path for path in changed if path.suffix != ".ipynb"} == {Path(name) for name in table if "*" not in name}
    assert {"notebooks/*.ipynb", "notebooks/assignments/*.ipynb"} <= set(table)


def test_a_host_is_known_however_it_is_written() -> None:
    assert repository_hosts.site("https://GitHub.com/Some/Body") == "https://some.github.io/Body/"
    assert repository_hosts.site("") == repository_hosts.issues("") == repository_hosts.shown("", "README.md") == ""
