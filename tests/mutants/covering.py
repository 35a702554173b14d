"""Which test executes which line, and how long it takes: one run of the package's tests under coverage.

Every file of tests runs in a process of its own. Caches of functions are emptied before every test, so that a line is seen by every
test that needs it and not only by the first; what a fixture of a wider scope executes, or the file while it is imported, counts for
all tests that use it.
"""

from __future__ import annotations

import functools
import importlib
import json
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import coverage
import pytest

from tests.mutants.trees import BUILT, ROOT, copy, digest, enter, in_child, processor_seconds, run_pytest, test_files

FOLDER = BUILT / "map"


def empty_caches() -> None:
    """Forget what functions of the package and of the tests have stored."""
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in ("bandits_dp", "tests"):
            for value in list(vars(module).values()):
                if isinstance(value, functools._lru_cache_wrapper):
                    value.cache_clear()


class Watcher:
    """A pytest plugin that tells coverage which test runs, and keeps what passed and its processor time."""

    def __init__(self, measuring: coverage.Coverage) -> None:
        self.measuring = measuring
        self.contexts = [""]
        self.seconds: dict[str, float] = defaultdict(float)
        self.uses: dict[str, list[str]] = {}
        self.spoilt: set[str] = set()

    def within(self, context: str) -> Iterator[None]:
        """Count for a context what happens until the generator is resumed."""
        started, inner = processor_seconds(), sum(self.seconds.values())
        self.contexts.append(context)
        self.measuring.switch_context(context)
        try:
            yield
        finally:
            self.contexts.pop()
            self.measuring.switch_context(self.contexts[-1])
            self.seconds[context] += processor_seconds() - started - (sum(self.seconds.values()) - inner)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Run one test."""
        empty_caches()
        if sys.gettrace() is None:  # a test that sets a trace function of its own has ended this one
            self.measuring.stop()
            self.measuring.start()
        self.uses[item.nodeid] = [f"fixture {name}" for name in getattr(item, "fixturenames", ())]
        block = self.within(item.nodeid)
        next(block)
        try:
            return (yield)
        finally:
            next(block, None)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Iterator[None]:
        """Set one fixture up."""
        if fixturedef.scope == "function":
            return (yield)
        block = self.within(f"fixture {fixturedef.argname}")
        next(block)
        try:
            return (yield)
        finally:
            next(block, None)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep what is of no use: what fails without any mutant, or is skipped."""
        if not report.passed:
            self.spoilt.add(report.nodeid)


def measure(tree: Path, file: str, wanted: Path) -> None:
    """Run one file's tests in this process and write what they execute."""
    enter(tree)
    measuring = coverage.Coverage(data_file=None, source=[str(tree / "bandits_dp")], config_file=False)
    measuring.start()
    measuring.switch_context("import")  # of the package: it counts for no test
    importlib.import_module("bandits_dp")
    measuring.switch_context("")
    watcher = Watcher(measuring)
    run_pytest(tree, [file], watcher)
    measuring.stop()
    data = measuring.get_data()
    lines: dict[str, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    for path in data.measured_files():
        name = Path(path).relative_to(tree).as_posix()
        for line, contexts in data.contexts_by_lineno(path).items():
            for context in contexts:
                lines[context][name].add(line)
    rows = {}
    for test, names in watcher.uses.items():
        if test in watcher.spoilt:
            continue
        seen: dict[str, set[int]] = defaultdict(set)
        for context in ("", test, *names):
            for name, numbers in lines.get(context, {}).items():
                seen[name] |= numbers
        seconds = sum(watcher.seconds.get(context, 0.0) for context in (test, *names))
        rows[test] = {"seconds": round(seconds, 3), "lines": {name: sorted(seen[name]) for name in sorted(seen)}}
    wanted.write_text(json.dumps({"tests": rows, "spoilt": sorted(watcher.spoilt)}), "utf-8")


def make_map() -> dict[str, dict[str, Any]]:
    """Return all tests with their seconds and lines; measure those files that have changed, or all if the package has."""
    package = digest(sorted((ROOT / "bandits_dp").rglob("*.py")))
    FOLDER.mkdir(parents=True, exist_ok=True)
    found, tree = {}, None
    for file in test_files():
        stored = FOLDER / f"{Path(file).stem}-{package}-{digest([ROOT / file])}.json"
        if not stored.exists():
            tree = tree or copy(0)
            for old in FOLDER.glob(f"{Path(file).stem}-*.json"):
                old.unlink()
            started = processor_seconds()
            draft = stored.with_suffix(".tmp")
            in_child(lambda tree=tree, file=file, draft=draft: measure(tree, file, draft), BUILT / "map.log", wall=7200.0)
            draft.rename(stored)
            print(f"{processor_seconds() - started:6.0f} s  {file}", flush=True)
        found.update(json.loads(stored.read_text("utf-8"))["tests"])
    return found
