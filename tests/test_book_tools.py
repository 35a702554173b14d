"""The scripts behind `make` trust nothing half-done, and answer plainly when something is missing."""

import ast
import json
import os
import re
import sys
from pathlib import Path

import pytest

import build_book
import checkout
import environment
from checkout import ROOT

Capture = pytest.CaptureFixture[str]
NOW = {"base": "b", "texts": "t"}


@pytest.fixture
def build_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder that looks like a finished build and a stopped refresh, for `build_book` to judge."""
    folder = tmp_path / "_build"
    for name in ("html", "refresh"):
        (folder / name).mkdir(parents=True)
    (folder / "html" / "index.html").touch()
    monkeypatch.setattr(build_book, "BUILD", folder)
    monkeypatch.setattr(build_book, "SITE", folder / "html")
    monkeypatch.setattr(build_book, "STATE", folder / "state.json")
    return folder


@pytest.mark.parametrize(("state", "current", "kept"), [
    ({"status": "built", "base": "b", "texts": "t"}, True, True),
    ({"status": "built", "base": "b", "texts": "old"}, False, True),
    ({"status": "built", "base": "old", "texts": "t"}, False, False),
    ({"status": "building", "base": "b", "texts": "t"}, False, False),
    ('{"status": "bui', False, False),
    (None, False, False),
])
def test_only_what_is_current_survives(build_folder: Path, state: object, current: bool, kept: bool) -> None:
    if state is not None:
        (build_folder / "state.json").write_text(state if isinstance(state, str) else json.dumps(state))
    assert build_book.is_current(NOW) is current
    build_book.prepare(NOW)
    assert (build_folder / "html").exists() is kept and (build_folder / "refresh").exists()
    assert build_book.read_state() == {"status": "building", **NOW}


def test_a_lost_site_is_not_current(build_folder: Path) -> None:
    build_book.write_state({"status": "built", **NOW})
    (build_folder / "html" / "index.html").unlink()
    assert not build_book.is_current(NOW)


def test_fingerprint_sees_every_change_of_a_name_or_a_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkout, "ROOT", tmp_path)
    one, two = tmp_path / "package" / "one.py", tmp_path / "package" / "two.py"
    (tmp_path / "package" / "__pycache__").mkdir(parents=True)
    seen = set()
    for change in (lambda: one.write_text("1"), lambda: two.write_text("2"), lambda: one.write_text("11"),
                   lambda: two.rename(two.with_stem("three")), two.with_stem("three").unlink):  # fmt: skip
        change()
        now = checkout.fingerprint("package/**/*")
        assert now not in seen
        seen.add(now)
        os.utime(one, (0, 0))
        (tmp_path / "package" / "__pycache__" / f"{len(seen)}.pyc").write_text("x")
        assert checkout.fingerprint("package/**/*") == now


def test_pages_follow_the_data_that_they_show() -> None:
    """Otherwise a page would go on showing old rows: Sphinx compares its text, not what its cells read."""
    made = [*(ROOT / "book").glob("*.md"), *(ROOT / "book" / "_ext").glob("*.py")]
    shown = {name for page in made for name in re.findall(r"\w+\.(?:json|toml)", page.read_text("utf-8"))}
    assert {"benchmarks.json", "claims.json", "catalogue.toml"} <= shown
    counted = {path.name for pattern in build_book.BASE for path in ROOT.glob(pattern)}
    assert {name for name in shown if (ROOT / "book" / name).exists()} <= counted


def test_an_old_python_gets_a_plain_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    assert environment.complaint() == ""
    monkeypatch.setattr(sys, "version_info", (3, 9, 2))
    told = environment.complaint()
    assert "needs Python 3.11 or newer" in told and "is Python 3.9" in told and "make book PY=" in told


def test_a_python_inside_the_environment_is_traced_to_its_base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    base = environment.base_interpreter(tmp_path)
    assert Path(base).is_relative_to(sys.base_prefix) and Path(base).is_file()
    assert environment.base_interpreter(Path("/nowhere")) == sys.executable


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
    monkeypatch.setattr(checkout, "fcntl", None)  # on Windows there is no lock
    with checkout.exclusive() as lock:
        assert lock == () and capsys.readouterr().out == ""
