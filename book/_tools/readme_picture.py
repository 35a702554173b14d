"""Draw the picture of the README and of the welcome page: one algorithm under three trust models.

The same code gives the same picture; a test draws it again and compares.
"""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt

import bandits_dp as bdp
from bandits_book import plots
from checkout import ROOT

PICTURE = ROOT / "book" / "_static" / "regret.svg"
LABELS = {"AE": "no privacy (AE)", "VB-SDP-AE": "shuffle, growing batches", "SDP-AE": "shuffle, equal batches", "LDP-AE": "local"}


def draw(path: Path) -> None:
    """Simulate the four learners and write the picture."""
    problem = bdp.problems.BernoulliArms([0.9] + [0.8] * 9)
    with plots.use_style():
        figure, axes = plt.subplots(figsize=(6, 4))
        for name, label in LABELS.items():
            learner = bdp.make(name, problem, horizon=10**7, epsilon=0.5, delta=1e-6)
            plots.regret(bdp.simulate(learner, problem, 10**7, runs=20), axes, label)
        axes.set_xscale("log")
        axes.set_xlim(left=1_000)
        figure.savefig(path)
    plt.close(figure)


if __name__ == "__main__":
    draw(PICTURE)
