"""Measure live use, one user at a time: rounds per second of processor time, the best of three plays.

    python -m tests.benchmarks.live
"""

import time

import numpy as np

import bandits_dp as bdp

ROUNDS, ARMS, DIMENSION = 6000, 100, 5


def speed(name: str, **options: float) -> float:
    """Return how many users one learner serves in a second: each is shown an arm, and answers."""
    problem, rng = bdp.problems.ContextualLinear(ARMS, DIMENSION, fixed=False), np.random.default_rng(1)
    features, rewards = problem.contexts(problem.numbers(rng, ROUNDS)), rng.integers(0, 2, ROUNDS).tolist()
    learner = bdp.make(name, problem, horizon=ROUNDS, **options)
    start = time.process_time()
    for shown, reward in zip(features, rewards, strict=True):
        learner.update(learner.act(shown), reward)
    return ROUNDS / (time.process_time() - start)


if __name__ == "__main__":
    for name in ("LinUCB", "LinUCB-SDP-Vec", "LinUCB-LDP", "LinUCB-JDP"):
        options = {} if name == "LinUCB" else {"epsilon": 1.0, "delta": 0.1}
        print(f"{name:15} {max(speed(name, **options) for _ in range(3)):7,.0f} rounds per second")
