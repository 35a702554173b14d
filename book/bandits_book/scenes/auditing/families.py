"""A learner of each family, with the two worlds between which one user's data change as much as its promise allows."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

import bandits_dp as bdp

Worlds = tuple[Any, Any]


def worlds(users: int, low: float) -> Worlds:
    """Return everybody's answers at the lower end, and in the other world the first user's at 1."""
    others = np.full((users, 2), low)
    return others, np.where(np.arange(users)[:, None] == 0, 1.0, others)


def contexts(users: int, angle: float, answer: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return everybody's features and answers, of which the first user's are told."""
    features, answers = np.full((users, 2, 2), 0.5), np.zeros((users, 2))
    features[0], answers[0] = (math.cos(angle), math.sin(angle)), answer
    return features, answers


def families() -> list[tuple[str, str, Any, int, Worlds, dict[str, int]]]:
    """Return a learner's name, the view, the problem, the horizon, the two worlds and options, for each family."""
    bits = bdp.problems.BernoulliArms([0.5, 0.5])
    line = bdp.problems.LinearArms(np.eye(2), [0.5, 0.5])
    clients = bdp.problems.ClientPopulation(np.eye(2), np.array([0.5, 0.5]), client_std=0.2)
    plane = bdp.problems.Rounds(lambda rng: iter(()), arms=2, dimension=2, reward_range=(-1.0, 1.0))
    far = contexts(4, math.pi / 12, 1.0), contexts(4, 5 * math.pi / 12, -1.0)  # linear statistics that are furthest apart
    return [
        ("SDP-AE", "messages", bits, 6, worlds(2, 0.0), {"batch_size": 2}),
        ("LDP-PE", "messages", line, 200, worlds(1, -1.0), {}),
        ("LDP-DPE", "messages", clients, 3, worlds(2, -1.0), {}),
        ("LinUCB-Batched-LDP", "messages", plane, 4, far, {"batch_size": 4}),
        ("LinUCB-Batched-LDP", "releases", plane, 4, far, {"batch_size": 4}),
    ]
