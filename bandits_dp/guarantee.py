"""What a mechanism promises, in a form that can be printed and compared.

A privacy guarantee is meaningless without its unit (whose data?), its neighbouring relation (what may differ?), its trust
model (who sees the raw data?) and its reason (theorem or computation?). :class:`Guarantee` keeps the six together, so that
no number epsilon ever travels alone.
"""

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from functools import partial

from bandits_dp import _checks

MODELS = ("none", "central", "local", "shuffle")
EXACT, IDEAL = "every bit of what is sent and released", "the law of real numbers"


@_checks.checked(
    epsilon=partial(_checks.real, low=0.0, high=math.inf, ends="(]"), delta=partial(_checks.real, low=0.0, high=1.0, ends="[]"),
    rho=partial(_checks.real, low=0.0, high=math.inf, ends="(]"), model=partial(_checks.choice, allowed=MODELS), joint=_checks.flag,
    **dict.fromkeys(("unit", "neighbours", "reason", "holds"), _checks.words))
@dataclass(frozen=True)
class Guarantee:
    """A differential-privacy promise and why it holds.

    Parameters
    ----------
    epsilon, delta : float
        Privacy parameter, > 0, and failure mass in [0, 1]; ``math.inf`` and 1 when nothing is proved.
    model : {"none", "central", "local", "shuffle"}
        The trust model: what the adversary gets to see.
    unit, neighbours : str
        Whose data is protected, and the neighbouring relation: ``"one reward in {0, 1}"``, ``"replace one reward"``.
    calibration : {"certified", "theorem", "experiment"}
        How the noise was chosen.
    reason : str
        The theorem or computation that proves the promise, or why there is none.
    joint : bool
        Whether the promise is joint differential privacy (Kearns et al. 2014): about what all others see, of a user who sees her
        own answer, too. If not, it is about everything that the trust model's adversary sees.
    holds : str
        For what, in words, if that is known: for every bit that leaves a mechanism, or, as in simulations, for the law of the real
        numbers that doubles stand for.
    rho : float
        The same promise as zero-concentrated differential privacy (Bun & Steinke 2016), > 0, where noise is Gaussian and calibrated
        exactly; ``math.inf`` where nothing is said. The rhos of several promises to one user add up.

    Examples
    --------
    >>> import bandits_dp as bdp
    >>> print(bdp.Guarantee(1.0, 0.0, "local", "one bit", "replace it", "certified", "randomized response"))
    (1, 0)-differential privacy in the local model for one bit (neighbours: replace it), certified calibration: randomized response.
    """

    epsilon: float
    delta: float
    model: str
    unit: str
    neighbours: str
    calibration: str
    reason: str
    joint: bool = False
    holds: str = ""
    rho: float = math.inf

    @property
    def proved(self) -> bool:
        """Whether anything at all is promised."""
        return math.isfinite(self.epsilon) and self.delta < 1

    def __str__(self) -> str:
        """Return the guarantee as one sentence; its numbers are rounded up, so that what is printed holds."""
        if not self.proved:
            about = "" if self.model == "none" else f" ({self.model} model, {self.calibration} calibration)"
            return f"No guarantee{about}: {self.reason}."
        pair = f"({upper(self.epsilon)}, {upper(self.delta)})"
        also = "" if math.isinf(self.rho) else f"; also {upper(self.rho, 3)}-zCDP"
        return (f"{pair}-{'joint ' if self.joint else ''}differential privacy in the {self.model} model for {self.unit} "
                f"(neighbours: {self.neighbours}), {self.calibration} calibration: {self.reason}{also}"
                f"{self.holds and f'; holds for {self.holds}'}.")


def upper(number: float, digits: int = 6) -> str:
    """Return a finite number >= 0 in so many significant digits, not below it: a bound that still holds when it is read and used.

    It is the decimal number that ``:g`` gives, if it is no less; else the next one. What somebody typed with no more digits
    is returned as it was typed.
    """
    digits = _checks.integer("digits", digits, high=17)
    if not _checks.is_number(number) or not 0 <= (number := _checks.as_float(number)) < math.inf:
        raise ValueError(f"number must be finite and at least 0, got {_checks.told(number)}")
    nearest = f"{number:.{digits}g}"
    if float(nearest) >= number:  # the float that was meant: 0.3 is not 0.299999999999999988898 for who typed it
        return nearest
    return f"{float(Context(prec=digits, rounding=ROUND_CEILING).create_decimal(Decimal(number))):.{digits}g}"


def no_guarantee(model: str, unit: str, neighbours: str, calibration: str, reason: str) -> Guarantee:
    """Return the guarantee of a mechanism about which nothing is proved: epsilon = inf, delta = 1."""
    return Guarantee(math.inf, 1.0, model, unit, neighbours, calibration, reason)
