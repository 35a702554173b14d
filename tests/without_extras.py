"""What the package does with nothing but what it always needs: every example runs, but for those that draw or tabulate.

    python -m tests.without_extras    # in an environment without the extras

`test_packaging.py` runs it with the libraries hidden, `make package` in an environment that lacks them.
"""

import contextlib
import doctest
import importlib
import re
import sys
import tempfile
from collections.abc import Iterator

import bandits_dp
from tests.packages import MODULES

DRAWING = {"bandits_book.plots.drawing", "bandits_book.plots.end_labels"}  # nobody imports them who does not draw
NEEDY = {  # whose examples need a library, and whether they get to the message that names the extra
    "bandits_book.plots.lines.band": False,  # takes axes of the caller's
    "bandits_book.plots.lines.regret": False,
    "bandits_book.plots.figure.MovingFigure": True,
    "bandits_book.plots.labs.lab": True,
    "bandits_book.plots.style.use_style": True,
    "bandits_book.lastfm.problem.LastFM": True,
    "bandits_dp.play.result.Result.to_dataframe": True,
    "bandits_book.logs.log.Log.to_dataframe": True,
}


def complaints(name: str) -> Iterator[str]:
    """Run a module's examples, and say what should not have happened."""
    for test in doctest.DocTestFinder().find(importlib.import_module(name)):
        told: list[str] = []
        doctest.DocTestRunner(verbose=False).run(test, out=told.append)
        said = "".join(told)  # the failures, with what was printed or raised
        if test.name not in NEEDY:
            yield from told
        elif not re.search("ModuleNotFoundError|which is not installed", said) or "\nExpected:" in said:
            yield f"{test.name} needs no library, and is said to, or fails in another way: {said}"
        elif NEEDY[test.name] and 'pip install "bandits-dp[' not in said:
            yield f"{test.name} does not say what to install"


def main() -> int:
    names = [name for name in MODULES if name not in DRAWING]
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):  # some examples write a file
        told = [line for name in names for line in complaints(name)]
    print(*told, f"{len(names)} modules of {bandits_dp.__file__} and its book", sep="\n")
    return int(bool(told))


if __name__ == "__main__":
    sys.exit(main())
