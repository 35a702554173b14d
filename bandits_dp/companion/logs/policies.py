"""Policies that do not learn: what is shown, as probabilities of arms, given features."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandits_dp import _checks
from bandits_dp.ask_tell import Asked
from bandits_dp.live.contexts import LiveContexts
from bandits_dp.live.live import Live
from bandits_dp.live.restarts import Restarts

Floats = NDArray[np.float64]
Policy = Callable[[Any], Any]
ALLOWED = "policy must be 'uniform', probabilities of arms, a function of features, or a learner"
SLACK = 1e-9  # by which probabilities may miss 1 together, per arm


def policy_of(policy: Any) -> Policy:
    """Return a function from the features of one round (None for plain arms) to probabilities of its arms.

    Parameters
    ----------
    policy : "uniform", array_like, callable, or Live
        All arms alike; the same probabilities in all rounds; ``policy(features)``; or a learner, *frozen*: what it would show the
        next user. Arm elimination in the middle of a phase divides its next user evenly over what the phase asks.

    Raises
    ------
    ValueError
        If it is none of these, or a learner whose choice is not a function of features.
    """
    if isinstance(policy, Restarts):
        policy = policy.live
    if isinstance(policy, Live):
        return _frozen(policy)
    if isinstance(policy, str):
        if policy != "uniform":
            raise ValueError(ALLOWED + f", got {policy!r}")
        return _uniform
    if callable(policy):
        return partial(_checks.answer, "policy", policy)
    fixed = _checks.numbers("policy", policy, ALLOWED.removeprefix("policy must be "))
    return lambda features: fixed


def _uniform(features: Any) -> None:
    return None


def _frozen(live: Live) -> Policy:
    """Return what a learner would show the next user."""
    live = copy.deepcopy(live)
    if isinstance(live, LiveContexts):
        if getattr(live.stream, "context_std", 0.0):
            raise ValueError(f"policy must be a function of features, got {live.name}, which perturbs them anew every time")

        def choose(features: Any) -> Floats:
            if features is None:
                raise ValueError(f"features must be in the log for {live.name}, got plain arms")
            arm = int(live.choose(live.checked(features, 2)))
            return np.eye(len(features))[arm]

        return choose
    asked = getattr(live, "asked", None)
    if not isinstance(asked, Asked) or live.setting == "clients":
        raise ValueError(f"policy must show one arm to one user, got {live.name}, whose clients watch a whole phase")
    shares = np.bincount(asked.arms, asked.plays, minlength=live.arms) / asked.plays.sum()
    return lambda features: shares


def probabilities(policy: Any, shown: Iterator[tuple[Any, int]]) -> Iterator[Floats]:
    """Yield what a policy says about rounds, each a pair of features (or None) and a number of arms.

    Raises
    ------
    ValueError
        If it returns anything but that many probabilities, in any row.
    """
    function = policy_of(policy)
    always = not (callable(policy) or isinstance(policy, (Live, Restarts, str)))  # the same, which is checked once
    known: dict[int, Floats] = {}
    for row, (features, arms) in enumerate(shown):
        if always and arms in known:
            yield known[arms]
            continue
        said = function(features)
        known[arms] = np.full(arms, 1 / arms) if function is _uniform else _checked(said, arms, row)
        yield known[arms]


def _checked(said: Any, arms: int, row: int) -> Floats:
    try:
        chances = _checks.numbers("policy", said, "")
    except ValueError:
        chances = np.zeros(0)
    if chances.shape != (arms,) or not (chances >= 0).all() or abs(chances.sum() - 1) > SLACK * arms:
        raise ValueError(f"policy must give {arms} probabilities, one per arm, that add up to 1, got {said!r} in row {row}")
    return chances
