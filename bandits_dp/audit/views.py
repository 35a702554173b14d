"""Views of an adversary: mechanisms for ``audit`` from a privatizer or an app."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp import _checks
from bandits_dp._snapshot import snapshot
from bandits_dp.app.app import App
from bandits_dp.app.slot import Slot
from bandits_dp.audit.runs import Mechanism
from bandits_dp.privatizers import Privatizer
from bandits_dp.privatizers.base import FIDELITIES, complete
from bandits_dp.privatizers.bit_sum import BitSum

FEW_BITS = 100_000  # of all messages of a run together
RELEASES = ("sum", "messages", "first message", "one user")
PLAYS = ("messages", "releases", "suggestions")


def view_of(system: Privatizer | App, view: str | Callable[[Any], ArrayLike] | None = None,
            user: int = 0) -> Mechanism:
    """Return what an adversary sees of a privatizer or of a learner, as a function of the data.

    Every run sends, shuffles and releases what live use would; nothing is drawn from a simulator's
    distribution.

    Parameters
    ----------
    system : Privatizer or App
        A privatizer; its data are values of shape (users, dimension). Or a fresh learner; its data
        are every user's reward for every arm, of shape (rounds, arms). With features, the data are
        a pair: features of shape (rounds, arms, dimension) and such rewards. With clients, they are
        every client's mean reward for every action, of shape (clients, arms).
    view : str or callable, optional
        Of a privatizer:

        * ``"sum"``: the released sum;
        * ``"messages"``: what every user sends, or in the shuffle model what the shuffler delivers;
        * ``"first message"``: the first of these messages;
        * ``"one user"``: what one user sends, before any shuffling.

        Default is the messages in the local and in the shuffle model, else the sum. The sum is also
        the default for shuffled bits, which reveal the number of ones and no more.

        Of a learner:

        * ``"messages"``, the default in the local and in the shuffle model: what every user sends
          in the local model; in the shuffle model what the shuffler delivers of every full batch,
          for bits the numbers of ones;
        * ``"releases"``, the default in other models: all that the learner is told;
        * ``"suggestions"``: what all other users are shown;
        * a function ``view(learner)``, which is called after the end.
    user : int
        The attacked user (round, client): the view "one user" shows this user's message, and
        "suggestions" leaves out this user's own.

    Returns
    -------
    callable
        From data and a generator to an array of fixed shape; entries that a run does not reach are
        NaN.

    Raises
    ------
    ValueError
        If the view is unknown, or is of messages that the learner's guarantee does not cover; if
        ``user`` is not an index from 0. When the view is called, if data have another shape.
    TypeError
        If ``system`` is neither a complete privatizer nor a learner.

    Examples
    --------
    >>> import numpy as np
    >>> import bandits_dp as bdp
    >>> sent = bdp.view_of(bdp.privatizers.RandomizedResponse(3, epsilon=1.0))
    >>> sent([1, 0, 0], np.random.default_rng(1)).shape  # of all users
    (3,)

    Notes
    -----
    A sum is released in three ways: half of the runs let users send and the server receive, as live
    use does; the others call ``release``, half of them with real messages if all messages together
    have 10^5 bits at most. All three have the same distribution, so the mixture costs the audit of
    a sound privatizer nothing; a fault in one way still shows, with part of its epsilon. A run
    takes 20 to 120 microseconds for randomized response, central noise and bits, 300 for secure
    aggregation, and milliseconds for vectors of bits.
    """
    _checks.integer("user", user, low=0)
    if isinstance(system, App):
        return _view_of_play(system, view, user)
    if not isinstance(system, Privatizer):
        raise TypeError(f"system must be a privatizer or what make() returns, got {system!r}")
    if user >= complete(system).users:
        raise ValueError(f"user must be 0 to {system.users - 1}, got {user}")
    if _checks.choice("view", view_name(system) if view is None else view, RELEASES) == "sum":
        return partial(_released, system)

    def sent(values: Any, rng: np.random.Generator) -> ArrayLike:
        messages = system.randomize(system.check(values, system.users), rng)
        if view == "one user":
            return np.ravel(messages[user])
        delivered = messages if system.guarantee.model == "local" else system.shuffle(messages, rng)
        return np.ravel(delivered[0] if view == "first message" else delivered)

    return sent


def view_name(system: Privatizer | App) -> str:
    """Return the default view of a privatizer or a learner."""
    sends = system.guarantee.model in ("local", "shuffle")
    if not isinstance(system, Privatizer):
        return "messages" if sends else "releases"
    # only the number of ones is left
    counted = system.guarantee.model == "shuffle" and isinstance(system, BitSum)
    return "messages" if sends and not counted else "sum"


def _released(system: Privatizer, values: Any, rng: np.random.Generator) -> ArrayLike:
    """Release a sum in one of three ways."""
    array = system.check(values, system.users)
    if rng.integers(2):
        return system.receive(
            np.asarray(Slot(system, system.users).with_answers(system.users, array, rng).waiting),
            rng)
    return system.release(values, rng, FIDELITIES[
        rng.integers(1 + (system.users * system.bits_per_user <= FEW_BITS))])


def _view_of_play(app: App, view: str | Callable[[Any], ArrayLike] | None, user: int) -> Mechanism:
    """Return the view of a whole run; by default all that the learner's guarantee is about."""
    view = view_name(app) if view is None else view
    if not callable(view) and _checks.choice("view", view, PLAYS) == "messages" != view_name(app):
        raise ValueError("view must be 'releases' or 'suggestions' for a learner of the model "
                         f"{app.guarantee.model!r}, whose guarantee is not about messages, got "
                         "'messages'")
    return partial(_seen, app, user, view=view)


