"""The package's tests: which of them executes which line, and whether one sees a change, in copies of the repository.

Tests run in processes with limits, forked from one that has imported the libraries. Caches of functions are emptied before every
test that is measured, so that a line is seen by all tests that need it and not only by the first; what a file executes while it is
imported, or in fixtures of a wider scope, counts for all its tests.
"""

import compileall
import contextlib
import functools
import hashlib
import importlib
import json
import multiprocessing
import os
import py_compile
import resource
import shutil
import signal
import sys
import types
from collections import Counter, defaultdict
from pathlib import Path

import coverage
import pytest
from hypothesis import settings

from tests.hardening.mutants.operators import ROOT

BUILT = ROOT / "_build" / "mutants"
OTHERS = (  # the tests of everything else: the book, its tools, the site, the course, how the source looks
    "benchmarks", "book_", "claims", "contest", "course", "notebooks", "plain_", "plots", "slides", "source",
    "symbols", "teaching", "welcome_figure", "which", "workflows",
)  # fmt: skip
LIBRARIES = [  # imported once; nothing of the package and of its tests is among them
    "distributed", "dp_accounting", "hypothesis.extra.numpy", "joblib", "matplotlib.pyplot", "mpmath", "nbformat", "pandas",
    "scipy.integrate", "scipy.optimize", "scipy.signal", "scipy.stats", "sklearn.decomposition", "threadpoolctl", "tqdm.auto",
]  # fmt: skip
OPTIONS = ("-q", "--tb=line", "-p", "no:cacheprovider", "-p", "no:unraisableexception")  # the last collects garbage all the time
MEMORY = 6 * 2**30  # bytes that a test may address
FIRST = 30  # tests that are tried first: most changes are seen by one of these
KILLED = (  # the last three are of imports that fail, the last one in a conftest.py
    pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.INTERRUPTED, pytest.ExitCode.NO_TESTS_COLLECTED, pytest.ExitCode.USAGE_ERROR,
)  # fmt: skip
PATIENCE, LEAST = 10, 30  # tests may take so many times as long as without the change, and so many seconds more


def test_files():
    files = [path for path in sorted((ROOT / "tests").glob("test_*.py")) if not path.name[5:].startswith(OTHERS)]
    return [*files, *sorted((ROOT / "tests" / "hardening").glob("test_*.py"))]


def copy(name):
    """Copy the repository to a folder of its own, with compiled files that are valid by content, not by date."""
    tree = BUILT / f"tree-{name}"
    shutil.rmtree(tree, ignore_errors=True)
    shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(".*", "_build", "__pycache__"))
    for package in (tree / "bandits_dp", tree / "book" / "bandits_book"):
        compileall.compile_dir(package, quiet=1, invalidation_mode=py_compile.PycInvalidationMode.CHECKED_HASH)
    return tree


