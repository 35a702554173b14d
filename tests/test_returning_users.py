"""Returning users and batch sizes by name: composition against exact sums, formulas by hand, and the learners built with them."""

import math
import re

import numpy as np
import pytest

import bandits_dp as bdp
from bandits_dp.accounting.composition import optimal_composition
from bandits_dp.contextual.batches import SIZES, balanced_batch_size, named_batch_size
from bandits_dp.contextual.problems import ContextualLinear
from bandits_dp.privatizers import AmplifiedGaussian, LinearStatistics, LocalGaussian, VectorSum
from bandits_dp.privatizers import returning as R

LINEAR = LinearStatistics(5)
PROBLEM = ContextualLinear(arms=10, dimension=3)


# Composition
@pytest.mark.parametrize("share", (0.1, 0.9))
def test_batches_compose_to_what_is_left_of_delta_and_no_more(share):
    """M batches use 1 - (1 - d)^M of delta; the composed epsilon is the least for what is left, on both sides of it."""
    each, batches, delta = 0.1, 10, 1e-3
    each_delta = share * delta / batches
    left = 1 - (1 - delta) / (1 - each_delta) ** batches
    least, together = optimal_composition(each, each_delta, batches, left)
    assert together == pytest.approx(delta, rel=1e-9) and least < batches * each * 0.99
    assert R.composes(each, each_delta, batches, least * (1 + 1e-6), delta)
    assert not R.composes(each, each_delta, batches, least * (1 - 1e-6), delta)
    assert not R.composes(each, 1.01 * delta / batches, batches, 100.0, delta)  # nothing is left
    assert not R.composes(1e6, each_delta, batches, 1e7 * 0.99, delta)  # too large for composition, and the sum is above


def test_amplified_is_best_of_two():
    """Large batches are amplified, and small ones compose without amplification; the guarantee says which."""
    small = R.ReturningAmplifiedGaussian(20, 50, 1.0, 0.1, domain=LINEAR)
    local = R.ReturningLocalGaussian(20, 50, 1.0, 0.1, domain=LINEAR)
    assert small.unit_std == local.unit_std and "amplified" not in small.guarantee.reason
    large = R.ReturningAmplifiedGaussian(2000, 10, 1.0, 0.1, domain=LINEAR)
    assert large.unit_std < 0.6 * R.ReturningLocalGaussian(2000, 10, 1.0, 0.1, domain=LINEAR).unit_std
    assert "amplified" in large.guarantee.reason
    assert large.unit_std > AmplifiedGaussian(2000, 1.0, 0.1, domain=LINEAR).unit_std


def test_theorem_noise_of_returning_users():
    """Each batch has the printed noise at (epsilon_m, delta_m), and the promise is about all of them, if there is one."""
    each = R.per_batch(0.5, 0.1, 20)
    assert R.per_batch(100.0, 0.49, 20, strict=False)[1] == 0.49 / 40
    bits = R.ReturningVectorSum(1000, 20, 0.5, 0.1, "theorem", domain=LINEAR)
    assert bits.noise_std == VectorSum(1000, *each, LINEAR, "theorem").noise_std
    assert (bits.guarantee.epsilon, bits.guarantee.delta) == (0.5, 0.1)
    assert "optimal composition" in bits.guarantee.reason
    local = R.ReturningPublishedGaussian(1000, 20, 0.5, 0.1, domain=LINEAR)
    assert local.unit_std == pytest.approx(4 * math.sqrt(2 * math.log(2.5 / each[1])) / each[0])
    assert local.guarantee.proved
    loose = R.ReturningPublishedGaussian(1000, 20, 100.0, 0.49, domain=LINEAR, strict=False)
    assert not loose.guarantee.proved
    many = R.ReturningVectorSum(1000, 20, 100.0, 0.49, "theorem", domain=LINEAR, strict=False)  # each batch is proved, but not all
    assert not many.guarantee.proved and (many.guarantee.epsilon, many.guarantee.delta) == (math.inf, 1.0)
    assert re.match(r"composition does not prove epsilon = 100 from \(6\..*, 0\.0123\) in each of 20", many.guarantee.reason)
    assert not R.ReturningAmplifiedGaussian(100, 20, 0.5, 0.1, "theorem", domain=LINEAR, strict=False).guarantee.proved


