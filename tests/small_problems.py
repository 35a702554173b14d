"""One small problem for every setting, so that tests of the simulator cover whatever the catalogue lists."""

import os
from pathlib import Path

import numpy as np

import bandits_dp as bdp
from bandits_dp.learners import ArmElimination
from bandits_dp.live.arms import LiveArms
from bandits_dp.problems import BernoulliArms, ContextualLinear, SphericalArms, SphericalClients
from bandits_dp.schedules.arms import batches

PROBLEMS = {  # and a horizon that is long enough for runs to differ
    "arms": (BernoulliArms([0.9, 0.6, 0.5]), 3000),
    "linear": (SphericalArms(arms=12, dimension=3), 600),
    "clients": (SphericalClients(arms=12, dimension=3, clients=300), 600),
    "contextual": (ContextualLinear(arms=6, dimension=3, fixed=False), 600),
}


class Diary(BernoulliArms):
    """Arms that write down which run is played, and in which process, when the plain loop draws its instance."""

    def __init__(self, means, path):
        super().__init__(means)
        self.path = str(path)

    def draw(self, rng):
        with open(self.path, "a") as file:
            file.write(f"{rng.bit_generator.seed_seq.spawn_key[0]} {os.getpid()}\n")
        return self

    def read(self):
        """Return the runs and their processes since the last call, by run."""
        path = Path(self.path)
        lines = path.read_text().splitlines() if path.exists() else []
        path.write_text("")
        return sorted(tuple(map(int, line.split())) for line in lines)


def elimination(arms, horizon, privatizer, batch_size, width):
    """Return arm elimination with any privatizer and width."""
    return LiveArms(ArmElimination(arms, batches(batch_size), width), privatizer, arms, horizon)


def slowly(problem, horizon, **options):
    """Return a learner that the plain loop plays."""
    return bdp.make("LDP-AE", problem, horizon=horizon, epsilon=1.0, fidelity="messages", **options)


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
