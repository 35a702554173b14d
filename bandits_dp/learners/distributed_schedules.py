r"""How many clients each phase of DP-DPE has: ever more, or always the same.

DPE takes :math:`\lceil 2^{\alpha l} \rceil` clients in phase l. DPE-FixedU takes the same number U in every phase, chosen so that
its communication is that of DPE (Li, Zhou, Ji 2022, section 7). A run communicates :math:`\sum_l |U_l| s_l` numbers, and how
long the supports stay large depends on how soon actions fall; as many clients in all is not the same, because DPE asks most of its
clients for few numbers. So U is found by trying: :func:`equal_communication` plays pilot runs.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from bandits_dp.learners.distributed import ClientElimination
from bandits_dp.problems.clients import ClientPopulation

PILOTS = 60  # runs that measure the communication to be matched, which varies much between instances
PROBES = 12  # runs that measure that of a constant number, which varies little
NEAR = 0.03  # relative precision of U
SEED = 20220601

Schedule = Callable[[int], int]


def growing(phase: int, alpha: float) -> int:
    """Return the clients of a phase, ceil(2^(alpha * phase)) (Algorithm 1, line 7)."""
    return math.ceil(2.0 ** (alpha * phase))


def constant(phase: int, clients: int) -> int:
    """Return the clients of a phase, always the same."""
    return clients


def equal_communication(
    learner: Callable[[Schedule], ClientElimination], schedule: Schedule, draw: Callable[[np.random.Generator], ClientPopulation]
) -> int:
    """Find the constant number of clients with which a learner sends as many numbers as with another schedule, on average.

    Parameters
    ----------
    learner : callable
        Makes a fresh learner with a given schedule.
    schedule : callable
        Clients of phase l.
    draw : callable
        Draws a pilot instance.

    Returns
    -------
    int
        U >= 1.
    """
    def numbers(schedule: Schedule, runs: int) -> float:
        fresh = learner(schedule)
        end = np.array([fresh.horizon])
        rngs = [np.random.default_rng([SEED, run]) for run in range(runs)]
        return float(np.mean([fresh.play(draw(rng), [rng], end, _ignore).counts["numbers"] for rng in rngs]))

    wanted = numbers(schedule, PILOTS)
    low, high = 1, max(2, math.ceil(wanted))  # every client sends a number at least
    while high - low > max(1, NEAR * low):
        middle = min(max(math.isqrt(low * high), low + 1), high - 1)
        enough = numbers(partial(constant, clients=middle), PROBES) <= wanted
        low, high = (middle, high) if enough else (low, middle)
    return low


def _ignore(rounds: int) -> None:
    """Take the ticks of pilot runs, which have no progress bar."""
