"""Where noise comes from in live use when nobody gives a generator: one per process, seeded by the operating system.

It belongs to the process, not to a learner, so that a copied or restored learner never draws the same noise again.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from bandits_dp import _checks
from bandits_dp.privatizers.exact import Unseeded

_of_this_process = Unseeded()


def _begin_anew() -> None:
    global _of_this_process
    _of_this_process = Unseeded()


if hasattr(os, "register_at_fork"):  # Windows has no fork
    os.register_at_fork(after_in_child=_begin_anew)


def generator(rng: object) -> np.random.Generator:
    """Return ``rng``, or the generator of this process if it is None."""
    return _of_this_process if rng is None else _checks.generator(rng)


def explored(arms: Any, sizes: int | list[int], share: float, rng: np.random.Generator | None) -> tuple[Any, Any]:
    """Return arms in the place of which one of so many is drawn uniformly, with this probability, and the propensities of all."""
    if (type(share) is float and share == 0) or not _checks.real("explore", share, 0.0, 1.0, ends="[]"):
        return arms, None
    source = generator(rng)
    drawn = np.where(source.random(np.shape(arms)) < share, source.integers(sizes, size=np.shape(arms)), arms)
    chances = share / np.asarray(sizes) + (1 - share) * (drawn == arms)
    return (drawn, chances) if np.ndim(arms) else (int(drawn), float(chances))
