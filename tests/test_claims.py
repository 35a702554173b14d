"""The claims ledger as a whole: no row without its test, no test without its row, and no quotation that was not found."""

import ast
import json
import re
from collections import Counter
from typing import Any

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


# Chapters compare regrets with an interval beside the number; these sentences have it elsewhere, or need none.


# The ledger calls claims open, a sign can stay open, and so can a shuffler.
