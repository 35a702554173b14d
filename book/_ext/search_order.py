"""Sphinx extension: the search puts first what explains a word.

Sphinx's index knows which pages hold a word, not how often. Here the words of the chapters and guides are counted, and the search
page gets the counts as `search_counts.js`; `search_order.js` makes an order of them. What only lists things, the API and the
tables, counts for nothing and comes last.
"""

import json
from collections import Counter
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.search import WordCollector
from sphinx.search.en import SearchEnglish

FILE = "search_counts.js"
LISTS = ("book/api", "book/claims", "book/catalogue", "book/benchmarks", "book/bibliography", "book/notation")


def counts(env: BuildEnvironment) -> dict[str, dict[str, int]]:
    """Return what was counted so far, page by page."""
    if not hasattr(env, "search_counts"):
        env.search_counts = {}  # type: ignore[attr-defined]
    found: dict[str, dict[str, int]] = env.search_counts
    return found


def count(app: Sphinx, document: nodes.document) -> None:
    """Count the stems of the page just read; once is no sign of an explanation."""
    docname = app.env.docname
    if docname.startswith(LISTS):
        return
    language = SearchEnglish({})
    collector = WordCollector(document, language)
    document.walk(collector)
    found = Counter(language.stem(word.lower()) for word in collector.found_words)
    counts(app.env)[docname] = {word: times for word, times in found.items() if times > 1 and language.word_filter(word)}


def purge(app: Sphinx, env: BuildEnvironment, docname: str) -> None:
    """Forget a page that is gone or will be read again."""
    counts(env).pop(docname, None)


def merge(app: Sphinx, env: BuildEnvironment, docnames: set[str], other: BuildEnvironment) -> None:
    """Take over what another process of a parallel build has counted."""
    counts(env).update({name: found for name, found in counts(other).items() if name in docnames})


def load(app: Sphinx, page: str, template: str, context: dict[str, object], doctree: object) -> None:
    """Let the search page alone load the counts."""
    if page == "search":
        app.add_js_file(FILE)


def write(app: Sphinx, failure: Exception | None) -> None:
    """Write the counts beside the other scripts."""
    if not failure and app.builder.format == "html":
        text = json.dumps(counts(app.env), ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        (Path(app.outdir) / "_static" / FILE).write_text(f"window.searchCounts = {text};\n", "utf-8")


def setup(app: Sphinx) -> dict[str, bool | int]:
    """Register it all."""
    app.connect("doctree-read", count)
    app.connect("env-purge-doc", purge)
    app.connect("env-merge-info", merge)
    app.connect("html-page-context", load)
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "env_version": 1}
