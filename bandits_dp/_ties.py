"""Ties and whole numbers in floating point: one rule, so that every processor decides alike.

Two indices that are equal in exact arithmetic may differ in their last digits, depending on how a
processor adds. So values within 1e-11 of the largest, relatively, count as ties, and the first one
wins. Values that truly differ are hardly ever this close.
"""

import numpy as np
from numpy.typing import NDArray

from bandits_dp._types import Floats

NEAR = 1e-11  # relative: far above rounding errors, far below differences that matter


def largest(values: Floats) -> NDArray[np.bool_]:
    """Return which finite numbers are the largest along the last axis; shape of ``values``."""
    top = values.max(axis=-1, keepdims=True)
    return np.asarray(values >= top - NEAR * np.abs(top))


def first_largest(values: Floats) -> NDArray[np.intp]:
    """Return the first index of the largest finite number along the last axis."""
    return np.asarray(largest(values).argmax(axis=-1))


def largest_mean(sums: Floats, counts: NDArray[np.int64]) -> int:
    """Return the first index with the largest mean, among counts above 0; 0 if there is none."""
    seen = np.flatnonzero(counts) if counts.any() else np.arange(1)
    return int(seen[first_largest(sums[seen] / np.maximum(counts[seen], 1))])


def round_up(values: Floats) -> NDArray[np.int64]:
    """Round positive numbers up; those within rounding error of an integer become that integer."""
    return np.ceil(values * (1 - NEAR)).astype(np.int64)