def _seen(app: Any, user: int, data: Any, rng: np.random.Generator, *,
          view: str | Callable[[Any], ArrayLike]) -> ArrayLike:
    """Play one run, and return what the view shows of it."""
    listener = Messages() if view == "messages" else Releases()
    player, heard = copy.deepcopy(app), listener.heard
    player.listener = listener
    shown, users, numbers = {
        "contextual": _contexts, "clients": _clients}.get(app.setting, _arms)(player, data, rng)
    if callable(view):
        return view(player)
    if view == "suggestions":
        if app.setting == "clients":
            return shown
        if user >= len(shown):
            raise ValueError(f"user must be 0 to {len(shown) - 1}, got {user}")
        return np.delete(shown, user)
    # the most numbers that a run may release
    most = users // vars(player).get("batch_size", 1) * numbers
    if view == "messages":
        most = users * max(numbers, heard[0][0].size if heard else 1)
    flat = np.concatenate([np.zeros(0), *map(np.ravel, heard)])
    return np.append(flat, np.full(most - len(flat), np.nan))


class Releases:
    """A listener that keeps what the learner is told."""

    def __init__(self) -> None:
        self.heard: list[NDArray[Any]] = []

    def told(self, released: NDArray[np.float64]) -> None:
        """Keep what is released."""
        self.heard.append(released)

    def takes(self, app: App, place: int, ticket: Any, values: NDArray[np.float64],
              rng: np.random.Generator) -> None:
        """Let the app take the values."""
        app._take(place, ticket, values, rng)


class Messages(Releases):
    """A listener that keeps the messages of users, or of the shuffler when a batch is full."""

    def told(self, released: NDArray[np.float64]) -> None:
        """Ignore what is released."""

    def takes(self, app: App, place: int, ticket: Any, values: NDArray[np.float64],
              rng: np.random.Generator) -> None:
        """Let the app take the values, and keep what is sent."""
        slot, local = app.slots[place], app.guarantee.model == "local"
        if slot.source is not None and not hasattr(slot.source, "overheard"):
            slot = app.slots[place] = snapshot(slot)
            slot.source = _tapped(slot.source)
        app._take(place, ticket, values, rng)
        sent = getattr(slot.source, "overheard", [])
        if sent and (local or slot.filled + ticket.users == slot.users):
            rows = np.concatenate(sent)
            self.heard.append(rows if local else _delivered(slot.source, rows, rng))
            sent.clear()


