"""Play every square of chapter 15's map, and what its fits are made of, and store them in book/price.json.

    python book/_tools/price_sweep.py          # everything, about a quarter of an hour on one core
    python book/_tools/price_sweep.py contexts # the squares and fits of problems whose name has this word; the rest stays

The problems, the options and the function that measures are the chapter's own cells, so what is stored is what a reader can run.
"""

import json
import platform
import sys
import time
from datetime import date
from typing import Any

import nbformat
import numpy as np
import scipy

import bandits_dp as bdp
from checkout import ROOT, store

CHAPTER = ROOT / "notebooks" / "15_price_of_privacy.ipynb"
STORED = ROOT / "book" / "price.json"
CELLS = ("imports", "problems", "measure", "squares")
EPSILON = 1.0  # of the fits


def chapter_names(*cells: str) -> dict[str, Any]:
    """Run cells of the chapter, and return the names that they define."""
    code = {cell.id: cell.source for cell in nbformat.read(CHAPTER, as_version=4).cells if cell.cell_type == "code"}
    names: dict[str, Any] = {}
    for cell in cells:
        exec(compile(code[cell], cell, "exec"), names)  # our own chapter
    return names


def provenance(command: str, **more: Any) -> dict[str, Any]:
    """Say what made the numbers that a command stores."""
    about = {"command": command, "package": bdp.__version__, "python": platform.python_version()}
    return about | {"numpy": np.__version__, "scipy": scipy.__version__, "day": date.today().isoformat(), **more}


def rows(chapter: dict[str, Any], word: str) -> dict[str, list[dict[str, Any]]]:
    """Play what is asked for, and say on the way what it gave."""
    made: dict[str, list[dict[str, Any]]] = {"map": [], "cost": []}
    for problem, name, epsilon, runs in chapter["squares"]():
        if word in problem:
            one, T = chapter["problems"][problem], chapter["horizons"][problem]
            key = {"problem": problem, "system": name, "epsilon": epsilon}
            made["map"].append(key | chapter["measure"](one, name, epsilon, T, runs))
            tell(made["map"][-1])
    for setting, axis, value, name, K, d, T in chapter["costs"]():
        if word in setting:
            key = {"setting": setting, "axis": axis, "value": value, "system": name}
            made["cost"].append(key | chapter["measure"](chapter["sized"](setting, K, d), name, EPSILON, T))
            tell(made["cost"][-1])
    return made


def tell(row: dict[str, Any]) -> None:
    print(*(f"{value:.4g}" if isinstance(value, float) else value for value in row.values()), flush=True)


def main(word: str = "") -> int:
    """Make the file, or the part of it whose problem has a word in its name."""
    started = time.monotonic()
    chapter = chapter_names(*CELLS)
    made = rows(chapter, word)
    if word:
        old = json.loads(STORED.read_text("utf-8"))
        for part, place in (("map", "problem"), ("cost", "setting")):
            made[part] = [row for row in old[part] if word not in row[place]] + made[part]
    random = {name: chapter["random_play"](one, chapter["horizons"][name]) for name, one in chapter["problems"].items()}
    about = provenance("python book/_tools/price_sweep.py", seed=0, calibration="certified")
    parts = {"made": about, "random": random} | made
    lines = [f'"{key}": [\n{",".join(map(line, value))}\n]' if key in made else f'"{key}": {json.dumps(value)}'
             for key, value in parts.items()]
    store(STORED, "{\n" + ",\n".join(lines) + "\n}\n")
    print(f"{STORED.name}: {len(made['map'])} squares, {len(made['cost'])} rows for fits, {time.monotonic() - started:.0f} s")
    return 0


def line(row: dict[str, Any]) -> str:
    """Write a row as one line of JSON, its seconds with three digits."""
    return "\n" + json.dumps(row | {"seconds": float(f"{row['seconds']:.3g}")})


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:2]))
