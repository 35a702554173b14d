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
from bandits_dp.guarantee import Guarantee
from bandits_dp.learners.linucb import LinUCB
from bandits_dp.learners.linucb_experiment import (
    figure_amplified,
    figure_central,
    figure_exact,
    figure_local,
    figure_vector,
)
from bandits_dp.learners.linucb_release import ExactSums, Release
from bandits_dp.learners.linucb_releases import CountedSums, privatized
from bandits_dp.learners.radius import PlainRadius, Radius
from bandits_dp.learners.radius_private import CertifiedRadius, LemmaRadius
from bandits_dp.privatizers.domain import LinearStatistics
from bandits_dp.problems.contextual import Contextual

ALPHA = 0.1  # probability that some confidence radius is too small
COUNTERS: dict[str, Callable[..., Counter]] = {"tree": TreeCounter, "factorization": FactorizationCounter}
BILLBOARD = ("; joint privacy: the arms of everybody else are a function of the released sums and of data that are not the user's "
             "(billboard lemma, Hsu et al. 2016)")


def _full_batches(horizon: int, batch_size: int) -> int:
    """Return how many batches of that size the horizon has."""
    if _checks.integer("batch_size", batch_size) > horizon:
        raise ValueError(f"batch_size must not exceed the horizon, got {batch_size} users for {horizon} rounds")
    return horizon // batch_size


def _reward_std(problem: Contextual) -> float:
    """Sub-Gaussian constant of a reward: half the length of its range (Hoeffding's lemma)."""
    return (problem.reward_range[1] - problem.reward_range[0]) / 2


def _domain(problem: Contextual) -> LinearStatistics:
    """Return where a user's statistics lie; the sensitivity depends on it, so it must hold."""
    if problem.feature_norm > 1 or max(map(abs, problem.reward_range)) > 1:
        raise ValueError("problem must have features of norm at most 1 and rewards in [-1, 1] for private LinUCB, got norm "
                         f"{problem.feature_norm:g} and rewards in {problem.reward_range}")
    return LinearStatistics(problem.dimension)


def _promise(guarantee: Guarantee, rounds: int) -> Guarantee:
    """Say whose data a release of linear statistics protects: those of a user who is in so many batches."""
    if rounds > 1:
        unit, neighbours = f"all of at most {rounds} rounds of one user, no two in one batch, ", "replace all rounds of one user"
    else:
        unit, neighbours = "one round of one user, ", "replace one user's round"
    domain = guarantee.unit.split(" in ", 1)[1].removesuffix(", one per batch")
    return replace(guarantee, unit=unit + domain, neighbours=neighbours)


def _learner(
    problem: Contextual,
    horizon: int,
    calibration: str,
    release: Release,
    radius_scale: float,
    alpha: float,
    rounds: int,
) -> LinUCB:
    """Put private LinUCB together with the radius of its calibration; ``rounds`` is in how many batches a user may be."""
    release.guarantee = _promise(release.guarantee, rounds)
    rule = CertifiedRadius if calibration == "certified" else LemmaRadius
    radius: Radius = rule(problem.dimension, release.users, release.law, _reward_std(problem), alpha, problem.theta_norm)
    return LinUCB(problem, horizon, release, radius, radius_scale)


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
    batches = _full_batches(horizon, batch_size)
    radius = PlainRadius(problem.dimension, batch_size, _reward_std(problem), alpha, theta_norm=problem.theta_norm,
                         feature_norm=problem.feature_norm)
    return LinUCB(problem, horizon, ExactSums(problem.dimension, batch_size, batches), radius, radius_scale)


def _batched_ldp(
    problem: Contextual,
    epsilon: float,
    delta: float,
    horizon: int,
    calibration: str,
    batch_size: int | str = 20,
    radius_scale: float = 1.0,
    alpha: float = ALPHA,
    returning_users: bool | int = False,
    strict: bool = True,
    fidelity: str = "aggregate",
) -> LinUCB:
    domain = _domain(problem)
    users = users_per_batch(batch_size, "local", problem, horizon, epsilon, delta)
    batches = _full_batches(horizon, users)
    rounds = rounds_per_user(returning_users, batches)
    privatizer = local_privatizer(users, rounds, epsilon, delta, calibration, domain, strict)
    return _learner(problem, horizon, calibration, privatized(privatizer, batches, fidelity), radius_scale, alpha, rounds)


def _ldp(
    problem: Contextual,
    epsilon: float,
    delta: float,
    horizon: int,
    calibration: str,
    radius_scale: float = 1.0,
    alpha: float = ALPHA,
    returning_users: bool | int = False,
    strict: bool = True,
    fidelity: str = "aggregate",
) -> LinUCB:
    return _batched_ldp(problem, epsilon, delta, horizon, calibration, 1, radius_scale, alpha, returning_users, strict, fidelity)


def _batched_jdp(
    problem: Contextual,
    epsilon: float,
    delta: float,
    horizon: int,
    calibration: str,
    batch_size: int | str = 20,
    counter: str = "tree",
    radius_scale: float = 1.0,
    alpha: float = ALPHA,
    returning_users: bool | int = False,
    strict: bool = True,
) -> LinUCB:
    kind = COUNTERS[_checks.choice("counter", counter, tuple(COUNTERS))]
    users = users_per_batch(batch_size, "central", problem, horizon, epsilon, delta)
    steps = _full_batches(horizon, users)
    rounds = rounds_per_user(returning_users, steps)
    sums = kind(steps, epsilon, delta, _domain(problem), calibration, appearances=rounds, strict=strict)
    release = CountedSums(sums, problem.dimension, users)
    release.guarantee = replace(release.guarantee, reason=release.guarantee.reason + BILLBOARD)
    return _learner(problem, horizon, calibration, release, radius_scale, alpha, rounds)


