"""Where noise comes from in live use when nobody gives a generator: one per process, seeded by the operating system.

It belongs to the process, not to a learner, so that a copied or restored learner never draws the same noise again.
"""

from __future__ import annotations

import os

import numpy as np

from bandits_dp import _checks

_of_this_process = np.random.default_rng()


def _begin_anew() -> None:
    global _of_this_process
    _of_this_process = np.random.default_rng()


if hasattr(os, "register_at_fork"):  # Windows has no fork
    os.register_at_fork(after_in_child=_begin_anew)


def generator(rng: object) -> np.random.Generator:
    """Return ``rng``, or the generator of this process if it is None."""
    return _of_this_process if rng is None else _checks.generator(rng)
