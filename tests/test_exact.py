"""Exact samplers of discrete noise: their laws, and those of an independent implementation."""

import math

import numpy as np
import pytest
from scipy import stats

from bandits_dp.privatizers.exact import Coins

DRAWS = 40_000


@pytest.mark.parametrize("scale", [1, 2, 5])
@pytest.mark.parametrize("law", ["laplace", "gaussian"])
def test_draws_have_the_discrete_law(law: str, scale: int) -> None:
    """Chi-square over the whole numbers; false alarms at 1e-7 each."""
    coins = Coins(np.random.default_rng(scale))
    drawn = np.array([getattr(coins, law)(scale) for _ in range(DRAWS)])
    x = np.arange(-60, 61)
    weights = np.exp(-np.abs(x) / scale) if law == "laplace" else np.exp(-(x**2) / (2 * scale**2))
    expected = DRAWS * weights / weights.sum()
    seen = (drawn[:, None] == x).sum(axis=0)
    assert seen.sum() == DRAWS
    often = expected > 20
    observed, wanted = (np.append(a[often], a[~often].sum()) for a in (seen, expected))
    assert stats.chisquare(observed, wanted).pvalue > 1e-7


@pytest.mark.parametrize(("p", "q"), [(0, 1), (1, 3), (1, 1), (7, 2)])
def test_a_coin_falls_with_an_exponential_probability(p: int, q: int) -> None:
    """Binomial test, two-sided; false alarms at 1e-7."""
    coins = Coins(np.random.default_rng(p + q))
    heads = sum(coins.exp(p, q) for _ in range(DRAWS))
    assert stats.binomtest(heads, DRAWS, math.exp(-p / q)).pvalue > 1e-7


def test_numbers_longer_than_a_word_are_uniform() -> None:
    """Kolmogorov and Smirnov, two-sided; false alarms at 1e-7."""
    coins, n = Coins(np.random.default_rng(1)), 10**40
    assert stats.kstest([coins.below(n) / n for _ in range(DRAWS)], "uniform").pvalue > 1e-7
