"""Privacy faults, planted through the public methods: the check that catches each by name, and how an audit sees it, or why not."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import signal

import bandits_dp as bdp
from bandits_dp import continual as C
from bandits_dp import privatizers as P
from bandits_dp.accounting import gaussian_noise_std
from bandits_dp.continual import tree
from bandits_dp.continual.base import Counter
from bandits_dp.live.arms import LiveArms
from bandits_dp.privatizers import amplified, laplace, scalar_sum
from bandits_dp.privatizers.base import Privatizer
from bandits_dp.privatizers.bit_sum import BitSum
from bandits_dp.privatizers.gaussian import GaussianNoise, UserNoise
from bandits_dp.privatizers.noise_bits import NoiseBits
from bandits_dp.privatizers.returning import ReturningLocalGaussian, ReturningVectorSum
from tests import exact_delta
from tests.noise_checks import DELTA, EPSILON, PLANE
from tests.test_continual import matrices


def changed(owner, name, faulty):
    """Put ``faulty(exact)`` in the place of a method, property or function."""
    return lambda patch: patch.setattr(owner, name, faulty(getattr(owner, name)))


def instead(owner, name, value):
    """Put something else in the place of a method or property."""
    return changed(owner, name, lambda exact: value)


def louder(kind, method, factor):
    """Multiply what ``method`` adds to the values, or to their sum, by a factor."""
    def faulty(exact):
        def added(self, values, rng, *rest):
            plain = np.asarray(values, dtype=float)
            return plain + factor * (exact(self, values, rng, *rest) - plain)
        return added
    return changed(kind, method, faulty)


def both(*plants):
    def plant(patch):
        for one in plants:
            one(patch)
    return plant


def bits_with(factor, method):
    """Draw noise bits of a std that is so many times the declared one, and of the declared mean: pairs have the same for any p."""
    def quieter(bits):
        return bits._replace(p=(1 - math.sqrt(1 - 4 * factor**2 * bits.p * (1 - bits.p))) / 2)
    return changed(NoiseBits, method, lambda exact: lambda self, *given: exact(quieter(self), *given))


def halved(kind, name):
    return changed(kind, name, lambda exact: property(lambda self: exact.fget(self) / 2))


def counter_times(factor):
    """Scale what is drawn by a counter, in ``add`` and in paths alike."""
    def plant(patch):
        add, path = Counter.add, Counter.noise_path

        def faulty(self, value, rng):
            total = (self.steps + 1) * np.asarray(value, dtype=float)  # the check adds one value all the time
            return total + factor * (add(self, value, rng) - total)

        patch.setattr(Counter, "add", faulty)
        patch.setattr(Counter, "noise_path", lambda self, rng, steps=None: factor * path(self, rng, steps))
    return plant


def drawn_afresh(self, value, rng):
    """Draw all noise afresh at every running sum, as Wang, Zhao, Wang 2022 do."""
    self.exact = np.asarray(value, dtype=float) + (self.exact if self.steps else 0)
    self.steps += 1
    return self.exact + self.noise_path(rng, self.steps)[-1]


def noise_of_one_user(self, values, rng):
    """User 0 adds the noise of all, and the others send what they have: the sum is right."""
    sent = self.check(values).copy()
    sent[0] += rng.laplace(0, self.scale, (self.users, self.dimension)).sum(axis=0)
    return sent


def bare_zeros(exact):
    """Release a batch of zeros as it is: it needs no noise, or so it seemed."""
    def faulty(self, values, rng, fidelity="aggregate"):
        return exact(self, values, rng, fidelity) if np.any(values) else np.zeros(self.dimension)
    return faulty


def twice(exact):
    """Let the message of the first user take the place of the second one's."""
    def faulty(self, values, rng, fidelity="aggregate"):
        array = np.array(values, dtype=float)
        array[1] = array[0]
        return exact(self, array, rng, fidelity)
    return faulty


def last_batch_too(exact):
    """Release what is left of a batch when the horizon is reached."""
    def faulty(self, place, ticket, values, rng):
        expired = exact(self, place, ticket, values, rng)
        if self.played == self.horizon:
            privatizer = self.privatizers[0]
            privatizer.receive(privatizer.send(np.resize(values, (privatizer.users, 1)), rng).sum(axis=0), rng)
        return expired
    return faulty


