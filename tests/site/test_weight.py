"""What a page makes a reader load, as a server sends it: compressed."""

import gzip

import pytest
from pages import CHAPTERS
from playwright.sync_api import Page, Response

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
