"""LinUCB with private rewards and public contexts (Wang, Zhao, Wang 2022; Neel & Roth 2018)."""

import math
from dataclasses import replace
from typing import Any

import numpy as np

from bandits_dp import _checks
from bandits_dp._checks import LEAST_NORM, SLACK, exact
from bandits_dp.contextual.app import ContextsApp
from bandits_dp.contextual.curator import Curator
from bandits_dp.contextual.dynamic import DynamicBound, DynamicGaussian, DynamicLaplace
from bandits_dp.contextual.linucb_rewards import InstrumentLinUCB, ParameterLinUCB, RidgeLinUCB
from bandits_dp.contextual.problems import Contextual
from bandits_dp.contextual.radius import PublicWidth, check_ridge
from bandits_dp.contextual.reward_radius import CountedRadius, InstrumentRadius, PrintedWidth
from bandits_dp.contextual.streams import CountedRewards
from bandits_dp.continual import Counter, TreeCounter
from bandits_dp.guarantee import EXACT, Guarantee, no_guarantee
from bandits_dp.options import FROM_ZERO, LEAST, POSITIVE, RETURNING, STRICT, Given, Option, System
from bandits_dp.privatizers.domain import Ball

LONGEST = 1e50  # longest range of rewards; noise is a multiple of it
FAILURE = 0.1  # probability that some proved radius is too small
WIDTH = 0.3  # of the early code named in contextual.dynamic; the figures may use another
NEIGHBOURS = "change one reward; contexts and arms are public"
PROVED = (Option("width", WIDTH, (None, FROM_ZERO),
                 "a fixed width; None: the proved radius, for LinUCB-DGS the printed one"),
          Option("radius_scale", 1.0, (FROM_ZERO,), "factor on the width"))
SIZE = Option("batch_size", 1, (int,), "users per release, up to the horizon")


def _range(problem: Contextual) -> tuple[float, float]:
    """Return the length and the middle of the rewards' range, or raise a ValueError.

    The sensitivity depends on the length; the middle is subtracted from rewards.
    """
    (low, high), L = problem.reward_range, problem.feature_norm
    span, middle = high - low, low / 2 + high / 2
    if not math.isfinite(span):
        raise ValueError("problem must have bounded rewards for private learners, got rewards in "
                         f"({low:g}, {high:g}); PoolContextual has them with clip=True")
    if not LEAST_NORM <= span * min(L, 1.0) <= span * max(L, 1.0) <= LONGEST:
        raise ValueError(f"problem must have rewards in a range of length {LEAST_NORM:g} to "
                         f"{LONGEST:g}, also times the norm of features, for private learners, got "
                         f"[{exact(low)}, {exact(high)}] and norm {exact(L)}")
    if max(high - middle, middle - low) > span / 2 * (1 + SLACK):
        raise ValueError("problem must have rewards in a range whose middle is a float, for "
                         f"private learners, got [{exact(low)}, {exact(high)}]")
    return span, middle


def _longest(domain: Ball) -> Ball:
    """Return the ball of x (r - c) as computed, as x and c may each be off by ``SLACK``."""
    return Ball(domain.dimension, domain.norm * (1 + 2 * SLACK))


def _domain(problem: Contextual) -> Ball:
    """Return the ball of x (r - c), with c the middle of the rewards' range."""
    return Ball(problem.dimension, _range(problem)[0] * problem.feature_norm / 2)


def _unit(problem: Contextual, what: str = "one reward") -> str:
    low, high = map(exact, problem.reward_range)
    return f"{what} in [{low}, {high}]"


def _counted(problem: Contextual, counter: Counter, batch_size: int, sums: str, domain: Ball,
             appearances: int = 1) -> CountedRewards:
    """Return counted sums of vectors in a ball, with a guarantee about ``appearances`` rewards."""
    unit, neighbours, reason = (
        _unit(problem), NEIGHBOURS, f"running sums of {sums}; {counter.guarantee.reason}")
    if appearances > 1:
        unit = _unit(problem, f"one user's at most {appearances} rewards")
        neighbours = ("change all rewards of one user, at most one in a batch; contexts and arms "
                      "are public")
        reason += (f"; the sensitivity is that of {appearances} rewards together, by the triangle "
                   "inequality")
    promise = replace(counter.guarantee, unit=unit, neighbours=neighbours, reason=reason)
    return CountedRewards(counter, batch_size, promise, _range(problem)[1], _longest(domain))


