"""The densities of one noisy number in two worlds that differ in one answer."""

import math
from collections.abc import Sequence

import numpy as np
from scipy.stats import norm

from bandits_book.plots import COLORS, MovingFigure, Series
from bandits_dp.accounting import gaussian_noise_std, laplace_scale

GRID = np.linspace(-6, 7, 79)  # holds both peaks, 0 and 1


def overlap(epsilons: Sequence[float], start: float, gaussian_delta: float, gaussian: str) -> MovingFigure:
    """Draw both worlds with Laplace noise, and with Gaussian noise of some delta, which the page calls `gaussian`."""

    def draw(noise: str, epsilon: float) -> tuple[list[Series], str]:
        delta = gaussian_delta if noise == gaussian else 0.0
        if delta:
            std = gaussian_noise_std(epsilon, delta, 1.0)
            apart = 2 * norm.cdf(1 / (2 * std)) - 1
            zero, one = (norm.pdf(GRID, said, std) for said in (0, 1))
        else:
            b = laplace_scale(epsilon, 0.0, 1.0)
            std, apart = math.sqrt(2) * b, 1 - math.exp(-1 / (2 * b))
            zero, one = (np.exp(-abs(GRID - said) / b) / (2 * b) for said in (0, 1))
        both = np.minimum(zero, one)
        note = (f"Noise std {std:.2f}. The best guess from a fair coin is right {(1 + apart) / 2:.1%} of the time; "
                f"ε = {epsilon:g} allows {(math.exp(epsilon) + delta) / (math.exp(epsilon) + 1):.1%}.")
        return [Series("Noor said 0", GRID, zero, color=COLORS[0]), Series("Noor said 1", GRID, one, color=COLORS[1]),
                Series("overlap", GRID, both, low=0 * GRID, high=both, color="#5a5a5a")], note

    return MovingFigure(
        draw, {"noise": ["Laplace", gaussian], "epsilon": epsilons}, {"noise": "Laplace", "epsilon": start},
        title="Two worlds, one output", x_label="noisy sum minus the others' answers", y_label="density",
        x_range=(-6, 7), y_range="each", labels={"epsilon": "ε (privacy)"},
        alt="Densities of the released sum if Noor said 0 and if she said 1, one shifted by one against the other. "
            "With small epsilon they almost coincide; with large epsilon they are two separate peaks.")
