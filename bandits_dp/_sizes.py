"""Standard deviations of numbers of any size, although their squares may be infinite or 0.

Squares of floats are infinite above 1e154 and 0 below 1e-162. So numbers are first divided by a
power of 2 near the largest; other results do not change by a digit.
"""

from typing import Any

import numpy as np

from bandits_dp._types import Floats


def unit(values: Floats, axis: int | None = None) -> Any:
    """Return the largest power of 2 up to the largest absolute value; 1/2 if all values are 0."""
    return np.ldexp(1.0, np.frexp(np.abs(values).max(axis=axis))[1] - 1)


def std(values: Floats, axis: int | None = None) -> Any:
    """Return the sample standard deviation of at least two numbers."""
    one = unit(values, axis)
    return (values / one).std(axis=axis, ddof=1) * one
