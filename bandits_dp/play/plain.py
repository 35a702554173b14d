"""The plain loop: play any learner with any privatizer on any problem, by the two verbs of live use.

With real messages it is the oracle of all that is faster. Where messages are not asked for, the sums of phased elimination are
drawn from their law, a whole phase at once.
"""

import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandits_dp.app.app import App
from bandits_dp.app.linear import ClientsApp
from bandits_dp.app.phases import PhasedApp
from bandits_dp.app.sums import SumsApp
from bandits_dp.contextual.problems import shown_means
from bandits_dp.linear.client_problems import ClientPopulation
from bandits_dp.linear.problems import LinearArms
from bandits_dp.play.record import Checkpoints, Played, Record, Rngs, Tick
from bandits_dp.play.rounds import Rounds

Rng = np.random.Generator
MOST_VALUES = 5_000_000  # averages that one release may need one by one


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
        step = STEPS[app.setting] if app.fidelity == "messages" or not _knows_sums(app) else _phase
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


def _rewards(app: Any, world: Any, last: int, answers: Rng, noise: Rng, record: Record) -> None:
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


def _averages(app: Any, world: Any, last: int, answers: Rng, noise: Rng, record: Record) -> None:
    """Let the clients of one phase watch it, each with a device that adds up."""
    ticket, left = app.act(), last - app.played
    plays = int(ticket.plays.sum())
    record.add_plays(world.gaps[ticket.arm], ticket.plays, min(left, plays))
    if plays > left:  # nobody answers before the phase ends
        app.played = last
        return
    averages = world.averages(ticket.arm, ticket.plays, ticket.users, answers) if ticket.users else []
    app.update(ticket, averages, noise)


def _users(app: Any, world: Any, last: int, answers: Rng, noise: Rng, record: Record) -> None:
    """Let the users of one ticket choose by features."""
    rows = world.numbers(answers, min(app.missing, last - app.played))
    shown = world.contexts(rows)
    means = shown_means(world, rows, shown)
    ticket = app.act(shown, rng=noise)
    mean = np.array([own[arm] for own, arm in zip(means, ticket.arm, strict=True)])
    record.note(app, [world], app.played + len(rows))
    app.update(ticket, world.reward_quantiles(mean, world.chances(rows)), noise)
    record.add((np.array([own.max() for own in means]) - mean)[None])


STEPS = {"arms": _rewards, "linear": _rewards, "clients": _averages, "contextual": _users}


def _knows_sums(app: Any) -> bool:
    """Whether whole phases can be drawn from the law of their sums."""
    return isinstance(app, PhasedApp) and app.setting != "arms" and hasattr(app.learner, "actions") and app.sample.knows_sums


def _phase(app: Any, world: Any, last: int, answers: Rng, noise: Rng, record: Record) -> None:
    """Play a phase, or what of it fits before the end."""
    asked, left = app.asked, last - app.played
    plays = int(asked.plays.sum())
    whole = app.decides and plays <= left
    record.add_plays(world.gaps[asked.arms], asked.plays, plays if whole else left)
    if whole:
        app.take_phase((_released_averages if asked.clients else _released_rewards)(app, world, answers, noise))
    else:  # the learner is told nothing more, but single sums may be full
        app.played = last
        if app.decides and not asked.clients:
            full = zip(app.privatizers, asked.plays.cumsum() <= left, strict=True)
            app.bits += sum(privatizer.users * privatizer.bits_per_user for privatizer, there in full if there)


def _released_rewards(app: SumsApp, world: LinearArms, answers: Rng, noise: Rng) -> NDArray[np.float64]:
    """Draw sums of rewards from their law and add noise, or let single users answer where the sum alone does not do."""
    asked, privatizers = app.asked, app.privatizers
    if privatizers[0].needs_values:
        pairs = zip(privatizers, asked.arms, strict=True)
        sums = [privatizer.simulate(world.rewards(int(arm), privatizer.users, answers), noise) for privatizer, arm in pairs]
    else:
        totals = world.reward_sums(asked.arms, asked.plays, answers)
        sums = [privatizer.release_sum(total, noise) for privatizer, total in zip(privatizers, totals, strict=True)]
    return np.array([float(released.item()) for released in sums])


def _released_averages(app: ClientsApp, world: ClientPopulation, answers: Rng, noise: Rng) -> NDArray[np.float64]:
    """Draw the sum of all clients' averages from its law, or all averages where their sum alone does not do."""
    asked, privatizer = app.asked, app.privatizers[0]
    if not (privatizer.needs_values or privatizer.clip):
        return privatizer.release_sum(world.average_sums(asked.arms, asked.plays, asked.clients, answers), noise)
    if asked.clients * len(asked.arms) > MOST_VALUES:
        raise ValueError(f"clients must be few enough for memory where every client's averages are needed, got "
                         f"{asked.clients:,} in phase {app.learner.phase} with {len(asked.arms)} averages each: more than "
                         f"{MOST_VALUES:,} in all; take a smaller population or alpha")
    return privatizer.simulate(world.averages(asked.arms, asked.plays, asked.clients, answers), noise)
