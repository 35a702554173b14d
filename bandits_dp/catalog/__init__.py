"""The catalogue: every algorithm by name, and the one place that knows how each is put together."""

from __future__ import annotations

import difflib
import inspect
from functools import partial
from typing import Any

from bandits_dp import _checks
from bandits_dp.catalog import arms, clients, linear, linucb, rewards
from bandits_dp.catalog.options import Given
from bandits_dp.catalog.setups import Setup, setup
from bandits_dp.catalog.system import System
from bandits_dp.learners import Doubling, Learner
from bandits_dp.problems import Problem

_SYSTEMS = (*arms.SYSTEMS, *linear.SYSTEMS, *clients.SYSTEMS, *linucb.SYSTEMS, *rewards.SYSTEMS)
_GIVEN = ("problem", "epsilon", "delta", "horizon", "calibration")

__all__ = ["Setup", "System", "make", "setup", "systems"]


def systems() -> tuple[System, ...]:
    """Return the catalogue, one row per algorithm."""
    return _SYSTEMS


def make(
    name: str,
    problem: Problem,
    *,
    horizon: int | None,
    epsilon: float | None = None,
    delta: float | None = None,
    calibration: str = "certified",
    **options: Any,
) -> Learner[Any]:
    """Return a ready learner for a problem.

    Parameters
    ----------
    name : str
        A name from :func:`systems`.
    problem : Problem
        The problem; learners take no more from it than what is public: its size, its actions, bounds on rewards.
    horizon : int or None
        Number of rounds T, >= 1. None if nobody knows: learners of the setting ``"arms"`` then restart for ever longer horizons,
        see :class:`bandits_dp.learners.doubling.Doubling`, whose options ``first_horizon`` and ``growth`` are allowed, too.
    epsilon : float, optional
        Privacy parameter, > 0; required by private systems, ignored by those without privacy.
    delta : float, optional
        Failure mass in (0, 1); optional (0) where pure privacy is possible.
    calibration : {"certified", "theorem", "experiment"}
        How noise and confidence widths are chosen.
    **options
        ``batch_size`` (an int or ``"doubling"``), ``honest_fraction`` in (0, 1], ``noise``, ``strict`` and ``fidelity``
        (``"aggregate"`` or ``"messages"``), where the system has them. With clients: ``alpha`` in (0, 1), where phase l has
        ceil(2^(alpha l)) of them, or ``clients_per_phase`` (pilot runs find one if it is not given); ``bound`` B, so that averages
        lie in [-B, B], and ``clip``, which moves them there. With features: ``batch_size`` may be a named one (``"utility"``,
        ``"privacy"``, ``"returning"``), ``returning_users`` (True, or the most rounds of one user), ``counter`` (``"tree"``,
        ``"factorization"``), ``centred``, ``radius_scale`` and ``alpha``. An unknown option's error lists what a system has.

    Returns
    -------
    Learner
        Fresh, with its ``guarantee``.

    Raises
    ------
    ValueError
        If the name is unknown (the nearest one is suggested), an argument is missing or out of range, the system has no such
        option, or nothing is known about its experiment calibration.
    """
    table = {system.name: system for system in _SYSTEMS}
    if name not in table:
        near = difflib.get_close_matches(str(name).upper(), [key.upper() for key in table], n=1, cutoff=0.4)
        hint = next((f"did you mean {key!r}? " for key in table if near and key.upper() == near[0]), "")
        raise ValueError(f"name must be a known system, got {name!r}; {hint}Known: {', '.join(table)}")
    system = table[name]
    if horizon is None and system.setting == "arms":
        trick = {key: options.pop(key) for key in ("first_horizon", "growth") if key in options}
        return Doubling(partial(make, name, problem, epsilon=epsilon, delta=delta, calibration=calibration, **options), **trick)
    horizon = _checks.integer("horizon", horizon)
    if _checks.calibration(calibration) == "experiment" and not system.experiment:
        raise ValueError(f"calibration must be 'certified' or 'theorem' for {name}, got 'experiment': "
                         f"its source ({system.paper}) publishes no simulation whose constants are known")
    if getattr(problem, "setting", None) != system.setting:
        raise ValueError(f"problem must be of the setting {system.setting!r} for {name}, got {problem!r}")
    if system.model != "none":
        if epsilon is None:
            raise ValueError(f"epsilon must be a positive number for {name}, got None")
        if delta is None and system.model != "local" and not system.pure:
            raise ValueError(f"delta must be in (0, 1) for {name}, got None")
    new = isinstance(system.takes, type) and next(iter(inspect.signature(system.build).parameters)) == "given"
    known = {one.name for one in system.options} if new else set(inspect.signature(system.build).parameters) - set(_GIVEN)
    for option in options:
        if option not in known:
            raise ValueError(f"{option} is not an option of {name}, which has {', '.join(sorted(known)) or 'none'}")
    if new:
        learner = system.build(Given(problem, horizon, epsilon, delta, calibration), system.takes(**options))
    else:
        learner = system.build(problem, epsilon, delta, horizon, calibration, **options)
    learner.name = name
    made = {"epsilon": epsilon, "delta": delta, "calibration": calibration} | dict(sorted(options.items()))
    dimension = f"dimension={problem.dimension}, " if hasattr(problem, "dimension") else ""
    size = f"arms={learner.arms}, {dimension}horizon={horizon}"
    learner.description = f"{name}({', '.join([size, *(f'{key}={value!r}' for key, value in made.items())])})"
    return learner
