"""Privacy faults, planted through the public methods: the check that catches each by name, and how an audit sees it, if it does."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import bandits_dp as bdp
from bandits_dp import continual as C
from bandits_dp import privatizers as P
from bandits_dp.app.sums import SumsApp
from bandits_dp.continual.base import Counter
from bandits_dp.noise.noise_bits import NoiseBits
from bandits_dp.privatizers import amplified, laplace
from bandits_dp.privatizers.base import Privatizer
from bandits_dp.privatizers.bit_sum import BitSum
from bandits_dp.privatizers.gaussian import GaussianNoise, UserNoise
from bandits_dp.privatizers.returning import ReturningLocalGaussian, ReturningVectorSum
from tests.noise_checks import DELTA, EPSILON, PLANE
from tests.planted_learners import FAR
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


def laplace_with(delta):
    """Calibrate Laplace noise to some delta, whoever asks."""
    return changed(laplace, "laplace_scale", lambda exact: lambda epsilon, _, sensitivity: exact(epsilon, delta, sensitivity))


def free_local_delta(patch):
    """Charge nothing for the local delta in the search for P_Amp's noise."""
    patch.setattr(amplified, "certified_unit_std", amplified.certified_unit_std.__wrapped__)  # which remembers nothing
    changed(amplified, "reached", lambda exact: lambda *given: exact(*given[:4], 0.0))(patch)


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


def one_by_one(privatizer):
    """The released sum through ``release``, made of messages."""
    return lambda values, rng: privatizer.release(values, rng, "messages")


def simulated(privatizer):
    """The sum as a simulator draws it, in many runs together."""
    return bdp.Vectorized(lambda values, rng, runs: privatizer.release_sum(np.tile(np.sum(values, axis=0), (runs, 1)), rng))


def received(privatizer):
    """What a server releases of what users send, in many runs together."""
    def draw(values, rng, runs):
        sent = privatizer.send(np.tile(privatizer.check(values), (runs, 1)), rng)
        return privatizer.receive(sent.reshape(runs, privatizer.users, -1).sum(axis=1), rng)
    return bdp.Vectorized(draw)


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
LINE = P.Box(1, -1.0, 1.0)
FURTHEST = [P.LinearStatistics(2).encode([phi], [y]) for phi, y in zip(FAR, (1.0, -1.0), strict=True)]
CROWD = 3000
GAUSSIAN_MESSAGE = Look(lambda: message(P.LocalGaussian(1, EPSILON, DELTA, domain=PLANE)), LOW, HIGH, 300_000, score=low)
GAUSSIAN_SUM = Look(lambda: simulated(P.CentralGaussian(2, EPSILON, DELTA, domain=PLANE)), LOW + LOW, LOW + HIGH, 300_000,
                    score=low)
LAPLACE_MESSAGE = Look(lambda: message(P.LocalLaplace(1, EPSILON, domain=PLANE)), LOW, HIGH, 300_000,
                       score=laplace_ratio(-1.0, 1.0), delta=0.0)
LAPLACE_SUM = Look(lambda: simulated(P.CentralLaplace(2, EPSILON, domain=PLANE)), LOW * 2, LOW + HIGH, 300_000,
                   score=laplace_ratio(-2.0, 0.0), delta=0.0)


