"""Put together what you like: any learner, any privatizer of the values that it needs, and what is public of a problem."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from bandits_dp import _checks
from bandits_dp.continual import Counter
from bandits_dp.engine.live import Live
from bandits_dp.engine.live_arms import LiveArms
from bandits_dp.engine.live_clients import LiveClients
from bandits_dp.engine.live_contexts import LiveContexts
from bandits_dp.engine.live_linear import LiveLinear
from bandits_dp.engine.streams import CountedBatches, FreshBatches
from bandits_dp.guarantee import Guarantee
from bandits_dp.learners import PhasedElimination

PRIVATIZER = ("randomize", "shuffle", "analyze", "guarantee", "users", "domain")


def combine(
    learner: Any, privatizer: Any, problem: Any, *, horizon: int, guarantee: Guarantee | None = None, fidelity: str = "aggregate"
) -> Live:
    """Return a learner of your own with a privatizer of your own, ready for users and for :func:`bandits_dp.simulate`.

    Parameters
    ----------
    learner : object
        ``ask()`` and ``tell(released, noise)``; or, with features, ``choose(features)`` and ``tell(released)``. See
        :mod:`bandits_dp.ask_tell`.
    privatizer : callable or Privatizer or Counter
        ``privatizer(users)`` gives the privatizer of a batch of so many users; ``privatizer(clients, numbers)`` with clients. With
        features: that of a batch, or a continual counter, for :class:`bandits_dp.privatizers.domain.LinearStatistics`.
    problem : Problem
        What is public of it is used: its setting, its size, bounds on rewards and features.
    horizon : int
        Number of rounds T, >= 1.
    guarantee : Guarantee, optional
        What the whole run promises; that of one release if not given, as every user is in one batch only.
    fidelity : {"aggregate", "messages"}
        Whether the simulator may draw sums from their law.

    Returns
    -------
    Live
        With ``act``, ``update``, ``save``, ``restore`` and ``guarantee``.

    Raises
    ------
    TypeError
        If a method is missing.
    ValueError
        If an argument is out of range.
    """
    chooses = hasattr(learner, "choose")
    for method in ("choose" if chooses else "ask", "tell"):
        if not callable(getattr(learner, method, None)):
            raise TypeError(f"learner must have ask() and tell(released, noise), or choose(features) and tell(released); "
                            f"{type(learner).__name__} has no {method}")
    horizon = _checks.integer("horizon", horizon)
    live: Live
    if chooses:
        if isinstance(privatizer, Counter):
            stream: Any = CountedBatches(privatizer)
        else:
            stream = FreshBatches(_complete(privatizer))
        live = LiveContexts(learner, stream, problem, horizon, fidelity=fidelity)
    else:
        if not callable(privatizer):
            raise TypeError(f"privatizer must be callable as privatizer(users), got {privatizer!r}")
        made = partial(_made, privatizer)
        size = (problem.arms, horizon)
        if learner.ask().clients:
            live = LiveClients(learner, made, *size, guarantee or made(1, 1).guarantee, fidelity)
        elif isinstance(learner, PhasedElimination):
            live = LiveLinear(learner, made, *size, guarantee or made(1).guarantee, fidelity)
        else:
            live = LiveArms(learner, made, *size, guarantee, fidelity)
            live.setting = problem.setting
    if guarantee is not None:
        live.guarantee = guarantee
    live.check_problem(problem)
    return live


def _made(make: Callable[..., Any], *sizes: int) -> Any:
    """Make a privatizer, and refuse an incomplete one."""
    return _complete(make(*sizes))


def _complete(privatizer: Any) -> Any:
    """Return the privatizer, or say what it lacks."""
    missing = [name for name in PRIVATIZER if not hasattr(privatizer, name)]
    if missing:
        raise TypeError(f"privatizer must have {', '.join(PRIVATIZER)}; {type(privatizer).__name__} lacks {', '.join(missing)}")
    return privatizer
