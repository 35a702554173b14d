"""The planted faults once more, now seen by ``audit``: through a view that gives them away, or the reason why no view can.

An audit of what is right fails at most once in a million, and one of a fault runs at the usual confidence of 0.99.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy import signal

import bandits_dp as bdp
from bandits_dp import continual as C
from bandits_dp import privatizers as P
from bandits_dp.accounting import gaussian_noise_std
from bandits_dp.privatizers.returning import ReturningLocalGaussian, ReturningVectorSum
from tests import exact_delta
from tests.noise_checks import matrices
from tests.test_planted_faults import FAULTS

FALSE_ALARM, USUAL = 1e-6, 0.99
EPSILON, DELTA = 1.0, 0.05
PLANE, LINE = P.Box(2, -1.0, 1.0), P.Box(1, -1.0, 1.0)
LOW, HIGH = [[-1.0, -1.0]], [[1.0, 1.0]]
ONE, NONE = [[1.0], [0.0], [0.0]], [[0.0], [0.0], [0.0]]
WILD = ([[50.0, 50.0]], [[-50.0, -50.0]])


@dataclass(frozen=True, eq=False)
class Look:
    """What is audited, made when the fault is there, on two neighbouring inputs, through a view, so many times."""

    make: Any
    a: Any
    b: Any
    trials: int = 2_000
    view: str | None = None
    user: int = 0
    score: Any = None
    delta: float = DELTA  # claimed, of a mechanism that is a function

    def audit(self, confidence):
        mechanism = self.make()
        claim = (None, None) if isinstance(mechanism, bdp.privatizers.Privatizer) else (EPSILON, self.delta)
        return bdp.audit(mechanism, self.a, self.b, *claim, self.trials, confidence, rng=np.random.default_rng(8),
                         view=self.view, user=self.user, score=self.score, progress=False)


def message(privatizer, messages=1):
    """What one user sends, once or several times, in many runs together."""
    def draw(values, rng, runs):
        return privatizer.randomize(np.tile(values, (messages * runs, 1)), rng).reshape(runs, -1)
    return bdp.Vectorized(draw)


def bits(privatizer):
    """How many ones all users of a batch send, in many runs together."""
    def draw(values, rng, runs):
        return privatizer.randomize(np.tile(values, (runs, 1)), rng).reshape(runs, -1).sum(axis=1)
    return bdp.Vectorized(draw)


def tally(privatizer):
    """The released sum, in many runs together."""
    def draw(values, rng, runs):
        kinds, counts = np.unique(np.ravel(values), return_counts=True)
        return privatizer.release_tally(kinds, np.tile(counts, (runs, 1)), rng)
    return bdp.Vectorized(draw)


def one_by_one(privatizer):
    """The released sum through ``release``, made of messages."""
    return bdp.release_of(privatizer, "messages")


def stream(kind, steps):
    """All running sums of a counter."""
    counter = kind(steps, EPSILON, DELTA)

    def run(values, rng):
        counter.reset()
        return np.concatenate([counter.add(value, rng) for value in values])
    return run


def paths(kind, steps):
    """All running sums of a counter, drawn as a simulator does."""
    counter = kind(steps, EPSILON, DELTA)

    def draw(values, rng, runs):
        return np.cumsum(values) + np.stack([counter.noise_path(rng)[:, 0] for _ in range(runs)])
    return bdp.Vectorized(draw)


def low(outputs):
    """Minus the sum: the score of an input that is lower."""
    return -outputs.reshape(len(outputs), -1).sum(axis=1)


def laplace_ratio(a, b):
    """Score of Laplace noise, on a grid so coarse that no last bit of a floating-point number tells anything."""
    return lambda outputs: np.rint(1e6 * (abs(outputs - b) - abs(outputs - a)).reshape(len(outputs), -1).sum(axis=1))


def first_block(size):
    """Minus the ones of the first so many bits."""
    return lambda outputs: -outputs[:, :size].sum(axis=1)


def every(step):
    """Minus the ones at the first place of every user's bits."""
    return lambda outputs: -outputs[:, ::step].sum(axis=1)


