"""Exact ties, and whole numbers that rounding hides: decided by one rule, so that every processor decides alike.

Two indices that are equal by mathematics differ in their last digits by how a processor adds. So what lies within 1e-11 of
the largest is as large, and the first of these is taken. Numbers that are not equal by mathematics are hardly ever so near.
"""

import numpy as np
from numpy.typing import NDArray

NEAR = 1e-11  # relative; far above what a processor leaves, far below what anybody could learn


def first_largest(values: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return where the largest finite number stands along the last axis: the first place, if several hold it up to rounding."""
    top = values.max(axis=-1, keepdims=True)
    return np.asarray((values >= top - NEAR * np.abs(top)).argmax(axis=-1))


def round_up(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the next whole numbers, or the nearest where a positive number differs from it by rounding only."""
    return np.ceil(values * (1 - NEAR)).astype(np.int64)
