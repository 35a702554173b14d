"""The built book, served to a real browser: over http from a loopback server, and straight from its files."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

import get_browser
from checkout import ROOT, SITE

sys.path.insert(0, str(Path(__file__).parent))
from pages import DESKTOP, Address, Quiet, served, watch

FLAGS = [  # Chromium as root in a container, without the services that would ask other hosts for things
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
    # No other host has an address, so no request reaches one; asking this process about each would cost more than many pages.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]


@pytest.hookimpl(tryfirst=True)  # before -m looks at the markers
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of the site, and put them last, because they need a build and a browser."""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker("site")
    items.sort(key=lambda item: item.get_closest_marker("site") is not None)


@pytest.fixture(scope="session")
def build() -> list[str]:
    """Build the book, unless it is built from just what is here; return what to say if that failed, first at length."""
    command = [sys.executable, str(ROOT / "book" / "_tools" / "build_book.py")]
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=7200
    )
    return [done.stdout, "The book was not built: see the first of these failures."] if done.returncode else []


@pytest.fixture(autouse=True)
def built(build: list[str]) -> None:
    """Fail a test of the site, and do not skip it, when there is none."""
    if build:
        pytest.fail(build.pop(0) if len(build) > 1 else build[0], pytrace=False)


@pytest.fixture(scope="session")
def server(build: list[str]) -> Iterator[str]:
    yield from served(Quiet)


@pytest.fixture(scope="module")  # no longer: Playwright runs once at a time, and other tests use it too
def browser() -> Iterator[Browser]:
    """Start the browser that the tools find or get, with scrollbars: they take space, and boxes that scroll for no reason show."""
    chromium = get_browser.get()
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=chromium, args=FLAGS, ignore_default_args=["--hide-scrollbars"])


@pytest.fixture(scope="session")
def address(server: str) -> Address:
    return lambda scheme, page: f"{server}/{page}" if scheme == "http" else (SITE / page).as_uri()


@pytest.fixture(scope="module")
def one_tab(browser: Browser, server: str) -> Iterator[tuple[Page, list[str]]]:
    """Open the tab that `page` lends: to start another one takes longer than to read and draw most pages."""
    wrong: list[str] = []
    with browser.new_context(viewport=DESKTOP) as context:
        yield watch(context, server, wrong), wrong


@pytest.fixture
def page(one_tab: tuple[Page, list[str]]) -> Iterator[Page]:
    """Lend that tab: blank, in the light, without a memory of others. A page error or a remote request fails the test."""
    page, wrong = one_tab
    yield page
    page.evaluate("localStorage.clear(); sessionStorage.clear()")
    page.context.clear_cookies()
    page.goto("about:blank")
    page.set_viewport_size(DESKTOP)
    page.emulate_media(media="null", color_scheme="light")
    told = wrong[:]
    wrong.clear()
    assert not told
