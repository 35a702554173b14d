"""Where one user's value may lie, and so how far one user can move a sum.

A privatizer's noise is right for the values that its domain allows and for no others. So every domain can check values, or clip any
floats, NaN and infinities included, and it knows its diameters: the largest distance between two allowed values, which is the
sensitivity of a sum when one user's value is replaced. Norms are checked up to a rounding error of 1e-9; by how much more a value
that uses this room can move a sum, :func:`slack` says.
"""

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp import _checks

SLACK = 1e-9  # relative room for rounding in norms that a caller computed in floating point


def rows(values: ArrayLike, users: int | None, dimension: int, name: str = "values", finite: bool = True) -> NDArray[np.float64]:
    """Return values as an array of shape (users, dimension), any number of users if None, or say what is wrong.

    What is not ``finite`` is wrong, too, if not said otherwise.
    """
    expected = f"({'users' if users is None else users}, {dimension})"
    array = _checks.numbers(name, values, f"numbers of shape {expected}")
    if users is None:
        users = len(array) if array.ndim else 0
    if dimension == 1 and array.shape == (users,):
        array = array[:, None]
    if array.shape != (users, dimension):
        raise ValueError(f"{name} must have shape {expected}, one row per user, got shape {array.shape}")
    bad = ~_checks.usable(array)
    if finite and bad.any():
        row, column = np.argwhere(bad)[0]
        raise ValueError(f"{name} must be finite, got {array[row, column]} in row {row}")
    return array


