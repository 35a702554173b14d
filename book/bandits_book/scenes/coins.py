"""Randomized response: messages fill a table of truths and of what was sent."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandits_book.plots import Bar, Dot, Icon, MovingScene, Path, Text
from bandits_book.plots.marks import Mark
from bandits_dp.privatizers import RandomizedResponse

STEPS = (0, 1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 40, 100, 1000)
DRAWN = 40  # users who have a dot

Bits = NDArray[np.int64]


def messages(said: Bits, coins: Mapping[str, float], seed: int) -> MovingScene:
    """Let phones send the answers `said`, shape (users, 1), by each of the coins, which are named with their epsilon."""
    users = len(said)
    sent = {name: _sent(said, epsilon, seed) for name, epsilon in coins.items()}

    def draw(users: int, coin: str) -> tuple[list[Mark], str]:
        return _table(np.hstack([said, sent[coin]]), users, math.exp(coins[coin]) / (1 + math.exp(coins[coin])))

    return MovingScene(
        draw, {"users": sorted({step for step in STEPS if step < users} | {users}), "coin": list(coins)},
        {"users": 30, "coin": "ln 3"}, size=(100, 98), play="users",
        title="Any message may be a lie, and ε says how often Eve can be right",
        labels={"users": "messages sent", "coin": "ε"},
        alt="Dots leave the phones with a true answer and move into a cell of a table: a row for each "
            "truth, a column for what was sent. The shares approach the table's probabilities.")


def _sent(said: Bits, epsilon: float, seed: int) -> Bits:
    return np.asarray(RandomizedResponse(len(said), epsilon).randomize(said, np.random.default_rng(seed)), dtype=int)


def _table(every: Bits, users: int, most: float) -> tuple[list[Mark], str]:
    """Draw what the first users sent, of `every` row (truth, sent), where the truth is sent with probability `most`."""
    true, sent = every[:users].T
    last, right = f"{users:,} messages", np.mean(true == sent) if users else 0
    if 0 < users < 7:
        last = f"{'Noor' if users == 1 else f'User {users}'}: truth {true[-1]}, sends {sent[-1]}"
    marks: list[Mark] = [Text(text, x, y, color, words=text, anchor="start") for x, y, text, color in (
        (0, 93, "phones", "ink"), (46, 84.5, "0 sent", "local"), (77, 84.5, "1 sent", "local"),
        (20, 67, "true 0", "secret"), (20, 36, "true 1", "secret"),
        (8, 17, "Eve is right", "ink"))]
    marks += [Icon("eye", 3.5, 18, size=2, name="eye"), Text("last", 99, 93, words=last, anchor="end"),
              Text("key", 1, 3, "soft", words="tick: in the long run", anchor="start"),
              Text("most", 99, 3, words=f"ε allows {most:.1%}", anchor="end")]
    cells: list[Any] = [(37.5 + 31.5 * s, 55.5 - 31 * t, 30, sent[true == t] == s, abs(most - (s != t)))
                        for t in (0, 1) for s in (0, 1)]
    for x, y, width, hits, goal in [*cells, (1, 10, 98, true == sent, most)]:
        share = hits.mean() if len(hits) else 0
        told = f"{share:.1%}" if len(hits) else "–"
        marks += [Bar(f"share {x} {y}", x, y, "local", width=width * share, height=3.5),
                  Bar(f"frame {x} {y}", x, y, "soft", width=width, height=3.5, hollow=True),
                  Path(f"goal {x} {y}", x + width * goal, y - 1, points=[(0, 0), (0, 5.5)]),
                  Text(f"text {x} {y}", x + width, y + 7, words=told, anchor="end")]
    marks += _phones(every, users)
    seen = f"{last}. Eve, who believes what was sent, is right {right:.1%} of the time" if users else "Nothing sent yet"
    return marks, f"{seen}; in the long run ε allows {most:.1%}."


def _phones(every: Bits, users: int) -> list[Mark]:
    """Draw the first phones, and each answer at its phone or in its cell, whose first row is Noor's."""
    marks: list[Mark] = [Icon(f"phone {i}", 1.5 + 4.6 * (i % 4), 85 - 5.6 * (i // 4), "soft" if i else "ink", size=2.4)
                         for i in range(DRAWN)]
    for i, (t, s) in enumerate(every[:DRAWN]):
        place = np.sum((every[1:i] == (t, s)).all(axis=1)) + 8 * (i > 0)
        x, y = 39.5 + 31.5 * s + 3.6 * (place % 8), 79 + (i == 0) - 31 * t - 4 * (place // 8)
        if i >= users:
            x, y = 1.5 + 4.6 * (i % 4), 85 - 5.6 * (i // 4)
        color, shown = ("local", s) if i < users else ("secret", t)
        marks.append(Dot(f"user {i}", x, y, color, size=1.3 if i else 1.9, hollow=not shown))
        if i == 0 < users:
            marks.append(Text("Noor", x + 3, y - 1.6, words="Noor", anchor="start"))
    return marks
