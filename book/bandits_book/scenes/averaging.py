"""How often the average of noisy looks at one answer misleads Eve, exactly."""

import math

from scipy.integrate import quad
from scipy.optimize import brentq


def chance_wrong(looks: float, scale: float) -> float:
    """Return the chance that so many Laplace draws sum to more than looks / 2, from their characteristic function."""
    def wave(t: float) -> float:
        return math.sin(t * looks / 2) / t * (1 + (scale * t) ** 2) ** -looks

    return float(0.5 - quad(wave, 0, 12 / (scale * math.sqrt(looks)), limit=200)[0] / math.pi)


def looks_needed(scale: float, wrong: float) -> int:
    """Return how many looks, at least three, leave Eve wrong with that chance or less."""
    return math.ceil(brentq(lambda looks: chance_wrong(looks, scale) - wrong, 3, 10_000))
