"""The releases of the LinUCB family: privatized batches that add up, and continual counters."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from bandits_dp import _checks
from bandits_dp.continual import Counter
from bandits_dp.learners.linucb_release import TAPE, Floats, Release, Rngs
from bandits_dp.privatizers import Privatizer
from bandits_dp.privatizers.base import FIDELITIES
from bandits_dp.privatizers.bit_sum import BitSum
from bandits_dp.privatizers.domain import LinearStatistics
from bandits_dp.privatizers.gaussian import GaussianNoise
from bandits_dp.widths.ridge import NoiseLaw


def statistics(phi: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return (phi y, upper triangle of phi phi') of every user, shape (..., users, entries), from what ``Release.noise`` gets."""
    row, column = np.triu_indices(phi.shape[-1])
    vector = phi * y[..., None]
    matrix = np.broadcast_to(phi[..., row] * phi[..., column], (*vector.shape[:-1], len(row)))
    return np.concatenate([vector, matrix], axis=-1)


class _Batches(Release):
    """Fresh, independent releases of one batch each, which add up; every batch has users of its own."""

    def __init__(self, privatizer: Privatizer, batches: int) -> None:
        assert isinstance(privatizer.domain, LinearStatistics)
        super().__init__(privatizer.domain.features, privatizer.users, batches)
        self.privatizer = privatizer
        self.guarantee = privatizer.guarantee
        self.bits_per_user = privatizer.bits_per_user

    def _grow(self, std: float, gaussian: bool) -> NoiseLaw:
        """Law of the sum of 1, 2, ... releases, each of this std."""
        total = std * np.sqrt(np.arange(1, self.batches + 1))
        return NoiseLaw(total, total, additive=True, gaussian=gaussian)


class GaussianBatches(_Batches):
    """Batches released by a privatizer whose noise is Gaussian: local with one user or many, amplified, central.

    Parameters
    ----------
    privatizer : GaussianNoise
        For linear statistics of the users of one batch.
    batches : int
        Full batches M of the horizon.
    """

    def __init__(self, privatizer: GaussianNoise, batches: int) -> None:
        super().__init__(privatizer, batches)
        self.law = self._grow(privatizer.noise_std, gaussian=True)

    def draw(self, rng: np.random.Generator, batches: int) -> NDArray[np.float64]:
        """Draw the noise of every batch."""
        return rng.normal(0.0, self.privatizer.noise_std, (batches, self.width))

    def noise(self, before: Floats, row: Floats, phi: Floats, y: Floats, rngs: Rngs) -> Floats:
        """Add the batch's noise."""
        return before + row


