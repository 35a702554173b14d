"""Prove the sets: under many seeds the solutions pass, and the tests catch the usual mistakes; how often goes to power.json.

What the authors of a set expect of it, submissions with their scores and usual mistakes, is in `tests/course/set_N.py`.

The cells are those that a grader would run, restored by the same code, and run here as plain Python: what is measured is our own.

    python book/_tools/rehearse.py                      # all sets, 100 seeds, and book/teaching/power.json is written
    python book/_tools/rehearse.py 3 --seeds 5 --look   # one set, a quick look; nothing is written
"""

import argparse
import contextlib
import json
import os
import re
import runpy
import sys
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from kernels import THREADS

if __name__ == "__main__":
    os.environ |= dict.fromkeys(THREADS, "1")  # before numpy is there

import numpy as np
from tqdm import tqdm

from checkout import ROOT, store
from course.release import checked
from course.restore import Original, code, restored
from course.runner import Cell
from course.sets import MASTERS, POINTS, TEST, Task, masters, with_seed
from provenance import provenance

PLANS = ROOT / "tests" / "course"
STORED = ROOT / "book" / "teaching" / "power.json"  # which the book shows


@dataclass(frozen=True)
class Mistake:
    """A usual mistake: its name, what the student believes, the answer it gives, and the test that has to catch it."""

    name: str
    belief: str
    answers: dict[str, str]
    test: str


@dataclass(frozen=True)
class Rehearsal:
    """A set that is ready to be run: its cells with the solution, its tasks, and what is expected of it.

    Answers that are not named are the solution's.
    """

    name: str
    cells: list[Cell]
    tasks: list[Task]
    partly: dict[str, str]
    partly_points: float
    hard_coded: dict[str, str]
    hard_coded_points: float
    mistakes: list[Mistake]


def written(answers: dict[str, Any], solution: dict[str, str]) -> dict[str, str]:
    """Write out the answers that are given as changes, [(old words, new words), ...], of the solution's, or as indented lines.

    These stand below the first line of the solution's function.
    """
    made = {}
    for name, answer in answers.items():
        made[name] = answer if isinstance(answer, str) else solution[name]
        if made[name].lstrip("\n").startswith("    "):
            made[name] = re.search(r"(?ms)^def .*?:\n", solution[name])[0] + made[name]
        for old, new in () if isinstance(answer, str) else answer:
            if old not in made[name]:
                raise ValueError(f"the solution of {name!r} has no words {old!r} that a plan could change")
            made[name] = made[name].replace(old, new)
    return made


def rehearsal(path: Path, plans: Path = PLANS) -> Rehearsal:
    """Read a set and its plan; raise ValueError if that is of other cells than the set has."""
    master, file = checked(path), plans / f"set_{path.stem.split('_')[0]}.py"
    release = Original(master, path.stem)
    cells = code(restored(master, release)[0], 0)
    solution = {cell.name: cell.source for cell in cells if cell.kind == "answer"}
    if not file.exists():
        raise ValueError(f"{file.name} is missing: it has to say what is expected of the set {path.stem}")
    told = runpy.run_path(str(file))
    partly, hard_coded, mistakes = told["PARTLY"], told["HARD_CODED"], told["MISTAKES"]
    named = {name for answers in (partly, hard_coded, *(changed for _, changed in mistakes.values())) for name in answers}
    if odd := sorted(named - solution.keys()):
        raise ValueError(f"{file.name} names the cells {odd}, which are no answers of the set {path.stem}")
    if missing := sorted(solution.keys() - hard_coded.keys()):
        raise ValueError(f"{file.name}: HARD_CODED has no answer for {missing}")
    made = [Mistake(name, belief, written(one, solution), TEST + min(one)) for name, (belief, one) in mistakes.items()]
    return Rehearsal(path.stem, cells, release.tasks, written(partly, solution), told["PARTLY_POINTS"],
                     written(hard_coded, solution), told["HARD_CODED_POINTS"], made)


def played(cells: Sequence[Cell], seed: int, answers: dict[str, str] | None = None) -> dict[str, str]:
    """Run cells as plain Python, some answers replaced, and say for each what it raised."""
    names: dict[str, Any] = {"__name__": "__main__"}
    said = {}
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere):
        for cell in cells:
            source = with_seed(cell.source, seed) if cell.kind == "setup" else (answers or {}).get(cell.name, cell.source)
            try:
                exec(compile(source, f"<{cell.name}>", "exec"), names)  # our own masters and plans
                said[cell.name] = ""
            except Exception as error:
                said[cell.name] = f"{type(error).__name__}: {error}"
    return said


def score(one: Rehearsal, seed: int, answers: dict[str, str] | None = None) -> float:
    said = played(one.cells, seed, answers)
    return sum(task.points for task in one.tasks if not said[task.test])


def until(one: Rehearsal, test: str) -> list[Cell]:
    """List the cells that a test needs: all before it but other tests."""
    last = [cell.name for cell in one.cells].index(test)
    return [cell for cell in one.cells[: last + 1] if cell.kind != "test" or cell.name == test]


