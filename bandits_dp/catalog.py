"""The catalogue: every algorithm by name, and the one place that knows how each is put together."""

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

__path__: list[str] = []  # who imports a module that was in here is told where it is: see _moved.py
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
    """Return a ready learner for a problem.

    Parameters
    ----------
    name : str
        A name from :func:`systems`.
    problem : Problem
        The problem; learners take no more from it than what is public: its size, its actions, bounds on rewards.
    horizon : int
        Number of rounds T, >= 1. If nobody knows it, see :class:`bandits_dp.serve.restarts.Restarts`.
    epsilon : float, optional
        Privacy parameter, > 0; required by private systems, ignored by those without privacy.
    delta : float, optional
        Failure mass in (0, 1); optional (0) where pure privacy is possible.
    calibration : {"certified", "theorem", "experiment"}
        How noise and confidence widths are chosen. What ``"experiment"`` plays of LinUCB and LinUCB-LDP, -JDP, -SDP-Amp and
        -SDP-Vec is published code: ``import bandits_book`` first, which has it.
    **options
        What the system has besides: ``System.options`` lists each with its range and default, and so does the catalogue page.

    Returns
    -------
    App
        A fresh learner, ready for users, with its ``guarantee``; see :class:`bandits_dp.app.app.App`. To serve people with it, see
        :class:`bandits_dp.serve.served.Served`.

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
    if horizon is None:
        raise ValueError("horizon must be an integer that is at least 1, got None; where nobody knows it, "
                         "bandits_dp.serve.Restarts(partial(bdp.make, name, problem, ...)) starts again for ever longer ones")
    if "late" in options:
        raise ValueError(f"late is an option of bandits_dp.serve.Served(app, late=...) now, got {_checks.told(options['late'])}")
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
    return learner