def in_child(work, tree, *given, wall=7200.0):
    """Call ``work(tree, *given)`` in a process that imports everything from the tree; return its exit code, or minus a signal."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(LIBRARIES)
    child = context.Process(target=_contained, args=(work, tree, *given))
    child.start()
    child.join(wall)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)  # and the workers that it left behind
    child.join(60.0)
    return child.exitcode


def _contained(work, tree, *given):
    os.setpgid(0, 0)
    log = os.open(tree / "log.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(log, 1)
    os.dup2(log, 2)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    os.chdir(tree)
    paths = [str(tree), str(tree / "book")]
    os.environ |= {"PYTHONPATH": os.pathsep.join(paths), "MPLBACKEND": "Agg", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    ours = (ROOT, ROOT / "book", *map(Path, paths))
    sys.path[:] = [*paths, *(entry for entry in sys.path if Path(entry or ".").resolve() not in ours)]
    for name in [name for name in sys.modules if name.partition(".")[0] in ("bandits_dp", "bandits_book", "tests")]:
        del sys.modules[name]
    sys.modules["__main__"] = types.ModuleType("__main__")  # worker processes would run this program's again
    importlib.invalidate_caches()
    settings.register_profile("mutants", deadline=None, derandomize=True, database=None)
    settings.load_profile("mutants")
    code = work(tree, *given)
    sys.stdout.flush()
    os._exit(code)


def run(tree, tests, plugin):
    return int(pytest.main([*OPTIONS, f"--rootdir={tree}", *tests], plugins=[plugin]))


class Watcher:
    """A pytest plugin that tells coverage which test runs, and keeps how long it takes and whether it passes."""

    def __init__(self, measuring):
        self.measuring, self.seconds, self.spoilt = measuring, Counter(), set()  # spoilt: fails without any change, or is skipped

    def pytest_runtest_setup(self, item):
        for name, module in list(sys.modules.items()):
            for value in list(vars(module).values()) if name.partition(".")[0] in ("bandits_dp", "bandits_book", "tests") else ():
                if isinstance(value, functools._lru_cache_wrapper):
                    value.cache_clear()
        self.measuring.switch_context(item.nodeid)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef, request):
        self.measuring.switch_context(request._pyfuncitem.nodeid if fixturedef.scope == "function" else "")
        return (yield)

    def pytest_runtest_call(self, item):
        self.measuring.switch_context(item.nodeid)

    def pytest_runtest_logreport(self, report):
        self.seconds[report.nodeid] += report.duration
        self.spoilt |= set() if report.passed else {report.nodeid}


def measure(tree, file, wanted):
    """Run one file's tests in this process and write how long each takes, and what it executes."""
    measuring = coverage.Coverage(data_file=None, source=[str(tree / "bandits_dp")], config_file=False)
    measuring.start()
    measuring.switch_context("import")  # of the package: it counts for no test
    importlib.import_module("bandits_dp")
    measuring.switch_context("")
    watcher = Watcher(measuring)
    run(tree, [str(file.relative_to(ROOT))], watcher)
    measuring.stop()
    lines = defaultdict(lambda: defaultdict(list))
    for path in measuring.get_data().measured_files():
        for line, contexts in measuring.get_data().contexts_by_lineno(path).items():
            for context in contexts:
                lines[context][Path(path).relative_to(tree).as_posix()].append(line)
    seconds = {test: seconds for test, seconds in watcher.seconds.items() if test not in watcher.spoilt}
    wanted.write_text(json.dumps([seconds, lines]), "utf-8")
    return 0


class Suite:
    """All tests, with their seconds and lines; a file is measured again when it has changed, and all are when the package has."""

    def __init__(self):
        self.seconds, self.seen, tree = {}, defaultdict(list), copy("map")
        folders = (ROOT / "bandits_dp", ROOT / "book" / "bandits_book")
        package = b"".join(path.read_bytes() for folder in folders for path in sorted(folder.rglob("*.py")))
        for file in test_files():
            stored = BUILT / f"{file.stem}-{hashlib.sha256(package + file.read_bytes()).hexdigest()[:16]}.json"
            if not stored.exists():
                print("measures", file.stem, flush=True)
                in_child(measure, tree, file, stored)
            seconds, lines = json.loads(stored.read_text("utf-8"))
            self.seconds |= seconds
            for test in seconds:
                for name, numbers in (*lines.get(test, {}).items(), *lines.get("", {}).items()):
                    for number in numbers:
                        self.seen[name, number].append(test)

    def covering(self, mutant, budget=60.0):
        """Return the tests that execute a mutant's lines, the quickest first, as many as take so many seconds."""
        lines = range(mutant.first, min(mutant.last, 10_000) + 1)
        found = {(self.seconds[test], test) for number in lines for test in self.seen.get((mutant.file, number), ())}
        tests, spent = [], 0.0
        for seconds, test in sorted(found):
            spent += seconds
            tests += [test] * (spent <= budget or not tests)
        return tests

    def outcome(self, mutant, tree):
        """Put a change into a copy of the repository, run tests there, and take it back."""
        original, tests = (ROOT / mutant.file).read_bytes(), self.covering(mutant)
        (tree / mutant.file).write_bytes(mutant.source(original))
        try:
            for stage in filter(None, (tests[:FIRST], tests[FIRST:])):
                limit = LEAST + PATIENCE * sum(self.seconds[test] for test in stage)
                code = in_child(play, tree, stage, int(limit), wall=600.0 + 2 * limit)
                if code in (-signal.SIGXCPU, -signal.SIGKILL):
                    return "timeout"
                if code < 0 or code in KILLED:
                    return "killed"
                if code:
                    raise RuntimeError(f"the tests did not run: see {tree / 'log.txt'}")
        finally:
            (tree / mutant.file).write_bytes(original)
        return "survived"


def play(tree, tests, limit):
    """Run tests in this process, in their order, until one fails."""
    places = {test: number for number, test in enumerate(tests)}

    class Chosen:
        @pytest.hookimpl(trylast=True)
        def pytest_collection_modifyitems(self, items):
            items[:] = sorted((item for item in items if item.nodeid in places), key=lambda item: places[item.nodeid])

    resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
    return run(tree, ["-x", *dict.fromkeys(test.partition("::")[0] for test in tests)], Chosen())
