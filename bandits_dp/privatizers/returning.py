r"""Users who come back: one value per batch, in every batch (Chowdhury & Zhou 2022, section 4 and appendix E).

The batches no longer have different users, so their privacy losses add up over M batches. What is protected is a user with all
values that she ever sends; a later value may depend on what was released before.

**theorem.** Each batch is :math:`(\varepsilon_m, \delta_m)`-private with :math:`\varepsilon_m = \varepsilon / (2 \sqrt{2 M
\ln(2/\delta)})` and :math:`\delta_m = \delta / 2M` (:func:`per_batch`). The paper cites advanced composition as stated for
epsilon < 1 (its Theorem E.2); its Theorem E.5 goes up to 15, where the full form of the cited theorem (Dwork & Roth 2014, Theorem
3.20) gives more than epsilon (17 and more at 15 and delta = 0.1). The split is right there, too: the optimal composition (Kairouz,
Oh, Viswanath 2015) of these pairs stays below epsilon, and that is what is checked here. Noise is what this substitution gives:
for P_Vec less than Theorem E.5 prints (its constant 10^7 is valid, 1.92 10^6 suffices), for P_Amp more than Theorem E.3 prints.

**certified.** *Gaussian noise, no shuffler*: M releases are exactly one with sensitivity :math:`D \sqrt M`
(``accounting.composition.gaussian_composition``). *Shuffled bits*: each batch, with geometric tails put in place of
its noise's own, is :math:`G_\mu`-private with :math:`\mu = r K_2`, whatever was released before
(:mod:`bandits_dp.accounting.binomial_vector`). Such trade-off functions compose, also adaptively, to :math:`G_{\mu \sqrt M}`
(Dong, Roth, Su 2022, Corollary 3.3). The replacements cost d t in total variation per batch, so M d t in all.
That is the bound for a single vector of M d counts which a user moves by :math:`K_2 \sqrt M`. It loses nothing against the
composition of Gaussians but M d t, kept to a thousandth of delta; the optimal composition of
:math:`(\varepsilon_m, \delta_m)` pairs, which knows nothing of the noise in between, needs 1.6 to 2.9 times the noise.
*Shuffled Gaussian messages*: there is nothing better than pairs for them; delta is split between pairs and slack in several ways.
Composing the local guarantees without amplification is also tried.
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

MOST_EPSILON = 30.0  # of one batch: beyond, randomized response never lies in floating point, and epsilons only add up
SHARES = (0.9, 0.5, 0.1, 0.01)  # of delta, that the pairs may use up


@_checks.checked()
def per_batch(epsilon: float, delta: float, batches: int, strict: bool = True) -> tuple[float, float]:
    """Privacy of each of M batches such that all together have the target (Chowdhury & Zhou 2022, Theorem E.2).

    Parameters
    ----------
    epsilon, delta : float
        The target; epsilon > 0, delta in (0, 1).
    batches : int
        M, >= 1.
    strict : bool
        Whether to refuse a target that composition does not reach.

    Returns
    -------
    tuple of float
        epsilon / (2 sqrt(2 M ln(2 / delta))) and delta / 2M.

    Raises
    ------
    ValueError
        If an argument is out of range, or composition does not prove the target.
    """
    each = epsilon / (2 * math.sqrt(2 * batches * math.log(2 / delta))), delta / (2 * batches)  # Theorem E.2
    for name, given, part in zip(("epsilon", "delta"), (epsilon, delta), each, strict=True):
        if part < _checks.SMALLEST:
            raise ValueError(f"{name} must be at least {_checks.SMALLEST:g} in each of {batches:,} batches, got {given!r} for all")
    if strict and not composes(*each, batches, epsilon, delta):
        raise ValueError(f"epsilon must be such that {batches} batches of {each} compose to it at delta = {delta:g}, got "
                         f"{epsilon:g}; use calibration='certified', or strict=False for an unproved number")
    return each


def composes(each_epsilon: float, each_delta: float, batches: int, epsilon: float, delta: float) -> bool:
    """Whether so many (each_epsilon, each_delta)-private batches are (epsilon, delta)-private together."""
    if batches * each_epsilon <= epsilon and batches * each_delta <= delta:
        return True
    if each_epsilon > MOST_EPSILON:
        return False
    slack = -math.expm1(math.log1p(-delta) - batches * math.log1p(-each_delta))  # 1 - (1 - each_delta)^M (1 - slack) = delta
    return slack > 0 and optimal_composition(each_epsilon, each_delta, batches, slack)[0] <= epsilon


class _Returning(Privatizer):
    """What the releases for returning users share: how many batches there are, and what the guarantee then says."""

    def __init__(self, users: int, batches: int, epsilon: float, delta: float, calibration: str | None = None,
                 **options: Any) -> None:
        self.batches = _checks.integer("batches", batches)
        if calibration is not None:
            options["calibration"] = calibration
        super().__init__(users, epsilon, delta, **options)  # type: ignore[arg-type]  # of the privatizer for one batch

    def _protected(self) -> tuple[str, str]:
        kind, clipped = noun(self.domain), ", after clipping to it" if self.clip else ""
        unit = f"one user's at most {self.batches} {kind}s in {self.domain}, one per batch{clipped}"
        return unit, f"replace all {kind}s of one user"

    def _each(self, epsilon: float, delta: float, strict: bool) -> tuple[float, float]:
        return per_batch(epsilon, delta, self.batches, strict)

    def _promise(self, epsilon: float, delta: float, calibration: str, reason: str, gap: str = "", rho: float = math.inf) -> None:
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
        M, >= 1: at most so many vectors per user, no two in one batch.
    epsilon, delta : float
        What all batches together shall promise.
    calibration : {"certified", "theorem"}, optional
        Composition of trade-off functions; or advanced composition of the published protocol.
    **options
        Those of :class:`VectorSum`: ``domain``, ``levels``, ``honest_fraction``, ``clip``, ``strict``.

    Raises
    ------
    ValueError
        If an argument is out of range, or a theorem does not cover the numbers and ``strict`` is not False.
    """


