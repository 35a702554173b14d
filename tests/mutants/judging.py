"""Which test sees a change: play the tests that execute its lines, the quickest first, until one fails."""

from __future__ import annotations

import json
import resource
import signal
import sys
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.mutants.operators import Mutant
from tests.mutants.trees import ROOT, enter, in_child, processor_seconds, run_pytest

FIRST = 4.0  # processor seconds of the tests that are tried first: most changes are seen by one of these
PATIENCE = 10.0  # a test may take so many times as long as without the change,
LEAST = 10.0  # or so many seconds, if that is more

Row = dict[str, Any]


class Covering:
    """The map from lines to tests, for one folder after the other."""

    def __init__(self, rows: dict[str, Row]) -> None:
        self.seconds = {test: row["seconds"] for test, row in rows.items()}
        self.seen: dict[str, dict[int, list[str]]] = {}
        for test, row in rows.items():
            for file, numbers in row["lines"].items():
                where = self.seen.setdefault(file, {})
                for number in numbers:
                    where.setdefault(number, []).append(test)

    def of(self, mutant: Mutant) -> list[str]:
        """Return the tests that execute a mutant's lines, the quickest first."""
        lines = self.seen.get(mutant.file, {})
        found = {test for number, tests in lines.items() if mutant.first <= number <= mutant.last for test in tests}
        return sorted(found, key=lambda test: (self.seconds[test], test))


class Judge:
    """A pytest plugin that runs chosen tests in their order, with a limit on the processor time of each, and tells what failed."""

    def __init__(self, tree: Path, chosen: dict[str, float], told: Path) -> None:
        self.tree, self.chosen, self.told = tree, chosen, told
        self.limit(30.0)  # to import and collect

    def limit(self, seconds: float) -> None:
        """Allow so much more processor time."""
        usage = resource.getrusage(resource.RUSAGE_SELF)
        resource.setrlimit(resource.RLIMIT_CPU, (int(usage.ru_utime + usage.ru_stime + seconds) + 1, resource.RLIM_INFINITY))

    def tell(self, word: str, test: str) -> None:
        """Write a line at once: the process may be killed."""
        with self.told.open("a") as file:
            file.write(json.dumps([word, test]) + "\n")

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Tell of a file that cannot be imported."""
        if report.failed:
            self.tell("failed", f"{report.nodeid} (import)")

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Choose and order."""
        package = sys.modules["bandits_dp"]
        assert Path(str(package.__file__)).is_relative_to(self.tree), "another package is tested"
        order = {test: number for number, test in enumerate(self.chosen)}
        items[:] = sorted((item for item in items if item.nodeid in order), key=lambda item: order[item.nodeid])
        self.tell("chosen", str(len(items)))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Limit one test."""
        self.tell("begun", item.nodeid)
        self.limit(max(LEAST, PATIENCE * self.chosen[item.nodeid]))
        return (yield)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Tell of a failure, in the test or around it."""
        if report.failed:
            self.tell("failed", report.nodeid)


def play(tree: Path, chosen: dict[str, float], told: Path) -> None:
    """Run tests in this process, until one fails."""
    judge = Judge(tree, chosen, told)
    enter(tree)
    run_pytest(tree, ["-x", *dict.fromkeys(test.partition("::")[0] for test in chosen)], judge)


def tried(tree: Path, chosen: dict[str, float]) -> tuple[str, str]:
    """Run tests in a child; return the outcome and the test that decided it."""
    told = tree / "told.jsonl"
    told.unlink(missing_ok=True)
    log = tree / "log.txt"
    code = in_child(partial(play, tree, chosen, told), log, wall=600.0 + 20 * sum(chosen.values()))
    lines = [json.loads(line) for line in told.read_text().splitlines()] if told.exists() else []
    last = next((test for word, test in reversed(lines) if word in ("begun", "failed")), "collection")
    if any(word == "failed" for word, _ in lines):
        return "killed", next(test for word, test in lines if word == "failed")
    if code in (-signal.SIGXCPU, -signal.SIGKILL):
        return "timeout", last
    if code < 0:
        return "killed", f"{last} (signal {-code})"
    if code or not any(word == "chosen" and int(test) == len(chosen) for word, test in lines):
        raise RuntimeError(f"the tests did not run; {log} ends with:\n{log.read_text()[-2000:]}")
    return "survived", ""


def stages(tests: Iterable[str], seconds: dict[str, float], budget: float) -> list[dict[str, float]]:
    """Divide tests into those that are tried first and the rest that the budget allows."""
    first: dict[str, float] = {}
    rest: dict[str, float] = {}
    total = 0.0
    for test in tests:
        total += seconds[test]
        if total <= FIRST:
            first[test] = seconds[test]
        elif total <= budget or not (first or rest):
            rest[test] = seconds[test]
    return [stage for stage in (first, rest) if stage]


def judged(mutant: Mutant, tests: Covering, tree: Path, budget: float) -> Row:
    """Put a change into a copy of the repository, run tests there, and take it back."""
    original = (ROOT / mutant.file).read_bytes()
    started = processor_seconds()
    covering = tests.of(mutant)
    outcome, by, ran = "survived", "", 0
    (tree / mutant.file).write_bytes(mutant.source(original))
    try:
        for stage in stages(covering, tests.seconds, budget):
            ran += len(stage)
            outcome, by = tried(tree, stage)
            if outcome != "survived":
                break
    finally:
        (tree / mutant.file).write_bytes(original)
    return {
        "file": mutant.file, "line": mutant.line, "before": mutant.before, "after": mutant.after, "outcome": outcome, "by": by,
        "tests": ran, "left": len(covering) - ran if outcome == "survived" else 0,
        "seconds": round(processor_seconds() - started, 1),
    }  # fmt: skip