def fullest(dimension, users):
    """Minus the most ones of a user."""
    return lambda outputs: -outputs.reshape(len(outputs), dimension, users, -1).sum(axis=(1, 3)).max(axis=1)


def turned_back(pattern):
    """Minus what user 0 sent, found by turning the messages until they fit what the others are known to send."""
    known = np.conj(np.fft.rfft(pattern - pattern.mean()))

    def score(outputs):
        sent = outputs.reshape(len(outputs), -1)
        start = np.fft.irfft(np.fft.rfft(sent, axis=1) * known, n=sent.shape[1], axis=1).argmax(axis=1)
        return -sent[np.arange(len(sent)), start]
    return score


def one_step(kind, steps):
    """Inputs of a counter that differ in the step with the largest part in the noise, and the log-likelihood ratio of its sums."""
    left, right = matrices(kind, steps)
    a, b = np.zeros(steps), np.zeros(steps)
    b[np.linalg.norm(right, axis=0).argmax()] = 1.0
    inverse = np.linalg.pinv(left)
    weights = inverse.T @ inverse @ np.cumsum(b)
    return a, b, lambda outputs: -(outputs @ weights)


def redrawn(kind, steps):
    """Inputs of a counter that differ in the first step, and minus the mean of all its sums, each as good as its noise is small."""
    left, _ = matrices(kind, steps)
    return np.zeros(steps), np.eye(steps)[0], lambda outputs: -(outputs @ (1 / (left**2).sum(axis=1)))


def four_batches():
    """How many ones all users send in four batches, user 0 in each of them, in many runs together."""
    privatizer = ReturningVectorSum(20, 4, EPSILON, DELTA, domain=PLANE, levels=3)

    def draw(values, rng, runs):
        return privatizer.randomize(np.tile(values, (4 * runs, 1)), rng).reshape(runs, -1).sum(axis=1)
    return bdp.Vectorized(draw)


def user_zero(users, dimension=1):
    """All users at 0, and user 0 at 1."""
    return np.zeros((users, dimension)), np.eye(users, dimension)


ANGLE = math.pi / 12  # the two users of linear statistics who are furthest apart
FURTHEST = (P.LinearStatistics(2).encode([[math.cos(ANGLE), math.sin(ANGLE)]], [1.0]),
            P.LinearStatistics(2).encode([[math.sin(ANGLE), math.cos(ANGLE)]], [-1.0]))
CROWD = 3000
PATTERN = np.random.default_rng(0).integers(0, 2, CROWD).astype(float)[:, None]
PATTERN[0] = 0.0
TURNED = np.concatenate([[[1.0]], PATTERN[1:]])
TREE, FACTORIZATION = one_step(C.TreeCounter, 8), one_step(C.FactorizationCounter, 8)
REDRAWN = {kind: redrawn(kind, steps) for kind, steps in ((C.TreeCounter, 32), (C.HybridCounter, 16), (C.FactorizationCounter, 16))}
GAUSSIAN_MESSAGE = Look(lambda: message(P.LocalGaussian(1, EPSILON, DELTA, domain=PLANE)), LOW, HIGH, 300_000, score=low)
GAUSSIAN_SUM = Look(lambda: P.CentralGaussian(2, EPSILON, DELTA, domain=PLANE), LOW + LOW, LOW + HIGH, 300_000, score=low)
LAPLACE_MESSAGE = Look(lambda: message(P.LocalLaplace(1, EPSILON, domain=PLANE)), LOW, HIGH, 300_000,
                       score=laplace_ratio(-1.0, 1.0), delta=0.0)
