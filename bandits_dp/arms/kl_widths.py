r"""The upper confidence bound of KL-UCB for noisy sums, rigorous for noise with known tails."""

import math

import numpy as np

from bandits_dp import _checks
from bandits_dp._types import Floats


class ChernoffBound:
    r"""Largest mean of an arm that is consistent with its released sums.

    Let :math:`\tilde S` be the released sum of n rewards in [0, 1] with mean :math:`\mu`, and let g
    bound the log-moment generating function of its noise. The upper confidence bound is

    .. math:: U = \min_{s>0} \frac{1 - e^{-(L + g(s) + s \tilde S)/n}}{1 - e^{-s}} , \qquad
              L = \ln(P T) .

    **Proof that** :math:`\mu > U` **has probability at most** :math:`e^{-L}`. The bound of a single
    s increases in :math:`\tilde S`, so :math:`\mu > U` means that :math:`\tilde S` is below a
    number x that is not random and belongs to one of the s. For this s, as
    :math:`e^{-sr} \le 1 - r (1 - e^{-s})` for r in [0, 1],

    .. math:: \Pr[\tilde S < x] \le e^{sx} \operatorname{E} e^{-s \tilde S}
              \le e^{sx} (1 - \mu (1 - e^{-s}))^n e^{g(s)} = e^{-L} .

    Every s gives a valid bound, so the minimum over a fixed grid is valid, too. Without noise U is
    the bound of KL-UCB (Garivier & Cappé 2011): the largest :math:`\mu` with
    :math:`n \operatorname{KL}(\tilde S / n, \mu) \le L`.

    **Union bound.** An arm gets at most P batches before the horizon T, so the probability that the
    best arm's bound ever falls below its mean is at most 1 / T.

    Parameters
    ----------
    horizon, batches : int
        T and P, both >= 1.

    Examples
    --------
    >>> import numpy as np
    >>> import bandits_dp as bdp
    >>> from bandits_dp.arms.kl_widths import ChernoffBound
    >>> bound = ChernoffBound(horizon=10_000, batches=15)
    >>> noise = bdp.privatizers.CentralLaplace(1000, epsilon=0.1)
    >>> for noisy in (0.0, noise.log_mgf(bound.s)):
    ...     print(f"{bound.upper(800.0, 1000, noisy):.2f}")
    0.86
    0.95
    """

    @_checks.checked()
    def __init__(self, horizon: int, batches: int) -> None:
        self.log_failure = math.log(max(batches * horizon, 2))
        # The best s is near sqrt(L / n), n is at most T, and s above 30 never helps.
        self.s = np.geomspace(math.sqrt(self.log_failure / horizon) / 30, 30.0, 300)

    def upper(self, total: float, rewards: int, log_mgf: Floats | float) -> float:
        """Return U for a released sum of ``rewards`` rewards, given g(s) for each of ``self.s``."""
        exponent = np.maximum(self.log_failure + log_mgf + self.s * total, 0.0) / rewards
        return float((np.expm1(-exponent) / np.expm1(-self.s)).min())
