"""What the package does with nothing but what it always needs: every example runs, but for those that draw or tabulate.

    python -m tests.without_extras    # in an environment without the extras

`test_packaging.py` runs it with the libraries hidden, `make package` in an environment that lacks them.
"""

import contextlib
import doctest
import importlib
import pkgutil
import sys
import tempfile
from collections.abc import Iterator

import bandits_dp

DRAWING = {"bandits_dp.companion.plots.drawing", "bandits_dp.companion.plots.end_labels"}  # nobody imports them who does not draw
NEEDY = {  # whose examples need a library, and whether they get to the message that names the extra
    "bandits_dp.companion.plots.lines.band": False,  # takes axes of the caller's
    "bandits_dp.companion.plots.figure.MovingFigure": True,
    "bandits_dp.companion.plots.style.use_style": True,
    "bandits_dp.companion.lastfm.problem.LastFM": True,
    "bandits_dp.play.result.Result.to_dataframe": True,
    "bandits_dp.companion.logs.log.Log.to_dataframe": True,
}


def complaints(name: str) -> Iterator[str]:
    """Run a module's examples, and say what should not have happened."""
    for test in doctest.DocTestFinder().find(importlib.import_module(name)):
        told: list[str] = []
        doctest.DocTestRunner(verbose=False).run(test, out=told.append)
        said = "".join(told)  # the failures, with what was printed or raised
        if test.name not in NEEDY:
            yield from told
        elif "ModuleNotFoundError" not in said or "\nExpected:" in said:
            yield f"{test.name} needs no library, and is said to, or fails in another way: {said}"
        elif NEEDY[test.name] and 'pip install "bandits-dp[' not in said:
            yield f"{test.name} does not say what to install"


def main() -> int:
    names = {info.name for info in pkgutil.walk_packages(bandits_dp.__path__, "bandits_dp.")} - DRAWING
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):  # some examples write a file
        told = [line for name in ("bandits_dp", *sorted(names)) for line in complaints(name)]
    print(*told, f"{len(names) + 1} modules of {bandits_dp.__file__}", sep="\n")
    return int(bool(told))


if __name__ == "__main__":
    sys.exit(main())
