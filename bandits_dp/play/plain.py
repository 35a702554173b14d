"""The plain loop: play any learner with any privatizer on any problem, by the two verbs of live use.

With real messages it is the oracle of all that is faster. A family whose people answer in another way than by a reward each enters
what plays some of its rounds.
"""

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from bandits_dp.app.app import App
from bandits_dp.app.phases import PhasedApp
from bandits_dp.play.record import Checkpoints, Played, Record, Rngs, Tick
from bandits_dp.play.rounds import Rounds

Rng = np.random.Generator
Step = Callable[[Any, Any, int, Rng, Rng, Record], None]  # see play_ticket
STEPS: dict[str, Step] = {}  # what plays some rounds, by setting, where that is not play_ticket


def play_plainly(app: App, problem: Any, rngs: Rngs, rounds: Checkpoints, tick: Tick) -> Played:
    """Play fresh runs, one per generator, without changing the learner.

    Parameters
    ----------
    app, problem : App, Problem
        A fresh learner, and who gives rewards; each run plays ``problem.draw(answers)``.
    rngs : list of numpy.random.Generator
        One per run, which is split: ``answers, noise = rng.spawn(2)``. Instances and rewards come from the first, noise from the
        second.
    rounds : ndarray of int, shape (checkpoints,)
        Ascending checkpoints; the last one is where the run stops.
    tick : callable
        Told now and then how many rounds were played since the last call.
    """
    last, parts = int(rounds[-1]), []
    for rng in rngs:
        answers, noise = rng.spawn(2)
        world, player, record = problem.draw(answers), copy.deepcopy(app), Record(1, rounds)
        player.meet(world)
        _renew(player, noise)
        step = STEPS.get(app.setting, play_ticket)
        if isinstance(world, Rounds):
            world, step = world.one_by_one(answers), _one_round
        while player.played < last:
            step(player, world, last, answers, noise, record)
        record.note(player, [world])
        parts.append(record.result(player.bits, player.counts))
        tick(last)
    return Played.join(parts)


def _renew(player: App, noise: Rng) -> None:
    """Give a learner that keeps a generator another one in each run, which draws for nothing else, and hear again what it asks."""
    own = [name for name, value in getattr(player.learner, "__dict__", {}).items() if isinstance(value, Rng)]
    for name in own:
        setattr(player.learner, name, noise.spawn(1)[0])
    if own and isinstance(player, PhasedApp):
        player.begin()


def play_ticket(app: Any, world: Any, last: int, answers: Rng, noise: Rng, record: Record) -> None:
    """Let the users of one ticket pull an arm."""
    ticket = app.act(users=min(app.missing, last - app.played))
    app.update(ticket, world.rewards(ticket.arm, ticket.users, answers), noise)
    record.add(np.full((1, ticket.users), world.gaps[ticket.arm]))


def _one_round(app: Any, world: Any, last: int, answers: Rng, noise: Rng, record: Record) -> None:
    """Play one round of somebody's own problem."""
    features, rewards, means = next(world)
    ticket = app.act() if features is None else app.act(features)
    app.update(ticket, rewards[ticket.arm], noise)
    record.add(np.array([[means.max() - means[ticket.arm]]]))
