"""Arm elimination and UCB: learners of means without structure."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from bandits_dp import _checks
from bandits_dp.catalog.system import System
from bandits_dp.continual import TreeCounter
from bandits_dp.learners import DPUCB, UCB1, ArmElimination
from bandits_dp.learners.arm_elimination import most_decisions
from bandits_dp.learners.batches import GapBatches, PublishedDoubling, PublishedEpochs
from bandits_dp.learners.confidence import ChernoffWidth, PaperWidth
from bandits_dp.learners.dp_ucb import PublishedWidth, TreeWidth
from bandits_dp.privatizers import (
    BinarySum,
    CentralLaplace,
    DiscreteLaplaceSum,
    Identity,
    LocalLaplace,
    Privatizer,
    RandomizedResponse,
    ScalarSum,
    SkellamSum,
)
from bandits_dp.problems.graded import Arms


def _elimination(
    problem: Arms,
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


def _ucb1(problem: Arms, epsilon: None, delta: None, horizon: int, calibration: str) -> UCB1:
    return UCB1(problem.arms, horizon)


def _ae(
    problem: Arms,
    epsilon: float | None,
    delta: float | None,
    horizon: int,
    calibration: str,
    batch_size: int | str = 1,
) -> ArmElimination:
    return _elimination(problem, horizon, calibration, Identity, batch_size, "aggregate")


def _ldp_ae(
    problem: Arms,
    epsilon: float,
    delta: float | None,
    horizon: int,
    calibration: str,
    batch_size: int | str | None = None,
    noise: str | None = None,
    fidelity: str = "aggregate",
) -> ArmElimination:
    bits = problem.domain.whole
    noise = _checks.choice("noise", noise or ("randomized-response" if bits else "laplace"), ("randomized-response", "laplace"))
    given: dict[str, Any] = {"epsilon": epsilon, "delta": delta or 0.0, "calibration": calibration}
    size: int | str
    if noise == "laplace":
        privatizer: Callable[[int], Privatizer] = partial(LocalLaplace, domain=problem.domain, **given)
        size = "doubling"  # unbounded noise needs a look after every phase, so let there be few
    elif bits:
        privatizer = partial(RandomizedResponse, **given)
        size = 1
    else:
        raise ValueError(f"noise must be 'laplace' for rewards in {problem.domain}, got 'randomized-response', which takes bits")
    return _elimination(problem, horizon, calibration, privatizer, size if batch_size is None else batch_size, fidelity)


def _sdp_ae(
    problem: Arms,
    epsilon: float,
    delta: float,
    horizon: int,
    calibration: str,
    batch_size: int | str | None = None,
    honest_fraction: float = 1.0,
    strict: bool = True,
    fidelity: str = "aggregate",
) -> ArmElimination:
    given: dict[str, Any] = {
        "epsilon": epsilon, "delta": delta, "calibration": calibration, "honest_fraction": honest_fraction, "strict": strict
    }
    privatizer: Callable[[int], Privatizer] = partial(BinarySum, **given)
    if not problem.domain.whole:
        privatizer = partial(ScalarSum, domain=problem.domain, **given)
    if batch_size is None:  # Corollary 3.2: as many users as the variance of the noise; one user makes fair bits
        batch_size = math.ceil(privatizer(1).noise_std ** 2)
    return _elimination(problem, horizon, calibration, privatizer, batch_size, fidelity)


def _vb_sdp_ae(
    problem: Arms,
    epsilon: float,
    delta: float,
    horizon: int,
    calibration: str,
    honest_fraction: float = 1.0,
    strict: bool = True,
    fidelity: str = "aggregate",
) -> ArmElimination:
    return _sdp_ae(problem, epsilon, delta, horizon, calibration, "doubling", honest_fraction, strict, fidelity)


def _dist_dp_ae(
    problem: Arms,
    epsilon: float,
    delta: float | None,
    horizon: int,
    calibration: str,
    batch_size: int | str = "doubling",
    noise: str = "discrete-laplace",
    honest_fraction: float = 1.0,
    fidelity: str = "aggregate",
) -> ArmElimination:
    given: dict[str, Any] = {
        "epsilon": epsilon, "calibration": calibration, "domain": problem.domain, "honest_fraction": honest_fraction
    }
    if _checks.choice("noise", noise, ("discrete-laplace", "skellam")) == "skellam":
        privatizer: Callable[[int], Privatizer] = partial(SkellamSum, delta=_checks.delta(delta), **given)
    else:
        privatizer = partial(DiscreteLaplaceSum, delta=delta or 0.0, **given)
    if calibration == "theorem":
        if (noise, batch_size) != ("discrete-laplace", "doubling"):
            raise ValueError(f"calibration must be 'certified' for noise={noise!r} and batch_size={batch_size!r}, got 'theorem': a "
                             "width is published for discrete Laplace noise and doubling batches")
        plan = PublishedDoubling(horizon, epsilon)
        return ArmElimination(problem.arms, horizon, privatizer, plan, plan, fidelity)
    return _elimination(problem, horizon, calibration, privatizer, batch_size, fidelity)


def _dp_se(
    problem: Arms,
    epsilon: float,
    delta: float | None,
    horizon: int,
    calibration: str,
    fidelity: str = "aggregate",
) -> ArmElimination:
    privatizer = partial(
        CentralLaplace, epsilon=epsilon, delta=delta or 0.0, calibration=calibration, domain=problem.domain
    )
    if calibration == "theorem":
        plan = PublishedEpochs(horizon, epsilon)
        return ArmElimination(problem.arms, horizon, privatizer, plan, plan, fidelity)
    width = ChernoffWidth(horizon, GapBatches.most_phases(horizon))
    return ArmElimination(problem.arms, horizon, privatizer, GapBatches(width, privatizer(1)), width, fidelity)


def _dp_ucb(problem: Arms, epsilon: float, delta: float | None, horizon: int, calibration: str) -> DPUCB:
    _checks.delta(delta or 0.0, zero=True)  # which trees of Laplace noise do not need
    if calibration == "theorem":
        counter = TreeCounter(horizon, _checks.epsilon(epsilon) / problem.arms, 0.0, problem.domain, "theorem", noise="laplace")
        learner = DPUCB(problem.arms, horizon, counter, PublishedWidth(problem.arms, horizon, epsilon))
        reason = (f"{problem.arms} trees of epsilon / {problem.arms} each, basic composition as we read Mishra & Thakurta 2015, "
                  "although a reward enters one tree only")
        learner.guarantee = replace(learner.guarantee, epsilon=epsilon, reason=reason)
        return learner
    counter = TreeCounter(horizon, epsilon, 0.0, problem.domain, noise="laplace")
    return DPUCB(problem.arms, horizon, counter, TreeWidth(counter))


_LOG = r"\sum_{a} \frac{\log T}{\Delta_a}"
_TEST = "tests/test_learners.py::"
_COMPARE = "tests/test_arm_comparators.py::"
SYSTEMS = (
    System("UCB1", "auer2002", "arms", "none", "no privacy", rf"O\Big({_LOG}\Big)",
           "01_bandits", _TEST + "test_ucb1_matches_the_plain_loop", _ucb1),
    System("AE", "evendar2006", "arms", "none", "no privacy", rf"O\Big({_LOG}\Big)",
           "01_bandits", _TEST + "test_elimination_matches_the_plain_loop", _ae),
    System("LDP-AE", "ren2020", "arms", "local", "one reward", rf"O\Big(\frac{{1}}{{\varepsilon^2}} {_LOG}\Big)",
           "03_trust_models", _TEST + "test_fidelities_have_the_same_law", _ldp_ae),
    System("SDP-AE", "tenenbaum2021", "arms", "shuffle", "one reward",
           rf"O\Big({_LOG} + \frac{{k \log (1/\delta)}}{{\varepsilon^2}}\Big)",
           "07_arm_elimination", _TEST + "test_fidelities_have_the_same_law", _sdp_ae),
    System("VB-SDP-AE", "tenenbaum2021", "arms", "shuffle", "one reward",
           rf"O\Big({_LOG} + \frac{{k \sqrt{{\log (1/\delta)}} \log T}}{{\varepsilon}}\Big)",
           "07_arm_elimination", _TEST + "test_fidelities_have_the_same_law", _vb_sdp_ae),
    System("DP-SE", "sajed2019", "arms", "central", "one reward", rf"O\Big({_LOG} + \frac{{k \log T}}{{\varepsilon}}\Big)",
           "07_arm_elimination", _COMPARE + "test_dp_se_matches_the_plain_loop", _dp_se, pure=True),
    System("DP-UCB", "mishra2015", "arms", "central", "one reward",
           rf"O\Big({_LOG} + \frac{{k^2 \log^2 T \log (k T)}}{{\varepsilon}}\Big)",
           "07_arm_elimination", _COMPARE + "test_dp_ucb_matches_the_plain_loop", _dp_ucb, pure=True),
    System("Dist-DP-AE", "chowdhury2023", "arms", "central", "one reward, of which only a noisy sum leaves secure aggregation",
           rf"O\Big({_LOG} + \frac{{k \log T}}{{\varepsilon}}\Big)", "07_arm_elimination",
           "tests/test_distributed_noise.py::test_fidelities_of_the_learner_have_the_same_law", _dist_dp_ae, pure=True),
)
