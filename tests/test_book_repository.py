"""The one address of the book's repository: what `make repository` writes, what the build makes of it, and what is by hand."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
import yaml

import run_notebooks
import set_repository
import take_along
from checkout import NOTEBOOKS, ROOT
from tests.book_helpers import chapter, save

URL = "https://github.com/somebody/a-fork"


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a checkout with the settings, a chapter and an assignment."""
    (tmp_path / "notebooks" / "assignments").mkdir(parents=True)
    shutil.copy(ROOT / "_config.yml", tmp_path)
    made = chapter("1")
    made.metadata["title"] = "ε-privacy \u2028 “quoted”"
    save(made, tmp_path / "notebooks" / "99_test.ipynb")
    save(chapter("1"), tmp_path / "notebooks" / "assignments" / "9_test.ipynb")
    monkeypatch.setattr(set_repository, "ROOT", tmp_path)
    monkeypatch.setattr(set_repository, "CONFIG", tmp_path / "_config.yml")
    monkeypatch.setattr(set_repository, "NOTEBOOKS", tmp_path / "notebooks")
    monkeypatch.setenv("URL", "")
    monkeypatch.delenv("SITE", raising=False)
    assert set_repository.main() == 0
    return tmp_path


REFUSED = [
    *(("URL", url) for url in ("fork", "git@github.com:somebody/fork", "https://github.com/somebody", "https:///somebody/fork",
                               "https://user:secret@github.com/somebody/fork", "https://github.com/somebody/fork?x=1",
                               'https://github.com/somebody/fork"; import os')),
    *(("SITE", site) for site in ("a.b", "ftp://a.b/", "https://a.b/?x=1", 'https://a.b/"; x: "', "https://user:secret@a.b/", "https:///")),
]


