"""Run every test, or those that are named: the package's, the stored outputs of the notebooks, then the site in a browser.

One pytest run, so that its last line tells everything. The first test of the site builds the book. Everything at once is shared
among the machine's cores, file by file, those with most tests first; what is named runs in this process. The book is built
meanwhile, because all tests of the site would wait for it.
"""

import os
import subprocess
import sys

import pytest

import get_browser
import get_sandbox
from checkout import NOTEBOOKS, ROOT, TOOLS
from kernels import neutralise
from run_notebooks import CELL_TIMEOUT

ASSIGNMENTS = NOTEBOOKS / "assignments"  # what students get raises on purpose; tests/test_course_sets.py runs the sets
LONGEST = 3 * 3600  # seconds for one test, the build of the book included; who waits longer is ended, and all stacks are shown


def main() -> int:
    neutralise()
    if not sys.argv[1:]:
        get_browser.settle()
        get_sandbox.settle()
    colour = "--color=yes" if sys.stdout.isatty() else "--color=no"  # nbval would colour a log as well
    strict = ["-p", "nothing_skipped", "-p", "drift", "-p", "get_browser", f"--ignore={ASSIGNMENTS}"]
    strict += ["-o", f"faulthandler_timeout={LONGEST}", "-o", "faulthandler_exit_on_timeout=true"]
    strict += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # of get_browser, which is imported here
    notebooks = ["--nbval", "--nbval-current-env", f"--nbval-cell-timeout={CELL_TIMEOUT}"]
    notebooks += ["--nbval-sanitize-with", str(TOOLS / "nbval_sanitize.cfg")]
    shared = [f"--numprocesses={os.cpu_count()}", "--dist=loadfile"]
    where = sys.argv[1:] or [*shared, str(ROOT / "tests"), str(ROOT / "notebooks")]
    arguments = ["-q", f"--rootdir={ROOT}", "--durations=10", colour, *strict, *notebooks, *where]
    if sys.argv[1:]:
        return int(pytest.main(arguments))
    build = [sys.executable, str(TOOLS / "build_book.py")]  # the first test of the site asks again, and says what went wrong
    with subprocess.Popen(build, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL):
        return int(pytest.main(arguments))


if __name__ == "__main__":
    sys.exit(main())
