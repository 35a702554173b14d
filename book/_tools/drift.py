"""How the fresh outputs of a notebook's cell differ from the stored ones, in one line: where, from what to what, how much.

As a pytest plugin this stands beside nbval, which compares the texts that cells put out, and checks the rest of what a reader sees:
figures are compared with the stored ones by their shapes, and a cell that writes to stderr fails. At the end a line for each cell
that failed says what drifted.
"""

import math
import re
from collections.abc import Callable, Generator, Iterable, Iterator
from itertools import zip_longest

import pytest
from nbformat import NotebookNode
from nbval.plugin import IPyNbCell, NbCellError

from run_notebooks import same_picture, shifts

KEY = "drift"  # among what a report carries from one process to another
KINDS = {"text/plain": "text", "text/html": "page", "image/svg+xml": "figure"}  # a page is a table or a moving figure
NUMBER = re.compile(r"-?\d+(?:,\d{3})*(?:\.\d+)?(?:e[-+]?\d+)?", re.IGNORECASE)
NAME = re.compile(r"\bbdp-[0-9a-f]{10}\b")  # of a moving figure, which follows from what it shows
SHOWN = 3  # numbers of an output that are told one by one
WIDTH = 60  # characters of a line that are told


def parts(outputs: Iterable[NotebookNode]) -> Iterator[tuple[str, str]]:
    """Yield the kind and the content of all that is compared in a cell's outputs."""
    for output in outputs:
        if output.output_type == "stream":
            yield "text" if output.name == "stdout" else "stderr", output.text
        elif output.output_type == "error":
            yield "error", f"{output.ename}: {output.evalue}"
        yield from ((name, output.data[kind]) for kind, name in KINDS.items() if kind in output.get("data", {}))


def moved_text(stored: str, fresh: str) -> str:
    """Say which numbers of a text moved, the farthest first; or, where its words are others, the first line of them."""
    found = []
    lines = (NAME.sub("", text).splitlines() for text in (stored, fresh))
    for index, (before, now) in enumerate(zip_longest(*lines, fillvalue=""), start=1):
        if NUMBER.sub("0", before).split() != NUMBER.sub("0", now).split():
            same = next((place for place, pair in enumerate(zip(before, now, strict=False)) if len({*pair}) > 1), 0)
            return f"line {index} has other words: {before[same:][:WIDTH]!r} → {now[same:][:WIDTH]!r}"
        for one, other in zip(NUMBER.findall(before), NUMBER.findall(now), strict=True):
            if one != other:
                old, new = (float(number.replace(",", "")) for number in (one, other))
                found.append((abs(new / old - 1) if old else math.inf, f"line {index}: {one} → {other}"))
    if not found:
        return "other spaces"
    found.sort(key=lambda move: -move[0])
    more = f", and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    return f"{', '.join(told for _, told in found[:SHOWN])}{more}; largest change {100 * found[0][0]:.3g} %"


def moved_figure(stored: str, fresh: str) -> str:
    """Say how far the parts of a figure moved, or that they are others."""
    points = shifts(stored, fresh)
    if points is None:
        return "other words, looks or number of parts"
    return f"{(points > 0).sum()} of {len(points)} coordinates moved, the farthest by {points.max():.2g} points"


def told(stored: Iterable[NotebookNode], fresh: Iterable[NotebookNode], sanitize: Callable[[str], str]) -> str:
    """Say how a cell's fresh outputs differ from the stored ones, after what `sanitize` leaves out; "" if they do not."""
    before, now = list(parts(stored)), list(parts(fresh))
    kinds = [[kind for kind, _ in some] for some in (before, now)]
    if kinds[0] != kinds[1]:
        what = [f"{kind}: {content.strip()[:WIDTH]}" for kind, content in now if kind in ("error", "stderr")]
        return "; ".join(what) or f"puts out {', '.join(kinds[0]) or 'nothing'} → {', '.join(kinds[1]) or 'nothing'}"
    found = []
    for (kind, one), (_, other) in zip(before, now, strict=True):
        if kind == "figure" and not same_picture(one, other):
            found.append(f"figure: {moved_figure(one, other)}")
        elif kind != "figure" and sanitize(one) != sanitize(other):
            found.append(f"{kind}: {moved_text(sanitize(one), sanitize(other))}")
    return "; ".join(found)


def complaint(cell: IPyNbCell) -> str | None:
    """Say what is wrong with the outputs of a cell that nbval has just run and found nothing wrong with."""
    if printed := "".join(output.text for output in cell.test_outputs if output.get("name") == "stderr"):
        return f"Cell wrote to stderr: {printed}"
    if not cell.options["check"] or cell.cell.execution_count is None:
        return None
    moved = told(cell.cell.outputs, cell.test_outputs, cell.sanitize)
    return f"Cell drew another picture than is stored: {moved}" if moved else None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None]:
    try:
        yield
        if isinstance(item, IPyNbCell) and (wrong := complaint(item)):
            item.raise_cell_error(wrong)
    except NbCellError:
        first = next(iter(item.cell.source.splitlines()), "")
        how = told(item.cell.outputs, item.test_outputs, item.sanitize)
        item.user_properties.append((KEY, f"{item.nodeid} ({item.cell.id}, `{first}`): {how}"))
        raise


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say of each cell that failed what drifted."""
    lines = [text for report in terminalreporter.getreports("failed") for key, text in report.user_properties if key == KEY]
    if lines:
        terminalreporter.section("drifted cells")
    for line in lines:
        terminalreporter.line(f"DRIFT {line}")
