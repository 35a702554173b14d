"""Sums of squares of numbers of whatever size: of floats above 1e154 the squares are infinite, below 1e-162 they are 0.

Numbers are divided first by a power of 2 near the largest, which changes no digit: what could be computed without is the same.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def unit(values: NDArray[np.float64], axis: int | None = None) -> Any:
    """Return the largest power of 2 that is not above the largest absolute value; 1/2 if all are 0."""
    return np.ldexp(1.0, np.frexp(np.abs(values).max(axis=axis))[1] - 1)


def std(values: NDArray[np.float64], axis: int | None = None) -> Any:
    """Return the estimated standard deviation of two numbers or more."""
    one = unit(values, axis)
    return (values / one).std(axis=axis, ddof=1) * one
