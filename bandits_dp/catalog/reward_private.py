"""LinUCB with private rewards and public contexts (Wang, Zhao, Wang 2022; Neel & Roth 2018)."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

from bandits_dp import _checks
from bandits_dp.catalog.system import System
from bandits_dp.continual import Counter, FactorizationCounter, HybridCounter, TreeCounter
from bandits_dp.guarantee import Guarantee, no_guarantee
from bandits_dp.learners.linucb_releases import CountedSums
from bandits_dp.learners.reward_private import RewardPrivateLinUCB
from bandits_dp.learners.reward_private_dgs import DynamicBound, DynamicLaplace
from bandits_dp.learners.reward_private_model import InstrumentModel, ParameterModel
from bandits_dp.learners.reward_private_noise import DynamicGaussian, ParameterNoise
from bandits_dp.learners.reward_private_width import CountedRadius, FixedWidth, InstrumentRadius, PrintedWidth
from bandits_dp.privatizers.domain import Ball
from bandits_dp.problems.contextual import Contextual
from bandits_dp.widths.ridge import Radius

FAILURE = 0.1  # probability that some proved radius is too small
WIDTH = 0.3  # from the early code that learners.reward_private_dgs names; possibly not the figures'
NEIGHBOURS = "change one reward; contexts and arms are public"
COUNTERS: dict[str, type[Counter]] = {"tree": TreeCounter, "hybrid": HybridCounter, "factorization": FactorizationCounter}

def _range(problem: Contextual) -> float:
    """Return the length of the rewards' range; the sensitivity depends on it, so it must be finite."""
    low, high = problem.reward_range
    if not math.isfinite(high - low):
        raise ValueError(f"problem must have bounded rewards for private learners, got rewards in ({low:g}, {high:g}); "
                         "PoolContextual has them with clip=True")
    return high - low


def _unit(problem: Contextual) -> str:
    low, high = problem.reward_range
    return f"one reward in [{low:g}, {high:g}]"


def _batches(horizon: int, batch_size: int) -> int:
    if _checks.integer("batch_size", batch_size) > horizon:
        raise ValueError(f"batch_size must not exceed the horizon, got {batch_size} users for {horizon} rounds")
    return horizon // batch_size


def _counted(problem: Contextual, counter: Counter, batch_size: int, sums: str) -> CountedSums:
    """Return sums of vectors in a ball through a counter, with a guarantee about rewards."""
    release = CountedSums(counter, problem.dimension, batch_size, private_matrix=False)
    release.guarantee = replace(counter.guarantee, unit=_unit(problem), neighbours=NEIGHBOURS,
                                reason=f"running sums of {sums}; {counter.guarantee.reason}")
    return release


def _tree(
    problem: Contextual,
    epsilon: float,
    delta: float | None,
    horizon: int,
    calibration: str,
    batch_size: int = 1,
    ridge: float = 1.0,
    alpha: float | None = WIDTH,
    radius_scale: float = 1.0,
) -> RewardPrivateLinUCB:
    _checks.delta(delta or 0.0, zero=True)  # which a tree of Laplace noise does not need
    span, L, d = _range(problem), problem.feature_norm, problem.dimension
    steps = _batches(horizon, batch_size)
    counter = TreeCounter(steps, epsilon, 0.0, Ball(d, span * L / 2), calibration, noise="laplace")
    ridge = _checks.positive("ridge", ridge)
    radius: Radius = CountedRadius(counter, batch_size, span / 2, problem.theta_norm, L, ridge, FAILURE)
    if alpha is not None:
        radius = FixedWidth(alpha, ridge)
    release = _counted(problem, counter, batch_size, "x r")
    return RewardPrivateLinUCB(problem, horizon, release, radius, radius_scale=radius_scale)


def _reward_tree(
    problem: Contextual,
    epsilon: float,
    delta: float,
    horizon: int,
    calibration: str,
    counter: str = "factorization",
    whiten: bool = True,
    batch_size: int = 1,
    alpha: float | None = WIDTH,
    radius_scale: float = 1.0,
) -> RewardPrivateLinUCB:
    if calibration != "certified":
        raise ValueError(f"calibration must be 'certified' for LinUCB-RewardTree, got {calibration!r}: no paper publishes it")
    span, d = _range(problem), problem.dimension
    kind = COUNTERS[_checks.choice("counter", counter, tuple(COUNTERS))]
    noise = kind(_batches(horizon, batch_size), epsilon, delta, Ball(d, span / 2))
    release = _counted(problem, noise, batch_size, "g r with public unit vectors g")
    radius: Radius = InstrumentRadius(d, batch_size, release.batches, float(release.law.vector_std.min()), span / 2,
                                      problem.theta_norm, FAILURE)
    if alpha is not None:
        radius = FixedWidth(alpha, radius.regularizer(0))
    model = partial(InstrumentModel, reward_std=span / 2, whiten=bool(whiten))
    return RewardPrivateLinUCB(problem, horizon, release, radius, model, radius_scale)