def users_in_blocks(self, messages, rng):
    """Mix the users, and keep each one's bits together: a permutation across messages."""
    mixed = rng.permutation(messages)
    return mixed.ravel() if mixed.ndim == 2 else mixed.transpose(1, 0, 2).reshape(self.dimension, -1)


def in_order(self, values, rng):
    integers = self._round(self.check(values), rng)
    unary = np.arange(self.levels) < integers[:, :, None]
    return np.concatenate([unary.astype(np.uint8), self.noise_bits.draw(integers.shape, rng)], axis=2)


def lying(factor):
    """Lie more or less often than declared."""
    def faulty(self, values, rng):
        bits = self.check(values).astype(np.uint8)
        return bits ^ (rng.random(bits.shape) < (1 - self.truth) * factor)
    return instead(P.RandomizedResponse, "randomize", faulty)


def secure_times(kind, factor):
    """Scale the noise of secure aggregation about so: each unit of it is dropped, or doubled, now and then."""
    def faulty(exact):
        def drawn(self, users, shape, rng):
            noise = exact(self, users, shape, rng)
            some = rng.binomial(abs(noise), abs(factor - 1))
            return noise + int(math.copysign(1, factor - 1)) * np.sign(noise) * some
        return drawn
    return both(changed(kind, "_draw", faulty), changed(kind, "_simulate", faulty))


def one_batch_of_four(exact):
    """Count the counts of one batch where a user is in four."""
    def faulty(self, *given):
        batches, self.batches = self.batches, 1
        exact(self, *given)
        self.batches = batches
    return faulty


def third(exact):
    """Make a third of the published bits ones, and not a half."""
    def faulty(*given):
        levels, bits = exact(*given)
        return levels, bits._replace(p=bits.p * 2 / 3)
    return faulty


def one_level(exact):
    return lambda users, epsilon, delta, half: (
        max(1, math.ceil(2 * half * math.sqrt(users))), exact(users, epsilon, delta, half)[1])


def laplace_with(delta):
    """Calibrate Laplace noise to some delta, whoever asks."""
    return changed(laplace, "laplace_scale", lambda exact: lambda epsilon, _, sensitivity: exact(epsilon, delta, sensitivity))


def searched(name, faulty):
    """Change a function that the search for P_Amp's noise uses."""
    def plant(patch):
        patch.setattr(amplified, "certified_unit_std", amplified.certified_unit_std.__wrapped__)  # which remembers nothing
        changed(amplified, name, faulty)(patch)
    return plant


def cheaper(share):
    """Charge so much of the local delta only."""
    return searched("reached", lambda exact: lambda local, users, epsilon, delta, local_delta: exact(
        local, users, epsilon, delta, local_delta * share))


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

    def audit(self, confidence, share=1.0):
        mechanism = self.make()
        claim = (None, None) if isinstance(mechanism, Privatizer) else (EPSILON, self.delta)
        return bdp.audit(mechanism, self.a, self.b, *claim, int(self.trials * share), confidence, rng=np.random.default_rng(8),
                         view=self.view, user=self.user, score=self.score, progress=False)


def message(privatizer, messages=1):
    """What one user sends, once or several times, in many runs together."""
    return bdp.Vectorized(lambda values, rng, runs: privatizer.randomize(
        np.tile(values, (messages * runs, 1)), rng).reshape(runs, -1))


def bits(privatizer, batches=1):
    """How many ones all users of a batch, or of several, send, in many runs together."""
    return bdp.Vectorized(lambda values, rng, runs: privatizer.randomize(
        np.tile(values, (batches * runs, 1)), rng).reshape(runs, -1).sum(axis=1))


def tally(privatizer):
    def draw(values, rng, runs):
        kinds, counts = np.unique(np.ravel(values), return_counts=True)
        return privatizer.release_tally(kinds, np.tile(counts, (runs, 1)), rng)
    return bdp.Vectorized(draw)


def one_by_one(privatizer):
    """The released sum through ``release``, made of messages."""
    return bdp.release_of(privatizer, "messages")


def stream(kind, steps, draw=lambda counter, rng: [counter.add(np.zeros(counter.dimension), rng) for _ in range(counter.horizon)]):
    """Running sums with what is added to each by ``draw``: every run is a coordinate of one counter whose domain has diameter 1."""
    return bdp.Vectorized(lambda values, rng, runs: np.cumsum(values) + np.transpose(
        draw(kind(steps, EPSILON, DELTA, P.Box(runs, 0.0, 1 / math.sqrt(runs))), rng)))