def _tree(given: Given, options: Any) -> ContextsApp:
    problem, batch_size, width = given.problem, options.batch_size, options.width
    _checks.delta(given.delta or 0.0, zero=True)  # a tree of Laplace noise needs none
    (span, _), L, d, domain = (
        _range(problem), problem.feature_norm, problem.dimension, _domain(problem))
    counter = TreeCounter(given.full_batches(batch_size), given.epsilon, 0.0, domain,
                          given.calibration, noise="laplace")
    check_ridge("ridge", options.ridge, d, given.horizon, L)
    proved = CountedRadius(counter, batch_size, span / 2, problem.theta_norm, L, options.ridge,
                           FAILURE)
    learner = RidgeLinUCB(d, proved if width is None else PublicWidth(width, options.ridge),
                          options.radius_scale)
    return ContextsApp(learner, _counted(problem, counter, batch_size, "x r", domain), problem,
                       given.horizon)


def _reward_tree(given: Given, options: Any) -> ContextsApp:
    if given.calibration != "certified":
        raise ValueError("calibration must be 'certified' for LinUCB-RewardTree, got "
                         f"{given.calibration!r}: no paper publishes it")
    problem, batch_size, width = given.problem, options.batch_size, options.width
    (span, _), d = _range(problem), problem.dimension
    batches = given.full_batches(batch_size)
    appearances = given.appearances(options, batches)
    kind = given.counter_class(options.counter, batches * d)
    # The ball holds all that one user adds.
    counter = kind(batches, given.epsilon, given.delta, Ball(d, appearances * span / 2))
    counter.roundings = appearances
    stds = counter.error_std(np.arange(1, batches + 1))
    proved = InstrumentRadius(d, batch_size, batches, float(stds.min()), span / 2,
                              problem.theta_norm, FAILURE)
    radius = proved if width is None else PublicWidth(width, proved.regularizer(0))
    for name, ridge, size in (("the whitener's ridge", 1.0, problem.feature_norm),
                              ("d / theta_norm^2 of the problem", radius.regularizer(0),
                               problem.feature_norm / (span / 2))):
        check_ridge(name, ridge, d, given.horizon, size)
    learner = InstrumentLinUCB(d, radius, stds, span / 2, options.whiten, options.radius_scale)
    stream = _counted(problem, counter, batch_size, "g r with public unit vectors g",
                      Ball(d, span / 2), appearances)
    return ContextsApp(learner, stream, problem, given.horizon, appearances=appearances)


def _printed(given: Given, options: Any, ridge: float) -> DynamicBound:
    """Return Lemma 1's bound on the sensitivity.

    It is 32 L / (lambda_0 t) once t > 32 ln(1 / delta) / lambda_0, else 2 L / lambda.
    """
    problem = given.problem
    least_eigenvalue = options.least_eigenvalue or getattr(problem, "least_eigenvalue", None)
    if least_eigenvalue is None:
        raise ValueError("least_eigenvalue must be a positive number, the least eigenvalue of E[x "
                         "x'] that Lemma 1 needs, got None, and the problem does not know it")
    lambda0 = least_eigenvalue + options.perturb_contexts**2  # Corollary 1
    start = 32 * math.log(1 / given.delta) / lambda0
    if options.strict and start >= given.horizon:
        raise ValueError(f"horizon must be above 32 ln(1/delta) / lambda_0 = {start:.0f} for Lemma "
                         f"1, got {given.horizon}; with strict=False the regularizer alone bounds "
                         "the sensitivity")
    change = 2 * _domain(problem).norm  # 2 L for rewards in [-1, 1]
    return DynamicBound(16 * change / lambda0, change / ridge, start)


