"""The built book, served to a real browser: over http from a loopback server, and straight from its files."""

import functools
import http.server
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, sync_playwright

import get_browser

sys.path.insert(0, str(Path(__file__).parent))
from pages import SITE

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
]


@dataclass
class Sight:
    """What one visit to a page brought to light."""

    remote: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


@pytest.fixture(scope="session")
def built() -> Path:
    """Return the folder of the built book; fail, and do not skip, when there is none."""
    if not (SITE / "index.html").is_file():
        pytest.fail("the book is not built: run make book first", pytrace=False)
    return SITE


@pytest.fixture(scope="session")
def server(built: Path) -> Iterator[str]:
    """Serve the book on a free loopback port; yield the address."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *args: object) -> None:
            """Say nothing."""

    with http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Quiet, directory=str(built))
    ) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()


@pytest.fixture(scope="module")  # no longer: Playwright runs once at a time, and other tests use it too
def browser() -> Iterator[Browser]:
    """Start the browser that the tools find."""
    path = get_browser.find()
    if not path:
        pytest.fail(get_browser.ADVICE, pytrace=False)
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, headless=True, args=FLAGS)
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
    """Open a page that notes errors and stops every request that is not for the book's `own` addresses."""

    def judge(route: Route) -> None:
        if route.request.url.startswith(own):
            route.continue_()
        else:
            sight.remote.append(route.request.url)
            route.abort()

    context.route("**/*", judge)
    page = context.new_page()
    page.on("pageerror", lambda error: sight.errors.append(str(error)))
    page.on("console", lambda told: sight.errors.append(told.text) if told.type == "error" else None)
    return page


@pytest.fixture
def page(browser: Browser, server: str, sight: Sight) -> Iterator[Page]:
    """Open a page of desktop size; every test that uses it fails on a page error or a remote request."""
    with browser.new_context(viewport=DESKTOP) as context:
        yield watch(context, sight, (server, SITE.as_uri(), "data:", "blob:"))
    assert not sight.remote, "asked another host for something"
    assert not sight.errors, "an error in the page"
