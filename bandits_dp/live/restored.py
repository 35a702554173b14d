"""Whether a learner that was restored can be where it says: what follows from the rounds that are played, or from another entry."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandits_dp._state import WrongEntry, snapshot
from bandits_dp.learners import UCB, ArmElimination, LinUCB, PhasedElimination
from bandits_dp.learners.linucb_rewards import InstrumentLinUCB, RidgeLinUCB

CLOSE = 1e-3  # relative: another machine rounds otherwise, the more so the more a matrix magnifies it
FARTHEST = 40.0  # standard deviations that no noise is from its mean
ROUNDING = 1e-6  # relative: sums of the same numbers in another order


@singledispatch
def check_restored(learner: Any, rounds: int) -> None:
    """Raise a WrongEntry that names an attribute of a learner if it cannot be so after so many answers."""


@check_restored.register
def _(learner: ArmElimination, rounds: int) -> None:
    _check_arms("viable", learner.viable, len(learner.sums))
    schedule, left = learner.schedule, len(learner.viable)
    if schedule.steady:
        before = (learner.phase - 1) * left * schedule.size(1, left)
    else:
        before, phase = 0, 1
        while phase < learner.phase and before <= rounds:
            before, phase = before + left * schedule.size(phase, left), phase + 1
    if learner.phase < 1 or before > rounds:
        raise WrongEntry("phase", f"{rounds} rounds do not reach phase {learner.phase} with {left} arms")
    if not 0 <= learner.width.users <= rounds:
        raise WrongEntry("width_users", f"after {rounds} rounds it is 0 to {rounds}")


@check_restored.register
def _(learner: PhasedElimination, rounds: int) -> None:
    _check_arms("active", learner.active, len(learner.active) if len(learner.actions) == 0 else len(learner.actions))
    if not 1 <= learner.phase <= 1000 or learner.first_length * (2.0 ** (learner.phase - 1) - 1) > rounds:
        raise WrongEntry("phase", f"{rounds} rounds do not reach phase {learner.phase}")


@check_restored.register
def _(learner: UCB, rounds: int) -> None:
    if (learner.pulls < 0).any() or learner.pulls.sum() > rounds:
        raise WrongEntry("pulls", f"after {rounds} rounds they are not more, and none is negative")


@check_restored.register
def _(learner: LinUCB, rounds: int) -> None:
    if not 0 <= learner.batch <= rounds:
        raise WrongEntry("batch", f"after {rounds} rounds it is 0 to {rounds}")
    if isinstance(learner, RidgeLinUCB):
        _check_squares(learner)
    then = snapshot(learner)
    with np.errstate(all="ignore"):
        try:
            then._fit(learner.sums)
        except IndexError as error:
            raise WrongEntry("batch", f"there are not so many batches as {learner.batch}") from error
        except np.linalg.LinAlgError as error:
            raise WrongEntry("sums", f"there is no model of them: {error}") from error
        for name in ("inverse", "theta", "beta"):
            known, follows = np.asarray(getattr(learner, name)), np.asarray(getattr(then, name))
            if not (np.abs(known - follows) <= CLOSE * np.abs(follows).max(initial=0.0)).all():
                raise WrongEntry(name, "it does not follow from the sums")


def _check_squares(learner: RidgeLinUCB) -> None:
    """Raise a WrongEntry unless sums of squares of public vectors are such."""
    d = len(learner.theta)
    gram = np.empty((d, d))
    gram[learner.upper] = gram.T[learner.upper] = learner.sums[d:]
    squares = {"sums": gram}
    if isinstance(learner, InstrumentLinUCB):
        squares["instruments"] = learner.instruments
    for name, matrix in squares.items():
        symmetric = np.allclose(matrix, matrix.T, rtol=ROUNDING)
        if not symmetric or np.linalg.eigvalsh(matrix)[0] < -ROUNDING * max(np.trace(matrix), 0.0):
            raise WrongEntry(name, "it is no sum of squares of vectors")
    if isinstance(learner, InstrumentLinUCB):
        most = np.outer(np.diag(learner.instruments), np.diag(gram))  # by Cauchy and Schwarz
        if (learner.cross**2 > most * (1 + ROUNDING) + ROUNDING).any():
            raise WrongEntry("cross", "it is no sum of products of the vectors whose squares are known")


def _check_arms(name: str, arms: NDArray[np.intp], many: int) -> None:
    """Raise a WrongEntry unless these are some of so many arms, in order."""
    if not len(arms) or arms[0] < 0 or arms[-1] >= many or (np.diff(arms) <= 0).any():
        raise WrongEntry(name, f"it must hold some of {many} arms, in order")
