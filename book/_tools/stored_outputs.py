"""Which code the outputs that are stored in a notebook came from.

`make notebooks` notes it in the notebook's metadata, as a short hash of each code cell. The book shows stored outputs and runs
no chapter, so it is not built while a chapter's code is another than the noted one.
"""

import hashlib
import sys
from collections.abc import Iterable
from itertools import zip_longest
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from checkout import ROOT
from set_repository import SETUP_CELL

KEY = "outputs_from"


def hashes(notebook: NotebookNode) -> list[str]:
    """Hash the source of each code cell, except the one for Colab, which comes and goes with the book's address."""
    cells = [cell for cell in notebook.cells if cell.cell_type == "code" and cell.get("id") != SETUP_CELL]
    return [hashlib.sha256(cell.source.encode()).hexdigest()[:6] for cell in cells]


def stale(paths: Iterable[Path]) -> bool:
    """Say which notebooks' outputs are of other code, and whether any are."""
    told = list(filter(None, map(complaint, paths)))
    print(*told, sep="\n", end="\n" if told else "", file=sys.stderr)
    return bool(told)


def complaint(path: Path) -> str | None:
    """Say where a notebook's code is another than its outputs come from; None if nowhere."""
    notebook = nbformat.reads(path.read_text("utf-8"), as_version=4)
    pairs = zip_longest(notebook.metadata.get(KEY, "").split(), hashes(notebook))
    changed = next((index for index, (noted, now) in enumerate(pairs, start=1) if noted != now), None)
    if changed is None:
        return None
    name = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
    return f"{name}: code cell {changed} has changed since its outputs were stored: make notebooks ONLY={name}"
