r"""Statistics of outputs, and the search for the event in which two samples differ most.

An audit chooses the event on the selection half of its runs and tests it on the other half. So a
poor choice makes no verdict wrong; it only makes the lower bound small.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

MOST_COORDINATES = 20  # entries that are statistics: those whose means differ most
MOST_JOINT = 200  # entries in the covariance matrices
RIDGE = 1e-9  # relative; small, as noise that cancels shows in directions of almost no variance
TAIL_THRESHOLDS = 400  # per tail, at geometrically growing ranks
FEWEST_IN_WINDOW = 8


class Statistic(NamedTuple):
    """A number computed from each output.

    ``of`` maps outputs of shape (runs, size) to scores of shape (runs,). ``search`` says which
    events to try: ``"tails"`` (thresholds) for a score, ``"atoms"`` (repeated values) for a
    fingerprint, whose order means nothing, or ``"all"`` (both, and intervals).
    """

    name: str
    of: Callable[[Array], Array]
    search: str = "all"


class Event(NamedTuple):
    """The outputs whose statistic is in [low, high], or, if both ends are NaN, is NaN."""

    statistic: Statistic
    low: float
    high: float
    swapped: bool  # whether the event is likelier under b

    def holds(self, outputs: Array) -> NDArray[np.bool_]:
        """Return whether the event happened in each output, shape (runs,)."""
        scores = self.statistic.of(outputs)
        if np.isnan(self.low):
            return np.isnan(scores)
        return (scores >= self.low) & (scores <= self.high)

    def __str__(self) -> str:
        """Return the event as a formula."""
        name = self.statistic.name
        if self.low == self.high or np.isnan(self.low):
            return f"{name} = {self.low:.10g}"
        if self.high == np.inf:
            return f"{name} >= {self.low:.6g}"
        if self.low == -np.inf:
            return f"{name} <= {self.high:.6g}"
        return f"{self.low:.10g} <= {name} <= {self.high:.10g}"


def wilson(hits: NDArray[np.int64], runs: int, z: float) -> tuple[Array, Array]:
    """Return lower and upper confidence limits of probabilities, by Wilson's score interval.

    They are close to Clopper and Pearson's and have a closed form.
    """
    centre = (hits + z**2 / 2) / (runs + z**2)
    half = z / (runs + z**2) * np.sqrt(hits * (1 - hits / runs) + z**2 / 4)
    return np.maximum(centre - half, 0.0), np.minimum(centre + half, 1.0)


def log_ratio(p_low: Array | float, q_high: Array | float, delta: float) -> Array:
    """Return log((p - delta) / q), a lower bound on epsilon; -inf where p <= delta."""
    with np.errstate(divide="ignore", invalid="ignore"):
        more = np.maximum(np.asarray(p_low) - delta, 0.0)
        return np.where(more > 0, np.log(more) - np.log(q_high), -np.inf)  # also where both are 0


def best_event(statistics: list[Statistic], a: Array, b: Array, delta: float, z: float) -> Event:
    """Return the event with the largest lower bound on epsilon.

    The largest ratio would be no good choice, as rare events prove little.

    Parameters
    ----------
    statistics : list of Statistic
        Statistics to try.
    a, b : ndarray, shape (runs, size)
        Outputs of the selection half on the two inputs.
    delta : float
        Failure mass, subtracted from the larger probability.
    z : float
        Number of standard errors by which both probabilities are moved against the event.
    """
    best, found = -np.inf, Event(statistics[0], -np.inf, np.inf, False)
    for statistic in statistics:
        x, y = statistic.of(a), statistic.of(b)
        low, high, x_hits, y_hits = _candidates(x, y, statistic.search)
        x_low, x_high = wilson(x_hits, len(x), z)
        y_low, y_high = wilson(y_hits, len(y), z)
        for swapped, bound in ((False, log_ratio(x_low, y_high, delta)),
                               (True, log_ratio(y_low, x_high, delta))):
            top = int(np.argmax(bound))
            if bound[top] > best:
                best, found = float(bound[top]), Event(statistic, float(low[top]), float(high[top]),
                                                       swapped)
    return found


def _candidates(x: Array, y: Array, search: str) -> tuple[Array, Array, NDArray[np.int64],
                                                          NDArray[np.int64]]:
    """Return low and high ends of candidate events, and their counts in x and y; of one shape."""
    x_sorted, y_sorted = np.sort(x[~np.isnan(x)]), np.sort(y[~np.isnan(y)])
    pool = np.sort(np.concatenate([x_sorted, y_sorted]), kind="stable")
    ends: list[tuple[Array, Array]] = [(np.empty(0), np.empty(0))]
    if search != "atoms" and pool.size:
        ranks = np.unique(np.geomspace(1, pool.size, TAIL_THRESHOLDS).astype(np.int64)) - 1
        tails = np.unique(np.concatenate([pool[ranks], pool[::-1][ranks]]))
        infinity = np.full(tails.shape, np.inf)
        ends += [(tails, infinity), (-infinity, tails)]
    if search == "all":
        ends += _windows(x_sorted) + _windows(y_sorted)
    if search != "tails" and pool.size:
        atoms = np.unique(pool[1:][pool[1:] == pool[:-1]])  # values that repeat
        ends.append((atoms, atoms))
    low, high = (np.concatenate(side) for side in zip(*ends, strict=True))
    x_hits, y_hits = (np.searchsorted(s, high, "right") - np.searchsorted(s, low, "left")
                      for s in (x_sorted, y_sorted))
    x_nan, y_nan = len(x) - len(x_sorted), len(y) - len(y_sorted)
    return (np.append(low, np.nan), np.append(high, np.nan), np.append(x_hits, x_nan),
            np.append(y_hits, y_nan))


def _windows(ordered: Array) -> list[tuple[Array, Array]]:
    """Return half-overlapping intervals that hold 1/2, 1/4, ... of a sorted sample each."""
    size = len(ordered)
    widths = [size >> k for k in range(1, 12)
              if size >> k >= FEWEST_IN_WINDOW and size // (size >> k) <= 1024]
    firsts = [np.arange(0, size - width + 1, width // 2) for width in widths]
    return [(ordered[first], ordered[first + width - 1])
            for first, width in zip(firsts, widths, strict=True)]


def generic_statistics(a: Array, b: Array) -> list[Statistic]:
    """Return statistics for an unknown mechanism; a single number is its own statistic.

    For vectors they find the traces of careless noise: single entries, sum, norm, gaps between
    entries and number of distinct entries (reused noise, repeated values), the whole output as a
    fingerprint (repeated outputs), and the log-likelihood ratio of two Gaussians fitted to the
    samples, with one covariance (a projection) and with two (correlations).

    Parameters
    ----------
    a, b : ndarray, shape (runs, size)
        Outputs of the selection half on the two inputs.

    Returns
    -------
    list of Statistic
        At least one.
    """
    size = a.shape[1]
    if size == 1:
        return [Statistic("output", lambda x: x[:, 0])]
    finite = [x[np.isfinite(x).all(axis=1)] for x in (a, b)]
    found = [
        Statistic("sum of the output", lambda x: x.sum(axis=1)),
        Statistic("norm of the output", lambda x: np.asarray(np.sqrt(np.einsum("ij,ij->i", x, x)))),
        Statistic("smallest gap between two entries", lambda x: _gaps(x).min(axis=1)),
        Statistic("number of distinct entries", lambda x: 1.0 + np.count_nonzero(_gaps(x), axis=1)),
        Statistic("fingerprint of the output", fingerprint, "atoms"),
    ]
    order = np.arange(size)
    if min(map(len, finite)) > 1:
        with np.errstate(divide="ignore", invalid="ignore"):
            contrast = (abs(finite[0].mean(axis=0) - finite[1].mean(axis=0))
                        / (finite[0].std(axis=0) + finite[1].std(axis=0)))
        order = np.argsort(-np.nan_to_num(contrast, posinf=np.inf), kind="stable")
        found += _gaussian_ratios(finite[0], finite[1], order[:MOST_JOINT])
    return found + [Statistic(f"entry {j}", lambda x, j=j: x[:, j])  # type: ignore[misc]
                    for j in order[:MOST_COORDINATES].tolist()]


def _gaps(x: Array) -> Array:
    """Return gaps between consecutive sorted entries of each output, shape (runs, size - 1)."""
    with np.errstate(invalid="ignore"):
        return np.diff(np.sort(x, axis=1), axis=1)


def fingerprint(x: Array) -> Array:
    """Hash each output, shape (runs, size) to (runs,); equal outputs have equal hashes."""
    # one bit pattern for NaN and for 0
    bits = np.where(np.isnan(x), np.nan, x + 0.0).view(np.uint64)
    hashed = np.zeros(len(x), np.uint64)
    for column in bits.T:
        hashed = (hashed ^ column) * np.uint64(0x9E3779B97F4A7C15)  # odd: invertible mod 2^64
        hashed ^= hashed >> np.uint64(29)
    return (hashed >> np.uint64(11)).astype(float)  # 53 bits are exact in a float


def _gaussian_ratios(a: Array, b: Array, columns: NDArray[np.intp]) -> list[Statistic]:
    """Return log-likelihood ratios of fitted Gaussians: linear (one covariance) and quadratic."""
    a, b = a[:, columns], b[:, columns]
    means = a.mean(axis=0), b.mean(axis=0)
    covariances = np.cov(a, rowvar=False), np.cov(b, rowvar=False)
    pooled = (covariances[0] + covariances[1]) / 2
    scale = np.trace(pooled) / len(columns)
    ridge = RIDGE * (scale if scale > 0 else 1.0) * np.eye(len(columns))
    direction = np.linalg.solve(pooled + ridge, means[0] - means[1])  # Fisher 1936
    centre = (means[0] + means[1]) / 2
    roots = [np.linalg.inv(np.linalg.cholesky(covariance + ridge)) for covariance in covariances]

    def linear(x: Array) -> Array:
        with np.errstate(invalid="ignore"):
            return (x[:, columns] - centre) @ direction

    def quadratic(x: Array) -> Array:
        with np.errstate(invalid="ignore", over="ignore"):
            far = [np.square((x[:, columns] - mean) @ root.T).sum(axis=1)
                   for mean, root in zip(means, roots, strict=True)]
            return (far[1] - far[0]) / 2

    return [Statistic("projection on the difference of means", linear),
            Statistic("Gaussian log-likelihood ratio", quadratic)]
