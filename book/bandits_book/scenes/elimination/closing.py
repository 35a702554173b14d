"""Five exercises, each with an interval around its estimate, until one after the other leaves the menu."""

from collections.abc import Mapping, Sequence

import numpy as np

from bandits_book.plots import Bar, Dot, MovingScene, Path, Text, moving_scene
from bandits_book.plots.marks import Mark
from bandits_book.scenes.elimination.runs import Phase

HUES = ("none", "shuffle", "#aa3377", "local")


def at(mean: float) -> float:
    """Return the place of a mean on the axis, which ends at 0.2 and 0.8."""
    return float(14 + 74 * (np.clip(mean, 0.2, 0.8) - 0.2) / 0.6)


def exercise(arm: int, phase: Phase, truth: float, hue: str) -> list[Mark]:
    """Return an exercise's interval, estimate, true mean and letter."""
    mean, w = phase.bars[arm]
    y, on, low, high = 46 - 8 * arm, arm in phase.menu, at(mean - w), at(mean + w)
    color = hue if on else "soft"
    marks: list[Mark] = [Bar(f"bar {arm}", low, y, color, on, width=high - low, height=5, hollow=not on)]
    if 0.2 < mean < 0.8:
        marks.append(Dot(f"mean {arm}", at(mean), y + 2.5, color, not on))
    return [*marks, Path(f"truth {arm}", at(truth), y, points=[(0, -0.5), (0, 5.5)]),
            Text(f"name {arm}", 3 if on else 97, y + 1, color, words="ABCDE"[arm], bold=on)]


def frame(means: Sequence[float], played: Mapping[str, Sequence[Phase]], system: str, users: int) -> tuple[list[Mark], str]:
    """Return the marks of a system after its last full batch for so many users, and what is said."""
    phase = [phase for phase in played[system] if phase.users <= users][-1]
    n, bars, menu, floor = phase
    hue = dict(zip(played, HUES, strict=True))[system]
    marks: list[Mark] = [Path("axis", 14, 10, "soft", points=[(0, 0), (74, 0)])]
    marks += [Text(f"tick {v}", at(v), 4.5, "soft", words=f"{v}") for v in (0.2, 0.4, 0.6, 0.8)]
    marks += [Text("menu", 0, 55, hue, words="menu", anchor="start", bold=True),
              Text("gone", 100, 55, "soft", words="gone", anchor="end")]
    for arm in bars:
        marks += exercise(arm, phase, means[arm], hue)
    leader = max(menu, key=lambda arm: bars[arm][0] - bars[arm][1])
    marks += [Path("floor", at(floor), 10, points=[(0, 0), (0, 43)], dash="3 3"),
              Text("floor's", np.clip(at(floor), 37, 65), 55, words=f"leader {'ABCDE'[leader]}'s lower end")] * int(floor > 0.2)
    marks += [Path("key truth", 15, 60, points=[(0, -0.5), (0, 3.5)]),
              Text("key", 17, 60.5, "soft", words="true mean; dot: estimate; bar: interval", anchor="start")]
    names = ", ".join("ABCDE"[arm] for arm in menu)
    rest = f"the menu is {names}" if len(menu) > 1 else f"only {names} is left, so no more are asked"
    return marks, f"{system}, {n:,} users per exercise, width {bars[1][1]:.3f}: {rest}."


def closing_intervals(means: Sequence[float], played: Mapping[str, Sequence[Phase]]) -> MovingScene:
    """Show how the intervals of five exercises close in four systems, from phase to phase."""
    return moving_scene(
        lambda users, system: frame(means, played, system, users),
        {"users": [2 ** (phase + 1) - 2 for phase in range(6, 19)], "system": list(played)},
        {"users": 8190, "system": "VB-SDP-AE"}, size=(100, 64), play="users",
        title="An exercise leaves when its interval ends below the leader's lower end", labels={"users": "users per exercise"},
        alt="Five exercises, each with an interval around its estimate. Intervals shrink; one that ends"
        " left of the leader's lower end turns grey, and its letter moves from the menu to gone.")
