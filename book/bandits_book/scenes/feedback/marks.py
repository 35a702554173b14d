"""Six phones, a wall, and eight mixes that stay or leave: the end of one phase, from moment to moment."""

from collections.abc import Mapping
from functools import partial

import numpy as np

from bandits_book.plots import Bar, Dot, Ground, Icon, MovingScene, Path, Text, moving_scene
from bandits_book.plots.marks import Mark
from bandits_book.scenes.feedback.phase import Played
from bandits_book.scenes.feedback.words import MOMENTS, notes, so_far
from bandits_dp.problems import ClientPopulation

WALL = {"none": 78, "central": 78, "shuffle": 64, "local": 54}  # Eve sees what is right of it


def bar(key: str, zero: float, y: float, value: float, height: float, color: str, hollow: bool = False) -> Bar:
    """Return a number as a bar from `zero` to the right, or to the left if it is negative."""
    return Bar(key, zero + min(0, 8 * value), y, color, width=abs(8 * value), height=height, hollow=hollow)


def places(k: int, trust: str) -> list[Mark]:
    """Return what stands still: grounds, wall, server, phones and their names."""
    edge, local, shuffle = WALL[trust], trust == "local", trust == "shuffle"
    counts = [("192 answers", 16, 93, "ink"), ("2 numbers", 91, 93, "ink"),
              ("6 messages", 51 if shuffle else 67.5 if local else 63, 93, "ink"),
              ("six phones", 16, 88, "soft"), ("server", 71.5, 88, "soft"), ("public", 90.5, 88, "soft"),
              *[("shuffler", 55.5, 88, "soft")] * shuffle]
    marks = [Ground("trusted side", -20, 41, trust, width=edge + 20, height=80),
             Ground("open side", edge, 41, "soft", width=120 - edge, height=80),
             Bar("wall", edge, 41, trust, width=1, height=62),
             Icon("eye", edge + 5, 44.5, size=2, name="eye"),
             Text("Eve", edge + 9, 43.2, words="Eve", anchor="start", bold=True),
             *[Bar(f"{key} {color}", x, 48, color, width=wide, height=38, hollow=color == "soft") for color in ("paper", "soft")
               for key, x, wide in (("server", 67, 9), ("public", 82.5, 16), *[("shuffler", 54.5, 7)] * shuffle)],
             *[Icon(f"phone {i}", 3, 82.5 - 6.4 * i, "soft" if i else "ink", size=2.3) for i in range(6)],
             Text("Noor", 6.5, 81.2, words="Noor", anchor="start", bold=True),
             *[Path(f"zero {x}", x, y, "soft", points=[(0, 0), (0, 86 - y)]) for x, y in ((28, 48), (87, 54.5))],
             *[Text(word, x, y, color, words=word, bold=y > 90) for word, x, y, color in counts]]
    nights = f"averages of {2 ** min(k - 1, 4)} night{'s'[: k - 1]}" if k else ""
    return marks + [Text("nights", 1, 43.2, words=nights, anchor="start")] * (k > 0)


def messages(k: int, trust: str, run: Played) -> list[Mark]:
    """Return averages, the messages that carry them, and what is released."""
    local, shuffle, marks = trust == "local", trust == "shuffle", list[Mark]()
    mixed = np.random.default_rng(0).permuted(np.tile(np.arange(6), (2, 1)), axis=1)
    for i, j in np.ndindex(6, 2) if k else ():
        y, other = (83.5 - 6.4 * n - 2.4 * j for n in (i, mixed[j, i]))
        marks += [bar(f"average {i} {j}", 28, y, float(so_far(run, k)[i, j]), 1.9, "secret", local and k > 5)]
        if k > 5:
            color = trust if local or (shuffle and k > 7) else "secret"
            marks += [Bar(f"message {i} {j}", (49, 56.8, 70.3)[min(k - 6, 2)], other if shuffle and k > 6 else y, color,
                          width=2.4, height=1.9), *[bar(f"noisy {i} {j}", 28, y + 0.4, float(run.sent[i, j]), 1.1, trust)] * local]
    for j, x in enumerate(run.released) if k > 7 else ():
        marks += [bar(f"release {j}", 87, 69 - 13 * j, float(x), 4, trust),
                  Text(f"is {j}", 97.9, 75 - 13 * j, words=f"{x:.2f}", anchor="end")]
    return marks + [Text("noisy", 90.5, 50.3, trust, words="noisy")] * (k > 7 and trust != "none")


def race(town: ClientPopulation, runs: Mapping[str, Played], k: int, trust: str) -> list[Mark]:
    """Return the eight mixes: their estimates and margins, and who leaves."""
    run, free, marks = runs[trust], runs["none"].left, list[Mark]()
    rank = np.argsort(np.argsort(-town.actions @ town.theta))
    place, gone = 44 + 24 * run.values, [a for a in range(8) if k > 9 and a not in run.left]
    second, leader = run.values.argsort()[-2:]
    for a in range(8):
        here, y = k > 8 and a not in gone, 33 - 4.3 * rank[a]
        end, kept = min(24 * run.margins[a], 84 - place[a]), k > 9 and a in run.left and a not in free
        color = trust if kept else "soft"
        marks += [Path(f"margin {a}", place[a], y, color, points=[(0, 0), (end, 0)])] * here
        marks += [Dot(f"mix {a}", place[a] if here else 3, y, trust if kept else "soft" if a in gone else "ink", hollow=a in gone)]
        marks += [Text(f"leaves {a}", 6, y - 0.8, "soft", words="leaves", anchor="start")] * (a in gone)
        word = "stays" if kept else {leader: "leader", second: "margin"}.get(a)
        marks += [Text(f"word {a}", place[a] + end + 2, y - 0.8, color, words=word or "", anchor="start")] * bool(here and word)
    if k > 8:
        marks += [Path("line", place.max(), 0.5, points=[(0, 0), (0, 34)], dash="4 4"),
                  Text("estimate", place[second] - 2.5, 32.2 - 4.3 * rank[second], "soft", words="estimate", anchor="end")]
    return marks


def phase_frame(town: ClientPopulation, runs: Mapping[str, Played], moment: str, trust: str) -> tuple[list[Mark], str]:
    """Return the marks of one moment, and what is said about it."""
    k, dropped = MOMENTS.index(moment), [8 - len(runs[model].left) for model in (trust, "none")]
    mixes = "eight sound mixes"
    if k > 9:
        mixes = f"{dropped[0]} of 8 sound mixes leave" + f"; without privacy {dropped[1]}" * (trust != "none")
    marks = [*places(k, trust), Text("mixes", 1, 37, words=mixes, anchor="start", bold=True),
             *messages(k, trust, runs[trust]), *race(town, runs, k, trust)]
    return marks, notes(trust, runs[trust])[k]


def one_phase(town: ClientPopulation, runs: Mapping[str, Played]) -> MovingScene:
    """Show the end of one phase, played on the same answers in each trust model."""
    return moving_scene(
        partial(phase_frame, town, runs), {"moment": MOMENTS, "trust": list(runs)}, {"moment": "drop", "trust": "central"},
        size=(100, 97), play="moment", pace=1400, title="Six messages speak for 192 answers; privacy noise keeps bad mixes in play",
        alt="Six phones, each with two bars that settle from night to night. Each sends a message to a server, in the shuffle "
        "model through a shuffler. The server publishes two bars; eight dots below move to their estimates, and some leave.")
