r"""P_Amp: Gaussian noise at every user, and a shuffler.

Chowdhury & Zhou 2022, section 3.2 and appendix B. The noise is added as in the local model, but
less may suffice, because the shuffler hides the senders of the messages.

**certified.** The calibration searches the local guarantees :math:`(\varepsilon_0, \delta_0)` whose
amplification reaches the target (:func:`bandits_dp.accounting.shuffling.shuffle_epsilon`) for the
one with the least exact Gaussian noise; the target itself, without amplification, is one of them.
The adversary sees every message, so the noise of the others helps a user only by amplification. At
the end of the range of the paper's Theorem 3.2 and small delta the noise falls nearly like
:math:`1/\sqrt B`, as the theorem says. For 20 users at delta = 0.1 and epsilon from 0.2 to 10 it
finds no gain; amplification is bounded, not exact, so less noise may suffice.
"""

import math
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandits_dp import _checks
from bandits_dp.accounting.gaussian import gaussian_noise_std
from bandits_dp.accounting.shuffling import reached
from bandits_dp.privatizers.domain import UNIT_INTERVAL, Domain, LinearStatistics
from bandits_dp.privatizers.gaussian import UserNoise
from bandits_dp.privatizers.integer_sum import crowd, honest_users

SHARES = (1e-3, 1e-2, 0.1, 0.5)  # of delta, for the local failure masses of all users together


@lru_cache(maxsize=1024)
def certified_unit_std(users: int, epsilon: float, delta: float, distance: float) -> float:
    """Smallest std per user found such that ``users`` shuffled Gaussian messages are private."""
    best = gaussian_noise_std(epsilon, delta, distance)  # the local guarantee itself
    if math.exp(-epsilon) < _checks.SMALLEST:
        return best  # no user is a clone
    for share in SHARES:
        # costs at most the share
        local_delta = delta * share / (users * (math.exp(epsilon) + 1) * 1.5)
        if local_delta < _checks.SMALLEST:
            continue
        low, high = epsilon, max(2 * epsilon, math.log(users) + 1)
        while high - low > 1e-3 * high:
            middle = (low + high) / 2
            low, high = ((middle, high) if reached(middle, users, epsilon, delta, local_delta)
                         else (low, middle))
        if reached(low, users, epsilon, delta, local_delta):
            best = min(best, gaussian_noise_std(low, local_delta, distance))
    return best


class AmplifiedGaussian(UserNoise):
    """P_Amp: every user adds Gaussian noise, and the shuffler mixes the messages.

    Parameters as for :class:`VectorSum`, except: there is no ``levels``; ``domain`` is [0, 1] by
    default; ``honest_fraction`` is the share of users whose messages count as a crowd; and
    ``calibration`` is one of {"certified", "theorem", "experiment"}: amplification as computed
    here, the printed noise, or the noise of the code that the paper names. The last two are for
    linear statistics; the theorem calibration requires epsilon <= sqrt(ln(2 / delta) / users).

    Raises
    ------
    ValueError
        If an argument is out of range, or the calibration does not cover the domain.

    Notes
    -----
    The paper's theorem states O(epsilon, delta) without a constant, so the theorem calibration has
    no guarantee.

    Examples
    --------
    Noise on a sum of 1000 numbers, with and without the shuffler:

    >>> import bandits_dp as bdp
    >>> shuffled = bdp.privatizers.AmplifiedGaussian(1000, epsilon=1.0, delta=1e-6)
    >>> local = bdp.privatizers.LocalGaussian(1000, epsilon=1.0, delta=1e-6)
    >>> print(f"{shuffled.noise_std:.1f} instead of {local.noise_std:.1f}")
    72.4 instead of 133.6
    """

    model = "shuffle"

    @_checks.checked()
    def __init__(self, users: int, epsilon: float, delta: float, calibration: str = "certified",
                 domain: Domain = UNIT_INTERVAL, honest_fraction: float = 1.0, clip: bool = False,
                 strict: bool = True) -> None:
        super().__init__(users, domain, clip)
        gap = reason = ""
        if calibration == "certified":
            self.unit_std, reason, plain = self._least_std(
                honest_users(self.users, honest_fraction), epsilon, delta)
            amplified = self.unit_std < gaussian_noise_std(
                epsilon, delta, domain.l2_diameter * math.sqrt(self.batches))
            # without amplification no other user needs to be honest
            reason = reason + crowd(honest_fraction, users) if amplified else plain
        else:
            self.unit_std, gap = self._published(calibration, epsilon, delta, strict)
        self._promise(epsilon, delta, calibration, reason, gap)
        self.noise_std = self.unit_std * math.sqrt(self.users)

    def _least_std(self, honest: int, epsilon: float, delta: float) -> tuple[float, str, str]:
        """Return the certified std per user, and the reasons with and without amplification."""
        return (certified_unit_std(honest, epsilon, delta, self.domain.l2_diameter),
                "exact local Gaussian mechanism, amplified by shuffling (the clones of Feldman, "
                "McMillan, Talwar 2021, and their Theorem 3.8)",
                "exact local Gaussian mechanism, which is private without the shuffler: it "
                "amplifies nothing here")

    def _published(self, calibration: str, epsilon: float, delta: float,
                   strict: bool) -> tuple[float, str]:
        """Return the std per user of the paper or its code, and why it guarantees nothing."""
        if not isinstance(self.domain, LinearStatistics):
            raise ValueError(f"domain must be linear statistics for the {calibration} calibration "
                             f"of P_Amp, got {self.domain}")
        n = self.users
        if calibration == "experiment":
            std = math.sqrt(math.log(2.5 * n / delta)) / (epsilon * math.sqrt(n))
            return std, "noise of the code that the paper names, which claims no guarantee for it"
        epsilon, delta = self._each(epsilon, delta, strict)
        limit = math.sqrt(math.log(2 / delta) / n)
        if strict and epsilon > limit:
            raise ValueError(f"epsilon must be at most {limit:.4g} for the theorem calibration of "
                             f"P_Amp with {n} users, got {epsilon:g}; use calibration='certified', "
                             "or strict=False for an unproved one")
        spread = math.sqrt(2 * math.log(2.5 * n / delta) * math.log(2 / delta))
        return (4 * spread / (epsilon * math.sqrt(n)),
                "the theorem promises O(epsilon, delta) without naming the constant")

    def shuffle(self, messages: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
        """Return the messages of all users in a uniformly random order."""
        return rng.permutation(messages)
