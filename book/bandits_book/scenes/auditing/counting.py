"""The outputs of two worlds pile up, one event is counted, and what is proved of ε grows."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from bandits_book.plots import Bar, Dot, MovingScene, Path, Text
from bandits_book.plots.marks import Mark

CUTS = (-1.5, -1, -0.5, 0, 0.5, 1, 1.5)
SCALE = 37.2  # units for an ε of 1
ALT = ("Histograms of outputs on X and on X prime; the part below a threshold is blue. Beside them the limits of its probability, "
       "below them the bound on epsilon, which grows with the runs.")

Limits = Callable[[int, int, float], tuple[float, float]]


def of_laplace(noise: NDArray[np.float64]) -> float | None:
    """Return the ε of Laplace noise on a count, to one decimal, from many draws; None if they look like other noise."""
    scale = np.abs(noise).mean()
    return round(1 / scale, 1) if abs((noise**2).mean() / scale**2 - 2) < 0.1 else None


def world(name: str, base: float, says: float, y: NDArray[np.float64], cut: float, found: int, limits: Limits) -> list[Mark]:
    """Draw one world: a histogram, its part in the event in blue, and the share of the event with its limits."""
    runs, marks = len(y), []
    shares = np.histogram(np.clip(y, -2.99, 3.99), 28, (-3, 4))[0] / runs
    for i, share in enumerate(shares):
        color = "central" if -3 + (i + 1) / 4 <= cut else "soft"
        marks.append(Bar(f"{name} {i}", 4 + 2.1 * i, base, color, width=1.7, height=min(62 * share, 21)))
    low, high = limits(found, runs, 0.005)
    return [*marks,
            Text(f"name {name}", 97, base + 18, words=f"{name}: Noor says {says:g}", anchor="end", bold=True),
            Text(f"hits {name}", 97, base + 13, words=f"{found:,} of {runs:,}", anchor="end"),
            Path(f"limits {name}", 68, base + 4, points=[(29 * low, 0), (29 * high, 0)]),
            Dot(f"share {name}", 68 + 29 * found / runs, base + 4, "central", size=1.2),
            Path(f"scale {name}", 68, base, "soft", points=[(0, 1), (0, 0), (29, 0), (29, 1)])]


def axis(cut: float, proved: float, fewer: float, truth: float | None) -> list[Mark]:
    """Draw the event's threshold, and below it the axis of ε: what is proved, by 100 runs too, the claim and the truth."""
    marks: list[Mark] = [
        Path("cut", 4 + 8.4 * (cut + 3), 38, points=[(0, 0), (0, 50)], dash="4 4"),
        Bar("proved", 4, 12, "central", width=max(SCALE * proved, 0.4), height=6),
        Path("axis", 4, 12, "soft", points=[(0, 0), (93, 0)]),
        Text("bound", 4, 22, words=f"proved: ε ≥ {proved:.2f}", anchor="start", bold=True),
        Text("fewer", 97, 22, "soft", words=f"dotted: 100 runs, ε ≥ {fewer:.2f}", anchor="end"),
        Path("fewer runs", 4 + SCALE * fewer, 12, points=[(0, 0), (0, 8)], dash="2 2"),
        Text("sure", 97, 30.5, "soft", words="dot: blue share; line: 99% sure", anchor="end")]
    marks += [Text(f"{at} of all", 68 + 29 * at, 35.5, "soft", words=f"{at:.0%}") for at in (0, 1)]
    for at, word in ((1, "claim 1"), *([(truth, f"truth {truth:g}")] if truth else ())):
        marks += [Path(word, 4 + SCALE * at, 10, "secret", points=[(0, 0), (0, 11)]),
                  Text(f"word {at}", 4 + SCALE * at, 4, "secret", words=word)]
    return marks


def counting(outputs: Sequence[NDArray[np.float64]], says: Sequence[float], noise: NDArray[np.float64], totals: Sequence[int],
             limits: Limits, bound: Callable[..., float]) -> MovingScene:
    """Show the first so many outputs of both worlds, for each number of runs, and what the chapter's bound proves from them."""
    truth, names, bases = of_laplace(noise), ("X", "X′"), (66, 40)

    def draw(runs: int, cut: float) -> tuple[list[Mark], str]:
        found = [int(np.sum(y[:runs] <= cut)) for y in outputs]
        proved = bound(*found, runs, confidence=0.99)
        fewer = bound(*(np.sum(y[:100] <= cut) for y in outputs), 100, confidence=0.99)
        marks = [mark for which, y in enumerate(outputs)
                 for mark in world(names[which], bases[which], says[which], y[:runs], cut, found[which], limits)]
        return [*marks, *axis(cut, proved, fewer, truth)], (
            f"Outputs up to {cut:g} in {runs:,} runs: {found[0]:,} on X, {found[1]:,} on X′. "
            f"Proved at 99%: ε ≥ {proved:.2f}" + (", so the claim of 1 is refuted." if proved > 1 else "."))

    return MovingScene(
        draw, {"runs": totals, "cut": CUTS}, {"runs": totals[len(totals) // 2], "cut": 0},
        title="Counted in two worlds, one event refutes a claim; more runs prove more", play="runs",
        pace=900, size=(100, 92), labels={"runs": "runs in each world", "cut": "event: output at most"}, alt=ALT)