# Batch sizes by name
def test_named_batch_sizes():
    T, d, epsilon, delta = 20_000, 5, 0.2, 0.1
    by_hand = {
        ("utility", "amplified"): T**0.6 * d**-0.2 * epsilon**-0.4 * (math.log(2e5) * math.log(20)) ** 0.2,
        ("utility", "vector"): T**0.6 * d**-0.2 * epsilon**-0.4 * math.log(250) ** 0.4, ("utility", "local"): T**0.75,
        ("utility", "central"): T**0.5, ("privacy", "amplified"): T**0.75 * d**-0.25 * epsilon**-0.5 * math.log(10) ** 0.25,
        ("privacy", "vector"): T**0.75 * d**-0.25 * epsilon**-0.5 * math.log(250) ** 0.5,
        ("returning", "amplified"): T ** (2 / 3) * d ** (-1 / 6) * epsilon ** (-1 / 3) * math.log(2e5) ** 0.5,
        ("returning", "vector"): T ** (2 / 3) * d ** (-1 / 6) * epsilon ** (-1 / 3) * math.log(5e6) ** 0.5,
    }
    assert by_hand.keys() == SIZES.keys()
    for (name, protocol), size in by_hand.items():
        assert named_batch_size(name, protocol, T, d, epsilon, delta) == math.ceil(size), (name, protocol)
    assert named_batch_size("utility", "central", 10_000, 5, 1.0, 0.1) == 100
    assert named_batch_size("utility", "local", 10_000, 5, 1.0, 0.1) == 1000


