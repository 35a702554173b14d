"""Leave out of a style sheet what no page can use: rules for classes that neither a page nor a script names.

The themes bring style sheets for everything that they could show, most of which this book never shows.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import tinycss2

GROUPS = ("media", "supports", "layer", "container")  # rules that hold rules
CLASS = re.compile(r"\.(-?[A-Za-z_][\w-]*)")
# What may name classes without asking for them, `:not(.wide)`, or hold dots, `[href=".."]`: looked at innermost first.
ASIDE = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")


def words(site: Path) -> frozenset[str]:
    """Return everything that may be the name of a class on a page, or in a script that a page loads."""
    found: set[str] = set()
    for path in (*site.rglob("*.html"), *site.rglob("*.js")):
        found.update(re.findall(r"[A-Za-z_-][\w-]*", path.read_text("utf-8", errors="replace")))
    return frozenset(found)


@cache  # most pages have the same style sheets
def lean(text: str, known: frozenset[str]) -> str:
    """Return a style sheet without its comments and without rules for classes that are not known."""
    return "".join(kept(tinycss2.parse_stylesheet(text, skip_comments=True, skip_whitespace=True), known))


def kept(rules: Iterable[tinycss2.ast.Node], known: frozenset[str]) -> Iterator[str]:
    """Yield the text of each rule that some page may need."""
    for rule in rules:
        if rule.type == "at-rule" and rule.lower_at_keyword in GROUPS and rule.content is not None:
            inside = tinycss2.parse_rule_list(rule.content, skip_comments=True, skip_whitespace=True)
            if within := "".join(kept(inside, known)):
                yield f"@{rule.at_keyword}{tinycss2.serialize(rule.prelude)}{{{within}}}\n"
        elif rule.type == "qualified-rule":
            selectors = [one for one in alternatives(rule.prelude) if classes(one) <= known]
            if selectors:
                yield f"{','.join(selectors)}{{{tinycss2.serialize(rule.content)}}}\n"
        else:
            yield rule.serialize() + "\n"


def alternatives(prelude: list[tinycss2.ast.Node]) -> list[str]:
    """Return the selectors that commas separate; commas in brackets separate nothing."""
    parts: list[list[tinycss2.ast.Node]] = [[]]
    for token in prelude:
        if token == ",":
            parts.append([])
        else:
            parts[-1].append(token)
    return [tinycss2.serialize(part).strip() for part in parts]


def classes(selector: str) -> frozenset[str]:
    """Return the classes that something must have to be selected."""
    while (plain := ASIDE.sub(" ", selector)) != selector:
        selector = plain
    return frozenset(CLASS.findall(selector))
