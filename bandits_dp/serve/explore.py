"""Ask an app of any kind for a ticket, with exploration: some users are shown a random arm.

From a log of arms, rewards, propensities and features, ``evaluate`` of ``bandits_book.logs``
estimates what another policy would have earned. The log holds raw answers: it is not private, and
neither are estimates from it. The random choice uses no user's data, so guarantees do not change.
Widths hold for any numbers of pulls, and radii for features chosen in any way before the reward. On
average, exploring costs a user at most ``explore`` times the largest gap.
"""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np

from bandits_dp import _checks
from bandits_dp.app.app import App
from bandits_dp.app.randomness import generator
from bandits_dp.app.ticket import Ticket
from bandits_dp.arms.app import RunningApp
from bandits_dp.contextual.app import ContextsApp

Asked = tuple[Ticket, Any]  # a ticket, and its propensities


@singledispatch
def ask(app: App, given: Any, user: bytes | None, explore: float, rng: Any, **more: Any) -> Asked:
    """Return an app's ticket, and the probabilities with which its arms were drawn.

    Parameters
    ----------
    app : App
        The app.
    given, more
        Arguments of its ``act``, by position and by name.
    user : bytes or None
        Hash of the user's id.
    explore : float
        Share of users who are shown an arm that is drawn uniformly, in [0, 1].
    rng : numpy.random.Generator or None
        Source of exploration and of noise on features.

    Raises
    ------
    ValueError
        If an argument is out of range, or the app asks in phases and cannot explore.
    """
    if explore or rng is not None:
        raise ValueError(f"explore and rng must be left out for {app.name}, which asks in phases, "
                         f"got {explore!r} and {rng!r}")
    return app.act(*given, user=user, **more), None  # type: ignore[attr-defined]


@ask.register
def _(app: RunningApp, given: Any, user: Any, explore: float, rng: Any, **more: Any) -> Asked:
    app.admit(*given, **more)
    arm, chance = explored(int(app.asked.arms[0]), app.arms, explore, rng)
    return app.offer(arm, user), chance


@ask.register
def _(app: ContextsApp, given: Any, user: Any, explore: float, rng: Any, **more: Any) -> Asked:
    seen = app.seen(*given, **more, user=user, rng=rng)
    arms = app.pick(seen)
    sizes = list(map(len, seen)) if np.ndim(arms) else len(seen)
    arms, chances = explored(arms if np.ndim(arms) else int(arms), sizes, explore, rng)
    return app.offer(seen, arms, user), chances


def explored(arms: Any, sizes: int | list[int], share: float,
             rng: np.random.Generator | None) -> tuple[Any, Any]:
    """Replace each arm, with probability ``share``, by a uniform one of ``sizes``.

    Return the arms and their propensities, or None for the latter without exploration.
    """
    if ((type(share) is float and share == 0)
        or not _checks.real("explore", share, 0.0, 1.0, ends="[]")):
        return arms, None
    source = generator(rng)
    drawn = np.where(source.random(np.shape(arms)) < share,
                     source.integers(sizes, size=np.shape(arms)), arms)
    chances = share / np.asarray(sizes) + (1 - share) * (drawn == arms)
    return (drawn, chances) if np.ndim(arms) else (int(drawn), float(chances))
