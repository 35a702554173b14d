"""Careless noise in every privatizer and every private learner, planted where noise of live use is drawn, and nowhere else."""

from dataclasses import replace

import numpy as np

from bandits_dp import privatizers as P
from bandits_dp.app.sums import SumsApp
from bandits_dp.arms.app import RunningApp
from bandits_dp.contextual.app import ContextsApp
from bandits_dp.linear.app import ClientsApp
from bandits_dp.noise.grid import Grid
from bandits_dp.privatizers import returning
from bandits_dp.privatizers.bit_sum import BitSum
from bandits_dp.privatizers.integer_sum import IntegerSum
from bandits_dp.privatizers.linear_gaussian import PublishedLocalGaussian
from tests.planted_learners import PLANTED, ROUND

DRAWS = (Grid, "noise"), (BitSum, "_draw"), (P.SkellamSum, "_draw"), (P.DiscreteLaplaceSum, "_draw"), (P.RandomizedResponse, "send")
PLAYERS = SumsApp, ClientsApp, ContextsApp, RunningApp


def none(draw):
    return lambda *given: 0 * draw(*given)


def half(draw):
    """Halve how far every number is from the middle, and round it at random."""
    def faulty(*given):
        rng = next(one for one in given if isinstance(one, np.random.Generator))
        middle = round(given[0]._mean(given[1])) if isinstance(given[0], IntegerSum) else 0
        noise = draw(*given) - middle
        return middle + noise // 2 + noise % 2 * rng.integers(2, size=noise.shape)
    return faulty


def constant_seed(draw):
    return lambda *given: draw(*[np.random.default_rng(7) if isinstance(one, np.random.Generator) else one for one in given])


def reused(draw):
    """Return every noise twice: to whoever draws next, of one shape."""
    kept = {}

    def faulty(*given):
        noise = draw(*given)
        return kept.pop(noise.shape) if noise.shape in kept else kept.setdefault(noise.shape, noise)
    return faulty


def forgotten(draw):
    """Leave out the noise of the first user of a batch, or on the first number of a sum."""
    def faulty(*given):
        noise = draw(*given).copy()
        noise[0] = 0
        return noise
    return faulty


def once(fault):
    """Have a fault in the first noise of a run only: that of the first user, of a learner."""
    fresh = []

    def planted(draw):
        faulty = fault(draw)
        return lambda *given: faulty(*given) if fresh and fresh.pop() else draw(*given)

    def begins(take):
        def taking(self, *given):
            if not self.played:
                fresh[:] = [True]
            take(self, *given)
        return taking

    return planted, begins


def plant(patch, fault, learner=False):
    """Put a fault into everything that is drawn."""
    if fault is forgotten and learner:
        fault, begins = once(fault)
        for kind in PLAYERS:
            patch.setattr(kind, "_take", begins(kind._take))
    for kind, name in DRAWS:
        exact = getattr(kind, name)
        if kind is P.RandomizedResponse:
            lies = fault(lambda self, values, rng, send=exact: send(self, values, rng) ^ values.astype(int))
            patch.setattr(kind, name, lambda self, values, rng, lies=lies: values.astype(int) ^ lies(self, values, rng))
        else:
            patch.setattr(kind, name, fault(exact))


CARELESS = none, half, constant_seed, reused, forgotten
LINE, ONE = P.Box(1, -1.0, 1.0), P.LinearStatistics(1)
GAUSSIAN, BITS = {"epsilon": 1.0, "delta": 0.5, "domain": LINE}, {"epsilon": 0.7, "delta": 0.05}
PRIVATIZERS = {  # and in how many runs the faults that show least are found
    P.CentralGaussian(2, **GAUSSIAN): 600,
    P.CentralLaplace(2, 2.0): 600,
    P.LocalGaussian(2, **GAUSSIAN): 600,
    P.LocalLaplace(2, 2.0): 600,
    P.RandomizedResponse(2, 0.5): 2000,
    P.BinarySum(2, 0.7, 0.02): 8000,
    P.ScalarSum(2, **BITS, levels=3): 4000,
    P.VectorSum(2, **BITS, domain=LINE, levels=3): 4000,
    P.AmplifiedGaussian(2, **GAUSSIAN): 1000,
    P.DiscreteLaplaceSum(2, 1.0): 3000,
    P.SkellamSum(2, **BITS): 3000,
    PublishedLocalGaussian(2, 0.9, 0.5, ONE): 600,
    returning.ReturningVectorSum(1, 2, 1.0, 0.3, domain=LINE, levels=3): 12_000,  # of two users, one would make enough
    returning.ReturningLocalGaussian(2, 2, **GAUSSIAN): 1500,
    returning.ReturningPublishedGaussian(2, 2, 0.9, 0.5, domain=ONE): 600,
    returning.ReturningAmplifiedGaussian(2, 2, **GAUSSIAN): 3000,
}
LEARNERS = PLANTED | {"LinUCB-SDP-Vec": replace(PLANTED["LinUCB-SDP-Vec"], horizon=1, neighbours=ROUND, options={"batch_size": 1})}
UNSEEN = {
    ("PublishedLocalGaussian", "half"), ("ReturningPublishedGaussian", "half"),  # which are more than twice as loud as they need
    ("SDP-PE", "forgotten"),  # where seven others make noise
}
MORE = {  # runs of a learner, where ``FEW`` do not show the fault
    ("LDP-KLUCB", "half"): 900, ("LDP-KLUCB", "reused"): 900, ("LDP-AE", "half"): 900, ("LDP-AE", "reused"): 900,
    ("SDP-KLUCB", "half"): 900, ("SDP-AE", "half"): 2000, ("SDP-AE", "reused"): 900, ("SDP-AE", "forgotten"): 900,
    ("VB-SDP-AE", "half"): 2000, ("VB-SDP-AE", "reused"): 900, ("VB-SDP-AE", "forgotten"): 900, ("SDP-DPE", "forgotten"): 700,
    ("DP-SE", "half"): 900, ("Dist-DP-AE", "half"): 900, ("Skellam Dist-DP-AE", "half"): 900,
}


def inputs(privatizer):
    """The first user at either end, and the others at the lower one."""
    low, high = ([-1.0, 1.0], [1.0, 1.0]) if privatizer.domain == ONE else (privatizer.domain.low, privatizer.domain.high)
    b = np.full((privatizer.users, privatizer.dimension), low)
    a = b.copy()
    a[0] = high
    return a, b
