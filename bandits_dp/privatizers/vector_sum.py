r"""P_Vec: the shuffled sum of one vector per user.

Chowdhury & Zhou 2022, Algorithms 5 to 7; Li, Zhou, Ji 2022, Algorithm 2. Every coordinate is
encoded and gets its own noise (:mod:`bandits_dp.privatizers.bit_sum`). Both papers print constants;
the ``theorem`` calibration follows Chowdhury & Zhou for linear statistics, and Li, Zhou & Ji for a
symmetric box.

**certified.** A user whose value moves by D in the l2 norm moves the integers by at most
:math:`K_2 = D g / (\mathrm{high} - \mathrm{low}) + \sqrt d`; the second term is due to rounding.
The noise for such a move comes from the rigorous comparison with a Gaussian in
:mod:`bandits_dp.accounting.binomial_vector`. More levels cost bits, but reduce the second term and
the rounding error: with the default number the second term adds at most 2% to the noise, and the
rounding error at most 1%.
"""

import math
from functools import lru_cache, partial

from bandits_dp import _checks
from bandits_dp.accounting.binomial import binomial_log_pmf
from bandits_dp.accounting.binomial_vector import vector_delta
from bandits_dp.accounting.gaussian import gaussian_noise_std
from bandits_dp.noise.noise_bits import NoiseBits, least_noise_bits
from bandits_dp.privatizers.base import certified
from bandits_dp.privatizers.bit_sum import BitSum
from bandits_dp.privatizers.domain import Box, Domain, LinearStatistics

MOST_LEVELS = 4096  # of the default
LEAST_DELTA = 1e-252  # of the rigorous bound, because of the mass that it reserves for the tails
LEFT_OUT = 1e-300  # mass charged for a count's outcomes that are not evaluated


