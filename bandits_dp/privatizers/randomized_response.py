r"""The local model on bits: randomized response (Warner 1965).

Each user reports her bit with probability :math:`q` and the opposite bit otherwise. The reports
satisfy :math:`q - e^{\varepsilon}(1 - q) \le \delta` exactly when :math:`q \le (e^{\varepsilon} +
\delta) / (e^{\varepsilon} + 1)`, and the analyzer undoes the bias: with :math:`Y` ones among
:math:`n` reports, :math:`(Y - n(1 - q)) / (2q - 1)` has the true sum as its mean.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp import _checks
from bandits_dp._types import Floats
from bandits_dp.noise.noise_bits import bernoulli_log_mgf
from bandits_dp.privatizers.base import Privatizer, certified
from bandits_dp.privatizers.domain import BITS

LARGEST = 36.0  # beyond this epsilon a lie would be rarer than 2^-52, and keeps that probability
SMALLEST = 1e-14  # from this epsilon on, truth > 1/2 also in floating point


def largest_truth(epsilon: float, delta: float) -> float:
    r"""Return the largest float q with :math:`1 - (1 - q) (e^\varepsilon + 1) \le \delta`, almost.

    The result is at most two floats smaller. A q too large by one rounding error would raise delta
    by :math:`10^{-16} e^\varepsilon`, many times a small delta: 64 times at (13.994, 1e-12). So the
    probability of a lie is rounded up, by more than the rounding errors of its computation, and q
    is lowered until 1 - q, which is exact, is no less. ``rng.random()`` has steps of 2^-53, like q,
    so a sent bit is a lie with exactly this probability.
    """
    lie = max((1 - delta) / (math.exp(min(epsilon, LARGEST)) + 1) * (1 + 2.0**-50), 2.0**-52)
    truth = 1 - lie
    while 1 - truth < lie:
        truth = math.nextafter(truth, 0.0)
    return truth


class RandomizedResponse(Privatizer):
    """Every user flips its own bit at random before sending it; no trust is needed.

    Parameters
    ----------
    users : int
        Batch size n, >= 1.
    epsilon : float
        Privacy parameter, > 0.
    delta : float
        Failure mass, in [0, 1); 0 gives pure privacy.
    calibration : {"certified", "theorem"}
        The largest ``truth`` that (epsilon, delta) allows, or Warner's, with delta = 0.

    Attributes
    ----------
    truth : float
        Probability q of reporting the true bit, in (1/2, 1): a multiple of 2^-53, like the uniform
        numbers that decide, so the probability of a lie is exactly 1 - q.

    Raises
    ------
    ValueError
        If an argument is out of range (if delta is 0, epsilon must be at least 1e-14), or the
        calibration is ``"experiment"``, which no paper has for this sum.

    Examples
    --------
    >>> import numpy as np
    >>> import bandits_dp as bdp
    >>> noisy = bdp.privatizers.RandomizedResponse(1000, epsilon=1.0)
    >>> [released] = noisy.release([1, 1, 1, 0] * 250, np.random.default_rng(1))  # 750 slept well
    >>> print(f"with {noisy.truth:.0%} honest answers: {released:.0f}, "
    ...       f"give or take {noisy.noise_std:.1f}")
    with 73% honest answers: 766, give or take 30.3
    """

    model = "local"
    bits_per_user, adds = 1.0, True

    @_checks.checked(delta=_checks.mass)
    def __init__(self, users: int, epsilon: float, delta: float = 0.0,
                 calibration: str = "certified") -> None:
        super().__init__(users, BITS)
        if not certified(calibration, "randomized response"):
            delta = 0.0
        self.truth = largest_truth(epsilon, delta)
        if self.truth <= 0.5:
            raise ValueError(f"epsilon must be at least {SMALLEST:g} for randomized response with "
                             f"delta = {delta:g}, got {epsilon:g}: less is lost in rounding, and "
                             "answers would carry nothing")
        lie, self.bias = 1 - self.truth, 2 * self.truth - 1  # both exact
        self.noise_std = math.sqrt(self.users * self.truth * lie) / self.bias
        self.span = self.users / self.bias
        self._promise(epsilon, delta, calibration,
                      "the two answers of randomized response, compared exactly (Warner 1965)")

    def randomize(self, values: ArrayLike, rng: np.random.Generator) -> NDArray[Any]:
        """Report the bits with probability ``truth``, else their opposites, shape (users, 1)."""
        return self.send(self.check(values), _checks.generator(rng)).astype(np.uint8)

    def send(self, values: Floats, rng: np.random.Generator) -> NDArray[Any]:
        """Report the bits, or their opposites, by uniform multiples of 2^-53 against ``truth``."""
        lies = rng.random(values.shape) >= self.truth
        return values.astype(np.int64) ^ lies

    def receive(self, waiting: NDArray[Any], rng: np.random.Generator) -> Floats:
        """Correct the bias of the number of ones."""
        return self._debias(waiting, self.users)

    def analyze(self, messages: NDArray[Any], rng: np.random.Generator) -> Floats:
        """Count the ones and correct the bias."""
        return self._debias(np.asarray(messages, dtype=float).sum(axis=0), self.users)

    def release_sum(self, total: ArrayLike, rng: np.random.Generator,
                    batches: int = 1) -> Floats:
        """Draw the reported ones as two binomials, in floating point, for simulations."""
        ones = np.rint(np.asarray(total, dtype=float)).astype(np.int64)
        zeros = self.users * batches - ones
        reports = rng.binomial(ones, self.truth) + rng.binomial(zeros, 1 - self.truth)
        return self._debias(reports, self.users * batches)

    def log_mgf(self, s: Floats) -> Floats:
        """Bound by the worse of a true one and a true zero for every user."""
        one, zero = (bernoulli_log_mgf(p, s / self.bias) for p in (self.truth, 1 - self.truth))
        return self.users * np.maximum(one, zero)

    def _debias(self, ones: ArrayLike, users: int) -> Floats:
        return np.asarray((np.asarray(ones) - users * (1 - self.truth)) / self.bias)
