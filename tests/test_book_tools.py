"""The scripts behind `make` trust nothing half-done, and answer plainly when something is missing."""

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import fresh_machine
import longest_first
import pytest

import build_book
import checkout
import environment
from checkout import ROOT

Capture = pytest.CaptureFixture[str]

# What is trusted of an earlier build


NOW = {"base": "b", "texts": "t"}


@pytest.fixture
def build_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder that looks like a finished build, for `build_book` to judge."""
    folder = tmp_path / "_build"
    (folder / "html").mkdir(parents=True)
    (folder / "html" / "index.html").touch()
    monkeypatch.setattr(build_book, "BUILD", folder)
    monkeypatch.setattr(build_book, "SITE", folder / "html")
    monkeypatch.setattr(build_book, "STATE", folder / "state.json")
    return folder


@pytest.mark.parametrize(
    ("state", "current", "kept"),
    [
        ({"status": "built", "base": "b", "texts": "t"}, True, True),
        ({"status": "built", "base": "b", "texts": "old"}, False, True),
        ({"status": "built", "base": "old", "texts": "t"}, False, False),
        ({"status": "failed", "base": "b", "texts": "t"}, False, False),
        ({"status": "building", "base": "b", "texts": "t"}, False, False),
        ({}, False, False),
        (None, False, False),
    ],
)
def test_only_what_is_current_survives(
    build_folder: Path, state: dict[str, str] | None, current: bool, kept: bool
) -> None:
    if state is not None:
        (build_folder / "state.json").write_text(json.dumps(state))
    assert build_book.is_current(NOW) is current
    build_book.prepare(NOW)
    assert (build_folder / "html").exists() is kept
    assert build_book.read_state() == {"status": "building", **NOW}


def test_a_torn_state_is_not_trusted(build_folder: Path) -> None:
    (build_folder / "state.json").write_text('{"status": "bui')
    build_book.prepare(NOW)
    assert {path.name for path in build_folder.iterdir()} == {"state.json"}


def test_a_build_leaves_where_a_stopped_refresh_goes_on(build_folder: Path) -> None:
    (build_folder / "refresh").mkdir()
    build_book.prepare(NOW)
    assert {path.name for path in build_folder.iterdir()} == {"refresh", "state.json"}


def test_a_lost_site_is_not_current(build_folder: Path) -> None:
    build_book.write_state({"status": "built", **NOW})
    (build_folder / "html" / "index.html").unlink()
    assert not build_book.is_current(NOW)


@pytest.mark.parametrize(
    ("line", "printed"),
    [
        ("\x1b[91mWARNING: no such label\x1b[39;49;00m\n", "WARNING: no such label"),
        (f"{ROOT}{os.sep}book/a.md:3: WARNING: no such label\n", "book/a.md:3: WARNING: no such label"),
        (f"{ROOT}/notebooks/a.ipynb: Executing notebook using local CWD\n", "  running notebooks/a.ipynb"),
        ("a.ipynb: WARNING: Executing notebook failed\n", "a.ipynb: WARNING: Executing notebook failed"),
        ("a.ipynb:240002: WARNING: no key\n", "a.ipynb, cell 24, line 2: WARNING: no key"),
        ("[IPKernelApp] WARNING | Kernel is running over TCP without encryption.\n", ""),
        ("reading sources... [ 10%] book/a\n", ""),
    ],
)
def test_a_build_tells_what_matters(line: str, printed: str) -> None:
    assert build_book.worth_printing(line) == printed


def test_fingerprint_sees_every_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkout, "ROOT", tmp_path)
    package = tmp_path / "package"
    package.mkdir()
    (package / "one.py").write_text("1")
    (package / "two.py").write_text("2")
    seen = [checkout.fingerprint("package/**/*")]

    def now() -> str:
        seen.append(checkout.fingerprint("package/**/*"))
        return seen[-1]

    os.utime(package / "one.py", (0, 0))
    (package / "__pycache__").mkdir()
    (package / "__pycache__" / "one.pyc").write_text("x")
    assert now() == seen[0]
    (package / "one.py").write_text("11")
    assert now() not in seen[:-1]
    (package / "two.py").rename(package / "three.py")
    assert now() not in seen[:-1]
    (package / "three.py").unlink()
    assert now() not in seen[:-1]


def test_pages_follow_the_data_that_they_show() -> None:
    """Otherwise a page would go on showing old rows: Sphinx compares its text, not what its cells read."""
    made = [*(ROOT / "book").glob("*.md"), *(ROOT / "book" / "_ext").glob("*.py")]
    shown = {name for page in made for name in re.findall(r"\w+\.json", page.read_text("utf-8"))}
    assert {"benchmarks.json", "claims.json"} <= shown
    counted = {path.name for pattern in build_book.BASE for path in ROOT.glob(pattern)}
    assert {name for name in shown if (ROOT / "book" / name).exists()} <= counted


def test_without_locks_work_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """On Windows, where a child process cannot inherit one either."""
    with checkout.exclusive() as lock:
        assert checkout.inherited(lock) == (lock,)
    monkeypatch.setattr(checkout, "fcntl", None)
    with checkout.exclusive() as lock:
        assert checkout.inherited(lock) == ()


# Plain answers


def test_an_old_python_gets_a_plain_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    assert environment.complaint() == ""
    monkeypatch.setattr(sys, "version_info", (3, 9, 2))
    told = environment.complaint()
    assert "needs Python 3.11 or newer" in told
    assert "is Python 3.9" in told
    assert "make book PY=" in told


def test_a_python_without_venv_gets_a_plain_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ensurepip", None)
    assert "cannot make virtual environments" in environment.complaint()


def test_a_python_inside_the_environment_is_traced_to_its_base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    base = environment.base_interpreter(tmp_path)
    assert Path(base).is_relative_to(sys.base_prefix) and Path(base).is_file()
    assert environment.base_interpreter(Path("/nowhere")) == sys.executable


# The repository as a whole


def test_lock_names_no_download_address() -> None:
    text = (ROOT / "requirements.lock").read_text("utf-8")
    assert "://" not in text
    assert not [line for line in text.splitlines() if line.lstrip().startswith(("-i", "--index", "--extra"))]


def test_a_skipped_test_counts_as_failed(tmp_path: Path) -> None:
    (tmp_path / "test_lazy.py").write_text(
        "import pytest\ndef test_lazy(): pytest.skip('later')\ndef test_busy(): pass\n"
        "@pytest.mark.xfail\ndef test_known(): assert False\n"
    )
    script = str(ROOT / "book" / "_tools" / "run_tests.py")
    command = [sys.executable, script, str(tmp_path), "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 1
    told = done.stdout.splitlines()
    assert told[-1].startswith("1 failed, 1 passed, 1 xfailed in ")
    at_once = told[: next(index for index, line in enumerate(told) if line.startswith("=="))]
    assert any(line.startswith("FAILED ") and line.endswith("::test_lazy") for line in at_once)
    assert "browser" not in done.stdout  # none is looked for when no test opens pages


def test_every_wait_has_an_end() -> None:
    endless = []
    for path in [*(ROOT / "tests").rglob("*.py"), *(ROOT / "book").rglob("*.py")]:
        for call in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
                waits = call.func.attr in ("wait", "join", "communicate") and not call.args
                waits |= ast.unparse(call.func) in ("subprocess.run", "subprocess.check_call", "subprocess.check_output")
                if waits and "timeout" not in [keyword.arg for keyword in call.keywords]:
                    endless.append(f"{path.relative_to(ROOT)}:{call.lineno}")
    assert not endless, "say how long these wait at most"


def test_a_make_waits_for_another_one_and_not_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setattr(checkout, "ROOT", tmp_path)
    monkeypatch.setattr(checkout, "PATIENCE", 0.5)
    with checkout.exclusive():
        with pytest.raises(SystemExit, match="still at work, after"), checkout.exclusive():
            pass
        assert "Another make is at work" in capsys.readouterr().out
    with checkout.exclusive():
        assert capsys.readouterr().out == ""


def test_a_fresh_machine_reaches_the_same_index_and_knows_nothing_else() -> None:
    listed = ":env:.find-links='/wheels'\nglobal.cert='/ca.pem'\nglobal.constraint='/pins'\nuser.index-url='https://here/simple'\n"
    environment = {"https_proxy": "http://proxy", "SSL_CERT_FILE": "/ca.pem", "PYTHONPATH": "/mine", "CHROMIUM": "/usr/bin/mine"}
    kept = {"https_proxy": "http://proxy", "SSL_CERT_FILE": "/ca.pem"}
    assert fresh_machine.settings(listed, environment) == kept | {"PIP_CERT": "/ca.pem", "PIP_INDEX_URL": "https://here/simple"}


def test_files_that_last_long_come_first() -> None:
    files = [*(ROOT / "tests").rglob("test_*.py"), *(ROOT / "notebooks").glob("*.ipynb")]
    ordered = sorted(files, key=longest_first.place)
    known = len(longest_first.LONG)
    assert tuple(path.relative_to(ROOT).as_posix() for path in ordered[:known]) == longest_first.LONG
    assert list(dict.fromkeys(path.parent.name for path in ordered[known:])) == ["notebooks", "site", "tests"]
    kinds = [path.parent.name for path in ordered[known:]]
    assert kinds == sorted(kinds)  # and each kind in one piece
