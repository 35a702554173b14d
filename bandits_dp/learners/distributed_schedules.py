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
from typing import Any

import numpy as np

from bandits_dp.learners.distributed import ClientElimination
from bandits_dp.problems.clients import ClientPopulation
from bandits_dp.problems.linear import on_sphere

PILOTS = 100  # runs that measure the communication to be matched, which varies much between instances
PROBES = 16  # runs that measure that of a constant number, which varies little
NEAR = 0.01  # relative precision of U
SEED = 20220601

Schedule = Callable[[int], int]


def growing(phase: int, alpha: float) -> int:
    """Return the clients of a phase, ceil(2^(alpha * phase)) (Algorithm 1, line 7)."""
    return math.ceil(2.0 ** (alpha * phase))


def constant(phase: int, clients: int) -> int:
    """Return the clients of a phase, always the same."""
    return clients


def equal_communication(learner: Callable[[Schedule], ClientElimination], schedule: Schedule, problem: Any) -> int:
    """Find the constant number of clients with which a learner sends as many numbers as with another schedule, on average.

    Both play pilot instances with Gaussian rewards, which know of the problem what is public: its actions, if known, its sizes and
    sigma. The parameter is drawn uniformly from the unit sphere.

    Parameters
    ----------
    learner : callable
        Makes a fresh learner with a given schedule.
    schedule : callable
        Clients of phase l.
    problem : ClientPopulation or SphericalClients
        Whose actions and sizes the pilots have.

    Returns
    -------
    int
        U >= 1.
    """
    k, d = problem.arms, problem.dimension

    def instance(rng: np.random.Generator) -> ClientPopulation:
        actions = on_sphere(k, d, rng) if problem.actions is None else problem.actions
        return ClientPopulation(actions, on_sphere(1, d, rng)[0], problem.client_std, "gaussian", problem.clients)

    def numbers(schedule: Schedule, runs: int) -> float:
        fresh = learner(schedule)
        end = np.array([fresh.horizon])
        rngs = [np.random.default_rng([SEED, run]) for run in range(runs)]
        return float(np.mean([fresh.play(instance(rng), [rng], end, _ignore).counts["numbers"] for rng in rngs]))

    wanted = numbers(schedule, PILOTS)
    low, high = 1, problem.clients
    while high - low > max(1, NEAR * low):
        middle = min(max(math.isqrt(low * high), low + 1), high - 1)
        enough = numbers(partial(constant, clients=middle), PROBES) <= wanted
        low, high = (middle, high) if enough else (low, middle)
    return low


def _ignore(rounds: int) -> None:
    """Take the ticks of pilot runs, which have no progress bar."""
