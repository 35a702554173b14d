r"""Returning users: one value per user and batch (Chowdhury & Zhou 2022, section 4, appendix E).

The batches share users, so privacy losses add up over M batches. The guarantee protects all values
of a user together; later values may depend on earlier releases.

**theorem.** Each batch is :math:`(\varepsilon_m, \delta_m)`-private with :math:`\varepsilon_m =
\varepsilon / (2 \sqrt{2 M \ln(2/\delta)})` and :math:`\delta_m = \delta / 2M` (:func:`per_batch`).
The paper cites advanced composition for epsilon < 1 (its Theorem E.2), but its Theorem E.5 covers
epsilon up to 15, where the full form of the cited theorem (Dwork & Roth 2014, Theorem 3.20) gives
more than epsilon (at least 17 at epsilon = 15 and delta = 0.1). The split is still valid: the
optimal composition (Kairouz, Oh, Viswanath 2015) of these pairs stays below epsilon, and this
module checks it. The noise follows from this substitution: for P_Vec it is less than in Theorem E.5
(whose constant 10^7 is valid, while 1.92 10^6 suffices), for P_Amp more than in Theorem E.3.

**certified.** *Gaussian noise, no shuffler*: M releases are exactly as private as one of
sensitivity :math:`D \sqrt M` (``accounting.composition.gaussian_composition``). *Shuffled bits*: if
its noise's tails are replaced by geometric ones, each batch is :math:`G_\mu`-private with
:math:`\mu = r K_2`, given any earlier releases (:mod:`bandits_dp.accounting.binomial_vector`). Such
trade-off functions compose adaptively to :math:`G_{\mu \sqrt M}` (Dong, Roth, Su 2022, Corollary
3.3). The replacements cost d t in total variation per batch, M d t in total. This is the bound for
a single vector of M d counts that a user moves by :math:`K_2 \sqrt M`. Compared with the
composition of Gaussians it loses only M d t, a thousandth of delta at most; the optimal composition
of :math:`(\varepsilon_m, \delta_m)` pairs, which ignores the noise's distribution, needs 1.6 to 2.9
times the noise. *Shuffled Gaussian messages*: only pairs are known, so they are composed; several
splits of delta between pairs and slack are tried, and the composition of local guarantees without
amplification.
"""

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from bandits_dp import _checks
from bandits_dp.accounting.composition import optimal_composition
from bandits_dp.accounting.gaussian import gaussian_noise_std
from bandits_dp.guarantee import upper
from bandits_dp.privatizers.amplified import AmplifiedGaussian, certified_unit_std
from bandits_dp.privatizers.base import Privatizer
from bandits_dp.privatizers.domain import noun
from bandits_dp.privatizers.gaussian import LocalGaussian
from bandits_dp.privatizers.linear_gaussian import PublishedLocalGaussian
from bandits_dp.privatizers.vector_sum import VectorSum

# of one batch: beyond, epsilons only add up, as a lie is too rare for floating point
MOST_EPSILON = 30.0
SHARES = (0.9, 0.5, 0.1, 0.01)  # of delta, for the pairs


@_checks.checked()
def per_batch(epsilon: float, delta: float, batches: int,
              strict: bool = True) -> tuple[float, float]:
    """Privacy of each of M batches for a total target (Chowdhury & Zhou 2022, Theorem E.2).

    Parameters
    ----------
    epsilon, delta : float
        The target for all batches together; epsilon > 0, delta in (0, 1).
    batches : int
        M, >= 1.
    strict : bool
        Whether to refuse a target that optimal composition does not prove.

    Returns
    -------
    tuple of float
        epsilon / (2 sqrt(2 M ln(2 / delta))) and delta / 2M.

    Raises
    ------
    ValueError
        If an argument is out of range, or ``strict`` and composition does not prove the target.
    """
    # Theorem E.2
    each = epsilon / (2 * math.sqrt(2 * batches * math.log(2 / delta))), delta / (2 * batches)
    for name, given, part in zip(("epsilon", "delta"), (epsilon, delta), each, strict=True):
        if part < _checks.SMALLEST:
            raise ValueError(f"{name} must be at least {_checks.SMALLEST:g} in each of {batches:,} "
                             f"batches, got {given!r} for all")
    if strict and not composes(*each, batches, epsilon, delta):
        raise ValueError(f"epsilon must be such that {batches} batches of {each} compose to it at "
                         f"delta = {delta:g}, got {epsilon:g}; use calibration='certified', or "
                         "strict=False for an unproved number")
    return each


def composes(each_epsilon: float, each_delta: float, batches: int, epsilon: float,
             delta: float) -> bool:
    """Whether ``batches`` batches with this privacy each are (epsilon, delta)-private."""
    if batches * each_epsilon <= epsilon and batches * each_delta <= delta:
        return True
    if each_epsilon > MOST_EPSILON:
        return False
    # 1 - (1 - each_delta)^M (1 - slack) = delta
    slack = -math.expm1(math.log1p(-delta) - batches * math.log1p(-each_delta))
    return slack > 0 and optimal_composition(each_epsilon, each_delta, batches, slack)[0] <= epsilon


