"""Phased elimination for linear bandits, every play a fresh user's (Li, Zhou, Ji 2022, appendix C)."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

from bandits_dp import _checks
from bandits_dp.catalog.system import System
from bandits_dp.learners.phased_elimination import LinearElimination
from bandits_dp.learners.phased_parts import Phase
from bandits_dp.learners.phased_width import ExactWidth, PrintedWidth
from bandits_dp.privatizers import (
    Box,
    CentralGaussian,
    CentralLaplace,
    Identity,
    LocalGaussian,
    LocalLaplace,
    Privatizer,
    Reals,
    ScalarSum,
)
from bandits_dp.privatizers.scalar_sum import default_levels
from bandits_dp.problems import LinearArms, SphericalArms

Problem = LinearArms | SphericalArms


def _no_std(dimension: int, phase: Phase) -> float:
    return 0.0


def _sum_std(dimension: int, phase: Phase) -> float:
    """sigma_n = 2 d sigma sqrt(s) / h, sigma the std of a released sum (Theorems C.2, C.7; for bits the paper prints an order)."""
    sigma = max(privatizer.noise_std for privatizer in phase.privatizers)
    return 2 * dimension * sigma * math.sqrt(len(phase.support)) / phase.length


def _user_std(dimension: int, phase: Phase) -> float:
    """sigma_n = 2 d sigma sqrt(2 s / h), sigma the std of one user's noise (Theorem C.4)."""
    sigma = max(privatizer.noise_std / math.sqrt(privatizer.users) for privatizer in phase.privatizers)
    return 2 * dimension * sigma * math.sqrt(2 * len(phase.support) / phase.length)


def _elimination(
    problem: Problem,
    horizon: int,
    calibration: str,
    privatizer: Callable[[int], Privatizer],
    private_std: Callable[[int, Phase], float],
    fidelity: str,
) -> LinearElimination:
    """Put phased elimination together with the width of its calibration, and show it the actions if they are known."""
    k, d = problem.arms, problem.dimension
    width = (ExactWidth(k, horizon, problem.reward_std) if calibration == "certified"
             else PrintedWidth(k, d, horizon, partial(private_std, d)))
    learner = LinearElimination(k, d, horizon, privatizer, width, fidelity)
    if problem.actions is not None:
        learner.show(problem.actions)
    return learner


def _with_noise(
    gaussian: type[CentralGaussian] | type[LocalGaussian],
    laplace: type[CentralLaplace] | type[LocalLaplace],
    private_std: Callable[[int, Phase], float],
    problem: Problem,
    epsilon: float,
    delta: float | None,
    horizon: int,
    calibration: str,
    noise: str,
    clip: bool,
    strict: bool,
    fidelity: str,
) -> LinearElimination:
    """Choose between Gaussian and Laplace noise."""
    domain = _bounded(problem)
    if _checks.choice("noise", noise, ("gaussian", "laplace")) == "laplace":
        if calibration == "theorem":
            raise ValueError("calibration must be 'certified' for noise='laplace', got 'theorem': the paper (remark C.9) says that "
                             "Laplace noise can be used, and prints no width for it")
        return _elimination(problem, horizon, calibration, partial(
            laplace, epsilon=epsilon, delta=delta or 0.0, domain=domain, clip=clip), private_std, fidelity)
    if delta is None:
        raise ValueError("delta must be in (0, 1) for noise='gaussian', got None; noise='laplace' can do without")
    return _elimination(problem, horizon, calibration, partial(
        gaussian, epsilon=epsilon, delta=delta, calibration=calibration, domain=domain, clip=clip, strict=strict,
    ), private_std, fidelity)


def _bounded(problem: Problem) -> Box:
    """Return the interval of the rewards."""
    if isinstance(problem.domain, Reals):
        raise ValueError("problem must have bounded rewards for a private learner, got Gaussian ones; its bound= clips them")
    return problem.domain


