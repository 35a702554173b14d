"""One small problem for every setting, and every learner that the catalogue can make, so that tests cover whatever it lists."""

import copy
import os
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import bandits_dp as bdp
from bandits_dp.app.sums import SumsApp
from bandits_dp.arms.batches import batches
from bandits_dp.learners import ArmElimination
from bandits_dp.problems import BernoulliArms, ClientPopulation, ContextualLinear, LinearArms, SphericalArms, SphericalClients
from bandits_dp.serve import Restarts, Served

PROBLEMS = {  # and a horizon that is long enough for runs to differ
    "arms": (BernoulliArms([0.9, 0.6, 0.5]), 3000),
    "linear": (SphericalArms(arms=12, dimension=3), 600),
    "clients": (SphericalClients(arms=12, dimension=3, clients=300), 600),
    "contextual": (ContextualLinear(arms=6, dimension=3, fixed=False), 600),
}
SYSTEMS = {system.name: system for system in bdp.systems()}
CASES = {  # every system, in batches of a few users, and whatever else is kept in another way
    **{name: (name, {}) for name in SYSTEMS},
    **{name: (name, {"batch_size": 3}) for name in ("AE", "LDP-AE", "SDP-AE", "Dist-DP-AE")},
    **{name: (name, {"batch_size": 4}) for name in SYSTEMS if name.startswith(("LinUCB-SDP", "LinUCB-Batched"))},
    "DPE-FixedU": ("DPE-FixedU", {"clients_per_phase": 3}),
    "Laplace LDP-AE": ("LDP-AE", {"noise": "laplace", "batch_size": 3}),
    "Gaussian DP-UCB": ("DP-UCB", {"noise": "gaussian", "counter": "factorization"}),
    "batched LinUCB": ("LinUCB", {"batch_size": 4}),
    "late LinUCB-SDP-Vec": ("LinUCB-SDP-Vec", {"batch_size": 4, "late": "next", "returning_users": 3}),
    "factorized LinUCB-JDP": ("LinUCB-JDP", {"counter": "factorization", "returning_users": 2}),
    "batched LinUCB-Tree": ("LinUCB-Tree", {"batch_size": 4}),
    "hybrid LinUCB-RewardTree": ("LinUCB-RewardTree", {"batch_size": 4, "counter": "hybrid"}),
    "explicit LinUCB-DGS": ("LinUCB-DGS", {"calibration": "experiment", "explicit_tree": True}),
    "perturbed LinUCB-DGS": ("LinUCB-DGS", {"calibration": "experiment", "perturb_contexts": 0.1}),
    "unknown horizon": ("VB-SDP-AE", {"first_horizon": 40}),
    "LinUCB, unknown horizon": ("LinUCB-SDP-Vec", {"first_horizon": 40, "batch_size": 4, "late": "next"}),
}
PRIVATE = {"epsilon": 1.0, "delta": 0.1}


def served(name, problem, horizon=None, late="drop", **options):
    """Return a learner that serves people; without a horizon it starts again and again."""
    if horizon is not None:
        return Served(bdp.make(name, problem, horizon=horizon, **options), late)
    trick = {key: options.pop(key) for key in ("first_horizon", "growth") if key in options}
    return Restarts(partial(bdp.make, name, problem, **options), late=late, **trick)


