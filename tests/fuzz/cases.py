"""Learners and counters of every kind, ready to be played with: every system in every way that it is made, and some own ones."""

import copy
from functools import cache, partial

import numpy as np

import bandits_dp as bdp
from bandits_dp import privatizers
from bandits_dp.learners import UCB, ArmElimination, LinUCB, PhasedElimination
from bandits_dp.schedules.arms import DoublingBatches, EqualBatches
from bandits_dp.widths.arms import ChernoffWidth, PaperWidth
from bandits_dp.widths.designs import ExactWidth
from bandits_dp.widths.ridge import PlainRadius
from bandits_dp.widths.running import TreeWidth

PROBLEMS = {
    "arms": bdp.problems.BernoulliArms([0.9, 0.6, 0.5]),
    "grades": bdp.problems.GradedArms([0.0, 0.25, 1.0], [[0.1, 0.2, 0.7], [0.3, 0.4, 0.3], [0.8, 0.1, 0.1]]),
    "linear": bdp.problems.SphericalArms(arms=6, dimension=2),
    "known": bdp.problems.SphericalArms(arms=6, dimension=2).draw(np.random.default_rng(1)),
    "clients": bdp.problems.SphericalClients(arms=6, dimension=2, clients=60),
    "contextual": bdp.problems.ContextualLinear(arms=4, dimension=2, fixed=False),
    "pool": bdp.problems.PoolContextual(arms=4, dimension=2, items=20, noise_std=0.5, clip=True),
}
HORIZONS = (40, 80, 130, 300, 900, 3000)  # the first that is long enough
PRIVATE = {"epsilon": 1.0, "delta": 0.1}


class Turns:
    """Asks about one arm after the other."""

    changes = ("turn", "best")

    def __init__(self):
        self.turn, self.best = 0, np.zeros(3)

    def ask(self):
        return bdp.Asked([[0, 1, 2][self.turn]], [2])

    def tell(self, released, noise):
        self.best[self.turn] += released[0]
        released[:] = np.nan  # it is the learner's
        self.turn = (self.turn + 1) % 3


class Greedy:
    """Plays what looks best, and works with what it is told as if nobody else had it."""

    changes = ("theta",)

    def __init__(self, dimension):
        self.dimension, self.theta = dimension, np.zeros(dimension)

    def choose(self, features):
        with np.errstate(all="ignore"):
            return (features @ self.theta).argmax(axis=-1)

    def tell(self, released):
        vector, matrix = privatizers.LinearStatistics(self.dimension).decode(released)
        self.theta = np.linalg.lstsq(matrix + 9 * np.eye(self.dimension), vector, rcond=None)[0]
        released[:] = np.nan


def _made(system, problem, calibration, options):
    """Return a learner for the first horizon that is long enough."""
    for horizon in HORIZONS:
        try:
            return bdp.make(system, PROBLEMS[problem], horizon=horizon, calibration=calibration, **PRIVATE, **options)
        except ValueError as error:
            if horizon == HORIZONS[-1] or "horizon" not in str(error):
                raise
    raise AssertionError


def _systems():
    """Yield the name of a case, the problem, and what makes it: every system, calibration and fidelity, and some options."""
    for system in bdp.systems():
        has = {one.name for one in system.options}
        for calibration in ("certified", "theorem", *["experiment"] * system.experiment):
            if (system.name, calibration) == ("LinUCB-RewardTree", "theorem"):
                continue
            variants = [{}]
            if "fidelity" in has:
                variants.append({"fidelity": "messages"})
            if calibration == "experiment" and system.name != "LinUCB-DGS":
                variants = [{"counter": "tree"}, {}] if "counter" in has else [{}]
            else:
                variants += [{"counter": "factorization", **({"noise": "gaussian"} if system.setting == "arms" else {})}
                             for _ in range("counter" in has and calibration == "certified" and system.name != "LinUCB-DGS")]
                variants += [{"returning_users": 2} for _ in range("returning_users" in has and calibration == "certified")]
                variants += [{"batch_size": 4} for _ in range("batch_size" in has and system.setting in ("arms", "contextual")
                             and (system.name, calibration) != ("Dist-DP-AE", "theorem"))]
                for own in variants:
                    own.update({"strict": False} if "strict" in has else {})
                    own.update({"clients_per_phase": 5} if "clients_per_phase" in has else {})
                    own.update({"least_eigenvalue": 0.1} if (system.name, calibration) == ("LinUCB-DGS", "theorem") else {})
                if system.name == "LinUCB-DGS" and calibration == "experiment":
                    variants.append({"counter": "hybrid", "perturb_contexts": 0.1, "strict": False})
            kinds = {"arms": ("arms", "grades"), "linear": ("linear", "known"), "clients": ("clients",),
                     "contextual": ("contextual", "pool")[: 1 if calibration == "experiment" or "SDP" in system.name else 2]}
            for problem in kinds[system.setting]:
                for own in variants:
                    if problem == "grades" and (own.get("noise") or (system.name, calibration) == ("LDP-AE", "theorem")):
                        continue
                    words = ", ".join(f"{key}={value}" for key, value in own.items())
                    yield f"{system.name}, {calibration}, {problem}" + (f", {words}" if words else ""), problem, partial(
                        _made, system.name, problem, calibration, own)
        if system.setting == "arms":
            yield f"{system.name}, no horizon", "arms", partial(
                bdp.make, system.name, PROBLEMS["arms"], horizon=None, **PRIVATE,
                first_horizon=300 if system.name == "DP-SE" else 50)


