"""Chapter 6: three numbers become one pile of bits, and what such bits let Eve do, beside a Gaussian."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from bandits_book.plots import Bar, Dot, Ground, Icon, MovingScene, Path, Text
from bandits_book.plots.marks import Mark
from bandits_dp.accounting.binomial import binomial_log_pmf
from bandits_dp.accounting.binomial_vector import gaussian_ratio

STEPS = ["number", "scale", "round", "bits", "noise", "shuffle", "count", "decode"]
PAIRS = 4  # of noise bits for each user
NAMES = ["user 1", "user 2", "Noor"]

ToBits = Callable[..., NDArray[np.int64]]  # the chapter's to_bits(values, g, pairs, p, rng)
Numbers = NDArray[np.float64]


def throw(to_bits: ToBits, values: Numbers, g: int, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the bits that each user sends with fair noise, and the order in which the pile has them."""
    rng = np.random.default_rng(seed)
    sent = to_bits(values, g, pairs=PAIRS, p=0.5, rng=rng)
    return sent, rng.permutation(sent.size)


def told(values: Numbers, sent: NDArray[np.int64], g: int) -> list[str]:
    """Say what happens in each step."""
    level, noise, ones = sent[2, :g].sum(), sent[2, g:].sum(), sent.sum()
    return [
        f"Noor's number is {values[2]}, and only her phone knows it.",
        f"With {g} levels, Noor's {values[2]} becomes {g * values[2]:g}.",
        f"Chance rounds Noor's {g * values[2]:g} to {level}, one of its two neighbours.",
        f"Noor's {level} is written as {level} ones and {g - level} zero{'' if g - level == 1 else 's'}.",
        f"Eight noise bits join, {noise} of them ones: Noor sends {level + noise} ones.",
        f"All {sent.size} bits lie in one pile, in random order; {g + 8} are Noor's.",
        f"The pile has {ones} ones, and nothing else in it tells Eve anything.",
        f"({ones} - 12) / {g} = {(ones - 12) / g:.2f} estimates the sum, {values.sum():.2f}.",
    ]


