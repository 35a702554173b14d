"""What an adversary looks at: views of a privatizer or of a whole learner, as mechanisms for :func:`bandits_dp.audit.audit`."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_dp import _checks
from bandits_dp.audit.runs import Vectorized
from bandits_dp.live.live import Live
from bandits_dp.live.restarts import Restarts
from bandits_dp.privatizers import Privatizer
from bandits_dp.privatizers.base import FIDELITIES, complete

RELEASES = ("sum", "messages", "first message", "one user")
PLAYS = ("suggestions", "releases")
Mechanism = Callable[[Any, np.random.Generator], ArrayLike]


def view_of(system: Privatizer | Live | Restarts, view: str | Callable[[Any], ArrayLike] | None = None, user: int = 0) -> Mechanism:
    """Return what an adversary sees of a privatizer or of a learner, given all data.

    Parameters
    ----------
    system : Privatizer or Live or Restarts
        A privatizer, whose data are values of shape (users, dimension). Or a fresh learner; its data are the reward of every user
        for every arm, shape (rounds, arms); with features, a pair of features, shape (rounds, arms, dimension), and such rewards;
        with clients, the mean reward of every client for every action, shape (clients, arms).
    view : str or callable, optional
        Of a privatizer: ``"sum"``, the released sum (if not given); ``"messages"``, all that the shuffler delivers;
        ``"first message"`` of them; ``"one user"``, what a user sends, before any shuffling. Of a learner: ``"suggestions"``, what
        everybody else is shown (if not given); ``"releases"``, all that the learner is told; or ``view(learner)`` after the end.
    user : int
        The user (round, client) who is attacked: her message, or the one whose own suggestion is not seen.

    Returns
    -------
    callable
        From data and a generator to an array, always of one shape; what did not happen in a run is NaN.

    Raises
    ------
    ValueError
        If the view is unknown, or ``user`` is not an index from 0; and, when it is looked at, if data have another shape.
    TypeError
        If ``system`` is neither a complete privatizer nor a learner.

    Examples
    --------
    >>> import numpy as np
    >>> import bandits_dp as bdp
    >>> sent = bdp.view_of(bdp.privatizers.RandomizedResponse(3, epsilon=1.0), "messages")
    >>> sent([1, 0, 0], np.random.default_rng(1)).shape
    (3,)
    """
    _checks.integer("user", user, low=0)
    if isinstance(system, (Live, Restarts)):
        seen = "suggestions" if view is None else view
        return _PlayView(system, seen if callable(seen) else _checks.choice("view", seen, PLAYS), user)
    if not isinstance(system, Privatizer):
        raise TypeError(f"system must be a privatizer or what make() returns, got {system!r}")
    if user >= complete(system).users:
        raise ValueError(f"user must be 0 to {system.users - 1}, got {user}")
    if _checks.choice("view", "sum" if view is None else view, RELEASES) == "sum":
        return release_of(system)

    def sent(values: Any, rng: np.random.Generator) -> ArrayLike:
        messages = system.randomize(system.check(values, system.users), rng)
        if view == "one user":
            return np.ravel(messages[user])
        delivered = system.shuffle(messages, rng)
        return np.ravel(delivered[0] if view == "first message" else delivered)

    return sent


def release_of(privatizer: Privatizer, fidelity: str = "aggregate") -> Vectorized:
    """Return the released sum of a privatizer, or of any object with ``release(values, rng, fidelity)``, for many runs at once.

    Raises
    ------
    TypeError
        If ``privatizer`` cannot release anything.
    ValueError
        If the fidelity is unknown.

    Examples
    --------
    >>> import numpy as np
    >>> import bandits_dp as bdp
    >>> release = bdp.release_of(bdp.privatizers.CentralLaplace(3, epsilon=1.0))
    >>> sums = release.draw([1, 1, 0], np.random.default_rng(1), 10_000)  # as many runs
    >>> round(float(sums.mean()))  # of the noisy sums of two
    2
    """
    if isinstance(privatizer, type) or not callable(getattr(privatizer, "release", None)):
        raise TypeError(f"privatizer must be one of bandits_dp.privatizers, or have release(values, rng, fidelity), got "
                        f"{_checks.told(privatizer)}")
    try:
        inspect.signature(privatizer.release).bind(None, None, fidelity)
    except (TypeError, ValueError) as error:
        raise TypeError(f"privatizer must have release(values, rng, fidelity), got {_checks.told(privatizer)}: {error}") from error
    _checks.choice("fidelity", fidelity, FIDELITIES)
    # Where the answer's law depends on the sum of the values only, all runs are one call.
    usual = getattr(type(privatizer), "_aggregate", None) is Privatizer._aggregate
    by_sum = fidelity == "aggregate" and usual and privatizer.knows_sums

    def draw(values: Any, rng: np.random.Generator, runs: int) -> ArrayLike:
        if by_sum:
            return privatizer.release_sum(np.tile(privatizer.check(values, privatizer.users).sum(axis=0), (runs, 1)), rng)
        return np.stack([privatizer.release(values, rng, fidelity) for _ in range(runs)])

    return Vectorized(draw)


def _overheard(live: Any, told: list[NDArray[np.float64]]) -> Any:
    """Let a learner, and those that follow it after restarts, write down what it is told."""
    if isinstance(live, Restarts):
        make = live.make
        live.make = lambda horizon: _overheard(make(horizon=horizon), told)
        _overheard(live.live, told)
        return live

    class Overheard(type(live)):  # type: ignore[misc]  # a class made for this run
        def _tell(self, released: NDArray[np.float64], *more: Any) -> None:
            told.append(np.ravel(released))
            super()._tell(released, *more)

    live.__class__ = Overheard
    return live


class _PlayView:
    """A whole run of a learner, user by user, seen by somebody."""

    def __init__(self, live: Live | Restarts, view: str | Callable[[Any], ArrayLike], user: int) -> None:
        self.live, self.view, self.user = live, view, user
        self.play = {"contextual": _contexts, "clients": _clients}.get(live.setting, _arms)

    def __call__(self, data: Any, rng: np.random.Generator) -> ArrayLike:
        """Play once."""
        told: list[NDArray[np.float64]] = []
        player = _overheard(copy.deepcopy(self.live), told)
        shown, most = self.play(player, data, rng)
        if callable(self.view):
            return self.view(player)
        if self.view == "suggestions":
            if self.live.setting == "clients":
                return shown
            if self.user >= len(shown):
                raise ValueError(f"user must be 0 to {len(shown) - 1}, got {self.user}")
            return np.delete(shown, self.user)
        flat = np.concatenate([np.zeros(0), *told])
        return np.concatenate([flat, np.full(most - len(flat), np.nan)])


def _tape(data: Any, *shape: int | None) -> NDArray[np.float64]:
    """Return data as an array of so many rows (None: any number) and columns, or say what is wrong."""
    allowed = f"an array of shape ({', '.join('any' if size is None else str(size) for size in shape)}), see bandits_dp.view_of"
    array = _checks.numbers("data", data, allowed)
    if array.ndim != len(shape) or any(size not in (None, got) for size, got in zip(shape, array.shape, strict=True)):
        raise ValueError(f"data must be {allowed}, got {_checks.told(data)}")
    return array


def _arms(player: Any, rewards: Any, rng: np.random.Generator) -> tuple[NDArray[np.float64], int]:
    """Show one user after the other an arm; return the arms, and how many numbers can be released at most."""
    tape, shown = _tape(rewards, None, player.arms), []
    for answers in tape:
        ticket = player.act()
        player.update(ticket, answers[ticket.arm], rng)
        shown.append(ticket.arm)
    return np.array(shown, dtype=float), len(tape)


def _contexts(player: Any, data: Any, rng: np.random.Generator) -> tuple[NDArray[np.float64], int]:
    if not isinstance(data, (tuple, list)) or len(data) != 2:
        raise ValueError(f"data must be a pair (features, rewards), see bandits_dp.view_of, got {data!r}")
    features, shown = _tape(data[0], None, None, player.dimension), []
    for phi, answers in zip(features, _tape(data[1], *features.shape[:2]), strict=True):
        ticket = player.act(phi, rng=rng)  # from which noise on features comes
        player.update(ticket, answers[ticket.arm], rng)
        shown.append(ticket.arm)
    d = np.shape(features)[2]
    return np.array(shown, dtype=float), len(shown) // player.batch_size * (d + d * (d + 1) // 2)


def _clients(player: Any, means: Any, rng: np.random.Generator) -> tuple[NDArray[np.float64], int]:
    """Let clients answer, in their order, phase after phase; return the action of every round."""
    tape, shown, asked = _tape(means, None, player.arms), np.full(player.horizon, np.nan), 0
    while player.played < player.horizon:
        start, ticket = player.played, player.act()
        plan = np.repeat(ticket.arm, ticket.plays)[: player.horizon - start]
        shown[start : start + len(plan)] = plan
        player.update(ticket, tape[asked : asked + ticket.users][:, ticket.arm], rng)
        asked += ticket.users
    return shown, len(tape) * tape.shape[1]
