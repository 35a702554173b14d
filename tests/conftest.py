"""The claims ledger: tests that judge a paper's claim say so, and what they measured becomes a row of the book's table.

A test of a claim carries the marker ``claim`` with the paper's own words, and takes the fixture ``measured``, a dictionary that it
fills::

    @pytest.mark.claim("tenenbaum2021", "Corollary 3.4", "the additional regret is O(k / epsilon)",
                       computed="Certified VB-SDP-AE against elimination without privacy, epsilon from 0.1 to 1.",
                       outcome="confirmed", chapter="07_arm_elimination")
    def test_extra_regret(measured):
        measured["exponent of epsilon"] = slope
        assert -1.2 < slope < -0.8

``OUTCOMES`` lists the outcomes. What hinges on the reading of a text lists its ``readings``, and which of them survive; what is
refuted also has its ``proof``: a proof or a certified computation, and where it stands. An ``observation`` is ours: the paper does
not claim it (then the third argument is ""), and it is no verdict.

A bound that exceeds what it bounds is no check: a row that holds regret or a number of rounds against one measures ``the bound over
T`` or ``random play over the bound`` as well, and says "not informative" where it is not; one that holds a probability against one
says that the ``bound is below 1`` (``tests/test_claims.py``). ``python tests/quotations.py FOLDER`` compares all quotations with
the papers' texts, and notes that it did; one that is not noted fails.

``make claims`` runs these tests and writes ``book/claims.json``, from which the book's page is made (``ARGS=file`` for those of one
file; the other rows stay). Any other run compares: a test whose row is missing, says something else or measured other numbers
fails. Claims that nobody can test are in ``book/not_testable.json``, with the reason.
"""

import json
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bandits_dp.noise.grid import Grid
from bandits_dp.privatizers import CentralLaplace

ROOT = Path(__file__).resolve().parent.parent
LEDGER = ROOT / "book" / "claims.json"
OUTCOMES = (
    "confirmed",
    "confirmed, loose",  # a valid bound whose constant is ours, or far from what was measured
    "confirmed with other constants",  # printed constants do not do, others do
    "open",  # at least one reading survives
    "not reproduced by our reading",  # a figure
    "refuted",
    "observation",
)
EXPLAINED = {"open": {"readings"}, "not reproduced by our reading": {"readings"}, "refuted": {"readings", "proof"}}
SAME = 0.02  # relative: seeds are fixed, but another processor may round differently
# A public copy of the book may lack the masters of the assignments, and their answers: then there is nothing to prove.
collect_ignore = [] if list((ROOT / "notebooks" / "assignments" / "masters").glob("*.ipynb")) else ["test_course_sets.py"]
collect_ignore_glob = ["test_course_*"] if sys.platform == "win32" else []  # the grader runs on Linux and macOS
FIELDS = ("paper", "item", "quotation", "computed", "outcome", "readings", "proof", "chapter", "test", "measured")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--write-claims", action="store_true", help="write book/claims.json from the tests of claims")


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker and make room for the rows."""
    config.addinivalue_line("markers", "claim(paper, item, quotation, computed, outcome, chapter): judges a claim")
    config.stash[ROWS] = {}


ROWS = pytest.StashKey[dict[str, dict[str, Any]]]()


def row_of(item: pytest.Item) -> dict[str, Any] | None:
    """Return what the marker says, as a row of the ledger, or None for a test without one."""
    marker = item.get_closest_marker("claim")
    if marker is None:
        return None
    paper, number, quotation = marker.args
    told = {"readings": [], "proof": "", **marker.kwargs}
    outcome = told.get("outcome")
    if set(told) != {"computed", "outcome", "chapter", "readings", "proof"} or outcome not in OUTCOMES:
        raise pytest.UsageError(f"{item.nodeid}: claim needs computed, chapter and an outcome, one of {', '.join(OUTCOMES)}")
    if bool(quotation) == (outcome == "observation"):
        raise pytest.UsageError(f"{item.nodeid}: a claim quotes the paper's words, and an observation none")
    missing = [name for name in sorted(EXPLAINED.get(outcome, ())) if not told[name]]
    if missing:
        raise pytest.UsageError(f"{item.nodeid} is {outcome}: say its {' and '.join(missing)}")
    told["readings"] = list(told["readings"])
    return {"paper": paper, "item": number, "quotation": quotation, **told, "test": item.nodeid}


def wrong(row: dict[str, Any], stored: dict[str, Any] | None) -> str | None:
    """Say how a row differs from the stored one, or return None."""
    if stored is None:
        return "is not in book/claims.json"
    for key in FIELDS[:-1]:
        if row[key] != stored[key]:
            return f"has {key} {row[key]!r}, and book/claims.json {stored[key]!r}"
    old, new = stored["measured"], row["measured"]
    if list(old) != list(new):
        return f"measured {list(new)}, and book/claims.json has {list(old)}"
    for key, value in new.items():
        if not math.isclose(value, old[key], rel_tol=SAME, abs_tol=1e-12):
            return f"measured {key} = {value}, and book/claims.json has {old[key]}"
    return None


@pytest.fixture
def measured(request: pytest.FixtureRequest) -> Iterator[dict[str, float]]:
    """Collect a claim's numbers, by what they are; after the test, keep them or compare them with the stored ones."""
    row = row_of(request.node)
    assert row is not None, "only a test with the marker claim has something to measure"
    numbers: dict[str, float] = {}
    yield numbers
    row["measured"] = {name: float(f"{float(value):.6g}") for name, value in numbers.items()}
    request.config.stash[ROWS][row["test"]] = row
    if not request.config.getoption("--write-claims"):
        stored = {entry["test"]: entry for entry in json.loads(LEDGER.read_text("utf-8"))}
        difference = wrong(row, stored.get(row["test"]))
        assert difference is None, f"{row['test']} {difference}; look at it, and run make claims if it is right"


@pytest.hookimpl(tryfirst=True)  # before -m looks at the markers
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what opens a browser; refuse a claim that measures nothing; with --write-claims keep claims only."""
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker("browser")
    claims = [item for item in items if row_of(item)]
    for item in claims:
        if "measured" not in getattr(item, "fixturenames", ()):
            raise pytest.UsageError(f"{item.nodeid} judges a claim, but does not take the fixture measured")
    if config.getoption("--write-claims"):
        items[:] = claims


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Write the ledger if that was asked for and every claim's test passed."""
    if session.config.getoption("--write-claims") and exitstatus == 0:
        rows = {row["test"]: row for row in json.loads(LEDGER.read_text("utf-8"))} | session.config.stash[ROWS]
        ranked = sorted(rows.values(), key=lambda row: (row["paper"], row["chapter"], row["item"], row["test"]))
        ordered = [{key: row[key] for key in FIELDS} for row in ranked]
        draft = LEDGER.with_name(f".{LEDGER.name}.tmp")  # whoever is killed leaves the old ledger or the new one
        draft.write_text(json.dumps(ordered, indent=1, ensure_ascii=False) + "\n", "utf-8")
        draft.replace(LEDGER)


@pytest.fixture
def densities(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw the noise on grids as simulators do, from the same numbers of a generator, so that runs can be compared one by one."""
    def noise(grid: Grid, shape: tuple[int, ...], rng: np.random.Generator, factor: float = 1.0) -> Any:
        draw = rng.normal if grid.law == "gaussian" else rng.laplace
        return np.rint(draw(0.0, grid.scale * factor, shape)).astype(np.int64)

    monkeypatch.setattr(Grid, "noise", noise)
    monkeypatch.setattr(CentralLaplace, "receive", lambda self, waiting, rng: self.release_sum(waiting, rng))