class _Returning(Privatizer):
    """Mixin for returning users: the number of batches and the words of the guarantee."""

    def __init__(self, users: int, batches: int, epsilon: float, delta: float,
                 calibration: str | None = None, **options: Any) -> None:
        self.batches = _checks.integer("batches", batches)
        if calibration is not None:
            options["calibration"] = calibration
        super().__init__(users, epsilon, delta, **options)  # type: ignore[arg-type]  # a mixin

    def _protected(self) -> tuple[str, str]:
        kind, clipped = noun(self.domain), ", after clipping to it" if self.clip else ""
        unit = f"one user's at most {self.batches} {kind}s in {self.domain}, one per batch{clipped}"
        return unit, f"replace all {kind}s of one user"

    def _each(self, epsilon: float, delta: float, strict: bool) -> tuple[float, float]:
        return per_batch(epsilon, delta, self.batches, strict)

    def _promise(self, epsilon: float, delta: float, calibration: str, reason: str, gap: str = "",
                 rho: float = math.inf) -> None:
        if calibration == "theorem" and not gap:
            each = self._each(epsilon, delta, False)
            pair = f"({upper(each[0], 3)}, {upper(each[1], 3)}) in each of {self.batches} batches"
            reason += f", {pair}, optimal composition (Kairouz, Oh, Viswanath 2015)"
            if not composes(*each, self.batches, epsilon, delta):
                gap = f"composition does not prove epsilon = {epsilon:g} from {pair}"
        super()._promise(epsilon, delta, calibration, reason, gap, rho)


class ReturningVectorSum(_Returning, VectorSum):
    """P_Vec for users who bring a vector to each of ``batches`` batches.

    Parameters
    ----------
    users : int
        Batch size n, >= 1.
    batches : int
        M, >= 1: a user has at most M vectors, at most one per batch.
    epsilon, delta : float
        The guarantee for all batches together.
    calibration : {"certified", "theorem"}, optional
        Composition of trade-off functions, or advanced composition of the published protocol.
    **options
        Options of :class:`VectorSum`: ``domain``, ``levels``, ``honest_fraction``, ``clip``,
        ``strict``.

    Raises
    ------
    ValueError
        If an argument is out of range, or ``strict`` and the theorem does not cover epsilon and
        delta.
    """


class ReturningLocalGaussian(_Returning, LocalGaussian):
    """Gaussian noise at users who bring a vector to each of ``batches`` batches.

    Parameters as for :class:`ReturningVectorSum`, options as for :class:`LocalGaussian`.
    """


class ReturningPublishedGaussian(_Returning, PublishedLocalGaussian):
    """Published Gaussian noise at users who bring linear statistics to each of ``batches`` batches.

    Parameters as for :class:`ReturningVectorSum`, options as for :class:`PublishedLocalGaussian`.
    """


class ReturningAmplifiedGaussian(_Returning, AmplifiedGaussian):
    """P_Amp for users who bring a vector to each of ``batches`` batches.

    Parameters as for :class:`ReturningVectorSum`, options as for :class:`AmplifiedGaussian`.
    """

    def _least_std(self, honest: int, epsilon: float, delta: float) -> tuple[float, str, str]:
        distance, batches = self.domain.l2_diameter, self.batches
        return (composed_amplified_std(honest, batches, epsilon, delta, distance),
                "exact local Gaussian mechanism, amplified by shuffling (Feldman, McMillan, "
                f"Talwar 2021), and optimal composition of {batches} batches (Kairouz, Oh, "
                "Viswanath 2015)",
                f"exact Gaussian mechanism, l2-sensitivity {distance:.4g} in each of {batches} "
                "batches (Balle & Wang 2018, Theorem 8)")


RETURNING: dict[Callable[..., Privatizer], Callable[..., Privatizer]] = {
    VectorSum: ReturningVectorSum, LocalGaussian: ReturningLocalGaussian,
    PublishedLocalGaussian: ReturningPublishedGaussian,
    AmplifiedGaussian: ReturningAmplifiedGaussian,
}


def in_batches(kind: Callable[..., Privatizer], users: int, batches: int,
               **options: Any) -> Privatizer:
    """Make a privatizer of a kind, or its returning form if ``batches`` per user is above 1."""
    return kind(users, **options) if batches == 1 else RETURNING[kind](users, batches, **options)


@lru_cache(maxsize=256)
def composed_amplified_std(users: int, batches: int, epsilon: float, delta: float,
                           distance: float) -> float:
    """Smallest std per user found such that ``batches`` shuffled Gaussian batches are private."""
    # without amplification
    best = gaussian_noise_std(epsilon, delta, distance * math.sqrt(batches))
    for share in SHARES:
        one = delta * share / batches
        if one < _checks.SMALLEST:
            continue
        low, high = 0.0, epsilon
        while high - low > 1e-4 * high:
            middle = (low + high) / 2
            low, high = ((middle, high) if composes(middle, one, batches, epsilon, delta)
                         else (low, middle))
        # low > 0: epsilon / batches always composes
        best = min(best, certified_unit_std(users, low, one, distance))
    return best
