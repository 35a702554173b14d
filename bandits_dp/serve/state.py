"""What changes in an app while it is served, as arrays by name, and back."""

from __future__ import annotations

from collections.abc import Iterable
from functools import singledispatch
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandits_dp._checks import exact, told
from bandits_dp._snapshot import snapshot
from bandits_dp.app.app import App
from bandits_dp.app.phases import PhasedApp
from bandits_dp.app.slot import Slot
from bandits_dp.app.sums import SumsApp
from bandits_dp.app.ticket import Ticket
from bandits_dp.arms.app import RunningApp
from bandits_dp.contextual.app import ContextsApp
from bandits_dp.continual.base import Counter
from bandits_dp.serve.ids import DIGEST

State = dict[str, NDArray[Any]]


def terms(app: App) -> str:
    """Return the guarantee and the allowed values, which a state must share."""
    if isinstance(app, ContextsApp):
        low, high, norm = map(exact, (*app.reward_range, app.feature_norm))
        accepts, source = f"[{low}, {high}] and features of norm at most {norm}", app.stream
    else:
        accepts, source = str(app.sample.domain), app.sample
    promise = source.guarantee
    return (f"rewards in {accepts}, epsilon = {promise.epsilon!r}, "
            f"delta = {promise.delta!r}: {promise}")


def packed(app: App) -> dict[str, Any]:
    """Return all that changes in an app, but of tickets nothing that only their users may know."""
    users: list[Any] = sorted(app.visits)
    entries = {
        "played": app.played, "bits": app.bits, "numbers": app.handed,
        "tickets": np.array([(number, one.users, app.slots[app.place(one)].arm)
                             for number, one in app.open.items()], np.int64).reshape(-1, 3),
        "ticket_users": joined(one.user for one in app.open.values()),
        "users": joined(users), "appearances": np.array([app.visits[key] for key in users], int),
        "here": joined(sorted(app.here)),
        **pack(app.learner, "learner_"), **_own(app),
        **{f"due_{place}": one for place, one in enumerate(app.due)},
    }
    for place, slot in enumerate(app.slots):
        prefix = f"slot_{place}_"
        entries |= {prefix + "filled": slot.filled}
        entries |= {} if slot.waiting is None else {prefix + "waiting": slot.waiting}
        entries |= pack(slot.source, prefix) if hasattr(slot.source, "changes") else {}
    return entries


def unpacked(app: App, state: State) -> None:
    """Restore what :func:`packed` returned into ``app``, which must be a fresh copy."""
    _check(app, state)
    app.played, app.bits, app.handed = (
        int(state["played"]), float(state["bits"]), int(state["numbers"]))
    unpack(app.learner, state, "learner_")
    _reopen(app, state)
    app.slots = [_slot(slot, state, f"slot_{place}_") for place, slot in enumerate(app.slots)]
    app.visits = dict(zip(apart(state["users"]), state["appearances"].tolist(), strict=True))
    app.here = dict.fromkeys(apart(state["here"]))
    app.open = {}
    for (number, users, arm), user in zip(
            state["tickets"].tolist(), apart(state["ticket_users"]), strict=True):
        ticket = app.open[number] = Ticket(arm, users, user or None, number=number)
        app.slots[app.place(ticket)].shown += users
    app.due = tuple(state[key] for key in sorted(state) if key.startswith("due_"))


def _slot(slot: Slot, state: State, prefix: str) -> Slot:
    then = snapshot(slot)
    then.shown, then.filled = 0, int(state[prefix + "filled"])
    then.waiting = state.get(prefix + "waiting")
    if hasattr(slot.source, "changes"):
        then.source = snapshot(slot.source)
        unpack(then.source, state, prefix)
    return then


@singledispatch
def _own(app: App) -> dict[str, Any]:
    """Return the further entries of this kind of app."""
    return {}


@_own.register
def _(app: PhasedApp) -> dict[str, Any]:
    return {"numbers_sent": app.numbers_sent}


@_own.register
def _(app: SumsApp) -> dict[str, Any]:
    answered = sum(slot.filled for slot in app.slots)
    return {"numbers_sent": app.numbers_sent, "released": app.released, "answered": answered}


@_own.register
def _(app: ContextsApp) -> dict[str, Any]:
    return {"shown": np.concatenate(app.shown) if app.shown else np.zeros((0, app.dimension))}