def _printed(
    problem: Contextual, delta: float, horizon: int, ridge: float, least_eigenvalue: float | None, context_std: float, strict: bool
) -> DynamicBound:
    """Return Lemma 1's bound: 32 L / (lambda_0 t) once t > 32 ln(1 / delta) / lambda_0, else 2 L / lambda."""
    if least_eigenvalue is None:
        least_eigenvalue = getattr(problem, "least_eigenvalue", None)
        if least_eigenvalue is None:
            raise ValueError("least_eigenvalue must be a positive number, the least eigenvalue of E[x x'] that Lemma 1 needs, "
                             "got None, and the problem does not know it")
    lambda0 = _checks.positive("least_eigenvalue", least_eigenvalue) + context_std**2  # Corollary 1
    start = 32 * math.log(1 / delta) / lambda0
    if strict and start >= horizon:
        raise ValueError(f"horizon must be above 32 ln(1/delta) / lambda_0 = {start:.0f} for Lemma 1, got {horizon}; with "
                         "strict=False the regularizer alone bounds the sensitivity")
    change = _range(problem) * problem.feature_norm  # 2 L for rewards in [-1, 1]
    return DynamicBound(16 * change / lambda0, change / ridge, start)


def _dgs(
    problem: Contextual,
    epsilon: float,
    delta: float,
    horizon: int,
    calibration: str,
    alpha: float | None = WIDTH,
    radius_scale: float = 1.0,
    ridge: float | None = None,
    least_eigenvalue: float | None = None,
    perturb_contexts: float = 0.0,
    explicit_tree: bool | None = None,
    counter: str = "tree",
    strict: bool = True,
) -> RewardPrivateLinUCB:
    d, unit, span = problem.dimension, _unit(problem), _range(problem)
    hybrid = _checks.choice("counter", counter, ("tree", "hybrid")) == "hybrid"
    epsilon, delta = _checks.epsilon(epsilon), _checks.delta(delta)
    std = _checks.real("perturb_contexts", perturb_contexts, 0.0, math.inf, ends="[)")
    ridge = _checks.positive("ridge", (0.1 if calibration == "experiment" else 1.0) if ridge is None else ridge)
    release: ParameterNoise
    if calibration == "certified":
        for name, given in (("perturb_contexts", std), ("explicit_tree", explicit_tree), ("least_eigenvalue", least_eigenvalue),
                            ("counter", hybrid)):
            if given:
                raise ValueError(f"{name} must not be given for the certified LinUCB-DGS, got {given!r}: its noise follows the "
                                 "public matrix of features and composes over all rounds, without a tree and without assumptions")
        reason = ("Gaussian noise for the sensitivity that the public matrix shows, times sqrt(T), because one reward is in all T "
                  "released parameters (exact Gaussian composition; Balle & Wang 2018, Theorem 8)")
        promise = Guarantee(epsilon, delta, "central", unit, NEIGHBOURS, calibration, reason)
        release = DynamicGaussian(d, horizon, promise, problem.arms, epsilon, delta, span * problem.feature_norm)
    else:
        printed = calibration == "theorem"
        if printed:
            sensitivity = _printed(problem, delta, horizon, ridge, least_eigenvalue, std, strict)
            text = ("Theorem 1 of Wang, Zhao, Wang 2022 is open: fresh noise contradicts it for very many rounds, kept noise is "
                    "proved in one dimension only (chapter 12)")
        else:
            sensitivity = DynamicBound(1.0)
            text = ("the scale log2(T) / (epsilon tau), from an early public code of one author, has 1 / tau for the sensitivity, "
                    "without Lemma 1's constants")
        kept = not printed if explicit_tree is None else bool(explicit_tree)
        release = DynamicLaplace(d, horizon, no_guarantee("central", unit, NEIGHBOURS, calibration, text), problem.arms, epsilon,
                                 sensitivity, span, kept, hybrid, printed and not kept and not hybrid, std)
    radius: Radius = PrintedWidth(d, horizon, epsilon, ridge, problem.theta_norm, problem.feature_norm, FAILURE / 2)
    if alpha is not None:
        radius = FixedWidth(alpha, ridge)
    return RewardPrivateLinUCB(problem, horizon, release, radius, ParameterModel, radius_scale)


_TEST = "tests/test_reward_private.py::test_parallel_runs_follow_the_plain_loop"
_CHAPTER = "12_dynamic_sensitivity"
_NEEL = r"\tilde O\Big(d \sqrt T + \frac{\log^{5/2} T \, \sqrt T}{\varepsilon}\Big)"
_WANG = r"\tilde O\Big(d \sqrt T + \frac{\log T \, \sqrt{d T}}{\varepsilon \lambda_0}\Big)"
SYSTEMS = (
    System("LinUCB-Tree", "neel2018", "contextual", "central", "one reward", _NEEL, _CHAPTER, _TEST, _tree, pure=True),
    System("LinUCB-DGS", "wang2022", "contextual", "central", "one reward", _WANG, _CHAPTER, _TEST, _dgs, experiment=True),
    System("LinUCB-RewardTree", "henzinger2023", "contextual", "central", "one reward", r"\text{none published}",
           _CHAPTER, _TEST, _reward_tree),
)