class Crowd:
    """A served learner of one of the cases, and its users, who come one after the other.

    Whoever copies a crowd has the same users with the same noise.
    """

    def __init__(self, case, seed=0, horizon=None):
        name, options = CASES[case]
        distribution, _ = PROBLEMS[SYSTEMS[name].setting]
        self.setting, self.horizon = distribution.setting, horizon or {"DP-SE": 900}.get(name, 130)  # its batches are that large
        self.rng, self.noise = np.random.default_rng(seed).spawn(2)
        self.problem, horizon = distribution.draw(self.rng), None if "first_horizon" in options else self.horizon
        self.make = lambda: served(name, distribution, horizon, **PRIVATE | options)
        self.learner, self.came = self.make(), 0
        self.meet(self.learner)

    def meet(self, learner):
        if not isinstance(learner, Restarts):
            learner.meet(self.problem)

    def restored(self, state):
        """Return the same users with a fresh learner that was given a state."""
        other = copy.copy(self)
        other.rng, other.noise, other.learner = (*copy.deepcopy((self.rng, self.noise)), self.make())
        other.learner.restore(state)
        return other

    def shown(self):
        if self.setting != "contextual":
            return (1,)
        return (self.problem.contexts(self.problem.numbers(self.rng, 1))[0],)

    def act(self, user=None):
        """Return a ticket for a user; for all clients, if nobody is asked."""
        if self.setting == "clients" and not self.learner.missing:
            return self.learner.act()
        more = {"rng": self.noise} if self.setting == "contextual" else {}
        return self.learner.act(*self.shown(), user=user, **more)

    def answer(self, ticket):
        """Return what ``update`` takes with the ticket: values that are allowed, and differ."""
        size = (ticket.users, len(ticket.arm)) if self.setting == "clients" else ticket.users
        reward = self.rng.integers(0, 2, size).astype(float)
        return 2 * reward - 1 if self.setting in ("clients", "linear") else reward

    def play(self, rounds, until=0):
        arms, end = [], until or self.learner.played + rounds
        while self.learner.played < end:
            ticket = self.act()
            arms += np.ravel(ticket.arm).tolist()
            self.learner.update(ticket, self.answer(ticket), self.noise)
        return arms

    def brink(self):
        """Play until an answer is lacking for the learner to be told something; return its ticket, and that answer."""
        while True:
            many = max(1, self.learner.missing - 1) if self.setting in ("arms", "linear") else 1
            self.came += 1
            ticket = self.learner.act(many) if many > 1 else self.act(user=self.came)
            answer, (twin, own) = self.answer(ticket), copy.deepcopy((self.learner, ticket))
            before = twin.learner
            twin.update(own, answer, copy.deepcopy(self.noise))
            if twin.learner is not before:
                return ticket, answer
            self.learner.update(ticket, answer, self.noise)

    def begun(self):
        """Play some rounds, let five users be shown something, and the fourth answer; return the tickets of the others."""
        self.play(30 if self.setting == "clients" else 66)  # in the middle of batches of three and of four
        tickets = [self.act(user) for user in ("Ada", 1, 2, 3, "Grace")]
        answered = tickets.pop(3)
        self.learner.update(answered, self.answer(answered), self.noise)
        return tickets


class Alone(Crowd):
    """The crowd of one of the cases, with a bare app."""

    def __init__(self, case, seed=0, horizon=None):
        super().__init__(case, seed, horizon)
        make = self.make
        self.make = lambda: make().app
        self.learner = self.make()
        self.meet(self.learner)


def refused(words, call, /, *given, error=ValueError, **options):
    """Call something, which must raise an error that says these words (a regular expression)."""
    with pytest.raises(error, match=words):
        call(*given, **options)


def same_state(one, other, *but):
    """Whether two states hold the same; of the entries that are named, and of the digest then, they need not."""
    but = (*but, "digest") if but else ()
    return one.keys() == other.keys() and all(np.array_equal(one[key], other[key]) for key in one if key not in but)


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


def sphere(k, d, seed=0):
    points = np.random.default_rng(seed).normal(size=(k, d))
    return points / np.linalg.norm(points, axis=1, keepdims=True)


def linear_arms(k=12, d=3, seed=0, **options):
    """Return actions on the sphere, and users who answer with a reward each."""
    return LinearArms(sphere(k, d, seed), sphere(1, d, seed + 100)[0] * 0.9, **options)


def population(k=12, d=3, seed=0, norm=0.8, **options):
    return ClientPopulation(sphere(k, d, seed), norm * sphere(1, d, seed + 100)[0], **({"client_std": 0.2} | options))


def generators(seed, run=0):
    """Return the two generators of a run of ``simulate``: of answers, and of noise."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(run,))).spawn(2)


def elimination(arms, horizon, privatizer, batch_size, width):
    return SumsApp(ArmElimination(arms, batches(batch_size), width), privatizer, arms, horizon)


def slowly(problem, horizon, **options):
    return bdp.make("LDP-AE", problem, horizon=horizon, epsilon=1.0, fidelity="messages", **options)


def small(name):
    """Return a learner of a system, a small problem that it can play, and a horizon: what ``simulate`` takes."""
    problem, horizon = PROBLEMS[SYSTEMS[name].setting]
    return bdp.make(name, problem, horizon=horizon, **PRIVATE), problem, horizon


def assert_same_runs(one, other, runs=None):
    """Compare every number that two results hold, or those of their first runs."""
    first = slice(runs)
    assert (one.rounds == other.rounds).all()
    assert np.array_equal(one.regret[first], other.regret[first]) and np.array_equal(one.bits[first], other.bits[first])
    for kind in ("counts", "curves"):
        here, there = getattr(one, kind), getattr(other, kind)
        assert here.keys() == there.keys()
        assert all(np.array_equal(here[name][first], there[name][first], equal_nan=True) for name in here)
