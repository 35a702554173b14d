"""Exact ties, and whole numbers that rounding hides: decided by one rule, so that every processor decides alike.

Two indices that are equal by mathematics differ in their last digits by how a processor adds. So what lies within 1e-11 of
the largest is as large, and the first of these is taken. Numbers that are not equal by mathematics are hardly ever so near.
"""

import numpy as np
from numpy.typing import NDArray

NEAR = 1e-11  # relative; far above what a processor leaves, far below what anybody could learn


def largest(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return whether finite numbers are the largest along the last axis, up to rounding; shape of ``values``."""
    top = values.max(axis=-1, keepdims=True)
    return np.asarray(values >= top - NEAR * np.abs(top))


def first_largest(values: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the first place along the last axis that holds the largest finite number."""
    return np.asarray(largest(values).argmax(axis=-1))


def largest_mean(sums: NDArray[np.float64], counts: NDArray[np.int64]) -> int:
    """Return the first place with the largest mean, of those that were counted at all; 0 if none was."""
    seen = np.flatnonzero(counts) if counts.any() else np.arange(1)
    return int(seen[first_largest(sums[seen] / np.maximum(counts[seen], 1))])


def round_up(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the next whole numbers, or the nearest where a positive number differs from it by rounding only."""
    return np.ceil(values * (1 - NEAR)).astype(np.int64)
