r"""How many users pull each arm in a phase of arm elimination: the one thing that tells its published variants apart.

AE, LDP-AE and SDP-AE use equal batches, VB-SDP-AE doubles them, and both add up all sums of an arm. DP-SE (Sajed & Sheffet
2019) starts every phase *anew*: phase e pulls each arm just often enough to know means within a quarter of the gap
:math:`\Delta_e = 2^{-e}`, looks at this phase's rewards only, and so eliminates every arm with a gap of :math:`\Delta_e` or more.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from numpy.typing import ArrayLike, NDArray

from bandits_dp import _checks
from bandits_dp.learners.confidence import ChernoffWidth
from bandits_dp.privatizers import Privatizer


@runtime_checkable
class Batches(Protocol):
    """A schedule of batch sizes.

    Warning: sizes must not shrink from phase to phase. The certified width counts decisions as if no batch were smaller than the
    first (:func:`bandits_dp.learners.arm_elimination.most_decisions`), so its union bound is too small for a schedule that shrinks.
    """

    @property
    def fresh(self) -> bool:
        """Whether a phase forgets what earlier phases released."""

    @property
    def steady(self) -> bool:
        """Whether all batches have one size, and none is forgotten."""

    def size(self, phase: int, arms: int) -> int:
        """Return how many users pull each arm in a phase (from 1) that begins with so many viable arms."""


@dataclass(frozen=True)
class EqualBatches:
    """The same ``every`` time."""

    every: int
    fresh = False
    steady = True

    def size(self, phase: int, arms: int) -> int:
        """Return what it is every time."""
        return self.every


@dataclass(frozen=True)
class DoublingBatches:
    """2^t users in phase t."""

    fresh = False
    steady = False

    def size(self, phase: int, arms: int) -> int:
        """Return 2^t."""
        return int(2**phase)


class GapBatches:
    r"""Fresh batches for ever smaller gaps, certified: the fewest users for a width of :math:`\Delta_e / 4`.

    Rewards alone need more than :math:`4^e \cdot 8 \ln 2` users of each of two arms in phase e, which bounds the number of phases.

    Parameters
    ----------
    width : ChernoffWidth
        The width that the learner uses, too.
    privatizer : Privatizer
        With noise whose law is the same for every number of users, as in the central model.
    """

    fresh = True
    steady = False

    def __init__(self, width: ChernoffWidth, privatizer: Privatizer) -> None:
        self.width = width
        self.privatizer = privatizer

    def size(self, phase: int, arms: int) -> int:
        """Return the fewest users for which the half width is at most 2^-e / 4."""
        return self.width.fewest_users(self.privatizer, 2.0 ** -(phase + 2))

    @staticmethod
    def most_phases(horizon: int) -> int:
        """Return the largest P with 2 * 8 ln 2 * (4 + ... + 4^P) <= T, and at least 1: no run decides more often."""
        return max(1, int(math.log(1 + 3 * horizon / (64 * math.log(2)), 4)))


class Published(ABC):
    r"""Fresh batches and their widths as printed in a paper: one object is the learner's schedule and its width.

    Parameters
    ----------
    horizon : int
        T, >= 1; the probability that a width fails is to be :math:`\beta = 1/T`, for a bound on the expected regret.
    epsilon : float
        Privacy parameter, > 0.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """

    fresh = True
    steady = False

    def __init__(self, horizon: int, epsilon: float) -> None:
        self.beta = 1 / _checks.integer("horizon", horizon)
        self.epsilon = _checks.epsilon(epsilon)
        self.forget()

    def size(self, phase: int, arms: int) -> int:
        """Return how many users pull each arm in the coming phase, and keep its logarithm for the width."""
        self._log = math.log(2 * arms * phase**2 / self.beta)
        return self._size(phase)

    @abstractmethod
    def _size(self, phase: int) -> int:
        """Return how many users pull each arm in a phase."""

    @abstractmethod
    def _width(self, n: int) -> float:
        """Return the half width for n users of each arm."""

    def add(self, privatizer: Privatizer, batches: int = 1) -> None:
        """Take in the release of this phase."""
        self.users = privatizer.users
        self._half = self._width(self.users)

    def half_width(self) -> float:
        """Return the width of one side of the mean in the last phase; infinite before the first release."""
        return self._half

    def forget(self) -> None:
        """Start anew, without any release."""
        self.users = 0
        self._half = math.inf

    def pack(self) -> dict[str, ArrayLike]:
        """Return what ``add`` changes, by name."""
        return {"width_users": self.users, "width_half": self._half}

    def unpack(self, state: dict[str, NDArray[Any]]) -> None:
        """Take back what ``pack`` returned."""
        self.users, self._half = int(state["width_users"]), float(state["width_half"])


class PublishedEpochs(Published):
    r"""DP-SE (Sajed & Sheffet 2019) in our reading, with :math:`|S|` viable arms in epoch e.

    Their text was not at hand; the simulation of Chowdhury & Zhou 2023 has the same constants for DP-SE.

    .. math:: R_e = \max\Big(\frac{32 L}{\Delta_e^2}, \frac{8 L'}{\varepsilon \Delta_e} \Big) + 1, \qquad
              h_e + c_e = \sqrt{\frac{L}{2 R_e}} + \frac{L'}{\varepsilon R_e}

    with :math:`\Delta_e = 2^{-e}`, :math:`L = \ln(8 |S| e^2 / \beta)` and :math:`L' = \ln(4 |S| e^2 / \beta)`; R_e is rounded up to
    an integer. The epoch ends with the elimination of every arm whose noisy mean is over :math:`2 (h_e + c_e)` below the largest.

    Parameters and errors: those of :class:`Published`.
    """

    def _size(self, phase: int) -> int:
        gap = 2.0**-phase
        sampling, noise = self._log + math.log(4), self._log + math.log(2)
        return math.ceil(max(32 * sampling / gap**2, 8 * noise / (self.epsilon * gap)) + 1)  # R_e

    def _width(self, n: int) -> float:
        sampling, noise = self._log + math.log(4), self._log + math.log(2)
        return math.sqrt(sampling / (2 * n)) + noise / (self.epsilon * n)  # h_e + c_e


class PublishedDoubling(Published):
    r"""Fresh batches of :math:`2^b` with the width of Chowdhury & Zhou 2023 for discrete Laplace noise.

    .. math:: \sqrt{\frac{L + \ln 2}{2 n}} + \frac{\sqrt{2 L} + L}{\varepsilon n}, \qquad L = \ln(2 |S| b^2 / \beta) .

    The paper prints it up to constants; these are those of its authors' simulation.

    Parameters and errors: those of :class:`Published`.
    """

    def _size(self, phase: int) -> int:
        return int(2**phase)

    def _width(self, n: int) -> float:
        noise = math.sqrt(2 * self._log) + self._log
        return math.sqrt((self._log + math.log(2)) / (2 * n)) + noise / (self.epsilon * n)


def batches(batch_size: int | str | Batches) -> Batches:
    """Return the schedule that a batch size stands for: an integer, "doubling", or a schedule itself.

    Raises
    ------
    ValueError
        If it is neither a positive integer nor "doubling" nor a schedule.
    """
    if isinstance(batch_size, Batches):
        return batch_size
    if batch_size == "doubling":
        return DoublingBatches()
    if isinstance(batch_size, str):
        raise ValueError(f"batch_size must be an integer that is at least 1, or 'doubling', got {batch_size!r}")
    return EqualBatches(_checks.integer("batch_size", batch_size))
