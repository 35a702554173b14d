r"""Linear statistics with smaller rewards: a proved gain for rewards that can be centred."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bandits_dp import _checks
from bandits_dp.privatizers.domain import SLACK, LinearStatistics


@dataclass(frozen=True)
class CentredStatistics(LinearStatistics):
    r""":math:`(\phi y, \phi \phi^\top)` with :math:`\lVert\phi\rVert \le 1` and :math:`|y| \le h`.

    As in :class:`bandits_dp.privatizers.domain.LinearStatistics`, with :math:`s = |\phi^\top \psi|`: the two parts of two users are
    at most :math:`h \sqrt{2 + 2 s}` and :math:`\sqrt{2 - 2 s^2}` apart. The sum of squares :math:`2 h^2 + 2 + 2 h^2 s - 2 s^2` is
    largest at :math:`s = h^2 / 2`, where it is :math:`(2 + h^2)^2 / 2`. So the l2 diameter is :math:`(2 + h^2) / \sqrt 2`: for
    rewards in [0, 1] minus 1/2 it is 1.591 instead of 2.121.

    Parameters
    ----------
    features : int
        d, >= 1.
    reward : float
        h, in (0, 1].

    Raises
    ------
    ValueError
        If a number is out of range.
    """

    reward: float = 0.5

    def __post_init__(self) -> None:
        """Check the numbers."""
        super().__post_init__()
        object.__setattr__(self, "reward", _checks.real("reward", self.reward, 0.0, 1.0, ends="(]"))

    @property
    def l2_diameter(self) -> float:
        """Largest Euclidean distance between two allowed vectors, at most."""
        return (2 + self.reward**2) / math.sqrt(2)

    def __str__(self) -> str:
        """Return the domain in words."""
        return f"(phi y, phi phi') with phi in R^{self.features}, norm of phi at most 1 and |y| at most {self.reward:g}"

    def check(self, array: NDArray[np.float64], name: str = "values") -> None:
        """Raise a ValueError that names the first row that no (phi, y) gives; ``array`` has shape (users, dimension)."""
        super().check(array, name)
        upper = np.triu_indices(self.features)
        length = np.sqrt(array[:, self.features :][:, upper[0] == upper[1]].sum(axis=1))  # norm of phi
        size = np.linalg.norm(array[:, : self.features], axis=1)
        bad = np.flatnonzero(size > self.reward * length + SLACK)
        if bad.size:
            raise ValueError(f"{name} must have |y| at most {self.reward:g}, got {size[bad[0]] / length[bad[0]]:g} in row {bad[0]}"
                             "; nothing is clipped for you")
