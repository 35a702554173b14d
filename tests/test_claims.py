"""The claims ledger as a whole: no row without its test, no test without its row, and enough of every paper."""

import ast
import json
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
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


def test_a_bound_is_checked_where_it_says_something():
    """A row that holds regret against a bound measures the bound over T, or over random play; if it is trivial, the row says so."""
    found = 0
    for row in ROWS:
        if not any("regret over the bound" in name for name in row["measured"]):
            continue
        over_horizon = [value for name, value in row["measured"].items() if name.startswith("the bound over T")]
        over_random = [1 / value for name, value in row["measured"].items() if name.startswith("random play over the bound")]
        assert over_horizon or over_random, row["item"]
        assert min(over_horizon + over_random) < 1, row["item"]
        assert max(over_horizon + over_random) < 1 or "not informative" in row["computed"], row["item"]
        found += 1
    assert found >= 3
