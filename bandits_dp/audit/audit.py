r"""Empirical audit: a statistical lower bound on epsilon, which catches false guarantees.

If a mechanism is :math:`(\varepsilon, \delta)`-private then
:math:`P_a(E) \le e^{\varepsilon} P_b(E) + \delta` for every event E and all neighbours a, b. Runs
of the mechanism estimate the two probabilities of an event, and so bound epsilon:

.. math:: \varepsilon \ge \log \frac{P_a(E) - \delta}{P_b(E)} .

An audit chooses E on one half of the runs and counts it on the other (Jagielski, Ullman, Oprea
2020, with the split of Bichsel, Steffen, Bogunovic, Vechev 2021). A failed audit is evidence
against the mechanism. A passed one proves nothing: another pair of inputs, another event or more
runs might have failed it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy  # scipy.special is loaded on first use
from numpy.typing import ArrayLike, NDArray
from tqdm import tqdm

from bandits_dp import _checks
from bandits_dp.app.app import App
from bandits_dp.audit.events import (
    Array,
    Event,
    Statistic,
    best_event,
    fingerprint,
    generic_statistics,
    log_ratio,
)
from bandits_dp.audit.runs import (
    BYTES,
    Mechanism,
    Vectorized,
    check_independence,
    equal,
    numbers,
    outputs_of,
)
from bandits_dp.audit.views import view_name, view_of
from bandits_dp.play.memory import check_runs
from bandits_dp.privatizers import Privatizer

__all__ = ["AuditResult", "Vectorized", "audit"]

# Views of a privatizer that its guarantee covers, by trust model; in other models, all views.
PROMISED = {"central": ("sum",), "shuffle": ("sum", "messages", "first message")}
# normal quantiles by which the search moves probabilities: for the test's limits and its own luck
CAUTION = 1.75
BAR = "{desc}: {percentage:3.0f}%|{bar}| {elapsed} gone, {remaining} to go"


@dataclass(frozen=True)
class AuditResult:
    """The result of an audit.

    Parameters
    ----------
    epsilon, delta : float
        The audited claim.
    epsilon_lower : float
        Lower confidence bound on the true epsilon at this delta, >= 0.
    event : str
        The tested event, for example ``"output >= 1.5"``: a statistic and its threshold, interval
        or atom.
    low, high : float
        Ends of the event: the statistic is in [low, high]. Both are NaN for the event that the
        statistic is NaN.
    likelier : {"a", "b"}
        The input under which the event is expected to be likelier.
    hits_a, hits_b : int
        Number of runs of the test half in which the event happened, on each input.
    tested : int
        Number of runs in the test half, per input.
    trials : int
        Number of all runs, per input.
    confidence : float
        Probability with which the two lower bounds hold.
    rho, rho_lower : float
        The guarantee's claim of zero-concentrated privacy, infinite if it has none, and a lower
        confidence bound on the true rho.
    view : str
        Name of the audited view of a privatizer or learner
        (:func:`bandits_dp.audit.views.view_of`); empty for a function, or a view that is a
        function.

    Examples
    --------
    >>> import numpy as np
    >>> import bandits_dp as bdp
    >>> answer = bdp.privatizers.RandomizedResponse(1, epsilon=1.0)
    >>> rng = np.random.default_rng(1)
    >>> result = bdp.audit(answer, [1], [0], epsilon=0.5, delta=0.0, rng=rng)  # a false claim
    >>> result.passed, 0.5 < result.epsilon_lower < 1.0
    (False, True)
    """

    epsilon: float
    delta: float
    epsilon_lower: float
    event: str
    low: float
    high: float
    likelier: str
    hits_a: int
    hits_b: int
    tested: int
    trials: int
    confidence: float
    rho: float = math.inf
    rho_lower: float = 0.0
    view: str = ""

    @property
    def passed(self) -> bool:
        """Whether the bounds are compatible with the claim."""
        return self.epsilon_lower <= self.epsilon and self.rho_lower <= self.rho

    def __str__(self) -> str:
        """Return the verdict and its evidence, in two sentences."""
        verdict = "Passed" if self.passed else "FAILED"
        also = ("" if math.isinf(self.rho)
                else f"; rho is at least {self.rho_lower:.3g}, and {self.rho:.3g} is claimed")
        seen = f" in the view {self.view!r}" if self.view else ""
        return (f"{verdict}: epsilon is at least {self.epsilon_lower:.3g} with confidence "
                f"{self.confidence:g}, and ({self.epsilon:g}, {self.delta:g}) is claimed{also}. "
                f"The event [{self.event}]{seen} happened in {self.hits_a:,} of {self.tested:,} "
                f"runs on a and in {self.hits_b:,} on b.")


def audit(
    mechanism: Mechanism | Privatizer | App, a: Any, b: Any,
    epsilon: float | None = None, delta: float | None = None, trials: int = 20_000,
    confidence: float = 0.99, *, rng: np.random.Generator,
    score: Callable[[Array], ArrayLike] | None = None,
    view: str | Callable[[Any], ArrayLike] | None = None, user: int = 0, progress: bool = True,
) -> AuditResult:
    r"""Run a mechanism on two neighbouring inputs and bound its epsilon from below.

    Parameters
    ----------
    mechanism : callable or Privatizer or App
        ``mechanism(data, rng)`` returns a number or an array, always of one shape. Runs must be
        independent: all randomness comes from ``rng``, and ``data`` is not changed. A
        :class:`Vectorized` mechanism makes many runs at once. For a privatizer, or a learner that
        ``make`` returned, ``view`` says what the adversary sees.
    a, b : object
        Neighbouring inputs: they differ in one user's data.
    epsilon, delta : float, optional
        The claim, > 0 and in [0, 1). For a privatizer or learner the default is its guarantee, if
        that covers the view.
    trials : int
        Number of runs on each input, large enough for a mechanism without noise to fail.
    confidence : float
        Probability, in (0, 1), with which the bound holds.
    rng : numpy.random.Generator
        Source of randomness.
    score : callable, optional
        Maps a batch of outputs, shape (runs, \*shape of one output), to one number per run, shape
        (runs,), which may be infinite. The best score is the exact log-likelihood ratio of a
        against b. The audit searches its thresholds from both sides. If None, it searches
        thresholds, intervals and repeated values of generic statistics.
    view : str or callable, optional
        What the adversary sees, see :func:`bandits_dp.audit.views.view_of`: of a privatizer
        ``"sum"``, ``"messages"``, ``"first message"`` or ``"one user"``; of a learner
        ``"messages"`` of users or of the shuffler, ``"releases"``, or ``"suggestions"`` to others.
        The default is the view that the guarantee covers: messages, or releases.
    user : int
        Index of the user whose data differ in a and b, from 0.
    progress : bool
        Whether to show a progress bar if the audit takes longer than a second.

    Returns
    -------
    AuditResult
        The bound, the verdict and the evidence; prints as two sentences.

    Raises
    ------
    ValueError
        If an argument is out of range, or no epsilon is given although the guarantee does not cover
        the view; if a and b are equal, or the attacked user's data are; if no mechanism could fail
        with so few trials; if the mechanism is not callable, changes its input, returns anything
        but numbers of one shape, or reuses noise in the next run; or if the score has another shape
        or is NaN.

    Examples
    --------
    >>> import numpy as np
    >>> import bandits_dp as bdp
    >>> noisy = bdp.privatizers.CentralLaplace(3, epsilon=1.0)
    >>> bdp.audit(noisy, [1, 0, 0], [0, 0, 0], rng=np.random.default_rng(1)).passed
    True

    Notes
    -----
    Let E be chosen on the first half, with P the input where it is likelier, and let k, l be its
    counts in the n runs of the second half under P and Q. Given the first half, E is fixed, k ~
    Bin(n, p) and l ~ Bin(n, q), as runs are independent. Clopper and Pearson's one-sided limits at
    level (1 - confidence) / 2 each satisfy p >= p_low and q <= q_high together with probability >=
    confidence (union bound), and then p <= exp(eps) q + delta gives eps >= log (p - delta)/q >= log
    (p_low - delta)/q_high. This holds for every first half, hence on average; a single event is
    tested, so the search costs no confidence.

    The search maximizes the bound that the test will probably report, not the ratio, so it does not
    chase rare events. One million runs of a vectorized scalar mechanism take well under a second; a
    plain function adds about a microsecond per run to its own time. All outputs are kept, 8 bytes
    per number: 320 MB for 10^6 runs of a vector of 20 on both inputs, and as much again during the
    search.
    """
    rho = math.inf
    if isinstance(mechanism, type) or not (callable(mechanism)
                                           or isinstance(mechanism, (Privatizer, App))):
        raise ValueError("mechanism must be callable as mechanism(data, rng), a privatizer, or "
                         f"what make or combine returns, got {_checks.told(mechanism)}")
    if isinstance(mechanism, (Privatizer, App)):
        seen, claim = view_of(mechanism, view, user), mechanism.guarantee
        view = view_name(mechanism) if view is None else view
        silent = (isinstance(mechanism, Privatizer)
                  and view not in PROMISED.get(claim.model, (view,)))
        if epsilon is None and (silent or math.isinf(claim.epsilon)):
            raise ValueError("epsilon must be given where the guarantee does not cover the view, "
                             f"got None for: {claim}")
        setting = getattr(mechanism, "setting", "")
        alone = view == "one user" or (view == "suggestions" and setting != "clients")
        if alone and _same_of(user, a, b, setting == "contextual"):
            raise ValueError(f"user must be the one whose data differ in a and b, got {user}, "
                             "whose data are equal")
        rho = claim.rho if epsilon is None and delta is None else math.inf
        epsilon, delta = (claim.epsilon if epsilon is None else epsilon,
                          claim.delta if delta is None else delta)
        mechanism = seen
    elif view is not None:
        raise ValueError("view must be left out for a function, whose output is the view, got "
                         f"{view!r}")
    epsilon = _checks.epsilon(epsilon)
    delta = _checks.delta(delta, zero=True)
    confidence = _checks.real("confidence", confidence, 0.0, 1.0)
    level = (1 - confidence) / 2
    trials = _checks.integer("trials", trials, low=2)
    if trials < (least := _fewest_trials(epsilon, delta, level)):
        raise ValueError(f"trials must be at least {least} for any mechanism to fail an audit of "
                         f"epsilon = {epsilon:g}, delta = {delta:g} at confidence = "
                         f"{confidence:g}, got {trials}")
    check_runs(trials, BYTES, "trials")
    progress = _checks.flag("progress", progress)
    _checks.generator(rng)
    if equal(a, b):
        raise ValueError("a and b must differ in one user's data, got two equal inputs")
    with tqdm(total=2 * trials, desc="audit", delay=1.0, disable=not progress, leave=False,
              bar_format=BAR) as bar:
        on_a, shape = outputs_of(mechanism, "a", a, trials, rng, None, bar.update)
        on_b, _ = outputs_of(mechanism, "b", b, trials, rng, shape, bar.update)
    check_independence(on_a, on_b)
    half = trials // 2
    if score is None:
        nothing = np.isnan(on_a[:half]).all(axis=0) & np.isnan(on_b[:half]).all(axis=0)
        # entries after it are always NaN and would spoil sums and norms
        size = 1 + np.flatnonzero(~nothing).max(initial=0)
        on_a, on_b = on_a[:, :size], on_b[:, :size]
    chosen_on = on_a[:half], on_b[:half]
    statistics = generic_statistics(*chosen_on) if score is None else [_scored(score, shape)]
    event = best_event(statistics, *chosen_on, delta, -CAUTION * float(scipy.special.ndtri(level)))
    tested = trials - half
    hits_a, hits_b = (int(np.count_nonzero(event.holds(outputs[half:])))
                      for outputs in (on_a, on_b))
    more, less = (hits_b, hits_a) if event.swapped else (hits_a, hits_b)
    p, q = _clopper_pearson(more, tested, level)[0], _clopper_pearson(less, tested, level)[1]
    return AuditResult(
        epsilon, delta, max(0.0, float(log_ratio(p, q, delta))), _describe(event, chosen_on),
        event.low, event.high, "b" if event.swapped else "a", hits_a, hits_b, tested, trials,
        confidence, rho, _rho_bound(p, q), view if isinstance(view, str) else "",
    )


def _same_of(user: int, a: Any, b: Any, pairs: bool) -> bool:
    """Whether a user's data are surely equal in two inputs; ``pairs`` have features and rewards."""
    try:
        parts = zip(a, b, strict=True) if pairs else [(a, b)]
        return all(equal(one[user], other[user]) for one, other in parts)
    except (TypeError, ValueError, IndexError):  # of another shape, which the view refuses
        return False


