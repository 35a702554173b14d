"""Every private learner of the catalogue with 1.5 times too little noise, and the view that shows it to an audit.

The fault is planted where no change of the code can heal it: a learner is made for a larger epsilon than the one that is claimed.
Laplace noise, and noise of few whole numbers, gets 1.5 times the epsilon; what is Gaussian, or nearly, gets the epsilon at which
Gaussian noise is 1.5 times quieter. Claims are where such a fault shows in the fewest runs. The neighbours differ as much as the
promise allows, and so little else happens that a run takes half a millisecond.
"""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import optimize

import bandits_dp as bdp
from bandits_dp.accounting import gaussian_noise_std

FACTOR = 1.5
FEW = 300  # runs that show a learner without noise, at a confidence at which no sound one ever fails


def quieter(epsilon, delta):
    """Return the epsilon at which Gaussian noise is so many times quieter."""
    return optimize.brentq(
        lambda other: FACTOR * gaussian_noise_std(other, delta, 1.0) - gaussian_noise_std(epsilon, delta, 1.0), epsilon, 9)


# What is claimed, epsilon and delta, and for which epsilon the noise is in truth
PURE, WHOLE, GAUSSIAN = (2.0, None, FACTOR * 2.0), (2.0, 0.2, FACTOR * 2.0), (1.0, 0.5, quieter(1.0, 0.5))


@dataclass(frozen=True, eq=False)
class Planted:
    """A system, the view, what is claimed and what is true, a problem, a horizon, neighbours, and enough trials."""

    system: str
    view: str
    claim: tuple[float, float | None, float]
    problem: Any
    horizon: int
    neighbours: tuple[Any, Any]
    trials: int
    options: dict[str, Any] = field(default_factory=dict)

    def make(self, faulty):
        epsilon, delta, true = self.claim
        return bdp.make(self.system, self.problem, horizon=self.horizon, epsilon=true if faulty else epsilon, delta=delta,
                        **self.options)

    def audit(self, faulty, trials, confidence, seed=0, view=None):
        epsilon, delta, _ = self.claim
        return bdp.audit(self.make(faulty), *self.neighbours, epsilon, delta or 0.0, trials, confidence,
                         rng=np.random.default_rng(seed), view=view, progress=False)


def rewards(users, low=0.0):
    """Rewards of all users at the lower end, and of the first at 1, for both arms."""
    b = np.full((users, 2), low)
    a = b.copy()
    a[0] = 1.0
    return a, b


def rounds(users, phi, psi):
    """Users whose rewards are 0, and one before them with features phi and reward 1, or with psi and -1."""
    def tape(features, reward):
        shown, paid = np.full((users, 2, len(phi)), 0.5), np.zeros((users, 2))
        shown[0], paid[0] = features, reward
        return shown, paid
    return tape(phi, 1.0), tape(psi, -1.0)


