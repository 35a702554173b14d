"""Fast simulation with features: many runs advance together as arrays, on noise drawn ahead.

The learner and the stream are those that serve users; all that they add up gets a leading axis of
runs. A run's generator is split as in the plain loop, ``answers, noise = rng.spawn(2)``: the
problem draws the instance and then the users from the first, the stream draws from the second. The
stream alone decides how much is drawn ahead, so a run uses its generators in the same way, alone or
with others.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from bandits_dp._snapshot import snapshot
from bandits_dp._types import Floats
from bandits_dp.app.slot import Slot
from bandits_dp.app.streams import Stream
from bandits_dp.contextual.app import ContextsApp
from bandits_dp.contextual.linucb import LinUCB
from bandits_dp.contextual.problems import Contextual, shown_means
from bandits_dp.play.paths import fast
from bandits_dp.play.plain import STEPS, Rng
from bandits_dp.play.record import Checkpoints, Played, Record, Rngs, Tick

MEMORY = 200e6  # bytes of noise, or of shown features, that a group of runs may hold
ROUNDS = 2048  # users are drawn ahead for about this many rounds


class Runs:
    """Many runs of an app that advance together, one per generator of noise.

    ``player`` is a copy of the app, with a leading axis of runs in all that it adds up.
    """

    def __init__(self, app: ContextsApp, rngs: Rngs) -> None:
        self.player = snapshot(app)
        self.player.learner, self.player.slots = (
            snapshot(app.learner), [Slot(snapshot(app.stream), app.batch_size)])
        self._tape = _tape(app.stream, rngs, app.horizon // app.batch_size)

    def learn(self, phi: Floats, y: Floats) -> None:
        """End a batch with features phi (runs, users, d) and shifted rewards y (runs, users)."""
        values, stream = self.player.values(phi, y), self.player.stream
        released = stream.advance(values, next(self._tape))
        public = (values[..., -stream.public :],) if stream.public else ()
        self.player.learner.tell(released, *public)


def _tape(stream: Stream, rngs: Rngs, batches: int) -> Iterator[Floats]:
    """Yield the random numbers of one batch after another, one row per run."""
    while batches:
        length = stream.tape(batches)
        drawn = np.stack([stream.draw(length, rng) for rng in rngs], axis=1)
        batches -= length
        yield from drawn


def knows(app: Any, problem: Any) -> bool:
    """Whether users and noise can be drawn ahead, and the learner's methods are this package's."""
    if (not isinstance(app, ContextsApp) or not hasattr(problem, "numbers")
        or getattr(problem, "varying", False)):
        return False
    return (bool(app.stream.ahead or not app.stream.noisy) and isinstance(app.learner, LinUCB)
            and all(getattr(type(app.learner), name).__module__.startswith("bandits_dp.")
                    for name in ("choose", "tell", "_fit")))


@fast(knows)
def play_contexts(app: ContextsApp, problem: Contextual, rngs: Rngs, rounds: Checkpoints,
                  tick: Tick) -> Played:
    """Play fresh runs in groups; see :func:`bandits_dp.play.plain.play_plainly`."""
    stream, shown = app.stream, app.arms * app.dimension
    noise = (stream.tape(app.horizon // app.batch_size) + 4) * stream.ahead  # and a few rows in use
    together = max(1, int(
        MEMORY / (8 * (noise + ROUNDS + 4 * shown * (1 if problem.fixed else app.batch_size)))))
    groups = (rngs[i : i + together] for i in range(0, len(rngs), together))
    return Played.join([_play_group(app, problem, group, rounds, tick) for group in groups])


def _play_group(app: ContextsApp, problem: Contextual, rngs: Rngs, rounds: Checkpoints,
                tick: Tick) -> Played:
    answers, noise = (list(pair) for pair in zip(*(rng.spawn(2) for rng in rngs), strict=True))
    worlds = [problem.draw(rng) for rng in answers]
    runs, record, last = Runs(app, noise), Record(len(rngs), rounds), int(rounds[-1])
    for length in _pieces(app, problem, len(rngs), last):
        numbers = [world.numbers(rng, length) for world, rng in zip(worlds, answers, strict=True)]
        record.add(_play_piece(runs, worlds, numbers, record))
        tick(len(rngs) * length)
    record.note(runs.player, worlds)
    return record.result(last // app.batch_size * app.batch_size * app.stream.bits_per_user,
                         runs.player.counts)


def _play_piece(runs: Runs, worlds: list[Contextual], numbers: list[Floats],
                record: Record) -> Floats:
    """Play batches with the users of these numbers; return the regret of each round.

    The last batch may be cut short.
    """
    player, first_world, each = runs.player, worlds[0], np.arange(len(worlds))[:, None]
    size = player.batch_size
    pairs = list(zip(worlds, numbers, strict=True))
    chances = np.stack([world.chances(own) for world, own in pairs])
    # Fixed features are kept once, as (runs, 1, arms, d); others as (runs, rounds, arms, d).
    seen = [own[:1] for own in numbers] if first_world.fixed else numbers
    features = np.stack([world.contexts(own) for world, own in zip(worlds, seen, strict=True)])
    means = np.stack([shown_means(world, own, shown)
                      for world, own, shown in zip(worlds, seen, features, strict=True)])
    lost = means.max(axis=2) - np.zeros_like(chances)
    for start in range(0, chances.shape[1], size):
        batch = slice(start, start + size)
        here = slice(0, 1) if first_world.fixed else batch
        shown = player.moved(features[:, here])
        arms = player.learner.choose(shown)
        played = each, np.arange(arms.shape[1]), arms
        mean = means[:, here][played]
        lost[:, batch] -= mean
        record.note(player, worlds, record.played + start + size)
        if start + size <= chances.shape[1]:
            y = first_world.reward_quantiles(mean, chances[:, batch]) - player.reward_shift
            runs.learn(np.broadcast_to(shown[played], (*y.shape, shown.shape[-1])), y)
    return lost


def _pieces(app: ContextsApp, problem: Contextual, runs: int, last: int) -> Iterator[int]:
    """Yield how many rounds to draw at once: whole batches, except at the end."""
    room = ROUNDS if problem.fixed else MEMORY / (8 * 8 * runs * app.arms * app.dimension)
    step = max(1, int(min(room, ROUNDS)) // app.batch_size) * app.batch_size
    for start in range(0, last, step):
        yield min(step, last - start)


def play_users(app: Any, world: Any, last: int, answers: Rng, noise: Rng, record: Record) -> None:
    """Play the users of one ticket, each with features."""
    rows = world.numbers(answers, min(app.missing, last - app.played))
    shown = world.contexts(rows)
    means = shown_means(world, rows, shown)
    ticket = app.act(shown, rng=noise)
    mean = np.array([own[arm] for own, arm in zip(means, ticket.arm, strict=True)])
    record.note(app, [world], app.played + len(rows))
    app.update(ticket, world.reward_quantiles(mean, world.chances(rows)), noise)
    record.add((np.array([own.max() for own in means]) - mean)[None])


STEPS["contextual"] = play_users