LAPLACE_SUM = Look(lambda: P.CentralLaplace(2, EPSILON, domain=PLANE), LOW + LOW, LOW + HIGH, 300_000, score=laplace_ratio(-2.0, 0.0))
LIES = Look(lambda: message(P.RandomizedResponse(1, EPSILON, DELTA)), [[1.0]], [[0.0]], 300_000)
BIT_TALLY = Look(lambda: tally(P.BinarySum(3, EPSILON, DELTA)), NONE, ONE, 300_000)
NUMBER_TALLY = Look(lambda: tally(P.ScalarSum(3, EPSILON, DELTA, levels=3)), NONE, ONE, 300_000)

SEEN = {
    "UserNoise.randomize times 0.9": GAUSSIAN_MESSAGE,
    "returning users' noise times 0.9": Look(  # all four messages of hers
        lambda: message(ReturningLocalGaussian(1, 4, EPSILON, DELTA, domain=PLANE), 4), LOW, HIGH, 200_000, score=low),
    "LocalLaplace.randomize times 0.9": LAPLACE_MESSAGE,
    "GaussianNoise.release_sum times 0.9": GAUSSIAN_SUM,
    "CentralLaplace.release_sum times 0.9": LAPLACE_SUM,
    "noise bits of messages times 0.9": Look(lambda: bits(P.BinarySum(3, EPSILON, DELTA)), NONE, ONE, 300_000),
    "noise bits of numbers times 0.9": Look(lambda: bits(P.ScalarSum(3, EPSILON, DELTA, levels=3)), NONE, ONE, 200_000),
    "noise bits of sums times 0.9": NUMBER_TALLY,
    "noise bits of bits' sums times 0.9": BIT_TALLY,
    "lies 0.9 as likely": LIES,
    "shares of discrete Laplace noise times 0.9": Look(lambda: tally(P.DiscreteLaplaceSum(3, EPSILON)), NONE, ONE, 300_000),
    "shares of Skellam noise times 0.9": Look(lambda: tally(P.SkellamSum(3, EPSILON, DELTA)), NONE, ONE, 300_000),
    "one user adds the noise of all": Look(
        lambda: P.LocalLaplace(3, EPSILON, domain=PLANE), LOW * 3, LOW + HIGH + LOW, view="one user", user=1),
    "zeros released as they are": Look(
        lambda: one_by_one(P.CentralGaussian(3, EPSILON, DELTA, domain=PLANE)), [[0.0, 0.0]] * 3, [*HIGH, [0.0, 0.0], [0.0, 0.0]]),
    "zeros released as they are, by bits": Look(lambda: one_by_one(P.BinarySum(3, EPSILON, DELTA)), NONE, ONE),
    "l2 sensitivity halved": GAUSSIAN_SUM,
    "l2 sensitivity halved, local": GAUSSIAN_MESSAGE,
    "l1 sensitivity halved": LAPLACE_SUM,
    "Laplace vectors calibrated to l2": LAPLACE_SUM,
    "sqrt 6 over 2 for linear statistics": Look(
        lambda: P.CentralGaussian(1, EPSILON, DELTA, domain=P.LinearStatistics(2)), *FURTHEST, 20_000,
        score=lambda outputs: outputs @ (FURTHEST[0] - FURTHEST[1])[0]),
    "the theorem's Laplace noise that uses delta": Look(
        lambda: message(P.LocalLaplace(1, EPSILON, 0.3, "theorem", domain=LINE)), [[-1.0]], [[1.0]], 20_000, delta=0.0),
    "returning users counted once": Look(four_batches, LOW * 20, HIGH + LOW * 19, 4_000, score=low),
    "nodes of the tree redrawn": Look(
        lambda: stream(C.TreeCounter, 32), *REDRAWN[C.TreeCounter][:2], 2_000, score=REDRAWN[C.TreeCounter][2]),
    "nodes of the hybrid redrawn": Look(
        lambda: stream(C.HybridCounter, 16), *REDRAWN[C.HybridCounter][:2], 2_000, score=REDRAWN[C.HybridCounter][2]),
    "draws of the factorization redrawn": Look(
        lambda: stream(C.FactorizationCounter, 16), *REDRAWN[C.FactorizationCounter][:2], 1_500,
        score=REDRAWN[C.FactorizationCounter][2]),
    "counter noise times 0.7": Look(lambda: paths(C.TreeCounter, 8), *TREE[:2], 10_000, score=TREE[2]),
    "factorization noise times 0.7": Look(
        lambda: paths(C.FactorizationCounter, 8), *FACTORIZATION[:2], 10_000, score=FACTORIZATION[2]),
    "clipping dropped": Look(lambda: P.CentralGaussian(1, EPSILON, DELTA, domain=PLANE, clip=True), *WILD),
    "clipping dropped, local": Look(lambda: P.LocalLaplace(1, EPSILON, domain=PLANE, clip=True), *WILD),
    "one user twice": Look(
        lambda: one_by_one(P.CentralGaussian(3, EPSILON, DELTA, domain=PLANE)), LOW * 3, HIGH + LOW * 2, 4_000, score=low),
    "one user twice, by bits": Look(lambda: one_by_one(P.BinarySum(3, EPSILON, DELTA)), NONE, ONE, 5_000),
    "one user twice, by shares": Look(lambda: one_by_one(P.SkellamSum(3, EPSILON, DELTA)), NONE, ONE, 5_000),
    "P_Amp does not shuffle": Look(
        lambda: P.AmplifiedGaussian(CROWD, 0.5, 1e-3), *user_zero(CROWD), 3_000, view="first message", score=low),
    "P_Amp rotates": Look(
        lambda: P.AmplifiedGaussian(CROWD, 0.5, 1e-3), PATTERN, TURNED, 3_000, view="messages", score=turned_back(PATTERN[:, 0])),
    "M_sum does not shuffle": Look(lambda: P.BinarySum(50, EPSILON, DELTA), *user_zero(50), view="first message"),
    "M_sum mixes within users": Look(lambda: P.BinarySum(50, EPSILON, DELTA), *user_zero(50), view="messages", score=first_block(3)),
    "M_sum mixes users as blocks": Look(lambda: P.BinarySum(50, EPSILON, DELTA), *user_zero(50), view="messages", score=every(3)),
    "P_1D mixes within users": Look(
        lambda: P.ScalarSum(50, EPSILON, DELTA, levels=3), *user_zero(50), view="messages", score=first_block(5)),
    "P_Vec mixes users as blocks": Look(
        lambda: P.VectorSum(20, EPSILON, DELTA, PLANE, levels=3), LOW * 20, HIGH + LOW * 19, 4_000, view="messages",
        score=fullest(2, 20)),
}


