"""Forty answers on their way past the wall of each trust model."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandits_book.plots import Bar, Dot, Ground, Icon, MovingScene, Path, Text
from bandits_dp.privatizers import BinarySum, CentralLaplace, RandomizedResponse

STEPS = {"answer": "Forty people have answered", "randomize": "Every phone has made its message",
         "send": "The messages have left the phones", "mix": "Only a shuffler mixes messages",
         "count": "The server counts", "publish": "The count is public"}
MODELS: dict[str, tuple[Callable[..., Any], int, int]] = {  # maker, place of the wall, step that passes it
    "central": (CentralLaplace, 74, 5), "shuffle": (partial(BinarySum, delta=1e-6), 48, 4), "local": (RandomizedResponse, 23, 2)}


def walls(answers: NDArray[np.int_]) -> MovingScene:
    """Follow forty answers from the phones past the wall of each trust model; Noor's is the first."""
    assert len(answers) == 40, "This picture shows forty answers."
    turn = np.arange(120) * 2.4 - np.pi / 2  # Noor at the bottom of the shuffler
    drum = np.sqrt(119.5 - np.arange(120))[:, None] * np.c_[np.cos(turn), np.sin(turn)]

    def journey(step: str, model: str) -> tuple[list[Bar | Dot | Ground | Icon | Path | Text], str]:
        maker, wall, passed = MODELS[model]
        system, rng, now = maker(40, epsilon=1.0), np.random.default_rng(6), list(STEPS).index(step)
        sent = system.randomize(answers, rng)
        order = system.shuffle(np.arange(sent.size), rng)  # which message stands where
        count = system.analyze(sent.ravel()[order].reshape(sent.shape), rng)[0]
        assert count == system.release(answers, np.random.default_rng(6), "messages")[0]
        told = {"central": f"one number, {count:.1f}", "local": f"that Noor sent {sent[0, 0]:.0f}",
                "shuffle": f"{sent.sum():.0f} ones in {sent.size} bits"}
        sees = "Eve sees " + (told[model] if now >= passed else "nothing yet")
        marks: list[Bar | Dot | Ground | Icon | Path | Text] = [
            Ground("trusted side", -20, 14.7, model, width=wall + 20, height=80),
            Ground("open side", wall, 14.7, "soft", width=120 - wall, height=80),
            Bar("wall", wall, 14.7, model, width=1, height=52),
            Text("trusted", wall - 2, 58.5, model, words="trusted", anchor="end", bold=True),
            Icon("eye", wall + 5.5, 59.5, size=2.2, name="eye"),
            Text("Eve", wall + 10.5, 58.5, words="Eve", anchor="start", bold=True),
            *[Bar(f"{key} {color}", x, y, color, width=wide, height=high, hollow=color == "soft")
              for color in ("paper", "soft")
              for key, x, y, wide, high in (("server", 52, 16.8, 21.4, 34), ("board", 80, 28, 18, 11))],
            Path("axis", 5, 6.5, "soft", points=[(0, 0), (90, 0)]),  # 10 to 40 people
            Path("truth", 5 + 3 * (answers.sum() - 10), 4, "secret", points=[(0, 0), (0, 5)])]
        marks += [Icon("shuffler", 35, 33, model, size=11.6, name="shuffler")] * (model == "shuffle")
        marks += [Text(f"words {i}", x, y, color, words=words, bold=y == 10.4) for i, (words, x, y, color) in
                  enumerate([("phones", 11, 53, "soft"), ("server", 62, 53, "soft"), (sees, 50, 10.4, "ink"),
                             ("public", 89, 41, "soft"), (f"truth {answers.sum()}", 50, 0.5, "secret"),
                             ("10", 5, 0.5, "soft"), ("40", 95, 0.5, "soft")])]
        marks += [Text("middle", 35, 53, "soft", words="shuffler")] * (model == "shuffle")
        marks += [Icon(f"phone {user}", 2 + 4.4 * (user % 5), 20.4 + 4 * (user // 5),
                       "soft" if user else "ink", size=1.8) for user in range(40)]
        name = []
        wide, down = (10, 2.6) if model == "shuffle" else (5, 4)  # dots in a row, and rows apart
        for (user, part), bit in np.ndenumerate(sent if now else answers[:, None]):
            x, y = 2 + 4.4 * (user % 5) + 1.5 * (part > 0), 20.4 + 4 * (user // 5) + (0, 0.9, -0.9)[part]
            if now > 1:
                place = user * sent.shape[1] + part
                place = place if now == 2 else np.argsort(order)[place]
                x, y = (28, 53.7)[now > 3] + 20 / wide * (place % wide), 20.4 + down * (place // wide)
                if model == "shuffle" and now < 4:
                    x, y = drum[place] * 0.9 + (35, 33)
            color, nameless = model if x > wall else "secret", model == "shuffle" and now > 2
            size = 0.8 if nameless else 0.55 if part else 1
            marks.append(Dot(f"{user} {part}", x, y, color, size=size, hollow=not bit))
            if user + part == 0 and not nameless:
                right, up = (-2.4, -1.2) if now > 3 else (-3, -7) if model == "shuffle" and now > 1 else (-1, -5)
                name = [Text("Noor", x + right, y + up, words="Noor", bold=True, anchor="end" if now > 3 else "start")]
        if now == 5:
            sees += f". About {sent.sum() - count:.0f} ones are noise" if model == "shuffle" else ""
            sees += f". The estimate is {count:.1f} ± {system.noise_std:.1f}, the truth {answers.sum()}"
            x, std = 5 + 3 * (count - 10), 3 * system.noise_std
            marks += [Path("std", x, 6.5, model, points=[(-std, 0), (std, 0)]),
                      Dot("sum", x, 6.5, model, size=1.4),
                      Text("number", 89, 32, model, words=f"{count:.1f}", bold=True)]
        return [*marks, *name], f"{STEPS[step]}. {sees}."

    return MovingScene(
        journey, {"step": list(STEPS), "model": list(MODELS)}, {"step": "publish", "model": "shuffle"},
        size=(100, 64), title="One count, one of three walls: Eve sees a number, a mixed pile, or every report",
        play="step", pace=1200,
        alt="Forty answers leave their phones and pass a wall that stands where trust ends. Beyond it "
            "Eve sees one number, a shuffled pile of bits, or every report with its sender.")
