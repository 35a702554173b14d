r"""DP-UCB: optimism on private running sums, one binary tree per arm (Mishra & Thakurta 2015; Tossou & Dimitrakakis 2016).

In round t every arm has an upper confidence bound :math:`\tilde S_a / n_a + w(n_a, t)`, where :math:`\tilde S_a` is the running
sum of its :math:`n_a` rewards as the arm's tree releases it; the arm with the largest one is pulled. A tree's noise grows with
:math:`\log T` (of a node, and again in the number of nodes), and that is why DP-UCB pays a factor of more than
:math:`\log T` over arm elimination with fresh batches.

**Privacy of a run.** A reward enters one tree, that of the arm that was pulled, and there at most h nodes. So the running sums of
*all* arms together have the l1-sensitivity of one tree. Arms and rewards may depend on earlier releases: given those, the nodes'
Laplace noise hides shifts that add up to at most h (see ``bandits_dp.continual``). Arms are computed from releases.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp import _checks
from bandits_dp.continual import TreeCounter
from bandits_dp.learners.arm_trees import ArmTrees
from bandits_dp.learners.base import Learner, Played
from bandits_dp.privatizers.domain import rows
from bandits_dp.problems.graded import Arms

TAPE = 4096  # rounds whose random numbers are drawn ahead, per run


class ArmWidth(Protocol):
    """How far a released running mean may be from the true mean."""

    def half_width(self, counts: NDArray[np.int64], t: int) -> NDArray[np.float64]:
        """Return the width for each number of rewards >= 1, in round t; shape of ``counts``."""


class TreeWidth:
    r"""Rigorous width from the exact tails of the tree's noise (certified calibration).

    After n rewards the tree's noise is a sum of popcount(n) Laplace numbers of scale b. By Chernoff's bound, with Hoeffding's lemma
    for the rewards, each side of the mean is off by more than

    .. math:: w(n) = \min_s \frac{n s^2 / 8 - \mathrm{popcount}(n) \ln(1 - s^2 b^2) + L}{s n}

    with probability at most :math:`e^{-L}`. Every s gives a valid bound, so the minimum over a fixed grid is one, too.

    **Union bound.** With :math:`L = \ln(2 T^2)`, over K arms, at most T numbers of rewards and two sides, some width ever fails
    with probability at most K / T, which costs no more regret than one pull of every arm. If none fails, an arm with gap D is never
    pulled again once w(n) < D / 2.

    Parameters
    ----------
    counter : TreeCounter
        The tree of one arm, with Laplace noise.
    """

    def __init__(self, counter: TreeCounter) -> None:
        assert counter.horizon is not None
        self.horizon = counter.horizon
        self.scale = counter.noise_std / math.sqrt(2)
        self.log_failure = math.log(2 * self.horizon**2)
        most = min(1 / self.scale, 30.0)  # s beyond 30 helps nobody
        low = min(math.sqrt(self.log_failure / self.horizon), most) / 1e2
        self._s = np.concatenate([np.geomspace(low, most / 2, 150), most * (1 - np.geomspace(0.5, 1e-4, 50))])
        self._table = np.array([math.inf])  # by n

    def half_width(self, counts: NDArray[np.int64], t: int) -> NDArray[np.float64]:
        """Return w(n), which holds in every round."""
        largest = int(counts.max())
        while largest >= len(self._table):
            self._extend()
        return self._table[counts]

    def _extend(self) -> None:
        """Double the table, up to the horizon."""
        n = np.arange(len(self._table), min(2 * len(self._table), self.horizon + 1))
        one = -np.log1p(-((self._s * self.scale) ** 2))
        best = np.full(len(n), np.inf)
        for s, noise in zip(self._s, one, strict=True):
            np.minimum(best, n * (s / 8) + (np.bitwise_count(n) * noise + self.log_failure) / s, out=best)
        self._table = np.concatenate([self._table, best / n])


class PublishedWidth:
    r"""Width of DP-UCB (theorem calibration), for trees with epsilon / K each; our reading, as the text was not at hand.

    :math:`\sqrt{2 \ln t / n} + \Gamma / n` with :math:`\Gamma = K \ln^2 T \ln(K T \ln T / \gamma) / \varepsilon` (Mishra & Thakurta
    2015, DP-UCB), :math:`\gamma = 1/T` for a bound on the expected regret.

    Parameters
    ----------
    arms, horizon : int
        K and T, both >= 1.
    epsilon : float
        Privacy parameter, > 0.
    """

    def __init__(self, arms: int, horizon: int, epsilon: float) -> None:
        log = math.log(horizon)
        self.relaxation = arms * log**2 * math.log(max(arms * horizon**2 * log, 1.0)) / epsilon  # Gamma

    def half_width(self, counts: NDArray[np.int64], t: int) -> NDArray[np.float64]:
        """Return the published width for each number of rewards."""
        return np.asarray(np.sqrt(2 * math.log(t) / counts) + self.relaxation / counts)


class DPUCB(Learner[Arms]):
    """UCB on running sums that binary trees release; parallel runs advance together.

    Parameters
    ----------
    arms, horizon : int
        Numbers of arms K and rounds T, both >= 1.
    counter : TreeCounter
        The tree of one arm, for ``horizon`` numbers, with Laplace noise. It is not used up: every arm has one like it.
    width : TreeWidth or PublishedWidth
        Confidence width.

    Attributes
    ----------
    trees : ArmTrees
        The running sums.

    Raises
    ------
    ValueError
        If an argument is out of range, or the counter is not one of Laplace noise on numbers for this horizon.
    """

    def __init__(self, arms: int, horizon: int, counter: TreeCounter, width: ArmWidth) -> None:
        super().__init__(arms, horizon)
        if counter.horizon != horizon or counter.noise != "laplace" or counter.dimension != 1:
            raise ValueError(f"counter must add Laplace noise to {horizon} numbers, got {counter!r} with {counter.noise} noise, "
                             f"dimension {counter.dimension}")
        self.counter = counter
        self.width = width
        self.guarantee = replace(counter.guarantee, reason=f"{counter.guarantee.reason}; a reward enters the tree of one arm only")
        self._start(runs=1)

    def _start(self, runs: int) -> Self:
        self.played = 0
        self.trees = ArmTrees(self.counter, runs, self.arms)
        return self

    def _choose(self) -> NDArray[np.intp]:
        """Return the arm of the next round in every run, shape (runs,)."""
        if self.played < self.arms:
            return np.full(len(self.trees.counts), self.played)  # every arm once
        bounds = self.trees.released / self.trees.counts + self.width.half_width(self.trees.counts, self.played + 1)
        return bounds.argmax(axis=1)

    def act(self) -> int:
        """Return the arm for the next user."""
        self._must_go_on()
        return int(self._choose()[0])

    def update(self, rewards: ArrayLike, rng: np.random.Generator) -> None:
        """Take one reward, and release the running sum of its arm."""
        self._must_go_on()
        reward = rows(np.atleast_1d(rewards), 1, 1, "rewards")
        self.counter.domain.check(reward, "rewards")
        self.trees.add(self._choose(), reward[:, 0], self.trees.draw(1, _checks.generator(rng)))
        self.played += 1

    def _pack(self) -> dict[str, ArrayLike]:
        return {"played": self.played, **self.trees.pack()}

    def _unpack(self, state: dict[str, NDArray[Any]]) -> None:
        self.played = int(state["played"])
        self.trees.unpack(state)

    def play(
        self,
        problem: Arms,
        rngs: list[np.random.Generator],
        rounds: NDArray[np.int64],
        tick: Callable[[int], object],
    ) -> Played:
        """Play one run per generator, all of them together; rewards and noise come from two children of the generator."""
        answers, noises = zip(*(rng.spawn(2) for rng in rngs), strict=True)
        learner = copy.deepcopy(self)._start(runs=len(rngs))
        regret = np.zeros((len(rngs), len(rounds)))
        so_far = np.zeros(len(rngs))
        last = int(rounds[-1])
        checkpoint = 0
        for t in range(last):
            if t % TAPE == 0:
                length = min(TAPE, last - t)
                quantiles = np.stack([rng.random(length) for rng in answers], axis=1)  # (length, runs)
                draws = np.stack([learner.trees.draw(length, rng) for rng in noises], axis=1)
                tick(len(rngs) * length)
            arms = learner._choose()
            learner.trees.add(arms, problem.reward_quantiles(arms, quantiles[t % TAPE]), draws[t % TAPE])
            learner.played += 1
            so_far += problem.gaps[arms]
            if t + 1 == rounds[checkpoint]:
                regret[:, checkpoint] = so_far
                checkpoint += 1
        return Played(regret, np.full(len(rngs), 64.0 * last))  # a double-precision number from every user
