"""The command that grades a folder: which set it is, where the results go, and what is said at the end."""

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from course.batch import ERROR, Batch, alone
from course.processes import Limits
from course.score import GRADED, Result
from course.sets import MASTERS, masters
from course.submissions import inferred, known_ids


def chosen(word: str, folder: Path, sets: Path) -> str:
    """Return the name of the set that a number or a name means, or that most submissions are of."""
    known = known_ids(sets)
    if not word:
        return inferred(folder, known, Limits().file)
    found = [path.stem for path in masters(sets) if word in (path.stem, path.stem.split("_")[0])]
    if not found:
        raise ValueError(f"SET={word!r} is no set; the sets are {', '.join(known)}")
    return found[0]


def main(arguments: Sequence[str] | None = None) -> int:
    usual = Limits()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("submissions", help="the folder with what was handed in")
    parser.add_argument("--set", default="", help="number or name of the set (default: that of most submissions)")
    parser.add_argument("--out", default="", help="folder for the results (default: beside the submissions, <folder>-graded)")
    parser.add_argument("--seed", type=lambda word: int(word) if word else None, help="seed (default: drawn once and kept)")
    parser.add_argument("--masters", type=Path, default=MASTERS, help="folder with the master notebooks")
    parser.add_argument("--workers", type=int, default=2, help="submissions at once")
    parser.add_argument("--cell", type=float, default=usual.cell, help="seconds for one cell")
    parser.add_argument("--total", type=float, default=usual.total, help="seconds for one submission")
    parser.add_argument("--memory", type=int, default=usual.memory, help="megabytes of memory for one submission")
    options = parser.parse_args(arguments)
    folder = Path(options.submissions).expanduser().resolve()
    out = Path(options.out).expanduser().resolve() if options.out else folder.with_name(f"{folder.name}-graded")
    try:
        if not options.submissions or not folder.is_dir():
            raise ValueError(f"SUBMISSIONS={options.submissions!r} is not a folder; say make grade SUBMISSIONS=folder")
        if out == folder or folder in out.parents:
            raise ValueError(f"OUT={str(out)!r} must not be inside the folder of submissions")
        if options.workers < 1:
            raise ValueError(f"WORKERS={options.workers} must be at least 1")
        with alone(out):
            limits = Limits(options.cell, options.total, options.memory, usual.file)
            batch = Batch(folder, out, chosen(options.set, folder, options.masters), options.seed, limits, options.masters)
            results = batch.run(options.workers)
    except (ValueError, RuntimeError) as error:
        print(error, file=sys.stderr)
        return 1
    return summary(results, out)


def summary(results: Sequence[Result], out: Path) -> int:
    """Say how it went, with the names of those that somebody should look at."""
    for result in results:
        if result.status != GRADED:
            print(f"{result.student}: {result.status}: {'; '.join(result.remarks)}")
    counted = ", ".join(f"{times} {status}" for status, times in Counter(one.status for one in results).items())
    print(f"{len(results)} submissions ({counted or 'none'})")
    print(f"Scores: {out / 'grades.csv'}\nA page for each student: {out / 'feedback'}")
    return int(any(result.status == ERROR for result in results))
