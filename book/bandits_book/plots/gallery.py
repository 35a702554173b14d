"""A gallery of mechanisms: read the code, bet whether it is private, pay for runs of the audit, and see why.

It works in a page with no kernel. Every audit was run when the gallery was made, and its result travels with the page.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from bandits_book import museum
from bandits_book.listing import source
from bandits_book.plots.moving import asset, page
from bandits_dp.audit.audit import AuditResult

BEGIN = "Read the code, and bet: does it keep its claim?"
SPARE = 8  # numbers of an input that are shown one by one


@dataclass(frozen=True)
class Room:
    """One mechanism on show, and what audits say of it and of its twin.

    Parameters
    ----------
    piece, broken : Exhibit, bool
        From :func:`bandits_book.museum.exhibits`, and whether the broken mechanism is on show, or the mended one.
    audits : mapping of int to AuditResult or None
        For each number of runs, growing, what the audit of the mechanism on show found; None, but not for the last, if so few runs
        could not refute anything.
    twin : AuditResult
        What the audit of the other one found.

    Examples
    --------
    >>> import numpy as np
    >>> import bandits_dp as bdp
    >>> from bandits_book import museum, plots
    >>> piece = next(piece for piece in museum.exhibits() if piece.name == "impossible counts")
    >>> broken, mended = (
    ...     bdp.audit(mechanism, piece.a, piece.b, piece.epsilon, piece.delta, piece.runs, rng=np.random.default_rng(1))
    ...     for mechanism in (piece.broken, piece.mended))
    >>> room = plots.Room(piece, broken=True, audits={piece.runs: broken}, twin=mended)
    >>> room.audits[piece.runs].passed, room.twin.passed
    (False, True)
    """

    piece: museum.Exhibit
    broken: bool
    audits: Mapping[int, AuditResult | None]
    twin: AuditResult

    def __post_init__(self) -> None:
        runs = list(self.audits)
        if not runs or runs != sorted(runs) or self.audits[runs[-1]] is None:
            raise ValueError(f"audits has the runs {runs}; allowed are growing numbers, of which the last has a result")

    def packed(self) -> dict[str, Any]:
        """Return what the page's script needs to know."""
        piece, other, (title, *story) = self.piece, self.twin, self.piece.story.split("\n\n")
        flaw = " ".join(" ".join(story).split())
        found = [_audit(runs, result, piece.epsilon) for runs, result in self.audits.items()]
        seen = _found(list(self.audits.values())[-1])
        verdict = f"It {'passes' if other.passed else 'fails'} the audit with {other.trials:,} runs: {_found(other)}"
        if self.broken:
            leak = [f"What gives it away: {seen}"] if len(found) > 1 else []
            why = [flaw, *leak, f"Its mended twin: {piece.fix} {verdict}"]
        else:
            why = [f"It keeps its claim, if numbers are exact. How: {piece.fix} No audit can tell you so. This one saw no leak: "
                   f"{seen}", f"Its broken twin, “{piece.name}”. {flaw} {verdict}"]
        return {
            "title": " ".join(title.split()), "claim": f"({piece.epsilon:g}, {piece.delta:g})", "epsilon": piece.epsilon,
            "inputs": inputs(piece), "code": code(piece, self.broken), "private": not self.broken, "why": why,
            "twin": {"bound": round(other.epsilon_lower, 4), "shown": f"{other.epsilon_lower:.2f}", "words": "its twin"},
            "audits": found,
        }


