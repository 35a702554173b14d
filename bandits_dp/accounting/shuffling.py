r"""Amplification by shuffling: anonymity in a crowd strengthens local privacy.

n users send messages, each :math:`(\varepsilon_0, \delta_0)`-private by itself, through a shuffler.
Feldman, McMillan and Talwar (2021) show: the shuffled messages of two neighbouring crowds are no
easier to tell apart than the pairs of counts

.. math:: (A + \Delta,\; C - A + 1 - \Delta) \quad\text{and}\quad
          (A + 1 - \Delta,\; C - A + \Delta),

with :math:`C \sim \mathrm{Bin}(n - 1, e^{-\varepsilon_0})` clones of the user,
:math:`A \sim \mathrm{Bin}(C, 1/2)` and :math:`\Delta \sim \mathrm{Ber}(e^{\varepsilon_0} /
(e^{\varepsilon_0} + 1))` (the clones reduction). The functions here sum the divergence of the two
pairs over C.

**Why the sum is rigorous.** Given C = c, the first count determines the pair, and its likelihood
ratio

.. math:: \frac{q x + (1 - q)(c + 1 - x)}{(1 - q) x + q (c + 1 - x)}, \qquad
          q = \frac{e^{\varepsilon_0}}{e^{\varepsilon_0} + 1},

rises in x, so the best event is a tail above an explicit threshold; the second direction is the
mirror image. One more clone adds a fair bit to one count or the other, which is post-processing, so
a block of values of c may be replaced by its smallest. Values outside a window are charged to delta
in full. Given C = c, the tail from x on contributes

.. math:: P[A = x - 1]\, (1 - q)\, e^{\varepsilon} (e^{\varepsilon_0 - \varepsilon} - 1)
          - P[A \ge x]\, (e^{\varepsilon} - 1),

which avoids the cancellation in :math:`q - e^{\varepsilon} (1 - q)` for :math:`\varepsilon` near
:math:`\varepsilon_0`. The remaining difference loses digits for tiny epsilon: rounding errors are
below 5e-8 of delta, and amplification leaves a margin twenty times as large.
"""

import math
from functools import lru_cache
from typing import Any

import numpy as np
import scipy  # optimize and stats are loaded when they are used first
from numpy.typing import NDArray

from bandits_dp import _checks
from bandits_dp.accounting.binomial import binomial_log_pmf

ROUNDING = 1e-6  # relative margin that amplification leaves for floating-point error in delta
LOG_SKIP = -100.0  # values of C less likely than this are charged to delta in full
# mean number in a crowd: 5 10^7 users at a local epsilon of 1, which take seconds
MOST_CLONES = 18_500_000
# of delta, above all such charges; below, the numerical bound is the closed form
SMALLEST_REST = 1e-35
BLOCKS = 20_000  # at most; with more values of C, a block counts as its smallest value


