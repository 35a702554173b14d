"""Say in one line how the fresh outputs of a notebook's cell differ from the stored ones: where, from what to what, how much."""

import math
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import zip_longest

from nbformat import NotebookNode

from run_notebooks import same_picture, shifts

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


def moves(stored: str, fresh: str) -> list[tuple[float, str]]:
    """List the numbers of a text that moved: how far each did, relatively, and what to tell, the farthest first.

    Where a line has other words, that line is all there is, and its change is not a number.
    """
    found = []
    lines = (NAME.sub("", text).splitlines() for text in (stored, fresh))
    for index, (before, now) in enumerate(zip_longest(*lines, fillvalue=""), start=1):
        if NUMBER.sub("0", before).split() != NUMBER.sub("0", now).split():
            same = next((place for place, pair in enumerate(zip(before, now, strict=False)) if len({*pair}) > 1), 0)
            return [(math.nan, f"line {index} has other words: {before[same:][:WIDTH]!r} → {now[same:][:WIDTH]!r}")]
        for one, other in zip(NUMBER.findall(before), NUMBER.findall(now), strict=True):
            if one != other:
                old, new = (float(number.replace(",", "")) for number in (one, other))
                change = abs(new / old - 1) if old else math.inf
                found.append((change, f"line {index}: {one} → {other}"))
    return sorted(found, key=lambda move: -move[0])


def moved_text(stored: str, fresh: str) -> str:
    """Say which numbers of a text moved, and by how much; or, where its words are others, the first line of them."""
    found = moves(stored, fresh)
    if not found or math.isnan(found[0][0]):
        return found[0][1] if found else "other spaces"
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