def _combined():
    """Yield learners of somebody's own with every privatizer and counter, and those of the package with others than usual."""
    one = {"CentralLaplace": {}, "LocalLaplace": {}, "DiscreteLaplaceSum": {}, "RandomizedResponse": {}, "Identity": None}
    one |= {kind: {"delta": 0.1} for kind in ("CentralGaussian", "LocalGaussian", "BinarySum", "ScalarSum", "SkellamSum",
                                              "AmplifiedGaussian")}
    learners = {"Turns": Turns, "elimination": lambda: ArmElimination(3, DoublingBatches(), ChernoffWidth(60, 10)),
                "equal": lambda: ArmElimination(3, EqualBatches(2), PaperWidth(60))}
    learners["UCB"] = lambda: UCB(3, TreeWidth(bdp.continual.TreeCounter(60, 1.0, 0.0, noise="laplace")))
    for kind, more in one.items():
        made = getattr(privatizers, kind) if more is None else partial(getattr(privatizers, kind), epsilon=1.0, **more)
        for word, learner in learners.items():
            yield f"{word} with {kind}", "arms", partial(_combine, learner, made, "arms")
    linear = privatizers.LinearStatistics(2)
    counters = {"TreeCounter": bdp.continual.TreeCounter, "FactorizationCounter": bdp.continual.FactorizationCounter,
                "HybridCounter": bdp.continual.HybridCounter, "TwoLevelCounter": bdp.continual.TwoLevelCounter,
                "PerStepCounter": bdp.continual.PerStepCounter, "NaiveCounter": bdp.continual.NaiveCounter}
    sources = {kind: partial(made, 60, 1.0, 0.1, domain=linear) for kind, made in counters.items()}
    sources |= {kind: partial(getattr(privatizers, kind), 5, 1.0, 0.1, domain=linear)
                for kind in ("CentralGaussian", "LocalGaussian", "VectorSum", "AmplifiedGaussian")}
    for kind, source in sources.items():
        yield f"Greedy with {kind}", "contextual", partial(_combine, partial(Greedy, 2), source, "contextual", instance=True)
        yield f"LinUCB with {kind}", "contextual", partial(
            _combine, lambda: LinUCB(2, PlainRadius(2, 1, 0.5, 0.1)), source, "contextual", instance=True)
    for kind in ("VectorSum", "CentralGaussian", "LocalGaussian"):
        yield f"phases with {kind}", "clients", partial(
            _combine, lambda: PhasedElimination(6, 2, 2.0, ExactWidth(6, 60), clients=_five, population=60),
            partial(_vectors, kind), "clients")


def _five(phase):
    return 5


def _vectors(kind, clients, numbers):
    return getattr(privatizers, kind)(clients, 1.0, 0.1, domain=privatizers.Box(numbers, -1, 1))


def _combine(learner, source, problem, instance=False):
    return bdp.combine(learner(), source() if instance else source, PROBLEMS[problem], horizon=60)


CASES = {name: (problem, made) for name, problem, made in (*_systems(), *_combined())}
COUNTERS = {
    f"{kind}, {noise}, {dimension} numbers": partial(
        getattr(bdp.continual, kind), 40, 1.0, 0.1, domain=privatizers.Box(dimension), **({"noise": noise} if noise else {}))
    for kind in bdp.continual.__all__ if kind not in ("Counter", "IntervalCounter")
    for noise in (("gaussian", "laplace") if "laplace" in getattr(bdp.continual, kind).noises else (None,))
    for dimension in (1, 3)
}


@cache
def made(name):
    """Return the learner or counter of a case, which nobody may change."""
    return COUNTERS[name]() if name in COUNTERS else CASES[name][1]()


class World:
    """A case, and what its users bring: everything from a number, so that a script says it in a word."""

    def __init__(self, name):
        self.name = name
        self.kind = CASES[name][0]
        self.problem = PROBLEMS[self.kind]
        self.instance = self.problem.draw(np.random.default_rng(1))
        self.setting = self.problem.setting

    def fresh(self, shown=True):
        """Return a learner that nobody has used; it knows the actions unless told otherwise."""
        learner = copy.deepcopy(made(self.name))
        if shown and hasattr(learner, "show") and learner.learner.actions is not None and not len(learner.learner.actions):
            learner.show(self.instance.actions)
        return learner

    def shown(self, number, users=None):
        """Return what one user is shown, or several; a learner with plain arms is shown nothing."""
        numbers = self.instance.numbers(np.random.default_rng(number), users or 1)
        found = self.instance.contexts(numbers)
        return found[0] if users is None else found

    def answer(self, ticket, number):
        """Return an answer that is allowed."""
        rng = np.random.default_rng(number)
        if self.setting == "clients":
            return rng.uniform(-1, 1, (ticket.users, len(ticket.arm))) if ticket.users else np.zeros(0)
        if self.setting == "contextual":
            return rng.uniform(*self.problem.reward_range, ticket.users)
        if self.kind == "grades":
            return rng.random(ticket.users)
        bits = rng.integers(0, 2, ticket.users).astype(float)
        return 2 * bits - 1 if self.setting == "linear" else bits
