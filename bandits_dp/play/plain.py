"""The plain loop: play any app on any problem by ``act`` and ``update``, as in live use.

With real messages it is the reference for every fast path. A family whose users do not answer with
one reward each registers its own step in ``STEPS``.
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
STEPS: dict[str, Step] = {}  # by setting; play_ticket for all others


def play_plainly(app: App, problem: Any, rngs: Rngs, rounds: Checkpoints, tick: Tick) -> Played:
    """Play fresh runs, one per generator, without changing the learner.

    Parameters
    ----------
    app, problem : App, Problem
        A fresh app and the problem; each run plays ``problem.draw(answers)``.
    rngs : list of numpy.random.Generator
        One per run, which is split: ``answers, noise = rng.spawn(2)``. Instances and rewards come
        from the first, noise from the second.
    rounds : ndarray of int, shape (checkpoints,)
        Ascending checkpoints; the last one is where the run stops.
    tick : callable
        Called now and then with the number of rounds played since the last call.
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
    """Give the learner's own generators a new stream for this run, then ask it again."""
    own = [name for name, value in getattr(player.learner, "__dict__", {}).items()
           if isinstance(value, Rng)]
    for name in own:
        setattr(player.learner, name, noise.spawn(1)[0])
    if own and isinstance(player, PhasedApp):
        player.begin()


def play_ticket(app: Any, world: Any, last: int, answers: Rng, noise: Rng, record: Record) -> None:
    """Play the users of one ticket."""
    ticket = app.act(users=min(app.missing, last - app.played))
    app.update(ticket, world.rewards(ticket.arm, ticket.users, answers), noise)
    record.add(np.full((1, ticket.users), world.gaps[ticket.arm]))


def _one_round(app: Any, world: Any, last: int, answers: Rng, noise: Rng, record: Record) -> None:
    """Play one round of a custom problem."""
    features, rewards, means = next(world)
    ticket = app.act() if features is None else app.act(features)
    app.update(ticket, rewards[ticket.arm], noise)
    record.add(np.array([[means.max() - means[ticket.arm]]]))
