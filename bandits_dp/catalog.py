"""The catalogue: every algorithm by name, and ``make``, which builds it for a problem."""

from types import SimpleNamespace
from typing import Any

from bandits_dp import _checks
from bandits_dp.arms.systems import SYSTEMS as ARMS
from bandits_dp.contextual.reward_systems import SYSTEMS as REWARDS
from bandits_dp.contextual.systems import SYSTEMS as CONTEXTS
from bandits_dp.linear.client_systems import SYSTEMS as CLIENTS
from bandits_dp.linear.systems import SYSTEMS as ACTIONS
from bandits_dp.options import Given, System, found
from bandits_dp.problem import Problem, check_problem

_SYSTEMS = (*ARMS, *ACTIONS, *CLIENTS, *CONTEXTS, *REWARDS)

__path__: list[str] = []  # so that _moved.py answers imports of modules that were here
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
    horizon: int,
    epsilon: float | None = None,
    delta: float | None = None,
    calibration: str = "certified",
    **options: Any,
) -> Any:
    """Return an app for a problem: a learner of the catalogue with its privatizer.

    Parameters
    ----------
    name : str
        A name from :func:`systems`.
    problem : Problem
        The problem. Only what is public of it is used: size, actions, bounds on rewards.
    horizon : int
        Number of rounds T, >= 1. If it is unknown, see :class:`bandits_dp.serve.restarts.Restarts`.
    epsilon : float, optional
        Privacy parameter, > 0; required by private systems, ignored by those without privacy.
    delta : float, optional
        Failure mass in (0, 1); optional (0) where pure privacy is possible.
    calibration : {"certified", "theorem", "experiment"}
        How noise and confidence widths are chosen. For LinUCB and LinUCB-LDP, -JDP, -SDP-Amp and
        -SDP-Vec, ``"experiment"`` plays published code, which is in the book's package:
        ``import bandits_book`` first.
    **options
        Options of this system. ``System.options`` and the catalogue page list their ranges and
        defaults.

    Returns
    -------
    App
        A fresh app with its ``guarantee``, ready for users; see :class:`bandits_dp.app.app.App`. To
        serve people with it, see :class:`bandits_dp.serve.served.Served`.

    Raises
    ------
    ValueError
        If the name or an option is unknown, an argument is missing or out of range, or the system
        has no experiment calibration.

    Examples
    --------
    >>> import bandits_dp as bdp
    >>> problem = bdp.problems.BernoulliArms([0.9, 0.8])
    >>> learner = bdp.make("SDP-AE", problem, horizon=1000, epsilon=1, delta=1e-3, batch_size=50)
    >>> learner.guarantee.epsilon
    1.0
    """
    system = found("name", "system", name, {one.name: one for one in _SYSTEMS}, cutoff=0.4)
    epsilon, delta = (_checks.as_float(one) if _checks.is_number(one) else one
                      for one in (epsilon, delta))
    if horizon is None:
        raise ValueError("horizon must be an integer that is at least 1, got None; if it is "
                         "unknown, bandits_dp.serve.Restarts(partial(bdp.make, name, problem, "
                         "...)) starts again with longer and longer ones")
    if "late" in options:
        raise ValueError("late is an option of bandits_dp.serve.Served(app, late=...) now, got "
                         f"{_checks.told(options['late'])}")
    horizon = _checks.integer("horizon", horizon, high=10**18)
    if _checks.calibration("calibration", calibration) == "experiment" and not system.experiment:
        raise ValueError(f"calibration must be 'certified' or 'theorem' for {name}, got "
                         f"'experiment': its source ({system.paper}) publishes no simulation whose "
                         "constants are known")
    check_problem(problem)
    if problem.setting != system.setting:
        raise ValueError(f"problem must be of the setting {system.setting!r} for {name}, got "
                         f"{_checks.told(problem)}")
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
            raise ValueError(f"{option} is not an option of {name}, which has "
                             f"{', '.join(sorted(known)) or 'none'}")
    taken = {key: one.check(options.get(key, one.default)) for key, one in known.items()}
    changed = {key: value for key, value in taken.items() if value != known[key].default}
    learner = system.build(Given(problem, horizon, epsilon, delta, calibration, changed),
                           SimpleNamespace(**taken))
    learner.name = name
    asked = {"epsilon": epsilon, "delta": delta, "calibration": calibration}
    learner.parameters = asked | taken
    if system.model == "none":  # no unused number beside "No guarantee"
        asked = {"calibration": calibration}
    made = asked | {key: taken[key] for key in sorted(options)}
    dimension = f"dimension={problem.dimension}, " if hasattr(problem, "dimension") else ""
    size = f"arms={learner.arms}, {dimension}horizon={horizon}"
    learner.description = (
        f"{name}({', '.join([size, *(f'{key}={value!r}' for key, value in made.items())])})")
    return learner
