"""The map: every learner's share of random play's regret, in a lane for each answer to the question whom users trust."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandits_book import contest
from bandits_book.plots import Bar, Dot, Ground, MovingScene, Path, Text
from bandits_book.plots.marks import Mark

WHOM = {"none": "no privacy", "central": "trust the server", "shuffle": "trust a shuffler", "local": "trust nobody"}
TICKS = {1e-3: "0.1%", 1e-2: "1%", 0.1: "10%", 1.0: "random"}
SETTINGS = {"arms": "arms", "linear": "linear", "clients": "clients", "contexts": "contextual"}
ALT = ("Four lanes, by whom users trust. A dot is a learner: its mean share of random play's regret, with its 95% interval, on a "
       "logarithmic axis. A line joins those with the least mean of each lane on these instances, and leans right on its way down: "
       "the less trust, the more it costs; dashed ones show epsilon 0.1 and 10. Dots move left as epsilon grows; those that trust "
       "nobody move last.")

Rows = Mapping[tuple[Any, ...], Mapping[str, Any]]
Found = dict[str, tuple[float, float]]


def place(share: float) -> float:
    """Return where a share stands, from 0.05% to 120% on a logarithmic axis."""
    return 4 + 27.2 * (math.log10(min(max(share, 5e-4), 1.2)) - math.log10(5e-4))


def lane_of(rows: Rows, lost: Mapping[str, NDArray[np.float64]], model: str, epsilon: float,
            setting: str) -> tuple[list[Mapping[str, Any]], Found]:
    """Return a lane's rows, and the mean and half-width of each learner's share."""
    shown = [r for (where, trust, _, e, tuned), r in rows.items() if where == SETTINGS[setting] and not tuned
             and e in (None, epsilon) and trust in (model, f"{model} rewards")]
    return shown, {row["system"]: contest.interval(np.array(row["regret"]) / lost[SETTINGS[setting]][:len(row["regret"])])
                   for row in shown}


def lane(model: str, words: str, top: float, shown: list[Mapping[str, Any]], found: Found) -> tuple[list[Mark], str]:
    """Draw the learners of one lane, and return the best of them in words."""
    least = min(found, key=lambda name: found[name][0])
    percent = 100 * found[least][0]
    share = f"{percent:.0f}%" if percent >= 10 else f"{percent:.2g}%"
    marks: list[Mark] = [
        Bar(f"plate {model}", -20, top - 5.2, "paper", width=140, height=4.6),  # no line behind the words
        Ground(f"lane {model}", -20, top - 15.5, model, width=140, height=15.5),
        Text(model, 2, top - 3.8, model, words=f"{words}: {least} loses {share}", anchor="start", bold=True)]
    for down, row in enumerate(sorted(shown, key=lambda row: row["system"] != least)):  # the best stands first
        name, hollow, y = row["system"], row["trust"] != model, top - 8 - 1.6 * down
        mean, half = found[name]
        left, right = place(mean - half), place(mean + half)
        marks += [Path(f"band {name}", 0, y, model, down > 0, points=[(left, 0), (max(right, left + 0.2), 0)]),
                  Dot(name, place(mean), y, model, down > 0, size=1 if down else 1.9, hollow=hollow)]
    return marks, f"{words}: {least} {share}"


def the_map(rows: Rows, lost: Mapping[str, NDArray[np.float64]]) -> MovingScene:
    """Show the stored contest at every ε, in every setting."""
    ends = {"strong": min(contest.EPSILONS), "weak": max(contest.EPSILONS)}

    def draw(epsilon: float, setting: str) -> tuple[list[Mark], str]:
        marks: list[Mark] = []
        told, stairs = [], []
        for share, words in TICKS.items():
            marks += [Text(words, place(share), 11.5, "soft", words=words),
                      Path(f"grid {words}", place(share), 16, "soft", True, points=[(0, 0), (0, 66)], dash="2 4")]
        for number, (model, words) in enumerate(WHOM.items()):
            top = 82 - 16.5 * number
            shown, found = lane_of(rows, lost, model, epsilon, setting)
            drawn, best = lane(model, words, top, shown, found)
            marks += drawn
            stairs.append((place(min(found.values(), key=lambda pair: pair[0])[0]), top - 8))
            told.append(best)
        for key, end in ends.items():
            least = [min(lane_of(rows, lost, model, end, setting)[1].values())[0] for model in WHOM]
            line = [(place(share), y) for share, (_, y) in zip(least, stairs, strict=True)]
            marks.insert(0, Path(key, points=line, color="soft", dash="5 4"))
        marks.insert(2, Path("stairs", points=stairs))
        marks += [
            Text("ends", 2, 18.5, "soft", anchor="start", words="dashed: ε = {weak:g} left, {strong:g} right".format(**ends)),
            Text("axis", 50, 6, words="average loss, as a share of random play's"),
            Text("faint", 50, 1, "soft", words="faint: other learners; strokes: 95% intervals")]
        return marks, f"ε = {epsilon:g}, {setting}. Least mean share of random play's loss: {'; '.join(told)}."

    return MovingScene(
        draw, {"epsilon": list(contest.EPSILONS), "setting": list(SETTINGS)}, {"epsilon": 1, "setting": "arms"},
        title="The price of privacy falls as ε grows, and last where nobody is trusted", size=(100, 83), play="epsilon", pace=1600,
        labels={"epsilon": "ε"}, alt=ALT)