class BitBatches(_Batches):
    """Batches released by shuffled bits (P_Vec): noise bits, and the error of rounding every user's numbers at random.

    Parameters
    ----------
    privatizer : BitSum
        For linear statistics of the users of one batch.
    batches : int
        Full batches M of the horizon.

    Notes
    -----
    Per batch and run a row holds the number of ones among the noise bits of each coordinate, and one uniform number per user and
    coordinate, for rounding.
    """

    privatizer: BitSum

    def __init__(self, privatizer: BitSum, batches: int) -> None:
        super().__init__(privatizer, batches)
        self.width = self.entries * (1 + self.users)
        self.tape = max(1, TAPE // self.width)
        self.law = self._grow(privatizer.step * math.sqrt(self._proxy()), gaussian=False)

    def _proxy(self) -> float:
        """Sub-Gaussian variance of a coordinate's integer: Kearns & Saul 1998 for bits, Hoeffding's lemma for rounding."""
        bits = self.privatizer.noise_bits
        p = bits.p
        each = 0.25 if abs(p - 0.5) < 1e-6 else (1 - 2 * p) / (2 * (math.log1p(-p) - math.log(p)))
        return self.users * ((bits.rare + bits.common) * each + 0.25)

    def draw(self, rng: np.random.Generator, batches: int) -> NDArray[np.float64]:
        """Draw the noise bits of every batch, then all uniform numbers."""
        ones = self.privatizer.noise_bits.draw_sum(self.users, (batches, self.entries), rng)
        uniform = rng.random((batches, self.users * self.entries))
        return np.concatenate([ones - self.privatizer.noise_bits.mean(self.users), uniform], axis=1)

    def noise(self, before: Floats, row: Floats, phi: Floats, y: Floats, rngs: Rngs) -> Floats:
        """Round every number to a neighbouring integer, up if its uniform number is below the rest, and add the noise bits."""
        p = self.privatizer
        uniform = row[:, self.entries :].reshape(len(row), self.users, self.entries)
        rest = (statistics(phi, y) - p.low) / p.step
        rest -= np.floor(rest)
        error = (uniform < rest).sum(axis=1) - rest.sum(axis=1)
        return np.asarray(before + p.step * (row[:, : self.entries] + error))


class MessageBatches(_Batches):
    """Batches whose every message is really made, shuffled and analyzed, by any privatizer; slow.

    Parameters
    ----------
    privatizer : Privatizer
        For linear statistics of the users of one batch.
    batches : int
        Full batches M of the horizon.
    law : NoiseLaw
        That of the same privatizer's sums.
    """

    def __init__(self, privatizer: Privatizer, batches: int, law: NoiseLaw) -> None:
        super().__init__(privatizer, batches)
        self.law = law
        self.width = 0

    def draw(self, rng: np.random.Generator, batches: int) -> NDArray[np.float64]:
        """Draw nothing ahead."""
        return np.empty((batches, 0))

    def noise(self, before: Floats, row: Floats, phi: Floats, y: Floats, rngs: Rngs) -> Floats:
        """Release run by run."""
        values = statistics(phi, y)
        released = [self.privatizer.release(own, rng, "messages") for own, rng in zip(values, rngs, strict=True)]
        return np.asarray(before + released - values.sum(axis=1))


def privatized(privatizer: Privatizer, batches: int, fidelity: str = "aggregate") -> Release:
    """Return the release of batches by a privatizer for linear statistics, whose noise is Gaussian or made of bits.

    Raises
    ------
    ValueError
        If the fidelity is unknown.
    """
    fast: Release
    if isinstance(privatizer, BitSum):
        fast = BitBatches(privatizer, batches)
    else:
        assert isinstance(privatizer, GaussianNoise)
        fast = GaussianBatches(privatizer, batches)
    aggregate = _checks.choice("fidelity", fidelity, FIDELITIES) == "aggregate"
    return fast if aggregate else MessageBatches(privatizer, batches, fast.law)


class CountedSums(Release):
    """Running sums released by a continual counter, one step per batch; the server is trusted.

    Parameters
    ----------
    counter : Counter
        For linear statistics of d features, or (``private_matrix=False``) for vectors phi y of d numbers.
    dimension : int
        d.
    users : int
        Users per batch B; the sum of a batch is one step.
    private_matrix : bool
        Whether the matrix is released by the counter as well, or known exactly.

    Notes
    -----
    The noise does not depend on the data. All of it is drawn when the first batch is full, because a
    factorization needs that; T (d + d (d + 1) / 2) numbers for a run.
    """

    def __init__(self, counter: Counter, dimension: int, users: int = 1, private_matrix: bool = True) -> None:
        assert counter.horizon is not None
        self.private_matrix = private_matrix
        super().__init__(dimension, users, counter.horizon)
        self.counter = counter
        self.tape = self.batches
        self.guarantee = counter.guarantee
        self.bits_per_user = 64.0 * self.entries
        std = counter.error_std(np.arange(1, self.batches + 1))
        gaussian = counter.noise == "gaussian"
        self.law = NoiseLaw(std, std if private_matrix else np.zeros_like(std), gaussian=gaussian, sub_gaussian=gaussian)

    def draw(self, rng: np.random.Generator, batches: int) -> NDArray[np.float64]:
        """Draw the noise on all running sums."""
        return self.counter.noise_path(rng, batches)

    def noise(self, before: Floats, row: Floats, phi: Floats, y: Floats, rngs: Rngs) -> Floats:
        """Return this step's noise: the counter's noises are on running sums already."""
        return row
