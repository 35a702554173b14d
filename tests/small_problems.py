"""One small problem for every setting, so that tests of the simulator cover whatever the catalogue lists."""

import numpy as np

import bandits_dp as bdp
from bandits_dp.problems import BernoulliArms, ContextualLinear, SphericalArms, SphericalClients

PROBLEMS = {  # and a horizon that is long enough for runs to differ
    "arms": (BernoulliArms([0.9, 0.6, 0.5]), 3000),
    "linear": (SphericalArms(arms=12, dimension=3), 600),
    "clients": (SphericalClients(arms=12, dimension=3, clients=300), 600),
    "contextual": (ContextualLinear(arms=6, dimension=3, fixed=False), 600),
}
SYSTEMS = {system.name: system for system in bdp.systems()}


def small(name):
    """Return a learner of a system, a small problem that it can play, and a horizon: what ``simulate`` takes."""
    problem, horizon = PROBLEMS[SYSTEMS[name].setting]
    return bdp.make(name, problem, horizon=horizon, epsilon=1.0, delta=0.1), problem, horizon


def assert_same_runs(one, other, runs=None):
    """Compare every number that two results hold, or those of their first runs."""
    first = slice(runs)
    assert (one.rounds == other.rounds).all()
    assert np.array_equal(one.regret[first], other.regret[first]) and np.array_equal(one.bits[first], other.bits[first])
    for kind in ("counts", "curves"):
        here, there = getattr(one, kind), getattr(other, kind)
        assert here.keys() == there.keys()
        assert all(np.array_equal(here[name][first], there[name][first], equal_nan=True) for name in here)
