"""What phased elimination is put together from: a problem with known actions, a phase, and the width of its margins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from bandits_dp.privatizers import Privatizer

Floats = NDArray[np.float64]
CLIPPED = "; where values are clipped, their means are others, and confidence widths are void"  # what a guarantee says of clip=True


class KnownActions(Protocol):
    """What the core asks of a problem: an instance has actions and gaps, a distribution of instances has only their sizes."""

    @property
    def setting(self) -> str:
        """Which learners can play it."""

    @property
    def arms(self) -> int:
        """Number of actions k."""

    @property
    def dimension(self) -> int:
        """Length of an action d."""

    @property
    def gaps(self) -> Floats:
        """Regret per play of each action, shape (k,)."""

    @property
    def actions(self) -> Floats | None:
        """The actions, shape (k, d); None if every instance has its own."""

    def draw(self, rng: np.random.Generator) -> Self:
        """Return the instance that one run plays."""


@dataclass(frozen=True)
class Phase:
    """One phase: what is played how often, and who answers through what.

    Attributes
    ----------
    length : float
        h_l, the number of plays before rounding up.
    support : ndarray of int, shape (s,)
        Actions that are played, by their index.
    pulls : ndarray of int, shape (s,)
        T_l(x), how often each.
    rank : int
        Dimension of the active actions' span.
    decides : bool
        Whether the phase ends in a release and an elimination.
    people : int
        How many answer each play.
    privatizers : tuple of Privatizer
        One per action of the support, or a single one of a vector of dimension s; each releases a sum over its ``users``, and the
        mean is that sum divided by ``users``. Empty if the phase does not decide.
    """

    length: float
    support: NDArray[np.intp]
    pulls: NDArray[np.int64]
    rank: int
    decides: bool
    people: int = 1
    privatizers: tuple[Privatizer, ...] = ()

    @property
    def plays(self) -> int:
        """Number of rounds."""
        return int(self.pulls.sum())


class Width(Protocol):
    """How far the difference of two estimates may be from the difference of the means."""

    def margins(self, phase: Phase, differences: Floats, coefficients: Floats) -> Floats:
        """Return the margin of each difference x* - x, shape (n,).

        Parameters
        ----------
        phase : Phase
            The phase that has just ended.
        differences : ndarray, shape (n, d)
            Differences of two actions.
        coefficients : ndarray, shape (n, s)
            The estimate of the difference is this times the released means.
        """
