r"""Distributed noise with secure aggregation: only the noisy sum modulo m is revealed.

A value becomes an integer in :math:`\{0, \dots, g\}` (:mod:`bandits_dp.privatizers.integer_sum`).
The user adds a share of integer noise and sends the result modulo m; a cryptographic protocol sums
the messages without revealing single ones (Bonawitz et al. 2017). The noise is infinitely
divisible, so the total noise has exactly the wanted distribution for any number of users (Chowdhury
& Zhou 2023; Goryczka & Xiong 2017).

**Trust.** This is not the shuffle model, as shuffled single messages would not be private; nor does
it need a fully trusted server. The release is private in the central sense, and guarantees say so;
the server is trusted only not to break the secure aggregation. With ``honest_fraction`` f each user
adds the share of one in f n users, so the noise of the honest users suffices if all others collude
with the server and add none.

**The modulus.** m is a power of two, so large that noisy sums leave the range that m distinguishes
with probability at most :math:`2^{-100}` (Chernoff); such a release is off by m. Aggregate releases
and widths ignore this event.

Messages and the random numbers behind them are integers, so no floating-point number leaks (Mironov
2012). Real use needs unpredictable random bits; numpy's generators are for simulation.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp import _checks
from bandits_dp._types import Floats
from bandits_dp.privatizers.domain import Box
from bandits_dp.privatizers.integer_sum import IntegerSum

LOG_WRAP = 101 * math.log(2)  # each tail has probability at most 2^-101
MOST_MODULUS = 2**62  # int64 can compute with it


class SecureSum(IntegerSum):
    """Base class of sums by secure aggregation; subclasses choose the levels and the noise.

    Parameters as for :class:`Privatizer`, without ``clip``; ``domain`` is a Box of dimension 1, and
    ``honest_fraction``, in (0, 1], is the share of users that add their noise; at least the
    protected user does.

    Attributes
    ----------
    modulus : int
        m, a power of two; ``bits_per_user`` is its logarithm, without the overhead of cryptography.

    Raises
    ------
    ValueError
        If an argument is out of range, or the domain has more than one dimension.
    """

    model = "central"

    def __init__(self, users: int, domain: Box, honest_fraction: float) -> None:
        super().__init__(users, _checks.one_of("domain", domain, Box, "a Box of one dimension"),
                         honest_fraction=honest_fraction)
        if self.dimension != 1:
            raise ValueError("domain must have dimension 1 for a sum by secure aggregation, got "
                             f"{self.dimension}")
        self._trust = ("; secure aggregation shows the server this sum and nothing else"
                       + self._trust)

    def _set_up(self, levels: int, std: float) -> None:
        """Set the levels, the noise's std, and the attributes that follow from the noise."""
        self._set_levels(levels, std)
        s = np.geomspace(1e-9, 50.0, 2000)
        tail = float(((self._log_mgf(s) + LOG_WRAP) / s).min())
        sums = self.users * levels + 2 * math.ceil(tail) + 2  # that m must distinguish
        self.modulus = 1 << (sums - 1).bit_length()
        if self.modulus > MOST_MODULUS:
            raise ValueError("users must be so few, and enough of them honest, that sums of "
                             f"integers up to {levels:,} and noise are below 2^62, got "
                             f"{self.users:,} users, and sums up to {sums:.4g}")
        self._lowest = -((self.modulus - self.users * levels) // 2)  # of the distinguished sums
        self.bits_per_user = math.log2(self.modulus)
        self.span = self.step * (self.modulus - 1)

    def _round(self, array: Floats, rng: np.random.Generator) -> NDArray[np.int64]:
        """Encode every number; ends of the interval take no random number."""
        return (super()._round(array, rng) if self.needs_values
                else np.rint((array - self.low) / self.step).astype(np.int64))

    def randomize(self, values: ArrayLike, rng: np.random.Generator) -> NDArray[Any]:
        """Send the integer plus the user's own noise, modulo m, shape (users, 1)."""
        return self.send(self.check(values), _checks.generator(rng))

    def send(self, values: Floats, rng: np.random.Generator) -> NDArray[Any]:
        """Return each user's integer plus her own noise, modulo m."""
        return super().send(values, rng) % self.modulus

    def receive(self, waiting: NDArray[Any], rng: np.random.Generator) -> Floats:
        """Decode the sum modulo m; int64 wraps around at a multiple of m."""
        return self.analyze(waiting % self.modulus, rng)

    def shuffle(self, messages: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
        """Aggregate securely: pass on only the sum of all messages modulo m, shape (1,)."""
        # int64 wraps at a multiple of m, a power of two
        return messages.sum(axis=0) % self.modulus

    def analyze(self, messages: NDArray[Any], rng: np.random.Generator) -> Floats:
        """Find the sum in the range that m distinguishes, and undo the encoding."""
        return self._decode((messages - self._lowest) % self.modulus + self._lowest)
