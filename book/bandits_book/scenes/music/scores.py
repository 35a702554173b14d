"""One evening's candidates, scored by an exact regression and by the estimate that RewardTree releases."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import bandits_dp as bdp
from bandits_book.plots import Bar, Dot, Ground, Icon, MovingScene, Path, Text
from bandits_book.plots.marks import Mark

PROMISES = {"one answer": 1, "ten answers": 10}  # visits that the noise hides
EARLY = 100  # answers, on the left half
ALT = ("Twice twenty-five lines from an exact score on the server's side of a wall to a noisy score on Eve's side. After 100 "
       "answers they cross, and the artist that is played is not Noor's; after 2,000 they run nearly level, and it is. With noise "
       "that hides ten answers they still cross.")

Moment = tuple[int, str]  # answers so far, and the promise


@dataclass
class Evening:
    """Noor's candidates, which of them she likes, and by moment: both scores, the play, and the share of liked plays."""

    amber: int
    exact: dict[Moment, NDArray[np.float64]] = field(default_factory=dict)
    noisy: dict[Moment, NDArray[np.float64]] = field(default_factory=dict)
    plays: dict[Moment, int] = field(default_factory=dict)
    liked: dict[Moment, float] = field(default_factory=dict)


def play(problem: Any, evenings: Sequence[int], privacy: Any) -> Evening:
    """Play the same rounds under both promises, and score one evening's candidates after so many answers."""
    last = evenings[-1]
    rows = problem.numbers(np.random.default_rng(14), last + 1)
    noor, told = problem.contexts(rows[:1])[0], Evening(problem.liked(rows[:1])[0])
    for promise, visits in PROMISES.items():
        learner = bdp.make("LinUCB-RewardTree", problem, horizon=last, returning_users=visits, **privacy)
        rng, hits, V, u = np.random.default_rng(2), 0.0, np.eye(problem.dimension), np.zeros(problem.dimension)
        for t, (shown, liked) in enumerate(zip(problem.contexts(rows[1:]), problem.liked(rows[1:]), strict=True), start=1):
            ticket = learner.act(shown)
            reward, own = float(ticket.arm == liked), shown[ticket.arm]
            learner.update(ticket, reward, rng)
            hits, V, u = hits + reward, V + np.outer(own, own), u + reward * own
            if t in evenings:
                at = t, promise
                told.exact[at], told.noisy[at] = noor @ np.linalg.solve(V, u), noor @ learner.learner.theta
                told.plays[at], told.liked[at] = int(learner.learner.choose(noor)), hits / t
    return told


def half(evening: Evening, name: str, at: Moment, left: float) -> list[Mark]:
    """Draw all candidates at a moment, as lines from the exact score to the released one."""
    across, out, played = 47 + 100 * evening.exact[at], 47 + 100 * evening.noisy[at], evening.plays[at]
    amber, many = evening.amber, len(evening.exact[at])
    marks: list[Mark] = [Ground("trusted", left, 21.5, "central", width=27, height=51),
                         Ground("open", left + 27, 21.5, "soft", width=20, height=51)]
    sizes = {"secret": 1.7, "ink": 1.2, "soft": 0.9}
    for artist in sorted(range(many), key=lambda artist: (artist == amber, artist == played)):
        hue = "secret" if artist == amber else "ink" if artist == played else "soft"
        start, end = float(across[artist]), float(out[artist])
        size, color = (1.7, "ink") if artist == played else (0.9, "soft")
        marks += [Path(f"line {artist}", left + 15, start, hue, hue == "soft", points=[(0, 0), (22, end - start)]),
                  Dot(f"exact {artist}", left + 15, start, hue, size=sizes[hue]),
                  Dot(f"noisy {artist}", left + 37, end, color, size=size)]
    marks += [Dot("ring", left + 37, out[amber], "secret", size=2.4 if played == amber else 1.7, hollow=True),
              Bar("wall", left + 26.6, 21.5, "central", width=0.8, height=51), Icon("eye", left + 43.3, 47, size=1.6, name="eye"),
              Text("Noor", left + 12.5, across[amber] + 1.2, "secret", words="liked by", anchor="end", bold=True),
              Text("likes it", left + 12.5, across[amber] - 3.8, "secret", words="Noor", anchor="end", bold=True),
              Text("played", left + 37, out[played] + 3.6, words="played", bold=True)]
    words = [("Eve", 43.3, 41, "Eve"), ("night", 23, 82, f"after {at[0]:,} answers"), ("exact", 13.5, 76.3, "exact, secret"),
             ("noisy", 37, 76.3, "noisy"), ("rate", 23, 11.5, f"{evening.liked[at]:.0%} (by chance: {1 / many:.0%})")]
    marks += [Text(key, left + x, y, words=text, bold=y != 76.3) for key, x, y, text in words]
    return [replace(mark, key=f"{name} {mark.key}") for mark in marks]


def scene(evening: Evening, evenings: Sequence[int], right: str) -> MovingScene:
    """Show the scores early and after so many answers, for both promises; `right` says how often Eve guesses right at most."""
    def draw(night: int, promise: str) -> tuple[list[Mark], str]:
        marks = half(evening, "early", (EARLY, promise), 1) + half(evening, "now", (night, promise), 52)
        eve = f"Noor's {promise}: Eve guesses right at most {right}"
        marks += [
            Text("key", 50, 88, words="dots: scores of 25 artists, best on top"),
            Text("liked", 50, 16.5, words="Share of plays that listeners liked:"), Text("Eve", 50, 5.6, words=eve, bold=True),
            Text("blind", 50, 0.6, words="(50% without looking, if yes and no are equally likely)")]
        other = {t: evening.exact[t, promise].argmax() != evening.noisy[t, promise].argmax() for t in (EARLY, night)}
        now = "" if night == EARLY else f", {'and' if other[night] else 'not'} after {night:,}"
        return marks, (f"Noise puts another artist on top after {EARLY} answers{now}. While noise is large, "
                       "the learner shrinks all scores. Eve sees noisy scores and plays, but nobody's answer.")

    return MovingScene(
        draw, {"night": evenings, "promise": list(PROMISES)}, {"night": evenings[-1], "promise": "one answer"},
        title="Noise for one answer lets 2,000 be heard; noise for ten nearly drowns them", size=(100, 94), play="night", pace=1100,
        labels={"night": "answers so far", "promise": "the noise hides"}, alt=ALT)
