"""What a page makes a reader load, as a server sends it: compressed."""

import gzip
import re
from functools import cache
from urllib.parse import unquote, urlsplit

import pytest
from pages import CHAPTERS, DESKTOP
from playwright.sync_api import Browser

from checkout import ROOT, SITE

WELCOME = "book/welcome.html"
MOST_REQUESTS = 22


@pytest.mark.parametrize(("name", "most"), [(WELCOME, 600_000), *((chapter, 1_000_000) for chapter in CHAPTERS)])
def test_a_page_is_light(browser: Browser, server: str, name: str, most: int) -> None:
    asked: set[str] = set()
    with browser.new_context(viewport=DESKTOP) as context:  # which has loaded nothing yet
        context.on("response", lambda answer: asked.add(urlsplit(answer.url).path) if answer.url.startswith(server) else None)
        page = context.new_page()
        page.goto(f"{server}/{name}")
        page.evaluate("document.fonts.ready")
        sizes = {path: weight(path) for path in asked}
    largest = sorted(sizes.items(), key=lambda size: -size[1])[:5]
    assert sum(sizes.values()) <= most, largest
    assert len(sizes) <= MOST_REQUESTS, sorted(sizes)


@cache
def weight(path: str) -> int:
    """Return how many bytes a server sends for a file; fonts are compressed already."""
    body = (SITE / unquote(path).lstrip("/")).read_bytes()
    return len(body) if path.endswith(".woff2") else len(gzip.compress(body))


def test_every_sign_is_drawn() -> None:
    drawn = set(re.findall(r"(?m)^\.(fa-[a-z-]+)", (ROOT / "book" / "_static" / "icons.css").read_text("utf-8")))
    shown = {
        sign
        for page in SITE.glob("*/*.html")
        for classes in re.findall(r'class="((?:fa[bs]?|fa-solid|fa-brands) [^"]*)"', page.read_text("utf-8"))
        for sign in re.findall(r"fa-[a-z-]+", classes)
    }
    assert {"fa-chevron-down", "fa-bars"} <= shown - {"fa-solid", "fa-brands", "fa-lg"} <= drawn