def test_a_balanced_batch_size_minimizes_the_forecast():
    for sigma, T, d in ((2.0, 10**4, 5), (30.0, 10**6, 3)):
        sizes = np.arange(1, T // 2)
        up, flat = 2 * d**1.5 * sigma * np.sqrt(2 * T / sizes), 2 * d**1.5 * sigma * math.sqrt(2) * np.log(T / sizes)
        for additive, noise in ((True, up), (False, flat)):
            assert abs(balanced_batch_size(sigma, T, d, additive) - sizes[np.argmin(sizes + noise)]) <= 1
    assert balanced_batch_size(1e9, 10, 5) == 5 and balanced_batch_size(1e-9, 1, 1) == 1


# Learners
def made(name, **options):
    return bdp.make(name, PROBLEM, horizon=2000, **{"epsilon": 1.0, "delta": 0.1} | options)


@pytest.mark.parametrize("name", ["LinUCB-SDP-Vec", "LinUCB-SDP-Amp", "LinUCB-Batched-LDP", "LinUCB-Batched-JDP", "LinUCB-LDP"])
def test_learners_of_returning_users(name):
    """More noise than for unique users, a promise about all rounds of a user, and runs that go."""
    size = {} if name == "LinUCB-LDP" else {"batch_size": 100}  # the usual one follows the noise
    unique, back = made(name, **size), made(name, returning_users=True, **size)
    batches = 2000 // back.batch_size
    assert (back.stream.law(batches).matrix_std > 1.5 * unique.stream.law(batches).matrix_std).all()
    assert (unique.appearances, back.appearances) == (1, batches)
    assert f"one user's at most {batches} rounds" in back.guarantee.unit and back.guarantee.unit.endswith(", one per batch")
    assert back.guarantee.neighbours == "replace all rounds of one user"
    assert (back.guarantee.epsilon, back.guarantee.delta) == (1.0, 0.1)
    assert unique.guarantee.neighbours == "replace one user's round"
    result = bdp.simulate(back, PROBLEM, 2000, runs=2, progress=False)
    assert (np.diff(result.regret, axis=1) >= 0).all()


def test_user_level_joint_privacy():
    """A user in at most M0 rounds: at most M0 times the noise (Proposition E.7), and less where M0 rounds cannot fill a node."""
    std = {rounds: made("LinUCB-JDP", returning_users=rounds).stream.law(2000).matrix_std[-1] for rounds in (1, 2, 5)}
    assert std[1] == made("LinUCB-JDP").stream.law(2000).matrix_std[-1]
    assert std[1] < std[2] < 2 * std[1] and std[2] < std[5] < 5 * std[1]
    assert made("LinUCB-JDP", returning_users=10**6).guarantee == made("LinUCB-JDP", returning_users=True).guarantee
    assert "5 rounds" in made("LinUCB-JDP", returning_users=5, counter="factorization").guarantee.unit


def test_printed_noise_of_users_who_return_to_local_batches():
    """Without the option it is that of one batch, with it that of Theorem E.2's split over all of them."""
    once, back = (made("LinUCB-Batched-LDP", calibration="theorem", batch_size=100, returning_users=returning).stream.privatizer
                  for returning in (False, True))
    for privatizer, (epsilon, delta) in ((once, (1.0, 0.1)), (back, R.per_batch(1.0, 0.1, 20))):
        assert privatizer.unit_std == pytest.approx(4 * math.sqrt(2 * math.log(2.5 / delta)) / epsilon)


@pytest.mark.parametrize("name", ["LinUCB-SDP-Vec", "LinUCB-SDP-Amp"])
def test_privacy_targeted_batches_are_locally_private(name):
    """A message is private on its own: the noise of one user is enough, whoever else there is."""
    learner = made(name, batch_size="privacy")
    protocol = "vector" if name.endswith("Vec") else "amplified"
    assert learner.batch_size == named_batch_size("privacy", protocol, 2000, 3, 1.0, 0.1)
    assert learner.guarantee.model == "local"
    assert (learner.guarantee.epsilon, learner.guarantee.delta) == (1.0, 0.1)
    local = LocalGaussian(1, 1.0, 0.1, domain=LinearStatistics(3)).unit_std
    per_user = learner.stream.privatizer.noise_std / math.sqrt(learner.batch_size)
    assert local * 0.999 < per_user < 1.03 * local
    theorem = made(name, batch_size="privacy", calibration="theorem")
    assert theorem.guarantee.model == "local" and theorem.guarantee.proved
    if protocol == "vector":
        bits = theorem.stream.privatizer.noise_bits
        assert bits.rare == math.ceil(24e4 * 4**2 * math.log(4 * 10 / 0.1) ** 2)  # Corollary C.3
    else:
        assert theorem.stream.privatizer.unit_std == pytest.approx(4 * math.sqrt(2 * math.log(25)))  # Corollary B.3


def test_named_batches_in_the_catalogue():
    """Each family member takes its own names; without one, batches are larger where more noise is shared."""
    assert [made("LinUCB-SDP-Vec", epsilon=e).batch_size for e in (0.3, 1.0, 3.0)] == [124, 84, 55]
    assert made("LinUCB-SDP-Vec", returning_users=True).batch_size > 84 < made("LinUCB-SDP-Amp").batch_size
    assert made("LinUCB-SDP-Vec", calibration="theorem").batch_size == made("LinUCB-Batched-LDP").batch_size == 20
    assert made("LinUCB-SDP-Vec", batch_size="utility").batch_size == named_batch_size("utility", "vector", 2000, 3, 1.0, 0.1)
    assert made("LinUCB-SDP-Amp", batch_size="returning", returning_users=True).batch_size == named_batch_size(
        "returning", "amplified", 2000, 3, 1.0, 0.1)
    assert made("LinUCB-Batched-LDP", batch_size="utility").batch_size == math.ceil(2000**0.75)
    assert made("LinUCB-Batched-JDP", batch_size="utility").batch_size == 45
