"""Fast simulation of phased elimination: sums of a whole phase, drawn from their distribution.

With fidelity "messages", users and clients answer one by one.
"""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandits_dp.app.phases import PhasedApp
from bandits_dp.app.sums import SumsApp
from bandits_dp.linear.app import ClientsApp
from bandits_dp.linear.client_problems import ClientPopulation
from bandits_dp.linear.problems import LinearArms
from bandits_dp.play.plain import STEPS, Rng, Step, play_ticket
from bandits_dp.play.record import Record

MOST_VALUES = 5_000_000  # single averages that one release may need


def play_or_draw(plainly: Step, app: Any, *rest: Any) -> None:
    """Draw a phase if its sums have a known law; if not, let one ticket's people play."""
    (play_phase if knows_sums(app) else plainly)(app, *rest)


def play_averages(app: Any, world: Any, last: int, answers: Rng, noise: Rng,
                  record: Record) -> None:
    """Let the clients of one phase watch it and answer with their averages."""
    ticket, left = app.act(), last - app.played
    plays = int(ticket.plays.sum())
    record.add_plays(world.gaps[ticket.arm], ticket.plays, min(left, plays))
    if plays > left:  # clients answer when the phase ends
        app.played = last
        return
    averages = (world.averages(ticket.arm, ticket.plays, ticket.users, answers) if ticket.users
                else [])
    app.update(ticket, averages, noise)


def knows_sums(app: Any) -> bool:
    """Whether the sums of a whole phase can be drawn from their distribution."""
    return (app.fidelity != "messages" and isinstance(app, PhasedApp)
            and hasattr(app.learner, "actions") and app.sample.knows_sums)


def play_phase(app: Any, world: Any, last: int, answers: Rng, noise: Rng, record: Record) -> None:
    """Play a phase, or the part of it that fits before the end."""
    asked, left = app.asked, last - app.played
    plays = int(asked.plays.sum())
    whole = app.decides and plays <= left
    record.add_plays(world.gaps[asked.arms], asked.plays, plays if whole else left)
    if whole:
        app.take_phase((_released_averages if asked.clients else _released_rewards)(
            app, world, answers, noise))
    else:  # the learner is told nothing more, but single sums may be full
        app.played = last
        if app.decides and not asked.clients:
            full = zip(app.privatizers, asked.plays.cumsum() <= left, strict=True)
            app.bits += sum(privatizer.users * privatizer.bits_per_user
                            for privatizer, there in full if there)


def _released_rewards(app: SumsApp, world: LinearArms, answers: Rng,
                      noise: Rng) -> NDArray[np.float64]:
    """Draw sums of rewards and add noise; draw single rewards if the privatizer needs them."""
    asked, privatizers = app.asked, app.privatizers
    if privatizers[0].needs_values:
        pairs = zip(privatizers, asked.arms, strict=True)
        sums = [privatizer.simulate(world.rewards(int(arm), privatizer.users, answers), noise)
                for privatizer, arm in pairs]
    else:
        totals = world.reward_sums(asked.arms, asked.plays, answers)
        sums = [privatizer.release_sum(total, noise)
                for privatizer, total in zip(privatizers, totals, strict=True)]
    return np.array([float(released.item()) for released in sums])


def _released_averages(app: ClientsApp, world: ClientPopulation, answers: Rng,
                       noise: Rng) -> NDArray[np.float64]:
    """Draw the sum of averages and add noise; draw all averages if the privatizer needs them."""
    asked, privatizer = app.asked, app.privatizers[0]
    if not (privatizer.needs_values or privatizer.clip):
        return privatizer.release_sum(
            world.average_sums(asked.arms, asked.plays, asked.clients, answers), noise)
    if asked.clients * len(asked.arms) > MOST_VALUES:
        raise ValueError("clients must be few enough for memory where every client's averages are "
                         f"needed, got {asked.clients:,} in phase {app.learner.phase} with "
                         f"{len(asked.arms)} averages each: more than {MOST_VALUES:,} in all; take "
                         "a smaller population or alpha")
    return privatizer.simulate(
        world.averages(asked.arms, asked.plays, asked.clients, answers), noise)


STEPS.update(linear=partial(play_or_draw, play_ticket),
             clients=partial(play_or_draw, play_averages))