def _certified_curator(given: Given, options: Any, ridge: float) -> Curator:
    problem, hybrid = given.problem, options.counter == "hybrid"
    for name, value in (("perturb_contexts", options.perturb_contexts),
                        ("explicit_tree", options.explicit_tree),
                        ("least_eigenvalue", options.least_eigenvalue), ("counter", hybrid)):
        if value:
            raise ValueError(f"{name} must not be given for the certified LinUCB-DGS, got "
                             f"{value!r}: its noise follows the public matrix of features and "
                             "composes over all rounds, without a tree and without assumptions")
    reason = ("Gaussian noise for the sensitivity that the public matrix shows, times sqrt(T), "
              "because one reward is in all T released parameters (exact Gaussian composition; "
              "Balle & Wang 2018, Theorem 8)")
    promise = Guarantee(given.epsilon, given.delta, "central", _unit(problem), NEIGHBOURS,
                        given.calibration, reason, holds=EXACT)
    (_, middle), domain = _range(problem), _domain(problem)
    noise = DynamicGaussian(problem.dimension, given.horizon, given.epsilon, given.delta,
                            2 * domain.norm)
    return Curator(noise, ridge, promise, _longest(domain), middle)


def _unproved_curator(given: Given, options: Any, ridge: float) -> Curator:
    problem, printed = given.problem, given.calibration == "theorem"
    if printed:
        sensitivity = _printed(given, options, ridge)
        text = ("Theorem 1 of Wang, Zhao, Wang 2022 is open: fresh noise contradicts it for very "
                "many rounds, kept noise is proved in one dimension only (chapter 12)")
    else:
        sensitivity = DynamicBound(1.0)
        text = ("the scale log2(T) / (epsilon tau), from an early public code of one author, has 1 "
                "/ tau for the sensitivity, without Lemma 1's constants")
    kept = not printed if options.explicit_tree is None else options.explicit_tree
    hybrid = options.counter == "hybrid"
    span, middle = _range(problem)
    noise = DynamicLaplace(problem.dimension, given.horizon, given.epsilon, sensitivity, span, kept,
                           hybrid, printed and not kept and not hybrid)
    promise = no_guarantee("central", _unit(problem), NEIGHBOURS, given.calibration, text)
    return Curator(noise, ridge, promise, _longest(_domain(problem)), middle,
                   options.perturb_contexts, problem.arms)


def _dgs(given: Given, options: Any) -> ContextsApp:
    problem, d = given.problem, given.problem.dimension
    _range(problem)
    _checks.epsilon(given.epsilon)
    _checks.delta(given.delta)
    ridge = options.ridge or (0.1 if given.calibration == "experiment" else 1.0)
    check_ridge("ridge", ridge, d, given.horizon, problem.feature_norm)
    make = _certified_curator if given.calibration == "certified" else _unproved_curator
    printed = PrintedWidth(d, given.horizon, given.epsilon, ridge, problem.theta_norm,
                           problem.feature_norm, FAILURE / 2)
    radius = printed if options.width is None else PublicWidth(options.width, ridge)
    learner = ParameterLinUCB(d, radius, options.radius_scale)
    return ContextsApp(learner, make(given, options, ridge), problem, given.horizon)


SYSTEMS = (
    System("LinUCB-Tree", "neel2018", "contextual", "central", "one reward", _tree,
           (*PROVED, SIZE, Option("ridge", 1.0, (POSITIVE,), "lambda")), pure=True),
    System("LinUCB-DGS", "wang2022", "contextual", "central", "one reward", _dgs,
           (*PROVED, STRICT,
            Option("ridge", None, (None, POSITIVE),
                   "lambda; None is 1, in the experiment calibration 0.1"),
            Option("least_eigenvalue", None, (None, POSITIVE),
                   "lambda_0 of Lemma 1; None: the problem's, if it has one"),
            Option("perturb_contexts", 0.0, (FROM_ZERO,),
                   "standard deviation of the noise on contexts; not certified"),
            Option("explicit_tree", None, (None, bool),
                   "whether the noise of a node is kept; None: in experiments; not certified"),
            Option("counter", "tree", ("tree", "hybrid"), "the latter is not certified")),
           experiment=True),
    System("LinUCB-RewardTree", "henzinger2023", "contextual", "central", "one reward",
           _reward_tree,
           (*PROVED, SIZE, RETURNING,
            Option("counter", None, (None, "factorization", "tree", "hybrid"), LEAST),
            Option("whiten", True, (bool,),
                   "whether rewards are counted in the direction of whitened features"))),
)
