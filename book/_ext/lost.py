"""Sphinx extension: the page that a host shows for a wrong address, as GitHub Pages does with 404.html.

It is shown at any depth, so its links start at the folder that its `<base>` names: that of the site's address, `html.baseurl` in
`_config.yml`, or the top of the host if that is not set. Where the page finds itself elsewhere, a script looks for the book's icon
in the folders above, from the top of the host down, and starts at the one that has it.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from jinja2 import Template
from sphinx.application import Sphinx

PAGE = "404"
TEXT = """<h1>No such page</h1>
<p>The <a href="%s">first page</a> leads to all others, and the <a href="search.html">search</a> may know what you look for.</p>"""
BASE = Template(Path(__file__).with_suffix(".html").read_text("utf-8"), keep_trailing_newline=True)


def whole(address: str) -> str:
    """Return the site's address with the slash at its end that makes it a folder; nothing if none is set."""
    return f"{address.rstrip('/')}/" if address else ""


def base(address: str) -> str:
    """Return what the page's links start from, for the site's whole address or none."""
    return BASE.render(folder=urlsplit(address).path or "/", address=address)


def pages(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    yield PAGE, {"title": "No such page", "body": TEXT % app.builder.get_target_uri(app.config.root_doc)}, "page.html"


def place(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object) -> None:
    if page == PAGE:
        context["metatags"] = base(whole(app.config.html_baseurl)) + context.get("metatags", "")
        context["pageurl"] = None  # it stands for no address


def finish(app: Sphinx, failure: Exception | None) -> None:
    """Let links to places on the page name it, because the base is another."""
    path = Path(app.outdir, f"{PAGE}.html")
    if not failure and path.is_file():
        path.write_text(path.read_text("utf-8").replace('href="#', f'href="{PAGE}.html#'), "utf-8")


def setup(app: Sphinx) -> None:
    app.connect("html-collect-pages", pages)
    app.connect("html-page-context", place)
    app.connect("build-finished", finish)
