"""Privacy faults planted through the public methods, each of which a named check must catch; without a fault, all checks pass."""

import math

import numpy as np
import pytest

from bandits_dp import continual as C
from bandits_dp import privatizers as P
from bandits_dp.continual.base import Counter
from bandits_dp.live.arms import LiveArms
from bandits_dp.privatizers.base import Privatizer
from bandits_dp.privatizers.bit_sum import BitSum
from bandits_dp.privatizers.gaussian import GaussianNoise, UserNoise
from bandits_dp.privatizers.noise_bits import NoiseBits
from tests.noise_checks import TABLE

ALL = [(check, name) for check, (_, names) in TABLE.items() for name in names]


@pytest.mark.parametrize(("check", "name"), ALL)
def test_every_check_passes_without_a_fault(check, name):
    TABLE[check][0](name)


def louder(kind, method, factor):
    """Multiply what ``method`` adds to the values, or to their sum, by a factor."""
    def plant(patch):
        exact = getattr(kind, method)

        def faulty(self, values, rng, *rest):
            added = exact(self, values, rng, *rest)
            plain = np.asarray(values, dtype=float)
            return plain + factor * (added - plain)

        patch.setattr(kind, method, faulty)
    return plant


def bits_with(factor, method):
    """Draw noise bits of a std that is so many times the declared one, and of the declared mean: pairs have the same for any p."""
    def plant(patch):
        exact = getattr(NoiseBits, method)

        def faulty(self, *given):
            variance = factor**2 * self.p * (1 - self.p)
            return exact(self._replace(p=(1 - math.sqrt(1 - 4 * variance)) / 2), *given)
        patch.setattr(NoiseBits, method, faulty)
    return plant


def instead(kind, name, value):
    """Put something else in the place of a method or property."""
    return lambda patch: patch.setattr(kind, name, value)


def halved(kind, name):
    """Halve a property."""
    def plant(patch):
        exact = getattr(kind, name)
        patch.setattr(kind, name, property(lambda self: exact.fget(self) / 2))
    return plant


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


def redrawn(patch):
    """Draw all noise afresh at every running sum, as Wang, Zhao, Wang 2022 do."""
    def faulty(self, value, rng):
        self.exact = np.asarray(value, dtype=float) + (self.exact if self.steps else 0)
        self.steps += 1
        return self.exact + self.noise_path(rng, self.steps)[-1]
    patch.setattr(Counter, "add", faulty)


def noise_of_one_user(self, values, rng):
    """User 0 adds the noise of all, and the others send what they have: the sum is right."""
    sent = self.check(values).copy()
    sent[0] += rng.laplace(0, self.scale, (self.users, self.dimension)).sum(axis=0)
    return sent


def zero_is_bare(patch):
    """Release a batch of zeros as it is: it needs no noise, or so it seemed."""
    exact = Privatizer.release

    def faulty(self, values, rng, fidelity="aggregate"):
        array = np.asarray(values, dtype=float)
        return exact(self, values, rng, fidelity) if array.any() else np.zeros(self.dimension)
    patch.setattr(Privatizer, "release", faulty)


def first_user_twice(patch):
    """Let the message of the first user take the place of the second one's."""
    exact = Privatizer.release

    def faulty(self, values, rng, fidelity="aggregate"):
        array = np.array(values, dtype=float)
        array[1] = array[0]
        return exact(self, array, rng, fidelity)
    patch.setattr(Privatizer, "release", faulty)


def last_batch_too(patch):
    """Release what is left of a batch when the horizon is reached."""
    exact = LiveArms._take

    def faulty(self, ticket, answers, rng):
        privatizer = self.privatizers[0]
        exact(self, ticket, answers, rng)
        if self.played == self.horizon:
            privatizer.receive(privatizer.send(np.resize(answers, (privatizer.users, 1)), rng), rng)
    patch.setattr(LiveArms, "_take", faulty)


def within_users(self, messages, rng):
    """Mix each user's bits, and no two users': a permutation within a message."""
    mixed = rng.permuted(messages, axis=-1)
    return mixed.ravel() if mixed.ndim == 2 else mixed.transpose(1, 0, 2).reshape(self.dimension, -1)


