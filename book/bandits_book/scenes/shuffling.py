"""Chapter 5: sixteen messages become a pile in which Noor's is hard to find, and what privacy large piles have."""

import functools
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from bandits_book.plots import COLORS, Bar, Dot, Ground, Icon, MovingFigure, MovingScene, Series, Text
from bandits_book.plots.marks import Mark
from bandits_dp.accounting import shuffle_epsilon

PHONES, NOOR = 16, 12  # how many there are, and which of them is Noor's
USERS = (100, 316, 1000, 3162, 10_000, 100_000, 316_228)


def throws(seed: int) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    """Draw true answers, the luck that makes phones send coins, the coins, and the places of the messages in the pile."""
    rng = np.random.default_rng(seed)
    answers, luck, coins = rng.integers(0, 2, PHONES), rng.random(PHONES), rng.integers(0, 2, PHONES)
    answers[NOOR] = 0
    return answers, luck, coins, rng.permutation(PHONES)


def share_right(c: int, q: float) -> float:
    """Return the share of Eve's best guesses that are right, if Noor's message lies among c coins."""
    f = binom.pmf(range(c + 1), c, 0.5)
    return float(np.maximum(np.convolve(f, [q, 1 - q]), np.convolve(f, [1 - q, q])).sum() / 2)


def coins_of_others(eps0: float, seed: int) -> int:
    """Count the other phones that send a coin."""
    luck = throws(seed)[1]
    return int((np.delete(luck, NOOR) < 2 / (1 + math.exp(eps0))).sum())


