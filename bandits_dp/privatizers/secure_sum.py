r"""Distributed noise with secure aggregation: each user adds a share of the noise, and nobody ever sees more than the sum modulo m.

A value becomes an integer in :math:`\{0, \dots, g\}` (:mod:`bandits_dp.privatizers.integer_sum`). The user adds integer noise of
its own and sends the result modulo m, which a cryptographic protocol adds up without showing single messages to anybody (Bonawitz
et al. 2017). The noise laws here are infinitely divisible: whole sums have exactly the wanted law, for any number of users
(Chowdhury & Zhou 2023; Goryczka & Xiong 2017).

**Trust.** Not the shuffle model: shuffled single messages would not be private, and a trusted server is not needed either. What is
released is private in the central sense, and guarantees say so; the server has to be trusted only not to break the secure
aggregation. With ``honest_fraction`` f each user adds the share of one in f n users: the noise of the honest ones suffices when
all others collude with the server and add none.

**The modulus.** A power of two, so large that the noise of a batch leaves the range where sums can be told apart with
probability at most :math:`2^{-100}` (Chernoff); a release that does is off by m. Aggregate releases and widths ignore that event.

Everything that is sent is an integer, and so is every random number that decides about it, so no floating-point number leaks
(Mironov 2012). Users of real life need random bits that nobody can guess; those of numpy are for simulation.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp import _checks
from bandits_dp.privatizers.domain import Box
from bandits_dp.privatizers.integer_sum import IntegerSum

LOG_WRAP = 101 * math.log(2)  # each tail has probability 2^-101 at most
MOST_MODULUS = 2**62  # that int64 can compute with


class SecureSum(IntegerSum):
    """What sums by secure aggregation share; subclasses choose the levels and the noise.

    The parameters are those of :class:`Privatizer`, but for ``clip``; ``domain`` is a Box of dimension 1, and ``honest_fraction``,
    in (0, 1], the share of users that add their noise; at least the protected user does.

    Attributes
    ----------
    modulus : int
        m, a power of two; ``bits_per_user`` is its logarithm, without what the cryptography adds.

    Raises
    ------
    ValueError
        If an argument is out of range, or the domain has more than one dimension.
    """

    model = "central"

    def __init__(self, users: int, domain: Box, honest_fraction: float) -> None:
        super().__init__(users, _checks.one_of("domain", domain, Box, "a Box of one dimension"), honest_fraction=honest_fraction)
        if self.dimension != 1:
            raise ValueError(f"domain must have dimension 1 for a sum by secure aggregation, got {self.dimension}")
        self._trust = "; secure aggregation shows the server this sum and nothing else" + self._trust

    def _set_up(self, levels: int, std: float) -> None:
        """Take the levels and the noise's standard deviation, and derive what follows from them and from the noise."""
        self._set_levels(levels, std)
        s = np.geomspace(1e-9, 50.0, 2000)
        tail = float(((self._log_mgf(s) + LOG_WRAP) / s).min())
        sums = self.users * levels + 2 * math.ceil(tail) + 2  # that are told apart
        self.modulus = 1 << (sums - 1).bit_length()
        if self.modulus > MOST_MODULUS:
            raise ValueError(f"users must be so few, and so many of them honest, that sums of integers up to {levels:,} and noise "
                             f"are below 2^62, got {self.users:,} users, and sums up to {sums:.4g}")
        self._lowest = -((self.modulus - self.users * levels) // 2)  # of the sums that are told apart
        self.bits_per_user = math.log2(self.modulus)
        self.span = self.step * (self.modulus - 1)

    def _round(self, array: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.int64]:
        """Encode every number; ends of the interval take no random number."""
        return super()._round(array, rng) if self.needs_values else np.rint((array - self.low) / self.step).astype(np.int64)

    def randomize(self, values: ArrayLike, rng: np.random.Generator) -> NDArray[Any]:
        """Send the integer plus the user's own noise, modulo m, shape (users, 1)."""
        return self.send(self.check(values), _checks.generator(rng))

    def send(self, values: NDArray[np.float64], rng: np.random.Generator) -> NDArray[Any]:
        """Return each user's integer, with noise of her own, modulo m."""
        return super().send(values, rng) % self.modulus

    def receive(self, waiting: NDArray[Any], rng: np.random.Generator) -> NDArray[np.float64]:
        """Decode the sum modulo m; int64 wraps around at a multiple of m."""
        return self.analyze(waiting % self.modulus, rng)

    def shuffle(self, messages: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
        """Aggregate securely: pass on the sum of all messages modulo m, shape (1,), and nothing else."""
        return np.asarray(messages.sum(axis=0) % self.modulus)  # int64 wraps at a multiple of m, a power of two

    def analyze(self, messages: NDArray[Any], rng: np.random.Generator) -> NDArray[np.float64]:
        """Find the sum in the range of likely ones, and undo the encoding."""
        return self._decode((messages - self._lowest) % self.modulus + self._lowest)
