"""Arm elimination and UCB: learners of means without structure."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

from bandits_dp.catalog.system import System
from bandits_dp.learners import UCB1, ArmElimination
from bandits_dp.learners.arm_elimination import most_decisions
from bandits_dp.learners.confidence import ChernoffWidth, PaperWidth
from bandits_dp.privatizers import BinarySum, Identity, Privatizer, RandomizedResponse
from bandits_dp.problems import BernoulliArms


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


def _ucb1(problem: BernoulliArms, epsilon: None, delta: None, horizon: int, calibration: str) -> UCB1:
    return UCB1(problem.arms, horizon)


def _ae(
    problem: BernoulliArms,
    epsilon: float | None,
    delta: float | None,
    horizon: int,
    calibration: str,
    batch_size: int | str = 1,
) -> ArmElimination:
    return _elimination(problem, horizon, calibration, Identity, batch_size, "aggregate")


def _ldp_ae(
    problem: BernoulliArms,
    epsilon: float,
    delta: float | None,
    horizon: int,
    calibration: str,
    batch_size: int | str = 1,
    fidelity: str = "aggregate",
) -> ArmElimination:
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
) -> ArmElimination:
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
) -> ArmElimination:
    return _sdp_ae(problem, epsilon, delta, horizon, calibration, "doubling", honest_fraction, strict, fidelity)


_LOG = r"\sum_{a} \frac{\log T}{\Delta_a}"
_TEST = "tests/test_learners.py::"
SYSTEMS = (
    System("UCB1", "auer2002", "arms", "none", "no privacy", rf"O\Big({_LOG}\Big)",
           "01_bandits", _TEST + "test_ucb1_matches_the_plain_loop", _ucb1),
    System("AE", "evendar2006", "arms", "none", "no privacy", rf"O\Big({_LOG}\Big)",
           "01_bandits", _TEST + "test_elimination_matches_the_plain_loop", _ae),
    System("LDP-AE", "ren2020", "arms", "local", "one reward", rf"O\Big(\frac{{1}}{{\varepsilon^2}} {_LOG}\Big)",
           "03_trust_models", _TEST + "test_fidelities_have_the_same_law", _ldp_ae),
    System("SDP-AE", "tenenbaum2021", "arms", "shuffle", "one reward",
           rf"O\Big({_LOG} + \frac{{k \log (1/\delta)}}{{\varepsilon^2}}\Big)",
           "03_trust_models", _TEST + "test_fidelities_have_the_same_law", _sdp_ae),
    System("VB-SDP-AE", "tenenbaum2021", "arms", "shuffle", "one reward",
           rf"O\Big({_LOG} + \frac{{k \sqrt{{\log (1/\delta)}} \log T}}{{\varepsilon}}\Big)",
           "03_trust_models", _TEST + "test_fidelities_have_the_same_law", _vb_sdp_ae),
)