@lru_cache(maxsize=8)
def _crowds(local_epsilon: float, users: int,
            blocks: int) -> tuple[NDArray[Any], NDArray[Any], float]:
    """Return values of C, their probabilities, and the mass of the omitted values."""
    first, log_weight = binomial_log_pmf(users - 1, math.exp(-local_epsilon))
    kept = np.flatnonzero(log_weight > LOG_SKIP)
    starts = kept[:: 1 + len(kept) // blocks]
    weight = np.add.reduceat(np.exp(log_weight[: kept[-1] + 1]), starts)
    return first + starts, weight, math.exp(LOG_SKIP) * len(log_weight)


def clones_delta(local_epsilon: float, users: int, epsilon: float) -> float:
    """Delta in [0, 1] of shuffled messages of pure local randomizers, by the clones reduction.

    An upper bound up to a relative rounding error of 5e-8; ``local_epsilon`` is epsilon_0 of each
    of ``users`` messages.
    """
    if epsilon >= local_epsilon:
        return 0.0  # the local guarantee itself
    q = 1 / (1 + math.exp(-local_epsilon))
    # the gain is q - e^eps (1 - q)
    gain = q * math.exp(epsilon - local_epsilon) * math.expm1(local_epsilon - epsilon)
    c, weight, skipped = _crowds(local_epsilon, users, BLOCKS)
    # the likelihood ratio exceeds e^eps above this count:
    # (c + 1) (q - (1 - q) e^-eps) / ((2q - 1) (1 + e^-eps))
    threshold = (c + 1) * (math.expm1(-local_epsilon - epsilon) / math.expm1(-local_epsilon)
                           / (1 + math.exp(-epsilon)))
    x = np.minimum(np.floor(threshold), c) + 1  # at c + 1 it exceeds e^eps, as epsilon < eps0
    excess = (scipy.stats.binom.pmf(x - 1, c, 0.5) * gain
              - scipy.stats.binom.sf(x - 1, c, 0.5) * math.expm1(epsilon))
    return min(1.0, float((weight * np.maximum(excess, 0.0)).sum()) + skipped)


def _closed_form(local_epsilon: float, users: int, delta: float) -> float:
    """Return epsilon by the published closed form, or infinity outside its range."""
    if local_epsilon > math.log(max(users / (16 * math.log(2 / delta)), 1e-300)):
        return math.inf
    grow = math.exp(local_epsilon)
    crowd = 8 * math.sqrt(grow * math.log(4 / delta) / users) + 8 * grow / users
    return math.log1p(math.tanh(local_epsilon / 2) * crowd)  # the closed form


def reached(local_epsilon: float, users: int, epsilon: float, delta: float, local_delta: float,
            bound: str = "numerical") -> bool:
    """Whether a bound shows (epsilon, delta)-privacy; arguments as in :func:`shuffle_epsilon`."""
    if not _checks.SMALLEST <= math.exp(-local_epsilon) < 1:
        # almost no or almost all users are clones: no amplification
        return local_epsilon <= epsilon
    if bound == "numerical" and users * math.exp(-local_epsilon) > MOST_CLONES:
        most = math.floor(MOST_CLONES * math.exp(local_epsilon))
        raise ValueError(f"users must be at most {most:,} for the numerical bound at local_epsilon "
                         f"= {local_epsilon:g}, got {users:,}; bound='closed-form' takes any "
                         "number")
    # the rest of delta after the local deltas are paid at this epsilon (Theorem 3.8)
    rest = (delta
            - users * local_delta * (1 + math.exp(-local_epsilon) / 2) * (math.exp(epsilon) + 1))
    if rest <= 0:
        return False
    if bound == "closed-form" or rest < SMALLEST_REST:
        return _closed_form(local_epsilon, users, rest) <= epsilon
    return clones_delta(local_epsilon, users, epsilon) <= rest * (1 - ROUNDING)


@_checks.checked(local_delta=_checks.mass)
def shuffle_epsilon(local_epsilon: float, users: int, delta: float, local_delta: float = 0.0,
                    bound: str = "numerical") -> float:
    """Privacy of n shuffled messages that are each locally private.

    Parameters
    ----------
    local_epsilon : float
        epsilon_0 of each message, > 0.
    users : int
        n, >= 1.
    delta : float
        Failure mass of all messages together, in (0, 1).
    local_delta : float
        delta_0 of each message, in [0, 1).
    bound : {"numerical", "closed-form"}
        The clones reduction summed exactly, or the published formula.

    Returns
    -------
    float
        epsilon, at most ``local_epsilon``; equal to it if no bound shows amplification.

    Raises
    ------
    ValueError
        If an argument is out of range, local_delta exceeds delta (so that even the local guarantee
        fails), or the crowd is too large to sum over: above 5 10^7 users at ``local_epsilon`` = 1.

    Notes
    -----
    The closed form, the clones reduction and Theorem 3.8 are by Feldman, McMillan, Talwar 2021. A
    local delta_0 costs (e^epsilon + 1) (1 + e^-epsilon_0 / 2) n delta_0 of delta; epsilon <=
    epsilon_0 bounds this cost beforehand. Reference: (1, 10^4, 1e-6) gives 0.0530, (4, 10^5, 1e-6)
    gives 0.1698.

    Examples
    --------
    Messages that are each private at epsilon 1, in two crowds:

    >>> import bandits_dp as bdp
    >>> [round(bdp.accounting.shuffle_epsilon(1.0, users, delta=1e-6), 3)
    ...  for users in (1000, 10_000)]
    [0.182, 0.053]
    """
    _checks.choice("bound", bound, ("numerical", "closed-form"))
    if local_delta > delta:
        raise ValueError(f"local_delta must be at most delta = {delta:g}, got {local_delta:g}: the "
                         "local guarantee fails already")

    def works(epsilon: float) -> bool:
        return reached(local_epsilon, users, epsilon, delta, local_delta, bound)

    # Halve the published or the local epsilon until the first failure. With a local delta, a
    # large epsilon may fail although a smaller one works, so failures before the first success
    # are skipped.
    high, found = min(_closed_form(local_epsilon, users, delta), local_epsilon), False
    while high > local_epsilon * 1e-9:
        if works(high):
            found = True
        elif found:
            break
        high /= 2
    if not found:
        return local_epsilon
    low, high = high, 2 * high
    while high - low > 1e-8 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if works(middle) else (middle, high)
    return min(high, local_epsilon)