class Gallery:
    """Rooms to walk through; as the last value of a notebook cell it shows itself.

    Parameters
    ----------
    rooms : sequence of Room
        At least one, all audited with as many numbers of runs.
    title, alt : str
        Heading, and what the gallery is, for somebody who cannot see it.

    Examples
    --------
    >>> import numpy as np
    >>> import bandits_dp as bdp
    >>> from bandits_book import museum, plots
    >>> piece = next(piece for piece in museum.exhibits() if piece.name == "impossible counts")
    >>> broken, mended = (
    ...     bdp.audit(mechanism, piece.a, piece.b, piece.epsilon, piece.delta, piece.runs, rng=np.random.default_rng(1))
    ...     for mechanism in (piece.broken, piece.mended))
    >>> room = plots.Room(piece, broken=True, audits={piece.runs: broken}, twin=mended)
    >>> plots.Gallery([room], "Private or not", "One mechanism to bet on.")
    Gallery: Private or not. 1 rooms.
    """

    def __init__(self, rooms: Sequence[Room], title: str, alt: str) -> None:
        counts = {len(room.audits) for room in rooms}
        if len(counts) != 1:
            raise ValueError(f"rooms have {sorted(counts)} audits each; allowed is one number for all of at least one room")
        self.rooms, self.title, self.alt = tuple(rooms), title, alt
        self.data = {"rooms": [room.packed() for room in rooms]}

    def _repr_html_(self) -> str:
        texts = [one["runs"] for one in self.data["rooms"][0]["audits"]]
        slider = {"label": "Runs to pay for", "start": 0, "values": range(len(texts)), "texts": texts}
        # Where no script may run, every verdict is read in a table, folded so that it spoils no bet.
        rows = "".join(f"<tr><td>{place}. {escape(room['title'])}</td><td>{escape(room['claim'])}</td>"
                       f"<td>{'private' if room['private'] else 'broken'}: {escape(room['audits'][-1]['said'])}</td></tr>"
                       for place, room in enumerate(self.data["rooms"], 1))
        still = ('<div class="bdp-still"><details><summary>All rooms and their verdicts</summary><table>'
                 f"<tr><th>mechanism</th><th>claim</th><th>what the audit found</th></tr>{rows}</table></details></div>")
        scripts, styles = ("moving_controls.js", "gallery.js"), ("moving_figure.css", "gallery.css")
        return page("gallery", self.title, self.alt, self.data, still, asset("gallery.html"), BEGIN, [slider], scripts, styles)

    def __repr__(self) -> str:
        return f"Gallery: {self.title}. {len(self.rooms)} rooms."


def code(piece: museum.Exhibit, broken: bool) -> str:
    """Return the source of a piece as it runs, under a name that gives nothing away, and how it is called."""
    draw = (piece.broken if broken else piece.mended).draw
    function, settings = draw.func, draw.keywords  # type: ignore[attr-defined]
    text = source(function).replace(f"def {function.__name__}(", "def mechanism(")
    helpers = [getattr(museum, name) for name in ("_tree", "_tree_std") if f"{name}(" in text]
    call = ", ".join(f"{name}={value:.4g}" if isinstance(value, float) else f"{name}={value}" for name, value in settings.items())
    return "\n\n".join([text, *map(source, helpers), f"mechanism(data, rng, runs, {call})"])


def inputs(piece: museum.Exhibit) -> str:
    """Say in which two datasets the mechanism is run."""
    if piece.a.size <= SPARE:
        X, other = (str(x.astype(object).tolist()).replace(".0", "") for x in (piece.a, piece.b))
        return f"Neighbours: X = {X}, X′ = {other}."
    row = int(np.argmax(np.atleast_2d((piece.a != piece.b).T).any(axis=0)))
    ways = [f"{x[row]:g}" if x.ndim == 1 else f"{x.shape[1]} times {x[row, 0]:g}" for x in (piece.a, piece.b)]
    return f"Neighbours: {len(piece.a)} users; X and X′ differ in user {row + 1}, who has {ways[0]} or {ways[1]}."


def _found(result: AuditResult | None) -> str:
    """Say which event was tested, and how often it happened."""
    assert result is not None  # else the room was refused
    return (f"[{result.event}] happened in {result.hits_a:,} of {result.tested:,} runs on X and in {result.hits_b:,} on X′, "
            f"so ε ≥ {result.epsilon_lower:.2f}; claimed is {result.epsilon:g}.")


def _audit(runs: int, result: AuditResult | None, epsilon: float) -> dict[str, Any]:
    """Return one audit for the page."""
    if result is None:
        bound, shown, passed = 0.0, "no test", True
        said = f"So few runs ({runs:,}) cannot refute a claim of {epsilon:g}, not even with an exact output."
    else:
        bound, shown, passed = round(result.epsilon_lower, 4), f"{result.epsilon_lower:.2f}", result.passed
        said = f"With {runs:,} runs ε ≥ {shown} is proved, {epsilon:g} is claimed: {'passed' if passed else 'caught'}."
    return {"runs": f"{runs:,} runs", "bound": bound, "shown": shown, "passed": passed, "said": said}
