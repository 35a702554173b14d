"""One row of the catalogue."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bandits_dp.learners import Learner


@dataclass(frozen=True)
class System:
    """One row of the catalogue.

    Parameters
    ----------
    name : str
        The name that ``make`` takes.
    paper : str
        Citation key in the book's bibliography.
    setting : str
        Which problems it can play, see :class:`bandits_dp.problems.base.Problem`.
    model : str
        Trust model: none, central, local or shuffle.
    unit : str
        Whose data one guarantee protects.
    regret : str
        The regret bound that the paper states, in LaTeX.
    chapter : str
        The chapter that builds it.
    test : str
        The test that checks it.
    build : callable
        Makes the learner from (problem, epsilon, delta, horizon, calibration) and options.
    experiment : bool
        Whether the constants of a published figure are known, so that ``calibration="experiment"`` exists.
    pure : bool
        Whether it can do without delta, though its trust model is not the local one.
    """

    name: str
    paper: str
    setting: str
    model: str
    unit: str
    regret: str
    chapter: str
    test: str
    build: Callable[..., Learner[Any]]
    experiment: bool = False
    pure: bool = False
