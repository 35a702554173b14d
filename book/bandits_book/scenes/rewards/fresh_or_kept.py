"""Noise drawn afresh every night beside noise that is kept, and what Eve makes of the plays."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from numpy.typing import NDArray

from bandits_book.plots import Bar, Dot, Icon, MovingScene, Path, Text

Kinds = Mapping[str, NDArray[Any]]  # by "fresh" and "kept"


def night_by_night(night: int, release: Kinds, right: Kinds, std: Kinds) -> tuple[list[Any], str]:
    """Return a night's marks, and the note, from releases (night, run), shares of right guesses and the noise's std by night."""
    wide, shift, noisy = 45 / max(night, 8), 1 / (0.1 + night), std["kept"][night - 1]
    runs = release["kept"].shape[1]
    marks: list[Any] = []
    best = {kind: f"{right[kind][night - 1]:.0%}" for kind in right}
    for left, kind, title in ((2, "fresh", "noise drawn afresh"), (53, "kept", "noise kept")):
        end, drawn, old, seen = night, 0, 0, release[kind][:night, 0]
        while end:
            begin, new = end & (end - 1), kind == "fresh" or end == night
            key = f"{kind} {begin} to {end}" + f", night {night}" * (kind == "fresh")
            width, color = max(wide * (end - begin) - 0.4, 0.2), "ink" if new else "soft"
            marks.append(Bar(key, left + wide * begin, 66, color, not new, width=width, height=6))
            end, drawn, old = begin, drawn + new, old + (not new)
        words = [(80, title, "ink"), (75, f"added: {drawn} new, {old} kept", "soft"),
                 (13.5, f"+1 played: {(seen > 0).sum()} of {night}", "central")]
        marks += [Text(f"{kind} {y}", left, y, color, words=word, anchor="start", bold=y == 80) for y, word, color in words]
        marks += [Bar(f"{kind} first", left, 64, "secret", width=max(wide - 0.4, 0.4), height=1.2),
                  Icon(f"{kind} eye", left + 2.8, 9.3, size=1.9, name="eye"),
                  Text(f"{kind} Eve", left + 6.8, 8, words=f"Eve is right: {best[kind]}", anchor="start", bold=True),
                  Bar(kind, left, 4, width=45 * right[kind][night - 1], height=2),
                  Path(f"{kind} half", left + 22.5, 3.5, "soft", points=[(0, 0), (0, 3)], dash="3 3"),
                  Text(f"{kind} 50%", left + 22.5, 0, "soft", words="50%")]
        marks += [Text("Noor", 2, 59.5, "secret", words="Noor's night", anchor="start")] * (kind == "fresh")
        for one, value in enumerate(seen):
            x, y, color = left + 1 + one % 16 * 2.8, 56 - one // 16 * 2.5, "central" if value > 0 else "soft"
            marks.append(Dot(f"{kind} play {one + 1}", x, y, color, value <= 0, size=1))
    return marks, (
        f"Night {night}: Noor's rating adds {shift:.2g}, the noise has std {noisy:.2g}, fresh or kept. Guesses by all "
        f"plays so far are right in {best['fresh']} of {runs:,} runs with fresh noise, in {best['kept']} with kept.")


def scene(release: Kinds, right: Kinds, std: Kinds, stops: Sequence[int], title: str) -> MovingScene:
    """Draw the nights at which the scene stops."""
    return MovingScene(
        partial(night_by_night, release=release, right=right, std=std), {"night": list(stops)}, {"night": stops[-1]},
        size=(100, 84), play="night", pace=1000, title=title,
        alt="Side by side for fresh and for kept noise: each night's noise as boxes over the nights, all plays so far, and how "
        "often Eve guesses Noor's rating from them: in the end nearly always with fresh noise, seldom with kept.")
