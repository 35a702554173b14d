"""What is measured: full-scale simulations of every family, and how long a piece of the plain loop is played beside each."""

from dataclasses import dataclass, field
from typing import Any

import bandits_dp as bdp
from bandits_book import setup
from bandits_dp.problems import BernoulliArms, ContextualLinear, SphericalArms, SphericalClients


@dataclass(frozen=True)
class Case:
    """One simulation: `runs` of a system on a problem, and the rounds of the plain loop that are timed."""

    family: str
    name: str  # of the system
    problem: Any
    horizon: int
    runs: int
    rounds: int
    epsilon: float = 1.0
    delta: float = 0.1
    calibration: str = "certified"
    options: dict[str, Any] = field(default_factory=dict)
    note: str = ""  # what else the table says

    @property
    def key(self) -> str:
        return "/".join(part for part in (self.family, self.name, self.note) if part)

    def learner(self) -> Any:
        return bdp.make(self.name, self.problem, horizon=self.horizon, epsilon=self.epsilon, delta=self.delta,
                        calibration=self.calibration, **self.options)


ARMS = BernoulliArms([0.9] + [0.8] * 9)
FIGURE, CODE = setup("chowdhury-zhou-2022"), setup("chowdhury-zhou-2022-code")
CLIENTS, POOL = setup("li-zhou-ji-2022"), setup("wang-zhao-wang-2022")


def _arms(name: str, horizon: int, runs: int = 100, rounds: int = 10**6) -> Case:
    return Case("arms", name, ARMS, horizon, runs, rounds, delta=1e-6)


def _linucb(name: str, **changes: Any) -> Case:
    options = dict(FIGURE.options.get(name, {}))
    return Case(**{"family": "linucb", "name": name, "problem": FIGURE.problem, "horizon": FIGURE.horizon, "runs": FIGURE.runs,
                   "rounds": 2000, "options": options, **changes})


def _figure(name: str) -> Case:
    return _linucb(name, family="experiment", problem=CODE.problem, calibration="experiment")


def _linear(name: str) -> Case:
    return Case("linear", name, SphericalArms(1000, 20), 10**6, 20, 10**6, epsilon=10.0, delta=0.25)


def _clients(name: str, rewards: str = "signs", note: str = "") -> Case:
    problem = SphericalClients(1000, 20, rewards=rewards)
    options = {"clip": True} if rewards == "gaussian" and name != "DPE" else {}
    return Case("clients", name, problem, CLIENTS.horizon, 20, 10**6, 10.0, 0.25, options=options, note=note)


def _rewards(name: str, calibration: str = "certified", note: str = "", **options: Any) -> Case:
    return Case("rewards", name, POOL.problem, POOL.horizon, POOL.runs, 2000, 2.0, POOL.delta, calibration, options, note)


CASES = (
    _arms("UCB1", 10**5, rounds=20_000),
    *(_arms(name, 10**7) for name in ("KL-UCB", "DP-KLUCB", "SDP-KLUCB", "LDP-KLUCB")),
    _arms("AE", 10**7),
    _arms("SDP-AE", 10**7),
    _arms("VB-SDP-AE", 10**9),
    _arms("LDP-AE", 10**7),
    _arms("DP-SE", 10**7),
    _arms("DP-UCB", 10**5, runs=20, rounds=20_000),
    *map(_linucb, FIGURE.systems),
    _linucb("LinUCB-JDP", options={"counter": "factorization"}, note="factorization counter"),
    *(_linucb(name, problem=ContextualLinear(100, 5, fixed=False), note="fresh contexts in every round")
      for name in ("LinUCB-SDP-Vec", "LDP-OLS")),
    *map(_figure, CODE.systems),
    *map(_linear, ("PE", "CDP-PE", "LDP-PE", "SDP-PE")),
    *map(_clients, ("DPE", "CDP-DPE", "LDP-DPE", "SDP-DPE")),
    _clients("DPE", rewards="gaussian", note="Gaussian rewards"),
    _rewards("LinUCB-Tree"),
    _rewards("LinUCB-DGS", "theorem", strict=False),
    _rewards("LinUCB-RewardTree", note="tree", counter="tree"),
    _rewards("LinUCB-RewardTree", note="factorization counter"),
)
FAMILIES = (*dict.fromkeys(case.family for case in CASES), "designs")
