"""The systems of LinUCB under all trust models (Chowdhury & Zhou 2022)."""

import inspect
import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from bandits_dp import _checks
from bandits_dp.accounting.gaussian import gaussian_noise_std
from bandits_dp.app.app import NO_END
from bandits_dp.app.streams import CountedBatches, FreshBatches
from bandits_dp.contextual.app import BILLBOARD, ContextsApp
from bandits_dp.contextual.batches import balanced_batch_size, named_batch_size
from bandits_dp.contextual.fast import play_contexts  # noqa: F401 - registers a fast path
from bandits_dp.contextual.greedy_radius import GreedyRadius
from bandits_dp.contextual.linucb import LinUCB
from bandits_dp.contextual.private_radius import CertifiedRadius, LemmaRadius
from bandits_dp.contextual.problems import Contextual, centre_of
from bandits_dp.contextual.radius import PlainRadius, check_ridge
from bandits_dp.continual import FactorizationCounter
from bandits_dp.guarantee import no_guarantee
from bandits_dp.options import (
    CHANCE,
    FIDELITY,
    FIGURES,
    FROM_ZERO,
    LEAST,
    RETURNING,
    SHARE,
    STRICT,
    Given,
    Option,
    System,
)
from bandits_dp.privatizers import (
    AmplifiedGaussian,
    Identity,
    LocalGaussian,
    Privatizer,
    Reals,
    VectorSum,
)
from bandits_dp.privatizers.domain import LinearStatistics
from bandits_dp.privatizers.linear_gaussian import PublishedLocalGaussian
from bandits_dp.privatizers.returning import in_batches

FAILURE = 0.1
USERS = 20  # per batch, in the paper's simulation
SIZES = (int, "utility")
RADIUS = (Option("radius_scale", 1.0, (FROM_ZERO,),
                 "factor on the confidence radius; 1 keeps its promise"),
          Option("failure", FAILURE, (CHANCE,),
                 "probability that some confidence radius is too small"))
CENTRED = Option("centred", False, (bool,),
                 "whether the middle of the reward's range is subtracted, if features have a "
                 "constant")
SURE = Option("failure", FAILURE, (CHANCE,),
              "probability that some bound on the noise is too small")
PRIVATE = (*RADIUS, RETURNING, STRICT, CENTRED)
COUNTER = Option("counter", None, (None, "tree", "factorization", "prefixes"),
                 f"the papers' is the tree; {LEAST}, as in theorems; experiment: prefixes or "
                 "tree, None is the prefixes")
LEVELS = Option("levels", None, (None, int),
                "bits that a number becomes; None: enough for rounding to cost 3% at most")
CROWD = Option("honest_fraction", 1.0, (SHARE,), "share of users who surely take part")


def batch_size(*words: str) -> Option:
    """Return the option ``batch_size``; ``words`` are names of rules besides "utility"."""
    return Option("batch_size", None, (None, *SIZES, *words),
                  "users per batch; None balances delay and noise; it is the simulation's 20 in "
                  "the local model and in theorems")


def _batches(given: Given, options: Any, protocol: str) -> tuple[int, int, int]:
    """Return the users per batch, the number of full batches, and the batches one user may be in.

    A system without the option ``batch_size`` has one user per batch.
    """
    size, T = getattr(options, "batch_size", 1), given.horizon
    if size is None:
        size = _usual_size(given, options, protocol)
    elif isinstance(size, str):
        size = named_batch_size(size, protocol, T, given.problem.dimension, given.epsilon,
                                given.delta)
    count = given.full_batches(size)
    return size, count, given.appearances(options, count)


def _usual_size(given: Given, options: Any, protocol: str) -> int:
    """Return the default batch size: balanced against the noise of a batch, or the paper's 20.

    The paper's size is for the local model and for noise as published.
    """
    T, d, domain = given.horizon, given.problem.dimension, _domain(given, options)
    if given.calibration != "certified" or protocol == "local" or T == 1:
        return min(USERS, T)
    std = gaussian_noise_std(given.epsilon, given.delta, domain.l2_diameter)
    size = balanced_batch_size(std, T, d)  # a first guess, for the noise
    count, appearances = T // size, given.appearances(options, T // size)
    if protocol == "central":
        counter = FactorizationCounter(count, given.epsilon, given.delta, domain,
                                       appearances=appearances)
        return balanced_batch_size(float(counter.error_std(count)), T, d, additive=False)
    if protocol == "amplified":
        std = AmplifiedGaussian(size, given.epsilon, given.delta, domain=domain).noise_std
    return balanced_batch_size(std * math.sqrt(appearances), T, d)


