"""What every system is made from, and the options that it may have besides."""

from __future__ import annotations

from dataclasses import MISSING, dataclass, field, fields
from typing import Any

import numpy as np

from bandits_dp import _checks

MOST_BATCHES = 5_000_000  # whose noise or width is computed beforehand: in ten seconds, and half a gigabyte


@dataclass(frozen=True)
class Given:
    """What :func:`bandits_dp.make` is given for every system.

    Parameters
    ----------
    problem : Problem
        Only what is public of it may be used.
    horizon : int
        Number of rounds T, >= 1.
    epsilon : float or None
        Privacy parameter, > 0; None without privacy.
    delta : float or None
        Failure mass, or None if it was not given.
    calibration : {"certified", "theorem", "experiment"}
        How noise and widths are chosen.
    """

    problem: Any
    horizon: int
    epsilon: Any
    delta: Any
    calibration: str

    def full_batches(self, users: int) -> int:
        """Return how many batches of so many users there are."""
        if _checks.integer("batch_size", users) > self.horizon:
            raise ValueError(f"batch_size must not exceed the horizon, got {users} users for {self.horizon} rounds")
        if self.horizon // users > MOST_BATCHES:
            raise ValueError(f"horizon must be at most {MOST_BATCHES * users:,} for batches of {users}, as something is kept about "
                             f"each of them, got {self.horizon:,}")
        return self.horizon // users


def allowed_visits(returning_users: bool | int, batches: int) -> int:
    """Return in how many of the batches a user may be: True for all, False for one, or a number."""
    if isinstance(returning_users, bool):
        return batches if returning_users else 1
    return min(_checks.integer("returning_users", returning_users), batches)


@dataclass(frozen=True)
class Option:
    """One option of a system.

    Parameters
    ----------
    name : str
        The keyword that ``make`` takes.
    type : str
        As it is annotated.
    allowed : str
        Its range, in words.
    default : object
        What it is if not given; None often stands for "as the learner needs", and ``allowed`` says so.
    """

    name: str
    type: str
    allowed: str
    default: Any


def option(default: Any, allowed: str) -> Any:
    """Return the field of an options class, with its default and its range in words."""
    return field(default=default, metadata={"allowed": allowed})


@dataclass(frozen=True)
class NoOptions:
    """For systems that have none."""


@dataclass(frozen=True)
class Fidelity:
    """For systems whose messages can be made one by one."""

    fidelity: str = option("aggregate", '"aggregate" or "messages"')


def plain(value: Any, kind: str) -> Any:
    """Return a number as Python's own, of the annotated type: 1, 1.0 and numpy's 1 make the same. Leave anything else as it is."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, int) and not isinstance(value, bool) and "float" in kind and "int" not in kind:
        return _checks.as_float(value)
    return value


def options_of(kind: type) -> tuple[Option, ...]:
    """List the options of an options class."""
    found = (Option(one.name, str(one.type), one.metadata["allowed"], one.default) for one in fields(kind))
    return tuple(one for one in found if one.default is not MISSING)