def _check(app: App, state: State) -> None:
    """Raise a ValueError if a state is about other actions."""
    known = getattr(app.learner, "actions", ())
    if len(known) and not np.array_equal(known, state.get("learner_actions", known)):
        raise ValueError("state must come from a learner with the same actions, got one with "
                         "others")


@singledispatch
def _reopen(app: App, state: State) -> None:
    """Make the slots for the restored learner."""


@_reopen.register
def _(app: PhasedApp, state: State) -> None:
    answered = int(state.get("answered", 0))
    app.played -= answered  # a phase begins before its answers
    app.begin()
    app.played += answered
    app.numbers_sent = int(state["numbers_sent"])
    if isinstance(app, SumsApp):
        app.released = state["released"]


@_reopen.register
def _(app: RunningApp, state: State) -> None:
    app.asked = app.learner.ask()


@_reopen.register
def _(app: ContextsApp, state: State) -> None:
    app.shown = (state["shown"],) if len(state["shown"]) else ()
    app.slots = [Slot(app.stream, app.batch_size)]


def pack(thing: Any, prefix: str) -> dict[str, Any]:
    """Return an object's ``changes`` by name, or, if its class names none, all attributes."""
    packed: dict[str, Any] = {}
    for name in _changes(thing):
        value, key = getattr(thing, name), prefix + name
        if isinstance(value, Counter):
            packed |= count_packed(value, f"{key}_")
        else:
            packed |= pack(value, f"{key}_") if hasattr(value, "changes") else {key: _plain(value)}
    return packed


def count_packed(counter: Counter, prefix: str = "") -> dict[str, Any]:
    """Return all that changes in a counter."""
    return {prefix + name: _plain(value) for name, value in counter._pack().items()}


def count_unpacked(counter: Counter, state: State, prefix: str = "") -> None:
    """Restore what :func:`count_packed` returned into ``counter``, which must be a fresh copy."""
    counter._unpack({key.removeprefix(prefix): _read(value) for key, value in state.items()
                     if key.startswith(prefix)})


def unpack(thing: Any, state: State, prefix: str) -> None:
    """Restore what :func:`pack` returned into ``thing``, which must be a fresh copy."""
    for name in _changes(thing):
        value, key = getattr(thing, name), prefix + name
        if isinstance(value, Counter) or hasattr(value, "changes"):
            inner = snapshot(value)
            restore = count_unpacked if isinstance(inner, Counter) else unpack
            restore(inner, state, f"{key}_")
            setattr(thing, name, inner)
        else:
            given = state[key]
            if isinstance(value, np.ndarray):
                setattr(thing, name, _read(given) if value.dtype.hasobject else given)
            else:
                setattr(thing, name, type(value)(given))


def _plain(value: Any) -> Any:
    """Convert integers of any length to strings, which a state can hold; nothing else changes."""
    return value.astype(str) if isinstance(value, np.ndarray) and value.dtype.hasobject else value


def _read(array: NDArray[Any]) -> NDArray[Any]:
    """Convert strings back to integers; other arrays do not change."""
    if array.dtype.kind != "U":
        return array
    return np.array([int(word) for word in array.ravel().tolist()], object).reshape(array.shape)


def _changes(thing: Any) -> tuple[str, ...]:
    known: tuple[str, ...] | None = getattr(thing, "changes", None)
    if known is not None:
        return known
    for name, value in vars(thing).items():
        if not isinstance(value, (bool, int, float, np.ndarray, np.generic)):
            raise TypeError(f"{type(thing).__name__} must name the numbers and arrays that tell() "
                            f"replaces in a tuple `changes` to be saved, as its {name} is "
                            f"{told(value)}")
    return tuple(vars(thing))


def joined(keys: Iterable[Any]) -> NDArray[np.uint8]:
    """Return hashes as rows of bytes; zeros stand for no hash."""
    rows = b"".join((key or b"").ljust(DIGEST, b"\0") for key in keys)
    return np.frombuffer(rows, dtype=np.uint8).reshape(-1, DIGEST)


def apart(rows: NDArray[np.uint8]) -> list[bytes]:
    """Return the hashes that :func:`joined` made rows of."""
    return [row.tobytes() if row.any() else b"" for row in rows]
