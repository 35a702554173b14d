"""Who plays a learner: something fast of the same law, which families enter here, or the plain loop."""

from collections.abc import Callable
from typing import Any

from bandits_dp.play.plain import play_plainly
from bandits_dp.play.record import Played

Player = Callable[..., Played]  # see bandits_dp.play.plain.play_plainly
FAST: list[tuple[Callable[[Any, Any], bool], Player]] = []  # what plays which learners on which problems


def fast(knows: Callable[[Any, Any], bool], *, messages: bool = False) -> Callable[[Player], Player]:
    """Enter what plays by the law of the plain loop wherever ``knows(app, problem)``; a decorator.

    Where an app plays messages, only what says that it plays ``messages``, too, takes the place of the plain loop.
    """
    def enter(play: Player) -> Player:
        FAST.append((knows if messages else lambda app, problem: app.fidelity != "messages" and knows(app, problem), play))
        return play

    return enter


def path_for(app: Any, problem: Any) -> Player:
    """Return who plays this learner on this problem."""
    return next((play for knows, play in FAST if knows(app, problem)), play_plainly)
