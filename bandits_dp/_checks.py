"""Argument checks: every public function says which argument is wrong, what it got, and what is allowed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Integral, Real

import numpy as np

CALIBRATIONS = ("certified", "theorem", "experiment")


def real(name: str, value: object, low: float, high: float, *, ends: str = "()") -> float:
    """Return ``value`` as a float inside the interval from ``low`` to ``high``.

    ``ends`` gives the kind of interval: ``"()"`` open, ``"[)"`` closed on the left, and so on.
    """
    allowed = f"a number in {ends[0]}{low:g}, {high:g}{ends[1]}"
    if isinstance(value, bool) or not isinstance(value, Real):
        raise ValueError(f"{name} must be {allowed}, got {value!r}")
    number = float(value)
    above = number >= low if ends[0] == "[" else number > low
    below = number <= high if ends[1] == "]" else number < high
    if not (above and below):  # NaN fails both comparisons
        raise ValueError(f"{name} must be {allowed}, got {value!r}")
    return number


def epsilon(value: object) -> float:
    """Return a valid privacy parameter epsilon: finite and positive."""
    return real("epsilon", value, 0.0, math.inf)


def delta(value: object, *, zero: bool = False) -> float:
    """Return a valid failure mass delta in (0, 1), or in [0, 1) where pure privacy is possible."""
    return real("delta", value, 0.0, 1.0, ends="[)" if zero else "()")


def positive(name: str, value: object) -> float:
    """Return a finite positive float."""
    return real(name, value, 0.0, math.inf)


def integer(name: str, value: object, low: int = 1) -> int:
    """Return an integer that is at least ``low``; floats are refused even when whole."""
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < low:
        raise ValueError(f"{name} must be an integer that is at least {low}, got {value!r}")
    return int(value)


def choice(name: str, value: object, allowed: Sequence[str]) -> str:
    """Return ``value`` if it is one of the ``allowed`` words."""
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}, got {value!r}")
    return value


def calibration(value: object) -> str:
    """Return a valid calibration name."""
    return choice("calibration", value, CALIBRATIONS)


def generator(rng: object) -> np.random.Generator:
    """Return ``rng`` if it is a numpy Generator; a seed or the global state will not do."""
    if not isinstance(rng, np.random.Generator):
        raise ValueError(f"rng must be a numpy.random.Generator (numpy.random.default_rng(seed)), got {rng!r}")
    return rng

