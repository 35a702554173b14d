"""Run the notebooks and store their outputs; a second run stores the same bytes.

Dropped from what is stored: times, the state of widgets (random names; the built book makes its own), and
the version of Python. A notebook that fails, writes to stderr or takes too long is reported, and its file
stays as it was. At the end the numbers in the text are written, from what the runs gave. With `--check` no file is
written: fresh outputs are compared with the stored ones, texts exactly and figures by their pixels.

`make test` builds the book first, and that runs every notebook in a kernel of its own, as here. So its tests
compare the outputs of that run (`check_build`) and do not run the notebooks once more for it.
"""

import argparse
import base64
import io
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import nbformat
import numpy as np
from jupyter_cache import get_cache
from nbclient import NotebookClient
from nbclient.exceptions import CellControlSignal, CellExecutionError
from nbformat import NotebookNode
from PIL import Image

import build_book
import write_text
from checkout import NOTEBOOKS, ROOT, fingerprint
from kernels import neutralise
from set_repository import SETUP_CELL

CELL_TIMEOUT = 120  # seconds for one cell
NOTEBOOK_LIMIT = 60  # seconds for a whole notebook, for readers' patience

# Figures are the same picture if at most this share of pixels differs by more than this many levels of 255.
PIXEL_SHARE = 0.001
PIXEL_LEVELS = 8

KERNEL = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
WIDGET = "application/vnd.jupyter.widget-view+json"
UNSTORED_METADATA = ("execution", "ExecuteTime", "trusted")


def execute(notebook: NotebookNode, folder: Path) -> None:
    """Run every cell of `notebook` in a fresh kernel that works in `folder`."""
    NotebookClient(
        notebook,
        timeout=CELL_TIMEOUT,
        kernel_name=KERNEL["name"],
        record_timing=False,
        coalesce_streams=True,
        extra_arguments=["--log-level=ERROR"],
        resources={"metadata": {"path": str(folder)}},
    ).execute()


def complaints(notebook: NotebookNode) -> list[str]:
    """List what a stored notebook must not do, whatever its outputs are."""
    found = []
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        # No reader should meet warnings, and progress bars never repeat.
        found += [
            f"cell {cell.id} wrote to stderr: {output.text.strip()[:300]}"
            for output in cell.outputs
            if output.output_type == "stream" and output.name == "stderr"
        ]
        if cell.source.rstrip().endswith(";") and "nbval-ignore-output" not in cell.metadata.get("tags", []):
            found.append(f"cell {cell.id} ends in ';', which nbval does not honour: write _ = ... instead")
    return found


def normalise(notebook: NotebookNode) -> None:
    """Remove, in place, what differs from run to run or from machine to machine."""
    notebook.metadata.pop("widgets", None)
    notebook.metadata["kernelspec"] = dict(KERNEL)
    notebook.metadata["language_info"] = {"name": "python", "pygments_lexer": "ipython3"}
    count = 0
    for cell in notebook.cells:
        for key in UNSTORED_METADATA:
            cell.metadata.pop(key, None)
        if cell.cell_type != "code":
            continue
        cell.outputs = [output for output in cell.outputs if WIDGET not in output.get("data", {})]
        counted = cell.execution_count is not None and cell.id != SETUP_CELL
        count += counted
        cell.execution_count = count if counted else None
        for output in cell.outputs:
            if output.output_type == "execute_result":
                output.execution_count = cell.execution_count


def same_picture(stored: str, fresh: str) -> bool:
    """Compare two PNG pictures, given in base64, by their size and decoded pixels."""
    first, second = (
        np.asarray(Image.open(io.BytesIO(base64.b64decode(data))).convert("RGBA"), dtype=np.int16)
        for data in (stored, fresh)
    )
    if first.shape != second.shape:
        return False
    differs = (np.abs(first - second) > PIXEL_LEVELS).any(axis=2)
    return bool(differs.mean() <= PIXEL_SHARE)


def same_output(stored: NotebookNode, fresh: NotebookNode) -> bool:
    """Compare one output: pictures by pixels, everything else exactly."""
    if stored.get("output_type") != fresh.get("output_type"):
        return False
    first, second = dict(stored), dict(fresh)
    data, fresh_data = dict(first.pop("data", {})), dict(second.pop("data", {}))
    picture, fresh_picture = data.pop("image/png", None), fresh_data.pop("image/png", None)
    if (first, data) != (second, fresh_data) or (picture is None) != (fresh_picture is None):
        return False
    return picture is None or same_picture(picture, fresh_picture)


