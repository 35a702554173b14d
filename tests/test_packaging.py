"""What is published: the wheel holds the packages alone, the source archive also their tests, and Binder gets what readers need."""

import ast
import re
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import packages_distributions

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.version import Version

import bandits_dp
import try_package
from checkout import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
OPTIONAL = ("matplotlib", "pandas", "sklearn", "pooch", "ipywidgets", "requests", "IPython", "distributed", "dask")
HIDDEN = "import runpy, sys; sys.modules.update(dict.fromkeys({})); runpy.run_module('tests.without_extras', run_name='__main__')"


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("built")
    archive, wheel = try_package.build(folder)
    return try_package.unpacked(archive, folder), zipfile.ZipFile(wheel)


def needs(*parts):
    """Return the requirements of pyproject.toml: of the package, of its extras, or of one extra."""
    lists = {"package": PROJECT["dependencies"], **EXTRAS}
    wanted = [Requirement(line) for part in parts or lists for line in lists[part]]
    return {one.name: one for one in wanted if one.name != PROJECT["name"]}


def least(requirement):
    (bound,) = [one.version for one in requirement.specifier if one.operator == ">="]
    return Version(bound)


def listed(path):
    """Return the lines of a file of requirements, without what each is for."""
    lines = (line.partition("#")[0].strip() for line in (ROOT / path).read_text("utf-8").splitlines())
    return {line for line in lines if line}


def files(folder):
    """Return the files of the two packages, as the wheel calls them."""
    return {path.relative_to(top).as_posix() for top, name in ((folder, "bandits_dp"), (folder / "book", "bandits_book"))
            for path in (top / name).rglob("*") if path.is_file() and "__pycache__" not in path.parts}


def test_the_wheel_holds_every_file_of_the_packages_and_nothing_else(built):
    _, wheel = built
    names = {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert names == files(ROOT) and {"bandits_dp/py.typed", "bandits_book/py.typed", "bandits_book/contest.json"} <= names


def test_the_metadata_tells_licence_extras_and_five_dependencies(built):
    _, wheel = built
    (told,) = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
    lines = wheel.read(told).decode().splitlines()
    assert {"License-Expression: MIT", "License-File: LICENSE", "Description-Content-Type: text/markdown"} <= set(lines)
    assert told.replace("METADATA", "licenses/LICENSE") in wheel.namelist()
    always = {Requirement(line[15:]).name for line in lines if line.startswith("Requires-Dist: ") and "extra ==" not in line}
    assert always == {"numpy", "scipy", "joblib", "threadpoolctl", "tqdm"}
    extras = [line[16:] for line in lines if line.startswith("Provides-Extra: ")]
    assert extras == ["plots", "labs", "lastfm", "tables", "all", "test"]


def test_the_source_archive_is_the_packages_and_their_tests(built):
    source, wheel = built
    assert {path.name for path in source.iterdir()} == {
        "bandits_dp", "bandits_dp.egg-info", "book", "tests", "CHANGELOG.md", "LICENSE", "MANIFEST.in", "PKG-INFO", "README.md",
        "pyproject.toml", "setup.cfg",
    }
    assert [path.name for path in (source / "book").iterdir()] == ["bandits_book"]
    assert files(source) == {name for name in wheel.namelist() if ".dist-info/" not in name}


def test_every_test_in_the_source_archive_can_run_there(built):
    """It imports what the extra `test` brings and what is in the archive, and opens no file of the book."""
    source, _ = built
    extras = needs("package", "plots", "lastfm", "tables", "test").keys() | {"requests", "psutil"}  # with pooch and distributed
    brought = {name for name, owners in packages_distributions().items() if extras & {owner.lower() for owner in owners}}
    known = brought | set(sys.stdlib_module_names) | {"bandits_dp", "bandits_book", "tests"}
    wrong = []
    for path in sorted((source / "tests").rglob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        for node in ast.walk(tree):
            modules = []
            if isinstance(node, ast.Import):
                modules = [one.name for one in node.names]
            elif isinstance(node, ast.ImportFrom):
                modules = [node.module] if node.module != "tests" else [f"tests.{one.name}" for one in node.names]
            elif isinstance(node, ast.Constant) and path.name != "conftest.py" and node.value in ("book", "notebooks"):
                wrong.append(f"{path.name} names the folder {node.value}")  # conftest.py does so for the tests of claims alone
            for module in modules:
                here = source / module.replace(".", "/")
                there = module.partition(".")[0] != "tests" or here.is_dir() or here.with_suffix(".py").exists()
                if module.partition(".")[0] not in known or not there:
                    wrong.append(f"{path.name} imports {module}")
    assert not wrong, "name these files in MANIFEST.in, or move what needs the book to a file of its own: " + "; ".join(wrong)
    assert len(list((source / "tests").glob("test_*.py"))) > 30


def test_what_draws_nothing_needs_no_extra():
    command = [sys.executable, "-c", HIDDEN.format(OPTIONAL)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr


def test_one_version_everywhere():
    told = re.search(r"(?m)^## (\S+?),? ", (ROOT / "CHANGELOG.md").read_text("utf-8"))[1]
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))["version"]
    assert bandits_dp.__version__ == cited == told == PROJECT["version"]


def test_what_the_book_is_built_with_is_allowed_by_the_package():
    """And a dependency of the package, or of its tests, is one of the book."""
    book = {one.name: one for one in map(Requirement, listed("requirements.txt") - {"-e ."})}
    for name, wanted in needs().items():
        assert name in book and least(wanted) <= least(book[name]), f"{wanted} in pyproject.toml, here {book.get(name)}"


def test_binder_gets_the_package_and_a_place_to_run_notebooks():
    """With the bounds of the book, so that numbers are the same; it reads its folder, and nothing at the top."""
    light = listed("binder/requirements.txt")
    assert "-e ." in light <= listed("requirements.txt")
    assert {Requirement(line).name for line in light - {"-e ."}} == {
        "numpy", "scipy", "matplotlib", "scikit-learn", "pooch", "pandas", "jupyterlab", "ipywidgets"}
    assert re.fullmatch(r"python-3\.1[1-3]\n", (ROOT / "binder" / "runtime.txt").read_text("utf-8"))
    assert not [name for name in ("runtime.txt", ".binder", "environment.yml", "postBuild") if (ROOT / name).exists()]
