"""The browser is found or got before anything starts; where there is none, one failure says so, and the other tests run."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

import get_browser
from checkout import ROOT


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Take all browsers away; return the only folder of the path."""
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path / "downloaded"))
    return tmp_path


def broken(path: Path) -> str:
    """Make a program that ends at once, as a browser does that is there by half."""
    path.write_text("#!/bin/sh\nexit 1\n")
    path.chmod(0o755)
    return str(path)


def test_a_machine_without_browsers_has_none_inside_a_running_loop_either(bare: Path) -> None:
    async def inside() -> tuple[str, str]:
        return get_browser.find()

    assert get_browser.find() == asyncio.run(inside())
    path, why = get_browser.find()
    assert path == "" and why.startswith("  the one that Playwright downloads: ") and "\n" not in why


@pytest.mark.skipif(sys.platform == "win32", reason="the broken browser is a script of sh")
def test_what_is_there_and_does_not_start_is_no_browser(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    named = broken(bare / "chromium")
    path, why = get_browser.find()
    assert path == "" and why.startswith(f"  {named}: ") and len(why.splitlines()) == 2
    for wrong in (named, "/no/such/browser"):
        monkeypatch.setenv("CHROMIUM", wrong)
        with pytest.raises(RuntimeError, match=f"CHROMIUM={wrong} does not start: .*\n.*unset CHROMIUM"):
            get_browser.find()


@pytest.mark.parametrize("works", [False, True], ids=["nothing can be fetched", "what is fetched does not start"])
def test_every_way_is_tried_and_then_there_is_advice(monkeypatch: pytest.MonkeyPatch, works: bool) -> None:
    tried: list[tuple[str, ...]] = []
    monkeypatch.setattr(os, "geteuid", lambda: 0, raising=False)
    monkeypatch.setattr(get_browser.shutil, "which", lambda name: "/usr/bin/apt-get")
    monkeypatch.setattr(get_browser, "find", lambda: ("", "  chromium: no space left"))
    monkeypatch.setattr(get_browser, "attempt", lambda *command: bool(tried.append(command)) or works)
    with pytest.raises(RuntimeError, match=r"needs Chromium or Google Chrome(?s:.*)\n  chromium: no space left\nDo one of"):
        get_browser.get.__wrapped__()
    packages, tidy = ("chromium", "libatomic1"), ("--configure", "-a")
    assert [command[-2:] for command in tried] == [("install", "chromium"), packages, tidy, ("update", "-q"), packages]


def test_the_first_that_brings_one_is_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[tuple[str, ...]] = []
    monkeypatch.setattr(get_browser, "find", lambda: ("/there", "") if tried else ("", "nothing"))
    monkeypatch.setattr(get_browser, "attempt", lambda *command: not tried.append(command))
    assert get_browser.get.__wrapped__() == "/there" and len(tried) == 1


@pytest.mark.parametrize("options", [[], ["-n2"]], ids=["here", "by workers"])
def test_without_a_browser_one_failure_stands_for_all(tmp_path: Path, options: list[str]) -> None:
    """What needs no browser runs, and the advice is given once."""
    for name in ("test_one.py", "test_two.py"):
        (tmp_path / name).write_text(
            "import pytest\n@pytest.mark.browser\n@pytest.mark.parametrize('page', range(3))\n"
            "def test_page(page): assert False, 'was run'\ndef test_number(): pass\n"
        )
    others = (get_browser.MISSING, "CI", "BUILD_NUMBER")  # with these pytest says everything again in its summary
    alone = {name: value for name, value in os.environ.items() if name not in others} | {"CHROMIUM": "/no/such"}
    command = [sys.executable, str(ROOT / "book" / "_tools" / "run_tests.py"), str(tmp_path), "-p", "no:cacheprovider", *options]
    done = subprocess.run(command, cwd=ROOT, env=alone, capture_output=True, text=True, timeout=600, check=False)
    told = done.stdout.splitlines()
    assert done.returncode == 1 and told[-1].startswith("1 failed, 2 passed"), done.stdout
    assert "\n6 tests that open pages did not run" in done.stdout and done.stdout.count("unset CHROMIUM") == 1
    assert any(line.startswith("FAILED ") and "test_one.py::a_browser_starts" in line for line in told)