def _pe(
    problem: Problem, epsilon: float | None, delta: float | None, horizon: int, calibration: str, fidelity: str = "aggregate"
) -> LinearElimination:
    return _elimination(problem, horizon, calibration, partial(Identity, domain=problem.domain), _no_std, fidelity)


def _cdp_pe(
    problem: Problem,
    epsilon: float,
    delta: float | None,
    horizon: int,
    calibration: str,
    noise: str = "gaussian",
    clip: bool = False,
    strict: bool = True,
    fidelity: str = "aggregate",
) -> LinearElimination:
    return _with_noise(CentralGaussian, CentralLaplace, _sum_std,
                       problem, epsilon, delta, horizon, calibration, noise, clip, strict, fidelity)


def _ldp_pe(
    problem: Problem,
    epsilon: float,
    delta: float | None,
    horizon: int,
    calibration: str,
    noise: str = "gaussian",
    clip: bool = False,
    strict: bool = True,
    fidelity: str = "aggregate",
) -> LinearElimination:
    return _with_noise(LocalGaussian, LocalLaplace, _user_std,
                       problem, epsilon, delta, horizon, calibration, noise, clip, strict, fidelity)


def _shared_sum(users: int, epsilon: float, delta: float, domain: Box, honest_fraction: float, clip: bool) -> ScalarSum:
    """Share the search for the noise among sums of about as many users, for 6% more variance at most."""
    digits = max(0, users.bit_length() - 4)
    alike = users >> digits << digits  # four binary digits, rounded down
    share = 1.0 if alike == users else (alike + 0.5) / users  # half a user against rounding errors
    levels = default_levels(alike, epsilon, delta)
    return ScalarSum(users, epsilon, delta, domain=domain, levels=levels, honest_fraction=honest_fraction * share, clip=clip)


def _sdp_pe(
    problem: Problem,
    epsilon: float,
    delta: float,
    horizon: int,
    calibration: str,
    clip: bool = False,
    honest_fraction: float = 1.0,
    strict: bool = True,
    fidelity: str = "aggregate",
) -> LinearElimination:
    given: dict[str, Any] = {
        "epsilon": epsilon, "delta": delta, "domain": _bounded(problem), "honest_fraction": honest_fraction, "clip": clip,
    }
    privatizer = (partial(_shared_sum, **given) if calibration == "certified"
                  else partial(ScalarSum, calibration=calibration, strict=strict, **given))
    return _elimination(problem, horizon, calibration, privatizer, _sum_std, fidelity)


_FREE = r"\sqrt{d T \log(k T)}"
_TEST = "tests/test_phased_elimination.py::"
SYSTEMS = (
    System("PE", "lattimore2020", "linear", "none", "no privacy", rf"O\big({_FREE}\big)",
           "08_phased_elimination", _TEST + "test_elimination_matches_the_plain_loop", _pe),
    System("CDP-PE", "li2022", "linear", "central", "one reward",
           rf"O\Big({_FREE} + \frac{{B d^{{3/2}} \log T \sqrt{{\log(1/\delta) \log(k T)}}}}{{\varepsilon}}\Big)",
           "08_phased_elimination", _TEST + "test_fidelities_have_the_same_law", _cdp_pe, pure=True),
    System("LDP-PE", "li2022", "linear", "local", "one reward",
           rf"O\Big({_FREE} + \frac{{B d^{{3/2}} \sqrt{{\log(1/\delta)\, T \log(k T)}}}}{{\varepsilon}}\Big)",
           "08_phased_elimination", _TEST + "test_fidelities_have_the_same_law", _ldp_pe),
    System("SDP-PE", "li2022", "linear", "shuffle", "one reward",
           rf"O\Big({_FREE} + \frac{{B d^{{3/2}} \log T \sqrt{{\log(1/\delta) \log(k T)}}}}{{\varepsilon}}\Big)",
           "08_phased_elimination", _TEST + "test_fidelities_have_the_same_law", _sdp_pe),
)
