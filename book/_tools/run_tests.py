"""Run every test, or those that are named: the package's, the stored outputs of the notebooks, then the site in a browser.

One pytest run, so that its last line tells everything. The first test of the site builds the book.
"""

import sys

import pytest

from checkout import ROOT, TOOLS
from kernels import neutralise
from run_notebooks import CELL_TIMEOUT


def main() -> int:
    """Run pytest in this process, on everything or on what the arguments say."""
    neutralise()
    notebooks = ["--nbval", "--nbval-current-env", f"--nbval-cell-timeout={CELL_TIMEOUT}", "-p", "notebook_cells"]
    notebooks += ["--nbval-sanitize-with", str(TOOLS / "nbval_sanitize.cfg")]
    colour = "--color=yes" if sys.stdout.isatty() else "--color=no"  # nbval would colour a log as well
    where = sys.argv[1:] or [str(ROOT / "tests"), str(ROOT / "notebooks")]
    arguments = ["-q", f"--rootdir={ROOT}", "--durations=10", colour, "-p", "nothing_skipped", *notebooks, *where]
    return int(pytest.main(arguments))


if __name__ == "__main__":
    sys.exit(main())
