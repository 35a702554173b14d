"""The museum: every broken mechanism is caught without a hint, every mended one passes, and the stories tell the truth."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from bandits_dp.accounting import classical_gaussian_noise_std, gaussian_delta, gaussian_noise_std
from bandits_dp.audit.audit import audit
from bandits_dp.companion.museum import exhibits

PIECES = {piece.name: piece for piece in exhibits()}


@pytest.mark.parametrize("name", PIECES)
def test_broken_is_caught_and_mended_passes(name):
    """With at most 1e6 runs, the generic search, and no hint; the mended one's false alarms have probability 1% at most each."""
    piece = PIECES[name]
    assert piece.runs <= 10**6
    for mechanism, passes in ((piece.broken, False), (piece.mended, True)):
        rng = np.random.default_rng(0)
        found = audit(mechanism, piece.a, piece.b, piece.epsilon, piece.delta, piece.runs, rng=rng, progress=False)
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
