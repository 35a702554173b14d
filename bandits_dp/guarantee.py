"""Privacy guarantees that can be printed and compared.

A privacy guarantee is meaningless without its unit (whose data?), its neighbouring relation (what
may differ?), its trust model (who sees the raw data?) and its reason (theorem or computation?).
:class:`Guarantee` keeps them together, so that epsilon never stands alone.
"""

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from functools import partial

from bandits_dp import _checks

MODELS = ("none", "central", "local", "shuffle")
EXACT, IDEAL = "every bit of what is sent and released", "the law of real numbers"


@_checks.checked(epsilon=partial(_checks.real, low=0.0, high=math.inf, ends="(]"),
                 delta=partial(_checks.real, low=0.0, high=1.0, ends="[]"),
                 rho=partial(_checks.real, low=0.0, high=math.inf, ends="(]"),
                 model=partial(_checks.choice, allowed=MODELS), joint=_checks.flag,
                 **dict.fromkeys(("unit", "neighbours", "reason", "holds"), _checks.words))
@dataclass(frozen=True)
class Guarantee:
    """A differential-privacy promise and why it holds.

    Parameters
    ----------
    epsilon, delta : float
        Privacy parameter, > 0, and failure mass in [0, 1]; ``math.inf`` and 1 if nothing is proved.
    model : {"none", "central", "local", "shuffle"}
        The trust model, which says what the adversary sees.
    unit, neighbours : str
        The protected data and the neighbouring relation, such as ``"one reward in {0, 1}"`` and
        ``"replace one reward"``.
    calibration : {"certified", "theorem", "experiment"}
        How the noise was chosen.
    reason : str
        The theorem or computation that proves the guarantee, or why there is none.
    joint : bool
        Whether the guarantee is joint differential privacy (Kearns et al. 2014): it covers the view
        of all other users together, while the user also sees her own answer. If False, it covers
        everything that the trust model's adversary sees.
    holds : str
        What the guarantee holds for, in words, or "" if unknown: every released bit, or, in
        simulations, the distribution of the real numbers that doubles stand for.
    rho : float
        Parameter of zero-concentrated differential privacy (Bun & Steinke 2016), > 0, if the noise
        is Gaussian and calibrated exactly; else ``math.inf``. The rhos of several guarantees to one
        user add up.

    Examples
    --------
    >>> import bandits_dp as bdp
    >>> promise = bdp.Guarantee(
    ...     1.0, 0.0, "local", "one bit", "replace it", "certified", "randomized response")
    >>> for part in str(promise).split(", certified "):
    ...     print(part)
    (1, 0)-differential privacy in the local model for one bit (neighbours: replace it)
    calibration: randomized response.
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
        """Whether epsilon is finite and delta below 1."""
        return math.isfinite(self.epsilon) and self.delta < 1

    def __str__(self) -> str:
        """Return the guarantee as one sentence, with numbers rounded up so that it holds."""
        if not self.proved:
            about = ("" if self.model == "none"
                     else f" ({self.model} model, {self.calibration} calibration)")
            return f"No guarantee{about}: {self.reason}."
        pair = f"({upper(self.epsilon)}, {upper(self.delta)})"
        also = "" if math.isinf(self.rho) else f"; also {upper(self.rho, 3)}-zCDP"
        return (f"{pair}-{'joint ' if self.joint else ''}differential privacy in the {self.model} "
                f"model for {self.unit} (neighbours: {self.neighbours}), {self.calibration} "
                f"calibration: {self.reason}{also}{self.holds and f'; holds for {self.holds}'}.")


def upper(number: float, digits: int = 6) -> str:
    """Format a finite number >= 0 with ``digits`` significant digits, rounded up.

    A printed bound thus still holds. The result is the decimal of ``:g`` if that is no less, else
    the next one. A number typed with at most ``digits`` digits comes back as typed.
    """
    digits = _checks.integer("digits", digits, high=17)
    if not _checks.is_number(number) or not 0 <= (number := _checks.as_float(number)) < math.inf:
        raise ValueError(f"number must be finite and at least 0, got {_checks.told(number)}")
    nearest = f"{number:.{digits}g}"
    if float(nearest) >= number:  # 0.3 stays 0.3, although its float is 0.299999999999999988898
        return nearest
    above = Context(prec=digits, rounding=ROUND_CEILING).create_decimal(Decimal(number))
    return f"{float(above):.{digits}g}"


def no_guarantee(model: str, unit: str, neighbours: str, calibration: str,
                 reason: str) -> Guarantee:
    """Return the guarantee of an unproved mechanism: epsilon = inf, delta = 1."""
    return Guarantee(math.inf, 1.0, model, unit, neighbours, calibration, reason)