def _clopper_pearson(hits: float, runs: int, level: float) -> tuple[float, float]:
    """Return one-sided lower and upper limits of a probability (Clopper & Pearson 1934).

    Each limit is wrong with probability at most ``level``.
    """
    low = 0.0 if hits == 0 else float(scipy.special.betaincinv(hits, runs - hits + 1, level))
    high = (1.0 if hits == runs
            else float(scipy.special.betaincinv(hits + 1, runs - hits, 1 - level)))
    return low, high


def _rho_bound(p: float, q: float) -> float:
    """Return a lower bound on rho from the probabilities of one event.

    Their Rényi divergence of order a is at most a rho (Bun & Steinke 2016).
    """
    if p <= q:
        return 0.0
    a = 1 + np.geomspace(1e-3, 1e3, 200)  # any order gives a bound
    happens, fails = (a * np.log(x) + (1 - a) * np.log(y) for x, y in ((p, q), (1 - p, 1 - q)))
    return float((np.logaddexp(happens, fails) / (a - 1) / a).max())


def _fewest_trials(epsilon: float, delta: float, level: float) -> int:
    """Return the fewest trials with which an event of probabilities 1 and 0 fails the audit.

    With n tested runs, its limits are x = level^(1/n) and 1 - x, and x - delta must exceed
    exp(epsilon) (1 - x).
    """
    tested = (math.log(level)
              / math.log1p(-(1 - delta) * max(float(scipy.special.expit(-epsilon)), 1e-300)))
    return 2 * int(min(tested, 2.0**60)) + 2


def _scored(score: Callable[[Array], ArrayLike], shape: tuple[int, ...]) -> Statistic:
    """Wrap the caller's score in checks."""
    if not callable(score):
        raise ValueError(f"score must be callable on a batch of outputs, got {score!r}")

    def of(outputs: Array) -> Array:
        scores = numbers(score(outputs.reshape(-1, *shape)), "score")
        if scores.shape != (len(outputs),):
            raise ValueError(f"score must return one number per output, shape ({len(outputs)},), "
                             f"got shape {scores.shape}")
        if np.isnan(scores).any():
            raise ValueError("score must not be NaN, got NaN for output "
                             f"{int(np.argmax(np.isnan(scores)))}")
        return scores

    return Statistic("score", of, "tails")


def _describe(event: Event, samples: tuple[Array, Array]) -> str:
    """Format the event; in place of a fingerprint show the output that has it."""
    if event.statistic.of is not fingerprint:
        return str(event)
    outputs: NDArray[Any] = samples[event.swapped]
    found = outputs[int(np.argmax(event.holds(outputs)))]
    return "output = " + np.array2string(found, threshold=8, precision=6, separator=", ")
