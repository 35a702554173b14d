"""Widths for running sums released after every round: UCB1's, and three for counters' noise.

Each is a function of the number of rewards and of the round, for many arms at once.
"""

import math
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from bandits_dp import _checks
from bandits_dp._types import Floats
from bandits_dp.continual import Counter, TreeCounter
from bandits_dp.continual.base import known_horizon


class RunningWidth(Protocol):
    """Bounds on the distance of a released running mean from the true mean.

    Examples
    --------
    >>> import numpy as np
    >>> from bandits_dp.learners import UCB
    >>> class Greedy:  # width 0: pulls the best arm so far
    ...     def half_width(self, counts, t):
    ...         return np.zeros(len(counts))
    >>> learner = UCB(2, Greedy())
    >>> for reward in (1.0, 0.0):  # of arm 0, then of arm 1
    ...     learner.tell(np.array([reward]), [])
    >>> learner.ask().arms.tolist()
    [0]
    """

    def half_width(self, counts: NDArray[np.int64], t: int) -> Floats:
        """Return the widths for numbers of rewards >= 1 in round t; shape of ``counts``."""


class ExactWidth:
    r"""Width of UCB1 for sums without noise: :math:`\sqrt{2 \ln t / n}`.

    Auer, Cesa-Bianchi, Fischer 2002.

    Examples
    --------
    >>> import numpy as np
    >>> from bandits_dp.arms.running_widths import ExactWidth
    >>> ExactWidth().half_width(np.array([10, 1000]), t=2000).round(2).tolist()
    [1.23, 0.12]
    """

    def half_width(self, counts: NDArray[np.int64], t: int) -> Floats:
        """Return the width in round t."""
        return np.sqrt(2 * np.log(t) / counts)


class TreeWidth:
    r"""Rigorous width from the exact tails of the tree's noise (certified calibration).

    After n rewards the tree's noise is a sum of popcount(n) Laplace numbers of scale b. By
    Chernoff's bound, with Hoeffding's lemma for the rewards, the mean is off by more than

    .. math:: w(n) = \min_s \frac{n s^2 / 8 - \mathrm{popcount}(n) \ln(1 - s^2 b^2) + L}{s n}

    with probability at most :math:`e^{-L}` for each side. Every s gives a valid bound, so the
    minimum over a fixed grid is valid, too.

    **Union bound.** With :math:`L = \ln(2 T^2)`, over K arms, at most T numbers of rewards and two
    sides, some width ever fails with probability at most K / T; this costs at most the regret of
    one pull of every arm. If none fails, an arm with gap D is never pulled again once w(n) < D / 2.

    Parameters
    ----------
    counter : TreeCounter
        The tree of one arm, with Laplace noise.

    Examples
    --------
    >>> import numpy as np
    >>> import bandits_dp as bdp
    >>> from bandits_dp.arms.running_widths import TreeWidth
    >>> width = TreeWidth(bdp.continual.TreeCounter(2000, epsilon=1.0, delta=0.0, noise="laplace"))
    >>> width.half_width(np.array([10, 1000]), t=2000).round(2).tolist()  # useless for 10 rewards
    [23.48, 0.31]
    """

    @_checks.checked()
    def __init__(self, counter: TreeCounter) -> None:
        _checks.one_of("counter", counter, TreeCounter, "a TreeCounter")
        self.horizon = known_horizon(counter, "laplace")
        self.scale = counter.noise_std / math.sqrt(2)
        self.log_failure = math.log(2 * self.horizon**2)
        most = min(1 / self.scale, 30.0)  # s above 30 never helps
        low = min(math.sqrt(self.log_failure / self.horizon), most) / 1e2
        self._s = np.concatenate([np.geomspace(low, most / 2, 150),
                                  most * (1 - np.geomspace(0.5, 1e-4, 50))])
        self._table = np.array([math.inf])  # by n

    def half_width(self, counts: NDArray[np.int64], t: int) -> Floats:
        """Return w(n), which holds in every round."""
        largest = int(counts.max())
        while largest >= len(self._table):
            self._extend()
        return self._table[counts]

    def _extend(self) -> None:
        """Double the table, up to the horizon."""
        n = np.arange(len(self._table), min(2 * len(self._table), self.horizon + 1))
        one = -np.log1p(-((self._s * self.scale) ** 2))
        best = np.full(len(n), np.inf)
        for s, noise in zip(self._s, one, strict=True):
            np.minimum(best, n * (s / 8) + (np.bitwise_count(n) * noise + self.log_failure) / s,
                       out=best)
        self._table = np.concatenate([self._table, best / n])


class GaussianWidth:
    r"""Rigorous width for any counter with Gaussian noise (certified calibration).

    After n rewards the counter's noise is Gaussian with the exact std :math:`s(n)`, so Chernoff's
    bound with Hoeffding's lemma for the rewards has its minimum in closed form:

    .. math:: w(n) = \frac{1}{n} \sqrt{2 L \, (n / 4 + s(n)^2)} , \qquad L = \ln(2 T^2),

    with the union bound of :class:`TreeWidth`.

    Parameters
    ----------
    counter : Counter
        The counter of one arm, with Gaussian noise and a horizon.

    Examples
    --------
    >>> import numpy as np
    >>> import bandits_dp as bdp
    >>> from bandits_dp.arms.running_widths import GaussianWidth
    >>> width = GaussianWidth(bdp.continual.TreeCounter(2000, epsilon=1.0, delta=1e-6))
    >>> width.half_width(np.array([10, 1000]), t=2000).round(2).tolist()  # useless for 10 rewards
    [11.21, 0.21]
    """

    @_checks.checked()
    def __init__(self, counter: Counter) -> None:
        horizon = known_horizon(counter, "gaussian")
        _checks.room("counter", horizon)
        n = np.arange(1, horizon + 1)
        log_failure = math.log(2 * horizon**2)
        self._table = np.append(math.inf,  # by n
                                np.sqrt(2 * log_failure * (n / 4 + counter.error_std(n) ** 2)) / n)

    def half_width(self, counts: NDArray[np.int64], t: int) -> Floats:
        """Return w(n), which holds in every round."""
        return self._table[counts]


class PublishedWidth:
    r"""Published width (theorem calibration) for one tree per arm, each with epsilon / K.

    :math:`\sqrt{2 \ln t / n} + \Gamma / n` with
    :math:`\Gamma = K \ln^2 T \ln(K T \ln T / \gamma) / \varepsilon` (Mishra & Thakurta 2015, from
    memory, as their text was not at hand), and :math:`\gamma = 1/T` for a bound on the expected
    regret.

    Parameters
    ----------
    arms, horizon : int
        K and T, both >= 1.
    epsilon : float
        Privacy parameter, > 0.

    Examples
    --------
    >>> import numpy as np
    >>> from bandits_dp.arms.running_widths import PublishedWidth
    >>> width = PublishedWidth(arms=2, horizon=2000, epsilon=1.0)
    >>> width.half_width(np.array([1000]), t=2000).round(1).tolist()  # useless
    [2.2]
    """

    @_checks.checked()
    def __init__(self, arms: int, horizon: int, epsilon: float) -> None:
        log = math.log(horizon)
        # Gamma
        self.relaxation = arms * log**2 * math.log(max(arms * horizon**2 * log, 1.0)) / epsilon

    def half_width(self, counts: NDArray[np.int64], t: int) -> Floats:
        """Return the published width."""
        return np.sqrt(2 * math.log(t) / counts) + self.relaxation / counts
