"""The pages of the book, known from its contents before anything is built, and their links, read without a browser."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from checkout import ROOT

FRONT = "index.html"  # only leads to the first page of the book
CONTENTS = re.findall(r"(?m)(?:file|root): (\S+)", (ROOT / "_toc.yml").read_text("utf-8"))
CHAPTERS = [f"{page}.html" for page in CONTENTS if page.startswith("notebooks/")]
# Every page that somebody wrote, and the search. What is made from the package's code besides, one test looks through.
PAGES = [*(f"{page}.html" for page in CONTENTS), "search.html"]

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
