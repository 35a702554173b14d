"""The built book, served to a real browser: over http from a loopback server, and straight from its files."""

import functools
import http.server
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

import get_browser
from checkout import ROOT, SITE

sys.path.insert(0, str(Path(__file__).parent))

DESKTOP = {"width": 1300, "height": 900}
# Chromium as root in a container, without the services that would ask other hosts for things.
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # No other host has an address, so no request reaches one; asking this process about each would cost more than many pages.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]


@dataclass
class Sight:
    """What one visit to a page brought to light."""

    remote: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the tests of the site last, because they need a build and a browser."""
    items.sort(key=lambda item: item.path.is_relative_to(Path(__file__).parent))


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
    """Serve the book on a free loopback port; yield the address."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *args: object) -> None:
            """Say nothing."""

    with http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Quiet, directory=str(SITE))
    ) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()


@pytest.fixture(scope="module")  # no longer: Playwright runs once at a time, and other tests use it too
def browser() -> Iterator[Browser]:
    """Start the browser that the tools find or get."""
    chromium = get_browser.get()
    with sync_playwright() as playwright:
        # With scrollbars, which a headless browser hides: they take space, and boxes that scroll for no reason show.
        seen = {"ignore_default_args": ["--hide-scrollbars"]}
        running = playwright.chromium.launch(executable_path=chromium, headless=True, args=FLAGS, **seen)
        yield running
        running.close()


@pytest.fixture(scope="session")
def address(server: str) -> Callable[[str, str], str]:
    """Return a function from a scheme and a page's path to its address."""
    return lambda scheme, page: f"{server}/{page}" if scheme == "http" else (SITE / page).as_uri()


@pytest.fixture
def sight() -> Sight:
    """Collect what goes wrong in this test's pages; see `page`."""
    return Sight()


def watch(context: BrowserContext, sight: Sight, own: tuple[str, ...]) -> Page:
    """Open a page that notes errors and every request that is not for the book's `own` addresses."""
    context.on("request", lambda asked: None if asked.url.startswith(own) else sight.remote.append(asked.url))
    page = context.new_page()
    page.on("pageerror", lambda error: sight.errors.append(str(error)))
    page.on("console", lambda told: sight.errors.append(told.text) if told.type == "error" else None)
    return page


@pytest.fixture
def page(browser: Browser, server: str, sight: Sight) -> Iterator[Page]:
    """Open a page of desktop size; every test that uses it fails on a page error or a remote request."""
    with browser.new_context(viewport=DESKTOP) as context:
        yield watch(context, sight, own_addresses(server))
    assert_nothing_wrong(sight)


@pytest.fixture(scope="module")
def one_tab(browser: Browser, server: str) -> Iterator[tuple[Page, Sight]]:
    """Open the tab that `tab` lends: to start another one takes longer than to read and draw most pages."""
    sight = Sight()
    with browser.new_context(viewport=DESKTOP) as context:
        yield watch(context, sight, own_addresses(server)), sight


@pytest.fixture
def tab(one_tab: tuple[Page, Sight]) -> Iterator[Page]:
    """Lend a page as `page` does, for tests that need no browser of their own: the tab is that of all such tests of the file.

    Each gets it blank, of desktop size, in the light, and without a memory of other pages.
    """
    page, sight = one_tab
    yield page
    page.evaluate("localStorage.clear(); sessionStorage.clear()")
    page.context.clear_cookies()
    page.goto("about:blank")
    page.set_viewport_size(DESKTOP)
    page.emulate_media(color_scheme="light")
    told = Sight(sight.remote[:], sight.errors[:])
    sight.remote.clear()
    sight.errors.clear()
    assert_nothing_wrong(told)


def own_addresses(server: str) -> tuple[str, ...]:
    """Return how the addresses begin that a page of the book may ask for."""
    return server, SITE.as_uri(), "data:", "blob:"


def assert_nothing_wrong(sight: Sight) -> None:
    """Fail on a page error or a remote request."""
    assert not sight.remote, "asked another host for something"
    assert not sight.errors, "an error in the page"
