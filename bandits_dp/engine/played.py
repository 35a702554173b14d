"""What simulated runs leave: regret, bits, and whatever else was counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Played:
    """Runs that were played.

    Parameters
    ----------
    regret : ndarray, shape (runs, checkpoints)
        Cumulative pseudo-regret.
    bits : ndarray, shape (runs,)
        Bits that all users sent together.
    counts : dict of ndarray, each of shape (runs,)
        What else was counted, by name.
    curves : dict of ndarray, each of shape (runs, checkpoints)
        What else was recorded over time, by name.
    """

    regret: NDArray[np.float64]
    bits: NDArray[np.float64]
    counts: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    curves: dict[str, NDArray[np.float64]] = field(default_factory=dict)

    @classmethod
    def join(cls, parts: Sequence[Played]) -> Played:
        """Put the runs of several parts after one another."""
        def joined(name: str) -> dict[str, NDArray[np.float64]]:
            return {key: np.concatenate([getattr(part, name)[key] for part in parts]) for key in getattr(parts[0], name)}

        regret = np.concatenate([part.regret for part in parts])
        return cls(regret, np.concatenate([part.bits for part in parts]), joined("counts"), joined("curves"))
