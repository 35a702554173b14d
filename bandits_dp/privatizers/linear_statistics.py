"""The domain of linear regression: values made of a user's features and reward."""

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp import _checks
from bandits_dp._checks import SLACK, exact
from bandits_dp._types import Floats


@cache
def triangle(dimension: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the rows and columns of the upper triangle of a symmetric matrix, row by row."""
    return np.triu_indices(dimension)


@_checks.checked(features=_checks.integer, reward=_checks.share)
@dataclass(frozen=True)
class LinearStatistics:
    r"""Statistics :math:`(\phi y, \phi \phi^\top)`, :math:`\lVert\phi\rVert \le 1, |y| \le h`.

    One user's contribution to a linear regression. A value has the d numbers of :math:`\phi y` and
    then the d (d + 1) / 2 numbers of the matrix's upper triangle, row by row. :meth:`encode` makes
    such values.

    Let :math:`s = |\phi^\top \psi|` for two users. The vectors :math:`\phi y` and :math:`\psi z`
    are at most :math:`h \sqrt{2 + 2 s}` apart, and the matrices :math:`\phi\phi^\top` and
    :math:`\psi\psi^\top` at most :math:`\sqrt{2 - 2 s^2}` in the Frobenius norm; counting
    off-diagonal entries once only reduces this. Both distances grow with the norms, so take norms
    of 1. The sum of squares, :math:`2 h^2 + 2 + 2 h^2 s - 2 s^2`, is largest at
    :math:`s = h^2 / 2`, with value :math:`(2 + h^2)^2 / 2`, so the l2 diameter is at most
    :math:`(2 + h^2) / \sqrt 2`. For h = 1 this is :math:`3 / \sqrt 2`, and it is attained for d >=
    2; separate bounds on the two parts, 2 and :math:`\sqrt 2`, would give :math:`\sqrt 6`, which is
    15% more. For rewards in [0, 1] minus 1/2 it is 1.591 instead of 2.121.

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
    The value of a user with features (0.6, 0.8) and reward 1, and how far one user moves the sum:

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
        """Upper bound on the Euclidean distance between two allowed vectors."""
        return (2 + self.reward**2) / math.sqrt(2)

    @property
    def l1_diameter(self) -> float:
        """Upper bound on the l1 distance between two allowed vectors."""
        return self.l2_diameter * math.sqrt(self.dimension)

    def __str__(self) -> str:
        """Return the domain in words."""
        norms = ("both norms at most 1" if self.reward == 1
                 else f"norm of phi at most 1 and |y| at most {exact(self.reward)}")
        return f"(phi y, phi phi') with phi in R^{self.features}, {norms}"

    def encode(self, features: ArrayLike, rewards: ArrayLike) -> Floats:
        """Turn features (users, d) and rewards (users,) into values, shape (users, dimension)."""
        phi = _checks.numbers("features", features, f"numbers of shape (users, {self.features})")
        y = _checks.numbers("rewards", rewards, "numbers of shape (users,)")
        if phi.ndim != 2 or phi.shape[1] != self.features or y.shape != phi.shape[:1]:
            raise ValueError(f"features must have shape (users, {self.features}) and rewards shape "
                             f"(users,), got {phi.shape} and {y.shape}")
        for name, array in (("features", phi), ("rewards", y)):
            if not _checks.usable(array).all():
                raise ValueError(f"{name} must be finite, and at most {_checks.LARGEST:g} in size, "
                                 f"got {array}")
        return self._encoded(phi, y)

    def _encoded(self, phi: Floats, y: Floats) -> Floats:
        """Do the same as :meth:`encode` without checks."""
        row, column = triangle(self.features)
        return np.hstack([phi * y[:, None], phi[:, row] * phi[:, column]])

    def decode(self, total: Floats) -> tuple[Floats, Floats]:
        """Split a sum (dimension,) into the vector, shape (d,), and the matrix, shape (d, d)."""
        d = self.features
        matrix = np.zeros((d, d))
        matrix[triangle(d)] = total[d:]
        return total[:d], matrix + np.triu(matrix, 1).T

    def check(self, array: Floats, name: str = "values") -> None:
        """Raise a ValueError that names the first invalid row; shape (users, dimension)."""
        d = self.features
        vector, upper = array[:, :d], array[:, d:]
        row, column = triangle(d)
        diagonal = upper[:, row == column]
        users = np.arange(len(array))
        top = diagonal.argmax(axis=1)
        matrix = np.empty((len(array), d, d))
        matrix[:, row, column] = matrix[:, column, row] = upper
        size = np.sqrt(np.maximum(diagonal[users, top], 0.0))
        with np.errstate(over="ignore", invalid="ignore"):  # for numbers that are refused
            # +-phi, from the largest column
            phi = matrix[users, top] / np.where(size > 0, size, 1.0)[:, None]
            y = (phi * vector).sum(axis=1) / np.maximum((phi**2).sum(axis=1), 1e-300)
            apart = np.abs(self._encoded(phi, y) - array).max(axis=1)
            good = (apart <= SLACK) & ((phi**2).sum(axis=1) <= 1 + SLACK) & (np.abs(y) <= 1 + SLACK)
        bad = np.flatnonzero(~good)
        if bad.size:
            raise ValueError(f"{name} must be (phi y, upper triangle of phi phi') with norm of phi "
                             f"and |y| at most 1, got {array[bad[0]]} in row {bad[0]}; nothing is "
                             "clipped for you")
        large = np.flatnonzero(np.abs(y) > self.reward + SLACK)
        if large.size:
            raise ValueError(
                f"{name} must have |y| at most {exact(self.reward)}, got {exact(abs(y[large[0]]))} "
                f"in row {large[0]}; nothing is clipped for you")

    def clip(self, array: Floats) -> Floats:
        """Raise a ValueError: clip phi and y before they are encoded."""
        raise ValueError("clip must be False for linear statistics, got True: clip phi and y "
                         "before you encode them")
