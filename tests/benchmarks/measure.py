"""Measure one case in a process of its own, so that its peak memory is its own: prints a JSON object."""

import json
import math
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import bandits_dp as bdp
from bandits_dp.linear.designs import g_optimal_design
from bandits_dp.linear.problems import on_sphere
from bandits_dp.play.plain import play_plainly
from tests.benchmarks.cases import CASES, Case
from tests.benchmarks.memory import peak_megabytes

PATIENCE = 1.5  # seconds: what is quicker is timed up to five times, what is slower twice, and the quickest time counts
PLAIN = 2  # runs of the plain loop, the first of the simulation's
DESIGNS = {"designs/g = 2 d": 2.0, "designs/g = 1.05 d": 1.05}


def seconds(work: Callable[[], object]) -> float:
    """Return the shortest time of two to five repetitions: the processor's, which hardly depends on what else the machine does."""
    times: list[float] = []
    while len(times) < 2 or (len(times) < 5 and sum(times) < PATIENCE):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def generators(runs: int) -> list[np.random.Generator]:
    """Return those of the first runs of a simulation, so that both play the same instances."""
    return [np.random.default_rng(child) for child in np.random.SeedSequence(0).spawn(runs)]


def rounded(value: float, digits: int = 3) -> float:
    return float(f"{value:.{digits}g}")


def simulation(case: Case) -> dict[str, Any]:
    learner = case.learner()
    kept = []
    taken = seconds(lambda: kept.append(bdp.simulate(learner, case.problem, case.horizon, runs=case.runs, progress=False)))
    peak, final = peak_megabytes(), kept[0].regret[:, -1]
    last = np.array([case.rounds])
    plain = seconds(lambda: play_plainly(learner, case.problem, generators(PLAIN), last, int)) / (PLAIN * case.rounds)
    speed = case.horizon * case.runs / taken
    return {
        "family": case.family, "name": case.name, "note": case.note, "rounds": case.horizon, "runs": case.runs,
        "seconds": rounded(taken), "rounds per second": rounded(speed), "times the plain loop": rounded(speed * plain),
        "peak megabytes": rounded(peak, 2), "regret": rounded(final.mean()),
        "standard error": rounded(final.std(ddof=1) / math.sqrt(case.runs), 2)}


def design(name: str, tolerance: float) -> dict[str, Any]:
    actions = on_sphere(100_000, 50, np.random.default_rng(0))
    found = []
    taken = seconds(lambda: found.append(g_optimal_design(actions, tolerance)))
    return {"family": "designs", "name": name, "note": "100,000 actions, d = 50", "seconds": rounded(taken),
            "peak megabytes": rounded(peak_megabytes(), 2), "g / d": rounded(found[0].g / 50)}


def main(key: str) -> None:
    if key in DESIGNS:
        measured = design(key.removeprefix("designs/"), DESIGNS[key])
    else:
        measured = simulation(next(case for case in CASES if case.key == key))
    print(json.dumps(measured))


if __name__ == "__main__":
    main(sys.argv[1])
