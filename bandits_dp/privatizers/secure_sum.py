r"""Distributed noise with secure aggregation: each user adds a share of the noise, and nobody ever sees more than the sum modulo m.

A value in [low, high] is rounded at random to an integer in :math:`\{0, \dots, g\}` (:mod:`bandits_dp.privatizers.fixed_point`;
bits are sent as they are). The user adds integer noise of its own and sends the result modulo m, which a cryptographic protocol
adds up without showing single messages to anybody (Bonawitz et al. 2017). The noise laws here are infinitely divisible: whole sums
have exactly the wanted law, for any number of users (Chowdhury & Zhou 2023; Goryczka & Xiong 2017).

**Trust.** Not the shuffle model: shuffled single messages would not be private, and a trusted server is not needed either. What is
released is private in the central sense, and guarantees say so; the server has to be trusted only not to break the secure
aggregation. With ``honest_fraction`` f each user adds the share of one in f n users: the noise of the honest ones suffices when
all others collude with the server and add none.

**The modulus.** A power of two, so large that the noise of a batch leaves the range where sums can be told apart with
probability at most :math:`2^{-100}` (Chernoff); a release that does is off by m. Aggregate releases and widths ignore that event.

Everything that is sent is an integer, so no floating-point number leaks (Mironov 2012). But the samplers here compute in floating
point: they are for simulation.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp import _checks
from bandits_dp.privatizers.base import Privatizer
from bandits_dp.privatizers.bit_sum import crowd, honest_users
from bandits_dp.privatizers.domain import Box
from bandits_dp.privatizers.fixed_point import round_at_random, round_tally

LOG_WRAP = 101 * math.log(2)  # each tail has probability 2^-101 at most


class SecureSum(Privatizer):
    """What sums by secure aggregation share; subclasses choose the levels and the noise.

    The parameters are those of :class:`Privatizer`, but for ``clip``; ``domain`` is a Box of dimension 1, and ``honest_fraction``,
    in (0, 1], the share of users that add their noise; at least the protected user does.

    Attributes
    ----------
    levels : int
        g, the largest integer that a value becomes.
    modulus : int
        m, a power of two; ``bits_per_user`` is its logarithm, without what the cryptography adds.

    Raises
    ------
    ValueError
        If an argument is out of range, or the domain has more than one dimension.
    """

    levels: int
    modulus: int
    domain: Box
    adds = True

    def __init__(self, users: int, domain: Box, honest_fraction: float) -> None:
        super().__init__(users, _checks.one_of("domain", domain, Box, "a Box of one dimension"))
        if self.dimension != 1:
            raise ValueError(f"domain must have dimension 1 for a sum by secure aggregation, got {self.dimension}")
        self.honest = honest_users(self.users, honest_fraction)
        self._trust = "; secure aggregation shows the server this sum and nothing else" + crowd(honest_fraction)
        self.rounds = not domain.whole

    @abstractmethod
    def _draw(self, users: int, shape: tuple[int, ...], rng: np.random.Generator) -> NDArray[np.int64]:
        """Draw the noise of so many users together, independently for each entry of ``shape``."""

    @abstractmethod
    def _variance(self, users: int) -> float:
        """Variance of the noise of so many users."""

    @abstractmethod
    def _log_mgf(self, users: int, s: NDArray[np.float64]) -> NDArray[np.float64]:
        """Log E exp(s X) for the (symmetric) noise X of so many users, for each s > 0; may be infinite."""

    def _set_up(self, levels: int) -> None:
        """Take the levels, and derive what follows from them and from the noise."""
        self.levels = levels
        self.step = (self.domain.high - self.domain.low) / levels
        s = np.geomspace(1e-9, 50.0, 2000)
        tail = float(((self._log_mgf(self.users, s) + LOG_WRAP) / s).min())
        self.modulus = 1 << math.ceil(math.log2(self.users * levels + 2 * math.ceil(tail) + 2))
        self._lowest = -((self.modulus - self.users * levels) // 2)  # of the sums that are told apart
        self.bits_per_user = math.log2(self.modulus)
        rounding = self.users / 4 if self.rounds else 0.0  # at most 1/4 to the variance of each user's integer
        self.noise_std = self.step * math.sqrt(self._variance(self.users) + rounding)
        self.span = self.step * (self.modulus - 1)

    def _encode(self, array: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.int64]:
        """Turn values into integers in 0..g, of the same shape."""
        x = (array - self.domain.low) / self.step
        return round_at_random(x, self.levels, rng) if self.rounds else np.rint(x).astype(np.int64)

    def _decode(self, integers: ArrayLike, batches: int = 1) -> NDArray[np.float64]:
        """Turn noisy sums of integers into estimates of the sums."""
        return np.asarray(np.asarray(integers) * self.step + batches * self.users * self.domain.low)

    def randomize(self, values: ArrayLike, rng: np.random.Generator) -> NDArray[Any]:
        """Send the integer plus the user's own noise, modulo m, shape (users, 1)."""
        return self.send(self.check(values), _checks.generator(rng))

    def send(self, values: NDArray[np.float64], rng: np.random.Generator) -> NDArray[Any]:
        """Return each user's integer, with noise of her own, modulo m."""
        integers = self._encode(values, rng)
        return (integers + self._draw(1, integers.shape, rng)) % self.modulus

    def receive(self, waiting: NDArray[Any], rng: np.random.Generator) -> NDArray[np.float64]:
        """Decode the sum modulo m; int64 wraps around at a multiple of m."""
        return self.analyze(waiting % self.modulus, rng)

    def shuffle(self, messages: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
        """Aggregate securely: pass on the sum of all messages modulo m, shape (1,), and nothing else."""
        return np.asarray(messages.sum(axis=0) % self.modulus)  # int64 wraps at a multiple of m, a power of two

    def analyze(self, messages: NDArray[Any], rng: np.random.Generator) -> NDArray[np.float64]:
        """Find the sum in the range of likely ones, and undo the encoding."""
        return self._decode((messages - self._lowest) % self.modulus + self._lowest)

    def _aggregate(self, array: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
        """Encode every value, and draw the noise of all users as one number."""
        return self._decode(self._encode(array, rng).sum(axis=0) + self._draw(self.users, (1,), rng))

    def release_sum(self, total: ArrayLike, rng: np.random.Generator, batches: int = 1) -> NDArray[np.float64]:
        """Add the noise of all users to sums of bits; refuse others, for how values round depends on each of them."""
        if self.rounds:
            raise ValueError("total must be given as single values (use release, or release_tally): random rounding does not "
                             "depend on the sum alone")
        total = np.asarray(total, dtype=float)
        return np.asarray(total + self.step * self._draw(self.users * batches, total.shape, rng))

    def release_tally(
        self, values: NDArray[np.float64], counts: NDArray[np.int64], rng: np.random.Generator, batches: int = 1
    ) -> NDArray[np.float64]:
        """Round the users of each value together, and draw the noise of all of them as one number."""
        x = (values - self.domain.low) / self.step
        integers = round_tally(x, counts, self.levels, rng) if self.rounds else counts @ np.rint(x).astype(np.int64)
        return self._decode(integers + self._draw(self.users * batches, integers.shape, rng), batches)

    def log_mgf(self, s: NDArray[np.float64]) -> NDArray[np.float64]:
        """Add the noise and, by Hoeffding's lemma, the rounding of every user."""
        scaled = s * self.step
        rounding = self.users * scaled**2 / 8 if self.rounds else 0.0
        return np.asarray(self._log_mgf(self.users, scaled) + rounding)
