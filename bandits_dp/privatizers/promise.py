"""What every private sum says of its calibration: which there are, and what one release promises."""

from __future__ import annotations

from bandits_dp import _checks
from bandits_dp.guarantee import Guarantee, no_guarantee
from bandits_dp.privatizers.base import NEIGHBOURS


def certified(calibration: str, what: str, why: str) -> bool:
    """Return whether noise is to be certified, not a theorem's; ``why`` there is no experiment calibration is for the error."""
    if _checks.calibration(calibration) == "experiment":
        raise ValueError(f"calibration must be 'certified' or 'theorem' for {what}, got 'experiment': {why}")
    return calibration == "certified"


def promise(epsilon: float, delta: float, model: str, unit: str, calibration: str, reason: str, gap: str = "") -> Guarantee:
    """Return the guarantee of one release for the reason given, or none if there is a gap in the proof."""
    if gap:
        return no_guarantee(model, unit, NEIGHBOURS, calibration, gap)
    return Guarantee(epsilon, delta, model, unit, NEIGHBOURS, calibration, reason)
