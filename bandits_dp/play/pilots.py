r"""Pilot runs: the constant number of clients with which DPE-FixedU communicates as much as DPE.

A run communicates :math:`\sum_l |U_l| s_l` numbers, and how long the supports stay large depends on how soon actions fall; as many
clients in all is not the same, because DPE asks most of its clients for few numbers. So U is found by trying.
"""

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from bandits_dp.app.linear import ClientsApp
from bandits_dp.linear.client_problems import ClientPopulation
from bandits_dp.linear.clients_needed import Schedule, constant
from bandits_dp.play.plain import play_plainly

PILOTS = 60  # runs that measure the communication to be matched, which varies much between instances
PROBES = 12  # runs that measure that of a constant number, which varies little
NEAR = 0.03  # relative precision of U
SEED = 20220601


def equal_communication(learner: Callable[[Schedule], ClientsApp], schedule: Schedule,
                        draw: Callable[[np.random.Generator], ClientPopulation]) -> int:
    """Find the constant number of clients, >= 1, with which a learner sends as many numbers as with another schedule, on average.

    ``learner`` makes a fresh one with a given schedule, and ``draw`` draws a pilot instance.
    """
    def numbers(schedule: Schedule, runs: int) -> float:
        fresh = learner(schedule)
        end = np.array([fresh.horizon])
        rngs = [np.random.default_rng([SEED, run]) for run in range(runs)]
        return float(np.mean([play_plainly(fresh, draw(rng), [rng], end, int).counts["numbers"] for rng in rngs]))

    wanted = numbers(schedule, PILOTS)
    low, high = 1, max(2, math.ceil(wanted))  # every client sends a number at least
    while high - low > max(1, NEAR * low):
        middle = min(max(math.isqrt(low * high), low + 1), high - 1)
        enough = numbers(partial(constant, clients=middle), PROBES) <= wanted
        low, high = (middle, high) if enough else (low, middle)
    return low
