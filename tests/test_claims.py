"""The claims ledger as a whole: no row without its test, no test without its row; and what is called open was searched for."""

import ast
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest

from checkout import ROOT
from tests import quotations

ROWS = json.loads((ROOT / "book" / "claims.json").read_text("utf-8"))
OPEN = json.loads((ROOT / "book" / "not_testable.json").read_text("utf-8"))
PAPERS = {"chowdhury2022", "li2022", "tenenbaum2021", "wang2022"}


def judged() -> set[str]:
    """Names of the tests that take the fixture ``measured``, which no other test may, found by reading the files."""
    found = set()
    for path in (ROOT / "tests").glob("test_*.py"):
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.FunctionDef) and "measured" in [argument.arg for argument in node.args.args]:
                found.add(f"tests/{path.name}::{node.name}")
    return found


def test_rows_and_tests_are_the_same():
    assert sorted(row["test"] for row in ROWS) == sorted(judged())


def test_every_paper_is_judged_and_every_chapter_exists():
    assert {row["paper"] for row in ROWS} >= PAPERS
    assert len(ROWS) + len(OPEN) >= 40
    for row in ROWS + OPEN:
        assert (ROOT / "notebooks" / f"{row['chapter']}.ipynb").exists(), row
    assert all(row["reason"] for row in OPEN)


def test_no_claim_is_told_twice():
    told = Counter((row["paper"], row["item"], row.get("computed", row.get("claim"))) for row in ROWS + OPEN)
    assert max(told.values()) == 1


# What a row holds against a bound, if there is a trivial one: a regret, or rounds, of which there are T; and a probability.
AGAINST = re.compile(
    r"regret over the (printed )?(bound|sum)|share of the bound(?! in)|(probability|chance|failures) over the bound")


def told_where_trivial(row: dict[str, Any]) -> bool:
    """Whether a row that holds something against a bound says that the bound is below the trivial one, or that it is not.

    It measures the bound over T, or random play over the bound; where a bound is trivial it says "not informative". A row on a
    probability says that the bound is below 1.
    """
    names = [name for name in row["measured"] if AGAINST.search(name)]
    if any(re.search("probability|chance|failures", name) for name in names):
        return "bound is below 1" in row["computed"]
    over_horizon = [value for name, value in row["measured"].items() if name.startswith("the bound over T")]
    over_random = [1 / value for name, value in row["measured"].items() if name.startswith("random play over the bound")]
    all_of_them = over_horizon + over_random
    return not names or (min(all_of_them, default=1) < 1 and (max(all_of_them) < 1 or "not informative" in row["computed"]))


def test_a_bound_is_checked_where_it_says_something() -> None:
    against = [row for row in ROWS if any(AGAINST.search(name) for name in row["measured"])]
    assert len(against) >= 8 and [row["item"] for row in against if not told_where_trivial(row)] == []
    for measured, computed in (
        ({"regret over the bound": 0.2}, ""),
        ({"regret over the bound": 0.2, "the bound over T": 1.1}, "not informative"),
        ({"regret over the bound": 0.2, "the bound over T": 0.2, "the bound over T, d = 40": 1.1}, ""),
        ({"largest regret over the printed sum": 0.2, "random play over the bound": 0.9}, ""),
        ({"largest probability over the bound": 0.9}, "for t above 1"),
    ):
        assert not told_where_trivial({"measured": measured, "computed": computed})


def test_every_quotation_was_found_in_its_paper() -> None:
    """Word by word, between cuts that are told (``tests/quotations.py``)."""
    known = json.loads(quotations.LIST.read_text("utf-8"))
    listed = {*known["found"], *known["by eye"]}
    missing = [(row["item"], piece) for row in ROWS + OPEN for piece in quotations.pieces(row["quotation"])
               if quotations.digest(row["paper"], piece) not in listed]
    assert missing == [] and len(known["by eye"]) <= 4


def test_words_that_are_left_out_without_a_sign_are_seen() -> None:
    text = quotations.letters("We prove that regret is at most O(p log T / x), with proba-\nbility 1, in all rounds.")
    told = r"We prove that regret is at most $O(\sqrt{\log T/\varepsilon})$, with probability 1"
    assert quotations.found(told, text)
    for wrong in ("We prove that regret is small", "regret is in all rounds", told.replace("that ", ""), told + " for every user"):
        assert not quotations.found(wrong, text)
    assert all(quotations.found(piece, text) for piece in quotations.pieces(told + r" … in all rounds $\ldots$"))


