"""Fast simulation for an unknown horizon: stage by stage, each by its own fast path."""

from typing import Any

import numpy as np

from bandits_dp.play.paths import fast, path_for
from bandits_dp.play.record import Checkpoints, Played, Rngs, Tick
from bandits_dp.serve.restarts import Restarts


def knows(app: Any, problem: Any) -> bool:
    """Whether the app restarts in stages."""
    return isinstance(app, Restarts)


@fast(knows, messages=True)
def play_restarts(served: Restarts, problem: Any, rngs: Rngs, rounds: Checkpoints,
                  tick: Tick) -> Played:
    """Play one run per generator; all stages of a run share one instance."""
    worlds = [problem.draw(rng) for rng in rngs]
    if any(world is not worlds[0] for world in worlds):
        return Played.join([play_restarts(served, one, [rng], rounds, tick)
                            for one, rng in zip(worlds, rngs, strict=True)])
    regret, so_far, bits = (
        np.empty((len(rngs), len(rounds))), np.zeros((len(rngs), 1)), np.zeros(len(rngs)))
    stage = start = 0
    while start < rounds[-1]:
        fresh = served.make(horizon=served.horizon_of(stage))
        end = min(start + fresh.horizon, int(rounds[-1]))
        inside = (rounds > start) & (rounds <= end)
        part = path_for(fresh, worlds[0])(
            fresh, worlds[0], rngs, np.union1d(rounds[inside], [end]) - start, tick)
        regret[:, inside] = so_far + part.regret[:, : inside.sum()]
        so_far, bits = so_far + part.regret[:, -1:], bits + part.bits
        stage, start = stage + 1, end
    return Played(regret, bits)
