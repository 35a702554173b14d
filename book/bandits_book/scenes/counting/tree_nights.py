"""Sixteen nights of a tree counter: the nodes of each count, and those that hold Noor's answer."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bandits_book.plots import Bar, Dot, MovingScene, Path, Text
from bandits_dp.continual import TreeCounter

NIGHTS = 16


def blocks(night: int) -> list[tuple[int, int]]:
    """Return where the blocks of a night's count begin, and how long they are, from the left."""
    found, end = [], night
    while end:
        end, size = end & (end - 1), end & -end
        found.append((end, size))
    return found[::-1]


def nights(answers: Sequence[int] | NDArray[np.int_]) -> MovingScene:
    """Show which nodes of the tree make up each night's count, and in which nodes a user is."""
    assert len(answers) >= NIGHTS, "The scene shows the first sixteen answers."
    sums = np.cumsum(answers[:NIGHTS])
    tree, rng = TreeCounter(NIGHTS, epsilon=1.0, delta=1e-6), np.random.default_rng(6)
    # rounded as it comes, so that what is shown adds up
    screen = [0.0] + [round(tree.add(float(answer), rng)[0], 1) for answer in answers[:NIGHTS]]

    def scene(night: int, user: int) -> tuple[list[Bar | Dot | Path | Text], str]:
        marks: list[Bar | Dot | Path | Text] = []
        copies = []
        for size, left in ((2**j, left) for j in range(5) for left in range(0, NIGHTS, 2**j)):
            x, y, done = 2 + 6 * left, 10 + 9 * math.log2(size), left + size <= night
            needed, hers = left // size % 2 == 0, left < user <= left + size
            color = "soft" if not needed else "secret" if hers else "central"
            marks.append(Bar(f"{left} {size}", x + 0.4, y, color, width=6 * size - 0.8, faint=done or not needed,
                             hollow=not (done and needed), height=7))
            if hers and needed:  # a copy of Noor's answer, which moves up when the node is complete
                across, up = (x + 3 * size, y + 3.5) if done else (6 * user - 1, 6.5)
                copies.append(Dot(f"copy {size}", across, up, "secret", hollow=user > night))
        tonight = blocks(night)
        noisy = [screen[left + size] - screen[left] for left, size in tonight]
        for key, (left, size) in reversed([*enumerate(tonight)]):
            marks.append(Bar(f"frame {key}", 2 + 6 * left, 9.7 + 9 * math.log2(size), width=6 * size, height=7.6, hollow=True))
        for u in range(1, NIGHTS + 1):
            who, color = ("Noor", "secret") if u == user else (str(u), "soft")
            marks.append(Dot(f"user {u}", 6 * u - 1, 6.5, color, hollow=u > night))
            if u == user or (u % 5 == 1 and abs(u - user) > 2):
                marks.append(Text(f"name {u}", 6 * u - 1, 1, color, words=who))
        count, total = " + ".join(str(size) for _, size in tonight), " ".join(f"{part:+.1f}" for part in noisy)
        few = f"night {night}: {len(noisy)} noisy sum{'s'[: len(noisy) - 1]}" + f", not {night}" * (night > len(noisy))
        hers_in = f"Noor in {len(copies)} sum{'s'[: len(copies) - 1]}"
        marks += [Path("tonight", 2 + 6 * night, points=[(0, 4), (0, 55)], dash="4 4"),
                  Text("night", 2, 70, words=few, bold=True, anchor="start"),
                  Text("shown", 2, 64.5, "central", words=f"shown {screen[night]:.1f}: {total}", anchor="start"),
                  Text("true", 98, 70, "secret", words=f"true count {sums[night - 1]}", anchor="end"),
                  Text("hers", 98, 64.5, "secret", words=hers_in, anchor="end"),
                  Text("key", 2, 58.5, "soft", words="thick: in this count; full: complete; amber: Noor", anchor="start"), *copies]
        told = "one of them is in this count" if user <= night else "her answer is still to come"
        nodes = f"{len(noisy)} noisy node{'s'[: len(noisy) - 1]} ({count})"
        return marks, (f"Night {night}: the screen shows {screen[night]:.1f}, made of {nodes}; "
                       f"Noor, user {user}, is in {len(copies)}, of at most h = {tree.height}, and {told}.")

    return MovingScene(
        scene, {"night": range(1, NIGHTS + 1), "user": range(1, NIGHTS + 1)}, {"night": 13, "user": 7}, size=(100, 74),
        play="night",
        title="Each count adds few noisy sums, and Noor's answer is in few of them", pace=1000, labels={"user": "Noor is user"},
        alt="Five rows of nodes over 16 users. Night after night nodes fill; those of tonight's count "
        "are framed, and copies of Noor's answer move up into the nodes that hold it, which are amber.")
