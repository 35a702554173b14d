"""Choose the words of a slide from a chapter's sentences.

Nothing is written here: what is shown stands in the chapter, word for word.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

from slide_blocks import KEPT, length, sentences

MOST_POINTS = 4
POINTS = 420  # characters of all points of a slide
POINT = 190  # and of one
NAMED_POINT = 270  # that begins with its name in bold or italics
SHORT = 32  # a sentence that stays with the next
ALONE = 90  # of a point that has a slide to itself
UNFIT = -9.0
WORDS = 260  # characters of what stands beside a figure, or below a theorem or code

# Where a sentence leans on the one before, it does not stand well alone.
LEANING = re.compile(
    r"(?:It|They|He|She|This|These|Those|That|Its|Their|Her|Both|Such|And|Or|Then|There|Here|Each|Neither|Otherwise|Instead)\b"
)
# What a reader is told to do with the page, and a listener is not.
FOR_READERS = re.compile(
    r"\b(?:[Pp]ress Play|[Mm]ove (?:it|the)|[Ss]lid(?:e|er)|next cell|folded|cell (?:above|below)|[Rr]unning this|as a notebook"
    r"|next figure|next scene|In the theorem|[Rr]ead on|[Cc]hange the (?:rule|system)|[Bb]elow,|[Rr]un this"
    r"|[Uu]nfold)"
)
# What it speaks of is said elsewhere.
POINTING = re.compile(r"\b(?:that reading|[Ss]ome such|of these|these two|those two|the former|the latter|above|below)\b")
# An aside, the rest of a sentence, code by itself, a name by itself.
FRAGMENT = re.compile(r"\(|[a-z]|`[^`]+`$|\*{1,2}[^*]+\*{1,2}$")
NAME = re.compile(r"\*{1,2}[^*]+\*{1,2}")
# What is said of other people's work is shown with all that belongs to it, or left to the notes.
JUDGING = re.compile(
    r"\b(?:(?:the|its|their|this|that) papers?\b|paper's|authors?\b|published\b|print(?:s|ed)?\b|refute|ledger\b|Remark \d"
    r"|our copy|open\b"
    r"|(?:Theorem|Lemma|Corollary|Proposition|Assumption|Algorithm|Definition|Claim|Table|Line)s? \d+\b(?!\.\d))",  # ours are 1.1
    re.IGNORECASE,
)
WHOLE = 400  # characters of such a paragraph on a slide, at most
CONCLUDING = re.compile(r"(?:So|But|Hence|Therefore|That is why|The price|In short)\b")


def score(sentence: str, first: bool) -> float:
    """Say how well a sentence stands on a slide, by itself."""
    if sentence.endswith(":") or FOR_READERS.search(sentence) or FRAGMENT.match(sentence):
        return UNFIT
    if length(sentence) > (NAMED_POINT if sentence.startswith("*") else POINT) and not judges(sentence):
        return UNFIT
    value = 2.0 + 2 * first + 3 * sentence.count("**") // 2 + ("*" in sentence) + bool(CONCLUDING.match(sentence))
    leans = 2.5 * bool(LEANING.match(sentence)) + 1.5 * bool(POINTING.search(sentence))
    return value - leans - (length(sentence) < SHORT) - 0.5 * sentence.endswith("?")


def judges(text: str) -> bool:
    """Say whether a text speaks of what a paper says or does."""
    return bool(JUDGING.search(KEPT.sub("", text)))


def pieces(paragraph: str) -> list[str]:
    """Split a paragraph; short sentences, and a name that opens it, stay with the sentence that they introduce."""
    made: list[str] = []
    opened = named = False  # the last piece is too short to stand alone; it is a name
    for sentence in sentences(paragraph):
        if named and sentence.startswith("("):
            continue  # an aside between the name and what it names
        most = NAMED_POINT if made and made[-1].startswith("*") else POINT
        asked_on = made and made[-1].endswith("?") and sentence.endswith("?") and length(sentence) < SHORT
        if asked_on or (opened and not sentence.endswith(":") and length(made[-1]) + length(sentence) <= most):
            made[-1] += f" {sentence}"
            opened = named = False
        else:
            made.append(sentence)
            named = bool(NAME.fullmatch(sentence))
            opened = named or length(sentence) < SHORT
    return made


def candidates(paragraph: str) -> list[str]:
    """List what a slide may say of a paragraph: any of its pieces, but all or nothing of what judges."""
    if not judges(paragraph):
        return pieces(paragraph)
    if CONCLUDING.match(paragraph) and POINTING.search(paragraph):
        return []  # it ends what was said before
    return [" ".join(paragraph.split())] if length(paragraph) <= WHOLE else []


def points(paragraphs: Sequence[str]) -> list[str]:
    """Choose what a slide says of some paragraphs: a few of their sentences, in their order."""
    spoken = [(i, j, sentence) for i, paragraph in enumerate(paragraphs) for j, sentence in enumerate(candidates(paragraph))]
    chosen: list[tuple[int, int, str]] = []

    def worth(entry: tuple[int, int, str]) -> float:
        i, j, sentence = entry
        value = score(sentence, j == 0)
        if value < -1:
            return value
        before = next((other for other in chosen if other[:2] == (i, j - 1)), None)
        if before:  # it may lean on that one, and a question wants its answer
            value += 2.5 + 20 * before[2].endswith("?")
        return value + 10 * (i not in {entry[0] for entry in chosen})  # every paragraph has its turn before one has a second

    while len(chosen) < MOST_POINTS:
        room = POINTS - sum(length(sentence) for *_, sentence in chosen)
        left = [entry for entry in spoken if entry not in chosen and length(entry[2]) <= room and score(entry[2], False) > UNFIT]
        good = [entry for entry in left if worth(entry) % 10 >= 1.5]
        if not good:
            break
        chosen.append(max(good, key=lambda entry: (worth(entry), -entry[0], -entry[1])))
    return [sentence for *_, sentence in sorted(chosen)]


def slides_of(paragraphs: Sequence[str]) -> list[tuple[list[str], list[str]]]:
    """Spread paragraphs evenly over slides of at most `MOST_POINTS`; return the points of each, and what they are taken from."""
    count = -(-len(paragraphs) // MOST_POINTS)
    ends = [round(len(paragraphs) * k / count) for k in range(count + 1)] if count else []
    return [(points(told), list(told)) for begin, end in pairwise(ends) if (told := paragraphs[begin:end])]


def worth_a_slide(chosen: Sequence[str]) -> bool:
    """Say whether points are worth a slide: a single short sentence is said, not shown."""
    return len(chosen) > 1 or sum(map(length, chosen)) >= ALONE


def opening(paragraph: str, most: int = WORDS) -> str:
    """Return a paragraph's first sentence, and the next ones while there is room; empty if none of it is for a slide."""
    if judges(paragraph):
        return " ".join(candidates(paragraph))
    said = ""
    for sentence in pieces(paragraph):
        if FOR_READERS.search(sentence) and not said:
            continue
        if said and (length(said) > most / 2 or length(said) + length(sentence) > most or sentence.endswith(":")):
            break
        said += f" {sentence}"
    return said.strip()


def lead(paragraph: str) -> tuple[str, str]:
    """Split off the sentence that introduces what follows, which ends with a colon; return both, empty if there is none."""
    parts = sentences(paragraph)
    if parts and parts[-1].endswith(":"):
        return " ".join(parts[:-1]), parts[-1]
    return paragraph, ""


def short_items(entries: Sequence[str], most: int = 470) -> list[str]:
    """Return the items of a list in full if they fit on a slide; else the beginning of each."""
    if sum(map(length, entries)) <= most:
        return list(entries)
    return [entry if judges(entry) else opening(entry, most // max(len(entries), 4)) for entry in entries]
