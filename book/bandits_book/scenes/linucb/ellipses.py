"""Ellipses of plausible parameters under four trust models, which shrink as users come."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandits_book.plots import Bar, Dot, MovingScene, Path, Text

LOW, HIGH = (-1.05, -1.05), (2.2, 1.25)  # the part of the plane that is shown
TURN = np.linspace(0, 2 * np.pi, 73)
CIRCLE = np.c_[np.cos(TURN), np.sin(TURN)]
WHOM = {"none": "everybody", "central": "the server", "shuffle": "a shuffler", "local": "nobody"}


def place(points: ArrayLike) -> Any:
    """Return points of the plane in units of the scene, cut at the frame."""
    return 30 * np.add(np.clip(points, LOW, HIGH), (1.1, 1.95))


def edge(model: Any) -> Any:
    """Return the edge of a model's ellipse."""
    return place(model.theta + model.beta * CIRCLE @ np.linalg.cholesky(model.inverse).T)


def reach(model: Any) -> float:
    """Return half the length of a model's ellipse."""
    return float(model.beta * np.sqrt(np.linalg.eigvalsh(model.inverse)[1]))


def legend(trust: str, first: int) -> list[Any]:
    """Return the marks that say what the others mean."""
    words = ((6, 21, "θ*"), (19, 21, "estimate"), (47, 21, "exercise"), (74, 21, "picked"),
             (11, 16, f"{first} users" + ": off the frame" * (trust != "none")), (70.5, 16, "known before"))
    return [
        Dot("key theta", 3, 22.5), Dot("key estimate", 16, 22.5, trust, size=1.6, hollow=True),
        Path("key arm", points=[(40, 22.5), (45, 22.5)], color="soft", faint=True),
        Path("key picked", points=[(67, 22.5), (72, 22.5)]),
        Path("key first", 2, 17.5, trust, points=[(0, 0), (7, 0)], dash="6 4"),
        Path("key circle", 64, 17.5, "soft", points=[(0, 0), (5, 0)], dash="2 4"),
        *(Text(f"word {word}", x, y, words=word, anchor="start") for x, y, word in words)]


def shrinking(beliefs: Mapping[tuple[str, int], Any], theta: NDArray[np.float64], tonight: NDArray[np.float64], batch: int,
              stops: Sequence[int], start: Mapping[str, Any], title: str) -> MovingScene:
    """Draw the ellipses of `beliefs`, by trust model and users so far, and what each makes of one user's ten exercises."""

    def belief(users: int, trust: str) -> tuple[list[Any], str]:
        model = beliefs[trust, users]
        arm = int(model.choose(tonight[None])[0])
        letter, helps = "ABCDEFGHIJ"[arm], tonight @ theta
        marks: list[Any] = [
            Path("inside", points=edge(model), color=trust, filled=True, faint=True),
            Path("at first", points=edge(beliefs[trust, stops[0]]), color=trust, dash="6 4"),
            *[Path(f"edge {other}", points=edge(beliefs[other, users]), color=other) for other in WHOM],
            Bar("frame", 1.5, 27, "soft", True, 97.5, 69, True), Path("circle", points=place(CIRCLE), color="soft", dash="2 4")]
        marks += [Path(f"arm {i}", points=place([(0, 0), phi]), color="soft", faint=True) for i, phi in enumerate(tonight)]
        marks += [Text("half", 2, 11, "soft", words="plausible values of what people like; half length:", anchor="start")]
        marks += [Text(f"half {other}", 2 + 47 * (row % 2), 6 - 5 * (row // 2), other, anchor="start", bold=True,
                       words=f"trust {word} {reach(beliefs[other, users]):.2f}") for row, (other, word) in enumerate(WHOM.items())]
        (x, y), (x_estimate, y_estimate), (x_theta, y_theta) = map(place, (1.1 * tonight[arm], model.theta, theta))
        marks += [Path("picked", points=place([(0, 0), tonight[arm]])), Text("letter", x, y - 1.3, words=letter, bold=True),
                  Dot("estimate", x_estimate, y_estimate, trust, size=1.6, hollow=True), Dot("theta", x_theta, y_theta)]
        noise = 0 if trust == "none" else model.radius.matrix_std[users // batch]
        shape = f"noise {noise:.1f}, radius {model.beta:.1f}, half the ellipse's length {reach(model):.2f}"
        told = f"LinUCB picks {letter}, which helps {helps[arm]:.0%} (best: {helps.max():.0%})"
        return [*marks, *legend(trust, stops[0])], f"{users:,} users: {shape}. {told}."

    return MovingScene(
        belief, {"users": list(stops), "trust": list(WHOM)}, start,
        play="users", size=(100, 97), title=title,
        alt="Four ellipses of plausible theta, one per trust model, with the true theta inside, shrink as users come. At the "
            "end that without privacy is smallest, then central, shuffle, and local noise has the largest.")
