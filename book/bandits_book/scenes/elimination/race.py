"""Regret of five learners against rounds, moved by epsilon and the gap."""

import numpy as np

import bandits_dp as bdp
from bandits_book.plots import MovingFigure, Series, moving_figure

USERS = 10**8
RIVALS = {"LDP-AE": "local", "SDP-AE": "#aa3377", "VB-SDP-AE": "shuffle", "DP-SE": "central", "AE": "none"}


def race() -> MovingFigure:
    """Show who can afford which privacy: one good arm of ten, nine that are worse by the gap."""

    def lines(epsilon: float, gap: float) -> tuple[list[Series], str]:
        arms = bdp.problems.BernoulliArms([0.5 - gap / 2] * 9 + [0.5 + gap / 2])
        drawn, ends = [], []
        for name, color in RIVALS.items():
            options = {"batch_size": "doubling"} if name in ("LDP-AE", "AE") else {}
            learner = bdp.make(name, arms, horizon=USERS, epsilon=epsilon, delta=None if name == "DP-SE" else 1e-6, **options)
            result = bdp.simulate(learner, arms, USERS, runs=2, seed=3, progress=False)
            marks = np.unique(np.searchsorted(result.rounds, np.geomspace(300, USERS, 22)))
            drawn.append(Series(name, result.rounds[marks], result.mean[marks], color=color))
            ends.append(f"{name} {result.mean[-1]:,.0f}")
        drawn.append(Series("random play", [300, USERS], [300 * 0.9 * gap, USERS * 0.9 * gap], color="#8a8a8a"))
        return drawn, "After 10⁸ users: " + ", ".join(ends) + " (certified, mean of 2 runs)."

    return moving_figure(
        lines, {"epsilon": [0.02, 0.05, 0.1, 0.2, 0.5], "gap": [0.02, 0.05, 0.1, 0.3]}, {"epsilon": 0.2, "gap": 0.1},
        title="Regret by trust, privacy and gap", x_label="round (users so far)", y_label="regret (lost rewards)",
        x_scale="log", y_scale="log",
        labels={"epsilon": "ε (privacy)", "gap": "gap of the bad arms"},
        alt="Regret against rounds on log axes for local, two shuffle learners, central and no privacy. All rise together "
        "with random play and level off one after the other, the local one last.",
    )
