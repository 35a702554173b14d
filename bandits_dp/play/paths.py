"""Who plays a learner: something fast of the same law, which families enter here, or the plain loop."""

from collections.abc import Callable
from typing import Any

import numpy as np

from bandits_dp.live.restarts import Restarts
from bandits_dp.play.plain import play_plainly
from bandits_dp.play.record import Checkpoints, Played, Rngs, Tick

Player = Callable[..., Played]  # see bandits_dp.play.plain.play_plainly
FAST: list[tuple[Callable[[Any, Any], bool], Player]] = []  # what plays which learners on which problems


def fast(knows: Callable[[Any, Any], bool]) -> Callable[[Player], Player]:
    """Enter what plays faster than the plain loop, and by the same law, wherever ``knows(live, problem)``; a decorator."""
    def enter(play: Player) -> Player:
        FAST.append((knows, play))
        return play

    return enter


def path_for(live: Any, problem: Any) -> Player:
    """Return who plays this learner on this problem."""
    if isinstance(live, Restarts):
        return play_restarts
    if live.fidelity == "messages":
        return play_plainly
    return next((play for knows, play in FAST if knows(live, problem)), play_plainly)


def play_restarts(live: Restarts, problem: Any, rngs: Rngs, rounds: Checkpoints, tick: Tick) -> Played:
    """Play one run per generator, stage after stage; all stages of a run play one instance."""
    worlds = [problem.draw(rng) for rng in rngs]
    if any(world is not worlds[0] for world in worlds):
        return Played.join([play_restarts(live, one, [rng], rounds, tick) for one, rng in zip(worlds, rngs, strict=True)])
    regret, so_far, bits = np.empty((len(rngs), len(rounds))), np.zeros((len(rngs), 1)), np.zeros(len(rngs))
    stage = start = 0
    while start < rounds[-1]:
        fresh = live.make(horizon=live.horizon_of(stage))
        end = min(start + fresh.horizon, int(rounds[-1]))
        inside = (rounds > start) & (rounds <= end)
        part = path_for(fresh, worlds[0])(fresh, worlds[0], rngs, np.union1d(rounds[inside], [end]) - start, tick)
        regret[:, inside] = so_far + part.regret[:, : inside.sum()]
        so_far, bits = so_far + part.regret[:, -1:], bits + part.bits
        stage, start = stage + 1, end
    return Played(regret, bits)
