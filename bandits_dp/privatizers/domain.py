"""Domains: the allowed values of one user, which limit how far one user can move a sum.

A privatizer's noise is calibrated to the values of its domain. So every domain can check values, or
clip any floats, NaN and infinities included. Its diameter, the largest distance between two allowed
values, is the sensitivity of a sum when one user's value is replaced. Norms are checked up to a
rounding error of 1e-9; :func:`slack` gives the extra sensitivity that this tolerance allows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from bandits_dp import _checks
from bandits_dp._checks import SLACK, exact
from bandits_dp._types import Floats
from bandits_dp.noise.grid import Grid, grid
from bandits_dp.privatizers.linear_statistics import LinearStatistics

TAIL = 64  # scales that Gaussian noise exceeds with probability below exp(-2000)


def rows(values: ArrayLike, users: int | None, dimension: int, name: str = "values",
         finite: bool = True) -> Floats:
    """Return values, shape (users, dimension), or raise a ValueError; any number of users if None.

    Numbers above 1e100 in size, infinities and NaN are refused if ``finite``.
    """
    expected = f"({'users' if users is None else users}, {dimension})"
    array = _checks.numbers(name, values, f"numbers of shape {expected}")
    if users is None:
        users = len(array) if array.ndim else 0
    if dimension == 1 and array.shape == (users,):
        array = array[:, None]
    if array.shape != (users, dimension):
        raise ValueError(f"{name} must have shape {expected}, one row per user, got shape "
                         f"{array.shape}")
    bad = ~_checks.usable(array)
    if finite and bad.any():
        row, column = np.argwhere(bad)[0]
        raise ValueError(f"{name} must be finite, got {array[row, column]} in row {row}")
    return array


@_checks.checked(low=_checks.finite, high=_checks.finite)
@dataclass(frozen=True)
class Box:
    """Vectors with every coordinate in an interval, or at its ends if ``whole``.

    Parameters
    ----------
    dimension : int
        Number of coordinates, >= 1.
    low, high : float
        Ends of the interval, low < high.
    whole : bool
        Whether only the two ends are allowed.

    Raises
    ------
    ValueError
        If the dimension is not a positive integer, or the ends are not finite and in order.

    Examples
    --------
    How far one user moves a sum of vectors in [-1, 1]^4, and the noise that hides it at (1, 1e-6):

    >>> import bandits_dp as bdp
    >>> box = bdp.privatizers.Box(4, low=-1.0, high=1.0)
    >>> box.l2_diameter, round(bdp.accounting.gaussian_noise_std(1.0, 1e-6, box.l2_diameter), 1)
    (4.0, 16.9)
    """

    dimension: int
    low: float = 0.0
    high: float = 1.0
    whole: bool = False

    def __post_init__(self) -> None:
        """Check the order."""
        if not self.low < self.high:
            raise ValueError(f"high must be a number in ({self.low:g}, inf), got {self.high!r}: it "
                             "must be above low")

    @property
    def l2_diameter(self) -> float:
        """Largest Euclidean distance between two allowed vectors."""
        return (self.high - self.low) * math.sqrt(self.dimension)

    @property
    def l1_diameter(self) -> float:
        """Largest l1 distance between two allowed vectors."""
        return (self.high - self.low) * self.dimension

    def __str__(self) -> str:
        """Return the domain in words."""
        low, high = exact(self.low), exact(self.high)
        ends = f"{{{low}, {high}}}" if self.whole else f"[{low}, {high}]"
        return ends if self.dimension == 1 else f"{ends}^{self.dimension}"

    def check(self, array: Floats, name: str = "values") -> None:
        """Raise a ValueError that names the first row outside, if any; shape (users, dimension)."""
        good = ((array == self.low) | (array == self.high) if self.whole
                else (array >= self.low) & (array <= self.high))
        if not good.all():
            row, column = np.argwhere(~good)[0]
            low, high = exact(self.low), exact(self.high)
            allowed = f"{low} or {high}" if self.whole else f"in [{low}, {high}]"
            raise ValueError(f"{name} must be {allowed}, got {array[row, column]} in row {row}; "
                             "nothing is clipped for you")

    def clip(self, array: Floats) -> Floats:
        """Return the nearest allowed vectors; NaN becomes the middle, or ``high`` if ``whole``."""
        middle = (self.low + self.high) / 2
        nearest = np.clip(np.where(np.isnan(array), middle, array), self.low, self.high)
        return (np.where(nearest * 2 < self.low + self.high, self.low, self.high) if self.whole
                else nearest)


@_checks.checked()
@dataclass(frozen=True)
class Ball:
    """Vectors whose Euclidean norm is at most a bound.

    Parameters
    ----------
    dimension : int
        Number of coordinates, >= 1.
    norm : float
        The bound, > 0.

    Examples
    --------
    How far one user moves a sum of vectors of norm at most 1, and the noise that hides it at (1,
    1e-6), in any dimension:

    >>> import bandits_dp as bdp
    >>> ball = bdp.privatizers.Ball(4)
    >>> ball.l2_diameter, round(bdp.accounting.gaussian_noise_std(1.0, 1e-6, ball.l2_diameter), 1)
    (2.0, 8.4)
    """

    dimension: int
    norm: float = 1.0

    @property
    def low(self) -> float:
        """Smallest value of a coordinate."""
        return -self.norm

    @property
    def high(self) -> float:
        """Largest value of a coordinate."""
        return self.norm

    @property
    def l2_diameter(self) -> float:
        """Largest Euclidean distance between two allowed vectors."""
        return 2 * self.norm

    @property
    def l1_diameter(self) -> float:
        """Largest l1 distance between two allowed vectors."""
        return 2 * self.norm * math.sqrt(self.dimension)

    def __str__(self) -> str:
        """Return the domain in words."""
        return f"the ball of radius {exact(self.norm)} in R^{self.dimension}"

    def check(self, array: Floats, name: str = "values") -> None:
        """Raise a ValueError that names the first row outside, if any; shape (users, dimension)."""
        norms = np.linalg.norm(array, axis=1)
        bad = np.flatnonzero(~(norms <= self.norm * (1 + SLACK)))  # NaN is bad, too
        if bad.size:
            raise ValueError(f"{name} must have norm at most {exact(self.norm)}, got "
                             f"{exact(norms[bad[0]])} in row {bad[0]}; nothing is clipped for you")

    def clip(self, array: Floats) -> Floats:
        """Return the nearest allowed vectors.

        A vector with NaN becomes the centre. A vector with infinities becomes the border point in
        the direction of their signs.
        """
        array = np.where(np.isnan(array).any(axis=1, keepdims=True), 0.0, array)
        largest = np.abs(array).max(axis=1, keepdims=True)
        far = largest > _checks.LARGEST  # whose squares are infinite
        if far.any():
            signs = np.where(np.isinf(array), np.sign(array), 0.0)
            finite = np.nan_to_num(array) / np.maximum(largest, _checks.LARGEST)
            array = np.where(far, self.norm * np.where(np.isinf(largest), signs, finite), array)
        norms = np.linalg.norm(array, axis=1, keepdims=True)
        return array * np.minimum(1.0, self.norm / np.maximum(norms, self.norm))


@_checks.checked()
@dataclass(frozen=True)
class Reals:
    """All finite vectors. The diameters are infinite, so only non-private sums accept them.

    Parameters
    ----------
    dimension : int
        Number of coordinates, >= 1.

    Raises
    ------
    ValueError
        If the dimension is not a positive integer.

    Examples
    --------
    One user can move the sum by any amount:

    >>> import numpy as np
    >>> import bandits_dp as bdp
    >>> exact = bdp.privatizers.Identity(2, domain=bdp.privatizers.Reals(1))
    >>> exact.release([5.0, -1e6], np.random.default_rng(1)).tolist(), exact.domain.l2_diameter
    ([-999995.0], inf)
    """

    dimension: int
    low, high = -math.inf, math.inf
    l2_diameter = l1_diameter = math.inf

    def __str__(self) -> str:
        """Return the domain in words."""
        return f"R^{self.dimension}"

    def check(self, array: Floats, name: str = "values") -> None:
        """Accept everything."""

    def clip(self, array: Floats) -> Floats:
        """Return the vectors with 0 for NaN and every size limited to 1e100."""
        return np.clip(np.nan_to_num(array, nan=0.0), -_checks.LARGEST, _checks.LARGEST)


Domain = Box | Ball | LinearStatistics | Reals
UNIT_INTERVAL = Box(1)
BITS = Box(1, whole=True)


def noun(domain: Domain) -> str:
    """Return the name of one value: "reward", "vector", or, for linear statistics, "round"."""
    return ("round" if isinstance(domain, LinearStatistics) else "reward" if domain.dimension == 1
            else "vector")


def checked_domain(domain: object) -> Domain:
    """Return ``domain``; raise if it is not one or its vectors do not fit into memory."""
    known: Domain = _checks.one_of("domain", domain, Domain,
                                   "one of bandits_dp.privatizers, such as Box(1)")
    _checks.room("domain", known.dimension)
    return known


def slack(domain: Domain) -> float:
    """Bound the excess of the l2 distance of two accepted values over the diameter.

    Every number of accepted linear statistics may be off by the tolerance, and so may the norms of
    their features and reward.
    """
    return (0.0 if isinstance(domain, Box)
            else 2 * SLACK * (2 + math.sqrt(domain.dimension)) * domain.high)


def domain_grid(law: str, scale: float, domain: Domain, users: int = 1, noise: bool = False,
                roundings: int = 1) -> Grid:
    """Grid on which sums over ``users`` values of a domain (with noise, if ``noise``) are exact.

    ``roundings`` is the number of separately rounded summands of a user's value.
    """
    gaussian = law == "gaussian"
    distance, root = ((domain.l2_diameter, 1.0) if gaussian
                      else (domain.l1_diameter, math.sqrt(domain.dimension)))
    largest = max(abs(domain.low), abs(domain.high)) + (TAIL * scale if noise else 0.0)
    # for Gaussian noise their root counts
    numbers = domain.dimension * (roundings**2 if gaussian else roundings)
    return grid(law, scale, distance, numbers, slack(domain) * root, 2 * users * largest)


def covers(domain: Domain, other: Domain) -> bool:
    """Whether ``domain`` contains every number of ``other``; both are one-dimensional."""
    if getattr(domain, "whole", False):
        return domain == other
    return domain.low <= other.low and other.high <= domain.high
