"""Thirty exercises, the shares of a design, and the ellipse of leverage 2, step by step."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bandits_book.plots import COLORS, Bar, Dot, MovingScene, Path, Text, moving_scene
from bandits_book.plots.marks import Mark

Floats = NDArray[np.float64]
Step = tuple[Floats, Floats]  # shares, and the leverage of every exercise
TURN = np.linspace(0, np.pi / 2, 46)
ROUND_ZERO = np.column_stack([np.cos(TURN), np.sin(TURN)])
ASIDE = {0: (-10.6, -0.9), 1: (-0.9, -7), 23: (4, 3.5), 28: (0.5, 4)}  # where the percentage of a large disc stands


def moves(menu: Floats, move_weight: Callable[[Floats, Floats], Step], steps: int = 300) -> list[Step]:
    """Return the design before each step and after the last, from two exercises chosen carelessly, and its leverages."""
    path, share = [], np.eye(len(menu))[[0, 1]].mean(axis=0)
    for _ in range(steps + 1):
        new, leverage = move_weight(menu, share)
        assert np.isclose(share @ leverage, 2)  # averaged over the shares it is d, always
        path.append((share, leverage))
        share = new
    return path


def rim(menu: Floats, share: Floats) -> list[tuple[float, float]]:
    """Return the points with leverage 2."""
    around = np.einsum("ij,jk,ik->i", ROUND_ZERO, np.linalg.inv((menu.T * share) @ menu), ROUND_ZERO)
    return [(float(x), float(y)) for x, y in 40 * ROUND_ZERO * np.sqrt(2 / around)[:, None]]


def half(side: str, menu: Floats, path: Sequence[Step], step: int, left: float) -> list[Mark]:
    """Return one half of the scene: exercises, shares, ellipse and worst leverage after so many steps."""
    (share, leverage), blue, purple = path[step], COLORS[5], COLORS[3]
    at, out, top = 40 * menu + [left, 26], leverage > 2.02, leverage.argmax()
    edge = rim(menu, share)
    marks: list[Mark] = [Path("ellipse", left, 26, blue, True, points=[(0, 0), *edge], filled=True),
                         Path("rim", left, 26, blue, points=edge),
                         Path("axes", left, 26, "soft", points=[(0, 43), (0, 0), (42, 0)])]
    marks += [Dot(f"share {i}", x, y, blue, size=4 * share[i] ** 0.5) for i, (x, y) in enumerate(at) if share[i] > 0.005]
    marks += [Dot(f"exercise {i}", at[i, 0], at[i, 1], "paper" if share[i] > 0.1 else purple if out[i] else "ink", size=0.9)
              for i in share.argsort(kind="stable")]  # on top what is played
    for i in np.flatnonzero(share > 0.1):
        x, y = at[i] + ASIDE[int(i)]
        marks.append(Text(f"has {i}", x, y, blue, words=f"{share[i]:.0%}", bold=True, anchor="start"))
    marks += [Bar("bar", left, 5.6, purple, width=3.9 * leverage[top], height=3),
              Text("worst", left, 10.5, purple, words=f"{leverage[top]:.2f}", bold=True, anchor="start")]
    marks += [Dot("ring", at[top, 0], at[top, 1], purple, size=2.2, hollow=True)] * bool(leverage[top] > 2.1)
    marks += [Text("badly", left + 43, 64, purple, words="badly known", anchor="end")] * bool(out.sum() > 2)
    after = {0: "at first", 1: "after 1 step"}.get(step, f"after {step} steps")
    words = [("known", 2, 31, "start"), ("how much music ↑", 1.5, 70.5, "start"),
             ("how much breathing →", 43, 21.5, "end"), (after, 0, 77, "start")]
    marks += [Text(word, left + x, y, words=word, anchor=anchor, bold=word == after) for word, x, y, anchor in words]
    return [replace(mark, key=f"{side} {mark.key}") for mark in marks]


def design_frame(menu: Floats, path: Sequence[Step], step: int) -> tuple[list[Mark], str]:
    """Return the design at first beside that after so many steps, and what is said."""
    worst, first = path[step][1].max(), path[0][1].max()
    marks = half("first", menu, path, 0, 3.5) + half("now", menu, path, step, 54.5)
    marks += [Text("key", 3.5, 83, words="dots: 30 exercises; blue discs: how often each is tried", anchor="start"),
              Text("whose", 3.5, 15.7, words="uncertainty of the worst-known exercise:", anchor="start"),
              Path("goal", 54.5 + 3.9 * 2, 4.6, points=[(0, 0), (0, 5)], dash="4 3"),
              Text("best", 97, 0.3, words="best possible (dashed): 2, one for each ingredient", anchor="end")]
    return marks, (f"Each step gives more plays to the worst-known exercise, at first the one ringed on the left. Its uncertainty, "
                   f"the leverage, is {first:.2f} at first, {worst:.2f} now, and at best 2, the dimension.")


def moving_design(menu: Floats, path: Sequence[Step]) -> MovingScene:
    """Show how weight moves to the worst-known exercise, until all are known."""
    return moving_scene(
        lambda step: design_frame(menu, path, step), {"step": [0, 1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 40, 100, 300]}, {"step": 300},
        size=(100, 87), play="step", pace=1100, labels={"step": "steps"},
        title="Try two well-chosen exercises, and all thirty are known",
        alt="Twice thirty dots, discs for their shares and a filled quarter of an ellipse. At first half of the plays go to each "
        "of two exercises, and most dots lie outside, badly known. Step by step the two discs move to the ends of the menu, and "
        "the ellipse grows over all dots; a bar for the worst leverage shrinks to 2.")
