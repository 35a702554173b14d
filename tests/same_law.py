"""Two samples of one law, compared where values repeat: regrets of whole batches, sums of whole messages."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

NEAR = 1e-9  # of the largest value: equal sums that are taken in different orders are nearer, and different ones are not


def codes(*samples: ArrayLike) -> list[NDArray[np.int64]]:
    """Replace values by whole numbers in the same order, and those that differ by rounding only by the same one."""
    values = np.sort(np.concatenate(samples))
    code = np.append(0, np.cumsum(np.diff(values) > NEAR * np.abs(values).max()))
    return [code[np.searchsorted(values, sample)] for sample in samples]


def same_law(one: ArrayLike, other: ArrayLike) -> float:
    """Return the p-value of Kolmogorov and Smirnov's two-sample test, in which rounding breaks no tie."""
    return float(stats.ks_2samp(*codes(one, other), method="asymp").pvalue)