def test_what_a_row_calls_open_was_searched_for() -> None:
    """A row that calls a question open names the month."""
    told = [" ".join([row.get("computed", ""), *row.get("readings", []), row.get("proof", ""), row.get("reason", "")])
            for row in ROWS + OPEN]
    assert [one for row in told for one in undated(row)] == []


# Chapters compare regrets with an interval beside the number; these sentences have it elsewhere, or need none.
ELSEWHERE = {
    "2x2-width": "in the table above the sentence", "width-less": "in the table above the sentence",
    "ridge-most": "the right end of an interval",
    "opt-least": "the cell asserts that every paired difference exceeds its 95% interval",
    "lin-design-noise": "bands of Figure 8.1",
    "floor": "a lower bound, which is proved",
    "talk": "Figure 9.3 has the errors", "less": "Figure 9.3 has the errors",
}
COMPARES = re.compile(
    r"""\b(?:los(?:es?|t)|costs?|saves?|regret)\b[^.;]*\b(?:more|less|fewer|times|ahead|behind|cheaper|dearer|better|worse)\b
    | \b(?:more|less|times|ahead)\b[^.;]*\b(?:loses?|costs?|regret)\b""", re.IGNORECASE | re.VERBOSE)
MARK = re.compile(r"<!-- = ([\w.+-]+) -->")


def written(notebook: Path) -> list[str]:
    return [cell.source for cell in nbformat.read(notebook, as_version=4).cells if cell.cell_type == "markdown"]


def without_interval(text: str) -> list[list[str]]:
    """Return the names of the numbers of each sentence that compares regrets and has no ±; boxes, tables and folds are left out."""
    text = re.sub(r"(?ms)^<details>.*?</details>$|^[|>].*?$|\$\$.*?\$\$", "", text)
    sentences = re.split(r"(?<=[.?!:;])\)?\s+", text.replace("\n", " "))
    return [MARK.findall(one) for one in sentences if MARK.search(one) and "±" not in one and COMPARES.search(MARK.sub("", one))]


@pytest.mark.parametrize("path", sorted((ROOT / "notebooks").glob("*.ipynb")), ids=lambda path: path.stem)
def test_compared_regrets_have_an_interval(path: Path) -> None:
    found = [names for cell in written(path) for names in without_interval(cell)]
    assert [names for names in found if not ELSEWHERE.keys() & names] == []


def test_a_comparison_without_an_interval_is_seen() -> None:
    assert without_interval("It loses 655<!-- = a --> more than the server. It is noon.") == [["a"]]
    assert without_interval("It loses 655 ± 45<!-- = a --> more than the server.\n\n| loses 5<!-- = b --> more |\n") == []


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
    text = "\n\n".join(written(path)) if path.suffix == ".ipynb" else path.read_text("utf-8")
    yield from SECTION.split(text)


def undated(section: str) -> list[str]:
    """Return the sentences that call something open, if their section names no month; tables give outcomes of claims."""
    plain = re.sub(r"^\|.*$", "", section, flags=re.MULTILINE).replace("\n", " ")
    found = [one for one in re.split(r"(?<=[.?!:;])\s+", plain) if CALLS_OPEN.search(one) and not OTHER_MEANINGS.search(one)]
    return [] if SEARCHED.search(section) else found


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_what_is_called_open_was_searched_for(path: Path) -> None:
    assert [one for section in sections(path) for one in undated(section)] == []


@pytest.mark.parametrize("sentence", [
    "Whether it can lose its $d$ is open.", "The best known regret is larger.", "No lower bound is known for returning users.",
    "We know of no lower bound\nwith a logarithm.", "**What is open.** A lower bound.", "Nobody knows whether $T^{3/4}$ is right.",
])
def test_a_planted_sentence_is_found(sentence: str) -> None:
    assert undated(f"## Ours\n\n{sentence}") and not undated(f"## Ours\n\n{sentence} We searched in November 2026.")
