r"""Pilot runs: the constant number of clients with which DPE-FixedU communicates as much as DPE.

A run communicates :math:`\sum_l |U_l| s_l` numbers, and how long the supports stay large depends on
how soon actions are dropped. The same total number of clients would not communicate the same,
because DPE asks most of its clients for few numbers. So U is found by trial.
"""

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from bandits_dp.linear.app import ClientsApp
from bandits_dp.linear.client_problems import ClientPopulation
from bandits_dp.linear.clients_needed import Schedule, constant
from bandits_dp.play.plain import play_plainly

PILOTS = 60  # runs that measure DPE's communication, which varies much between instances
PROBES = 12  # runs that measure a constant number's communication, which varies little
NEAR = 0.03  # relative precision of U
SEED = 20220601


def equal_communication(learner: Callable[[Schedule], ClientsApp], schedule: Schedule,
                        draw: Callable[[np.random.Generator], ClientPopulation]) -> int:
    """Find the constant number of clients, >= 1, with the same mean communication as ``schedule``.

    ``learner(schedule)`` makes a fresh learner, and ``draw(rng)`` draws a pilot instance.
    """
    def numbers(schedule: Schedule, runs: int) -> float:
        fresh = learner(schedule)
        end = np.array([fresh.horizon])
        rngs = [np.random.default_rng([SEED, run]) for run in range(runs)]
        return float(np.mean([play_plainly(fresh, draw(rng), [rng], end, int).counts["numbers"]
                              for rng in rngs]))

    wanted = numbers(schedule, PILOTS)
    low, high = 1, max(2, math.ceil(wanted))  # each client sends at least one number
    while high - low > max(1, NEAR * low):
        middle = min(max(math.isqrt(low * high), low + 1), high - 1)
        enough = numbers(partial(constant, clients=middle), PROBES) <= wanted
        low, high = (middle, high) if enough else (low, middle)
    return low