def low(outputs):
    """Minus the sum: the score of an input that is lower."""
    return -outputs.reshape(len(outputs), -1).sum(axis=1)


def laplace_ratio(a, b):
    """Score of Laplace noise, on a grid so coarse that no last bit of a floating-point number tells anything."""
    return lambda outputs: np.rint(1e6 * (abs(outputs - b) - abs(outputs - a)).reshape(len(outputs), -1).sum(axis=1))


def one_step(kind, steps):
    """A counter's paths on inputs that differ in the step with the largest part in the noise, by the log-likelihood ratio."""
    left, right = matrices(kind, steps)
    a, b = np.zeros(steps), np.zeros(steps)
    b[np.linalg.norm(right, axis=0).argmax()] = 1.0
    inverse = np.linalg.pinv(left)
    weights = inverse.T @ inverse @ np.cumsum(b)
    return Look(lambda: stream(kind, steps, Counter.noise_path), a, b, 10_000, score=lambda outputs: -(outputs @ weights))


def redrawn(kind, steps):
    """A counter's stream on inputs that differ in the first step, by minus the mean of all sums, each as good as it is quiet."""
    weights = 1 / (matrices(kind, steps)[0] ** 2).sum(axis=1)
    return Look(lambda: stream(kind, steps), np.zeros(steps), np.eye(steps)[0], score=lambda outputs: -(outputs @ weights))


def user_zero(users):
    """All users at 0, and user 0 at 1."""
    return np.zeros((users, 1)), np.eye(users, 1)


LOW, HIGH, ZERO = [[-1.0, -1.0]], [[1.0, 1.0]], [[0.0, 0.0]]
ONE, NONE = [[1.0], [0.0], [0.0]], [[0.0], [0.0], [0.0]]
WILD = ([[50.0, 50.0]], [[-50.0, -50.0]])
LINE, HALF = P.Box(1, -1.0, 1.0), P.Box(1, -0.5, 0.5)
ANGLE = math.pi / 12  # the two users of linear statistics who are furthest apart
FURTHEST = (P.LinearStatistics(2).encode([[math.cos(ANGLE), math.sin(ANGLE)]], [1.0]),
            P.LinearStatistics(2).encode([[math.sin(ANGLE), math.cos(ANGLE)]], [-1.0]))
CROWD = 3000
GAUSSIAN_MESSAGE = Look(lambda: message(P.LocalGaussian(1, EPSILON, DELTA, domain=PLANE)), LOW, HIGH, 300_000, score=low)
GAUSSIAN_SUM = Look(lambda: P.CentralGaussian(2, EPSILON, DELTA, domain=PLANE), LOW + LOW, LOW + HIGH, 300_000, score=low)
LAPLACE_MESSAGE = Look(lambda: message(P.LocalLaplace(1, EPSILON, domain=PLANE)), LOW, HIGH, 300_000,
                       score=laplace_ratio(-1.0, 1.0), delta=0.0)
LAPLACE_SUM = Look(lambda: P.CentralLaplace(2, EPSILON, domain=PLANE), LOW * 2, LOW + HIGH, 300_000, score=laplace_ratio(-2.0, 0.0))


def enough(found, needed):
    assert found >= needed, f"{found} is less than {needed}"


