"""Releases with the noise of the code that Chowdhury & Zhou 2022 name; the facts are in ``linucb_experiment``."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from bandits_dp.continual import TreeCounter
from bandits_dp.guarantee import Guarantee, no_guarantee
from bandits_dp.learners.linucb_release import TAPE, Floats, Release, Rngs
from bandits_dp.learners.linucb_releases import statistics
from bandits_dp.privatizers.domain import LinearStatistics
from bandits_dp.widths.ridge import NoiseLaw


def _unproved(model: str) -> Guarantee:
    text = "noise of the code that Chowdhury & Zhou 2022 name, which claims no guarantee for it"
    return no_guarantee(model, "one round (phi, y)", "replace one user's round", "experiment", text)


def _shape(dimension: int) -> NDArray[np.float64]:
    """Std of every entry of a noise row, relative to the stated one."""
    row, column = np.triu_indices(dimension)
    return np.concatenate([np.ones(dimension), np.where(row == column, 1.0, math.sqrt(0.5))])


class FigureGaussian(Release):
    """Gaussian noise at every user: the curves LinUCB-LDP (B = 1) and LinUCB-SDP-Amp.

    Parameters
    ----------
    dimension, users, batches
        As for :class:`Release`.
    unit_std : float
        Std of one user's noise, > 0.
    model : {"local", "shuffle"}
        For the guarantee that there is none.
    """

    def __init__(self, dimension: int, users: int, batches: int, unit_std: float, model: str) -> None:
        super().__init__(dimension, users, batches)
        self.std = unit_std * math.sqrt(users) * _shape(dimension)  # of a batch's sum, shape (entries,)
        self.bits_per_user = 64.0 * self.entries
        self.guarantee = _unproved(model)
        total = unit_std * np.sqrt(users * np.arange(1, batches + 1))
        self.law = NoiseLaw(total, total, additive=True)

    def draw(self, rng: np.random.Generator, batches: int) -> NDArray[np.float64]:
        """Draw the noise of every batch."""
        return rng.normal(0.0, self.std, (batches, self.entries))

    def noise(self, before: Floats, row: Floats, phi: Floats, y: Floats, rngs: Rngs) -> Floats:
        """Add the batch's noise."""
        return before + row


class FigureCounter(Release):
    """The curve LinUCB-JDP: after t rounds the first 1 + floor(ln(1 + t)) of a few noises that are drawn once.

    Parameters
    ----------
    dimension, batches
        As for :class:`Release`; one user per batch.
    node_std : float
        Std of each of the noises, > 0.

    Notes
    -----
    The code has the first of them before the first round, too; here that round has none.
    """

    def __init__(self, dimension: int, batches: int, node_std: float) -> None:
        super().__init__(dimension, 1, batches)
        self.std = node_std * _shape(dimension)
        self.tape = max(1, batches)
        self.bits_per_user = 64.0 * self.entries
        self.guarantee = _unproved("central")
        self.count = 1 + np.floor(np.log1p(np.arange(1, batches + 1))).astype(np.int64)  # noises in running sum t
        total = node_std * np.sqrt(self.count)
        self.law = NoiseLaw(total, total)

    def draw(self, rng: np.random.Generator, batches: int) -> NDArray[np.float64]:
        """Draw the noises, and return those on all running sums."""
        count = self.count[:batches]
        return np.cumsum(rng.normal(0.0, self.std, (count[-1], self.entries)), axis=0)[count - 1]

    def noise(self, before: Floats, row: Floats, phi: Floats, y: Floats, rngs: Rngs) -> Floats:
        """Return this round's noise."""
        return row


class FigureTree(FigureCounter):
    """What LinUCB-JDP would be with a real binary tree, whose nodes have the noise of :class:`FigureCounter`."""

    def __init__(self, dimension: int, batches: int, node_std: float) -> None:
        super().__init__(dimension, batches, node_std)
        self.tree = TreeCounter(batches, 1.0, 0.5, LinearStatistics(dimension))
        self.count = np.bitwise_count(np.arange(1, batches + 1)).astype(np.int64)
        total = node_std * np.sqrt(self.count)
        self.law = NoiseLaw(total, total)

    def draw(self, rng: np.random.Generator, batches: int) -> NDArray[np.float64]:
        """Draw the noise on all running sums."""
        return self.tree.noise_path(rng, batches) * (self.std / self.tree.noise_std)


class FigureBits(Release):
    """The curve LinUCB-SDP-Vec: encoded numbers and binomial noise, and a mean subtracted that is not the noise's.

    Parameters
    ----------
    dimension, users, batches
        As for :class:`Release`.
    feature_norm : float
        L, by which every number is shifted.
    levels : float
        g, > 0: levels per L.
    bits : float
        b, >= 1: noise bits that the analyzer believes in; the draw has their integer part.
    """

    p = 0.25

    def __init__(self, dimension: int, users: int, batches: int, feature_norm: float, levels: float, bits: float) -> None:
        super().__init__(dimension, users, batches)
        self.shift, self.step, self.bits = feature_norm, feature_norm / levels, bits
        self.width = self.entries * (1 + users)
        self.tape = max(1, TAPE // self.width)
        self.bits_per_user = float(self.entries * (math.ceil(2 * levels) + int(bits)))
        self.guarantee = _unproved("shuffle")
        std = self.step * math.sqrt(users * (int(bits) * self.p * (1 - self.p) + 0.25))
        total = std * np.sqrt(np.arange(1, batches + 1))
        self.law = NoiseLaw(total, total, additive=True, gaussian=False)

    def draw(self, rng: np.random.Generator, batches: int) -> NDArray[np.float64]:
        """Draw the noise bits of every batch, then the uniform numbers for rounding."""
        ones = rng.binomial(self.users * int(self.bits), self.p, (batches, self.entries))
        uniform = rng.random((batches, self.users * self.entries))
        return np.concatenate([ones - self.users * self.bits * self.p, uniform], axis=1)

    def noise(self, before: Floats, row: Floats, phi: Floats, y: Floats, rngs: Rngs) -> Floats:
        """Add the noise bits and the error of rounding every user's numbers."""
        uniform = row[:, self.entries :].reshape(len(row), self.users, self.entries)
        rest = (statistics(phi, y) + self.shift) / self.step
        rest -= np.floor(rest)
        error = (uniform < rest).sum(axis=1) - rest.sum(axis=1)
        return np.asarray(before + self.step * (row[:, : self.entries] + error))
