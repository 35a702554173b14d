"""Running sums over batches of users: fresh batches that add up, or a continual counter.

``receive`` and ``advance`` replace attributes and change no array in place, so a shallow copy is a
snapshot. ``draw`` and ``advance`` are for simulators: noise is drawn ahead, and the sums have a
leading axis of runs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bandits_dp import _checks
from bandits_dp._snapshot import snapshot
from bandits_dp._types import Floats
from bandits_dp.continual import Counter
from bandits_dp.guarantee import Guarantee
from bandits_dp.privatizers import Privatizer

WHOLE = 2.0**53  # up to which floats count without rounding
TAPE = 2**15  # random numbers that are drawn at once, about


@dataclass(frozen=True)
class NoiseLaw:
    """The public facts about the noise on running sums, for a confidence radius.

    Parameters
    ----------
    vector_std, matrix_std : ndarray, shape (batches,)
        Sub-Gaussian standard deviation of every entry of the vector, and of the upper triangle of
        the matrix, after batch 1, 2, ... Entries of one running sum are independent, or independent
        given the past.
    additive : bool
        Whether the noise is a sum over batches of independent parts, or of martingale differences.
    gaussian : bool
        Whether entries are Gaussian with exactly these standard deviations.
    sub_gaussian : bool
        Whether entries are sub-Gaussian; if not (Laplace noise), the numbers are plain standard
        deviations.

    Examples
    --------
    >>> import bandits_dp as bdp
    >>> from bandits_dp.app.streams import FreshBatches
    >>> batches = FreshBatches(bdp.privatizers.LocalGaussian(1, epsilon=1.0, delta=1e-3))
    >>> law = batches.law(4)
    >>> law.additive, (law.vector_std / law.vector_std[0]).round(2).tolist()  # it adds up
    (True, [1.0, 1.41, 1.73, 2.0])
    """

    vector_std: Floats
    matrix_std: Floats
    additive: bool = False
    gaussian: bool = True
    sub_gaussian: bool = True


class Stream(Protocol):
    """A stream that releases sums over all users after every batch; names as in FreshBatches."""

    users: int
    dimension: int
    guarantee: Guarantee
    bits_per_user: float
    noisy: bool
    adds: bool
    ahead: int
    public: int
    middle: float
    context_std: float

    def check(self, values: Floats, name: str) -> None: ...  # noqa: D102

    def send(self, values: Floats, rng: np.random.Generator) -> NDArray[Any]: ...  # noqa: D102

    def receive(self, waiting: NDArray[Any], rng: np.random.Generator) -> Floats: ...  # noqa: D102

    def tape(self, batches: int) -> int: ...  # noqa: D102

    def draw(self, batches: int, rng: np.random.Generator) -> Floats: ...  # noqa: D102

    def advance(self, values: Floats, rows: Floats) -> Floats: ...  # noqa: D102


class FreshBatches:
    """A privatizer releases every batch, each of users of its own, and the releases add up.

    Parameters
    ----------
    privatizer : Privatizer
        Of the users of one batch.

    Attributes
    ----------
    users : int
        Users per batch B.
    dimension : int
        Numbers per user.
    guarantee : Guarantee
        What all releases together promise to each user.
    bits_per_user : float
        Length of one user's message, in bits.
    noisy : bool
        Whether there is any noise.
    adds : bool
        Whether what users send may be added up while it waits.
    ahead : int
        How many random numbers of a batch can be drawn before its values are known; 0 for none.
    public : int
        How many of a user's last numbers are public, and are told to the learner without noise.
    middle : float
        The number from which rewards are counted, where only they are private.
    context_std : float
        Standard deviation of the noise on features; 0 if they are not perturbed.
    total : ndarray, shape (dimension,)
        The running sums, as released.

    Examples
    --------
    >>> import numpy as np
    >>> import bandits_dp as bdp
    >>> from bandits_dp.app.streams import FreshBatches
    >>> stream, rng = FreshBatches(bdp.privatizers.Identity(2)), np.random.default_rng(1)
    >>> for rewards in ([1.0, 0.0], [1.0, 1.0]):  # of two batches of two users
    ...     released = stream.receive(stream.send(np.array(rewards)[:, None], rng).sum(axis=0), rng)
    >>> released.tolist()  # of all users so far
    [3.0]
    """

    changes = ("total",)
    public, middle, context_std = 0, 0.0, 0.0

    def __init__(self, privatizer: Privatizer) -> None:
        self.privatizer, self.users, self.dimension = (
            privatizer, privatizer.users, privatizer.dimension)
        self.guarantee, self.bits_per_user, self.adds = (
            privatizer.guarantee, privatizer.bits_per_user, privatizer.adds)
        self.noisy, self.ahead = privatizer.noise_std > 0, privatizer.ahead
        self.total = np.zeros(privatizer.dimension)

    def check(self, values: Floats, name: str) -> None:
        """Raise a ValueError if values of that name are outside the domain."""
        self.privatizer.domain.check(values, name)

    def law(self, batches: int) -> NoiseLaw:
        """Return the law of the noise on the running sums after 1, 2, ... batches."""
        std = self.privatizer.sub_gaussian_std * np.sqrt(np.arange(1, batches + 1))
        return NoiseLaw(std, std, True, self.privatizer.gaussian, bool(np.isfinite(std).all()))

    def send(self, values: Floats, rng: np.random.Generator) -> NDArray[Any]:
        """Return what users send, one row each, for values in the domain."""
        return self.privatizer.send(values, rng)

    def receive(self, waiting: NDArray[Any], rng: np.random.Generator) -> Floats:
        """Release the running sums after one more batch."""
        self.total = self.total + self.privatizer.receive(waiting, rng)
        return self.total

    def tape(self, batches: int) -> int:
        """Return for how many of the next batches :meth:`draw` is called at once."""
        return min(batches, max(1, TAPE // max(1, self.ahead)))

    def draw(self, batches: int, rng: np.random.Generator) -> Floats:
        """Draw the random numbers of the next batches of one run, one row each."""
        return self.privatizer.draw_ahead(batches, rng) if self.noisy else np.zeros((batches, 0))

    def advance(self, values: Floats, rows: Floats) -> Floats:
        """Release the running sums of many runs after one more batch, with rows of :meth:`draw`."""
        noise = self.privatizer.noise_from(rows, values) if self.noisy else 0.0
        self.total = self.total + (values.sum(axis=-2) + noise)
        return self.total


class CountedBatches:
    """A trusted server counts the sums of batches, one step of a continual counter each.

    Parameters
    ----------
    counter : Counter
        For one user's values; it is changed.
    users : int
        Users per batch B, >= 1.

    Attributes: those of :class:`FreshBatches`, but ``total``.

    Examples
    --------
    >>> import numpy as np
    >>> import bandits_dp as bdp
    >>> from bandits_dp.app.streams import CountedBatches
    >>> stream = CountedBatches(bdp.continual.TreeCounter(1000, epsilon=1.0, delta=1e-6), users=2)
    >>> released = stream.receive(np.array([2.0]), np.random.default_rng(1))  # the sum of two users
    >>> stream.counter.steps  # a step is a batch
    1
    """

    changes: tuple[str, ...] = ("counter",)
    noisy = adds = True
    public, middle, context_std = 0, 0.0, 0.0

    def __init__(self, counter: Counter, users: int = 1) -> None:
        self.counter, self.users, self.dimension = (
            counter, _checks.integer("users", users), counter.dimension)
        self.guarantee, self.bits_per_user = counter.guarantee, 64.0 * counter.dimension  # doubles
        self.ahead = counter.dimension
        largest, step = max(abs(counter.domain.low), abs(counter.domain.high)), counter.grid.step
        if WHOLE * step < self.users * largest < math.inf:  # infinite without a guarantee
            raise ValueError(f"users must be at most {WHOLE * step / largest:.0f} in a batch, "
                             f"whose sum must be exact in steps of {step:g}, got {self.users}")

    def check(self, values: Floats, name: str) -> None:
        """Raise a ValueError if values of that name are outside the domain."""
        self.counter.domain.check(values, name)

    def law(self, batches: int) -> NoiseLaw:
        """Return the law of the noise on the running sums after 1, 2, ... batches."""
        std, gaussian = (self.counter.error_std(np.arange(1, batches + 1)),
                         self.counter.noise == "gaussian")
        return NoiseLaw(std, std, gaussian=gaussian, sub_gaussian=gaussian)

    def send(self, values: Floats, rng: np.random.Generator) -> NDArray[Any]:
        """Return the values for the trusted server, on the counter's grid, where sums are exact."""
        return self.counter.grid.near(values)

    def receive(self, waiting: NDArray[Any], rng: np.random.Generator) -> Floats:
        """Release the running sums after one more batch."""
        self.counter = snapshot(self.counter)
        return self.counter.step(waiting, rng)

    def leap(self, values: Floats, batches: int, rng: np.random.Generator) -> Floats:
        """Release only the running sums after ``batches`` more batches; see ``Counter.leap``."""
        self.counter = snapshot(self.counter)
        return self.counter.leap(self.send(values, rng), batches, rng)

    def tape(self, batches: int) -> int:
        """Return all batches: their noises belong together."""
        return batches

    def draw(self, batches: int, rng: np.random.Generator) -> Floats:
        """Draw the noise on all running sums of one run."""
        return self.counter.noise_path(rng, batches)

    def advance(self, values: Floats, rows: Floats) -> Floats:
        """Release the running sums of many runs after one more batch; ``rows`` is their noise."""
        self.counter = snapshot(self.counter)
        return self.counter.count(values.sum(axis=-2), rows)
