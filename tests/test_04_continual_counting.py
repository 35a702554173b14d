"""What chapter 4 claims: one proof for all counters, the tree, the square root, joint privacy."""

import itertools
import math
from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest
from scipy.special import ndtr

from bandits_dp import continual as C
from bandits_dp.accounting import gaussian_delta, gaussian_noise_std
from tests.chapters import cells, one_way
from tests.test_continual import COUNTERS, matrices


# ---- One proof for every counter
def stream_delta(right: np.ndarray, first: float, other_first: float, second, other_second, sigma: float, epsilon: float) -> float:
    """Hockey-stick divergence of y = R x + z, two rounds, x_2 a function of y_1; exact in y_2, trapezoid rule in y_1.

    Given y_1 = u the second entries are Gaussians whose means differ by b, so the set where p > e^eps q is a half-line of y_2.
    """
    u = np.linspace(-14 * sigma, 14 * sigma, 50_001)
    scale = sigma * math.sqrt(2 * math.pi)
    density = [np.exp(-((u - right[0, 0] * x) ** 2) / (2 * sigma**2)) / scale for x in (first, other_first)]
    means = [right[1, 0] * x + right[1, 1] * value(u) for x, value in ((first, second), (other_first, other_second))]
    b = means[0] - means[1]
    # p > e^eps q  <=>  log(p_1/q_1) + (2 b (y - m_q) - b^2) / (2 sigma^2) > eps
    log_ratio = (right[0, 0] * (first - other_first)) * (2 * u - right[0, 0] * (first + other_first)) / (2 * sigma**2)
    still = np.abs(b) < 1e-12
    safe = np.where(still, 1.0, b)
    cut = ((epsilon - log_ratio) * 2 * sigma**2 + safe**2) / (2 * safe)  # of y - m_q
    p = np.where(still, log_ratio > epsilon, ndtr(np.sign(safe) * (safe - cut) / sigma))
    q = np.where(still, log_ratio > epsilon, ndtr(-np.sign(safe) * cut / sigma))
    return float(np.trapezoid(density[0] * p - math.exp(epsilon) * density[1] * q, u))


def worst_shift(right: np.ndarray, rounds: int) -> float:
    """Return the largest norm of R times the indicator of at most ``rounds`` rounds, over all sets."""
    sets = itertools.combinations(range(right.shape[1]), min(rounds, right.shape[1]))
    return max(float(np.linalg.norm(right[:, list(s)].sum(axis=1))) for s in sets)


@pytest.mark.parametrize("kind", COUNTERS)
@pytest.mark.parametrize(("sigma", "epsilon"), [(1.0, 0.5), (2.0, 1.0), (3.0, 0.1)])
def test_adaptive_streams_cost_one_gaussian_mechanism(kind: type, sigma: float, epsilon: float) -> None:
    """Two rounds where the second value reacts to the first release: exact delta against the theorem's."""
    right = matrices(kind, 2)[1]
    reactions = [lambda u: (u > 0.5) * 1.0, lambda u: (u < 0) * 1.0, lambda u: ndtr(u), lambda u: 0 * u]

    def bound(rounds: int) -> float:
        return gaussian_delta(sigma, epsilon, worst_shift(right, rounds))

    assert worst_shift(right, 1) == pytest.approx(np.linalg.norm(right, axis=0).max())
    signed = np.array([[1.0, 0.0], [-0.7, 1.0]])  # for one round per user, signs do no harm
    # user 1 changes, user 2 reacts: exactly the first column's Gaussian mechanism
    for react, (a, b), matrix in itertools.product(reactions, ((0.0, 1.0), (1.0, 0.0)), (right, signed)):
        found = stream_delta(matrix, a, b, react, react, sigma, epsilon)
        assert found == pytest.approx(gaussian_delta(sigma, epsilon, float(np.linalg.norm(matrix[:, 0]))), rel=1e-6)
        assert matrix is signed or found <= bound(1) * (1 + 1e-6)
    largest = 0.0
    for react, other in itertools.product(reactions, repeat=2):  # one user has both rounds, and reacts in both worlds
        for a, b in ((0.0, 1.0), (1.0, 0.0), (1.0, 1.0)):
            found = stream_delta(right, a, b, react, other, sigma, epsilon)
            assert found <= bound(2) * (1 + 1e-6)
            largest = max(largest, found)
    constant = stream_delta(right, 0.0, 1.0, lambda u: 0 * u, lambda u: 1 + 0 * u, sigma, epsilon)
    assert constant == pytest.approx(bound(2), rel=1e-6)
    assert constant >= largest


@pytest.mark.parametrize("horizon", [1, 2, 10, 99, 1000, 10**6])
def test_naive_and_two_level_errors(horizon: int) -> None:
    one, t = gaussian_noise_std(1.0, 1e-6, 1.0), np.arange(1, horizon + 1)
    naive, each, two = (kind(horizon, 1.0, 1e-6).error_std(t).max() for kind in COUNTERS[:3])
    assert [naive, each] == pytest.approx([one * math.sqrt(horizon)] * 2)
    assert two <= one * math.sqrt(4 * math.sqrt(horizon) + 2) * (1 + 1e-12)
    assert horizon < 900 or two > 0.9 * one * math.sqrt(4 * math.sqrt(horizon))


