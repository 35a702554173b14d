"""A user's answers pile up faster than the noise of the nights."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandits_book.plots import Bar, Dot, Icon, MovingScene, Path, Text

Means = NDArray[np.float64]  # Eve's mean in each attack (attack, night)
Made = Mapping[str, tuple[float, NDArray[np.float64], Means, Means]]  # noise, right guesses by night, means if 1 and if 0


def growing(made: Made, year: int, stops: Sequence[int], start: Mapping[str, Any], title: str) -> MovingScene:
    """Draw the pile and the noise of each night in `stops`, for each noise in `made`."""
    attacks = 2 * len(next(iter(made.values()))[2])

    def pile(night: int, noise_for: str) -> tuple[list[Any], str]:
        std, share, *means = made[noise_for]
        noise, guess = std * math.sqrt(night), share[night - 1]
        marks: list[Any] = []
        for m in range(year):  # a night to come stands above, and falls on the pile
            place = (3 + 0.75 * m, 60 if m >= night else 48)
            marks.append(Bar(f"night {m + 1}", *place, "secret", m >= night, 0.5, 6))
        for said, row in zip((1, 0), means, strict=True):  # every hundredth attack by rank, in units of the noise
            for i, mean in enumerate(np.sort(row[:, night - 1])[50::100]):
                x = 57 + 12 * np.clip(night * (mean - 0.5) / noise, -3.3, 3.3)
                marks.append(Dot(f"{said} {i}", x, 7 + 7 * said + 2 * i % 5, "secret", hollow=not said))
        marks += [Text("to come", 45, 61, "soft", words="still to come" * (night < year), anchor="start"),
                  Text("sum", 45, 49, "secret", words=f"her sum: 0 or {night}", anchor="start", bold=True),
                  Text("noise", 3, 42, "shuffle", words=f"noise in the sum: ± {noise:.1f}", anchor="start", bold=True),
                  Bar("noise bar", 3, 33, "shuffle", width=0.75 * noise, height=6),
                  Icon("eye", 6, 25.3, size=1.9, name="eye"),
                  Text("share", 10, 24, words=f"Eve is right: {guess:.0%}", anchor="start", bold=True),
                  Text("at first", 98, 24, "soft", words=f"after 1 night: {share[0]:.0%}", anchor="end"),
                  *(Text(f"said {one}", 2, 8 + 7 * one, "secret", words=f"Noor: {one}", anchor="start") for one in (0, 1)),
                  Path("half", 57, points=[(0, 0), (0, 21)], dash="3 3", color="soft"),
                  *(Text(f"guess {x}", x, 1, "soft", words=f"Eve says {x // 77}") for x in (37, 77))]
        return marks, (
            f"After {night} night{'s'[: night - 1]} Noor's answers add up to 0 or {night}, and noise "
            f"made for {noise_for} to ± {noise:.1f}: Eve is right in {guess:.0%} of {attacks:,} attacks.")

    return MovingScene(
        pile, {"night": list(stops), "noise_for": list(made)}, start, size=(100, 68), play="night",
        title=title, labels={"night": "nights so far", "noise_for": "noise made for"},
        alt="A pile of amber bricks, one for each night of Noor, above a green bar, the noise in the "
        "sum. Below, dots for forty attacks: as the pile outgrows the bar, they part by her answer.")
