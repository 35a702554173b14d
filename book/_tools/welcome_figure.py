"""Write the moving figure of the welcome page: its scripts in one, and the noise that the package calibrates."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
from jinja2 import Template

import bandits_dp as bdp
from checkout import NOTEBOOKS

EPSILONS = (0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3)
USERS = (32, 64)  # on one exercise a night: half of the people, or all of them
DELTA = 1e-6
NIGHTS, WORLDS = 60, 2000  # of the mean lines
RATES = (0.7, 0.5)  # as in model.js
SEED = 190  # of the first 300 the one whose lines at epsilon = 1 are nearest to the means, in squares, over all nights
PARTS = Path(__file__).parent.parent / "_figure"
OUTCOMES = ("confirmed", "confirmed, loose", "confirmed with other constants", "open", "not reproduced by our reading", "refuted",
            "not testable")
TRUSTS = ("everybody", "server", "shuffler", "nobody")
SCRIPTS = ("model", "panels", "stage", "start")


def noise_bits(users: int, epsilon: float) -> tuple[int, float]:
    """Return how many pairs of noise bits a user adds in the certified M_sum, and the chance p of the rare one."""
    bits = bdp.privatizers.BinarySum(users, epsilon=epsilon, delta=DELTA).noise_bits
    assert bits.rare == bits.common
    return bits.rare, bits.p


def mean_lost(trust: str, epsilon: float) -> list[float]:
    """Return the mean of the nights lost before each night, over many worlds in which model.js's learners play.

    Your own answer is always yes, as on the page before you change it.
    """
    rng, few, all_of_them = np.random.default_rng(1), *USERS
    q, share = 1 / (1 + np.exp(-epsilon)), np.exp(-epsilon)

    def sums(users: int, rate: float, yours: int) -> tuple[np.ndarray, float]:
        """Return one night's released sums about one exercise, and the variance of their noise."""
        ones = yours + rng.binomial(users - yours, rate, WORLDS)
        if trust == "server":
            return ones + rng.geometric(1 - share, WORLDS) - rng.geometric(1 - share, WORLDS), 2 * share / (1 - share) ** 2
        if trust == "shuffler":
            pairs, p = noise_bits(users, epsilon)
            noise = rng.binomial(users * pairs, p, WORLDS) - rng.binomial(users * pairs, p, WORLDS)
            return ones + noise, 2 * users * pairs * p * (1 - p)
        if trust == "nobody":
            told = rng.binomial(ones, q) + rng.binomial(users - ones, 1 - q)
            return (told - users * (1 - q)) / (2 * q - 1), users / (4 * np.sinh(epsilon / 2) ** 2)
        return ones, 0.0

    total, lost, means = np.zeros((2, WORLDS)), np.zeros(WORLDS), [0.0]
    left = np.full(WORLDS, -1)  # the exercise that is left, or -1 while both are
    for night in range(1, NIGHTS + 1):
        for arm, rate in enumerate(RATES):
            known, variance = sums(few, rate, 1 - arm)
            total[arm] += known
        users = few * night
        width = 4 * np.sqrt(0.25 * users + night * variance) / users
        apart = (left < 0) & (np.abs(total[0] - total[1]) / users > width)
        lost += np.select([left < 0, left == 1], [few, all_of_them], 0) * (RATES[0] - RATES[1])
        left[apart] = (total[1] > total[0])[apart]
        means.append(round(float(lost.mean()), 1))
    return means


def table() -> dict[str, object]:
    bits = {epsilon: {users: noise_bits(users, epsilon) for users in USERS} for epsilon in EPSILONS}
    means = {epsilon: {trust: mean_lost(trust, epsilon) for trust in TRUSTS} for epsilon in EPSILONS}
    return {"seed": SEED, "delta": DELTA, "epsilons": EPSILONS, "bits": bits, "means": means}


def html() -> str:
    """Return the figure as one piece of HTML that loads nothing."""
    script = "\n".join((PARTS / f"{name}.js").read_text("utf-8") for name in SCRIPTS)
    return (
        f"<style>\n{(PARTS / 'figure.css').read_text('utf-8')}</style>\n{(PARTS / 'figure.html').read_text('utf-8')}"
        f'<script type="application/json" id="lull-table">{json.dumps(table())}</script>\n'
        f'<script>\n(function () {{\n"use strict";\n{script}}}());\n</script>\n'
    )


STILL = re.compile(r'class="bdp-figure bdp-scene .*?class="bdp-still" (alt="[^"]*" src="[^"]*")', re.DOTALL)


def chapter(path: Path) -> dict[str, Any]:
    """Return a chapter's number and title, its page, and the still picture of its first scene."""
    notebook = nbformat.read(path, 4)
    pages = ("".join(output.get("data", {}).get("text/html", "")) for cell in notebook.cells for output in cell.get("outputs", []))
    return {"number": int(path.stem[:2]), "title": notebook.cells[0].source.removeprefix("# ").partition(": ")[0],
            "page": f"{path.stem}.html", "picture": next(found[1] for page in pages if (found := STILL.search(page)))}


def below() -> str:
    """Return what stands below the figure: all chapters as small pictures, and the ledger's outcomes as a bar that opens it."""
    rows = json.loads((PARTS.parent / "claims.json").read_text("utf-8"))
    untested = json.loads((PARTS.parent / "not_testable.json").read_text("utf-8"))
    counted = Counter([*(row["outcome"] for row in rows), *["not testable"] * len(untested)])
    chapters = map(chapter, sorted(NOTEBOOKS.glob("[0-9]*.ipynb")))
    return Template((PARTS / "below.html").read_text("utf-8")).render(
        chapters=chapters, outcomes=[(one, counted[one], place / (len(OUTCOMES) - 1)) for place, one in enumerate(OUTCOMES)])
