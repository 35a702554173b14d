r"""Pure privacy by distributed noise: differences of Polya numbers sum to discrete Laplace noise.

A Polya (negative binomial) number with real r > 0 has
:math:`P[Y = y] = \binom{y + r - 1}{y} q^y (1 - q)^r`. The sum of n numbers with :math:`r = 1 / n`
is geometric, and the difference of two geometric numbers is discrete Laplace noise with
:math:`q = e^{-1/t}` (Goryczka & Xiong 2017; Chowdhury & Zhou 2023, section 4). Each user adds one
such difference; no user knows the noise of the sum.
"""

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from bandits_dp import _checks
from bandits_dp._types import Floats
from bandits_dp.accounting.discrete_laplace import discrete_laplace_scale
from bandits_dp.noise.exact_counts import UNIT, geometric, polya
from bandits_dp.privatizers.base import certified
from bandits_dp.privatizers.domain import BITS, Box
from bandits_dp.privatizers.secure_sum import SecureSum

MOST_SCALE = 1e9  # of t: a user's share of the noise takes t random numbers
MOST_RATE = 2**63 - 1  # of 1 / t, in units: then any noise has a probability of exp(-1024)
MOST_SUM = 2**61  # of integers without noise, so that the modulus is at most 2^62


class DiscreteLaplaceSum(SecureSum):
    """Sum by secure aggregation with discrete Laplace noise, made of Polya numbers.

    Parameters
    ----------
    users : int
        Batch size n, >= 1.
    epsilon : float
        Privacy parameter, > 0.
    delta : float
        Failure mass, in [0, 1); 0 gives pure privacy. The theorem calibration makes it 0.
    calibration : {"certified", "theorem"}
        The exact profile with as many levels as are useful (one for bits), or the published
        precision g = ceil(epsilon sqrt(n)).
    domain : Box
        Allowed values of one user, of dimension 1.
    honest_fraction : float
        Share of users that add their noise, in (0, 1].

    Attributes
    ----------
    scale : float
        Scale t of the honest users' noise, in integers; 1 / t is below 1024 and a multiple of
        2^-53, so that the noise can be drawn.

    Raises
    ------
    ValueError
        If an argument is out of range, or the calibration is ``"experiment"``.

    Notes
    -----
    The guarantee is exact because one user moves the sum of integers by at most g, and the honest
    users' noise is discrete Laplace. Adding the others' independent noise and taking the sum modulo
    m are post-processing.

    Examples
    --------
    >>> import numpy as np
    >>> import bandits_dp as bdp
    >>> noisy = bdp.privatizers.DiscreteLaplaceSum(1000, epsilon=1.0)
    >>> [released] = noisy.release([1, 1, 1, 0] * 250, np.random.default_rng(1))  # 750 slept well
    >>> print(f"{released:.0f} of 1000 slept well, give or take {noisy.noise_std:.1f}")
    750 of 1000 slept well, give or take 1.4
    """

    @_checks.checked(delta=_checks.mass)
    def __init__(self, users: int, epsilon: float, delta: float = 0.0,
                 calibration: str = "certified", domain: Box = BITS,
                 honest_fraction: float = 1.0) -> None:
        super().__init__(users, domain, honest_fraction)
        most = min(UNIT, MOST_SUM // self.users)
        if certified(calibration, "the discrete Laplace sum",
                     "no constants are known that give the published figures"):
            # rounding, of std sqrt(n) / 2, then adds at most 1% to noise of std sqrt(2) g / epsilon
            useful = math.ceil(epsilon * math.sqrt(self.users) / (2 * 0.14 * math.sqrt(2)))
            levels = 1 if domain.whole else min(useful, most)
        else:
            levels, delta = math.ceil(epsilon * math.sqrt(self.users)), 0.0
            if levels > most:
                raise ValueError(f"epsilon must be at most {most / math.sqrt(self.users):.4g} for "
                                 f"the theorem calibration with {self.users:,} users, got "
                                 f"{epsilon:g}: sums of such fine integers do not fit into 62 bits")
        scale = discrete_laplace_scale(epsilon, delta, levels)
        if scale > MOST_SCALE:
            raise ValueError(f"epsilon must be at least {levels / MOST_SCALE:g} for discrete "
                             f"Laplace noise on integers up to {levels}, got {epsilon:g}: a user's "
                             f"share of the noise would take {scale:.3g} random numbers")
        self._rate = min(math.floor(UNIT / Fraction(scale)), MOST_RATE)  # 1 / t in units
        self.scale = UNIT / self._rate
        self._sinh = math.sinh(min(0.5 / self.scale, 300.0))  # of 1 / 2t
        # The variance is r / (2 sinh^2(1 / 2t)), which is 2 r q / (1 - q)^2.
        self._set_up(levels, math.sqrt(self.users / self.honest / 2) / self._sinh)
        reason = (f"discrete Laplace noise of scale {self.scale:.4g} on a sum of integers that "
                  f"moves by at most {levels}, exact")
        self._promise(epsilon, delta, calibration, reason + self._trust)

    def _draw(self, users: int, shape: tuple[int, ...],
              rng: np.random.Generator) -> NDArray[np.int64]:
        """Draw a difference of Polya numbers; ``honest`` users together make geometric ones."""
        whole, rest = divmod(users, self.honest)
        size = 2 * math.prod(shape)
        numbers = geometric(self._rate, whole * size, rng).reshape(size, whole).sum(axis=1)
        if rest:
            numbers += polya(self._rate, rest, self.honest, size, rng)
        return np.subtract(*numbers.reshape(2, *shape))

    def _simulate(self, users: int, shape: tuple[int, ...],
                  rng: np.random.Generator) -> NDArray[np.int64]:
        return np.subtract(*rng.negative_binomial(
            users / self.honest, -math.expm1(-1 / self.scale), (2, *shape)))

    def _log_mgf(self, s: Floats) -> Floats:
        """Return -r log(1 - (sinh(s / 2) / sinh(1 / 2t))^2), infinite from s = 1 / t on."""
        square = np.where(s < 1 / self.scale,
                          np.sinh(np.minimum(s, 1 / self.scale) / 2) / self._sinh, 1.0) ** 2
        with np.errstate(divide="ignore"):
            return -self.users / self.honest * np.log1p(-np.minimum(square, 1.0))