ANGLE = math.pi / 12  # the two users of linear statistics who are furthest apart
FAR = (math.cos(ANGLE), math.sin(ANGLE)), (math.sin(ANGLE), math.cos(ANGLE))
BITS = bdp.problems.BernoulliArms([0.5, 0.5])
LINEAR = bdp.problems.LinearArms(np.eye(2), [0.5, 0.5])
CLIENTS = bdp.problems.ClientPopulation(np.eye(2), np.array([0.5, 0.5]), client_std=0.2)
PLANE, LINE = (bdp.problems.Rounds(iter, arms=2, dimension=dimension, reward_range=(-1.0, 1.0)) for dimension in (2, 1))
ROUND, FOUR, REWARD, NUMBER = rounds(1, *FAR), rounds(4, *FAR), rounds(1, FAR[0], FAR[0]), rounds(1, [1.0], [1.0])
ONE, TWO, MANY = ({"batch_size": size} for size in (1, 2, 4))
LAPLACE, SKELLAM = ({"batch_size": 1, "noise": noise} for noise in ("laplace", "skellam"))
PLANTED = {
    "LDP-KLUCB": Planted("LDP-KLUCB", "messages", PURE, BITS, 3, rewards(1), 700),
    "LDP-AE": Planted("LDP-AE", "messages", PURE, BITS, 3, rewards(1), 700, ONE),
    "Laplace LDP-AE": Planted("LDP-AE", "messages", PURE, BITS, 3, rewards(1), 1000, LAPLACE),
    "LDP-PE": Planted("LDP-PE", "messages", GAUSSIAN, LINEAR, 200, rewards(1, -1.0), 700),
    "LDP-DPE": Planted("LDP-DPE", "messages", GAUSSIAN, CLIENTS, 3, rewards(2, -1.0), 600),
    "LinUCB-LDP": Planted("LinUCB-LDP", "messages", GAUSSIAN, PLANE, 1, ROUND, 700),
    "LDP-OLS": Planted("LDP-OLS", "messages", GAUSSIAN, PLANE, 1, ROUND, 700),
    "LinUCB-Batched-LDP": Planted("LinUCB-Batched-LDP", "messages", GAUSSIAN, PLANE, 4, FOUR, 700, MANY),
    "SDP-KLUCB": Planted("SDP-KLUCB", "messages", WHOLE, BITS, 30, rewards(2), 700),
    "SDP-AE": Planted("SDP-AE", "messages", WHOLE, BITS, 6, rewards(2), 700, TWO),
    "VB-SDP-AE": Planted("VB-SDP-AE", "messages", WHOLE, BITS, 30, rewards(2), 700),
    "SDP-PE": Planted("SDP-PE", "messages", GAUSSIAN, LINEAR, 200, rewards(8, -1.0), 900),
    "SDP-DPE": Planted("SDP-DPE", "messages", GAUSSIAN, CLIENTS, 3, rewards(2, -1.0), 600),
    "LinUCB-SDP-Amp": Planted("LinUCB-SDP-Amp", "messages", GAUSSIAN, PLANE, 1, ROUND, 700, ONE),
    "LinUCB-SDP-Vec": Planted("LinUCB-SDP-Vec", "messages", GAUSSIAN, PLANE, 4, FOUR, 900, MANY),
    "DP-KLUCB": Planted("DP-KLUCB", "releases", PURE, BITS, 3, rewards(1), 1000),
    "DP-SE": Planted("DP-SE", "releases", PURE, BITS, 900, rewards(530), 1200),
    "DP-UCB": Planted("DP-UCB", "releases", PURE, BITS, 1, rewards(1), 1000),
    "Dist-DP-AE": Planted("Dist-DP-AE", "releases", PURE, BITS, 3, rewards(2), 700, ONE),
    "Skellam Dist-DP-AE": Planted("Dist-DP-AE", "releases", WHOLE, BITS, 3, rewards(2), 800, SKELLAM),
    "CDP-PE": Planted("CDP-PE", "releases", GAUSSIAN, LINEAR, 200, rewards(16, -1.0), 700),
    "CDP-DPE": Planted("CDP-DPE", "releases", GAUSSIAN, CLIENTS, 3, rewards(2, -1.0), 700),
    "LinUCB-JDP": Planted("LinUCB-JDP", "releases", GAUSSIAN, PLANE, 1, ROUND, 700),
    "LinUCB-Batched-JDP": Planted("LinUCB-Batched-JDP", "releases", GAUSSIAN, PLANE, 4, FOUR, 700, MANY),
    "LinUCB-Tree": Planted("LinUCB-Tree", "releases", PURE, LINE, 1, NUMBER, 1000),
    "LinUCB-RewardTree": Planted("LinUCB-RewardTree", "releases", GAUSSIAN, PLANE, 1, REWARD, 700),
    "LinUCB-DGS": Planted("LinUCB-DGS", "releases", GAUSSIAN, LINE, 1, NUMBER, 700),  # on a line its noise is what is needed
}
