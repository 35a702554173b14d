r"""Batch sizes of arm elimination, which distinguish its published variants.

AE, LDP-AE and SDP-AE use equal batches and VB-SDP-AE doubles them; all of these add up an arm's
sums over phases. DP-SE (Sajed & Sheffet 2019) starts every phase *anew*: phase e pulls each arm
just often enough to estimate means within a quarter of the gap :math:`\Delta_e = 2^{-e}`, uses only
this phase's rewards, and so eliminates every arm with a gap of :math:`\Delta_e` or more.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Protocol, Self, runtime_checkable

from bandits_dp import _checks
from bandits_dp.arms.widths import ChernoffWidth, SummedWidth
from bandits_dp.ask_tell import Noise


@runtime_checkable
class Batches(Protocol):
    """A schedule of batch sizes. With fewer viable arms a phase must not have more users in all.

    Examples
    --------
    >>> import bandits_dp as bdp
    >>> class Tripling:  # users of each arm: 3, 9, 27, ...
    ...     fresh, steady = False, False
    ...     def size(self, phase, arms):
    ...         return 3**phase
    >>> problem = bdp.problems.BernoulliArms([0.9, 0.8])
    >>> learner = bdp.make(
    ...     "SDP-AE", problem, horizon=1000, epsilon=1.0, delta=1e-3, batch_size=Tripling())
    >>> learner.learner.ask().plays.tolist()
    [3, 3]
    """

    @property
    def fresh(self) -> bool:
        """Whether a phase ignores the releases of earlier phases."""

    @property
    def steady(self) -> bool:
        """Whether all batches have the same size and none is forgotten."""

    def size(self, phase: int, arms: int) -> int:
        """Return the users per arm in a phase, >= 1, that begins with ``arms`` viable arms."""


@_checks.checked()
@dataclass(frozen=True)
class EqualBatches:
    """Batches of ``every`` users.

    Examples
    --------
    >>> from bandits_dp.arms.batches import EqualBatches
    >>> [EqualBatches(50).size(phase, arms=2) for phase in (1, 2, 3)]
    [50, 50, 50]
    """

    every: int
    fresh, steady = False, True

    def size(self, phase: int, arms: int) -> int:
        """Return ``every``."""
        return self.every


@dataclass(frozen=True)
class DoublingBatches:
    """Batches of 2^t users in phase t.

    Examples
    --------
    >>> from bandits_dp.arms.batches import DoublingBatches
    >>> [DoublingBatches().size(phase, arms=2) for phase in (1, 2, 3)]
    [2, 4, 8]
    """

    fresh, steady = False, False

    def size(self, phase: int, arms: int) -> int:
        """Return 2^t."""
        return int(2**phase)


class GapBatches:
    r"""Certified fresh batches: the fewest users for a width of :math:`\Delta_e / 4` in phase e.

    Even without noise two arms need more than :math:`4^e \cdot 8 \ln 2` users each in phase e,
    which bounds the number of phases.

    Parameters
    ----------
    width : ChernoffWidth
        The learner's width.
    noise : Noise
        Noise whose distribution does not depend on the number of users, as in the central model.

    Examples
    --------
    >>> import bandits_dp as bdp
    >>> from bandits_dp.arms.batches import GapBatches
    >>> from bandits_dp.arms.widths import ChernoffWidth, SummedWidth
    >>> noise = bdp.privatizers.CentralLaplace(1, epsilon=1.0)
    >>> schedule = GapBatches(ChernoffWidth(10_000, decisions=5), noise)
    >>> sizes = [schedule.size(phase, arms=2) for phase in (1, 2, 3)]
    >>> [round(size / sizes[0], 1) for size in sizes]  # nearly four times as many for half the gap
    [1.0, 3.9, 15.6]
    """

    fresh, steady = True, False

    def __init__(self, width: ChernoffWidth, noise: Noise) -> None:
        self.width = _checks.one_of("width", width, ChernoffWidth, "a ChernoffWidth")
        if isinstance(noise, type) or not hasattr(noise, "log_mgf"):
            raise TypeError("noise must be an object with log_mgf, such as a privatizer, got "
                            f"{_checks.told(noise)}")
        self.noise = noise

    def size(self, phase: int, arms: int) -> int:
        """Return the fewest users for which the half width is at most 2^-e / 4."""
        half_width = 2.0 ** -(phase + 2)
        try:
            return self.width.fewest_users(self.noise, half_width)
        except OverflowError as error:  # infinitely many users
            raise ValueError("epsilon must be so large, for this horizon, that a finite batch has "
                             f"a width of {half_width:g}, got one with noise of std "
                             f"{self.noise.noise_std:.3g}") from error

    @staticmethod
    def most_phases(horizon: int) -> int:
        """Bound the number of phases: the largest P with 16 ln 2 (4 + ... + 4^P) <= T, or 1."""
        return max(1, int(math.log(1 + 3 * horizon / (64 * math.log(2)), 4)))


class Published(SummedWidth, ABC):
    r"""Fresh batches and widths as printed in a paper; the same object is schedule and width.

    Parameters
    ----------
    horizon : int
        T, >= 1; a width fails with probability at most :math:`\beta = 1/T`, for a bound on the
        expected regret.
    epsilon : float
        Privacy parameter, > 0.
    """

    fresh, steady = True, False
    changes = ("users", "log")

    @_checks.checked()
    def __init__(self, horizon: int, epsilon: float) -> None:
        self.beta, self.epsilon = 1 / horizon, epsilon
        self.log = 0.0  # of the current phase

    def _log(self, phase: int, arms: int) -> float:
        return math.log(2 * arms * phase**2 / self.beta)

    @abstractmethod
    def size(self, phase: int, arms: int) -> int:
        """Return the users per arm in a phase, >= 1, that begins with ``arms`` viable arms."""

    def forget(self, phase: int, arms: int) -> Self:
        """Return the width of a phase that begins with ``arms`` viable arms, before its release."""
        fresh = super().forget(phase, arms)
        fresh.log = self._log(phase, arms)
        return fresh

    def _of(self, noise: Noise) -> float:
        return 0.0  # the printed widths do not use it


class PublishedEpochs(Published):
    r"""DP-SE (Sajed & Sheffet 2019), with :math:`|S|` viable arms in epoch e.

    The constants are from its version in the code that :class:`PublishedDoubling` names. (The
    paper's text was not at hand.)

    .. math:: R_e = \max\Big(\frac{32 L}{\Delta_e^2}, \frac{8 L'}{\varepsilon \Delta_e} \Big) + 1,
              \qquad h_e + c_e = \sqrt{\frac{L}{2 R_e}} + \frac{L'}{\varepsilon R_e}

    with :math:`\Delta_e = 2^{-e}`, :math:`L = \ln(8 |S| e^2 / \beta)` and
    :math:`L' = \ln(4 |S| e^2 / \beta)`; R_e is rounded up to an integer. The epoch ends with the
    elimination of every arm whose noisy mean is more than :math:`2 (h_e + c_e)` below the largest.

    Parameters and errors as for :class:`Published`.

    Examples
    --------
    >>> from bandits_dp.arms.batches import PublishedEpochs
    >>> schedule = PublishedEpochs(horizon=100_000, epsilon=1.0)
    >>> [schedule.size(phase, arms=2) for phase in (1, 2)]  # gaps of 1/2 and 1/4
    [1830, 8025]
    """

    def size(self, phase: int, arms: int) -> int:
        """Return R_e."""
        gap, log = 2.0**-phase, self._log(phase, arms)
        sampling, noise = log + math.log(4), log + math.log(2)
        return math.ceil(max(32 * sampling / gap**2, 8 * noise / (self.epsilon * gap)) + 1)

    def _half_width(self, n: int) -> float:
        sampling, noise = self.log + math.log(4), self.log + math.log(2)
        return math.sqrt(sampling / (2 * n)) + noise / (self.epsilon * n)  # h_e + c_e


class PublishedDoubling(Published):
    r"""Fresh batches of :math:`2^b` with a published width for discrete Laplace noise.

    The width is by Chowdhury & Zhou 2023:

    .. math:: \sqrt{\frac{L + \ln 2}{2 n}} + \frac{\sqrt{2 L} + L}{\varepsilon n}, \qquad
              L = \ln(2 |S| b^2 / \beta) .

    The constants are from ``MABPrivate.py`` in
    https://github.com/sayakrc/Differentially-Private-Bandits at commit ea7503b, by one of the
    authors, whose batches are :math:`4^b`. (The paper's text was not at hand.)

    Parameters and errors as for :class:`Published`.

    Examples
    --------
    >>> from bandits_dp.arms.batches import PublishedDoubling
    >>> schedule = PublishedDoubling(horizon=100_000, epsilon=1.0)
    >>> [schedule.size(phase, arms=2) for phase in (1, 2, 3)]
    [2, 4, 8]
    """

    def size(self, phase: int, arms: int) -> int:
        """Return 2^b."""
        return int(2**phase)

    def _half_width(self, n: int) -> float:
        return (math.sqrt((self.log + math.log(2)) / (2 * n))
                + (math.sqrt(2 * self.log) + self.log) / (self.epsilon * n))


def batches(batch_size: int | str | Batches) -> Batches:
    """Turn a batch size, an integer >= 1, "doubling", or a schedule, into a schedule.

    Examples
    --------
    >>> from bandits_dp.arms.batches import batches
    >>> batches(50), batches("doubling")
    (EqualBatches(every=50), DoublingBatches())
    """
    if isinstance(batch_size, Batches) and not isinstance(batch_size, type):
        return batch_size
    if isinstance(batch_size, str) and batch_size == "doubling":
        return DoublingBatches()
    if isinstance(batch_size, str):
        raise ValueError("batch_size must be an integer that is at least 1, or 'doubling', got "
                         f"{_checks.told(batch_size)}")
    return EqualBatches(_checks.integer("batch_size", batch_size))


@_checks.checked(batch_size=_checks.unchecked)
def most_decisions(horizon: int, batch_size: int | str | Batches) -> int:
    """Bound a run's number of phases: those with two viable arms that fit into T, at least 1.

    Parameters
    ----------
    horizon : int
        Number of rounds T, >= 1.
    batch_size : int or "doubling" or Batches
        Users per arm and phase; the first batch must not exceed the horizon.

    Examples
    --------
    >>> from bandits_dp.arms.batches import most_decisions
    >>> most_decisions(1000, 100), most_decisions(1000, "doubling")
    (5, 7)
    """
    schedule = batches(batch_size)
    first = first_batch(horizon, schedule, arms=2)
    if schedule.steady:
        return max(1, horizon // (2 * first))
    phases = played = 0
    while (played := played + 2 * schedule.size(phases + 1, 2)) <= horizon:
        phases += 1
    return max(1, phases)


def first_batch(horizon: int, schedule: Batches, arms: int) -> int:
    """Return the first phase's users per arm, or raise a ValueError if the horizon is shorter.

    Examples
    --------
    >>> from bandits_dp.arms.batches import EqualBatches, first_batch
    >>> first_batch(10, EqualBatches(50), arms=2)
    Traceback (most recent call last):
        ...
    ValueError: batch_size must not exceed the horizon, got a first batch of 50 users for 10 rounds
    """
    horizon, arms = _checks.integer("horizon", horizon), _checks.integer("arms", arms)
    first = int(_checks.one_of("schedule", schedule, Batches,
                               "a schedule of batches").size(1, arms))
    # not chosen by the caller
    if first > horizon and isinstance(schedule, (GapBatches, Published)):
        raise ValueError(f"horizon must be at least {first:,} for a first batch with this epsilon, "
                         f"got {horizon:,}")
    if first > horizon:
        raise ValueError(f"batch_size must not exceed the horizon, got a first batch of {first} "
                         f"users for {horizon} rounds")
    return first
