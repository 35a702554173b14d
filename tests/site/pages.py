"""The pages of the book, known from its contents before anything is built, and how one is opened."""

import functools
import http.server
import re
import threading
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import BrowserContext, Page

from checkout import ROOT, SITE

FRONT = "index.html"  # only leads to the first page of the book
CONTENTS = re.findall(r"(?m)(?:file|root): (\S+)", (ROOT / "_toc.yml").read_text("utf-8"))
CHAPTERS = [f"{page}.html" for page in CONTENTS if page.startswith("notebooks/")]
# Every page that somebody wrote, and the search. What is made from the package's code besides, one test looks through.
PAGES = [*CHAPTERS, *(f"{page}.html" for page in CONTENTS if not page.startswith("notebooks/")), "search.html"]

both_schemes = pytest.mark.parametrize("scheme", ["http", "file"])

DESKTOP, PHONE = {"width": 1300, "height": 900}, {"width": 390, "height": 844}

class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *told: object) -> None:
        """Say nothing."""


def served(handler: type[Quiet]) -> Iterator[str]:
    """Serve the book on a free loopback port; yield the address."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(handler, directory=str(SITE))) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()


Address = Callable[[str, str], str]  # of a page, from a scheme and its path


def watch(context: BrowserContext, server: str, wrong: list[str]) -> Page:
    """Open a page that notes errors, and requests that are not for the book."""
    own = (server, SITE.as_uri(), "data:", "blob:")
    context.on("request", lambda asked: None if asked.url.startswith(own) else wrong.append(f"asked {asked.url}"))
    page = context.new_page()
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda told: wrong.append(told.text) if told.type == "error" else None)
    return page
