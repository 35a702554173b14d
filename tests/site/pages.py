"""The pages of the built book, found when pytest collects, and their links, read without a browser."""

from html.parser import HTMLParser
from pathlib import Path

import pytest

SITE = Path(__file__).resolve().parents[2] / "_build" / "html"

FRONT = "index.html"  # only leads to the first page of the book
# Every other page of the site; without a build a stand-in, so that its tests fail and none silently vanishes.
PAGES = sorted(
    name
    for name in (path.relative_to(SITE).as_posix() for path in SITE.rglob("*.html"))
    if name != FRONT and not name.startswith("_static/")
) or [FRONT]
CHAPTERS = [page for page in PAGES if page.startswith("notebooks/")] or [FRONT]

every_page = pytest.mark.parametrize("name", PAGES)
every_chapter = pytest.mark.parametrize("name", CHAPTERS)
both_schemes = pytest.mark.parametrize("scheme", ["http", "file"])


class Links(HTMLParser):
    """The addresses that a page names and the anchors that it offers."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.anchors: set[str] = set()
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note one tag's anchor and addresses."""
        named = {key: value for key, value in attrs if value}
        self.anchors.update(named[key] for key in ("id", "name") if key in named and tag != "meta")
        if tag in ("a", "img", "link", "script", "source", "iframe"):
            self.addresses += [named[key] for key in ("href", "src") if key in named]
        if tag == "meta" and named.get("http-equiv", "").lower() == "refresh":
            self.addresses.append(named.get("content", "").partition("url=")[2].strip("'\" "))
