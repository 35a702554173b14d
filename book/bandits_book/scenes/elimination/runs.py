"""One run of elimination, kept phase by phase."""

from typing import Any, NamedTuple

import numpy as np

import bandits_dp as bdp
from bandits_dp.problems import BernoulliArms


class Phase(NamedTuple):
    """Users of each arm so far, mean and width of every arm, arms that are left, and the leader's lower end."""

    users: int
    bars: dict[int, tuple[float, float]]
    menu: list[int]
    floor: float


def until_one_is_left(name: str, problem: BernoulliArms, horizon: int, epsilon: float, delta: float) -> list[Phase]:
    """Play until one arm is left; every system reads the same answers."""
    size: dict[str, Any] = {} if "SDP" in name else {"batch_size": "doubling"}
    app = bdp.make(name, problem, horizon=horizon, epsilon=epsilon, delta=delta, **size)
    tapes, coins = np.random.default_rng(1).spawn(problem.arms), np.random.default_rng(5)
    phases: list[Phase] = []
    bars: dict[int, tuple[float, float]] = {}
    while len(app.learner.viable) > 1:
        shown = app.learner.viable
        for arm in shown:
            ticket = app.act(app.missing)
            app.update(ticket, problem.rewards(arm, ticket.users, tapes[arm]), coins)
        n, w = app.learner.width.users, app.learner.width.half_width()
        new = {int(arm): (app.learner.sums[arm] / n, w) for arm in shown}
        floor = max(mean - w for mean, w in new.values())
        bars, menu = bars | new, app.learner.viable.tolist()
        assert menu == [arm for arm in new if sum(new[arm]) >= floor]
        phases.append(Phase(n, bars, menu, floor))
    return phases
