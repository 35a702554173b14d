"""What of a style sheet a site can use: the rules whose classes stand on one of its pages or in one of its scripts.

The themes bring half a megabyte of rules for things that this book never shows. A browser reads all before it shows a line.
"""

import re
from collections.abc import Iterable, Iterator

COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
ASIDE = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")  # what stands in brackets, as in :not(.name), may be there or not
CLASS = re.compile(r"\.((?:[\w-]|\\.)+)")
WORD = re.compile(r"[A-Za-z_][\w-]*")
INLINE = re.compile(r"<script\b[^>]*>(.*?)</script>", re.DOTALL)
PIECE = re.compile(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|[{};]|[^{};\"']+", re.DOTALL)
HOLDING = ("@media", "@supports", "@container", "@layer")


def names(pages: Iterable[str], scripts: Iterable[str]) -> set[str]:
    """Collect the classes of pages, and every word of scripts, which may make a class of it."""
    found: set[str] = set()
    for page in pages:
        for classes in re.findall(r'class="([^"]*)"', page):
            found.update(classes.split())
        for script in INLINE.findall(page):
            found.update(WORD.findall(script))
    for script in scripts:
        found.update(WORD.findall(script))
    return found


def rules(text: str) -> Iterator[tuple[str, str | None]]:
    """Yield what stands before each pair of braces, and in it; None in place of it if a semicolon ends the rule."""
    before, inside, depth = "", "", 0
    for piece in PIECE.findall(text):
        if piece == "{":
            inside += piece if depth else ""
            depth += 1
        elif piece == "}" and depth == 1:
            yield before.strip(), inside
            before, inside, depth = "", "", 0
        elif depth:
            inside += piece
            depth -= piece == "}"
        elif piece == ";":
            yield before.strip(), None
            before = ""
        else:
            before += piece


def parts(selectors: str) -> list[str]:
    """Part selectors at the commas outside of brackets."""
    found, depth = [""], 0
    for piece in re.split(r"([(),\[\]])", selectors):
        depth += (piece in ("(", "[")) - (piece in (")", "]"))
        if piece == "," and not depth:
            found.append("")
        else:
            found[-1] += piece
    return [part.strip() for part in found]


def can_match(selector: str, known: set[str]) -> bool:
    while (bare := ASIDE.sub("", selector)) != selector:
        selector = bare
    return all(name.replace("\\", "") in known for name in CLASS.findall(selector))


def used(text: str, known: set[str]) -> str:
    """Return a style sheet without the selectors that no page can match."""
    kept = []
    for before, inside in rules(COMMENT.sub("", text)):
        if inside is None:
            kept.append(f"{before};")
        elif before.startswith(HOLDING):
            kept += [f"{before}{{{rest}}}"] if (rest := used(inside, known)) else []
        else:
            left = [before] if before.startswith("@") else [part for part in parts(before) if can_match(part, known)]
            kept += [f"{','.join(left)}{{{inside.strip()}}}"] if left else []
    return "\n".join(kept)
