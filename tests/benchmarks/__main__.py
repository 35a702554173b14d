"""Speed of the simulator against a plain loop over rounds in the same run: ratios, not seconds, carry over to other machines.

``make bench`` prints one line per case. The reference plays arm elimination one user at a time through ``act`` and ``update``;
it is the same algorithm, so the ratio is what drawing batch sums from their exact law saves.
"""

import statistics
import time
from collections.abc import Callable

import numpy as np

import bandits_dp as bdp

PROBLEM = bdp.problems.BernoulliArms([0.9] + [0.8] * 9)
CASES = {"VB-SDP-AE": 10**9, "SDP-AE": 10**7, "LDP-AE": 10**7, "AE": 10**7, "UCB1": 10**5}
RUNS, REPEATS, REFERENCE_ROUNDS = 100, 3, 20_000


def median_seconds(work: Callable[[], object]) -> float:
    """Median time of a few repetitions."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def one_by_one() -> None:
    """Play the reference: the first rounds of one run, user by user."""
    rng = np.random.default_rng(0)
    learner = bdp.make("VB-SDP-AE", PROBLEM, horizon=REFERENCE_ROUNDS, epsilon=1.0, delta=1e-6)
    for uniform in rng.random(REFERENCE_ROUNDS):
        learner.update(float(uniform < PROBLEM.means[learner.act()]), rng)


def main() -> None:
    """Measure every case and print the table."""
    reference = REFERENCE_ROUNDS / median_seconds(one_by_one)
    print(f"reference, user by user: {reference:,.0f} rounds/s")
    for name, horizon in CASES.items():
        learner = bdp.make(name, PROBLEM, horizon=horizon, epsilon=1.0, delta=1e-6)
        seconds = median_seconds(lambda: bdp.simulate(learner, PROBLEM, horizon, runs=RUNS, progress=False))  # noqa: B023
        ratio = horizon * RUNS / seconds / reference
        print(f"{name:>10}, T = {horizon:.0e}, {RUNS} runs: {seconds:6.2f} s, {ratio:12,.0f} times the reference's rounds/s")


if __name__ == "__main__":
    main()