@lru_cache(maxsize=1024)
def certified_bits(users: int, epsilon: float, delta: float, l2_shift: float,
                   dimension: int) -> NoiseBits:
    """Fewest noise bits, by the rigorous bound, for counts that a user moves by ``l2_shift``.

    The bound charges ``e^epsilon`` times the mass outside evaluated windows, so it says nothing
    beyond an epsilon of about 690; there the noise of a smaller epsilon is used, which is private
    at a larger one, too.
    """
    if delta < LEAST_DELTA:
        raise ValueError(f"delta must be at least {LEAST_DELTA:g} for the vector sum, got "
                         f"{delta:g}")
    epsilon = min(epsilon, math.log(delta) - math.log(LEFT_OUT * dimension) - 1)

    delta_of = partial(vector_delta, epsilon=epsilon, l2_shift=l2_shift, dimension=dimension)

    def fair_trials(allowed: float) -> int:
        """Fewest fair bits, to 0.1%; the search starts from Gaussian noise, which is close."""
        low = high = max(4, math.floor((2 * gaussian_noise_std(epsilon, allowed, l2_shift)) ** 2))
        while delta_of(binomial_log_pmf(high, 0.5)[1]) > allowed:
            low, high = high, math.ceil(high * 1.02) + 4
        while high - low > max(1, high // 1000):
            middle = (low + high) // 2
            low, high = ((low, middle) if delta_of(binomial_log_pmf(middle, 0.5)[1]) <= allowed
                         else (middle, high))
        return high

    return least_noise_bits(users, fair_trials, delta_of, delta, dimension,
                            math.log(1000 * dimension) + epsilon)


def linear_bits(users: int, epsilon: float, delta: float, features: int) -> tuple[int, NoiseBits]:
    """Return the printed levels and noise bits for linear statistics of d features.

    Chowdhury & Zhou 2022, Theorem C.1.
    """
    levels = math.ceil(max(2 * math.sqrt(users), features, 4))
    bits = 24e4 * levels**2 * math.log(4 * (features**2 + 1) / delta) ** 2 / (epsilon**2 * users)
    return levels, NoiseBits(math.ceil(bits), 0, 0.25)


def box_bits(users: int, epsilon: float, delta: float, dimension: int) -> tuple[int, NoiseBits]:
    """Return the printed levels and noise bits for a box (Li, Zhou, Ji 2022, Algorithm 2)."""
    inner = epsilon / (18 * math.sqrt(math.log(2 / delta)))
    log_term = math.log(4 * dimension / delta)
    levels = math.ceil(max(inner * math.sqrt(users) / (6 * math.sqrt(5 * log_term)),
                           math.sqrt(dimension), 10))
    mean = 90 * levels**2 * log_term / (inner**2 * users)
    bits = math.ceil(2 * mean)
    return levels, NoiseBits(bits, 0, mean / bits)


class VectorSum(BitSum):
    """P_Vec: the shuffled sum of one vector per user.

    Parameters
    ----------
    users : int
        Batch size n, >= 1.
    epsilon : float
        Privacy parameter, > 0; at most 15 in the theorem calibration.
    delta : float
        Failure mass, in (0, 1); below 1/2 in the theorem calibration.
    calibration : {"certified", "theorem"}
        Rigorous bound, or the published constants.
    domain : Domain
        Allowed vectors of one user; the l2 diameter is the sensitivity.
    levels : int, optional
        Bits g per number in the certified calibration; by default enough for rounding to cost at
        most 3%, but no more than 4096.
    honest_fraction : float
        Share of users that add their noise, in (0, 1].
    clip : bool
        Whether to move vectors outside to the domain's border.
    strict : bool
        Whether the theorem calibration refuses epsilon and delta that its theorem does not cover.

    Raises
    ------
    ValueError
        If an argument is out of range, or the calibration is ``"experiment"``.

    Notes
    -----
    For a box, the published protocol and the theorem calibration encode the larger interval [-B
    sqrt(s), B sqrt(s)].

    Examples
    --------
    Noise on each coordinate of a sum of 1000 points of the unit disc, compared with a trusted
    server:

    >>> import bandits_dp as bdp
    >>> disc = bdp.privatizers.Ball(2)
    >>> shuffled = bdp.privatizers.VectorSum(1000, epsilon=1.0, delta=1e-6, domain=disc)
    >>> central = bdp.privatizers.CentralGaussian(1000, epsilon=1.0, delta=1e-6, domain=disc)
    >>> print(f"{shuffled.noise_std:.2f} instead of {central.noise_std:.2f}, "
    ...       f"for {shuffled.bits_per_user:.0f} bits of each user")
    8.64 instead of 8.45, for 894 bits of each user
    """

    @_checks.checked()
    def __init__(self, users: int, epsilon: float, delta: float, domain: Domain,
                 calibration: str = "certified", levels: int | None = None,
                 honest_fraction: float = 1.0, clip: bool = False, strict: bool = True) -> None:
        super().__init__(users, domain, clip, honest_fraction)
        gap = ""
        if certified(calibration, "the vector sum", "its constants belong to whole learners"):
            if levels is None:
                noise, width = (gaussian_noise_std(epsilon, delta, domain.l2_diameter),
                                self.high - self.low)
                for_shift = 50 * math.sqrt(self.dimension) / (domain.l2_diameter / width)
                for_error = width * math.sqrt(self.users) / (2 * 0.14 * noise)
                levels = min(math.ceil(max(for_shift, for_error)), MOST_LEVELS)
            self._certify(levels, epsilon, delta)
            reason = ("rigorous comparison of the shuffled bits with a Gaussian, l2-sensitivity "
                      f"{domain.l2_diameter:.4g}")
            if self.batches > 1:
                reason += (f" in each of {self.batches} batches, exact composition of Gaussians "
                           "(Dong, Roth, Su 2022)")
        else:
            each, each_delta = self._each(epsilon, delta, strict)
            if each > 15 or each_delta >= 0.5:
                gap = ("the theorems (Chowdhury & Zhou 2022, C.1; Li, Zhou, Ji 2022, 4.6) cover "
                       f"epsilon <= 15 and delta < 1/2 only, and they are {each:g} and "
                       f"{each_delta:g}")
            if strict and gap:
                raise ValueError("epsilon must be at most 15 and delta below 1/2 for the theorem "
                                 "calibration of the vector sum (Chowdhury & Zhou 2022, Theorem "
                                 f"C.1; Li, Zhou, Ji 2022, Theorem 4.6), got ({each:g}, "
                                 f"{each_delta:g}); use calibration='certified', or strict=False "
                                 "for an unproved one")
            reason = self._published(each, each_delta)
        self._promise(epsilon, delta, calibration, reason + self._trust, gap)

    def _certify(self, levels: int, epsilon: float, delta: float) -> None:
        """Set up the noise for all vectors of a user, one per batch."""
        g, d, batches = levels, self.dimension, self.batches
        per_level = self.domain.l2_diameter / (self.high - self.low)
        shift = min(per_level * g + math.sqrt(d), g * math.sqrt(d)) * math.sqrt(batches)
        self._set_up(g, certified_bits(self.honest, epsilon, delta, shift, d * batches))

    def _published(self, epsilon: float, delta: float) -> str:
        """Set up the printed constants for the domain, and return their source in words."""
        if isinstance(self.domain, LinearStatistics):
            self._set_up(*linear_bits(self.honest, epsilon, delta, self.domain.features))
            return "P_Vec with its published constants (Chowdhury & Zhou 2022, Theorem C.1)"
        if not (isinstance(self.domain, Box) and self.low == -self.high):
            raise ValueError("domain must be linear statistics or a box [-B, B]^s for the theorem "
                             f"calibration, got {self.domain}")
        self.high *= math.sqrt(self.dimension)
        self.low = -self.high
        self._set_up(*box_bits(self.honest, epsilon, delta, self.dimension))
        return "P_Vec with its published constants (Li, Zhou, Ji 2022, Algorithm 2)"