def _reward_std(problem: Contextual) -> float:
    """Return a reward's sub-Gaussian constant: half the length of its range (Hoeffding's lemma)."""
    return (problem.reward_range[1] - problem.reward_range[0]) / 2


def _domain(given: Given, options: Any) -> LinearStatistics:
    """Return the domain of a user's statistics; raise a ValueError if the problem may leave it."""
    problem = given.problem
    if problem.feature_norm > 1 or max(map(abs, problem.reward_range)) > 1:
        raise ValueError("problem must have features of norm at most 1 and rewards in [-1, 1] for "
                         f"private LinUCB, got norm {problem.feature_norm:g} and rewards in "
                         f"{problem.reward_range}")
    if not options.centred:
        return LinearStatistics(problem.dimension)
    if given.calibration != "certified":
        raise ValueError(f"centred must be False for calibration={given.calibration!r}, whose "
                         "constants are for rewards as they are, got True")
    return LinearStatistics(problem.dimension, _reward_std(problem))


def _app(given: Given, options: Any, stream: FreshBatches | CountedBatches,
         rule: type[CertifiedRadius | LemmaRadius] | None = None) -> ContextsApp:
    """Return the app of private LinUCB; ``rule`` replaces the radius of its calibration."""
    problem, batches = given.problem, given.full_batches(stream.users)
    centre, norm = centre_of(problem) if options.centred else (None, problem.theta_norm)
    rule = rule or (CertifiedRadius if given.calibration == "certified" else LemmaRadius)
    radius = rule(problem.dimension, stream.users, stream.law(batches), _reward_std(problem),
                  options.failure, norm)
    learner = LinUCB(problem.dimension, radius, getattr(options, "radius_scale", 1.0))
    fidelity = getattr(options, "fidelity", "aggregate")
    return ContextsApp(learner, stream, problem, given.horizon, centre, fidelity,
                       given.appearances(options, batches))


def _or_figure(system: str, build: Callable[..., ContextsApp], given: Given,
               options: Any) -> ContextsApp:
    """Return the app of ``build``; for calibration "experiment", the replica of a figure's code.

    The replica has fewer options.
    """
    if given.calibration != "experiment":
        return build(given, options)
    if system not in FIGURES:
        raise ValueError(f"calibration must be 'certified' or 'theorem' for {system}, got "
                         "'experiment': the published code that it plays is in the book's package, "
                         "import bandits_book first")
    figure = FIGURES[system]
    known = [name for name in inspect.signature(figure).parameters if name not in vars(given)]
    for name in given.changed:
        if name not in known:
            raise ValueError(f"{name} is not an option of calibration='experiment', which has "
                             f"{', '.join(known)}")
    return figure(given.problem, given.epsilon, given.delta, given.horizon, **given.changed)


def _linucb(given: Given, options: Any) -> ContextsApp:
    problem, T = given.problem, given.horizon
    given.full_batches(options.batch_size)
    radius = PlainRadius(problem.dimension, options.batch_size, _reward_std(problem),
                         options.failure, theta_norm=problem.theta_norm,
                         feature_norm=problem.feature_norm)
    check_ridge("the ridge of LinUCB", radius.regularizer(0), problem.dimension, T,
                problem.feature_norm)
    learner = LinUCB(problem.dimension, radius, options.radius_scale)
    stream = FreshBatches(Identity(options.batch_size,
                                   Reals(LinearStatistics(problem.dimension).dimension)))
    stream.guarantee = no_guarantee("none", "one round (phi, y)", "replace one user's round",
                                    "certified", "features and rewards are used as they are")
    return ContextsApp(learner, stream, problem, T, appearances=NO_END)


def _local(given: Given, options: Any, rule: type[CertifiedRadius] | None = None,
           protocol: str = "local") -> ContextsApp:
    """Return the app with Gaussian noise of each user."""
    users, _, appearances = _batches(given, options, protocol)
    kind = LocalGaussian if given.calibration == "certified" else PublishedLocalGaussian
    made = in_batches(kind, users, appearances, epsilon=given.epsilon, delta=given.delta,
                      domain=_domain(given, options), strict=getattr(options, "strict", True))
    return _app(given, options, FreshBatches(made), rule)


