"""Run every test: the package's, the stored outputs of the notebooks, and the built site in a browser.

One pytest run, so that its last line tells everything. A skipped test counts as failed here: what did not run
has not been checked.
"""

import os
import sys
from collections.abc import Generator

import pytest

from checkout import ROOT
from get_browser import find
from kernels import neutralise
from run_notebooks import CELL_TIMEOUT


class NothingSkipped:
    """A pytest plugin that turns skips into failures."""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Refuse a test that skipped itself, unless it was expected to fail."""
        report = yield
        if report.skipped and not hasattr(report, "wasxfail"):
            report.outcome = "failed"
            report.longrepr = f"Skipped, and no test may be: {report.longrepr}"
        return report

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(self) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        """Refuse a file that skipped itself as a whole."""
        report = yield
        if report.skipped:
            report.outcome = "failed"
            report.longrepr = f"Skipped, and no test may be: {report.longrepr}"
        return report


def main() -> int:
    """Run pytest in this process, on everything or on what the arguments say."""
    neutralise()
    if browser := find():
        os.environ["CHROMIUM"] = browser  # for every test that opens one
    notebooks = ["--nbval", "--nbval-current-env", f"--nbval-cell-timeout={CELL_TIMEOUT}"]
    where = sys.argv[1:] or [str(ROOT / "tests"), str(ROOT / "notebooks")]
    arguments = ["-q", f"--rootdir={ROOT}", "--durations=10", *notebooks, *where]
    return int(pytest.main(arguments, plugins=[NothingSkipped()]))


if __name__ == "__main__":
    sys.exit(main())
