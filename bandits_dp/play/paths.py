"""Choose how an app is played: by a family's fast path, of the same distribution, or plainly."""

from collections.abc import Callable
from typing import Any

from bandits_dp.play.plain import play_plainly
from bandits_dp.play.record import Played

Player = Callable[..., Played]  # see bandits_dp.play.plain.play_plainly
FAST: list[tuple[Callable[[Any, Any], bool], Player]] = []  # pairs of ``knows`` and a fast path


def fast(knows: Callable[[Any, Any], bool], *,
         messages: bool = False) -> Callable[[Player], Player]:
    """Return a decorator that registers a fast path where ``knows(app, problem)`` is true.

    Its results have the distribution of the plain loop. It plays apps of fidelity "messages" only
    if ``messages`` is true.
    """
    def enter(play: Player) -> Player:
        FAST.append((knows if messages
                     else lambda app, problem: app.fidelity != "messages" and knows(app, problem),
                     play))
        return play

    return enter


def path_for(app: Any, problem: Any) -> Player:
    """Return the first fast path that knows this app and problem, else the plain loop."""
    return next((play for knows, play in FAST if knows(app, problem)), play_plainly)
