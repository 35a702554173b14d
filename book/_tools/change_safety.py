"""Change what a student would change in the visible cells, and say what crashes then and what is silently wrong.

The tables `tests/changes*.toml` have the changes. Each names texts of visible cells and what stands there instead: `edits` is a
list of variants, and the first whose texts are all found, each in one visible cell, is made. `check`, an oracle, is evaluated when
the changed cell has run, or the visible cell with the text `after`; `out` is what that cell printed. A notebook runs once, cell by
cell. Before a changed cell the process is forked; the child makes the change and runs the cell and all below it. The verdicts:
*crash*; *silent*, a number is wrong and nobody says so; *told*, it is wrong and a guard of the book speaks; *fine*; *not found*. A
guard may speak where no number is wrong.
"""

import argparse
import json
import os
import signal
import sys
import tomllib
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

if __name__ == "__main__":
    os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1") | {"MPLBACKEND": "Agg"}
    os.environ.pop("BANDITS_DP_STRICT_ASSERTS", None)  # as in a student's kernel

import matplotlib.pyplot as plt
import nbformat
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from traitlets.config import Config

from checkout import NOTEBOOKS, ROOT
from set_repository import SETUP_CELL

FOLDED = {"hide-input", "hide-cell", "remove-cell", "remove-input", "solution"}
SKIPPED = {"nbval-ignore-output", "raises-exception"}  # tags of cells that wait for a reader
GUARD = "The book's "  # begins what a guard of the book's numbers says (bandits_book/asserts.py)
LIMIT = 300  # seconds of processor time for one change
VERDICTS = ("crash", "silent", "told", "fine", "not found")

Change = dict[str, Any]


class Cell(NamedTuple):
    """A code cell: its source, its id, and whether a reader sees it."""

    source: str
    label: str
    visible: bool


def holder(cells: Sequence[Cell], text: str) -> int | None:
    """Return the place of the one visible cell that holds a text."""
    found = [place for place, cell in enumerate(cells) if cell.visible and text in cell.source]
    return found[0] if len(found) == 1 else None


class Plan(NamedTuple):
    """A change of these cells: where it begins, and behind which cell the oracle is asked."""

    cells: list[Cell]
    first: int
    asked: int


def plan(cells: Sequence[Cell], change: Change) -> Plan | None:
    """Return the plan of the first variant whose texts are all there."""
    for edits in change["edits"]:
        made, places = list(cells), []
        for old, new in edits:
            places.append(holder(made, old))
            if places[-1] is None:
                break
            made[places[-1]] = made[places[-1]]._replace(source=made[places[-1]].source.replace(old, new))
        else:
            asked = holder(made, change["after"]) if "after" in change else max(places)
            if asked is not None:
                return Plan(made, min(places), asked)
    return None


def run(shell: InteractiveShell, source: str) -> tuple[str, str]:
    """Run a source; return what it printed, and the first line of its error or nothing."""
    with capture_output() as told, warnings.catch_warnings():
        result = shell.run_cell(source, store_history=False)
    plt.close("all")
    error = result.error_before_exec or result.error_in_exec
    return told.stdout, f"{type(error).__name__}: {error}".splitlines()[0][:160] if error else ""


def play(shell: InteractiveShell, made: Plan, check: str) -> tuple[str, str]:
    """Make a change in this process; return the verdict, and what is to be said about it."""
    crashes, guards, wrong = [], [], ""
    for place, cell in enumerate(made.cells[made.first :], made.first):
        out, error = run(shell, cell.source)
        crashes += [f"{cell.label}: {error}"] if error else []
        guards += [cell.label] if GUARD in out else []
        if place == made.asked and check and not error:
            try:
                wrong = "" if eval(check, shell.user_ns, {"out": out}) else f"not so: {check}"
            except Exception as problem:
                wrong = f"{type(problem).__name__}: {problem}"
    if crashes:
        return "crash", "; ".join(crashes[:2])
    return ("told" if guards else "silent", wrong) if wrong else ("fine", f"guards: {', '.join(guards)}" if guards else "")


def forked(shell: InteractiveShell, made: Plan, check: str) -> tuple[str, str]:
    """Make a change in a process of its own, which ends when its time is over."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        signal.setitimer(signal.ITIMER_PROF, LIMIT)
        os.write(writer, json.dumps(play(shell, made, check)).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        told = pipe.read()
    os.waitpid(child, 0)
    return tuple(json.loads(told)) if told else ("crash", f"ended, after at most {LIMIT} s")


def code_cells(path: Path) -> list[Cell]:
    """Read the cells of a notebook that run without a reader."""
    cells = []
    for cell in nbformat.read(path, 4).cells:
        tags = set(cell.metadata.get("tags", ()))
        if cell.cell_type == "code" and cell.id != SETUP_CELL and not SKIPPED & tags:
            cells.append(Cell(cell.source, cell.id, not FOLDED & tags))
    return cells


def judge(path: Path, changes: Sequence[Change]) -> Iterator[tuple[Change, str, str]]:
    """Yield each change of a notebook with its verdict and what is to be said about it."""
    cells = code_cells(path)
    made = [(change, plan(cells, change)) for change in changes]
    yield from ((change, "not found", "") for change, one in made if one is None)
    plans = [(change, one) for change, one in made if one is not None]
    os.chdir(path.parent)
    settings = {"HistoryManager": {"enabled": False}, "InteractiveShell": {"colors": "nocolor"}}
    shell = InteractiveShell.instance(config=Config(settings))
    for place, cell in enumerate(cells):
        for change, one in plans:
            if one.first == place:
                yield change, *forked(shell, one, change.get("check", ""))
        if any(place < one.first for _, one in plans):
            _, error = run(shell, cell.source)
            if error:
                raise SystemExit(f"{path.name} does not run as it is: {cell.label}: {error}")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="one chapter, as 06")
    parser.add_argument("--notebooks", type=Path, default=NOTEBOOKS)
    parser.add_argument("tables", nargs="*", type=Path, help="default: tests/changes*.toml")
    options = parser.parse_args(arguments)
    tables = options.tables or sorted((ROOT / "tests").glob("changes*.toml"))
    table = [change for one in tables for change in tomllib.loads(one.read_text("utf-8"))["change"]]
    count: Counter[str] = Counter()
    for path in sorted(options.notebooks.resolve().glob("[0-9][0-9]_*.ipynb")):
        changes = [change for change in table if path.name.startswith(change["chapter"])]
        if not changes or not path.name.startswith(options.only):
            continue
        mine: Counter[str] = Counter()
        for change, verdict, why in judge(path, changes):
            mine[verdict] += 1
            said = f"  [{' '.join(why.split())}]" if why else ""
            print(f"{change['chapter']} {verdict:9} {change['what']}{said}", flush=True)
        print(f"{path.stem}: " + ", ".join(f"{mine[verdict]} {verdict}" for verdict in VERDICTS if mine[verdict]), flush=True)
        count += mine
    print(f"{count.total()} changes: " + ", ".join(f"{count[verdict]} {verdict}" for verdict in VERDICTS))
    return int(count.total() > count["fine"])


if __name__ == "__main__":
    sys.exit(main())
