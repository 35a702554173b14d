"""Change what a student would change in the visible cells, and say what crashes then and what is silently wrong.

The tables `tests/changes*.toml` have the changes. Each names texts of visible cells and what stands there instead: `edits` is a
list of variants, and the first whose texts are all found, each in one visible cell, is made. `check`, an oracle, is evaluated when
the changed cell has run, or the visible cell with the text `after`; `out` is what that cell printed. A notebook runs once, cell by
cell. Before a changed cell the process is forked; the child makes the change and runs the cell and all that depend on it, by the
names that they read and write. The verdicts: *crash*; *silent*, a number is wrong and nobody says so; *told*, it is wrong and a
guard of the book speaks; *fine*; *not found*. A guard may speak where no number is wrong.
"""

import argparse
import ast
import builtins
import json
import os
import signal
import symtable
import sys
import tomllib
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

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
SHARED = {"numbers"}  # all glue cells add to it, and no cell computes with it
CONSTANT = {"np", "bdp", "math", "plt", "ax"}  # no call of theirs changes what it is given
LIMIT = 300  # seconds of processor time for one change
VERDICTS = ("crash", "silent", "told", "fine", "not found")

Change = dict[str, Any]


class Cell:
    """A code cell: its source, whether a reader sees it, and the names that it reads and may write."""

    def __init__(self, source: str, label: str, visible: bool) -> None:
        self.source, self.label, self.visible = source, label, visible
        self.functions: dict[str, set[str]] = {}  # of each, the names that it takes from the notebook
        table = symtable.symtable(source, label, "exec")
        self.writes = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_assigned() or symbol.is_imported()}
        self.reads = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_referenced()}
        for inner in table.get_children():
            self.functions.setdefault(inner.get_name(), set()).update(outer_names(inner))
        self.reads = self.reads.union(*self.functions.values())
        self.writes |= {name for node in ast.walk(ast.parse(source)) for name in maybe_changed(node)} & (self.reads | self.writes)


def outer_names(table: symtable.SymbolTable) -> set[str]:
    """Return the names that a function, and those within it, take from the notebook."""
    names = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_global()}
    return names.union(*map(outer_names, table.get_children()))


def maybe_changed(node: ast.AST) -> set[str]:
    """Return the names whose values a part of the source may change: what is called or handed over, and what gets items."""
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and not isinstance(node.ctx, ast.Load):
        return {node.value.id}
    if not isinstance(node, ast.Call):
        return set()
    start = node.func
    while isinstance(start, ast.Attribute):
        start = start.value
    whose = start.id if isinstance(start, ast.Name) else ""
    if whose in CONSTANT or (start is node.func and hasattr(builtins, whose)):
        return set()  # of numpy, say, or print, which change nothing that they are given
    return {one.id for one in [start, *node.args] if isinstance(one, ast.Name)}


def link(cells: Sequence[Cell]) -> None:
    """Let each cell read what the functions that it names read, wherever they are defined."""
    uses = {name: reads for cell in cells for name, reads in cell.functions.items()}
    for cell in cells:
        while new := set().union(*(uses.get(name, ()) for name in cell.reads)) - cell.reads:
            cell.reads |= new
        cell.reads -= SHARED
        cell.writes -= SHARED


def to_run(cells: Sequence[Cell], changed: set[int]) -> set[int]:
    """Return the places of the changed cells, of those that depend on them, and of those that all these need."""
    needed: set[int] = {0}
    moved: set[str] = set()
    wanted: set[str] = set()
    for place, cell in enumerate(cells):
        if place in changed or (place > min(changed) and moved & cell.reads):
            needed.add(place)
            moved |= cell.writes
    for place, cell in reversed([*enumerate(cells)]):
        if place in needed or wanted & cell.writes:
            needed.add(place)
            wanted |= cell.reads
    return needed


def holder(cells: Sequence[Cell], text: str) -> int | None:
    """Return the place of the one visible cell that holds a text."""
    found = [place for place, cell in enumerate(cells) if cell.visible and text in cell.source]
    return found[0] if len(found) == 1 else None


class Plan:
    """A change of these cells: where it begins, what is run, and behind which cell the oracle is asked."""

    def __init__(self, cells: Sequence[Cell], edits: Sequence[Sequence[str]], after: str | None) -> None:
        self.cells, changed = list(cells), set()
        for old, new in edits:
            place = holder(self.cells, old)
            if place is None:
                raise LookupError(old)
            cell = self.cells[place]
            self.cells[place] = Cell(cell.source.replace(old, new), cell.label, True)
            changed.add(place)
        asked = holder(self.cells, after) if after else max(changed)
        if asked is None:
            raise LookupError(after)
        link(self.cells)
        self.first, self.asked = min(changed), asked
        self.places = to_run(self.cells, changed) | to_run(self.cells, {asked})


def plan(cells: Sequence[Cell], change: Change) -> Plan | None:
    """Return the plan of the first variant whose texts are all there."""
    for edits in change["edits"]:
        try:
            return Plan(cells, edits, change.get("after"))
        except LookupError:
            continue
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
    for place in sorted(place for place in made.places if place >= made.first):
        cell = made.cells[place]
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
    link(cells)
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
        if any(place < one.first and place in one.places for _, one in plans):
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
