"""What the tests of chapters share: a notebook's cells, run or as stored, slopes, and exact deltas."""

import itertools
import math
from collections import defaultdict
from collections.abc import Callable, Hashable
from fractions import Fraction
from functools import cache
from typing import Any

import nbformat
import numpy as np
from scipy.stats import linregress

import bandits_dp as bdp
from bandits_book import plots
from checkout import NOTEBOOKS


@cache
def cells(chapter: str) -> dict[str, nbformat.NotebookNode]:
    return {cell.id: cell for cell in nbformat.read(NOTEBOOKS / f"{chapter}.ipynb", as_version=4).cells}


def defined(chapter: str, *ids: str, **names: Any) -> dict[str, Any]:
    """Run the named cells of a chapter and return what they define; ``names`` are defined before."""
    space = {"np": np, "math": math, "bdp": bdp, "plots": plots, **names}
    for one in ids:
        exec(cells(chapter)[one].source, space)
    return space


def changed(chapter: str, cell: str, edits: dict[str, str], **names: Any) -> dict[str, Any]:
    """Run a cell in which a reader has changed each text of ``edits``, which stands there once; return what it defines."""
    source = cells(chapter)[cell].source
    for text, instead in edits.items():
        assert source.count(text) == 1, (cell, text)
        source = source.replace(text, instead)
    space = {"np": np, "math": math, "bdp": bdp, "plots": plots, **names}
    exec(source, space)
    return space


def one_way(p: dict, q: dict, ratio: Fraction) -> Fraction:
    """Return the hockey-stick divergence of two laws at e^epsilon = ratio, exactly."""
    return sum((max(p.get(x, Fraction(0)) - ratio * q.get(x, Fraction(0)), Fraction(0)) for x in {*p, *q}), Fraction(0))


def delta_by_sums(p: dict, q: dict, ratio: Fraction) -> Fraction:
    return max(one_way(p, q, ratio), one_way(q, p, ratio))


def law_of_runs(play: Callable[[Callable[[], int]], Hashable], noise: dict[int, Fraction]) -> dict[Any, Fraction]:
    """Return the exact law of what ``play(draw)`` returns, where each ``draw()`` is independent noise of the given law."""
    law: defaultdict[Hashable, Fraction] = defaultdict(Fraction)
    scripts: list[list[int]] = [[]]
    while scripts:
        script = scripts.pop()
        rest = iter(script)
        try:
            seen = play(rest.__next__)
        except StopIteration:  # the run draws more than that
            scripts += [[*script, value] for value in noise]
        else:
            law[seen] += math.prod((noise[value] for value in script), start=Fraction(1))
    assert sum(law.values()) == 1
    return dict(law)


def summed(*laws: dict[int, Fraction]) -> dict[int, Fraction]:
    total = {0: Fraction(1)}
    for law in laws:
        new: defaultdict[int, Fraction] = defaultdict(Fraction)
        for (x, mass), (y, chance) in itertools.product(total.items(), law.items()):
            new[x + y] += mass * chance
        total = dict(new)
    return total


def slope(x: Any, y: Any) -> tuple[float, float]:
    """Return the exponent of y in x, and its standard error."""
    fit = linregress(np.log(np.asarray(x, dtype=float)), np.log(np.asarray(y, dtype=float)))
    return float(fit.slope), float(fit.stderr)


def power(measured: dict[str, float], what: str, x: Any, y: Any, low: float, high: float, error: str = "") -> None:
    """Measure the exponent of y in x, and its standard error under that name, and hold the exponent between two numbers."""
    measured[what], its_error = slope(x, y)
    if error:
        measured[error] = its_error
    assert low < measured[what] < high, (what, measured[what])


def mean_regret(name: str, problem: Any, horizon: int, runs: int = 20, seed: int = 1, until: int = 0, **options: Any) -> float:
    """Mean regret of a system at its horizon, or until so many rounds; the same seed gives every system the same problems."""
    learner = bdp.make(name, problem, horizon=horizon, **options)
    return float(bdp.simulate(learner, problem, until or horizon, runs=runs, seed=seed, progress=False).mean[-1])


def leverages(actions: Any, weights: Any) -> Any:
    V = (actions.T * weights) @ actions
    return np.einsum("ij,jk,ik->i", actions, np.linalg.inv(V), actions)
