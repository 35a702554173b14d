"""What many private nights cost together, by four rules."""

import math
from collections.abc import Callable, Sequence

from scipy.optimize import brentq

from bandits_book.plots import MovingFigure, Series
from bandits_dp.accounting import gaussian_delta

Rule = Callable[[float, int, float], float]  # the total epsilon of M nights of an epsilon, with some slack in delta
NIGHTS = (1, 2, 4, 8, 16, 32, 52, 104, 208, 416, 832)


def epsilon_of(rho: float, delta: float) -> float:
    """Return the epsilon of a Gaussian release that a user moves by rho standard deviations."""
    def excess(eps: float) -> float:
        return gaussian_delta(1 / rho, eps, 1.0) - delta
    return float(brentq(excess, 1e-9, 50 + rho**2)) if excess(1e-9) > 0 else 0.0


def best_split(rule: Rule, rho: float, M: int, delta: float, shares: Sequence[float] = (0.2, 0.5, 0.8, 0.95, 0.99)) -> float:
    """Return the least total of a rule, over shares of delta: 1 - delta = (1 - delta_B)^M (1 - slack)."""
    def part(share: float) -> float:
        return -math.expm1(share * math.log1p(-delta))
    return min(rule(epsilon_of(rho, part(share / M)), M, part(1 - share)) for share in shares)


def curves(nightly_epsilon: float, delta: float, advanced: Rule, optimal: Rule) -> tuple[list[Series], str]:
    """Return the four rules' curves over the number of nights, and a note."""
    rho = brentq(lambda r: epsilon_of(r, delta) - nightly_epsilon, 1e-6, 10)
    rows = {
        "optimal for pairs": [best_split(optimal, rho, M, delta, (0.2, 0.5, 0.8, 0.95, 1)) for M in NIGHTS],
        "add up": [M * epsilon_of(rho, delta / M) for M in NIGHTS],
        "advanced": [best_split(advanced, rho, M, delta) for M in NIGHTS],
        "exact": [epsilon_of(rho * math.sqrt(M), delta) for M in NIGHTS],
    }
    lines = [Series(name, list(NIGHTS), [max(y, 1e-3) for y in ys]) for name, ys in rows.items()]
    words = ", ".join(f"{name} {ys[6]:,.0f}" if ys[6] >= 100 else f"{name} {ys[6]:.3g}" for name, ys in rows.items())
    return lines, f"ε after {NIGHTS[6]} nights: {words}."


def coming_back(advanced: Rule, optimal: Rule, epsilons: Sequence[float], deltas: Sequence[float]) -> MovingFigure:
    """Draw the four rules; two of them are the chapter's."""
    def at(nightly_epsilon: float, delta: float) -> tuple[list[Series], str]:
        return curves(nightly_epsilon, delta, advanced, optimal)

    return MovingFigure(
        at, {"nightly_epsilon": list(epsilons), "delta": list(deltas)},
        start={"nightly_epsilon": 1.0, "delta": 0.1}, title="What coming back costs", x_label="nights M",
        y_label="ε of all nights", x_scale="log", y_scale="log", y_range="each",
        labels={"nightly_epsilon": "ε of one night", "delta": "δ of all nights"},
        alt="Total epsilon against the number of nights on log axes, four rules. The exact curve is lowest, the optimal "
            "one for pairs next; advanced composition and adding up lie above it.")
