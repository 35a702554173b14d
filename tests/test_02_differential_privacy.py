"""The theorem boxes of chapter 2, each by an exact computation that a wrong constant would fail."""

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import integrate, stats

from bandits_dp import accounting as acc
from tests.chapters import defined

Law = NDArray[np.float64]
ROUNDING = 1e-12


def hockey_stick(p: Law, q: Law, epsilon: float) -> float:
    """Smallest delta for two laws on the same finite set, in both directions."""
    factor = math.exp(epsilon)
    return float(max(np.maximum(p - factor * q, 0).sum(), np.maximum(q - factor * p, 0).sum()))


def leaky_response(epsilon: float, delta: float) -> tuple[Law, Law]:
    """Randomized response that gives the answer away with probability delta: the worst (epsilon, delta) mechanism."""
    lie = (1 - delta) / (1 + math.exp(epsilon))
    truth = 1 - delta - lie
    return np.array([delta, truth, lie, 0.0]), np.array([0.0, lie, truth, delta])


# ---- What a promise means to a guesser
def test_guessing_bound() -> None:
    rng = np.random.default_rng(21)
    guesses = np.array(list(itertools.product([0.0, 1.0], repeat=6)))  # every way to say 1 on six outcomes
    for epsilon in (0.1, 1.0, 3.0):
        for _ in range(50):
            p, q = rng.dirichlet(np.full(6, 0.5), size=2)
            delta = hockey_stick(p, q, epsilon)
            false_alarm, miss = guesses @ p, 1 - guesses @ q
            worst = np.minimum(false_alarm + math.exp(epsilon) * miss, miss + math.exp(epsilon) * false_alarm).min()
            assert worst == pytest.approx(1 - delta, abs=1e-9)  # the inequalities hold, and for no smaller delta
            success = 1 - (false_alarm + miss).min() / 2
            assert success <= (math.exp(epsilon) + delta) / (math.exp(epsilon) + 1) + ROUNDING
        for delta in (0.0, 0.05, 0.3):
            p, q = leaky_response(epsilon, delta)
            assert hockey_stick(p, q, epsilon) == pytest.approx(delta, abs=1e-12)
            best = (1 + np.abs(p - q).sum() / 2) / 2
            assert best == pytest.approx((math.exp(epsilon) + delta) / (math.exp(epsilon) + 1))  # nobody can do better


# ---- Laplace
@pytest.mark.parametrize("dimension", [1, 2, 5])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_laplace_is_pure(dimension: int, epsilon: float) -> None:
    rng = np.random.default_rng(22)
    for sensitivity in (0.5, 1.0, 3.0):
        noise = stats.laplace(scale=acc.laplace_scale(epsilon, 0.0, sensitivity))
        shifts = rng.dirichlet(np.ones(dimension), size=200) * rng.choice([-1, 1], size=(200, dimension)) * sensitivity
        outputs = np.concatenate([rng.laplace(size=(200, dimension)) * 3 * sensitivity, -5 * shifts])
        losses = (noise.logpdf(outputs[:, None]) - noise.logpdf(outputs[:, None] - shifts)).sum(axis=-1)
        assert np.abs(losses).max() == pytest.approx(epsilon)  # never more, and reached


@pytest.mark.parametrize("epsilon", [0.05, 0.5, 1.0, 3.0])
@pytest.mark.parametrize("scale", [0.2, 0.7, 1.0, 4.0])
@pytest.mark.parametrize("shift", [0.3, 1.0])
def test_laplace_profile(epsilon: float, scale: float, shift: float) -> None:
    noise = stats.laplace(scale=scale)
    edge = (shift - epsilon * scale) / 2

    def gain(y: float) -> float:
        return max(noise.pdf(y) - math.exp(epsilon) * noise.pdf(y - shift), 0.0)

    knots = sorted({-40 * scale, 0.0, edge, shift, shift + 40 * scale})
    pieces = [integrate.quad(gain, low, high, epsabs=1e-13)[0] for low, high in itertools.pairwise(knots)]
    assert acc.laplace_delta(scale, epsilon, shift) == pytest.approx(sum(pieces), abs=1e-9)
    assert acc.laplace_delta(scale, epsilon, 1.0) >= acc.laplace_delta(scale, epsilon, shift)


# ---- Gaussian


def test_gaussian_profile_of_vectors() -> None:
    grid = np.linspace(-9, 9, 601)
    x, y = np.meshgrid(grid, grid)
    cell = (grid[1] - grid[0]) ** 2
    for move in ([0.6, 0.8], [1.0, 0.0], [-0.5, 0.5]):
        here, there = (stats.norm.pdf(x - at * move[0]) * stats.norm.pdf(y - at * move[1]) for at in (0, 1))
        delta = np.maximum(there - math.exp(0.5) * here, 0).sum() * cell
        assert delta == pytest.approx(acc.gaussian_delta(1.0, 0.5, math.hypot(*move)), abs=2e-4)


# ---- What survives
def test_post_processing() -> None:
    rng = np.random.default_rng(23)
    for epsilon in (0.1, 1.0, 2.0):
        for _ in range(200):
            p, q = rng.dirichlet(np.full(6, 0.5), size=2)
            kernel = rng.dirichlet(np.full(4, 0.3), size=6)  # a random map to four outcomes
            assert hockey_stick(p @ kernel, q @ kernel, epsilon) <= hockey_stick(p, q, epsilon) + ROUNDING
            weights = rng.random(6)
            factor = math.exp(epsilon)
            assert weights @ p <= factor * weights @ q + hockey_stick(p, q, epsilon) + ROUNDING
        p, q = leaky_response(epsilon, 0.1)
        revealed = hockey_stick(p[[0, 3]], q[[0, 3]], epsilon)  # looking at the data again is not post-processing
        assert revealed == pytest.approx(0.1)


