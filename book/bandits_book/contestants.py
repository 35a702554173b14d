r"""Who plays the contest: the catalogue, each learner with proved widths.

A purely private learner stands twice: with :math:`\delta = 0`, and among those to whom a :math:`\delta` is allowed, of which it
may make use. Learners that hide the reward only, with public features, are compared with each other.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandits_book.instances import HORIZONS, LASTFM, Instance
from bandits_dp.catalog import make, systems
from bandits_dp.combining import combine
from bandits_dp.options import System
from bandits_dp.privatizers import Identity, LinearStatistics

TRUSTS = ("none", "pure", "central", "shuffle", "local", "pure rewards", "central rewards")
EPSILONS = (0.1, 0.3, 1.0, 3.0, 10.0)
LASTFM_EPSILONS = (0.1, 1.0, 10.0)
CHANGING = ("contextual", LASTFM)  # settings in which features change


@dataclass(frozen=True)
class Contestant:
    """Who plays: a name, a setting, whom its users trust, and ``make(instance, epsilon)``, which returns a fresh learner."""

    name: str
    setting: str
    trust: str
    make: Callable[[Instance, float | None], Any]

    @property
    def epsilons(self) -> tuple[float | None, ...]:
        """The epsilons that it plays at."""
        return (None,) if self.trust == "none" else LASTFM_EPSILONS if self.setting == LASTFM else EPSILONS


def contestants() -> list[Contestant]:
    """List the catalogue by settings and trust.

    Examples
    --------
    >>> from bandits_book import contest
    >>> [one.trust for one in contest.contestants() if one.name == "DP-SE"]
    ['pure', 'central']
    """
    made = []
    for system in systems():
        for model in ("pure", "central") if system.pure else (system.model,):
            trust = f"{model} rewards" if system.setting == "contextual" and system.unit == "one reward" else model
            made.append(Contestant(system.name, system.setting, trust, partial(_from_catalogue, system.name, model)))
    return sorted(made, key=lambda one: (list(HORIZONS).index(one.setting), TRUSTS.index(one.trust)))


def on_lastfm() -> list[Contestant]:
    """List those who play with contexts as contestants on Last.fm, in the same order, after a rule that learns nothing.

    Examples
    --------
    >>> from bandits_book import contest
    >>> [one.name for one in contest.on_lastfm() if one.trust == "shuffle"]
    ['LinUCB-SDP-Amp', 'LinUCB-SDP-Vec']
    """
    there = [replace(one, setting=LASTFM) for one in contestants() if one.setting == "contextual"]
    return [Contestant("longest features", LASTFM, "none", _longest), *there]


class Longest:
    """Choose the arm with the longest features, whatever anybody answers: known artists have tags, and so long features.

    Examples
    --------
    >>> import numpy as np
    >>> from bandits_book.contestants import Longest
    >>> int(Longest().choose(np.array([[0.1, 0.0], [0.3, 0.4]])))
    1
    """

    def choose(self, features: NDArray[np.float64]) -> Any:
        """Return an arm for features of shape (arms, d), or one for each user."""
        return np.linalg.norm(features, axis=-1).argmax(axis=-1)

    def tell(self, released: object) -> None:
        """Forget it."""


def _longest(instance: Instance, epsilon: float | None) -> Any:
    batch = Identity(instance.horizon, LinearStatistics(instance.problem.dimension))  # which the learner never looks at
    batch.bits_per_user = 0.0
    return combine(Longest(), batch, instance.problem, horizon=instance.horizon)


def usual(system: System) -> dict[str, Any]:
    """Return the options with which learners are compared: proved widths, rewards around 0, and batches that grow.

    Examples
    --------
    >>> import bandits_dp as bdp
    >>> from bandits_book import contest
    >>> {system.name: contest.usual(system) for system in bdp.systems()}["LinUCB-SDP-Vec"]
    {'centred': True}
    """
    names = {option.name for option in system.options}
    chosen = {"batch_size": "doubling"} if system.name in ("AE", "LDP-AE") else {}
    return chosen | {name: value for name, value in (("width", None), ("centred", True)) if name in names}


def _from_catalogue(name: str, model: str, instance: Instance, epsilon: float | None) -> Any:
    chosen = usual(next(one for one in systems() if one.name == name))
    if instance.problem.setting == "contextual" and getattr(instance.problem, "centre", None) is None:
        chosen.pop("centred", None)  # which needs features with a constant
    private: dict[str, Any] = {} if model == "none" else {"epsilon": epsilon, "delta": None if model == "pure" else instance.delta}
    learner = make(name, instance.problem, horizon=instance.horizon, **private, **chosen)
    if model == "central" and learner.guarantee.delta == 0:  # it has no use for a delta, and its runs are those without
        return _from_catalogue(name, "pure", instance, epsilon)
    return learner