def users_in_blocks(self, messages, rng):
    """Mix the users, and keep each one's bits together: a permutation across messages."""
    mixed = rng.permutation(messages)
    return mixed.ravel() if mixed.ndim == 2 else mixed.transpose(1, 0, 2).reshape(self.dimension, -1)


def in_order(patch):
    """Send the value's bits first."""
    def faulty(self, values, rng):
        integers = self._round(self.check(values), rng)
        unary = np.arange(self.levels) < integers[:, :, None]
        return np.concatenate([unary.astype(np.uint8), self.noise_bits.draw(integers.shape, rng)], axis=2)
    patch.setattr(BitSum, "randomize", faulty)


def lying(factor):
    """Lie more or less often than declared."""
    def plant(patch):
        def faulty(self, values, rng):
            bits = self.check(values).astype(np.uint8)
            return bits ^ (rng.random(bits.shape) < (1 - self.truth) * factor)
        patch.setattr(P.RandomizedResponse, "randomize", faulty)
    return plant


def secure_times(kind, factor):
    """Scale the noise of secure aggregation about so: each unit of it is dropped, or doubled, now and then."""
    def plant(patch):
        exact = kind._draw

        def faulty(self, users, shape, rng):
            noise = exact(self, users, shape, rng)
            some = rng.binomial(abs(noise), abs(factor - 1))
            return noise + int(math.copysign(1, factor - 1)) * np.sign(noise) * some
        patch.setattr(kind, "_draw", faulty)
    return plant


def delta_not_split(patch):
    """Give every level of the tree all of delta."""
    from bandits_dp.continual import tree

    exact = tree.classical_gaussian_noise_std
    patch.setattr(tree, "classical_gaussian_noise_std", lambda e, d, *rest, **more: exact(e, d * 20, *rest, **more))


def one_batch_of_four(patch):
    """Count the counts of one batch where a user is in four."""
    from bandits_dp.privatizers import VectorSum

    exact = VectorSum._certify
    patch.setattr(VectorSum, "_certify", lambda self, g, n, e, d, batches=1: exact(self, g, n, e, d))


def third(patch):
    """Make a third of the published bits ones, and not a half."""
    from bandits_dp.privatizers import scalar_sum

    exact = scalar_sum.theorem_bits

    def faulty(*given):
        levels, bits = exact(*given)
        return levels, bits._replace(p=bits.p * 2 / 3)
    patch.setattr(scalar_sum, "theorem_bits", faulty)


def one_level(patch):
    """Leave out the floor of two levels."""
    from bandits_dp.privatizers import scalar_sum

    exact = scalar_sum.theorem_bits

    def faulty(users, epsilon, delta, half_range):
        return max(1, math.ceil(2 * half_range * math.sqrt(users))), exact(users, epsilon, delta, half_range)[1]
    patch.setattr(scalar_sum, "theorem_bits", faulty)


def laplace_with(delta):
    """Calibrate Laplace noise to some delta, whoever asks."""
    def plant(patch):
        from bandits_dp.privatizers import laplace

        exact = laplace.laplace_scale
        patch.setattr(laplace, "laplace_scale", lambda epsilon, _, sensitivity: exact(epsilon, delta, sensitivity))
    return plant


def amplified(name, faulty):
    """Put ``faulty(exact)`` in the place of a function that the search for P_Amp's noise uses."""
    def plant(patch):
        from bandits_dp.privatizers import amplified

        patch.setattr(amplified, "certified_unit_std", amplified.certified_unit_std.__wrapped__)  # which remembers nothing
        patch.setattr(amplified, name, faulty(getattr(amplified, name)))
    return plant


def cheaper(share):
    """Charge so much of the local delta only."""
    return lambda exact: lambda local, users, epsilon, delta, local_delta: exact(local, users, epsilon, delta, local_delta * share)