def frame(step: int, eps0: float, seed: int) -> tuple[list[Mark], str]:
    """Return the marks and the note of one step."""
    answers, luck, coins, places = throws(seed)
    q, stage = 1 / (1 + math.exp(-eps0)), int(np.searchsorted([0, 1, 9, 10, 11, 12, 13], step))
    grey = (luck < 2 * (1 - q)) & (step > 0)
    bits, left = np.where(grey, coins, answers), grey | (np.arange(PHONES) == NOOR)
    tossed, many, zeros = grey.sum(), left.sum(), (bits[left] == 0).sum()
    says = "tosses a coin" if 2 * zeros == many else f"says {int(2 * zeros < many)}"
    share, inside = share_right(many - 1, q), f"{2 * step - 2} of 16"
    pile = f"{bits.sum()} ones"
    words, note = [
        ("sixteen answers", f"{answers.sum()} of 16 users slept better; Noor did not."),
        (f"coins sent: {tossed}", f"Phones that send a fair coin: {tossed}. The others send the truth."),
        (f"{inside} are in", f"{inside} messages have reached the shuffler, which waits for all."),
        ("names and order are gone", "All 16 are in, and the shuffler forgets who sent which."),
        (f"a pile: {pile}", f"Eve gets {pile} and {16 - bits.sum()} zeros, without names."),
        (f"Eve strikes out {16 - many} truths she is told",
         f"Eve is told which others sent the truth, and strikes out their {16 - many} messages."),
        (f"{'Half' if 2 * zeros == many else 'Most'} of the {many} left are {int(2 * zeros < many)}: Eve {says}",
         f"{16 - many} truths struck out. Candidates: {many}; zeros: {zeros}, ones: {many - zeros}. Eve {says}. "
         f"Such guesses are right in {share:.0%} of all piles, with a name in {q:.0%}."),
    ][stage]
    heads = [(18.0, 71.0, "phones"), (50, 71, "shuffler"), (85, 71, "Eve sees"), (50, 16, words)]
    heads += [(73, 23, "zeros"), (90, 23, "ones")] if stage == 6 else []
    legend = [("soft", 50.0, -0.5, "full 1, ring 0, grey phone: sends a coin")]
    if stage > 3:
        legend += [("secret", 83, 66, "amber: Noor's,"), ("secret", 83, 61.5, "unknown to Eve")]
    marks: list[Mark] = [
        Ground("trusted side", -20, 20, "shuffle", width=85.5, height=80),
        Ground("open side", 65.5, 20, "soft", width=60, height=80),
        Bar("wall", 65.5, 20, "shuffle", width=1, height=80),
        Icon("shuffler", 50, 49.5, "shuffle", size=13, name="shuffler"),
        Icon("eye", 72, 72.3, size=2.2, name="eye"),
    ]
    marks += [Text(f"{x:g} {y:g}", x, y, words=word, bold=y == 16 or x == 85) for x, y, word in heads]
    marks += [Text(word, x, y, color, words=word) for color, x, y, word in legend]
    marks.append(Text("Noor", 6, 26, words="Noor", bold=True))
    for y, key, right in ((11, "with names", q), (6.2, "in the pile", share)) if stage == 6 else ():
        marks += [Text(key, 38, y, words=f"{key} {right:.0%} right", anchor="end"),
                  Bar(f"right {y}", 40, y - 0.3, "secret" if y == 11 else "shuffle", width=60 * right, height=3)]
    for i in range(PHONES):
        marks.append(Bar(f"phone {i}", 3 + 8 * (i % 4), 60 - 9 * (i // 4), "ink" if i == NOOR else "soft", bool(grey[i]),
                         width=6, height=6, hollow=not grey[i]))
    return marks + messages(step, stage, bits, left, places), note


def messages(step: int, stage: int, bits: NDArray[np.int64], left: NDArray[np.bool_], places: NDArray[np.int64]) -> list[Mark]:
    """Return the dots: on the phones, in the shuffler, in Eve's pile, and at last in two heaps, zeros and ones."""
    dots: list[Mark] = []
    for i in map(int, np.flatnonzero(left)) if stage == 6 else range(PHONES):
        row, column = divmod(int(places[i]) if stage > 2 else i, 4)
        inside = step > 1 + i // 2
        x: float = 43.25 + 4.5 * column if inside else 6 + 8 * column
        x = 70 + 8 * column if step > 10 else x
        y: float = 56.25 - 4.5 * row if inside and step < 11 else (63, 55)[stage in (4, 5)] - 9 * row
        if stage == 6:  # zeros to the left, ones to the right
            down, column = divmod(int((bits[:i][left[:i]] == bits[i]).sum()), 2)
            x, y = 70 + 17 * bits[i] + 5 * column, 63 - 9 * (3.6 - down)
        color = "secret" if i == NOOR or step < 11 else "shuffle"
        dots.append(Dot(f"message {i}", x, y, color, size=1.8, hollow=not bits[i], faint=stage == 5 and not left[i]))
    return dots


def moving(**values: Sequence[float]) -> dict[str, Sequence[float]]:
    """Return what can be moved: a slider has two values at least."""
    return {name: several for name, several in values.items() if len(several) > 1}


def one_pile(eps0: Sequence[float], seed: int) -> MovingScene:
    """Let sixteen messages, of an evening that the seed draws, move into a pile; it begins with the end, at a middle epsilon_0."""
    sliders, middle = moving(step=range(14), eps0=eps0), eps0[len(eps0) // 2]
    start = {name: value for name, value in {"step": 13, "eps0": middle}.items() if name in sliders}
    return MovingScene(
        functools.partial(frame, eps0=middle, seed=seed), sliders, start,
        title="The coins of others hide Noor's message in the pile", size=(100, 76), play="step",
        labels={"eps0": "ε₀ (each message)"} if "eps0" in sliders else {},
        alt="Sixteen phones send truths or coins to a shuffler, which hands over a pile without names; "
        "Eve strikes out what she knows and guesses Noor's answer from the rest.")


def amplification(eps0: Sequence[float], delta: Sequence[float]) -> MovingFigure:
    """Draw epsilon after the shuffle against users: local, by the formula and by clones; it starts where epsilon_0 is next to 1."""
    shuffled = functools.cache(shuffle_epsilon)

    def after(eps0: float = eps0[0], delta: float = delta[0]) -> tuple[list[Series], str]:
        summed = [shuffled(eps0, m, delta) for m in USERS]
        formula = [shuffled(eps0, m, delta, bound="closed-form") for m in USERS]
        at = USERS.index(10_000)
        note = f"At 10,000 users: local {eps0:g}, published formula {formula[at]:.3f}, sum over clones {summed[at]:.3f}."
        lines = ("local", [eps0] * len(USERS), "local"), ("formula", formula, COLORS[3]), ("clones", summed, "shuffle")
        return [Series(name, USERS, values, color=color) for name, values, color in lines], note

    sliders = moving(eps0=eps0, delta=delta)
    near = {"eps0": min(eps0, key=lambda one: abs(one - 1)), "delta": delta[len(delta) // 2]}
    return MovingFigure(
        after, sliders, {name: near[name] for name in sliders},
        title="Privacy after shuffling", x_label="users n", y_label="ε after shuffling", x_scale="log", y_scale="log",
        labels={name: {"eps0": "ε₀ (each message)", "delta": "δ (failure)"}[name] for name in sliders},
        alt="Epsilon after shuffling against the number of users on log axes: flat for the local guarantee, falling "
        "for the sum over clones, and falling later and several times higher for the published formula.",
    )
