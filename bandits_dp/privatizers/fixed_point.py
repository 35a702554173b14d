"""Fixed-point numbers: a number is rounded at random to one of its two neighbouring integers, so that its mean is kept."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def round_at_random(x: NDArray[np.float64], levels: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Round each of some numbers in [0, levels] to an integer in 0..levels, the floor of x + U with U uniform; shape of ``x``."""
    x = np.minimum(x, levels)  # the top may be passed by a rounding error
    return np.minimum(np.floor(x + rng.random(x.shape)), levels).astype(np.int64)


def round_tally(
    x: NDArray[np.float64], counts: NDArray[np.int64], levels: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Round the numbers of many users and add them up, from how many of them hold which: the law of :func:`round_at_random`.

    Users who hold one number x round up independently of each other, with probability x - floor(x): so many of them do as one
    binomial draw says.

    Parameters
    ----------
    x : ndarray, shape (values,)
        Numbers in [0, levels].
    counts : ndarray of int, shape (sums, values)
        How many users hold them.
    levels : int
        The largest integer, >= 1.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    ndarray of int, shape (sums,)
        Sums of the integers.
    """
    floor = np.floor(np.minimum(x, levels))
    up = rng.binomial(counts, np.minimum(x, levels) - floor)
    return np.asarray(counts @ floor.astype(np.int64) + up.sum(axis=-1))
