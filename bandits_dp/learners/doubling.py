r"""No horizon is known: play for T_0 rounds, then start again for twice as many, and so on (the doubling trick).

Learners here need the horizon, for widths and for the size of trees. Restarts cost a constant factor of a regret that grows like
:math:`\sqrt T`. A regret of :math:`c \ln T` becomes :math:`c (\ln T_0 + \ln 2 T_0 + \dots)`, which grows like :math:`\ln^2 T`; when
horizons are *squared* instead (Besson & Kaufmann 2018), which ``growth="square"`` does, the logarithm stays. Either is a "standard
doubling argument" (Tenenbaum et al. 2021, footnote 10: "roughly the same results").

**Privacy.** A restart forgets everything and has other users than all other restarts: the guarantee of one restart is that of the
whole run (parallel composition), however long it gets.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp import _checks
from bandits_dp.learners.base import Learner, Played
from bandits_dp.problems import Problem

GROWTHS = ("double", "square")
NO_END = 2**62  # rounds that nobody plays


class Doubling(Learner[Any]):
    """A learner for an unknown horizon, made of learners for known ones.

    Parameters
    ----------
    make : callable
        ``make(horizon=T)`` gives a fresh learner for so many rounds.
    first_horizon : int
        Horizon T_0 of the first learner, >= 2.
    growth : {"double", "square"}
        Whether the horizons are T_0, 2 T_0, 4 T_0, ... or T_0, T_0^2, T_0^4, ...

    Attributes
    ----------
    learner : Learner
        The one that plays now.
    stage : int
        How many were before it.

    Raises
    ------
    ValueError
        If an argument is out of range, or no learner can be made for ``first_horizon`` rounds.
    """

    def __init__(self, make: Callable[..., Learner[Any]], first_horizon: int = 1024, growth: str = "double") -> None:
        self.first = _checks.integer("first_horizon", first_horizon, low=2)
        self.growth = _checks.choice("growth", growth, GROWTHS)
        self.make = make
        self.learner = make(horizon=self.first)
        super().__init__(self.learner.arms, NO_END)
        self.setting = self.learner.setting
        self.name = f"{self.learner.name}, unknown horizon"
        self.description = f"Doubling(growth={growth!r}, first={self.learner.description})"
        one = self.learner.guarantee
        self.guarantee = replace(one, reason=f"{one.reason}; a restart for {self.first} rounds and all later ones have other users")
        self.stage = 0

    def _horizon(self, stage: int) -> int:
        """Return the horizon of a stage, from 0."""
        if stage >= 62:
            return NO_END
        return min(self.first << stage if self.growth == "double" else self.first ** (1 << min(stage, 6)), NO_END)

    def _next_stage(self) -> None:
        self.stage += 1
        self.learner = self.make(horizon=self._horizon(self.stage))

    def act(self, *shown: Any, **named: Any) -> Any:
        """Ask the learner that plays now."""
        self._must_go_on()
        return self.learner.act(*shown, **named)

    def update(self, *given: Any, **named: Any) -> None:
        """Tell the learner that plays now, and restart when its horizon is reached."""
        self._must_go_on()
        before = self.learner.played
        self.learner.update(*given, **named)
        self.played += self.learner.played - before
        if self.learner.played == self.learner.horizon:
            self._next_stage()

    def _pack(self) -> dict[str, ArrayLike]:
        inner = {f"inner_{key}": value for key, value in self.learner.save().items() if key != "learner"}
        return {"played": self.played, "stage": self.stage, **inner}

    def _unpack(self, state: dict[str, NDArray[Any]]) -> None:
        self.played, self.stage = int(state["played"]), int(state["stage"])
        if not 0 <= self.stage < 62:
            raise ValueError(f"there is no stage {self.stage}")
        self.learner = self.make(horizon=self._horizon(self.stage))
        inner = {key.removeprefix("inner_"): state[key] for key in state if key.startswith("inner_")}
        self.learner.restore({"learner": np.array(self.learner.description), **inner})
        if self.played != sum(map(self._horizon, range(self.stage))) + self.learner.played:
            raise ValueError(f"{self.played} rounds are not {self.learner.played} in stage {self.stage}")

    def check_problem(self, problem: Problem) -> None:
        """Raise a ValueError if this learner cannot play the problem."""
        self.learner.check_problem(problem)

    def play(
        self,
        problem: Any,
        rngs: list[np.random.Generator],
        rounds: NDArray[np.int64],
        tick: Callable[[int], object],
    ) -> Played:
        """Play one run per generator, restart after restart: those of one instance together."""
        instances = [problem.draw(rng) for rng in rngs]
        if all(instance is instances[0] for instance in instances):
            return self._play(instances[0], rngs, rounds, tick)
        return Played.join([self._play(one, [rng], rounds, tick) for one, rng in zip(instances, rngs, strict=True)])

    def _play(
        self, problem: Any, rngs: list[np.random.Generator], rounds: NDArray[np.int64], tick: Callable[[int], object]
    ) -> Played:
        """Play runs of one instance together, and add up what the stages return."""
        regret = np.empty((len(rngs), len(rounds)))
        so_far = np.zeros((len(rngs), 1))
        bits = np.zeros(len(rngs))
        counts: dict[str, NDArray[np.float64]] = {}
        curves: dict[str, NDArray[np.float64]] = {}
        stage = start = 0
        while start < rounds[-1]:
            learner = self.make(horizon=self._horizon(stage))
            end = min(start + learner.horizon, int(rounds[-1]))
            inside = (rounds > start) & (rounds <= end)
            part = learner.play(problem, rngs, np.union1d(rounds[inside], [end]) - start, tick)
            regret[:, inside] = so_far + part.regret[:, : inside.sum()]
            so_far = so_far + part.regret[:, -1:]
            bits += part.bits
            counts = {key: counts.get(key, 0.0) + counted for key, counted in part.counts.items()}
            for key, curve in part.curves.items():  # each stage records its own
                curves.setdefault(key, np.empty_like(regret))[:, inside] = curve[:, : inside.sum()]
            stage, start = stage + 1, end
        return Played(regret, bits, counts, curves)
