"""Find a Chromium that Playwright can start, or get one; fail with advice if neither works.

Looked for in this order: the file that the variable CHROMIUM names, a system's Chromium or Chrome on the path, the browser that
Playwright downloaded before. If there is none: Playwright's download is tried, then, as root and with apt-get, the system's.
What is found has been started once, so nothing that is there by half, or lacks a library, is taken for a browser.
As a pytest plugin this is done before any test runs; where there is none, one failure stands for all tests that open pages.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache

import pytest

from checkout import exclusive

MISSING = "BANDITS_DP_NO_BROWSER"  # a variable of `settle`: why there is no browser, or empty
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
START = """
import sys
from playwright.sync_api import sync_playwright
with sync_playwright() as playwright:
    path = sys.argv[1] or playwright.chromium.executable_path
    try:
        playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"], timeout=60_000).close()
    except Exception as error:
        sys.exit(str(error))
print(path)
"""
ADVICE = """\
Opening pages needs Chromium or Google Chrome. None was found that starts, and none could be installed
(if that was tried, the first lines of this run say why it failed: no network, a full disk). Looked at:
{}
Do one of these, and run it again:
  install it with your system's packages (Debian: apt-get install chromium libatomic1; Fedora: dnf install chromium libatomic),
  let Playwright download it: .venv/bin/python -m playwright install --force --with-deps chromium,
  or name one that you have: CHROMIUM=/path/to/chrome make test"""


def started(browser: str) -> tuple[str, str]:
    """Let Playwright start a browser, or with "" the one that it downloaded; return the path, or "" and why it does not start.

    In a process of its own, because Playwright cannot be started where it or another event loop runs.
    """
    try:
        command = [sys.executable, "-c", START, browser]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=180, check=False)
    except subprocess.TimeoutExpired:
        return "", "did not start within three minutes"
    if done.returncode == 0:
        return done.stdout.strip(), ""
    told = done.stderr.strip().splitlines() or [f"ended with {done.returncode}"]
    return "", next((line.strip() for line in told if "shared librar" in line), told[0])


def find() -> tuple[str, str]:
    """Return the path of a browser that starts, or "" and why none does."""
    if named := os.environ.get("CHROMIUM"):
        path, why = started(shutil.which(named) or named)
        if path:
            return path, ""
        advice = "Name a Chromium that does, or unset CHROMIUM, and one is looked for."
        raise RuntimeError(f"CHROMIUM={named} does not start: {why}\n{advice}")
    reasons = []
    for browser in [*filter(None, map(shutil.which, NAMES)), ""]:
        path, why = started(browser)
        if path:
            return path, ""
        reasons.append(f"  {browser or 'the one that Playwright downloads'}: {why}")
    return "", "\n".join(reasons)


def attempt(*command: str) -> bool:
    """Run a command that may well fail, and tell whether it worked."""
    print("$ " + " ".join(command), flush=True)
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, env=quiet, timeout=900, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        print(error, flush=True)
        return False
    return done.returncode == 0


def ways() -> Iterator[tuple[str, ...]]:
    """List the commands that may bring a browser, in the order in which they are tried."""
    yield sys.executable, "-m", "playwright", "install", "chromium"
    if shutil.which("apt-get") and os.geteuid() == 0:
        yield "apt-get", "update", "-q"
        yield "apt-get", "install", "-y", "-q", "--no-install-recommends", "chromium", "libatomic1"


@cache
def get() -> str:
    """Return the path of a browser that starts; install one first if need be."""
    path, why = find()
    if not path:
        with exclusive():  # two processes of one test run may need it at once
            path, why = find()
            for command in ways():
                if not path and attempt(*command):
                    path, why = find()
    if not path:
        raise RuntimeError(ADVICE.format(why))
    return path


def settle() -> str:
    """Find or get a browser for this process and all that it starts; return why there is none, or an empty string."""
    if MISSING not in os.environ:
        print("Looking for a browser, because tests open pages.", flush=True)
        try:
            os.environ["CHROMIUM"] = get()
            os.environ[MISSING] = ""
            print(f"Found {os.environ['CHROMIUM']}", flush=True)
        except RuntimeError as error:
            os.environ[MISSING] = str(error)
            print("There is none: tests that open pages are left out, and one failure in the end says what to do.", flush=True)
    return os.environ[MISSING]


class Missing(pytest.Item):
    """Fails in the place of the tests that open pages."""

    why = ""

    def runtest(self) -> None:
        pytest.fail(self.why, pytrace=False)


@pytest.hookimpl(trylast=True)  # when it is known which tests will run
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Settle the browser if a test opens pages, and without one leave those tests out."""
    opening = [item for item in items if item.get_closest_marker("browser")]
    if not opening:
        return
    with config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
        why = settle()
    if why:
        missing = Missing.from_parent(opening[0].parent, name="a_browser_starts")
        missing.why = f"{len(opening)} tests that open pages did not run, because no browser starts.\n{why}"
        left_out = set(opening)
        items[:] = [missing if item is opening[0] else item for item in items if item is opening[0] or item not in left_out]
        config.hook.pytest_deselected(items=opening)
