"""Whoever calls a research question open has looked, and says when: the sentence, or its section, has the month of the search."""

import re
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest

from checkout import ROOT

PAGES = sorted([*ROOT.glob("notebooks/*.ipynb"), *ROOT.glob("book/*.md")])
CALLS_OPEN = re.compile(
    r"""\bopen\ (?:question|problem) | \b(?:is|are|stays|remains|still)\ open\b | \*\*(?:What\ is\ )?open\b | \bunsolved\b
    | ^\#+\ What\ is\ open | \bunknown\ whether\b | \bbest\ known\ (?:regret|bound|rate|algorithm|result)
    | \bnobody\ (?:knows\ whether|has\ (?:proved|shown)) | \bknown\ lower\ bound | \bwe\ know\ of\ (?:no|neither)\b
    | \b(?:bound|proof|algorithm|learner|way)\ (?:is|are|was)\ (?:not\ )?known\b
    | \bwe\ (?:found\ (?:no|none|neither|nobody|nothing)|did\ not\ find)\b""",
    re.IGNORECASE | re.VERBOSE,
)
# The ledger calls claims open, a sign can stay open, and so can a shuffler.
OTHER_MEANINGS = re.compile(r"\bledger\b|\brefuted, proved\b|\bprivacy is open\b|\bsign of\b|\bbatches that are open\b")
SEARCHED = re.compile(r"\b(?:January|February|March|April|May|June|July|August|September|October|November|December) 20\d\d\b")
SECTION = re.compile(r"^(?=#{1,6} |> <a id=\"ex-)", re.MULTILINE)


def sections(path: Path) -> Iterator[str]:
    """Return what stands between two headings; an exercise is a section of its own."""
    text = path.read_text("utf-8")
    if path.suffix == ".ipynb":
        text = "\n\n".join(cell.source for cell in nbformat.reads(text, as_version=4).cells if cell.cell_type == "markdown")
    yield from SECTION.split(text)


def undated(section: str) -> list[str]:
    """Return the sentences that call something open, if their section names no month; tables give outcomes of claims."""
    plain = re.sub(r"^\|.*$", "", section, flags=re.MULTILINE).replace("\n", " ")
    found = [one for one in re.split(r"(?<=[.?!:;])\s+", plain) if CALLS_OPEN.search(one) and not OTHER_MEANINGS.search(one)]
    return [] if SEARCHED.search(section) else found


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_what_is_called_open_was_searched_for(path: Path) -> None:
    assert [one for section in sections(path) for one in undated(section)] == []


@pytest.mark.parametrize(
    "sentence",
    [
        "Whether it can lose its $d$ is open.", "The best known regret is larger.", "No lower bound is known for returning users.",
        "We know of no lower bound\nwith a logarithm.", "**What is open.** A lower bound.",
        "Nobody knows whether $T^{3/4}$ is right.",
    ],
)
def test_a_planted_sentence_is_found(sentence: str) -> None:
    assert undated(f"## Ours\n\n{sentence}") and not undated(f"## Ours\n\n{sentence} We searched in November 2026.")
