"""Amplification by shuffling: brute force, 60 digits where rounding tells, reference values, its place between other bounds."""

import math

import numpy as np
import pytest

from bandits_dp.accounting import shuffle_epsilon
from bandits_dp.accounting.shuffling import BLOCKS, ROUNDING, clones_delta
from bandits_dp.privatizers import AmplifiedGaussian, LinearStatistics
from tests.exact_delta import shuffled


def test_blocks_bound_from_above_and_hardly_lose(monkeypatch):
    """Counting a block at its smallest C can only raise delta; with a thousandth of the blocks it still rises by under 3%."""
    exact = clones_delta(1.0, 200_000, 0.011)
    monkeypatch.setattr("bandits_dp.accounting.shuffling.BLOCKS", BLOCKS // 1000)
    coarse = clones_delta(1.0, 200_000, 0.011)
    assert exact < coarse < 1.03 * exact


@pytest.mark.parametrize("delta", (1e-12, 1e-6, 0.1))
@pytest.mark.parametrize("users", (1, 20, 10**3, 10**5))
@pytest.mark.parametrize("local_epsilon", (1e-3, 0.5, 4.0, 30.0))
def test_bounds_are_ordered(local_epsilon, users, delta):
    """Numerical <= closed form <= local guarantee; the result keeps delta, and a hair less epsilon does not."""
    numerical = shuffle_epsilon(local_epsilon, users, delta)
    closed = shuffle_epsilon(local_epsilon, users, delta, bound="closed-form")
    assert numerical <= closed * (1 + 1e-7) and closed <= local_epsilon
    assert clones_delta(local_epsilon, users, numerical) <= delta
    if numerical < 0.99 * local_epsilon and numerical > 2e-9 * local_epsilon:
        assert clones_delta(local_epsilon, users, numerical * (1 - 1e-5)) > delta


def test_published_amplified_noise_promises_nothing_explicit():
    domain = LinearStatistics(5)
    with pytest.raises(ValueError, match=r"epsilon must be at most 0.387 .* with 20 users, got 1"):
        AmplifiedGaussian(20, 1.0, 0.1, "theorem", domain)
    published = 4 * math.sqrt(2 * math.log(500) * math.log(20))
    for calibration, factor in (("theorem", published), ("experiment", math.sqrt(math.log(500)))):
        noise = AmplifiedGaussian(20, 0.2, 0.1, calibration, domain)
        assert noise.unit_std == pytest.approx(factor / (0.2 * math.sqrt(20))) and not noise.guarantee.proved
    with pytest.raises(ValueError, match="domain must be linear statistics"):
        AmplifiedGaussian(20, 0.2, 0.1, "theorem")


@pytest.mark.parametrize(("local_epsilon", "users", "missing"), ((16.98731, 5, 1.8e-5), (12.2178, 33, 9e-5), (20.0, 2, 1e-9)))
def test_an_epsilon_near_the_local_one_does_not_cancel(local_epsilon, users, missing):
    """With q - e^epsilon (1 - q) taken as it stands, delta was 8e-5 of itself too small at the first point."""
    epsilon = local_epsilon - missing
    assert clones_delta(local_epsilon, users, epsilon) == pytest.approx(float(shuffled(users, local_epsilon, epsilon)), rel=1e-12)


def test_the_rarest_outcomes_are_not_given_up():
    """What is too unlikely to be summed is charged to delta in full, and so must be rarer than any delta that is asked for."""
    true = float(shuffled(800, 1.0, 0.5))
    assert 1e-24 < true < 1e-21
    assert clones_delta(1.0, 800, 0.5) == pytest.approx(true, rel=1e-9, abs=0)


def test_rounding_is_within_the_room_that_is_left_for_it():
    """80 crowds up to 400, half of them with an epsilon near the local one: the sum is never below the truth by 5e-8 of it."""
    rng = np.random.default_rng(0)
    for i in range(80):
        users, local = int(10 ** rng.uniform(0.3, 2.6)), float(10 ** rng.uniform(-2.5, 1.2))
        share = 10 ** rng.uniform(-5, -0.2) if i % 2 else 1 - 10 ** rng.uniform(-6, -0.2)
        true = float(shuffled(users, local, local * share))
        assert true <= clones_delta(local, users, local * share) * (1 + 5e-8), (users, local, share)
    assert ROUNDING >= 20 * 5e-8
