"""Sphinx extension: every test that the book names links to a page that shows its file.

The pages lie in `_tests/`, beside those that `viewcode` makes of the package, and are made from the files as they are when
the book is built: what a reader sees is what was run. With a repository's address the page links to the file there, too.
"""

import ast
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

FOLDER = "_tests"


def page_of(file: str) -> str:
    """Name the page that shows a test file."""
    return f"{FOLDER}/{file.removeprefix('tests/').removesuffix('.py')}"


def link(env: BuildEnvironment, test: str) -> nodes.reference:
    """Make the link from the page that is being read to a test, `tests/file.py::test_name`; the name is enough to read."""
    file, *names = test.split("::")
    address = env.app.builder.get_relative_uri(env.docname, page_of(file))
    return nodes.reference("", "", nodes.literal("", test.split('::')[-1]), internal=True, refuri=f"{address}#{'.'.join(names)}")


def functions(tree: ast.Module) -> Iterator[tuple[str, int, int]]:
    """Yield the tests of a file with their first and last lines; methods as Class.method."""
    for node in tree.body:
        inner = node.body if isinstance(node, ast.ClassDef) else [node]
        for one in inner:
            if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef):
                name = f"{node.name}.{one.name}" if isinstance(node, ast.ClassDef) else one.name
                yield name, min(part.lineno for part in (one, *one.decorator_list)), one.end_lineno or one.lineno


def highlighted(text: str, app: Sphinx) -> str:
    """Colour a file, and put each of its functions into a block with its name as anchor."""
    html = app.builder.highlighter.highlight_block(text, "python")  # type: ignore[attr-defined]
    before, start, rest = html.partition("<pre>")
    lines = rest.removeprefix("<span></span>").splitlines()
    for name, first, last in functions(ast.parse(text)):
        lines[first - 1] = f'<div class="viewcode-block" id="{escape(name)}">{lines[first - 1]}'
        lines[last - 1] += "</div>"
    return before + start + "\n".join(lines)


def pages(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Make a page for each file that the book names."""
    claims = getattr(app.env, "checked_by_claims", {}).values()
    files = {test.partition("::")[0] for told in claims for _, _, tests in told for test in tests}
    for file in sorted(files):
        path = Path(app.srcdir) / file
        if not path.is_file():
            continue  # which is a warning of `checked_by`
        text = path.read_text("utf-8")
        title = path.name
        theme = app.config.html_theme_options
        address = theme.get("repository_url")
        there = f"{address}/blob/{theme.get('repository_branch', 'main')}/{file}" if address else ""
        where = f'<p><a href="{escape(there)}">{escape(file)}</a> in the repository</p>' if there else f"<p>{escape(file)}</p>"
        body = f"<h1>{escape(title)}</h1>{where}{highlighted(text, app)}"
        yield page_of(file), {"parents": [], "title": title, "body": body}, "page.html"


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the pages."""
    app.connect("html-collect-pages", pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
