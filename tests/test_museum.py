"""The museum: every broken mechanism is caught without a hint, every mended one passes, and the stories tell the truth."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from bandits_dp.accounting import classical_gaussian_noise_std, gaussian_delta, gaussian_noise_std
from bandits_dp.audit.audit import audit
from bandits_dp.companion.museum import exhibits

PIECES = {piece.name: piece for piece in exhibits()}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", PIECES)
def test_broken_is_caught_and_mended_passes(name, seed):
    """With at most 1e6 runs, the generic search, and no hint; the mended one's false alarms have probability 1% at most each."""
    piece = PIECES[name]
    assert piece.runs <= 10**6
    for mechanism, passes in ((piece.broken, False), (piece.mended, True)):
        found = audit(mechanism, piece.a, piece.b, piece.epsilon, piece.delta, piece.runs, rng=np.random.default_rng(seed),
                      progress=False)
        assert found.passed == passes, str(found)


def test_every_piece_has_a_label():
    assert len(PIECES) == len(exhibits()) >= 10
    for piece in exhibits():
        assert len(piece.story.split()) > 20 and piece.fix.endswith(".")
        different = np.atleast_2d(piece.a.T != piece.b.T).any(axis=0)  # rows in which the neighbours differ
        assert piece.a.shape == piece.b.shape and different.sum() == 1


def shuffled_delta(users, epsilon, local_epsilon):
    """Exact delta of shuffled randomized response: the number of ones, for the worst bits of the other users."""
    lie = 1 / (1 + math.exp(local_epsilon))
    worst = 0.0
    for ones in range(users):
        counts = np.convolve(binom.pmf(range(ones + 1), ones, 1 - lie), binom.pmf(range(users - ones), users - 1 - ones, lie))
        zero, one = np.convolve(counts, [1 - lie, lie]), np.convolve(counts, [lie, 1 - lie])
        worst = max(worst, *(np.maximum(p - math.exp(epsilon) * q, 0).sum() for p, q in ((zero, one), (one, zero))))
    return worst


def test_stories_give_true_numbers():
    assert 0.001 < shuffled_delta(60, 1, 2) <= 0.002
    wrong = classical_gaussian_noise_std(8, 0.25, 1.0, strict=False)
    assert wrong == pytest.approx(0.224, abs=5e-4) and gaussian_noise_std(8, 0.25, 1.0) == pytest.approx(0.278, abs=5e-4)
    assert gaussian_delta(wrong, 8, 1.0) == pytest.approx(0.58, abs=5e-3)


def squared_shift(piece, mechanism):
    """Estimate (D / s)^2 of a mechanism with Gaussian outputs: the squared Mahalanobis distance of its two means."""
    rng = np.random.default_rng(0)
    a, b = (mechanism.draw(x, rng, 20_000) for x in (piece.a, piece.b))
    shift = a.mean(axis=0) - b.mean(axis=0)
    return 2 * shift @ np.linalg.solve(np.cov(a.T) + np.cov(b.T), shift)


@pytest.mark.parametrize("name", ("fresh tree noise", "sliding window", "one coordinate at a time"))
def test_mended_noise_is_as_large_as_the_claim_needs(name):
    """The Mahalanobis shift (D / s)^2 of the mended twin is at most what the claim allows a Gaussian; the broken one's is not."""
    piece = PIECES[name]
    allowed = 1 / gaussian_noise_std(piece.epsilon, piece.delta, 1.0) ** 2
    assert squared_shift(piece, piece.mended) < 1.3 * allowed  # estimated in up to 128 dimensions, hence the room
    assert squared_shift(piece, piece.broken) > 2 * allowed
