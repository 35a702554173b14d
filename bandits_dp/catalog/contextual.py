"""LinUCB under all trust models (Chowdhury & Zhou 2022)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from bandits_dp import _checks
from bandits_dp.catalog.contextual_options import (
    amplified_privatizer,
    local_privatizer,
    rounds_per_user,
    users_per_batch,
    vector_privatizer,
    with_figure,
)
from bandits_dp.catalog.system import System
from bandits_dp.continual import Counter, FactorizationCounter, TreeCounter
from bandits_dp.learners.linucb_experiment import figure_amplified, figure_central, figure_exact, figure_local, figure_vector
from bandits_dp.learners.linucb_old import LinUCB
from bandits_dp.learners.linucb_release import ExactSums, Release
from bandits_dp.learners.linucb_releases import CountedSums, privatized
from bandits_dp.privatizers.centred import CentredStatistics
from bandits_dp.privatizers.domain import LinearStatistics
from bandits_dp.problems.contextual import Contextual, centre_of
from bandits_dp.widths.ridge import PlainRadius, Radius
from bandits_dp.widths.ridge_private import CertifiedRadius, LemmaRadius

ALPHA = 0.1  # probability that some confidence radius is too small
USERS = 20  # per batch: that of the paper's simulation
COUNTERS: dict[str, Callable[..., Counter]] = {"tree": TreeCounter, "factorization": FactorizationCounter}
BILLBOARD = ("; the arms of everybody else are a function of the released sums and of data that are not the user's "
             "(billboard lemma, Hsu et al. 2016)")


def _full_batches(horizon: int, users: int) -> int:
    """Return how many batches of that size the horizon has."""
    if users > horizon:
        raise ValueError(f"batch_size must not exceed the horizon, got {users} users for {horizon} rounds")
    return horizon // users


def _reward_std(problem: Contextual) -> float:
    """Sub-Gaussian constant of a reward: half the length of its range (Hoeffding's lemma)."""
    return (problem.reward_range[1] - problem.reward_range[0]) / 2


def _domain(problem: Contextual, calibration: str, centred: bool) -> LinearStatistics:
    """Return where a user's statistics lie; the sensitivity depends on it, so it must hold."""
    if problem.feature_norm > 1 or max(map(abs, problem.reward_range)) > 1:
        raise ValueError("problem must have features of norm at most 1 and rewards in [-1, 1] for private LinUCB, got norm "
                         f"{problem.feature_norm:g} and rewards in {problem.reward_range}")
    if not centred:
        return LinearStatistics(problem.dimension)
    if calibration != "certified":
        raise ValueError(f"centred must be False for calibration={calibration!r}, whose constants know nothing of it, got True")
    return CentredStatistics(problem.dimension, _reward_std(problem))


def _learner(
    problem: Contextual, horizon: int, calibration: str, release: Release, centred: bool, radius_scale: float, alpha: float
) -> LinUCB:
    """Put private LinUCB together with the radius of its calibration, and say in words whose data it protects."""
    made = release.guarantee
    unit, neighbours = (text.replace("vector", "round").replace("reward", "round") for text in (made.unit, made.neighbours))
    release.guarantee = replace(made, unit=unit, neighbours=neighbours)
    centre, norm = centre_of(problem) if centred else (None, problem.theta_norm)
    rule = CertifiedRadius if calibration == "certified" else LemmaRadius
    radius: Radius = rule(problem.dimension, release.users, release.law, _reward_std(problem), alpha, norm)
    return LinUCB(problem, horizon, release, radius, radius_scale, centre)


def _linucb(
    problem: Contextual,
    epsilon: None,
    delta: None,
    horizon: int,
    calibration: str,
    batch_size: int = 1,
    radius_scale: float = 1.0,
    alpha: float = ALPHA,
) -> LinUCB:
    batches = _full_batches(horizon, _checks.integer("batch_size", batch_size))
    radius = PlainRadius(problem.dimension, batch_size, _reward_std(problem), alpha, theta_norm=problem.theta_norm,
                         feature_norm=problem.feature_norm)
    return LinUCB(problem, horizon, ExactSums(problem.dimension, batch_size, batches), radius, radius_scale)


def _batched_ldp(
    problem: Contextual,
    epsilon: float,
    delta: float,
    horizon: int,
    calibration: str,
    batch_size: int | str = USERS,
    returning_users: bool | int = False,
    centred: bool = False,
    radius_scale: float = 1.0,
    alpha: float = ALPHA,
    strict: bool = True,
    fidelity: str = "aggregate",
) -> LinUCB:
    users = users_per_batch(batch_size, "local", problem, horizon, epsilon, delta)
    batches = _full_batches(horizon, users)
    rounds = rounds_per_user(returning_users, batches)
    domain = _domain(problem, calibration, centred)
    privatizer = local_privatizer(users, rounds, epsilon, delta, calibration, domain, strict)
    return _learner(problem, horizon, calibration, privatized(privatizer, batches, fidelity), centred, radius_scale, alpha)


def _ldp(
    problem: Contextual,
    epsilon: float,
    delta: float,
    horizon: int,
    calibration: str,
    returning_users: bool | int = False,
    centred: bool = False,
    radius_scale: float = 1.0,
    alpha: float = ALPHA,
    strict: bool = True,
    fidelity: str = "aggregate",
) -> LinUCB:
    return _batched_ldp(
        problem, epsilon, delta, horizon, calibration, 1, returning_users, centred, radius_scale, alpha, strict, fidelity
    )


def _batched_jdp(
    problem: Contextual,
    epsilon: float,
    delta: float,
    horizon: int,
    calibration: str,
    batch_size: int | str = USERS,
    returning_users: bool | int = False,
    counter: str = "tree",
    centred: bool = False,
    radius_scale: float = 1.0,
    alpha: float = ALPHA,
    strict: bool = True,
) -> LinUCB:
    kind = COUNTERS[_checks.choice("counter", counter, tuple(COUNTERS))]
    users = users_per_batch(batch_size, "central", problem, horizon, epsilon, delta)
    batches = _full_batches(horizon, users)
    rounds = rounds_per_user(returning_users, batches)
    domain = _domain(problem, calibration, centred)
    sums = kind(batches, epsilon, delta, domain, calibration, appearances=rounds, strict=strict)
    release = CountedSums(sums, problem.dimension, users)
    made = release.guarantee
    once = ", one per batch" if users > 1 and rounds > 1 else ""
    release.guarantee = replace(made, unit=made.unit + once, reason=made.reason + BILLBOARD, joint=True)
    return _learner(problem, horizon, calibration, release, centred, radius_scale, alpha)


def _jdp(
    problem: Contextual,
    epsilon: float,
    delta: float,
    horizon: int,
    calibration: str,
    returning_users: bool | int = False,
    counter: str = "tree",
    centred: bool = False,
    radius_scale: float = 1.0,
    alpha: float = ALPHA,
    strict: bool = True,
) -> LinUCB:
    return _batched_jdp(
        problem, epsilon, delta, horizon, calibration, 1, returning_users, counter, centred, radius_scale, alpha, strict
    )


def _amp(
    problem: Contextual,
    epsilon: float,
    delta: float,
    horizon: int,
    calibration: str,
    batch_size: int | str = USERS,
    returning_users: bool | int = False,
    centred: bool = False,
    radius_scale: float = 1.0,
    alpha: float = ALPHA,
    honest_fraction: float = 1.0,
    strict: bool = True,
    fidelity: str = "aggregate",
) -> LinUCB:
    users = users_per_batch(batch_size, "amplified", problem, horizon, epsilon, delta)
    batches = _full_batches(horizon, users)
    privatizer = amplified_privatizer(
        users, rounds_per_user(returning_users, batches), epsilon, delta, calibration, batch_size == "privacy",
        domain=_domain(problem, calibration, centred), honest_fraction=honest_fraction, strict=strict,
    )
    return _learner(problem, horizon, calibration, privatized(privatizer, batches, fidelity), centred, radius_scale, alpha)


def _vec(
    problem: Contextual,
    epsilon: float,
    delta: float,
    horizon: int,
    calibration: str,
    batch_size: int | str = USERS,
    returning_users: bool | int = False,
    centred: bool = False,
    radius_scale: float = 1.0,
    alpha: float = ALPHA,
    levels: int | None = None,
    honest_fraction: float = 1.0,
    strict: bool = True,
    fidelity: str = "aggregate",
) -> LinUCB:
    users = users_per_batch(batch_size, "vector", problem, horizon, epsilon, delta)
    batches = _full_batches(horizon, users)
    privatizer = vector_privatizer(
        users, rounds_per_user(returning_users, batches), epsilon, delta, calibration, batch_size == "privacy",
        domain=_domain(problem, calibration, centred), levels=levels, honest_fraction=honest_fraction, strict=strict,
    )
    return _learner(problem, horizon, calibration, privatized(privatizer, batches, fidelity), centred, radius_scale, alpha)


_TEST = "tests/test_linucb.py::"
_CHAPTER = "10_private_linucb"
_UNIT = "one round of one user"
_PAPER = "chowdhury2022"
_SHUFFLE = r"\tilde O\Big(d B + d \sqrt T + \frac{d^{3/4} T^{3/4}}{\sqrt\varepsilon B^{1/4}}\Big)"
_LOCAL = r"\tilde O\Big(\frac{d^{3/4} T^{3/4}}{\sqrt\varepsilon}\Big)"
_CENTRAL = r"\tilde O\Big(d \sqrt T + \frac{d^{3/4} \sqrt T}{\sqrt\varepsilon}\Big)"
_PATH = _TEST + "test_parallel_runs_follow_the_plain_loop"
_LAW = _TEST + "test_fidelities_have_the_same_law"
SYSTEMS = (
    System("LinUCB", "abbasi2011", "contextual", "none", "no privacy", r"\tilde O(d \sqrt T)", _CHAPTER, _PATH,
           with_figure(_linucb, figure_exact), experiment=True),
    System("LinUCB-LDP", "zheng2020", "contextual", "local", _UNIT, _LOCAL, _CHAPTER, _PATH,
           with_figure(_ldp, figure_local), experiment=True),
    System("LinUCB-JDP", "shariff2018", "contextual", "central", _UNIT, _CENTRAL, _CHAPTER, _PATH,
           with_figure(_jdp, figure_central), experiment=True),
    System("LinUCB-SDP-Amp", _PAPER, "contextual", "shuffle", _UNIT, _SHUFFLE, _CHAPTER, _LAW,
           with_figure(_amp, figure_amplified), experiment=True),
    System("LinUCB-SDP-Vec", _PAPER, "contextual", "shuffle", _UNIT, _SHUFFLE, _CHAPTER, _LAW,
           with_figure(_vec, figure_vector), experiment=True),
    System("LinUCB-Batched-LDP", _PAPER, "contextual", "local", _UNIT, _LOCAL, "11_returning_users", _PATH, _batched_ldp),
    System("LinUCB-Batched-JDP", _PAPER, "contextual", "central", _UNIT, _CENTRAL, "11_returning_users", _PATH, _batched_jdp),
)
