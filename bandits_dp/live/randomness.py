"""Where noise comes from in live use when nobody gives a generator: one per process, seeded by the operating system.

It belongs to the process, not to a learner, so that a copied or restored learner never draws the same noise again. Servers may
fork in C, as uWSGI does, and Python hears nothing of it, so every call looks which process it is in.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from bandits_dp import _checks
from bandits_dp.privatizers.exact import Unseeded

_own: tuple[int, Unseeded] = (-1, Unseeded())  # the number of a process, and its generator


def generator(rng: object) -> np.random.Generator:
    """Return ``rng``, or the generator of this process if it is None."""
    global _own
    if rng is not None:
        return _checks.generator(rng)
    if _own[0] != (process := os.getpid()):
        _own = process, Unseeded()
    return _own[1]


def explored(arms: Any, sizes: int | list[int], share: float, rng: np.random.Generator | None) -> tuple[Any, Any]:
    """Return arms in the place of which one of so many is drawn uniformly, with this probability, and the propensities of all."""
    if (type(share) is float and share == 0) or not _checks.real("explore", share, 0.0, 1.0, ends="[]"):
        return arms, None
    source = generator(rng)
    drawn = np.where(source.random(np.shape(arms)) < share, source.integers(sizes, size=np.shape(arms)), arms)
    chances = share / np.asarray(sizes) + (1 - share) * (drawn == arms)
    return (drawn, chances) if np.ndim(arms) else (int(drawn), float(chances))
