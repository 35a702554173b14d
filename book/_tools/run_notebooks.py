"""Run the notebooks and store their outputs; a second run stores the same bytes.

Dropped from what is stored: times, the version of Python, and what is for readers with a kernel only. A notebook that fails or
writes to stderr is reported, and its file stays as it was. At the end the numbers in the text are written, from what the runs gave.
"""

import argparse
import io
import json
import re
import sys
import time
from base64 import b64decode, b64encode
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
from nbclient import NotebookClient
from nbclient.exceptions import CellControlSignal, CellExecutionError
from nbformat import NotebookNode
from numpy.typing import NDArray
from PIL import Image

import stored_outputs
from checkout import NOTEBOOKS, ROOT, store
from kernels import neutralise
from set_repository import SETUP_CELL

sys.path.append(str(ROOT / "book" / "_ext"))
import plain_text

CELL_TIMEOUT = 600  # seconds for one cell; this stops what hangs, not what a busy machine slows down
NOTEBOOK_LIMIT = 60  # seconds for a whole notebook, for readers' patience

COLOURS = 64  # of the PNG beside a figure
POINTS = 0.5  # figures are the same picture if nothing in them lies further from its place

KERNEL = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
LIVE = {"remove-output", "nbval-ignore-output"}  # tags of cells that no page shows and nobody compares
UNSTORED_METADATA = ("execution", "ExecuteTime", "trusted")


def execute(notebook: NotebookNode, folder: Path) -> None:
    """Run every cell of `notebook` in a fresh kernel that works in `folder`."""
    NotebookClient(
        notebook, timeout=CELL_TIMEOUT, kernel_name=KERNEL["name"], record_timing=False, coalesce_streams=True,
        extra_arguments=["--log-level=ERROR"], resources={"metadata": {"path": str(folder)}},
    ).execute()  # fmt: skip


def complaints(notebook: NotebookNode) -> list[str]:
    """List what a stored notebook must not do, whatever its outputs are."""
    found = []
    for cell in (cell for cell in notebook.cells if cell.cell_type == "code"):
        told = [output.text for output in cell.outputs if output.output_type == "stream" and output.name == "stderr"]
        # No reader should meet warnings, and progress bars never repeat.
        found += [f"cell {cell.id} wrote to stderr: {text.strip()[:300]}" for text in told]
        if cell.source.rstrip().endswith(";") and "nbval-ignore-output" not in cell.metadata.get("tags", []):
            found.append(f"cell {cell.id} ends in ';', which nbval does not honour: write _ = ... instead")
    return found


def normalise(notebook: NotebookNode) -> None:
    """Remove, in place, what differs from run to run or from machine to machine."""
    notebook.metadata.pop("widgets", None)  # what the labs' controls stood at, under other names in every run
    notebook.metadata["kernelspec"] = dict(KERNEL)
    notebook.metadata["language_info"] = {"name": "python", "pygments_lexer": "ipython3"}
    count = 0
    for cell in notebook.cells:
        for key in UNSTORED_METADATA:
            cell.metadata.pop(key, None)
        if cell.cell_type != "code":
            continue
        if set(cell.metadata.get("tags", ())) >= LIVE:
            cell.outputs = []
        counted = cell.execution_count is not None and cell.id != SETUP_CELL
        count += counted
        cell.execution_count = count if counted else None
        for output in cell.outputs:
            if output.output_type == "execute_result":
                output.execution_count = cell.execution_count
            if picture := output.get("data", {}).get("image/png"):
                output.data["image/png"] = on_paper(picture)


def on_paper(picture: str) -> str:
    """Return a PNG picture small and on white, in a few colours: it stands beside the SVG for viewers that do not show that."""
    drawn = Image.open(io.BytesIO(b64decode(picture)))
    if drawn.mode == "P":  # it is so already
        return picture
    layers = Image.new("RGBA", drawn.size, "white"), drawn.convert("RGBA")
    stream = io.BytesIO()
    Image.alpha_composite(*layers).convert("RGB").quantize(COLOURS).save(stream, "PNG", optimize=True)
    return b64encode(stream.getvalue()).decode()


def shifts(stored: str, fresh: str) -> NDArray[np.float64] | None:
    """Return how far each coordinate of an SVG picture has moved, in points; None if words, looks or parts are others."""
    places = re.compile(r' (?:d|x|y|width|height|viewBox|transform)="[^"]*"|transform-origin:[^"]*')
    number = re.compile(r"-?\d+(?:\.\d+)?")
    parts = [places.sub(lambda found: number.sub("0", found[0]), drawing) for drawing in (stored, fresh)]
    if parts[0] != parts[1]:
        return None
    first, second = (np.array(number.findall(" ".join(places.findall(drawing))), dtype=float) for drawing in (stored, fresh))
    return np.abs(first - second)


def same_picture(stored: str, fresh: str) -> bool:
    """Compare two SVG pictures: the same words, looks and parts, in nearly the same places.

    Libraries of another system round a little differently, and no reader sees that.
    """
    moved = shifts(stored, fresh)
    return moved is not None and bool((moved <= POINTS).all())


def run(path: Path) -> tuple[float, list[str], bool]:
    """Run one notebook and store it if nothing is wrong; return seconds, complaints, and whether it changed."""
    text = path.read_text("utf-8")
    notebook = nbformat.reads(text, as_version=4)
    started = time.monotonic()
    try:
        execute(notebook, path.parent)
    except (CellExecutionError, CellControlSignal) as error:
        return time.monotonic() - started, [str(error)], False
    seconds = time.monotonic() - started
    found = complaints(notebook)
    normalise(notebook)
    notebook.metadata[stored_outputs.KEY] = " ".join(stored_outputs.hashes(notebook))
    fresh = nbformat.writes(notebook) + "\n"
    changed = fresh != text
    if changed and not found:
        store(path, fresh)
    return seconds, found, changed


def chapters(folder: Path = NOTEBOOKS) -> dict[Path, dict[str, Any]]:
    return {path: json.loads(path.read_text("utf-8")) for path in sorted(folder.glob("*.ipynb"))}


def write_all(folder: Path = NOTEBOOKS) -> list[Path]:
    """Write numbers of the last run, and of boxes and figures, into the text of every chapter; return the files that changed."""
    books = chapters(folder)
    names = plain_text.numbering(enumerate(books.values(), 1))
    for notebook in books.values():
        numbers = plain_text.run_numbers(notebook)
        for cell, text in plain_text.markdown(notebook):
            cell["source"] = plain_text.written(text, numbers, names).splitlines(keepends=True)
    return [path for path, notebook in books.items() if store(path, json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="*", type=Path, help="notebooks (default: all in notebooks/)")
    options = parser.parse_args(arguments)
    paths = [path.resolve() for path in options.paths] or sorted(NOTEBOOKS.glob("*.ipynb"))
    missing = [str(path) for path in paths if not path.is_file()]
    if missing or not paths:
        parser.error(f"no such notebook: {', '.join(missing) or NOTEBOOKS}")
    neutralise()
    failed = False
    for path in paths:
        seconds, found, changed = run(path)
        told = "FAILED" if found else "stored" if changed else "unchanged"
        name = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
        slow = f"  (longer than the {NOTEBOOK_LIMIT} s that a reader is told to wait)" if seconds > NOTEBOOK_LIMIT else ""
        print(f"{name}  {seconds:5.1f} s  {told}{slow}", flush=True)
        for complaint in found:
            print(f"  {complaint}", flush=True)
        failed = failed or bool(found)
    for path in write_all():
        print(f"{path.relative_to(ROOT)}  numbers in the text written", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