# ---- What adds up
def test_basic_composition_also_when_adaptive() -> None:
    rng = np.random.default_rng(24)
    for epsilon1, epsilon2 in itertools.product((0.1, 0.7, 2.0), repeat=2):
        for _ in range(60):
            p1, q1 = rng.dirichlet(np.ones(4), size=2)
            p2, q2 = rng.dirichlet(np.ones(5), size=(2, 4))  # the second mechanism depends on the first answer
            delta1 = hockey_stick(p1, q1, epsilon1)
            delta2 = max(hockey_stick(p, q, epsilon2) for p, q in zip(p2, q2, strict=True))
            both = hockey_stick((p1[:, None] * p2).ravel(), (q1[:, None] * q2).ravel(), epsilon1 + epsilon2)
            assert both <= delta1 + delta2 + ROUNDING
    # Randomized response needs the whole sum: for anything less, a positive delta remains.
    p, q = leaky_response(0.5, 0.0)
    total, _ = acc.basic_composition(0.5, 0.0, 2)
    pair = np.outer(p, p).ravel(), np.outer(q, q).ravel()
    assert hockey_stick(*pair, total) == pytest.approx(0, abs=1e-12)
    assert hockey_stick(*pair, total - 0.01) > 1e-4


@pytest.mark.parametrize(
    ("second", "exact"), [(lambda y: 1.0 + 0 * y, True), (np.sign, True), (lambda y: (y > 0) * 1.0, False), (np.tanh, False)],
)
def test_gaussian_composition_also_when_adaptive(second: Callable[[Law], Law], exact: bool) -> None:
    stds, epsilon = (1.0, 1.5), 0.8
    delta = acc.gaussian_delta(acc.gaussian_composition(stds, [1.0, 1.0]), epsilon, 1.0)
    y1, y2 = np.meshgrid(np.linspace(-9, 10, 1201), np.linspace(-13, 14, 1201), indexing="ij")
    cell = (y1[1, 0] - y1[0, 0]) * (y2[0, 1] - y2[0, 0])
    # The second query moves by second(y1), at most 1, when the user is replaced.
    p = stats.norm.pdf(y1, 0, stds[0]) * stats.norm.pdf(y2, 0, stds[1])
    q = stats.norm.pdf(y1, 1, stds[0]) * stats.norm.pdf(y2, second(y1), stds[1])
    truth = hockey_stick(p.ravel() * cell, q.ravel() * cell, epsilon)
    assert truth <= delta + 2e-4
    if exact:
        assert truth == pytest.approx(delta, abs=2e-4)


# ---- Parallel composition: users 0 and 1 first; what they say decides who is next and what those are asked

TRIALS = 6  # noise bits of every released count


def noisy_count(ones: int) -> Law:
    law = np.zeros(TRIALS + 3)
    law[ones : ones + TRIALS + 1] = stats.binom.pmf(np.arange(TRIALS + 1), TRIALS, 0.5)
    return law


def transcript(answers: tuple[tuple[int, int], ...], reuse: bool) -> Law:
    """Law of both releases; `answers[i]` is what user i would say to exercise 0 and to exercise 1."""
    first = noisy_count(answers[0][0] + answers[1][0])
    rows = []
    for seen, chance in enumerate(first):
        if seen > TRIALS // 2:
            second = noisy_count(answers[2][1] + answers[3][1])
        else:
            second = noisy_count(answers[0][0] if reuse else answers[2][0])
        rows.append(chance * second)
    return np.concatenate(rows)


def worst_delta(epsilon: float, reuse: bool) -> float:
    one_user = list(itertools.product([0, 1], repeat=2))
    laws = {data: transcript(data, reuse) for data in itertools.product(one_user, repeat=4)}
    return max(
        hockey_stick(law, laws[(*data[:user], other, *data[user + 1 :])], epsilon)
        for data, law in laws.items()
        for user in range(4)
        for other in one_user
    )


@pytest.mark.parametrize("epsilon", [0.3, 1.0])
def test_parallel_composition_also_when_adaptive(epsilon: float) -> None:
    single = acc.binomial_delta(TRIALS, epsilon, 1)
    assert worst_delta(epsilon, reuse=False) == pytest.approx(single, abs=1e-12)  # two batches cost as much as one
    assert worst_delta(epsilon, reuse=True) > single + 0.01  # somebody in two batches pays twice


# ---- What the chapter builds


def test_the_chapters_own_least_noise_is_the_packages() -> None:
    names = defined("02_differential_privacy", "gaussian-numpy", norm=stats.norm, spread=1.0, eps=1.0)
    delta_of, least = names["delta_of_gaussian"], names["least"]
    for epsilon, delta in itertools.product((0.01, 0.5, 1.0, 8.0, 100.0), (1e-12, 1e-5, 0.1)):
        std = least(lambda std, eps=epsilon: delta_of(std, eps), delta)
        assert std == pytest.approx(acc.gaussian_noise_std(epsilon, delta, 1.0), rel=1e-6)
        assert least(lambda eps, std=std: delta_of(std, eps), delta) == pytest.approx(epsilon, rel=1e-6)
    assert 0 < delta_of(0.01, 5100.0) < delta_of(0.01, 4900.0) < 1  # far beyond where e^epsilon is a float
    assert least(lambda std: delta_of(std, 1.0), 0.0) == math.inf