def bit_delta(p, epsilon):
    """Exact delta of a sum of integers up to the levels and of the noise bits of all users."""
    return exact_delta.divergence(exact_delta.pairs(p.users * p.noise_bits.rare, p.noise_bits.p), epsilon, p.levels)


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
RARER = "the audit of 0.7 fails it with thirty times as many runs"
SECOND = "the shuffler mixes them: a second line of defence is gone, and the first one holds"
# Fault: what plants it, the check that fails, for which mechanism; how an audit sees it, or why none does. Where published
# constants or a bound leave so much room that what is left is private still, that is computed.
FAULTS: dict[str, tuple[Callable[[Any], None], str, str, Any]] = {
    "UserNoise.randomize times 0.9": (louder(UserNoise, "randomize", 0.9), "messages", "LocalGaussian", GAUSSIAN_MESSAGE),
    "P_Amp's randomize times 0.9": (louder(UserNoise, "randomize", 0.9), "messages", "AmplifiedGaussian", SLACK),
    "returning users' noise times 0.9": (
        louder(UserNoise, "randomize", 0.9), "messages", "ReturningLocalGaussian", Look(  # all four messages of hers
            lambda: message(ReturningLocalGaussian(1, 4, EPSILON, DELTA, domain=PLANE), 4), LOW, HIGH, 200_000, score=low)),
    "LocalLaplace.randomize times 0.9": (louder(P.LocalLaplace, "randomize", 0.9), "messages", "LocalLaplace", LAPLACE_MESSAGE),
    "GaussianNoise.release_sum times 0.9": (louder(GaussianNoise, "release_sum", 0.9), "sums", "CentralGaussian", GAUSSIAN_SUM),
    "CentralLaplace.release_sum times 0.9": (louder(P.CentralLaplace, "release_sum", 0.9), "sums", "CentralLaplace", LAPLACE_SUM),
    "noise bits of messages times 0.9": (
        bits_with(0.9, "draw"), "sums", "BinarySum", Look(lambda: bits(P.BinarySum(3, EPSILON, DELTA)), NONE, ONE, 300_000)),
    "noise bits of sums times 0.9": (both(bits_with(0.9, "draw_sum"), bits_with(0.9, "simulate_sum")), "sums", "ScalarSum",
        Look(lambda: tally(P.ScalarSum(3, EPSILON, DELTA, levels=3)), NONE, ONE, 300_000)),
    "lies 0.9 as likely": (lying(0.9), "messages", "RandomizedResponse",
        Look(lambda: message(P.RandomizedResponse(1, EPSILON, DELTA)), [[1.0]], [[0.0]], 300_000)),
    "shares of discrete Laplace noise times 0.9": (secure_times(P.DiscreteLaplaceSum, 0.9), "sums", "DiscreteLaplaceSum",
        Look(lambda: tally(P.DiscreteLaplaceSum(3, EPSILON)), NONE, ONE, 300_000)),
    "shares of Skellam noise times 0.9": (secure_times(P.SkellamSum, 0.9), "sums", "SkellamSum",
        Look(lambda: tally(P.SkellamSum(3, EPSILON, DELTA)), NONE, ONE, 300_000)),
    "one user adds the noise of all": (instead(P.LocalLaplace, "randomize", noise_of_one_user), "messages", "LocalLaplace",
        Look(lambda: P.LocalLaplace(3, EPSILON, domain=PLANE), LOW * 3, LOW + HIGH + LOW, view="one user", user=1)),
    "zeros released as they are": (changed(Privatizer, "release", bare_zeros), "sums", "CentralGaussian",
        Look(lambda: one_by_one(P.CentralGaussian(3, EPSILON, DELTA, domain=PLANE)), ZERO * 3, HIGH + ZERO * 2)),
    "l2 sensitivity halved": (halved(P.Box, "l2_diameter"), "calibration", "CentralGaussian", GAUSSIAN_SUM),
    "l1 sensitivity halved": (halved(P.Box, "l1_diameter"), "calibration", "CentralLaplace", LAPLACE_SUM),
    "sqrt 6 over 2 for linear statistics": (
        instead(P.LinearStatistics, "l2_diameter", math.sqrt(6) / 2), "linear statistics", "CentralGaussian", Look(
            lambda: P.CentralGaussian(1, EPSILON, DELTA, domain=P.LinearStatistics(2)), *FURTHEST, 20_000,
            score=lambda outputs: outputs @ (FURTHEST[0] - FURTHEST[1])[0])),
    "tree delta not split": (
        changed(tree, "classical_gaussian_noise_std", lambda exact: lambda e, d, *rest, **more: exact(e, d * 20, *rest, **more)),
        "theorem split", "TreeCounter", lambda: enough(
            C.TreeCounter(1000, 0.5, 1e-4, calibration="theorem").noise_std, math.sqrt(10) * gaussian_noise_std(0.5, 1e-4, 1.0))),
    "returning users counted once": (changed(P.VectorSum, "_certify", one_batch_of_four), "calibration", "ReturningVectorSum", Look(
            lambda: bits(ReturningVectorSum(20, 4, EPSILON, DELTA, domain=PLANE, levels=3), 4), LOW * 20, HIGH + LOW * 19, 4_000,
            score=low)),
    "published bits a third of them ones": (changed(scalar_sum, "theorem_bits", third), "theorem split", "ScalarSum",
        lambda: enough(0.1, bit_delta(P.ScalarSum(100, 8.0, 0.1, "theorem", domain=LINE), 8.0))),
    "published bits without the floor of two levels": (
        changed(scalar_sum, "theorem_bits", one_level), "theorem split", "small ScalarSum",
        lambda: enough(1e-3, bit_delta(P.ScalarSum(1, 29.9, 1e-6, "theorem", domain=HALF), 29.9))),
    "Laplace vectors that use delta": (laplace_with(0.3), "theorem split", "LaplaceVector",
        lambda: enough(0.3, laplace_plane_delta(P.CentralLaplace(2, EPSILON, 0.3, domain=PLANE).scale))),
    "the theorem's Laplace noise that uses delta": (laplace_with(0.3), "theorem split", "LaplaceTheorem",
        Look(lambda: message(P.LocalLaplace(1, EPSILON, 0.3, "theorem", domain=LINE)), [[-1.0]], [[1.0]], 20_000, delta=0.0)),
    "Laplace numbers that do not use delta": (laplace_with(0.0), "theorem split", "LaplaceNumber", MORE_NOISE),
    "P_Amp's local delta is free": (cheaper(0), "amplification", "AmplifiedGaussian", SLACK),
    "P_Amp's noise for twice the local delta": (
        searched("gaussian_noise_std", lambda exact: lambda epsilon, delta, *rest: exact(epsilon, 2 * delta, *rest)),
        "amplification", "AmplifiedGaussian", SLACK),
    "P_Amp's crowd doubled": (searched("reached", lambda exact: lambda local, users, *rest: exact(local, 2 * users, *rest)),
        "amplification", "AmplifiedGaussian", SLACK),
    "P_Amp counts everybody as honest": (
        searched("honest_users", lambda exact: lambda users, fraction: users), "amplification", "AmplifiedGaussian", SLACK),
    "last cut batch released": (
        changed(LiveArms, "_take", last_batch_too), "cut batch", "SDP-AE", "what is released is told to nobody yet"),
    "nodes of the tree redrawn": (instead(Counter, "add", drawn_afresh), "counters", "TreeCounter", redrawn(C.TreeCounter, 32)),
    "counter noise times 0.9": (counter_times(0.9), "counters", "TreeCounter", RARER),
    "counter noise times 0.7": (counter_times(0.7), "counters", "TreeCounter", one_step(C.TreeCounter, 8)),
    "clipping dropped": (instead(P.Box, "clip", lambda self, array: array), "clipping", "CentralGaussian",
        Look(lambda: P.CentralGaussian(1, EPSILON, DELTA, domain=PLANE, clip=True), *WILD)),
    "values not checked": (instead(P.Box, "check", lambda self, array, name="values": None), "clipping", "CentralLaplace",
        "the audit of what is right is refused: such values are no neighbours"),
    "one user twice": (changed(Privatizer, "release", twice), "each user once", "CentralGaussian", Look(
            lambda: one_by_one(P.CentralGaussian(3, EPSILON, DELTA, domain=PLANE)), LOW * 3, HIGH + LOW * 2, 4_000, score=low)),
    "P_Amp does not shuffle": (
        instead(P.AmplifiedGaussian, "shuffle", lambda self, messages, rng: messages), "order", "AmplifiedGaussian",
        Look(lambda: P.AmplifiedGaussian(CROWD, 0.5, 1e-3), *user_zero(CROWD), 3_000, view="first message", score=low)),
    "M_sum does not shuffle": (instead(P.BinarySum, "shuffle", lambda self, messages, rng: messages.ravel()), "order", "BinarySum",
        Look(lambda: P.BinarySum(50, EPSILON, DELTA), *user_zero(50), view="first message")),
    "M_sum mixes users as blocks": (
        instead(P.BinarySum, "shuffle", users_in_blocks), "order", "BinarySum", Look(  # the ones at the first place of a user
            lambda: P.BinarySum(50, EPSILON, DELTA), *user_zero(50), view="messages",
            score=lambda outputs: -outputs[:, ::3].sum(axis=1))),
    "the value's bits first": (instead(BitSum, "randomize", in_order), "own order", "VectorSum", SECOND),
}
