"""What moved in a stored file since the last commit: which places of it, from what to what, and how far."""

import json
import math
import re
import subprocess
from collections.abc import Iterator
from configparser import ConfigParser
from pathlib import Path
from typing import Any

import nbformat

import drift
from checkout import ROOT, TOOLS

# What tells a row of a stored table from the others.
NAMES = ("test", "family", "name", "note", "set", "mistake", "problem", "setting", "axis", "value", "system", "epsilon")
TIMES = ("seconds", "day")  # what a stored run says of how fast it was, and when
TOLD = 3  # places of a file that are told one by one

Move = tuple[float, str]  # how far, relatively, and what to tell; not a number where words or parts are others


def committed(path: Path) -> str | None:
    """Return a file as it was last committed, or None if it was not."""
    name = f"HEAD:./{path.relative_to(ROOT).as_posix()}"
    done = subprocess.run(["git", "show", name], cwd=ROOT, capture_output=True, check=False, timeout=60)
    return None if done.returncode else done.stdout.decode()


def leaves(data: Any, place: str = "") -> Iterator[tuple[str, str]]:
    """Yield each value in a structure of lists and dictionaries by its place, without times."""
    if isinstance(data, dict):
        for key in (key for key in data if key not in TIMES):
            yield from leaves(data[key], f"{place}, {key}")
    elif isinstance(data, list):
        for index, row in enumerate(data):
            names = [f"{row[name]}" for name in NAMES if row.get(name)] if isinstance(row, dict) else []
            yield from leaves(row, f"{place}, {' '.join(names) or index}")
    else:
        yield place.removeprefix(", "), json.dumps(data, ensure_ascii=False)


def places(path: Path, text: str) -> dict[str, tuple[str, str]]:
    """Return all that can move in a stored file: the kind and the content of each place."""
    if path.suffix == ".json":
        return {place: ("text", content) for place, content in leaves(json.loads(text))}
    if path.suffix == ".svg":
        return {"the picture": ("figure", text)}
    found = {}
    rules = ConfigParser(interpolation=None)
    rules.read(TOOLS / "nbval_sanitize.cfg", "utf-8")
    for cell in nbformat.reads(text, 4).cells:
        for number, (kind, content) in enumerate([("text", cell.source), *drift.parts(cell.get("outputs", ()))]):
            for rule in rules.sections() if kind == "page" else ():
                content = re.sub(rules[rule]["regex"], rules[rule]["replace"], content)
            found[f"{cell.id}, {f'output {number}' if number else 'source'}"] = kind, content
    return found


def moves(path: Path, before: str, now: str) -> list[Move]:
    """List the places of a file that moved: those with other words first, then the farthest."""
    old, new = places(path, before), places(path, now)
    found = [(math.nan, f"{place} is {'new' if place in new else 'gone'}") for place in sorted(old.keys() ^ new.keys())]
    for place in (place for place in old if place in new and old[place] != new[place]):
        (kind, one), (_, other) = old[place], new[place]
        if kind == "figure":
            found.append((0.0, f"{place}: {drift.moved_figure(one, other)}"))
        else:
            farthest = drift.moves(one, other)
            found.append((farthest[0][0] if farthest else 0.0, f"{place}: {drift.moved_text(one, other).removeprefix('line 1: ')}"))
    return sorted(found, key=lambda move: -math.inf if math.isnan(move[0]) else -move[0])


def told(path: Path) -> list[str]:
    """Say of a stored file whether it is what is committed, or else what moved most."""
    name, before, now = path.relative_to(ROOT).as_posix(), committed(path), path.read_text("utf-8")
    if before is None:
        return [f"{name}: new"]
    if not (found := moves(path, before, now)):
        return [f"{name}: {'unchanged' if before == now else 'unchanged but for its form'}"]
    numbers = [change for change, _ in found if not math.isnan(change)]
    far = f"numbers by at most {100 * max(numbers):.3g} %" if numbers else ""
    words = f"{len(found) - len(numbers)} in words or parts" if len(numbers) < len(found) else ""
    head = f"{name}: {len(found)} of {len(places(path, now))} places moved, {', '.join(filter(None, (words, far)))}"
    return [head, *(f"  {line}" for _, line in found[:TOLD]), *([f"  and {len(found) - TOLD} more"] if found[TOLD:] else ())]