# ---- Tree and square root
def test_tree_touches_h_blocks_and_popcount_noises() -> None:
    """Brute force: the blocks of every user, and the noises in every sum, for all horizons up to 130."""
    for horizon in [*range(1, 131), 255, 256, 257]:
        ends = {t: t - (t & -t) for t in range(1, horizon + 1)}  # end: start
        h = 1 + math.floor(math.log2(horizon))
        touched = [sum(start < user <= end for end, start in ends.items()) for user in range(1, horizon + 1)]
        assert max(touched) == touched[0] == h
        counter = C.TreeCounter(horizon, 1.0, 1e-6)
        assert counter.height == h
        assert counter.sensitivity == pytest.approx(math.sqrt(h))
        for t in range(1, horizon + 1):
            noises, end, covered = 0, t, []
            while end:
                covered += range(ends[end] + 1, end + 1)
                noises, end = noises + 1, ends[end]
            assert sorted(covered) == list(range(1, t + 1))
            assert noises == bin(t).count("1")
            assert float(counter.error_std(t)) == pytest.approx(counter.noise_std * math.sqrt(noises))
        one = gaussian_noise_std(1.0, 1e-6, 1.0)
        assert counter.error_std(np.arange(1, horizon + 1)).max() <= one * h * (1 + 1e-9)


def chapter_function(cell: str, name: str):
    space: dict = {"np": np, "math": math, "itertools": itertools}
    exec(cells("04_continual_counting")[cell].source.split("\n\n\n" if name == "tree" else "\n\n\ncrowd")[0], space)
    return space[name]


@pytest.mark.usefixtures("densities")
@pytest.mark.parametrize("horizon", [1, 2, 13, 64, 100])
def test_the_chapters_tree_is_the_packages(horizon: int) -> None:
    tree = chapter_function("plain-tree", "tree")
    answers = np.random.default_rng(1).integers(0, 2, horizon)
    counter = C.TreeCounter(horizon, 1.0, 1e-6)
    mine = tree(answers, counter.noise_std, np.random.default_rng(2))
    assert mine[0] == 0
    assert mine[1:] == pytest.approx(answers.cumsum() + counter.noise_path(np.random.default_rng(2))[:, 0], abs=1e-9)
    rng = np.random.default_rng(2)
    assert mine[1:] == pytest.approx([counter.add(float(a), rng)[0] for a in answers], abs=1e-6)  # on its grid


def test_square_root_of_counting() -> None:
    f = [Fraction(1)]
    for k in range(1, 60):
        f.append(f[-1] * (1 - Fraction(1, 2 * k)))
    assert all(value == Fraction(math.comb(2 * k, k), 4**k) for k, value in enumerate(f))
    for lag in range(60):  # the entries of C C, exactly
        assert sum(f[j] * f[lag - j] for j in range(lag + 1)) == 1
    k = np.arange(1, 10**6)
    coefficients = np.cumprod(1 - 0.5 / k)
    assert (coefficients**2 * math.pi * k < 1).all()
    assert (np.diff(k[:1000] * coefficients[:1000] ** 2) > 0).all()
    one = gaussian_noise_std(1.0, 1e-6, 1.0)
    for horizon in (1, 2, 10, 1000, 10**6):
        q = 1 + float(np.sum(coefficients[: horizon - 1] ** 2))
        assert q <= 1 + (1 + math.log(horizon)) / math.pi
        largest = C.FactorizationCounter(horizon, 1.0, 1e-6).error_std(horizon)
        assert float(largest) == pytest.approx(one * q)


# ---- Joint privacy
def test_billboard_lemma_exactly() -> None:
    """The chapter's three-user world in fractions: every user, every change of data, views of the others."""
    play = chapter_function("billboard", "play")
    weights = {z: Fraction(math.comb(4, z + 2), 16) for z in range(-2, 3)}
    kinds = [(night, ready) for night in (0, 1) for ready in itertools.product((0, 1), repeat=2)]
    laws: dict = {}

    def views(users: tuple, i: int) -> tuple:
        if users not in laws:
            noises = itertools.product(weights, repeat=3)
            laws[users] = [(play(users, z), math.prod((weights[s] for s in z), start=Fraction(1))) for z in noises]
        board, others, both, everything = (defaultdict(Fraction) for _ in range(4))
        for seen, chance in laws[users]:
            shown, actions = seen
            rest = actions[:i] + actions[i + 1 :]
            board[shown] += chance
            others[rest] += chance
            both[shown, rest] += chance
            everything[actions] += chance
        return board, others, both, everything

    exposed = 0
    crowds = [((0, (0, 1)), (1, (1, 0))), ((1, (0, 1)), (1, (0, 1))), ((0, (1, 1)), (0, (1, 0)))]
    for crowd, i in itertools.product(crowds, range(3)):
        worlds = [views((*crowd[:i], kind, *crowd[i:]), i) for kind in kinds]
        for (p, q), ratio in itertools.product(itertools.permutations(worlds, 2), (Fraction(3, 2), Fraction(3))):
            board, others, both, everything = (one_way(a, b, ratio) for a, b in zip(p, q, strict=True))
            assert others <= board
            assert both == board  # the others' screens add nothing to the board
            exposed += everything > board
    assert exposed > 0  # but her own screen does
