"""The default source of noise in live use: one generator per process, seeded by the system.

The generator belongs to the process, not to a learner, so a copied or restored learner never draws
the same noise again, and a forked process has its own. Python reports its own forks, but not forks
in C, as by uWSGI. So every call compares the process number; and as a process in a namespace of its
own may have its parent's number, Linux also clears a byte in every child.

None of this detects a copy of a whole machine: a virtual machine that is resumed twice from one
snapshot draws the same noise twice, and an adversary who sees both releases can subtract it. Start
the process of the learner after the snapshot, or restore a saved state there in a fresh one.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import sys

import numpy as np

from bandits_dp import _checks
from bandits_dp.noise.exact import Unseeded

WIPE_ON_FORK = 18  # for madvise, since Linux 4.14; Python has no name for it
NOBODYS: tuple[int, mmap.mmap | bytes, Unseeded] = (-1, b"\1", Unseeded())

_own = NOBODYS  # the number of a process, a byte that is 0 in its children, and its generator


def _forget() -> None:
    """Make the next call make a generator."""
    global _own
    _own = NOBODYS


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def _byte() -> mmap.mmap | bytes:
    """Return a byte that is 1 here, and 0 in forked processes if the system supports it."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):  # an older system
            page = mmap.mmap(-1, mmap.PAGESIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
            page.madvise(WIPE_ON_FORK)
            page[0] = 1
            return page
    return b"\1"


def generator(rng: object) -> np.random.Generator:
    """Return ``rng``, or the generator of this process if it is None."""
    global _own
    if rng is not None:
        return _checks.generator(rng)
    if _own[0] != os.getpid() or not _own[1][0]:
        _own = os.getpid(), _byte(), Unseeded()
    return _own[2]
