"""Change the package in small ways, one at a time, and see whether a test fails: how much do the tests see?

    make mutants                                  # 400 changes, chosen with SEED=1, one after the other
    make mutants SHARE=50 ONLY=accounting SEED=2  # 50 of one folder

The first run measures which test executes which line. Results are written as they come to `_build/mutants/`; a run that was stopped
goes on, and what survived is tried again when tests have changed. What changes no behaviour is listed in `equivalent.toml`.
"""

import argparse
import json
import multiprocessing
import random
import time
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.mutants.covering import make_map
from tests.mutants.judging import Covering, Row, judged
from tests.mutants.operators import Mutant, files_of, mutants_of
from tests.mutants.trees import BUILT, ROOT, copy, digest, prepare, processor_seconds, test_files

FOLDERS = ("accounting", "privatizers", "continual", "learners", "widths", "schedules", "engine")
REST = tuple(f"bandits_dp/{name}.py" for name in ("designs", "audit", "views", "_state", "_checks", "guarantee"))
DAY = 86400  # seconds that a worker may work
EQUIVALENT = Path(__file__).with_name("equivalent.toml")


def files(part: str) -> list[str]:
    """Return the files of a folder, or the rest."""
    return list(REST) if part == "rest" else list(files_of(part))


def key(row: Row | Mutant) -> tuple[str, int, str, str]:
    """Return what tells a change from all others."""
    values: dict[str, Any] = row if isinstance(row, dict) else vars(row)
    return values["file"], values["line"], values["before"], values["after"]


def equivalent() -> list[dict[str, str]]:
    """Return the listed changes that no test can see: file, line, becomes, because."""
    rows: list[dict[str, str]] = tomllib.loads(EQUIVALENT.read_text("utf-8"))["change"]
    return rows


def chosen(parts: list[str], share: int, seed: int) -> list[Mutant]:
    """Choose changes at random, all equally likely."""
    everything = [mutant for part in parts for file in files(part) for mutant in mutants_of(file)]
    return random.Random(seed).sample(everything, min(share, len(everything)))


def read(results: Path, suite: str) -> dict[tuple[str, int, str, str], Row]:
    """Return what is known from earlier runs; what survived other tests may not survive these."""
    rows = map(json.loads, results.read_text("utf-8").splitlines() if results.exists() else [])
    return {key(row): row for row in rows if row["outcome"] != "survived" or row["suite"] == suite}


def work(number: int, place: Any, waiting: list[Mutant], tests: Covering, budget: float, results: Path, extra: Row) -> None:
    """Take one change after the other from those that wait, and write what comes of it."""
    tree = copy(number)
    while True:
        with place.get_lock():
            at = place.value
            place.value += 1
        if at >= len(waiting):
            return
        row = judged(waiting[at], tests, tree, budget) | extra
        with results.open("a") as file:
            file.write(json.dumps(row) + "\n")
        mark = {"killed": ".", "timeout": "t"}.get(row["outcome"])
        print(mark or f"\n{told(row)}", end="" if mark else "\n", flush=True)


def told(row: Row) -> str:
    """Say where a survivor is, and what it changes."""
    why = f"{row['tests']} tests pass" + (f", {row['left']} not tried" if row["left"] else "") if row["tests"] else "never executed"
    return f"{row['file']}:{row['line']}: {why}\n  - {row['before']}\n  + {row['after']}"


def table(rows: list[Row], parts: list[str]) -> Iterator[str]:
    """Yield the lines of the table."""
    heads = ("changes", "equivalent", "killed", "timeout", "survived", "score")
    yield " " * 11 + "".join(f"{head:>12}" for head in heads)
    for part in (*parts, "all"):
        mine = Counter(row["outcome"] for row in rows if part == "all" or row["file"] in files(part))
        seen, valid = mine["killed"] + mine["timeout"], mine.total() - mine["equivalent"]
        counts = [mine.total(), *(mine[head] for head in heads[1:-1]), f"{seen / valid:.1%}" if valid else "-"]
        yield f"{part:11}" + "".join(f"{count:>12}" for count in counts)


def main() -> None:
    """Choose, judge and tell."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help=f"one of {', '.join((*FOLDERS, 'rest'))}")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--share", type=int, default=400, help="how many changes")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--budget", type=float, default=60.0, help="processor seconds of the tests that are tried on one change")
    options = parser.parse_args()
    parts = [options.only] if options.only else [*FOLDERS, "rest"]
    if not set(parts) <= {*FOLDERS, "rest"}:
        parser.error(f"no such folder: {options.only}; there are {', '.join((*FOLDERS, 'rest'))}")
    started = time.monotonic()
    prepare()
    tests = Covering(make_map())
    package = digest(sorted((ROOT / "bandits_dp").rglob("*.py")))
    suite = digest([ROOT / file for file in test_files()])
    results = BUILT / f"results-{package}.jsonl"
    known = read(results, suite)
    hopeless = {(row["file"], row["line"], row["becomes"]) for row in equivalent()}
    wanted = chosen(parts, options.share, options.seed)
    counted = [mutant for mutant in wanted if (mutant.file, mutant.before, mutant.after) not in hopeless]
    waiting = [mutant for mutant in counted if key(mutant) not in known]
    print(f"{len(wanted)} changes, {len(wanted) - len(counted)} listed as equivalent, {len(waiting)} to try", flush=True)
    place = multiprocessing.get_context("fork").Value("i", 0)
    arguments = (place, waiting, tests, options.budget, results, {"suite": suite})
    workers = [multiprocessing.get_context("fork").Process(target=work, args=(n, *arguments)) for n in range(options.workers)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(DAY)
        worker.kill()
    known = read(results, suite)
    rows = [known[key(mutant)] if mutant in counted else {**vars(mutant), "outcome": "equivalent"} for mutant in wanted]
    print("\n\nSurvivors")
    for row in rows:
        if row["outcome"] == "survived":
            print(told(row))
    print()
    print("\n".join(table(rows, parts)))
    took = f"{time.monotonic() - started:.0f} s, {processor_seconds():.0f} s of processor time"
    print(f"\n{took}; stored in {results.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
