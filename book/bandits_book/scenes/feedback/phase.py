"""The fifth phase of a small run, played in a trust model."""

from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import bandits_dp as bdp
from bandits_dp.linear.widths import Phase
from bandits_dp.problems import ClientPopulation

Floats = NDArray[np.float64]
TRUSTED = {"none": "DPE", "central": "CDP-DPE", "shuffle": "SDP-DPE", "local": "LDP-DPE"}


@dataclass(frozen=True)
class Played:
    """What happened in the phase: answers, messages, what is released and estimated, and which actions are left."""

    nights: Floats  # one answer for each of two actions, sixteen nights and six clients
    averages: Floats
    sent: Floats
    released: Floats
    values: Floats
    margins: Floats
    left: NDArray[np.intp]
    noise: float
    bits: float


def fifth_phase(town: ClientPopulation, trust: str, epsilon: float, delta: float) -> Played:
    """Play phases 1 to 4, and return what happens in the fifth: six clients watch two actions for sixteen nights."""
    private: dict[str, Any] = {} if trust == "none" else {"epsilon": epsilon, "delta": delta}
    private |= {"noise": "gaussian"} if trust in ("central", "local") else {}
    app = bdp.make(TRUSTED[trust], town, horizon=10_000, alpha=0.5, **private)
    answers, coins = np.random.default_rng(31).spawn(2)[0], np.random.default_rng(6)
    while app.learner.phase < 5:
        asked = app.act()
        app.update(asked, town.averages(asked.arm, asked.plays, asked.users, answers), coins)
    asked = app.act()
    people = town.parameters(asked.users, answers)
    assert len(app.learner.active) == 8 and asked.plays.tolist() == [16, 16] and asked.users == 6
    nights = np.array([town.rewards(x, people, answers, 16) for x in asked.arm])
    (privatizer,), averages = app.privatizers, nights.mean(axis=1).T
    sent = privatizer.send(averages, deepcopy(coins))  # with the coins that the next lines use
    phase = Phase(app.learner.length, asked.plays, asked.users, app.privatizers)
    app.update(asked, averages, coins)
    values = town.actions @ app.learner.estimate
    released, apart = values[asked.arm], town.actions[values.argmax()] - town.actions
    weights = apart @ np.linalg.inv(town.actions[asked.arm])
    margins = app.learner.width.margins(phase, apart, weights)
    assert np.array_equal(np.flatnonzero(values.max() - values <= margins), app.learner.active)
    assert trust in ("central", "shuffle") or np.allclose(sent.mean(axis=0), released)
    return Played(nights, averages, sent, released, values, margins, app.learner.active, privatizer.noise_std / 6,
                  privatizer.bits_per_user)
