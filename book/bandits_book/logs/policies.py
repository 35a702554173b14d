"""Policies that do not learn: what is shown, as probabilities of arms, given features."""

import copy
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandits_dp import _checks
from bandits_dp.app.app import App
from bandits_dp.ask_tell import Asked
from bandits_dp.contextual.app import ContextsApp
from bandits_dp.serve.restarts import Restarts

Floats = NDArray[np.float64]
ALLOWED = "'uniform', probabilities of arms, a function of features, or a learner"
SLACK = 1e-9  # by which probabilities may miss 1 together, per arm


def policy_of(policy: Any) -> Callable[[Any, int], Any]:
    """Return a function from the features of one round (None for plain arms) and the number of its arms to their probabilities.

    The policy may be "uniform", all arms alike; the same probabilities in all rounds; ``policy(features)``; or a learner, *frozen*:
    what it would show the next user. Arm elimination in the middle of a phase divides its next user evenly over what the phase
    asks.
    """
    if isinstance(policy, Restarts):
        policy = policy.app
    if isinstance(policy, App):
        return _frozen(copy.deepcopy(policy))
    if isinstance(policy, str) and policy == "uniform":
        return lambda features, arms: np.full(arms, 1 / arms)
    if callable(policy):
        return lambda features, arms: _checks.answer("policy", policy, features)
    fixed = _checks.numbers("policy", policy, ALLOWED)
    return lambda features, arms: fixed


def _frozen(app: App) -> Callable[[Any, int], Floats]:
    """Return what a learner would show the next user."""
    if isinstance(app, ContextsApp):
        if app.stream.context_std:
            raise ValueError(f"policy must be a function of features, got {app.name}, which perturbs them anew every time")

        def choose(features: Any, arms: int) -> Floats:
            if features is None:
                raise ValueError(f"features must be in the log for {app.name}, got plain arms")
            return np.eye(arms)[int(app.choose(app.checked(features, 2)))]

        return choose
    asked = getattr(app, "asked", None)
    if not isinstance(asked, Asked) or app.setting == "clients":
        raise ValueError(f"policy must show one arm to one user, got {app.name}, whose clients watch a whole phase")
    shares = np.bincount(asked.arms, asked.plays, minlength=app.arms) / asked.plays.sum()
    return lambda features, arms: shares


def probabilities(policy: Any, shown: Iterable[tuple[Any, int]]) -> Iterator[Floats]:
    """Yield what a policy says about rounds, each a pair of features (or None) and a number of arms: that many probabilities."""
    function = policy_of(policy)
    for row, (features, arms) in enumerate(shown):
        said = function(features, arms)
        try:
            chances = _checks.numbers("policy", said, ALLOWED)
        except ValueError:
            chances = np.zeros(0)
        if chances.shape != (arms,) or not (chances >= 0).all() or abs(chances.sum() - 1) > SLACK * arms:
            raise ValueError(f"policy must give {arms} probabilities, one per arm, that add up to 1, got {_checks.told(said)} in "
                             f"row {row}")
        yield chances