def test_the_address_is_set_changed_and_removed_without_a_trace(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = copy / "notebooks" / "99_test.ipynb"
    assert run_notebooks.run(path)[1:] == ([], True)
    contents = [{path: path.read_bytes() for path in copy.rglob("*") if path.is_file()}]
    shown = "https://somebody.github.io/a-fork/"
    for url, site in ((f" {URL}.git/ ", shown), ("https://codeberg.org/group/of/people", ""), ("", "")):
        monkeypatch.setenv("URL", url)
        assert set_repository.main() == 0 and set_repository.settings()["html"]["baseurl"] == site
        contents.append({path: path.read_bytes() for path in copy.rglob("*") if path.is_file()})
    assert contents[0] == contents[-1] and not set(contents[0].items()) & set(contents[1].items()) & set(contents[2].items())
    for name, wrong in REFUSED:
        monkeypatch.setenv("URL", URL)
        monkeypatch.setenv("SITE", "")
        monkeypatch.setenv(name, wrong)
        assert set_repository.main() == 1 and (copy / "_config.yml").read_bytes() == contents[-1][copy / "_config.yml"], wrong
    monkeypatch.delenv("SITE")
    (copy / "_config.yml").write_bytes(contents[1][copy / "_config.yml"])
    monkeypatch.delenv("URL")
    assert set_repository.main() == 0  # what somebody set by hand goes into the notebooks
    assert {path: path.read_bytes() for path in contents[0]} == contents[1]
    assert run_notebooks.run(path)[1:] == ([], False)  # the cell runs here, and does not count among the others
    title, cell, *_ = nbformat.read(path, 4).cells
    assert title.source.startswith("# ") and cell.metadata.tags == ["remove-cell"]
    assert f', "{URL}"' in cell.source


FIND = r"""import importlib.util
found, importlib.util.find_spec = importlib.util.find_spec, lambda name: None if name == "bandits_book" else found(name)
get_ipython().register_magic_function(lambda line: print("pip", line), "line", "pip")
get_ipython().run_cell(open("cell.py").read())
import sys
print(sys.path[:2])
"""


@pytest.mark.parametrize(("beside", "url", "told"), [
    ("", "", "SystemExit: This notebook needs the book's package."),
    ("", URL, f'pip install -q "bandits-dp[plots,labs] @ git+{URL}"'),
    ("bandits_dp-0.2.0-py3-none-any.whl", URL, 'pip install -q "bandits-dp[plots,labs] @ file:///'),
    ("book/bandits_book/", "", "/book']"),
])
def test_a_notebook_alone_finds_the_package_or_says_how(tmp_path: Path, beside: str, url: str, told: str) -> None:
    """The first cell of a notebook that was taken along ended in a bare ModuleNotFoundError."""
    here = tmp_path / "notebooks"
    here.mkdir()
    (here / "cell.py").write_text(set_repository.SETUP.format(url), "utf-8")
    if beside.endswith("/"):
        (tmp_path / beside).mkdir(parents=True)
    elif beside:
        (here / beside).touch()
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run([sys.executable, "-m", "IPython", "--colors=NoColor", "-c", FIND], cwd=here, env=environment,
                          capture_output=True, text=True, timeout=120, check=False)
    assert told in done.stdout and "ModuleNotFound" not in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize(("url", "site", "set_to"), [
    ("https://github.com/Some/Some.GitHub.io", None, "https://some.github.io/"),
    ("https://GitHub.com/Some/Fork", None, "https://some.github.io/Fork/"),
    ("https://github.com/some/fork", "https://bandits.example.org", "https://bandits.example.org/"),
    ("https://gitlab.com/some/fork", "https://a.b:8000/c/d/", "https://a.b:8000/c/d/"),
    (None, " http://a.b/c ", "http://a.b/c/"),
    (URL, "", ""),
    (None, None, ""),
])
def test_the_sites_address_is_that_of_the_host_or_the_one_given(copy: Path, monkeypatch: pytest.MonkeyPatch, url: str | None,
                                                                site: str | None, set_to: str) -> None:
    """No command set it, so every project site had links from the host's root."""
    monkeypatch.delenv("URL")
    for name, value in (("URL", url), ("SITE", site)):
        if value is not None:
            monkeypatch.setenv(name, value)
    assert set_repository.main() == 0
    assert set_repository.settings()["html"]["baseurl"] == set_to and set_repository.address() == (url or "")


def test_every_notebook_has_the_address_of_the_settings() -> None:
    for path in [*NOTEBOOKS.glob("*.ipynb"), *NOTEBOOKS.glob("assignments/*.ipynb")]:
        made = set_repository.with_setup(nbformat.read(path, 4), set_repository.address())
        assert nbformat.writes(made) + "\n" == path.read_text("utf-8"), path.name


@pytest.mark.parametrize(
    ("url", "source", "launch"),
    [("", False, False), (URL, True, True), ("https://GitLab.com/some/body", True, False), ("https://a.b/some/body", False, False)],
)
def test_buttons_and_commands_follow_from_the_address(url: str, source: bool, launch: bool) -> None:
    theme = {"repository_url": url, "launch_buttons": {"notebook_interface": "jupyterlab"}}
    take_along.switch_on(None, SimpleNamespace(html_theme_options=theme))
    assert {theme[button] for button in take_along.BUTTONS} == {source} and ("colab_url" in theme["launch_buttons"]) is launch
    text = [(ROOT / "book" / "get_the_code.md").read_text("utf-8")]
    take_along.write(SimpleNamespace(config=SimpleNamespace(html_theme_options=theme)), "book/get_the_code", text)
    assert len(re.findall(rf"(?:git clone |git\+){re.escape(url or take_along.NO_ADDRESS)}(?!/)", text[0])) >= 2


def test_what_is_written_by_hand_is_valid_and_leads_to_what_is_there() -> None:
    page = (ROOT / "book" / "publish.md").read_text("utf-8")
    cited, packaged, badges = (re.search(rf"(?s)```{kind}\n(.*?)```", page)[1] for kind in ("yaml", "toml", "markdown"))
    assert yaml.safe_load(cited).keys() == {"repository-code", "url"}
    assert {"Homepage", "Source", "Issues"} <= tomllib.loads(packaged)["project"]["urls"].keys()
    assert all((ROOT / ".github" / "workflows" / name).is_file() for name in re.findall(r"workflows/([\w.]+?\.yml)", badges))
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert citation.keys() >= {"message", "title", "authors", "license"}
