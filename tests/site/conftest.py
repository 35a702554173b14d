"""The built book, served to a real browser: over http from a loopback server, and straight from its files."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from checkout import ROOT, SITE
from tests.book_helpers import browser  # noqa: F401  (a fixture)

sys.path.insert(0, str(Path(__file__).parent))
from pages import DESKTOP, Address, Quiet, served, watch


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


@pytest.fixture(scope="session")
def address(server: str) -> Address:
    return lambda scheme, page: f"{server}/{page}" if scheme == "http" else (SITE / page).as_uri()


@pytest.fixture(scope="module")
def one_tab(browser: Browser, server: str) -> Iterator[tuple[Page, list[str]]]:  # noqa: F811
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