class ReturningLocalGaussian(_Returning, LocalGaussian):
    """Gaussian noise at users who bring a vector to each of ``batches`` batches.

    The parameters are those of :class:`ReturningVectorSum`, but the options those of :class:`LocalGaussian`.
    """


class ReturningPublishedGaussian(_Returning, PublishedLocalGaussian):
    """Gaussian noise at users who bring linear statistics to each of ``batches`` batches, in the theorem calibration.

    The parameters are those of :class:`ReturningVectorSum`, but the options those of :class:`PublishedLocalGaussian`.
    """


class ReturningAmplifiedGaussian(_Returning, AmplifiedGaussian):
    """P_Amp for users who bring a vector to each of ``batches`` batches.

    The parameters are those of :class:`ReturningVectorSum`, but the options those of :class:`AmplifiedGaussian`.
    """

    def _least_std(self, honest: int, epsilon: float, delta: float) -> tuple[float, str, str]:
        distance, batches = self.domain.l2_diameter, self.batches
        return (composed_amplified_std(honest, batches, epsilon, delta, distance),
                "exact local Gaussian mechanism, amplified by shuffling (Feldman, McMillan, Talwar 2021), and optimal composition "
                f"of {batches} batches (Kairouz, Oh, Viswanath 2015)",
                f"exact Gaussian mechanism, l2-sensitivity {distance:.4g} in each of {batches} batches (Balle & Wang 2018, "
                "Theorem 8)")


RETURNING: dict[Callable[..., Privatizer], Callable[..., Privatizer]] = {
    VectorSum: ReturningVectorSum, LocalGaussian: ReturningLocalGaussian, PublishedLocalGaussian: ReturningPublishedGaussian,
    AmplifiedGaussian: ReturningAmplifiedGaussian,
}


def in_batches(kind: Callable[..., Privatizer], users: int, batches: int, **options: Any) -> Privatizer:
    """Return a privatizer of that kind for users who are in so many batches each: the kind itself if they are in one."""
    return kind(users, **options) if batches == 1 else RETURNING[kind](users, batches, **options)


@lru_cache(maxsize=256)
def composed_amplified_std(users: int, batches: int, epsilon: float, delta: float, distance: float) -> float:
    """Smallest std per user, of those searched, such that so many batches of shuffled Gaussian messages are private."""
    best = gaussian_noise_std(epsilon, delta, distance * math.sqrt(batches))  # without amplification
    for share in SHARES:
        one = delta * share / batches
        if one < _checks.SMALLEST:
            continue
        low, high = 0.0, epsilon
        while high - low > 1e-4 * high:
            middle = (low + high) / 2
            low, high = (middle, high) if composes(middle, one, batches, epsilon, delta) else (low, middle)
        best = min(best, certified_unit_std(users, low, one, distance))  # low > 0: epsilon / batches composes by adding up
    return best