def dots(k: int, g: int, flat: NDArray[np.int64], order: NDArray[np.int64]) -> list[Mark]:
    """Return the bits: in the rows of their owners, and from step 5 on in the pile, with pale ones where they came from."""
    marks: list[Mark] = []
    ones = flat.sum()
    if k > 5:  # the ones first
        order = order[np.argsort(-flat[order], kind="stable")]
    for bit, place in enumerate(np.argsort(order)):
        (i, j), one, less = divmod(bit, g + 8), flat[bit], k == 7 and ones - 12 <= place < ones
        x, y = (27 + 43 * (j + 0.5) / g if j < g else 75 + 3.1 * (j - g)), 61 - 12.5 * i
        marks += [Dot(f"was {bit}", x, y, "secret", True, hollow=not one)] * (k > 4)  # what the phone has sent
        if k > 4:
            x, y = 12 + 2.8 * (place % 28), 19.5 - 3.6 * (place // 28)
        color = "soft" if less else "shuffle" if k > 4 else "secret"
        marks += [Dot(f"bit {bit}", x, y, color, hollow=not one)] * (k > 3 or (k == 3 and j < g))
    return marks


def journey(to_bits: ToBits, values: Numbers, levels: Sequence[int], seeds: Sequence[int]) -> MovingScene:
    """Let three numbers become one pile of bits, and the pile a sum; it starts at the most levels and the first seed."""
    left: dict[str, Any] = {"anchor": "start"}

    def draw(step: str, g: str, seed: str = str(seeds[0])) -> tuple[list[Mark], str]:
        many, k = int(g), STEPS.index(step)
        sent, order = throw(to_bits, values, many, int(seed))
        flat, level = sent.ravel(), sent[:, :many].sum(axis=1)
        marks: list[Mark] = [Ground("trusted side", -20, 30, "shuffle", width=140, height=60),
                             Ground("open side", -20, -20, "soft", width=140, height=50)]
        value, ones = [values, many * values, level][min(k, 2)], flat.sum()
        for i, name in enumerate(NAMES):
            y, width, own = 58 - 12.5 * i, 43 * value[i] / (many if k else 1), f"{values[i]:g}"
            comb = [(43 * j / many, h) for j in range(many + 1) for h in (0, 6, 0)]
            marks += [Icon(f"phone {i}", 1.5, y + 2.5, "ink" if i == 2 else "soft", size=3.2)]
            marks += [Text(name, 5, y + 4, words=name, bold=i == 2, **left)]
            marks += [Text(f"value {i}", 5, y - 1, "secret", words=f"{own} → {value[i]:g}" if k else own, **left)]
            marks += [Path(f"levels {i}", 27, y, "soft", points=comb)] * (k > 0)
            marks += [Bar(f"bar {i}", 27, y, "secret", width=width, height=5)] * (k < 3)
        marks += dots(k, many, flat, order)
        marks += [Text("full", 48.5, 67, "secret", words="full 1, ring 0")] * (k > 2)
        marks += [Text("noise", 86, 67, "secret", words="noise bits")] * (k > 3)
        counted = f"{ones} ones" + ", about 12 of them noise (grey)" * (k > 6)
        marks += [Bar("wall", -20, 29.5, "shuffle", width=140, height=1)]
        marks += [Icon("eye", 3, 25, size=2.2, name="eye")]
        marks += [Text("Eve", 8, 23.8, words="Eve sees" + " one pile, and no names" * (k > 4), bold=True, **left)]
        marks += [Text("ones", 3, 8, words=counted, **left)] * (k > 5)
        marks += [Text("sum", 3, 2, words=f"sum: ({ones} − 12) / {many} = {(ones - 12) / many:.2f}", bold=True, **left),
                  Text("truth", 97, 2, "secret", words=f"truth {values.sum():.2f}", anchor="end")] * (k > 6)
        return marks, told(values, sent, many)[k]

    choices = sorted(set(levels)) if len(set(levels)) > 1 else [*levels[:1], max(1, levels[0] // 2)]
    sliders = {"step": STEPS, "g": [str(g) for g in choices]} | ({"seed": [str(seed) for seed in seeds]} if len(seeds) > 1 else {})
    start = {"step": "decode", "g": str(max(choices)), "seed": str(seeds[0])}
    labels = {"g": "levels g", "seed": "throw of the coins"}
    return MovingScene(
        draw, sliders, {name: start[name] for name in sliders}, size=(100, 71), play="step", pace=1500,
        title="Three numbers become one pile of bits, which tells a noisy sum and no more",
        labels={name: label for name, label in labels.items() if name in sliders},
        alt="Three phones turn a number each into bits and add noise bits. All bits move to one pile; "
        "its ones are counted, the mean of the noise is subtracted, and a sum is left.")


def misses(trials: int, k: int, tail: float) -> tuple[Numbers, Numbers, float]:
    """Return false alarms and misses at corners, for fair bits (with the theorem's tails) moved by k, and the Gaussian's rho."""
    _, log_pmf = binomial_log_pmf(trials, 0.5)
    ratio, _ = gaussian_ratio(log_pmf, math.log(tail))
    pmf = np.exp(log_pmf)
    left = int(np.searchsorted(np.cumsum(pmf), tail))
    ends = pmf[left] * (pmf[left] / pmf[left + 1]) ** np.arange(1, 40)  # geometric tails
    mass = np.concatenate([ends[::-1], pmf[left : len(pmf) - left], ends])
    below = np.concatenate([[0.0], np.cumsum(mass / mass.sum())])
    return below[::-1][k:], below[:-k], ratio  # "moved" is said from some count on


def above_gaussian(trials: int, k: int, tail: float, rates: Numbers) -> Numbers:
    """Return by how much Eve misses more often with bits than with the theorem's Gaussian, at rates of false alarms."""
    alarm, missed, ratio = misses(trials, k, tail)
    return np.interp(rates, alarm[::-1], missed[::-1]) - norm.cdf(norm.isf(rates) - ratio * k)
