r"""What a policy would have earned, from a log of another one: weighted averages of logged rewards.

Row i shows features :math:`x_i`, an action :math:`a_i` that the logging policy chose with probability :math:`p_i`, and a reward
:math:`r_i`. The policy :math:`\pi` would have chosen :math:`a_i` with probability :math:`\pi(a_i | x_i)`, so the row counts with
the weight :math:`w_i = \pi(a_i | x_i) / p_i`:

* **ips**, inverse propensity scores (Horvitz & Thompson 1952): :math:`\hat v = \frac1n \sum_i w_i r_i`. Unbiased if propensities
  are right and no action that :math:`\pi` can choose had the propensity 0, whatever the rewards are.
* **snips**, self-normalized (Swaminathan & Joachims 2015): :math:`\sum_i w_i r_i / \sum_i w_i`. Biased by O(1/n), stays within the
  range of rewards, and does not change its opinion when a constant is added to all rewards.
* **dr**, doubly robust (Dudik, Langford, Li 2011): :math:`\frac1n \sum_i \big(\sum_a \pi(a|x_i) q(x_i, a) + w_i (r_i - q(x_i,
  a_i))\big)` with predicted rewards q. Unbiased like ips if q was made from other rows, as it is here; more precise if q is good.

**How sure.** Intervals are those of the central limit theorem: *asymptotic*, for rows that are independent of one another (or, for
a logging policy that learned, of terms that are martingale differences). They are too short where a few rows have most of the
weight, which ``effective_rows`` and ``largest_weight`` show. With ``clip`` they are about the mean of the clipped estimate, which
is another number than the value of the policy: for rewards >= 0 a smaller one.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy  # special is loaded when it is used first
from numpy.typing import NDArray

from bandits_book.logs.columns import picked
from bandits_book.logs.log import Log
from bandits_book.logs.policies import probabilities
from bandits_dp import _checks
from bandits_dp._sizes import std, unit

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """The estimated value of a policy: its mean reward in a round.

    Parameters
    ----------
    value, std_error : float
        Estimate and estimated standard error.
    low, high, confidence : float
        Ends of the interval, and how often such intervals are to cover: asymptotically.
    method : {"ips", "snips", "dr"}
        Which estimate.
    rows, effective_rows : int, float
        Rows of the log, and Kish's effective number of them, (sum of weights)^2 / sum of squared weights: far below if few decide.
    largest_weight, clipped : float, int
        The largest weight, after clipping, and how many were clipped.

    Examples
    --------
    >>> from bandits_book import logs
    >>> log = logs.Log([0, 1, 1, 0], [1, 0, 1, 1], propensities=0.5, arms=2)
    >>> estimate = logs.evaluate([1, 0], log)  # always action 0, which two of four rows know
    >>> estimate.value, estimate.effective_rows, estimate.largest_weight
    (1.0, 2.0, 2.0)
    """

    value: float
    std_error: float
    low: float
    high: float
    confidence: float
    method: str
    rows: int
    effective_rows: float
    largest_weight: float
    clipped: int

    def __str__(self) -> str:
        """Return the estimate in a line."""
        clipped = f", {self.clipped:,} of them clipped" if self.clipped else ""
        return (f"{self.method}: {self.value:.4g}, {self.confidence:.0%} interval {self.low:.4g} to {self.high:.4g} (asymptotic); "
                f"{self.rows:,} rows worth {self.effective_rows:,.0f}, largest weight {self.largest_weight:.3g}{clipped}")


def evaluate(policy: Any, log: Log, method: str = "ips", *, clip: float | None = None, confidence: float = 0.95) -> Estimate:
    """Return what a policy that does not learn would earn in a round, from a log of another policy.

    The estimate is made of users' answers without any noise: it is not private, whatever the learner is that it judges.

    Parameters
    ----------
    policy : "uniform", array_like of shape (arms,), callable, or App
        What is judged: all arms alike, the same probabilities in all rows, ``policy(features)`` for the features of one row (None
        for plain arms), or a learner, frozen as it is. It must not have been made from these rows: learn from ``log[:n]``, say,
        and judge by ``log[n:]``.
    log : Log
        With propensities.
    method : {"ips", "snips", "dr"}
        Which estimate, see :mod:`bandits_book.logs.estimates`. For ``"dr"`` ridge regressions on one half of the rows
        predict the rewards of the other half.
    clip : float, optional
        Largest weight that is allowed, > 0; larger ones are replaced by it, which costs bias. Never done unless asked for.
    confidence : float
        Of the interval, in (0, 1).

    Raises
    ------
    ValueError
        If the log has no propensities, an argument is out of range, no row agrees with the policy, the policy could choose an
        action that the logging policy surely did not, or a weight, or its product with a reward, is too large for a float.

    Examples
    --------
    >>> import numpy as np
    >>> import bandits_dp as bdp
    >>> from bandits_book import logs
    >>> problem = bdp.problems.BernoulliArms([0.9, 0.2])
    >>> log = logs.record([0.2, 0.8], problem, 4000, np.random.default_rng(1))
    >>> estimate = logs.evaluate([1, 0], log)
    >>> bool(estimate.low < 0.9 < estimate.high)
    True
    """
    _checks.one_of("log", log, Log, "a bandits_book.logs.Log")
    _checks.choice("method", method, ("ips", "snips", "dr"))
    confidence = _checks.real("confidence", confidence, 0.0, 1.0)
    propensities = log.known_propensities()
    said = list(probabilities(policy, ((log.shown(row), int(arms)) for row, arms in enumerate(log.sizes))))
    agree = picked(said, log.actions)
    sure = np.flatnonzero((propensities >= 1 - 1e-12) & (agree < 1 - 1e-9))  # no weight makes up for what could not be chosen
    if len(sure):
        raise ValueError(f"propensities must leave room for every action that the policy can choose, got 1 in row {sure[0]}, where "
                         f"the policy chooses another action with probability {1 - agree[sure[0]]:.3g}")
    with np.errstate(over="ignore"):
        w = agree / propensities
    largest = math.inf if clip is None else _checks.positive("clip", clip)
    clipped, w = int((w > largest).sum()), np.minimum(w, largest)
    beyond = np.flatnonzero(np.isinf(w))
    if len(beyond):
        raise ValueError(f"propensities must be so large that every weight is finite, got {propensities[beyond[0]]:g} in row "
                         f"{beyond[0]}, where the policy chooses the action with probability {agree[beyond[0]]:.3g}; clip= bounds "
                         "weights")
    if not w.any():
        raise ValueError("policy must choose an action of the log at least once, got one that never does, of which the log knows "
                         "nothing")
    r, known = log.rewards, int((w > 0).sum()) if method == "snips" else len(log)
    with np.errstate(over="ignore", invalid="ignore"):  # of a value that is refused
        value, error = _ratio(w, r) if method == "snips" else _average(w * r if method == "ips" else _corrected(said, w, log))
    half = -float(scipy.special.ndtri((1 - confidence) / 2)) * error
    if not math.isfinite(abs(value) + half):
        raise ValueError("log must have rewards and weights whose products can be computed with, got rewards up to "
                         f"{np.abs(r).max():g} and weights up to {w.max():g} in size")
    error, half = (error, half) if known > 1 else (math.inf, math.inf)
    shares = w / unit(w)
    return Estimate(value, error, value - half, value + half, confidence, method, len(log),
                    float(shares.sum() ** 2 / (shares**2).sum()), float(w.max()), clipped)


def _average(terms: Floats) -> tuple[float, float]:
    """Return a mean and its standard error, 0 for a single term."""
    one, n = unit(terms), len(terms)
    return float((terms / one).mean() * one), float(std(terms) / math.sqrt(n)) if n > 1 else 0.0


def _ratio(w: Floats, r: Floats) -> tuple[float, float]:
    """Return the weighted mean of rewards, and its standard error."""
    shares = w / unit(w)
    apart = r - r[w.argmax()]  # where one row decides, others are as near to the value as rounding is
    misses = shares * (apart - (shares * apart).sum() / shares.sum())
    one = unit(misses)
    return float((shares * r).sum() / shares.sum()), math.sqrt(float(((misses / one) ** 2).sum())) * float(one / shares.sum())


def _corrected(said: list[Floats], w: Floats, log: Log) -> Floats:
    """Return what doubly robust estimates average: predicted rewards, corrected by what they miss."""
    q = _predicted(log)
    direct = np.array([own @ rewards for own, rewards in zip(said, q, strict=True)])
    return np.asarray(direct + w * (log.rewards - picked(q, log.actions)))


def _predicted(log: Log) -> list[Floats]:
    """Return predicted rewards of all arms of every row, by ridge regression on the rows of the other parity."""
    arms = np.eye(int(log.sizes[0]))  # features of plain arms: which one it is
    played = log.chosen if log.features is not None else arms[log.actions]
    fitted = []
    for other in (1, 0):  # for even rows, and for odd ones
        rows = np.arange(len(log)) % 2 == other
        x, y = played[rows], log.rewards[rows]
        fitted.append(np.linalg.lstsq(x.T @ x + np.eye(x.shape[1]), x.T @ y)[0])  # rounding may have lost the identity
    return [(arms if (own := log.shown(row)) is None else own) @ fitted[row % 2] for row in range(len(log))]