def _jdp(
    problem: Contextual,
    epsilon: float,
    delta: float,
    horizon: int,
    calibration: str,
    counter: str = "tree",
    radius_scale: float = 1.0,
    alpha: float = ALPHA,
    returning_users: bool | int = False,
    strict: bool = True,
) -> LinUCB:
    return _batched_jdp(problem, epsilon, delta, horizon, calibration, 1, counter, radius_scale, alpha, returning_users, strict)


def _amp(
    problem: Contextual,
    epsilon: float,
    delta: float,
    horizon: int,
    calibration: str,
    batch_size: int | str = 20,
    radius_scale: float = 1.0,
    alpha: float = ALPHA,
    returning_users: bool | int = False,
    honest_fraction: float = 1.0,
    strict: bool = True,
    fidelity: str = "aggregate",
) -> LinUCB:
    domain = _domain(problem)
    users = users_per_batch(batch_size, "amplified", problem, horizon, epsilon, delta)
    batches = _full_batches(horizon, users)
    rounds = rounds_per_user(returning_users, batches)
    privatizer = amplified_privatizer(
        users, rounds, epsilon, delta, calibration, batch_size == "privacy",
        domain=domain, honest_fraction=honest_fraction, strict=strict,
    )
    return _learner(problem, horizon, calibration, privatized(privatizer, batches, fidelity), radius_scale, alpha, rounds)


def _vec(
    problem: Contextual,
    epsilon: float,
    delta: float,
    horizon: int,
    calibration: str,
    batch_size: int | str = 20,
    radius_scale: float = 1.0,
    alpha: float = ALPHA,
    returning_users: bool | int = False,
    levels: int | None = None,
    honest_fraction: float = 1.0,
    strict: bool = True,
    fidelity: str = "aggregate",
) -> LinUCB:
    domain = _domain(problem)
    users = users_per_batch(batch_size, "vector", problem, horizon, epsilon, delta)
    batches = _full_batches(horizon, users)
    rounds = rounds_per_user(returning_users, batches)
    privatizer = vector_privatizer(
        users, rounds, epsilon, delta, calibration, batch_size == "privacy",
        domain=domain, levels=levels, honest_fraction=honest_fraction, strict=strict,
    )
    return _learner(problem, horizon, calibration, privatized(privatizer, batches, fidelity), radius_scale, alpha, rounds)


_TEST = "tests/test_linucb.py::"
_UNIT = "one round of one user"
_PAPER = "chowdhury2022"
_SHUFFLE = r"\tilde O\Big(d B + d \sqrt T + \frac{d^{3/4} T^{3/4}}{\sqrt\varepsilon B^{1/4}}\Big)"
_LOCAL = r"\tilde O\Big(\frac{d^{3/4} T^{3/4}}{\sqrt\varepsilon}\Big)"
_CENTRAL = r"\tilde O\Big(d \sqrt T + \frac{d^{3/4} \sqrt T}{\sqrt\varepsilon}\Big)"
SYSTEMS = (
    System("LinUCB", "abbasi2011", "contextual", "none", "no privacy", r"\tilde O(d \sqrt T)",
           "07_shuffle_linucb", _TEST + "test_parallel_runs_follow_the_plain_loop",
           with_figure(_linucb, figure_exact), experiment=True),
    System("LinUCB-LDP", "zheng2020", "contextual", "local", _UNIT, _LOCAL,
           "07_shuffle_linucb", _TEST + "test_parallel_runs_follow_the_plain_loop",
           with_figure(_ldp, figure_local), experiment=True),
    System("LinUCB-JDP", "shariff2018", "contextual", "central", _UNIT, _CENTRAL,
           "07_shuffle_linucb", _TEST + "test_parallel_runs_follow_the_plain_loop",
           with_figure(_jdp, figure_central), experiment=True),
    System("LinUCB-SDP-Amp", _PAPER, "contextual", "shuffle", _UNIT, _SHUFFLE,
           "07_shuffle_linucb", _TEST + "test_parallel_runs_follow_the_plain_loop",
           with_figure(_amp, figure_amplified), experiment=True),
    System("LinUCB-SDP-Vec", _PAPER, "contextual", "shuffle", _UNIT, _SHUFFLE,
           "07_shuffle_linucb", _TEST + "test_parallel_runs_follow_the_plain_loop",
           with_figure(_vec, figure_vector), experiment=True),
    System("LinUCB-Batched-LDP", _PAPER, "contextual", "local", _UNIT, _LOCAL,
           "07_shuffle_linucb", _TEST + "test_parallel_runs_follow_the_plain_loop", _batched_ldp),
    System("LinUCB-Batched-JDP", _PAPER, "contextual", "central", _UNIT, _CENTRAL,
           "07_shuffle_linucb", _TEST + "test_parallel_runs_follow_the_plain_loop", _batched_jdp),
)
