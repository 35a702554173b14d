"""Take a chapter's Markdown apart: into blocks, and a paragraph into sentences, of which a slide shows one or two.

What a chapter is written in is described in `book/_ext/plain_text.py`. Numbers lose their marks here and links become plain words,
since a slide leads nowhere.
"""

import re
from dataclasses import dataclass, field
from itertools import pairwise

from plain_myst import FENCE, closing
from plain_text import BOLD_LINE, BOX, CODE, FIGURE, FOLD, FORMULA

ITEM = re.compile(r"(?:[*+-]|\d+\.) +")
ANYTHING_MARKED = re.compile(
    rf'(?P<keep>{CODE}|{FORMULA})|<!--.*?-->|<a id="[^"]*"></a>|(?<!!)\[(?P<words>[^\]\[]+)\]\((?P<file>[^)\s]*)\)', re.DOTALL
)
KEPT = re.compile(f"{CODE}|{FORMULA}", re.DOTALL)
# A sentence ends here, unless it goes on, or the words before are an abbreviation. Bold and quoted words may have a full stop.
END = re.compile(r"(?<!\bal)(?<!\be\.g)(?<!\bi\.e)(?<!\bcf)(?<!\bvs)[.!?](?:\*{1,2}|[\"”’)])*(?= [^a-z])")
PAIRS = (("(", ")"), ("“", "”"))


@dataclass
class Block:
    """A piece of Markdown.

    Attributes
    ----------
    kind : str
        "heading", "paragraph", "formula", "list", "table", "fence", "box", "fold", "quote" or "figure" (its caption).
    text : str
        Its Markdown; of a box, a fold and a caption what is inside.
    title, label : str
        What a heading, a box, a fold or a figure is called, and its anchor.
    inside : list of Block
        What a box or a fold holds.
    """

    kind: str
    text: str
    title: str = ""
    label: str = ""
    inside: list["Block"] = field(default_factory=list)


def clean(text: str) -> str:
    """Drop marks and anchors, and turn links into their words, those of chapters into titles; code and formulas stay."""

    def one(found: re.Match[str]) -> str:
        words = found["words"] or ""
        return found["keep"] or (f"*{words}*" if words and found["file"].endswith(".ipynb") and words[0].isupper() else words)

    return ANYTHING_MARKED.sub(one, text)


def blocks(text: str) -> list[Block]:
    """Take a Markdown cell apart."""
    if found := FIGURE.match(text):
        return [Block("figure", clean(found["caption"]).strip(), f"Figure {found['number']}", found["label"])]
    lines, made, start = text.split("\n"), [], 0
    while start < len(lines):
        if not lines[start].strip():
            start += 1
            continue
        end = start + _length(lines[start:])
        made.append(_block(lines[start:end]))
        start = end
    return made


def _kind(line: str) -> str:
    """Say what begins with this line."""
    for kind, begins in (("fence", FENCE.match(line)), ("formula", line.startswith("$$")), ("fold", FOLD.fullmatch(line)),
                         ("heading", re.match("#+ ", line)), ("quote", line.startswith(">")),
                         ("table", line.startswith("|")), ("list", ITEM.match(line))):  # fmt: skip
        if begins:
            return kind
    return "paragraph"


def _length(lines: list[str]) -> int:
    """Count the lines of the block that begins with the first."""
    kind = _kind(lines[0])
    if kind == "heading":
        return 1
    if kind == "fold":
        return closing(lines, 0) + 1
    if kind == "fence":
        fence = FENCE.match(lines[0])
        return next((i for i, line in enumerate(lines) if i and fence and line.strip().startswith(fence[1])), len(lines) - 1) + 1
    if kind == "formula":
        return next(i for i, line in enumerate(lines) if line.rstrip().endswith("$$") and (i or len(line.strip()) > 2)) + 1
    if kind == "list":  # goes on after an empty line with another item, or indented
        for i, (line, following) in enumerate(pairwise([*lines, "", ""])):
            if not line.strip() and not (ITEM.match(following) or following.startswith("  ")):
                return min(i, len(lines))
    same = {"quote": ">", "table": "|"}.get(kind, "")
    for i, line in enumerate(lines):
        if i and (not line.strip() or not line.startswith(same) or (not same and _kind(line) != "paragraph")):
            return i
    return len(lines)


def _block(lines: list[str]) -> Block:
    """Make a block of its lines."""
    kind, text = _kind(lines[0]), "\n".join(lines)
    if kind == "heading":
        return Block(kind, clean(lines[0].lstrip("# ")), title="#" * lines[0].index(" "))
    if kind == "fold" and (found := FOLD.fullmatch(lines[0])):
        inside = "\n".join(lines[1:-1])
        return Block(kind, clean(inside).strip(), clean(found["title"]), inside=blocks(inside))
    if kind == "quote":
        quoted = [re.sub("^> ?", "", line) for line in lines]
        body = "\n".join(line for line in quoted[1:] if not line.startswith("*Checked by*"))
        if found := BOX.fullmatch(quoted[0]):
            name = f"**{found['kind']} {found['number'] or ''}".strip() + "**" + f" {found['title']}" * bool(found["title"])
            return Block("box", clean(body).strip(), clean(name), found["label"], blocks(body))
        if found := BOLD_LINE.fullmatch(quoted[0]):
            return Block("box", clean(body).strip(), clean(found["title"]), inside=blocks(body))
    return Block(kind, clean(text).strip())


def items(text: str) -> list[str]:
    """Return the items of a list, each without its bullet."""
    found: list[str] = []
    for line in text.split("\n"):
        if ITEM.match(line):
            found.append(ITEM.sub("", line, count=1))
        elif line.strip():
            found[-1] += " " + line.strip()
    return found


def sentences(text: str) -> list[str]:
    """Split a paragraph; brackets, quotes, bold words, code and formulas stay in one piece."""
    text = " ".join(text.split())
    safe = KEPT.sub(lambda found: "\ue000" * len(found[0]), text)
    ends = [0, *(found.end() for found in END.finditer(safe)), len(text)]
    made, begin = [], 0
    for end in ends[1:]:
        part = safe[begin:end]
        whole = all(part.count(opening) <= part.count(end_) for opening, end_ in PAIRS)
        if (whole and part.count("**") % 2 == 0 and part.count('"') % 2 == 0) or end == len(text):
            if text[begin:end].strip():
                made.append(text[begin:end].strip())
            begin = end
    return made


def length(text: str) -> int:
    """Estimate how many characters of a line a text takes; a formula takes fewer than its source has."""

    def shown(found: re.Match[str]) -> str:
        formula = re.sub(r"\\(?:operatorname|mathrm|mathbb|mathcal|text|frac|left|right|big|Big|le|ge)\b|\s|\\[,;!]", "", found[0])
        return re.sub(r"\\[A-Za-z]+", "x", formula).translate(dict.fromkeys(map(ord, "{}$^_\\")))

    return len(KEPT.sub(shown, text).replace("*", ""))
