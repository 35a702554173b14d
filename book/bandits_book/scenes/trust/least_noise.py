"""The least noise of single bits and of pairs, by exact divergence."""

import math

from scipy.optimize import brentq

from bandits_dp.accounting import gaussian_noise_std
from bandits_dp.privatizers.binary_sum import NoiseBits


def noise_needed(rare: int, common: int, users: int, epsilon: float, delta: float) -> float:
    """Return the std of the least noise if each user adds so many bits, by exact divergence; NaN if they cannot hide a user."""
    bits = users * (rare + common)

    def excess(std: float) -> float:
        p = 0.5 - math.sqrt(max(0.25 - std**2 / bits, 0.0))
        return math.log(max(NoiseBits(rare, common, p).delta(users, epsilon), 1e-300) / delta)

    gauss = gaussian_noise_std(epsilon, delta, 1.0)
    low, high = gauss / 3, min(3 * gauss, math.sqrt(bits) / 2)
    return float(brentq(excess, low, high)) if low < high and excess(low) > 0 >= excess(high) else math.nan
