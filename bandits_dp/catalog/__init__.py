"""The catalogue: every algorithm by name, and the one place that knows how each is put together."""

from functools import partial
from types import SimpleNamespace
from typing import Any

from bandits_dp import _checks
from bandits_dp.catalog import arms, clients, linear, linucb, rewards
from bandits_dp.live.restarts import Restarts
from bandits_dp.options import Given, System, found
from bandits_dp.problem import Problem, check_problem

_SYSTEMS = (*arms.SYSTEMS, *linear.SYSTEMS, *clients.SYSTEMS, *linucb.SYSTEMS, *rewards.SYSTEMS)

__all__ = ["System", "make", "systems"]


def systems() -> tuple[System, ...]:
    """Return the catalogue, one row per algorithm.

    Examples
    --------
    >>> import bandits_dp as bdp
    >>> [system.name for system in bdp.systems() if system.setting == "clients"]
    ['DPE', 'DPE-FixedU', 'CDP-DPE', 'LDP-DPE', 'SDP-DPE']
    """
    return _SYSTEMS


def make(
    name: str,
    problem: Problem,
    *,
    horizon: int | None,
    epsilon: float | None = None,
    delta: float | None = None,
    calibration: str = "certified",
    late: str = "drop",
    **options: Any,
) -> Any:
    """Return a ready learner for a problem.

    Parameters
    ----------
    name : str
        A name from :func:`systems`.
    problem : Problem
        The problem; learners take no more from it than what is public: its size, its actions, bounds on rewards.
    horizon : int or None
        Number of rounds T, >= 1. None if nobody knows: learners of the settings ``"arms"`` and ``"contextual"`` then restart for
        ever longer horizons, see :class:`bandits_dp.live.restarts.Restarts`, whose options ``first_horizon`` and ``growth`` are
        allowed, too.
    epsilon : float, optional
        Privacy parameter, > 0; required by private systems, ignored by those without privacy.
    delta : float, optional
        Failure mass in (0, 1); optional (0) where pure privacy is possible.
    calibration : {"certified", "theorem", "experiment"}
        How noise and confidence widths are chosen. What ``"experiment"`` plays of LinUCB and LinUCB-LDP, -JDP, -SDP-Amp and
        -SDP-Vec is published code: ``import bandits_book`` first, which has it.
    late : {"drop", "next"}
        In live use, what becomes of a ticket that is open when its batch is released: it expires, or its answer joins the next
        batch, see :mod:`bandits_dp.live.live`. Learners that ask in phases know the former only.
    **options
        What the system has besides: ``System.options`` lists each with its range and default, and so does the catalogue page.

    Returns
    -------
    Live
        A fresh learner, ready for users, with its ``guarantee``; see :class:`bandits_dp.live.live.Live`.

    Raises
    ------
    ValueError
        If the name or an option is unknown, an argument is missing or out of range, or nothing is known about its experiment
        calibration.

    Examples
    --------
    >>> import bandits_dp as bdp
    >>> problem = bdp.problems.BernoulliArms([0.9, 0.8])
    >>> learner = bdp.make("SDP-AE", problem, horizon=1000, epsilon=1, delta=1e-3, batch_size=50)
    >>> learner.guarantee.epsilon
    1.0
    """
    system = found("name", "system", name, {one.name: one for one in _SYSTEMS}, cutoff=0.4)
    epsilon, delta = (_checks.as_float(one) if _checks.is_number(one) else one for one in (epsilon, delta))
    if horizon is None and system.setting in ("arms", "contextual"):
        if options.get("returning_users", False) is not False:
            raise ValueError("returning_users must be left out where horizon=None, as users may not return after a restart, got "
                             f"{_checks.told(options['returning_users'])}")
        trick = {key: options.pop(key) for key in ("first_horizon", "growth") if key in options}
        return Restarts(partial(make, name, problem, epsilon=epsilon, delta=delta, calibration=calibration, late=late,
                                **options), **trick)
    horizon = _checks.integer("horizon", horizon, high=10**18)
    if _checks.calibration("calibration", calibration) == "experiment" and not system.experiment:
        raise ValueError(f"calibration must be 'certified' or 'theorem' for {name}, got 'experiment': "
                         f"its source ({system.paper}) publishes no simulation whose constants are known")
    check_problem(problem)
    if problem.setting != system.setting:
        raise ValueError(f"problem must be of the setting {system.setting!r} for {name}, got {_checks.told(problem)}")
    for word, value, allowed in (("epsilon", epsilon, "(0, inf)"), ("delta", delta, "(0, 1)")):
        if value is not None and not _checks.is_number(value):
            raise ValueError(f"{word} must be a number in {allowed}, got {_checks.told(value)}")
    if system.model != "none":
        if epsilon is None:
            raise ValueError(f"epsilon must be a positive number for {name}, got None")
        if delta is None and system.model != "local" and not system.pure:
            raise ValueError(f"delta must be in (0, 1) for {name}, got None")
    known = {one.name: one for one in system.options}
    for option in options:
        if option not in known:
            raise ValueError(f"{option} is not an option of {name}, which has {', '.join(sorted(known)) or 'none'}")
    taken = {key: one.check(options.get(key, one.default)) for key, one in known.items()}
    changed = {key: value for key, value in taken.items() if value != known[key].default}
    learner = system.build(Given(problem, horizon, epsilon, delta, calibration, changed), SimpleNamespace(**taken))
    learner.name = name
    asked = {"epsilon": epsilon, "delta": delta, "calibration": calibration}
    learner.parameters = asked | taken
    if system.model == "none":  # it was given them for nothing, and no number is to stand beside "No guarantee"
        asked = {"calibration": calibration}
    made = asked | {key: taken[key] for key in sorted(options)}
    dimension = f"dimension={problem.dimension}, " if hasattr(problem, "dimension") else ""
    size = f"arms={learner.arms}, {dimension}horizon={horizon}"
    learner.description = f"{name}({', '.join([size, *(f'{key}={value!r}' for key, value in made.items())])})"
    return learner.accept(late)
