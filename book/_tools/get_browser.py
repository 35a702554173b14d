"""Find a Chromium for the tests that open pages, or get one; fail with advice if neither works.

Looked for in this order: the file that the variable CHROMIUM names, a system's Chromium or Chrome on the
path, the browser that Playwright downloaded before. If there is none: Playwright's download is tried, then,
on a system with apt-get and as root, the system's package.
"""

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

from checkout import exclusive

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ADVICE = """\
The browser tests need Chromium or Google Chrome, and neither was found nor could be installed. Do one of:
  install it with your system's packages (Debian: apt-get install chromium; Fedora: dnf install chromium),
  let Playwright download it: .venv/bin/python -m playwright install --with-deps chromium,
  or name one that you have: CHROMIUM=/path/to/chrome make test"""


def starts(browser: str | None) -> bool:
    """Tell whether `browser` is a program that can say its version."""
    if not browser or not os.access(browser, os.X_OK):
        return False
    if os.name == "nt":
        return True  # there it opens a window and says nothing
    try:
        done = subprocess.run([browser, "--version"], capture_output=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def downloaded() -> str | None:
    """Return where Playwright keeps its own Chromium, whether or not it is there."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).exists() else None


def find() -> str | None:
    """Return the path of a browser that starts, or None."""
    named = os.environ.get("CHROMIUM")
    if named:
        path = shutil.which(named)
        if not starts(path):
            raise RuntimeError(f"CHROMIUM={named} does not start; name a Chromium or unset it.")
        return path
    for name in NAMES:
        path = shutil.which(name)
        if starts(path):
            return path
    path = downloaded()
    return path if starts(path) else None


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


def install() -> str | None:
    """Try to get a browser in the ways there are; return its path, or None."""
    if attempt(sys.executable, "-m", "playwright", "install", "chromium") and (browser := find()):
        return browser
    if shutil.which("apt-get") and os.geteuid() == 0:
        package = ("apt-get", "install", "-y", "-q", "--no-install-recommends", "chromium")
        if (attempt(*package) or (attempt("apt-get", "update", "-q") and attempt(*package))) and find():
            return find()
    return None


@cache
def get() -> str:
    """Return the path of a browser that starts; install one first if need be."""
    browser = find()
    if not browser:
        with exclusive():  # two processes of one test run may need it at once
            browser = find() or install()
    if not browser:
        raise RuntimeError(ADVICE)
    return browser
