"""The noise of the code that Chowdhury & Zhou 2022 name; the facts are in :mod:`bandits_dp.companion.replicas.linucb`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp.continual import TreeCounter
from bandits_dp.continual.base import Counter
from bandits_dp.guarantee import Guarantee, no_guarantee
from bandits_dp.privatizers.bit_sum import BitSum
from bandits_dp.privatizers.domain import LinearStatistics, Reals
from bandits_dp.privatizers.gaussian import UserNoise
from bandits_dp.privatizers.noise_bits import NoiseBits

CLAIM = "noise of the code that Chowdhury & Zhou 2022 name, which claims no guarantee for it"


def unproved(model: str, calibration: str = "experiment", text: str = CLAIM) -> Guarantee:
    """Say that nothing is promised."""
    return no_guarantee(model, "one round (phi, y)", "replace one user's round", calibration, text)


def _shape(dimension: int) -> NDArray[np.float64]:
    """Std of the noise on every entry, relative to the stated one."""
    row, column = np.triu_indices(dimension)
    return np.concatenate([np.ones(dimension), np.where(row == column, 1.0, math.sqrt(0.5))])


class FigureGaussian(UserNoise):
    """Gaussian noise at every user: the curves LinUCB-LDP (B = 1) and LinUCB-SDP-Amp.

    Parameters
    ----------
    dimension, users : int
        d and B.
    std : float
        Std of one user's noise, > 0.
    model : {"local", "shuffle"}
        For the guarantee that there is none.
    """

    def __init__(self, dimension: int, users: int, std: float, model: str) -> None:
        super().__init__(users, Reals(LinearStatistics(dimension).dimension))
        self.unit_stds = std * _shape(dimension)
        self.stds = std * math.sqrt(users) * _shape(dimension)  # of a batch's sum
        self.noise_std = std * math.sqrt(users)
        self.bits_per_user = 64.0 * self.dimension
        self.guarantee = unproved(model)

    def send(self, values: NDArray[np.float64], rng: np.random.Generator) -> NDArray[Any]:
        """Send the values plus the user's own noise."""
        return np.asarray(values + rng.normal(0.0, self.unit_stds, values.shape))

    def release_sum(self, total: ArrayLike, rng: np.random.Generator, batches: int = 1) -> NDArray[np.float64]:
        """Add the noise of so many batches, to every row its own."""
        total = np.asarray(total, dtype=float)
        return np.asarray(total + rng.normal(0.0, self.stds * math.sqrt(batches), total.shape))

    def draw_ahead(self, batches: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """Draw the noise of every batch."""
        return rng.normal(0.0, self.stds, (batches, self.dimension))


class _Truncated(NoiseBits):
    """Bits of which the analyzer believes that there are ``believed``, which is not a whole number."""

    believed: float

    def mean(self, users: int) -> float:
        """Return what the analyzer takes for the mean."""
        return users * self.believed * self.p


class FigureBits(BitSum):
    """The curve LinUCB-SDP-Vec: encoded numbers and binomial noise, and a mean subtracted that is not the noise's.

    Parameters
    ----------
    dimension, users : int
        d and B.
    feature_norm : float
        L, by which every number is shifted.
    levels : float
        g, > 0: levels per L.
    bits : float
        b, >= 1: noise bits that the analyzer believes in; the draw has their integer part.
    """

    needs_values = True

    def __init__(self, dimension: int, users: int, feature_norm: float, levels: float, bits: float) -> None:
        super().__init__(users, Reals(LinearStatistics(dimension).dimension))
        self.low, self.high = -feature_norm, feature_norm
        self.step, self.levels = feature_norm / levels, math.ceil(2 * levels)
        self.noise_bits = _Truncated(int(bits), 0, 0.25)
        self.noise_bits.believed = bits
        self.bits_per_user = float(self.dimension * (self.levels + int(bits)))
        self.noise_std = self.step * math.hypot(self.noise_bits.std(users), math.sqrt(users) / 2)
        self.span = users * (self.levels + int(bits)) * self.step
        self.guarantee = unproved("shuffle")


class _FigureNoise(Counter):
    """A counter whose draws have the code's noise, and a privacy that nobody promises.

    Parameters
    ----------
    dimension, horizon : int
        d and T.
    node_std : float
        Std of each draw, > 0.
    """

    def __init__(self, dimension: int, horizon: int, node_std: float) -> None:
        self.node_stds = node_std * _shape(dimension)
        super().__init__(horizon, 1.0, 0.5, Reals(LinearStatistics(dimension).dimension))

    def _certify(self, epsilon: float, delta: float) -> None:
        self.noise_std, self.guarantee = float(self.node_stds[0]), unproved("central")

    def _draw(self, rng: np.random.Generator, size: tuple[int, ...]) -> NDArray[np.float64]:
        return rng.normal(0.0, self.node_stds, size)


class FigureCounter(_FigureNoise):
    """The curve LinUCB-JDP: after t rounds the first 1 + floor(ln(1 + t)) of a few noises that are drawn once.

    The code has the first of them before the first round, too; here that round has none.
    """

    _what = "some prefix sums"

    def _column_norm(self, rounds: int, power: int) -> float:
        return 1.0

    def _variance(self, t: NDArray[np.int64]) -> NDArray[np.float64]:
        return 1 + np.floor(np.log1p(t))  # as many noises are in running sum t

    def reset(self) -> None:
        """Forget the stream."""
        super().reset()
        self._noise, self._drawn = np.zeros(self.dimension), 0

    def _next_noise(self, rng: np.random.Generator) -> NDArray[np.float64]:
        while self._drawn < self._variance(np.array(self.steps + 1)):
            self._noise, self._drawn = self._noise + self._draw(rng, (self.dimension,)), self._drawn + 1
        return self._noise

    def _accumulate(self, draws: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(np.cumsum(draws, axis=0))

    def noise_path(self, rng: np.random.Generator, steps: int | None = None) -> NDArray[np.float64]:
        """Draw the noises, and return those on all running sums."""
        assert self.horizon is not None
        count = self._variance(np.arange(1, (steps or self.horizon) + 1)).astype(np.int64)
        return self._accumulate(self._draw(rng, (int(count[-1]), self.dimension)))[count - 1]

    def _pack(self) -> dict[str, ArrayLike]:
        return super()._pack() | {"noise": self._noise, "drawn": self._drawn}

    def _unpack(self, state: dict[str, NDArray[Any]]) -> None:
        super()._unpack(state)
        self._noise, self._drawn = state["noise"].reshape(self.dimension), int(state["drawn"])


class FigureTree(_FigureNoise, TreeCounter):
    """What LinUCB-JDP would be with a real binary tree, whose nodes have the noise of :class:`FigureCounter`."""
