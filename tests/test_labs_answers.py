"""The question of each lab has the answer that moving the sliders shows: chapters 1, 3, 5, 6 and 8."""

import re
import textwrap
from collections.abc import Callable
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure
from scipy.signal import fftconvolve
from scipy.stats import binom

from bandits_book import plots
from bandits_dp import accounting, privatizers, problems
from tests.chapters import defined

Told = Callable[..., list[float]]


def lab(chapter: str, *before: str, **names: Any) -> Told:
    """Return what tells the numbers in the sentence of a chapter's lab, at given values."""
    common = {"plt": plt, "textwrap": textwrap, "plots": plots, "COLORS": plots.COLORS, **names}
    space = defined(chapter, *before, "lab-function", **common)
    plt.close("all")
    (draw,) = (one for one in space.values() if getattr(getattr(one, "__code__", None), "co_varnames", ())[:2] == ("ax", "rng"))

    def told(seed: int = 1, **values: Any) -> list[float]:
        sentence = draw(Figure().subplots(), np.random.default_rng(seed), **values)
        return [float(found.replace(",", "")) for found in re.findall(r"\d[\d,]*(?:\.\d+)?(?:e[+-]\d+)?", sentence.rstrip("."))]

    return told


def test_the_best_width_is_a_third_of_ucb1s() -> None:
    """Chapter 1: the theorem's width is cautious, so a third of it loses far less; width 0 is greedy, and runs get stuck."""
    told = lab("01_bandits", "the-problem", K=5)
    found = {width: np.mean([told(seed, width=width, scale=1.0, users=2000)[-2:] for seed in (1, 2, 3)], axis=0)
             for width in (0.0, 0.1, 0.3, 1.0, 2.0)}
    lost, stuck = ({width: two[i] for width, two in found.items()} for i in (0, 1))
    assert lost[0.3] < min(lost[0.0], lost[0.1], lost[1.0], lost[2.0]) / 2
    assert stuck[0.0] > 3 and stuck[0.3] < 1 and stuck[1.0] == 0


def test_one_percent_takes_nine_thousand_users_and_a_tenth_of_epsilon_a_hundred_times_as_many() -> None:
    """Chapter 3: the error is the root of n over 2 sinh(ε/2), so 1% of n takes (50 / sinh(ε/2))^2 users, a million at ε = 0.1."""
    told = lab("03_trust_models", **vars(privatizers))
    for epsilon in (1.0, 0.1):
        users = (50 / np.sinh(epsilon / 2)) ** 2
        assert 30 < users < 1e6
        assert told(users=users, epsilon=epsilon, honest=1.0)[-1] == 1
        assert told(users=users / 2, epsilon=epsilon, honest=1.0)[-1] == 1.41
    assert 90 < (np.sinh(0.5) / np.sinh(0.05)) ** 2 < 110


def test_a_hundred_users_halve_epsilon_where_the_formula_asks_for_seventeen_hundred() -> None:
    """Chapter 5: ε₀ = 2 is halved by 84 users in this crowd, by 363 for all that the clones say, by 1,716 for the formula."""
    known = vars(accounting) | {"binom": binom, "fftconvolve": fftconvolve, "n": 1000, "q": 0.88, "eps0": 2.0}
    told = lab("05_shuffling", "pile", "exact-response", **known)
    halved = []
    for place in (3, 4, 5):
        low, high = 50, 10_000
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if told(eps0=2.0, users=middle, delta=1e-6)[place] <= 1 else (middle, high)
        halved.append(high)
    assert halved == [84, 363, 1716]


def test_thirty_six_pairs_are_enough_and_twice_the_levels_take_four_times_as_many() -> None:
    """Chapter 6: 100 users with g = 10 need 36 pairs each for δ = 1e-6, and 143 at g = 20; the error is the same."""
    told = lab("06_vector_summation", "plain-bits", slept=np.array([0.5]), binomial_delta=accounting.binomial_delta)
    delta = {(g, pairs): told(users=100, g=g, pairs=pairs)[-1] for g, pairs in ((10, 35), (10, 36), (20, 142), (20, 143))}
    assert delta[10, 35] > 1e-6 >= delta[10, 36] and delta[20, 142] > 1e-6 >= delta[20, 143]
    error = [told(users=100, g=g, pairs=pairs)[-3] for g, pairs in ((10, 36), (20, 143))]
    assert min(error) > 3 and max(error) < 6


def test_trusting_nobody_takes_ten_times_the_epsilon() -> None:
    """Chapter 8: CDP-PE at ε = 0.1 drops its first exercise after 2,032 users, LDP-PE so early from some ε between 1 and 1.5."""
    told = lab("08_phased_elimination", LinearArms=problems.LinearArms)

    def first(learner: str, epsilon: float) -> float:
        return float(np.median([told(seed, learner=learner, epsilon=epsilon, arms=72)[-1] for seed in (1, 2, 3)]))

    server = first("CDP-PE", 0.1)
    assert first("LDP-PE", 0.1) > 4 * server and first("LDP-PE", 0.5) > server >= first("LDP-PE", 2.0)
