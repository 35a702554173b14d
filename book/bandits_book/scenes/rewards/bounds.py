"""Bounds of the chapter on private rewards, with their constants."""

import math

import numpy as np

from bandits_dp.accounting import gaussian_noise_std
from bandits_dp.contextual.reward_radius import InstrumentRadius


def fresh_plays(n: int, claim: float = 2.0, delta: float = 0.1, share: float = 1.0) -> float:
    """Return the epsilon that Proposition 12.1 proves plays to need: Lemma 1's noise, T = 2^n, in this share of its rounds."""
    S = share * claim**2 * (2 ** (n - 1) - 2**13) / (24 * (32 * n) ** 2 * (n + 10))
    gamma = np.linspace(0, 0.99, 100)
    first = 1 - delta - np.exp(-2 * S * (1 - gamma) ** 2)
    return float((2 * S * (1 + gamma[first > 0]) ** 2 + np.log(first[first > 0])).max(initial=0))


def kept_plays(length: float, T: int, claim: float = 2.0, delta: float = 0.1) -> float:
    """Return the epsilon of the plays after rounds 1, 2, 4, ..., exactly: kept noise of the experiment's scale."""
    t = 2.0 ** np.arange((T - 1).bit_length())  # those below T
    p = q = np.ones(1)
    for right in 1 - 0.5 * np.exp(-length / (0.1 + length**2 * t) * claim * t / math.log2(T)):
        p, q = np.append(p * right, p * (1 - right)), np.append(q * (1 - right), q * right)
    tried = np.arange(0, 40, 0.01)
    return float(tried[[np.maximum(p - math.exp(e) * q, 0).sum() > delta for e in tried]].max(initial=0))


def counter_norm(T: int) -> float:
    """Return the norm of the counter's coefficients f."""
    return float(np.linalg.norm(np.cumprod(np.append(1.0, 1 - 0.5 / np.arange(1, T)))))


def regret_bound(T: int, d: int, reward_std: float, radius: InstrumentRadius, std: float, shortest: float = 1.0, c: float = 0.0,
                 start: int = 0) -> float:
    """Theorem 12.2: `std` is the counter's largest, `reward_std` half the length of the rewards' range."""
    kappa, twice = radius.regularizer(T), 2 * radius.beta(T, 0.0, 0.0)
    mu, known = std * math.sqrt(kappa), reward_std**2 / shortest
    h, log = 1 + 1 / mu, math.log1p(T / (d * mu))
    if c == 0:
        return twice * math.sqrt(h * d * T * (known * (1 + log) + 2 * std / math.sqrt(kappa)))
    late = math.sqrt(2 * std**2 + known * mu) * ((1 + start) / mu + math.log1p(c * T / mu) / c)
    return twice * (math.sqrt(h * d * T * known * log) + late)


def bound_at(T: int, d: int, reward_std: float, alpha: float = 0.1) -> float:
    """Return Theorem 12.2's bound at (2, 0.1)."""
    norm = counter_norm(T)
    least = gaussian_noise_std(2.0, 0.1, 2 * reward_std * norm)
    return regret_bound(T, d, reward_std, InstrumentRadius(d, 1, T, least, reward_std, 1.0, alpha), least * norm)


def informative(d: int, reward_std: float, share: float) -> int:
    """Return the first multiple of 1,000 rounds at which the bound is below a share of all rounds."""
    low, high = 0, 1024
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if bound_at(1000 * middle, d, reward_std) < share * 1000 * middle else (middle, high)
    return 1000 * high
