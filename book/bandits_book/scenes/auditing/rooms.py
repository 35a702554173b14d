"""The museum's rooms: some mechanisms broken, some mended, each audited with more and more runs."""

import numpy as np

import bandits_dp as bdp
from bandits_book import museum
from bandits_book.plots import Room
from bandits_dp.audit.audit import AuditResult

MENDED = {"reused noise", "one coordinate at a time", "unshuffled", "impossible counts"}  # shown in their mended form


def check(piece: museum.Exhibit, broken: bool, runs: int) -> AuditResult | None:
    """Audit a mechanism or its mended twin; None where no mechanism could fail in so few runs."""
    mechanism, rng = (piece.broken if broken else piece.mended), np.random.default_rng(13)
    try:
        return bdp.audit(mechanism, piece.a, piece.b, piece.epsilon, piece.delta, runs, rng=rng, progress=False)
    except ValueError:
        return None


def rooms() -> list[Room]:
    """Return a room for each mechanism of the museum."""
    made = []
    for piece in museum.exhibits():
        broken, slow = piece.name not in MENDED, len(piece.a) == 128  # the longest outputs are slow to search
        audits = {runs: check(piece, broken, runs) for runs in (100, 1000, 10_000, 40_000 if slow else max(piece.runs, 20_000))}
        twin = check(piece, not broken, 5000 if slow else piece.runs)
        assert twin is not None
        made.append(Room(piece, broken, audits, twin))
    return made