def rehearse(one: Rehearsal, seed: int) -> dict[str, Any]:
    """Run the solution and every mistake under one seed."""
    started = time.process_time()
    solution = {name: said for name, said in played(one.cells, seed).items() if said}
    seconds = time.process_time() - started
    caught, broken = {}, []
    for mistake in one.mistakes:
        said = played(until(one, mistake.test), seed, mistake.answers)
        caught[mistake.name] = said.pop(mistake.test)
        broken += [f"the mistake {mistake.name!r} does not even run: {name}: {why}" for name, why in said.items() if why]
    return {"seed": seed, "solution": solution, "caught": caught, "broken": broken, "seconds": seconds}


def expectations(one: Rehearsal, seed: int) -> list[str]:
    """Say what is not as the plan has it, apart from the power of the tests."""
    found = []
    for test in sorted({mistake.test for mistake in one.mistakes}):
        if said := played(until(one, test), seed)[test]:
            found.append(f"{test} needs what another test defines: {said}")
    wanted = {"PARTLY": (one.partly, one.partly_points), "HARD_CODED": (one.hard_coded, one.hard_coded_points)}
    for label, (answers, points) in wanted.items():
        if (got := score(one, seed, answers)) != points:
            found.append(f"{label} gets {got:g} points where the plan says {points:g}")
    return found


def rows(one: Rehearsal, runs: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return how often each mistake was caught, and what students who make it are told most often."""
    made = []
    for mistake in one.mistakes:
        said = [run["caught"][mistake.name] for run in runs]
        told = Counter(filter(None, said)).most_common(1)
        row = {"set": one.name, "mistake": mistake.name, "belief": mistake.belief, "test": mistake.test}
        made.append(row | {"caught": sum(map(bool, said)), "seeds": len(said), "told": told[0][0][:300] if told else ""})
    return made


def stored(mistakes: list[dict[str, Any]], solutions: list[dict[str, Any]], seeds: int, file: Path = STORED) -> None:
    """Write what was measured; sets that were not rehearsed keep their rows."""
    old = json.loads(file.read_text("utf-8")) if file.exists() else {"solutions": [], "mistakes": []}
    fresh = {row["set"] for row in solutions}
    text = [f'"made": {json.dumps(provenance(f"make rehearsal SEEDS={seeds}", seed=f"1 to {seeds}"))}']
    for key, new in (("solutions", solutions), ("mistakes", mistakes)):
        kept = [row for row in old[key] if row["set"] not in fresh]
        lines = [json.dumps(row, ensure_ascii=False) for row in sorted(kept + new, key=lambda row: row["set"])]
        text.append(f'"{key}": [\n' + ",\n".join(lines) + "\n]")
    store(file, "{\n" + ",\n".join(text) + "\n}\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Rehearse what is asked for, say what was found, and store it if nothing is wrong."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("numbers", nargs="*", help="numbers of sets (default: all)")
    parser.add_argument("--seeds", type=int, default=100, help="how many seeds")
    parser.add_argument("--look", action="store_true", help="write nothing")
    parser.add_argument("--masters", type=Path, default=MASTERS, help="folder with the master notebooks")
    parser.add_argument("--plans", type=Path, default=PLANS, help="folder with what is expected of them")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="processes")
    options = parser.parse_args(arguments)
    if options.seeds < 1:
        parser.error(f"SEEDS={options.seeds} must be at least 1")
    made: list[dict[str, Any]] = []
    solutions: list[dict[str, Any]] = []
    seeds, failed = range(1, options.seeds + 1), False
    with ProcessPoolExecutor(options.workers, mp_context=get_context("spawn")) as pool:
        for path in masters(options.masters, options.numbers):
            try:
                one = rehearsal(path, options.plans)
            except ValueError as error:
                failed = True
                print(error, flush=True)
                continue
            waiting = pool.map(rehearse, [one] * len(seeds), seeds)
            runs = list(tqdm(waiting, total=len(seeds), desc=one.name, unit="seed", disable=None))
            wrong = expectations(one, 1) + sorted({line for run in runs for line in run["broken"]})
            wrong += [f"the solution fails with the seed {run['seed']}: {run['solution']}" for run in runs if run["solution"]]
            failed = failed or bool(wrong)
            caught, passed = rows(one, runs), sum(not run["solution"] for run in runs)
            made += caught
            solutions.append({"set": one.name, "points": POINTS, "passed": passed, "seeds": len(runs)})
            seconds = float(np.median([run["seconds"] for run in runs]))
            print(f"{one.name}: the solution passes {passed} of {len(runs)} seeds, {seconds:.1f} s of CPU each")
            for row in caught:
                told = " ".join(row["told"].split())[:100]
                print(f"  {row['mistake']}: caught {row['caught']} of {row['seeds']} by {row['test']}: {told}")
            print(*(f"  WRONG: {line}\n" for line in wrong), sep="", end="", flush=True)
    if not (failed or options.look):
        stored(made, solutions, options.seeds)
        print(f"{STORED.relative_to(ROOT)} written")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