def differences(stored: NotebookNode, fresh: NotebookNode) -> list[str]:
    """Say which cells of two runs of the same, normalised notebook have other outputs."""
    found = []
    for old, new in zip(stored.cells, fresh.cells, strict=True):
        if old.cell_type != "code" or "nbval-ignore-output" in old.metadata.get("tags", []):
            continue
        if len(old.outputs) != len(new.outputs):
            found.append(f"cell {old.id}: {len(old.outputs)} outputs stored, {len(new.outputs)} from the run")
        elif not all(map(same_output, old.outputs, new.outputs)):
            found.append(f"cell {old.id}: the run gave another output than is stored")
    return found


def merge_streams(notebook: NotebookNode) -> None:
    """Make what a cell prints one output, in place, as `execute` does; it may arrive in several pieces."""
    for cell in notebook.cells:
        first: dict[str, NotebookNode] = {}
        for output in cell.get("outputs", []):
            if output.output_type == "stream" and first.setdefault(output.name, output) is not output:
                first[output.name].text += output.text
                output.text = ""
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if output.get("text") != ""]


def last_build(notebook: NotebookNode) -> tuple[float, NotebookNode] | None:
    """Return seconds and outputs of these very cells in the book's last build, if nothing that they use has changed since."""
    state = build_book.read_state()
    if state.get("status") != "built" or state.get("code") != fingerprint(*build_book.CODE):
        return None
    cache = get_cache(build_book.BUILD / build_book.EXECUTED[0])
    try:
        key, ran = cache.merge_match_into_notebook(notebook)
        seconds = float(cache.get_cache_record(key).data["execution_seconds"])
    except KeyError:
        return None
    merge_streams(ran)
    return seconds, ran


def check_build(path: Path) -> list[str] | None:
    """Compare what is stored in a notebook with what the book's last build got; None if it has to be run for that."""
    stored = nbformat.reads(path.read_text("utf-8"), as_version=4)
    built = last_build(stored)
    return None if built is None else judge(stored, built[1], built[0])


def judge(stored: NotebookNode, fresh: NotebookNode, seconds: float) -> list[str]:
    """List what is wrong with a fresh run, by itself and compared with the stored one; both are normalised."""
    found = complaints(fresh)
    if seconds > NOTEBOOK_LIMIT:
        found.append(f"took {seconds:.0f} s; a notebook may take {NOTEBOOK_LIMIT} s")
    normalise(stored)
    normalise(fresh)
    return found + differences(stored, fresh)


def run(path: Path, check: bool) -> tuple[float, list[str], bool]:
    """Run one notebook and, unless `check`, store it; return seconds, complaints, and whether it changed."""
    text = path.read_text("utf-8")
    notebook = nbformat.reads(text, as_version=4)
    started = time.monotonic()
    try:
        execute(notebook, path.parent)
    except (CellExecutionError, CellControlSignal) as error:
        return time.monotonic() - started, [str(error)], False
    seconds = time.monotonic() - started
    if check:
        return seconds, judge(nbformat.reads(text, as_version=4), notebook, seconds), False
    found = judge(notebook, notebook, seconds)
    fresh = nbformat.writes(notebook) + "\n"
    changed = fresh != text
    if changed and not found:
        draft = path.with_name(f".{path.name}.tmp")
        draft.write_text(fresh, "utf-8")
        os.replace(draft, path)
    return seconds, found, changed


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the named notebooks, or all of them, and report on each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare with the stored outputs, write nothing")
    parser.add_argument("paths", nargs="*", type=Path, help="notebooks (default: all in notebooks/)")
    options = parser.parse_args(arguments)
    paths = [path.resolve() for path in options.paths] or sorted(NOTEBOOKS.glob("*.ipynb"))
    missing = [str(path) for path in paths if not path.is_file()]
    if missing or not paths:
        parser.error(f"no such notebook: {', '.join(missing) or NOTEBOOKS}")
    neutralise()
    failed = False
    for path in paths:
        seconds, found, changed = run(path, options.check)
        told = "FAILED" if found else "the same" if options.check else "stored" if changed else "unchanged"
        name = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
        print(f"{name}  {seconds:5.1f} s  {told}", flush=True)
        for complaint in found:
            print(f"  {complaint}", flush=True)
        failed = failed or bool(found)
    if not options.check:
        for path in write_text.write_all():
            print(f"{path.relative_to(ROOT)}  numbers in the text written", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
