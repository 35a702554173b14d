"""Public instances on which learners are compared: easy and hard gaps, several numbers of arms and dimensions and horizons.

They are drawn with fixed seeds. What is drawn is rounded to multiples of 1/4096 where arms are fixed, so gaps are exact, and so are
regrets, however they are added. Widths are tuned on instances of their own, which nobody is judged by.
"""

import math
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from bandits_book.lastfm import LastFM
from bandits_book.lastfm.data import Listening, load_listening
from bandits_dp import _checks
from bandits_dp.linear.problems import on_sphere
from bandits_dp.problems import BernoulliArms, ClientPopulation, ContextualLinear, LinearArms

LASTFM = "LastFM"
HORIZONS = {"arms": (30_000, 100_000), "linear": (100_000, 10**6), "clients": (100_000, 10**6), "contextual": (10_000, 20_000)}
LASTFM_HORIZON, LASTFM_DIMENSION = 2_000, 10
INSTANCES, TUNING, RUNS = 20, 6, 4
GRID = 4096


@dataclass(frozen=True)
class Instance:
    """One instance: its name, the problem, the horizon T, the seed of its runs, what random play loses, and how many runs."""

    name: str
    problem: Any
    horizon: int
    seed: int
    random: float
    runs: int = RUNS

    @property
    def delta(self) -> float:
        """The delta that a learner may use, 0.1 / T."""
        return 0.1 / self.horizon


def instances(setting: str, tuning: bool = False) -> tuple[Instance, ...]:
    """Draw the instances of a setting, or those for tuning: even ones are easy, odd ones hard.

    ``"LastFM"`` needs the files of :func:`bandits_book.lastfm.data.load_listening`, in the folder that BANDITS_DP_DATA
    names.

    Examples
    --------
    >>> from bandits_book import contest
    >>> [one.name for one in contest.instances("arms")][:2]
    ['1, easy, K = 2, T = 100,000', '2, hard, K = 20, T = 100,000']
    """
    return _drawn(_checks.choice("setting", setting, (*HORIZONS, LASTFM)), _checks.flag("tuning", tuning))


@cache
def _drawn(setting: str, tuning: bool) -> tuple[Instance, ...]:
    numbers = range(TUNING if tuning else INSTANCES)
    if setting == LASTFM and tuning:
        return _drawn("contextual", True)
    if setting == LASTFM:
        return tuple(_listeners(load_listening("files"), number) for number in numbers)
    return tuple(_instance(setting, number, tuning) for number in numbers)


def _listeners(listening: Listening, number: int) -> Instance:
    """Return one of as many groups of listeners as there are instances, with one run each."""
    group = np.array_split(np.random.default_rng(25).permutation(listening.users), INSTANCES)[number]
    K, d, T = (5, 10, 20)[number % 3], LASTFM_DIMENSION, LASTFM_HORIZON
    problem = LastFM(d, K, listening=listening.of(group))
    name = f"{number + 1}, {len(group)} listeners, K = {K}, d = {d}, T = {T:,}"
    return Instance(name, problem, T, number, float(f"{T * (1 - 1 / K):.6g}"), runs=1)


def _instance(setting: str, number: int, tuning: bool) -> Instance:
    hard, rng = number % 2 == 1, np.random.default_rng([25, list(HORIZONS).index(setting), tuning, number])
    T, K, d = (int(rng.choice(sizes)) for sizes in (HORIZONS[setting], (2, 5, 10, 20), (2, 4, 8)))
    problem: Any
    if setting == "arms":
        gaps = np.append(0.0, rng.uniform(*((0.02, 0.1) if hard else (0.1, 0.3)), K - 1))
        problem = BernoulliArms(rng.permutation(np.trunc((rng.uniform(0.3, 0.9) - gaps) * GRID) / GRID))
    elif setting == "contextual":
        theta = np.append(on_sphere(1, d, rng)[0] * (0.3 if hard else math.sqrt(0.5)), math.sqrt(0.5))
        problem = ContextualLinear(K, d + 1, fixed=False, theta=theta)
        problem.centre = problem.centre[0], math.sqrt(0.5)  # public: the last number is known, as where theta is drawn
    else:
        points = on_sphere(2 * K + 1, d, rng) * np.append(np.ones(2 * K), 0.3 if hard else 0.9)[:, None]
        points = np.trunc(points * GRID) / GRID
        problem = LinearArms(points[:-1], points[-1]) if setting == "linear" else ClientPopulation(points[:-1], points[-1], 0.05)
    if setting == "contextual":
        means = problem.means(problem.contexts(problem.numbers(np.random.default_rng(1), 20_000)))
        lost = float(np.mean(means.max(axis=1) - means.mean(axis=1)))
    else:
        lost = float(problem.gaps.mean())
    size = f"K = {problem.arms}, " + (f"d = {problem.dimension}, " if hasattr(problem, "dimension") else "") + f"T = {T:,}"
    name = f"{number + 1}, {'hard' if hard else 'easy'}, {size}"
    return Instance(name, problem, T, number + 1000 * tuning, float(f"{T * lost:.6g}"))
