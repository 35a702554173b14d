"""The browser is found or got before anything starts; where there is none, one failure says so, and the other tests run."""

import asyncio
import contextlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

import get_browser
from checkout import ROOT


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path / "downloaded"))
    return tmp_path


def test_a_machine_without_browsers_has_none_inside_a_running_loop_either(bare: Path) -> None:
    async def inside() -> tuple[str, str]:
        return get_browser.find()

    path, why = get_browser.find()
    assert asyncio.run(inside()) == (path, why)
    assert path == "" and why.startswith("  the one that Playwright downloads: ") and "\n" not in why


@pytest.mark.skipif(sys.platform == "win32", reason="the broken browser is a script of sh")
def test_what_is_there_and_does_not_start_is_no_browser(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = bare / "chromium"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    path, why = get_browser.find()
    assert path == "" and why.startswith(f"  {broken}: ") and len(why.splitlines()) == 2
    monkeypatch.setenv("CHROMIUM", str(broken))
    with pytest.raises(RuntimeError, match=f"CHROMIUM={broken} does not start: .*\n.*unset CHROMIUM"):
        get_browser.find()


@pytest.mark.parametrize("comes", [False, True])
def test_every_way_is_tried_until_one_brings_a_browser_and_else_there_is_advice(monkeypatch: pytest.MonkeyPatch,
                                                                                comes: bool) -> None:
    tried: list[tuple[str, ...]] = []
    monkeypatch.setattr(os, "geteuid", lambda: 0, raising=False)
    monkeypatch.setattr(get_browser.shutil, "which", lambda name: "/usr/bin/apt-get")
    monkeypatch.setattr(get_browser, "exclusive", contextlib.nullcontext)  # or it waits for the build of the book
    monkeypatch.setattr(get_browser, "find", lambda: ("/there", "") if tried and comes else ("", "  chromium: no space left"))
    monkeypatch.setattr(get_browser, "attempt", lambda *command: not tried.append(command))
    if comes:
        assert get_browser.get.__wrapped__() == "/there"
    else:
        with pytest.raises(RuntimeError, match=r"needs Chromium or Google Chrome(?s:.*)\n  chromium: no space left\nDo one of"):
            get_browser.get.__wrapped__()
    ways = [("install", "chromium"), ("update", "-q"), ("chromium", "libatomic1")]
    assert [command[-2:] for command in tried] == ways[: 1 if comes else 3]


def test_without_a_browser_one_failure_stands_for_all_and_what_is_skipped_counts_as_failed(tmp_path: Path) -> None:
    """By two workers. What needs no browser runs, and the advice is given once."""
    for name in ("test_one.py", "test_two.py"):
        (tmp_path / name).write_text(
            "import pytest\n@pytest.mark.browser\n@pytest.mark.parametrize('page', range(3))\n"
            "def test_page(page): assert False, 'was run'\ndef test_number(): pass\n")
    (tmp_path / "test_lazy.py").write_text(
        "import pytest\ndef test_lazy(): pytest.skip('later')\n@pytest.mark.xfail\ndef test_known(): assert False\n"
        "@pytest.mark.sandbox\ndef test_boxed(): pytest.skip('test_boxed: no bwrap')\n")
    others = (get_browser.MISSING, "CI", "BUILD_NUMBER")  # with these pytest says everything again in its summary
    alone = {name: value for name, value in os.environ.items() if name not in others} | {"CHROMIUM": "/no/such"}
    tools = ROOT / "book" / "_tools"
    command = [sys.executable, str(tools / "run_tests.py"), str(tmp_path), "-p", "no:cacheprovider", "-n2", "-ra"]
    done = subprocess.run(command, cwd=ROOT, env=alone, capture_output=True, text=True, timeout=600, check=False)
    told = done.stdout.splitlines()
    assert done.returncode == 1 and told[-1].startswith("2 failed, 2 passed, 1 skipped, 1 xfailed"), done.stdout
    assert "\n6 tests that open pages did not run" in done.stdout and done.stdout.count("unset CHROMIUM") == 1
    assert any(line.startswith("SKIPPED ") and line.endswith("test_boxed: no bwrap") for line in told)
    assert any(line.startswith("FAILED ") and "test_one.py::a_browser_starts" in line for line in told)
