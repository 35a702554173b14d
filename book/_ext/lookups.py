"""Sphinx extension: two tables for scripts of the site, written beside them when the book is built.

`labels.js` says for every label and every object of the package where it stands, so that an old link to a box, a figure or an
object finds it on the page that holds it now. Pages do not load it; `anchors.js` does, when the part of an address behind `#` is
nowhere on the page.

`search_counts.js` is for the search page, which puts first what explains a word: how often the chapters and guides have it, which
Sphinx's index does not know. `search_order.js` makes an order of that; what only lists things, the API and the tables, comes last.
"""

import json
from collections import Counter
from itertools import pairwise
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.search import WordCollector
from sphinx.search.en import SearchEnglish

COUNTS = "search_counts.js"
LISTS = ("book/api", "book/claims", "book/catalogue", "book/contest", "book/benchmarks", "book/bibliography", "book/notation")


def places(env: BuildEnvironment) -> dict[str, tuple[str, str]]:
    """Say of every label and object on which page it stands, and under which anchor."""
    found = {label: (docname, anchor) for label, (docname, anchor) in env.get_domain("std").anonlabels.items()}  # type: ignore[attr-defined]
    for registry in ("proof_list", "sphinx_exercise_registry"):
        found |= {label: (known["docname"], label) for label, known in getattr(env, registry, {}).items()}
    python = env.get_domain("py")
    for name, known in {**python.data["objects"], **{f"module-{key}": one for key, one in python.data["modules"].items()}}.items():
        found[name] = (known.docname, known.node_id)
    return {label: place for label, place in found.items() if place[1]}


def count(app: Sphinx, document: nodes.document) -> None:
    """Count the stems of the page just read, and pairs of them that stand together; one explains nothing, a heading may."""
    docname = app.env.docname
    if docname.startswith(LISTS):
        return
    language = SearchEnglish({})
    read = WordCollector(document, language)
    document.walk(read)
    stems, headings = ([language.stem(word.lower()) for word in words] for words in (read.found_words, read.found_title_words))
    found = Counter(filter(language.word_filter, stems))
    beside = (*pairwise(stems), *2 * (*pairwise(headings),))
    pairs = Counter(f"{one} {other}" for one, other in beside if f"{one}{other}".isalpha() and {one, other} <= {*found})
    counted = {word: times for word, times in found.items() if times > 1}
    counted |= {pair: times for pair, times in pairs.items() if times > 2}
    app.env.metadata[docname]["word counts"] = counted  # until the page is read again


def load(app: Sphinx, page: str, template: str, context: dict[str, object], doctree: object) -> None:
    if page == "search":
        app.add_js_file(COUNTS)


def write(app: Sphinx, failure: Exception | None) -> None:
    """Write both tables; a label has an anchor of its own only if that differs."""
    if failure or app.builder.format != "html":
        return
    addresses = {}
    for label, (docname, anchor) in sorted(places(app.env).items()):
        page = app.builder.get_target_uri(docname)
        addresses[label] = page if anchor == label else f"{page}#{anchor}"
    counts = {name: told["word counts"] for name, told in sorted(app.env.metadata.items()) if "word counts" in told}
    for file, name, table in (("labels.js", "bookLabels", addresses), (COUNTS, "searchCounts", counts)):
        text = json.dumps(table, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        (Path(app.outdir) / "_static" / file).write_text(f"window.{name} = {text};\n", "utf-8")


def setup(app: Sphinx) -> dict[str, int]:
    app.connect("doctree-read", count)
    app.connect("html-page-context", load)
    app.connect("build-finished", write)
    return {"env_version": 4}