def enough(found, needed):
    """Assert that noise is still what is proved to be needed."""
    assert found >= needed, f"{found} is less than {needed}"


def bit_delta(p, epsilon, levels):
    """Exact delta of a sum of integers up to ``levels`` and of the noise bits of all users."""
    return exact_delta.divergence(exact_delta.pairs(p.users * p.noise_bits.rare, p.noise_bits.p), epsilon, levels)


def laplace_plane_delta(scale):
    """Delta of a vector of two coordinates that move by 2 each, by summing over a fine grid of Laplace numbers."""
    x = np.linspace(-40.0, 40.0, 200_001)
    mass = np.exp(-abs(x) / scale)
    loss = (abs(x - 2.0) - abs(x)) / scale  # of one coordinate, in [-2 / scale, 2 / scale]
    edges = np.linspace(-2 / scale, 2 / scale, 4001)
    law = np.bincount(np.clip(np.searchsorted(edges, loss), 0, 4000), mass / mass.sum())
    both, start = signal.fftconvolve(law, law), 2 * edges[0]  # losses rounded up: delta can only come out too large
    losses = start + (edges[1] - edges[0]) * np.arange(len(both))
    return float((both * np.maximum(0.0, 1 - np.exp(EPSILON - losses))).sum())


MORE_NOISE = "more noise costs accuracy and no privacy"
SLACK = "less noise than is proved to be enough, and no attack is known: what amplification by shuffling is worth is bounded only"
UNSEEN: dict[str, Any] = {
    "UserNoise.randomize times 1.1": MORE_NOISE,
    "LocalLaplace.randomize times 1.1": MORE_NOISE,
    "GaussianNoise.release_sum times 1.1": MORE_NOISE,
    "CentralLaplace.release_sum times 1.1": MORE_NOISE,
    "lies 1.1 as likely": MORE_NOISE,
    "shares of Skellam noise times 1.1": MORE_NOISE,
    "counter noise times 1.1": MORE_NOISE,
    "Laplace numbers that do not use delta": MORE_NOISE,
    "P_Amp's randomize times 0.9": SLACK,
    "P_Amp's local delta is free": SLACK,
    "P_Amp's local delta of one user for all": SLACK,
    "nine tenths of P_Amp's local delta": SLACK,
    "P_Amp's noise for twice the local delta": SLACK,
    "P_Amp's crowd doubled": SLACK,
    "P_Amp counts everybody as honest": SLACK,
    "counter noise times 0.9": "the audit of 0.7 fails it with thirty times as many runs",
    "factorization noise times 0.9": "the audit of 0.7 fails it with thirty times as many runs",
    "last cut batch released": "what is released is told to nobody yet",
    "values not checked": "the audit of what is right is refused: such values are no neighbours",
    "the value's bits first": "the shuffler mixes them: a second line of defence is gone, and the first one holds",
    "the number's bits first": "the shuffler mixes them: a second line of defence is gone, and the first one holds",
    # The published constants, or a bound, leave so much room that what is left is private still; each is computed.
    "tree delta not split": lambda: enough(
        C.TreeCounter(1000, 0.5, 1e-4, calibration="theorem").noise_std, math.sqrt(10) * gaussian_noise_std(0.5, 1e-4, 1.0)),
    "published bits a third of them ones": lambda: enough(
        0.1, bit_delta(*(lambda p: (p, 8.0, p.levels))(P.ScalarSum(100, 8.0, 0.1, "theorem", domain=LINE)))),
    "published bits without the floor of two levels": lambda: enough(
        1e-3, bit_delta(*(lambda p: (p, 29.9, p.levels))(P.ScalarSum(1, 29.9, 1e-6, "theorem", domain=P.Box(1, -0.5, 0.5))))),
    "Laplace vectors that use delta": lambda: enough(0.3, laplace_plane_delta(P.CentralLaplace(2, EPSILON, 0.3, domain=PLANE).scale)),
}


@pytest.mark.parametrize("fault", SEEN)
def test_an_audit_sees_the_fault_and_nothing_without_it(fault, monkeypatch):
    """The audit passes what is right, at a confidence that makes its failure as rare as a test's may be, and fails the fault."""
    look = SEEN[fault]
    if next(name for name, other in SEEN.items() if other is look) == fault:  # once for each look
        right = look.audit(1 - FALSE_ALARM)
        assert right.passed, str(right)
    FAULTS[fault][0](monkeypatch)
    wrong = look.audit(USUAL)
    assert not wrong.passed, str(wrong)


@pytest.mark.parametrize("fault", [name for name, why in UNSEEN.items() if callable(why)])
def test_what_no_audit_can_see_is_private_still(fault, monkeypatch):
    FAULTS[fault][0](monkeypatch)
    UNSEEN[fault]()


def test_every_planted_fault_is_seen_or_has_a_reason():
    assert sorted([*SEEN, *UNSEEN]) == sorted(FAULTS)
    assert len(SEEN) >= 35 and len(FAULTS) >= 60