# Fault: what plants it, the check that fails, for which mechanism, and how an audit sees it, if one does.
FAULTS: dict[str, tuple[Callable[[Any], None], str, str, Look | None]] = {
    "UserNoise.randomize times 0.9": (louder(UserNoise, "randomize", 0.9), "messages", "LocalGaussian", GAUSSIAN_MESSAGE),
    "P_Amp's randomize times 0.9": (louder(UserNoise, "randomize", 0.9), "messages", "AmplifiedGaussian", None),
    "returning users' noise times 0.9": (
        louder(UserNoise, "randomize", 0.9), "messages", "ReturningLocalGaussian", Look(  # all four messages of hers
            lambda: message(ReturningLocalGaussian(1, 4, EPSILON, DELTA, domain=PLANE), 4), LOW, HIGH, 200_000, score=low)),
    "LocalLaplace.randomize times 0.9": (louder(P.LocalLaplace, "randomize", 0.9), "messages", "LocalLaplace", LAPLACE_MESSAGE),
    "GaussianNoise.release_sum times 0.9": (louder(GaussianNoise, "release_sum", 0.9), "sums", "CentralGaussian", GAUSSIAN_SUM),
    "CentralLaplace.release_sum times 0.9": (louder(P.CentralLaplace, "release_sum", 0.9), "sums", "CentralLaplace", LAPLACE_SUM),
    "noise bits of messages times 0.9": (
        bits_with(0.9, "draw"), "sums", "BinarySum", Look(lambda: bits(P.BinarySum(3, EPSILON, DELTA)), NONE, ONE, 300_000)),
    "noise bits of sums times 0.9": (both(bits_with(0.9, "draw_sum"), bits_with(0.9, "simulate_sum")), "sums", "ScalarSum",
        Look(lambda: received(P.ScalarSum(3, EPSILON, DELTA, levels=3)), NONE, ONE, 300_000)),
    "lies 0.9 as likely": (lying(0.9), "messages", "RandomizedResponse",
        Look(lambda: message(P.RandomizedResponse(1, EPSILON, DELTA)), [[1.0]], [[0.0]], 300_000)),
    "shares of discrete Laplace noise times 0.9": (secure_times(P.DiscreteLaplaceSum, 0.9), "sums", "DiscreteLaplaceSum",
        Look(lambda: received(P.DiscreteLaplaceSum(3, EPSILON)), NONE, ONE, 300_000, delta=0.0)),
    "shares of Skellam noise times 0.9": (secure_times(P.SkellamSum, 0.9), "sums", "SkellamSum",
        Look(lambda: received(P.SkellamSum(3, EPSILON, DELTA)), NONE, ONE, 300_000)),
    "one user adds the noise of all": (instead(P.LocalLaplace, "randomize", noise_of_one_user), "messages", "LocalLaplace",
        Look(lambda: P.LocalLaplace(3, EPSILON, domain=PLANE), LOW * 3, LOW + HIGH + LOW, view="one user", user=1)),
    "zeros released as they are": (changed(Privatizer, "release", bare_zeros), "sums", "CentralGaussian",
        Look(lambda: one_by_one(P.CentralGaussian(3, EPSILON, DELTA, domain=PLANE)), ZERO * 3, HIGH + ZERO * 2)),
    "l2 sensitivity halved": (halved(P.Box, "l2_diameter"), "calibration", "CentralGaussian", Look(
        lambda: P.CentralGaussian(2, EPSILON, DELTA, domain=PLANE), LOW + LOW, LOW + HIGH, score=low)),
    "sqrt 6 over 2 for linear statistics": (
        instead(P.LinearStatistics, "l2_diameter", math.sqrt(6) / 2), "linear statistics", "CentralGaussian", Look(
            lambda: received(P.CentralGaussian(1, EPSILON, DELTA, domain=P.LinearStatistics(2))), *FURTHEST, 20_000,
            score=lambda outputs: outputs @ (FURTHEST[0] - FURTHEST[1])[0])),
    "returning users counted once": (changed(P.VectorSum, "_certify", one_batch_of_four), "calibration", "ReturningVectorSum", Look(
            lambda: bits(ReturningVectorSum(20, 4, EPSILON, DELTA, domain=PLANE, levels=3), 4), LOW * 20, HIGH + LOW * 19, 4_000,
            score=low)),
    "the theorem's Laplace noise that uses delta": (laplace_with(0.3), "theorem split", "LaplaceTheorem",
        Look(lambda: message(P.LocalLaplace(1, EPSILON, 0.3, "theorem", domain=LINE)), [[-1.0]], [[1.0]], 20_000, delta=0.0)),
    "P_Amp's local delta is free": (free_local_delta, "amplification", "AmplifiedGaussian", None),
    "last cut batch released": (
        changed(SumsApp, "_take", last_batch_too), "cut batch", "SDP-AE", None),
    "nodes of the tree redrawn": (instead(Counter, "add", drawn_afresh), "counters", "TreeCounter", redrawn(C.TreeCounter, 32)),
    "counter noise times 0.9": (counter_times(0.9), "counters", "TreeCounter", None),
    "counter noise times 0.7": (counter_times(0.7), "counters", "TreeCounter", one_step(C.TreeCounter, 8)),
    "clipping dropped": (instead(P.Box, "clip", lambda self, array: array), "clipping", "CentralGaussian",
        Look(lambda: P.CentralGaussian(1, EPSILON, DELTA, domain=PLANE, clip=True), *WILD)),
    "values not checked": (instead(P.Box, "check", lambda self, array, name="values": None), "clipping", "CentralLaplace", None),
    "one user twice": (changed(Privatizer, "release", twice), "each user once", "CentralGaussian", Look(
            lambda: one_by_one(P.CentralGaussian(3, EPSILON, DELTA, domain=PLANE)), LOW * 3, HIGH + LOW * 2, 4_000, score=low)),
    "P_Amp does not shuffle": (
        instead(P.AmplifiedGaussian, "shuffle", lambda self, messages, rng: messages), "order", "AmplifiedGaussian",
        Look(lambda: P.AmplifiedGaussian(CROWD, 0.5, 1e-3), *user_zero(CROWD), 1_500, view="first message", score=low)),
    "M_sum does not shuffle": (instead(P.BinarySum, "shuffle", lambda self, messages, rng: messages.ravel()), "order", "BinarySum",
        Look(lambda: P.BinarySum(50, EPSILON, DELTA), *user_zero(50), view="first message")),
    "M_sum mixes users as blocks": (
        instead(P.BinarySum, "shuffle", users_in_blocks), "order", "BinarySum", Look(  # the ones at the first place of a user
            lambda: P.BinarySum(50, EPSILON, DELTA), *user_zero(50), view="messages",
            score=lambda outputs: -outputs[:, ::3].sum(axis=1))),
    "the value's bits first": (instead(BitSum, "randomize", in_order), "own order", "VectorSum", None),
}
