"""No privacy: everyone trusts everyone, and the sum is exact."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp.guarantee import no_guarantee
from bandits_dp.privatizers.domain import UNIT_INTERVAL, Domain
from bandits_dp.privatizers.senders import Trusting


class Identity(Trusting):
    """The exact sum, for the non-private learners.

    Parameters
    ----------
    users : int
        Batch size n, >= 1.
    domain : Domain
        Where one user's value may lie; :class:`bandits_dp.privatizers.domain.Reals` if anywhere.

    Examples
    --------
    >>> import numpy as np
    >>> import bandits_dp as bdp
    >>> bare = bdp.privatizers.Identity(1000)
    >>> bare.release([1, 1, 1, 0] * 250, np.random.default_rng(1)).tolist(), bare.guarantee.epsilon
    ([750.0], inf)
    """

    noise_std = sub_gaussian_std = 0.0

    def __init__(self, users: int, domain: Domain = UNIT_INTERVAL) -> None:
        super().__init__(users, domain)
        self.span = self.users * (domain.high - domain.low)
        self.guarantee = no_guarantee("none", "one reward", self._neighbours, "certified", "rewards are used as they are")

    def release_sum(self, total: ArrayLike, rng: np.random.Generator, batches: int = 1) -> NDArray[np.float64]:
        """Return the true sums."""
        return np.asarray(total, dtype=float)

    def log_mgf(self, s: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return 0: there is no noise."""
        return np.zeros_like(s)
