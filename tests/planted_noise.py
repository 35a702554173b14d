"""Careless noise in every privatizer and every private learner, planted where noise of live use is drawn, and nowhere else."""

import numpy as np

from bandits_dp import privatizers as P
from bandits_dp.live.arms import LiveArms
from bandits_dp.live.clients import LiveClients
from bandits_dp.live.contexts import LiveContexts
from bandits_dp.live.counted import LiveCounted
from bandits_dp.privatizers.bit_sum import BitSum
from bandits_dp.privatizers.grid import Grid
from bandits_dp.privatizers.linear_gaussian import PublishedLocalGaussian
from bandits_dp.privatizers.returning import RETURNING

DRAWS = (Grid, "noise"), (BitSum, "_draw"), (P.SkellamSum, "_draw"), (P.DiscreteLaplaceSum, "_draw"), (P.RandomizedResponse, "send")
PLAYERS = LiveArms, LiveClients, LiveContexts, LiveCounted


def none(draw):
    return lambda *given: 0 * draw(*given)


def half(draw):
    """Halve every number, and round it at random."""
    def faulty(*given):
        noise, rng = draw(*given), next(one for one in given if isinstance(one, np.random.Generator))
        return noise // 2 + noise % 2 * rng.integers(2, size=noise.shape)
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


CARELESS = (none, half, constant_seed, reused, forgotten)
LINE, ONE = P.Box(1, -1.0, 1.0), P.LinearStatistics(1)
GAUSSIAN, WHOLE, WIDE = {"epsilon": 1.0, "delta": 0.5}, {"epsilon": 2.0, "delta": 0.2}, {"epsilon": 0.7, "delta": 0.05}
PRIVATIZERS = {
    "CentralGaussian": P.CentralGaussian(2, **GAUSSIAN, domain=LINE),
    "CentralLaplace": P.CentralLaplace(2, 2.0),
    "LocalGaussian": P.LocalGaussian(2, **GAUSSIAN, domain=LINE),
    "LocalLaplace": P.LocalLaplace(2, 2.0),
    "RandomizedResponse": P.RandomizedResponse(2, 0.5),
    "BinarySum": P.BinarySum(2, **WIDE),
    "ScalarSum": P.ScalarSum(2, **WIDE, levels=3),
    "VectorSum": P.VectorSum(2, **WIDE, domain=LINE, levels=3),
    "AmplifiedGaussian": P.AmplifiedGaussian(2, **GAUSSIAN, domain=LINE),
    "DiscreteLaplaceSum": P.DiscreteLaplaceSum(2, 1.0),
    "SkellamSum": P.SkellamSum(2, **WIDE),
    "PublishedLocalGaussian": PublishedLocalGaussian(2, 0.9, 0.5, ONE),
}
PRIVATIZERS |= {kind.__name__: kind(2, 2, epsilon=0.9, delta=0.5, domain=ONE) for kind in RETURNING.values()}
