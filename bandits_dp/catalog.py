"""The catalogue: every algorithm by name, and the one place that knows how each is put together."""

from __future__ import annotations

import difflib
import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from bandits_dp import _checks
from bandits_dp.learners import UCB1, ArmElimination, Learner
from bandits_dp.learners.arm_elimination import most_decisions
from bandits_dp.learners.confidence import ChernoffWidth, PaperWidth
from bandits_dp.privatizers import BinarySum, Identity, Privatizer, RandomizedResponse
from bandits_dp.problems import BernoulliArms


@dataclass(frozen=True)
class System:
    """One row of the catalogue.

    Parameters
    ----------
    name : str
        The name that ``make`` takes.
    paper : str
        Citation key in the book's bibliography.
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
    """

    name: str
    paper: str
    model: str
    unit: str
    regret: str
    chapter: str
    test: str
    build: Callable[..., Learner]


def _elimination(
    problem: BernoulliArms,
    horizon: int,
    calibration: str,
    privatizer: Callable[[int], Privatizer],
    batch_size: int | str,
    fidelity: str,
) -> ArmElimination:
    """Put arm elimination together with the width of its calibration."""
    decisions = most_decisions(horizon, batch_size)
    width = ChernoffWidth(horizon, decisions) if calibration == "certified" else PaperWidth(horizon)
    return ArmElimination(problem.arms, horizon, privatizer, batch_size, width, fidelity)


def _ucb1(problem: BernoulliArms, epsilon: None, delta: None, horizon: int, calibration: str) -> Learner:
    return UCB1(problem.arms, horizon)


def _ae(
    problem: BernoulliArms,
    epsilon: float | None,
    delta: float | None,
    horizon: int,
    calibration: str,
    batch_size: int | str = 1,
) -> Learner:
    return _elimination(problem, horizon, calibration, Identity, batch_size, "aggregate")


def _ldp_ae(
    problem: BernoulliArms,
    epsilon: float,
    delta: float | None,
    horizon: int,
    calibration: str,
    batch_size: int | str = 1,
    fidelity: str = "aggregate",
) -> Learner:
    privatizer = partial(RandomizedResponse, epsilon=epsilon, delta=delta or 0.0, calibration=calibration)
    return _elimination(problem, horizon, calibration, privatizer, batch_size, fidelity)


def _sdp_ae(
    problem: BernoulliArms,
    epsilon: float,
    delta: float,
    horizon: int,
    calibration: str,
    batch_size: int | str | None = None,
    honest_fraction: float = 1.0,
    strict: bool = True,
    fidelity: str = "aggregate",
) -> Learner:
    privatizer = partial(
        BinarySum, epsilon=epsilon, delta=delta, calibration=calibration, honest_fraction=honest_fraction, strict=strict
    )
    if batch_size is None:  # Corollary 3.2: as many users as the variance of the noise; one user makes fair bits
        batch_size = math.ceil(privatizer(1).noise_std ** 2)
    return _elimination(problem, horizon, calibration, privatizer, batch_size, fidelity)


def _vb_sdp_ae(
    problem: BernoulliArms,
    epsilon: float,
    delta: float,
    horizon: int,
    calibration: str,
    honest_fraction: float = 1.0,
    strict: bool = True,
    fidelity: str = "aggregate",
) -> Learner:
    return _sdp_ae(problem, epsilon, delta, horizon, calibration, "doubling", honest_fraction, strict, fidelity)


_LOG = r"\sum_{a} \frac{\log T}{\Delta_a}"
_TEST = "tests/test_learners.py::"
_SYSTEMS = (
    System("UCB1", "auer2002", "none", "no privacy", rf"O\Big({_LOG}\Big)",
           "01_bandits", _TEST + "test_ucb1_matches_the_plain_loop", _ucb1),
    System("AE", "evendar2006", "none", "no privacy", rf"O\Big({_LOG}\Big)",
           "01_bandits", _TEST + "test_elimination_matches_the_plain_loop", _ae),
    System("LDP-AE", "ren2020", "local", "one reward", rf"O\Big(\frac{{1}}{{\varepsilon^2}} {_LOG}\Big)",
           "03_trust_models", _TEST + "test_fidelities_have_the_same_law", _ldp_ae),
    System("SDP-AE", "tenenbaum2021", "shuffle", "one reward",
           rf"O\Big({_LOG} + \frac{{k \log (1/\delta)}}{{\varepsilon^2}}\Big)",
           "03_trust_models", _TEST + "test_fidelities_have_the_same_law", _sdp_ae),
    System("VB-SDP-AE", "tenenbaum2021", "shuffle", "one reward",
           rf"O\Big({_LOG} + \frac{{k \sqrt{{\log (1/\delta)}} \log T}}{{\varepsilon}}\Big)",
           "03_trust_models", _TEST + "test_fidelities_have_the_same_law", _vb_sdp_ae),
)


def systems() -> tuple[System, ...]:
    """Return the catalogue, one row per algorithm."""
    return _SYSTEMS


def make(
    name: str,
    problem: BernoulliArms,
    *,
    horizon: int,
    epsilon: float | None = None,
    delta: float | None = None,
    calibration: str = "certified",
    **options: object,
) -> Learner:
    """Return a ready learner for a problem.

    Parameters
    ----------
    name : str
        A name from :func:`systems`.
    problem : BernoulliArms
        The problem; learners take no more from it than its size.
    horizon : int
        Number of rounds T, >= 1.
    epsilon : float, optional
        Privacy parameter, > 0; required by private systems, ignored by those without privacy.
    delta : float, optional
        Failure mass in (0, 1); required in the shuffle model, optional (0) in the local model.
    calibration : {"certified", "theorem", "experiment"}
        How noise and confidence widths are chosen.
    **options
        ``batch_size`` (an int or ``"doubling"``), ``honest_fraction`` in (0, 1], ``strict`` and ``fidelity``
        (``"aggregate"`` or ``"messages"``), where the system has them.

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
    horizon = _checks.integer("horizon", horizon)
    if _checks.calibration(calibration) == "experiment":
        raise ValueError(f"calibration must be 'certified' or 'theorem' for {name}, got 'experiment': "
                         f"its source ({system.paper}) publishes no simulation, so there are no constants to reproduce")
    if system.model != "none":
        if epsilon is None:
            raise ValueError(f"epsilon must be a positive number for {name}, got None")
        if delta is None and system.model == "shuffle":
            raise ValueError(f"delta must be in (0, 1) for {name}, got None")
    known = set(inspect.signature(system.build).parameters) - {"problem", "epsilon", "delta", "horizon", "calibration"}
    for option in options:
        if option not in known:
            raise ValueError(f"{option} is not an option of {name}, which has {', '.join(sorted(known)) or 'none'}")
    learner = system.build(problem, epsilon, delta, horizon, calibration, **options)
    learner.name = name
    return learner
