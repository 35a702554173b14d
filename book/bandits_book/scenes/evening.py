"""One evening under two rules: ten suggestions after Noor said yes, ten after she said no, and what Eve reads from them."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from numpy.typing import NDArray

from bandits_book.plots import Bar, Ground, Icon, MovingScene, Text
from bandits_book.plots.marks import Mark

SHOWN = 10  # boxes of a row


class Rows(NamedTuple):
    """Suggestions after a yes and after a no, with the words above them."""

    yes: NDArray[Any]
    no: NDArray[Any]
    above: str


def two_rules(one_by_one: Rows, batches: Mapping[str, Rows], counts: Mapping[str, int], names: str) -> MovingScene:
    """Draw UCB1 above one run of batches; `counts` are the yes-answers in Noor's batch, `names` the letters of arms."""

    def draw(boxes: int, run: str) -> tuple[list[Mark], str]:
        marks: list[Mark] = []
        told = []
        for base, rows in ((37, one_by_one), (0, batches[run])):
            leaks = rows.yes[:boxes] != rows.no[:boxes]
            marks += _heading(base, rows.above, int(leaks.sum()))
            for row, (word, arms) in enumerate((("yes", rows.yes), ("no", rows.no))):
                marks += _row(base, row, word, "".join(names[arm] for arm in arms), list(leaks))
            told.append(f"{leaks.sum()} of {boxes} boxes differ")
        return marks, (f"One by one, {told[0]}. In batches, {told[1]}: Noor's batch tells the rule one number, "
                       f"{counts[run]} or {counts[run] - 1}.")

    return MovingScene(
        draw, {"boxes": range(1, SHOWN + 1), "run": list(batches)}, {"boxes": SHOWN, "run": "typical run"},
        play="boxes", size=(100, 71), labels={"boxes": "boxes shown", "run": "batches, in a"},
        title="What others are shown tells Eve what Noor said; batches hide it, mostly",
        alt="Two rows of suggestions per rule: in the upper row Noor said yes, in the lower row no. Under UCB1 "
            "boxes differ from the third on. Under elimination in batches none do in one run, some in another.")


def _heading(base: int, above: str, differ: int) -> list[Mark]:
    """Say which rule this is, and what Eve concludes."""
    verdict = f"Eve: {differ or 'no'} box{'es differ' if differ > 1 else ' differs'}, "
    verdict += "only yes fits" if differ else "both answers fit"
    return [Text(f"above {base}", 0, base + 28, words=above, anchor="start", bold=True),
            Icon(f"eve {base}", 3.5, base + 1.8, size=2.2, name="eye"),
            Text(f"verdict {base}", 9, base + 0.5, "secret" if differ else "ink", words=verdict, anchor="start", bold=True)]


def _row(base: int, row: int, word: str, letters: str, leaks: list[Any]) -> list[Mark]:
    """Draw the boxes of one answer: those seen, amber where the histories differ, and the one that waits."""
    boxes, y = len(leaks), base + 17 - 10 * row
    marks: list[Mark] = [Text(f"answer {base} {row}", 0, y + 2.5, "secret", words=f"Noor: {word}", anchor="start")]
    for i in range(min(boxes + 1, SHOWN)):
        waits, seen, x = i == boxes, i < boxes and leaks[i], 21 + 7.9 * i
        marks += [Ground(f"lit {base} {row} {i}", x, y, "secret", width=7, height=8)] * int(seen)
        marks += [Bar(f"box {base} {row} {i}", x, y, "secret" if seen else "soft", True, 7, 8, not seen),
                  Text(f"letter {base} {row} {i}", x + 3.5, y + 2.6, faint=waits, words="?" if waits else letters[i], bold=seen)]
    return marks