def _tapped(source: Any) -> Any:
    """Return a source that keeps what is sent to it; its copies share the list."""
    tapped, sent = snapshot(source), list[NDArray[Any]]()

    def send(values: NDArray[np.float64], rng: np.random.Generator) -> NDArray[Any]:
        sent.append(source.send(values, rng))
        return sent[-1]

    tapped.overheard, tapped.send = sent, send
    return tapped


def _delivered(source: Any, rows: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
    """Return what a shuffler delivers of a batch's messages; of bits, only the numbers of ones."""
    privatizer = getattr(source, "privatizer", source)
    return (rows.sum(axis=0, keepdims=True) if isinstance(privatizer, BitSum)
            else privatizer.shuffle(rows, rng))


def _tape(data: Any, *shape: int | None) -> NDArray[np.float64]:
    """Return data as an array of this shape (None: any size), or raise a ValueError."""
    allowed = ("an array of shape ("
               f"{', '.join('any' if size is None else str(size) for size in shape)}), see "
               "bandits_dp.view_of")
    array = _checks.numbers("data", data, allowed)
    if array.ndim != len(shape) or any(size not in (None, got)
                                       for size, got in zip(shape, array.shape, strict=True)):
        raise ValueError(f"data must be {allowed}, got {_checks.told(data)}")
    return array


def _arms(player: Any, rewards: Any,
          rng: np.random.Generator) -> tuple[NDArray[np.float64], int, int]:
    """Play arms; return the arms shown, the number of users, and the numbers per user."""
    tape = _tape(rewards, None, player.arms)
    return (_played(player, tape, lambda few: player.act(users=few.stop - few.start), rng),
            len(tape), 1)


def _contexts(player: Any, data: Any,
              rng: np.random.Generator) -> tuple[NDArray[np.float64], int, int]:
    if not isinstance(data, (tuple, list)) or len(data) != 2:
        raise ValueError("data must be a pair (features, rewards), see bandits_dp.view_of, got "
                         f"{data!r}")
    features, d = _tape(data[0], None, None, player.dimension), player.dimension
    tape = _tape(data[1], *features.shape[:2])
    # rng also draws noise on features
    shown = _played(player, tape, lambda few: player.act(features[few], rng=rng), rng)
    return shown, len(tape), d + d * (d + 1) // 2


def _played(player: Any, tape: NDArray[np.float64], act: Callable[[slice], Any],
            rng: np.random.Generator) -> NDArray[np.float64]:
    """Play all users, as many at once as a ticket allows, and return their arms."""
    shown = np.zeros(len(tape))
    start = 0
    while start < len(tape):
        few = slice(start, min(start + player.missing, len(tape)))
        ticket = act(few)
        player.update(ticket, tape[few][np.arange(ticket.users), ticket.arm], rng)
        shown[few], start = ticket.arm, few.stop
    return shown


def _clients(player: Any, means: Any,
             rng: np.random.Generator) -> tuple[NDArray[np.float64], int, int]:
    """Let clients answer in order, phase by phase; return the action of every round."""
    tape, shown, asked = _tape(means, None, player.arms), np.full(player.horizon, np.nan), 0
    while player.played < player.horizon:
        start, ticket = player.played, player.act()
        plan = np.repeat(ticket.arm, ticket.plays)[: player.horizon - start]
        shown[start : start + len(plan)] = plan
        player.update(ticket, tape[asked : asked + ticket.users][:, ticket.arm], rng)
        asked += ticket.users
    return shown, len(tape), tape.shape[1]
