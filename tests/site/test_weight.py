"""What a page makes a reader load, as a server sends it: compressed."""

import gzip
import re

import pytest
from pages import CHAPTERS
from playwright.sync_api import Page, Response

from checkout import ROOT, SITE

pytestmark = pytest.mark.site

WELCOME = "book/welcome.html"
MOST_REQUESTS = 22


@pytest.mark.parametrize(("name", "most"), [(WELCOME, 600_000), *((chapter, 1_000_000) for chapter in CHAPTERS)])
def test_a_page_is_light(page: Page, server: str, name: str, most: int) -> None:
    answers: list[Response] = []
    page.on("response", lambda answer: answers.append(answer))
    page.goto(f"{server}/{name}")
    page.evaluate("document.fonts.ready")
    sizes = {}
    for answer in answers:
        if answer.ok and answer.url.startswith(server):
            body = answer.body()
            sizes[answer.url] = len(body) if answer.url.endswith(".woff2") else len(gzip.compress(body))
    largest = sorted(sizes.items(), key=lambda size: -size[1])[:5]
    assert sum(sizes.values()) <= most, largest
    assert len(sizes) <= MOST_REQUESTS, sorted(sizes)


def test_every_sign_is_drawn() -> None:
    drawn = set(re.findall(r"(?m)^\.(fa-[a-z-]+)", (ROOT / "book" / "_static" / "icons.css").read_text("utf-8")))
    shown = {
        sign
        for page in SITE.glob("*/*.html")
        for classes in re.findall(r'class="((?:fa[bs]?|fa-solid|fa-brands) [^"]*)"', page.read_text("utf-8"))
        for sign in re.findall(r"fa-[a-z-]+", classes)
    }
    assert {"fa-chevron-down", "fa-bars"} <= shown - {"fa-solid", "fa-brands", "fa-lg"} <= drawn