@cache
def triangle(dimension: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the rows and columns of the upper triangle of a symmetric matrix, row by row."""
    return np.triu_indices(dimension)


@_checks.checked(low=_checks.finite, high=_checks.finite)
@dataclass(frozen=True)
class Box:
    """Vectors with every coordinate in an interval; bits if ``whole``.

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
    How far one user moves a sum of vectors in [-1, 1]^4, and the noise that this takes at (1, 1e-6):

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
            raise ValueError(f"high must be a number in ({self.low:g}, inf), got {self.high!r}: it must be above low")

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
        ends = f"{{{self.low:g}, {self.high:g}}}" if self.whole else f"[{self.low:g}, {self.high:g}]"
        return ends if self.dimension == 1 else f"{ends}^{self.dimension}"

    def check(self, array: NDArray[np.float64], name: str = "values") -> None:
        """Raise a ValueError that names the first row outside, if any; ``array`` has shape (users, dimension)."""
        good = (array == self.low) | (array == self.high) if self.whole else (array >= self.low) & (array <= self.high)
        if not good.all():
            row, column = np.argwhere(~good)[0]
            allowed = f"{self.low:g} or {self.high:g}" if self.whole else f"in [{self.low:g}, {self.high:g}]"
            raise ValueError(f"{name} must be {allowed}, got {array[row, column]} in row {row}; nothing is clipped for you")

    def clip(self, array: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the nearest allowed vectors; NaN is taken for the middle of the interval, and a bit in the middle for ``high``."""
        middle = (self.low + self.high) / 2
        nearest = np.clip(np.where(np.isnan(array), middle, array), self.low, self.high)
        return np.where(nearest * 2 < self.low + self.high, self.low, self.high) if self.whole else nearest


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
    How far one user moves a sum of vectors of norm at most 1, and the noise that this takes at (1, 1e-6), in any dimension:

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
        return f"the ball of radius {self.norm:g} in R^{self.dimension}"

    def check(self, array: NDArray[np.float64], name: str = "values") -> None:
        """Raise a ValueError that names the first row outside, if any; ``array`` has shape (users, dimension)."""
        norms = np.linalg.norm(array, axis=1)
        bad = np.flatnonzero(norms > self.norm * (1 + SLACK))
        if bad.size:
            raise ValueError(f"{name} must have norm at most {self.norm:g}, got {norms[bad[0]]:g} in row {bad[0]}; "
                             "nothing is clipped for you")

    def clip(self, array: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the nearest allowed vectors.

        A vector with NaN becomes the centre, and one with infinities the point on the border that their signs point to.
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


@_checks.checked(features=_checks.integer, reward=_checks.share)
@dataclass(frozen=True)
class LinearStatistics:
    r"""What linear regression needs of one user: :math:`(\phi y, \phi \phi^\top)` with :math:`\lVert\phi\rVert \le 1, |y| \le h`.

    The symmetric matrix is counted once per unordered pair: a value has the d numbers of :math:`\phi y` and then the
    d (d + 1) / 2 numbers of the upper triangle, row by row. :meth:`encode` makes such values.

    Let :math:`s = |\phi^\top \psi|` for two users. The vectors :math:`\phi y` and :math:`\psi z` are at most
    :math:`h \sqrt{2 + 2 s}` apart, and the matrices :math:`\phi\phi^\top` and :math:`\psi\psi^\top` at most
    :math:`\sqrt{2 - 2 s^2}` in the Frobenius norm, which off-diagonal entries counted once can only shrink. Both grow with the
    norms, so these may be 1. The sum of squares, :math:`2 h^2 + 2 + 2 h^2 s - 2 s^2`, is largest at :math:`s = h^2 / 2`, where it
    is :math:`(2 + h^2)^2 / 2`: the l2 diameter is at most :math:`(2 + h^2) / \sqrt 2`. For h = 1 that is :math:`3 / \sqrt 2`, and
    from d = 2 on it is reached; bounding the two parts apart, by 2 and :math:`\sqrt 2`, would give :math:`\sqrt 6`, which is 15%
    more. For rewards in [0, 1] minus 1/2 it is 1.591 instead of 2.121.

    Parameters
    ----------
    features : int
        d, >= 1.
    reward : float
        h, in (0, 1].

    Raises
    ------
    ValueError
        If ``features`` is not a positive integer, or ``reward`` is out of range.

    Examples
    --------
    What a user with features (0.6, 0.8) and reward 1 sends, and how far one user moves the sum:

    >>> import bandits_dp as bdp
    >>> statistics = bdp.privatizers.LinearStatistics(2)
    >>> statistics.encode([[0.6, 0.8]], [1.0]).round(2).tolist(), round(statistics.l2_diameter, 3)
    ([[0.6, 0.8, 0.36, 0.48, 0.64]], 2.121)
    """

    features: int
    reward: float = 1.0
    low, high = -1.0, 1.0

    @property
    def dimension(self) -> int:
        """Numbers per user."""
        return self.features + self.features * (self.features + 1) // 2

    @property
    def l2_diameter(self) -> float:
        """Largest Euclidean distance between two allowed vectors, at most."""
        return (2 + self.reward**2) / math.sqrt(2)

    @property
    def l1_diameter(self) -> float:
        """Largest l1 distance between two allowed vectors, at most."""
        return self.l2_diameter * math.sqrt(self.dimension)

    def __str__(self) -> str:
        """Return the domain in words."""
        norms = "both norms at most 1" if self.reward == 1 else f"norm of phi at most 1 and |y| at most {self.reward:g}"
        return f"(phi y, phi phi') with phi in R^{self.features}, {norms}"

    def encode(self, features: ArrayLike, rewards: ArrayLike) -> NDArray[np.float64]:
        """Turn features, shape (users, d), and rewards, shape (users,), into values, shape (users, dimension)."""
        phi = _checks.numbers("features", features, f"numbers of shape (users, {self.features})")
        y = _checks.numbers("rewards", rewards, "numbers of shape (users,)")
        if phi.ndim != 2 or phi.shape[1] != self.features or y.shape != phi.shape[:1]:
            raise ValueError(f"features must have shape (users, {self.features}) and rewards shape (users,), "
                             f"got {phi.shape} and {y.shape}")
        for name, array in (("features", phi), ("rewards", y)):
            if not _checks.usable(array).all():
                raise ValueError(f"{name} must be finite, and at most {_checks.LARGEST:g} in size, got {array}")
        return self._encoded(phi, y)

    def _encoded(self, phi: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
        """Do what :meth:`encode` does for arrays that are known to be right."""
        row, column = triangle(self.features)
        return np.hstack([phi * y[:, None], phi[:, row] * phi[:, column]])

    def decode(self, total: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Split a released sum, shape (dimension,), into the vector, shape (d,), and the symmetric matrix, shape (d, d)."""
        d = self.features
        matrix = np.zeros((d, d))
        matrix[triangle(d)] = total[d:]
        return total[:d], matrix + np.triu(matrix, 1).T

    def check(self, array: NDArray[np.float64], name: str = "values") -> None:
        """Raise a ValueError that names the first row that no (phi, y) gives; ``array`` has shape (users, dimension)."""
        d = self.features
        vector, upper = array[:, :d], array[:, d:]
        row, column = triangle(d)
        diagonal = upper[:, row == column]
        users = np.arange(len(array))
        top = diagonal.argmax(axis=1)
        matrix = np.empty((len(array), d, d))
        matrix[:, row, column] = matrix[:, column, row] = upper
        size = np.sqrt(np.maximum(diagonal[users, top], 0.0))
        with np.errstate(over="ignore", invalid="ignore"):  # of numbers that are refused
            phi = matrix[users, top] / np.where(size > 0, size, 1.0)[:, None]  # phi up to its sign, from the largest column
            y = (phi * vector).sum(axis=1) / np.maximum((phi**2).sum(axis=1), 1e-300)
            apart = np.abs(self._encoded(phi, y) - array).max(axis=1)
            good = (apart <= SLACK) & ((phi**2).sum(axis=1) <= 1 + SLACK) & (np.abs(y) <= 1 + SLACK)
        bad = np.flatnonzero(~good)
        if bad.size:
            raise ValueError(f"{name} must be (phi y, upper triangle of phi phi') with norm of phi and |y| at most 1, "
                             f"got {array[bad[0]]} in row {bad[0]}; nothing is clipped for you")
        large = np.flatnonzero(np.abs(y) > self.reward + SLACK)
        if large.size:
            raise ValueError(f"{name} must have |y| at most {self.reward:g}, got {abs(y[large[0]]):g} in row {large[0]}; "
                             "nothing is clipped for you")

    def clip(self, array: NDArray[np.float64]) -> NDArray[np.float64]:
        """Refuse: clip phi and y before they are encoded."""
        raise ValueError("clip must be False for linear statistics, got True: clip phi and y before you encode them")


@_checks.checked()
@dataclass(frozen=True)
class Reals:
    """Any finite vectors: only what is not private can take them, because their diameters are infinite.

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
    One user can move the sum by anything:

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

    def check(self, array: NDArray[np.float64], name: str = "values") -> None:
        """Accept everything."""

    def clip(self, array: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the vectors themselves, with 0 for NaN, and 1e100 in size for what is larger, or infinite."""
        return np.clip(np.nan_to_num(array, nan=0.0), -_checks.LARGEST, _checks.LARGEST)


Domain = Box | Ball | LinearStatistics | Reals
UNIT_INTERVAL = Box(1)
BITS = Box(1, whole=True)


def noun(domain: Domain) -> str:
    """Return what a user gives: a reward, a vector, or, as linear statistics, a round."""
    return "round" if isinstance(domain, LinearStatistics) else "reward" if domain.dimension == 1 else "vector"


def checked_domain(domain: object) -> Domain:
    """Return a domain whose vectors fit into memory, or say what is wrong."""
    known: Domain = _checks.one_of("domain", domain, Domain, "one of bandits_dp.privatizers, such as Box(1)")
    _checks.room("domain", known.dimension)
    return known


def slack(domain: Domain) -> float:
    """Bound by how much two values that are let pass can be further apart, in the l2 norm, than the diameter.

    Linear statistics may be off by the room in every number, and are made of features and a reward that are too long by it.
    """
    return 0.0 if isinstance(domain, Box) else 2 * SLACK * (2 + math.sqrt(domain.dimension)) * domain.high


def covers(domain: Domain, other: Domain) -> bool:
    """Whether every number of another one-dimensional domain is in this one."""
    if getattr(domain, "whole", False):
        return domain == other
    return domain.low <= other.low and other.high <= domain.high