FAULTS = {
    "UserNoise.randomize times 0.9": (louder(UserNoise, "randomize", 0.9), "messages", "LocalGaussian"),
    "UserNoise.randomize times 1.1": (louder(UserNoise, "randomize", 1.1), "messages", "LocalGaussian"),
    "P_Amp's randomize times 0.9": (louder(UserNoise, "randomize", 0.9), "messages", "AmplifiedGaussian"),
    "returning users' noise times 0.9": (louder(UserNoise, "randomize", 0.9), "messages", "ReturningLocalGaussian"),
    "LocalLaplace.randomize times 0.9": (louder(P.LocalLaplace, "randomize", 0.9), "messages", "LocalLaplace"),
    "LocalLaplace.randomize times 1.1": (louder(P.LocalLaplace, "randomize", 1.1), "messages", "LocalLaplace"),
    "GaussianNoise.release_sum times 0.9": (louder(GaussianNoise, "release_sum", 0.9), "sums", "CentralGaussian"),
    "GaussianNoise.release_sum times 1.1": (louder(GaussianNoise, "release_sum", 1.1), "sums", "LocalGaussian"),
    "CentralLaplace.release_sum times 0.9": (louder(P.CentralLaplace, "release_sum", 0.9), "sums", "CentralLaplace"),
    "CentralLaplace.release_sum times 1.1": (louder(P.CentralLaplace, "release_sum", 1.1), "sums", "CentralLaplace"),
    "noise bits of messages times 0.9": (bits_with(0.9, "draw"), "sums", "BinarySum"),
    "noise bits of numbers times 0.9": (bits_with(0.9, "draw"), "sums", "ScalarSum"),
    "noise bits of sums times 0.9": (bits_with(0.9, "draw_sum"), "sums", "ScalarSum"),
    "noise bits of bits' sums times 0.9": (bits_with(0.9, "draw_sum"), "sums", "BinarySum"),
    "lies 0.9 as likely": (lying(0.9), "messages", "RandomizedResponse"),
    "lies 1.1 as likely": (lying(1.1), "messages", "RandomizedResponse"),
    "shares of discrete Laplace noise times 0.9": (secure_times(P.DiscreteLaplaceSum, 0.9), "sums", "DiscreteLaplaceSum"),
    "shares of Skellam noise times 0.9": (secure_times(P.SkellamSum, 0.9), "sums", "SkellamSum"),
    "shares of Skellam noise times 1.1": (secure_times(P.SkellamSum, 1.1), "sums", "SkellamSum"),
    "one user adds the noise of all": (instead(P.LocalLaplace, "randomize", noise_of_one_user), "messages", "LocalLaplace"),
    "zeros released as they are": (zero_is_bare, "sums", "CentralGaussian"),
    "zeros released as they are, by bits": (zero_is_bare, "sums", "BinarySum"),
    "l2 sensitivity halved": (halved(P.Box, "l2_diameter"), "calibration", "CentralGaussian"),
    "l2 sensitivity halved, local": (halved(P.Box, "l2_diameter"), "calibration", "LocalGaussian"),
    "l1 sensitivity halved": (halved(P.Box, "l1_diameter"), "calibration", "CentralLaplace"),
    "Laplace vectors calibrated to l2": (
        instead(P.Box, "l1_diameter", property(lambda self: 2 * math.sqrt(self.dimension))), "calibration", "CentralLaplace"),
    "sqrt 6 over 2 for linear statistics": (
        instead(P.LinearStatistics, "l2_diameter", math.sqrt(6) / 2), "linear statistics", "CentralGaussian"),
    "tree delta not split": (delta_not_split, "theorem split", "TreeCounter"),
    "returning users counted once": (one_batch_of_four, "calibration", "ReturningVectorSum"),
    "published bits a third of them ones": (third, "theorem split", "ScalarSum"),
    "published bits without the floor of two levels": (one_level, "theorem split", "small ScalarSum"),
    "Laplace vectors that use delta": (laplace_with(0.3), "theorem split", "LaplaceVector"),
    "the theorem's Laplace noise that uses delta": (laplace_with(0.3), "theorem split", "LaplaceTheorem"),
    "Laplace numbers that do not use delta": (laplace_with(0.0), "theorem split", "LaplaceNumber"),
    "P_Amp's local delta is free": (amplified("reached", cheaper(0)), "amplification", "AmplifiedGaussian"),
    "P_Amp's local delta of one user for all": (
        amplified("reached", cheaper(1 / 300)), "amplification", "AmplifiedGaussian"),
    "nine tenths of P_Amp's local delta": (
        amplified("reached", cheaper(0.9)), "amplification", "AmplifiedGaussian"),
    "P_Amp's noise for twice the local delta": (
        amplified("gaussian_noise_std", lambda exact: lambda epsilon, delta, *rest: exact(epsilon, 2 * delta, *rest)),
        "amplification", "AmplifiedGaussian"),
    "P_Amp's crowd doubled": (
        amplified("reached", lambda exact: lambda local, users, *rest: exact(local, 2 * users, *rest)),
        "amplification", "AmplifiedGaussian"),
    "P_Amp counts everybody as honest": (
        amplified("honest_users", lambda exact: lambda users, fraction: users), "amplification", "AmplifiedGaussian"),
    "last cut batch released": (last_batch_too, "cut batch", "SDP-AE"),
    "nodes of the tree redrawn": (redrawn, "counters", "TreeCounter"),
    "draws of the factorization redrawn": (redrawn, "counters", "FactorizationCounter"),
    "nodes of the hybrid redrawn": (redrawn, "counters", "HybridCounter"),
    "counter noise times 0.9": (counter_times(0.9), "counters", "TreeCounter"),
    "counter noise times 0.7": (counter_times(0.7), "counters", "TreeCounter"),
    "factorization noise times 0.7": (counter_times(0.7), "counters", "FactorizationCounter"),
    "counter noise times 1.1": (counter_times(1.1), "counters", "NaiveCounter"),
    "factorization noise times 0.9": (counter_times(0.9), "counters", "FactorizationCounter"),
    "clipping dropped": (instead(P.Box, "clip", lambda self, array: array), "clipping", "CentralGaussian"),
    "clipping dropped, local": (instead(P.Box, "clip", lambda self, array: array), "clipping", "LocalLaplace"),
    "values not checked": (instead(P.Box, "check", lambda self, array, name="values": None), "clipping", "CentralLaplace"),
    "one user twice": (first_user_twice, "each user once", "CentralGaussian"),
    "one user twice, by bits": (first_user_twice, "each user once", "BinarySum"),
    "one user twice, by shares": (first_user_twice, "each user once", "SkellamSum"),
    "P_Amp does not shuffle": (
        instead(P.AmplifiedGaussian, "shuffle", lambda self, messages, rng: messages), "order", "AmplifiedGaussian"),
    "P_Amp rotates": (instead(P.AmplifiedGaussian, "shuffle", lambda self, messages, rng: np.roll(
        messages, rng.integers(len(messages)), axis=0)), "order", "AmplifiedGaussian"),
    "M_sum does not shuffle": (instead(P.BinarySum, "shuffle", lambda self, messages, rng: messages.ravel()), "order", "BinarySum"),
    "M_sum mixes within users": (instead(P.BinarySum, "shuffle", within_users), "order", "BinarySum"),
    "M_sum mixes users as blocks": (instead(P.BinarySum, "shuffle", users_in_blocks), "order", "BinarySum"),
    "P_1D mixes within users": (instead(BitSum, "shuffle", within_users), "order", "ScalarSum"),
    "P_Vec mixes users as blocks": (instead(BitSum, "shuffle", users_in_blocks), "order", "VectorSum"),
    "the value's bits first": (in_order, "own order", "VectorSum"),
    "the number's bits first": (in_order, "own order", "ScalarSum"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_every_planted_fault_is_caught_by_name(fault, monkeypatch):
    """The named check fails for the named mechanism, by an assertion of its own."""
    plant, check, name = FAULTS[fault]
    plant(monkeypatch)
    with pytest.raises(AssertionError):
        TABLE[check][0](name)


def test_the_table_covers_what_was_asked_for():
    """Every check has a fault that it catches, and no mechanism with a shuffler, counter or user's noise is left out."""
    assert {check for _, check, _ in FAULTS.values()} == set(TABLE)
    assert {C.TreeCounter.__name__, C.FactorizationCounter.__name__} <= {name for _, check, name in FAULTS.values()}
    assert {P.CentralGaussian.__name__, P.ScalarSum.__name__} <= {name for _, _, name in FAULTS.values()}
