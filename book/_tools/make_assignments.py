"""Make the students' versions of the assignments, and the solutions with their outputs, from the masters.

    python book/_tools/make_assignments.py      # all sets
    python book/_tools/make_assignments.py 3    # set 3

Students' versions are in notebooks/assignments/ and belong to the repository; solutions are in _build/course/solutions/ and do not.
A master with an error is reported, and what was made of it before stays.
"""

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import nbformat
from nbclient.exceptions import CellControlSignal, CellExecutionError

from checkout import store
from course.release import checked, solved, student_text
from course.sets import ASSIGNMENTS, MASTERS, SOLUTIONS, masters
from kernels import neutralise
from set_repository import address


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("numbers", nargs="*", help="numbers of sets (default: all)")
    parser.add_argument("--masters", type=Path, default=MASTERS, help="folder with the master notebooks")
    options = parser.parse_args(arguments)
    paths = masters(options.masters, options.numbers)
    if not paths:
        parser.error(f"there is no such set; there are {', '.join(path.stem for path in masters(options.masters))}")
    neutralise()
    failed = False
    for path in paths:
        started = time.monotonic()
        try:
            master = checked(path)
            store(SOLUTIONS / path.name, nbformat.writes(solved(master)) + "\n")
            told = "made" if store(ASSIGNMENTS / path.name, student_text(master, address())) else "unchanged"
        except (ValueError, CellExecutionError, CellControlSignal) as error:
            failed, told = True, f"FAILED\n{error}"
        print(f"{path.stem}  {time.monotonic() - started:5.1f} s  {told}", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