def _ols(given: Given, options: Any) -> ContextsApp:
    if given.calibration != "certified":
        raise ValueError(f"calibration must be 'certified' for LDP-OLS, got {given.calibration!r}: "
                         "its noise is proved by us")
    if given.problem.fixed:
        raise ValueError("problem must show fresh features in every round for LDP-OLS, which never "
                         "explores (contexts must be i.i.d. and diverse), got fixed ones in "
                         f"{_checks.told(given.problem)}")
    return _local(given, options, GreedyRadius)


def _central(given: Given, options: Any) -> ContextsApp:
    users, batches, appearances = _batches(given, options, "central")
    domain = _domain(given, options)
    _checks.choice("counter", options.counter or "tree", ("tree", "factorization"))
    kind = given.counter_class(options.counter, batches * domain.dimension)
    counter = kind(batches, given.epsilon, given.delta, domain, given.calibration,
                   appearances=appearances, strict=options.strict)
    stream, made = CountedBatches(counter, users), counter.guarantee
    once = ", one per batch" if users > 1 and appearances > 1 else ""
    stream.guarantee = replace(made, unit=made.unit + once, reason=made.reason + BILLBOARD,
                               joint=True)
    return _app(given, options, stream)


def _amplified(given: Given, options: Any) -> ContextsApp:
    if options.batch_size == "privacy":  # each message is private enough on its own
        return _local(given, options, protocol="amplified")
    users, _, appearances = _batches(given, options, "amplified")
    privacy = given.privacy(options, "honest_fraction", "strict")
    made = in_batches(AmplifiedGaussian, users, appearances, domain=_domain(given, options),
                      **privacy)
    return _app(given, options, FreshBatches(made))


def _vector(given: Given, options: Any) -> ContextsApp:
    users, _, appearances = _batches(given, options, "vector")
    made = vector_privatizer(
        users, appearances, local_first=options.batch_size == "privacy",
        domain=_domain(given, options),
        **given.privacy(options, "levels", "honest_fraction", "strict"),
    )
    return _app(given, options, FreshBatches(made))


def vector_privatizer(users: int, appearances: int, local_first: bool,
                      **options: Any) -> Privatizer:
    """Return P_Vec for users who are in ``appearances`` batches each.

    If ``local_first``, each message is private enough on its own: the noise of one user suffices
    (Chowdhury & Zhou 2022, Corollary C.3), as if no other user were honest. Each user permutes her
    own bits, so their order reveals nothing.
    """
    if local_first:
        options["honest_fraction"] = 1 / users
    made = in_batches(VectorSum, users, appearances, **options)
    if local_first and made.guarantee.proved:
        reason = f"{made.guarantee.reason}: she herself is, and her bits are sent in random order"
        made.guarantee = replace(made.guarantee, model="local", reason=reason)
    return made


_UNIT = "one round of one user"
_PAPER = "chowdhury2022"
SYSTEMS = (
    System("LinUCB", "abbasi2011", "contextual", "none", "no privacy",
           partial(_or_figure, "LinUCB", _linucb),
           (*RADIUS, Option("batch_size", 1, (int,), "users per batch")), experiment=True),
    System("LinUCB-LDP", "zheng2020", "contextual", "local", _UNIT,
           partial(_or_figure, "LinUCB-LDP", _local), (FIDELITY, *PRIVATE), experiment=True),
    System("LDP-OLS", "han2021", "contextual", "local", _UNIT, _ols,
           (FIDELITY, SURE, RETURNING, CENTRED)),
    System("LinUCB-JDP", "shariff2018", "contextual", "central", _UNIT,
           partial(_or_figure, "LinUCB-JDP", _central), (*PRIVATE, COUNTER), experiment=True),
    System("LinUCB-SDP-Amp", _PAPER, "contextual", "shuffle", _UNIT,
           partial(_or_figure, "LinUCB-SDP-Amp", _amplified),
           (FIDELITY, *PRIVATE, batch_size("privacy", "returning"), CROWD), experiment=True),
    System("LinUCB-SDP-Vec", _PAPER, "contextual", "shuffle", _UNIT,
           partial(_or_figure, "LinUCB-SDP-Vec", _vector),
           (FIDELITY, *PRIVATE, batch_size("privacy", "returning"), CROWD, LEVELS),
           experiment=True),
    System("LinUCB-Batched-LDP", _PAPER, "contextual", "local", _UNIT, _local,
           (FIDELITY, *PRIVATE, batch_size())),
    System("LinUCB-Batched-JDP", _PAPER, "contextual", "central", _UNIT, _central,
           (*PRIVATE, COUNTER, batch_size())),
)
