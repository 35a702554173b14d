"""Options of the LinUCB family: batch sizes by name, users who come back, and the experiment calibration."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import Any

from bandits_dp import _checks
from bandits_dp.learners.linucb_old import LinUCB
from bandits_dp.learners.schedules import named_batch_size
from bandits_dp.privatizers import AmplifiedGaussian, LocalGaussian, Privatizer, VectorSum
from bandits_dp.privatizers.bit_sum import crowd
from bandits_dp.privatizers.domain import LinearStatistics
from bandits_dp.privatizers.linear_gaussian import PublishedLocalGaussian
from bandits_dp.privatizers.returning import (
    ReturningAmplifiedGaussian,
    ReturningLocalGaussian,
    ReturningPublishedGaussian,
    ReturningVectorSum,
)
from bandits_dp.problems.contextual import Contextual

GIVEN = ("problem", "epsilon", "delta", "horizon", "calibration")


def users_per_batch(
    batch_size: int | str, protocol: str, problem: Contextual, horizon: int, epsilon: float, delta: float
) -> int:
    """Return the batch size that was given, or that of the given name; see :func:`named_batch_size`."""
    if isinstance(batch_size, str):
        return named_batch_size(batch_size, protocol, horizon, problem.dimension, epsilon, delta)
    return _checks.integer("batch_size", batch_size)


def rounds_per_user(returning_users: bool | int, batches: int) -> int:
    """Return in how many batches a user may be: 1 if False, all if True, or the number that was given."""
    if returning_users is True:
        return max(1, batches)
    if returning_users is False:
        return 1
    return min(_checks.integer("returning_users", returning_users), max(1, batches))


def local_privatizer(
    users: int, rounds: int, epsilon: float, delta: float, calibration: str, domain: LinearStatistics, strict: bool
) -> Privatizer:
    """Return Gaussian noise at users who are in so many batches each."""
    if calibration == "certified":
        if rounds > 1:
            return ReturningLocalGaussian(users, rounds, epsilon, delta, domain=domain)
        return LocalGaussian(users, epsilon, delta, domain=domain)
    if rounds > 1:
        return ReturningPublishedGaussian(users, rounds, epsilon, delta, domain=domain, strict=strict)
    return PublishedLocalGaussian(users, epsilon, delta, domain, strict)


def amplified_privatizer(
    users: int, rounds: int, epsilon: float, delta: float, calibration: str, local_first: bool, **options: Any
) -> Privatizer:
    """Return P_Amp for users who are in so many batches each; if ``local_first``, each message is private enough on its own."""
    if local_first:
        return local_privatizer(users, rounds, epsilon, delta, calibration, options["domain"], options["strict"])
    if rounds > 1:
        return ReturningAmplifiedGaussian(users, rounds, epsilon, delta, calibration, **options)
    return AmplifiedGaussian(users, epsilon, delta, calibration, **options)


def vector_privatizer(
    users: int, rounds: int, epsilon: float, delta: float, calibration: str, local_first: bool, **options: Any
) -> Privatizer:
    """Return P_Vec for users who are in so many batches each; if ``local_first``, each message is private enough on its own.

    That is the case if the noise of one user suffices (Chowdhury & Zhou 2022, Corollary C.3), as when nobody else is honest. Every
    user permutes her own bits, so that their order tells nothing.
    """
    if local_first:
        options["honest_fraction"] = 1 / users
    if rounds > 1:
        made: Privatizer = ReturningVectorSum(users, rounds, epsilon, delta, calibration, **options)
    else:
        made = VectorSum(users, epsilon, delta, calibration=calibration, **options)
    if local_first and made.guarantee.proved:
        reason = made.guarantee.reason.replace(crowd(1 / users), "") + ", with the noise of a user's own bits, sent in random order"
        made.guarantee = replace(made.guarantee, model="local", reason=reason)
    return made


def with_figure(build: Callable[..., LinUCB], figure: Callable[..., LinUCB]) -> Callable[..., LinUCB]:
    """Return the build function that makes ``figure`` in the experiment calibration, and ``build`` in the others."""
    known = [name for name in inspect.signature(figure).parameters if name not in GIVEN]

    @wraps(build)
    def either(problem: Contextual, epsilon: Any, delta: Any, horizon: int, calibration: str, **options: Any) -> LinUCB:
        if calibration != "experiment":
            return build(problem, epsilon, delta, horizon, calibration, **options)
        for option in options:
            if option not in known:
                raise ValueError(f"{option} is not an option of calibration='experiment', which has {', '.join(known)}")
        return figure(problem, epsilon, delta, horizon, **options)

    return either
