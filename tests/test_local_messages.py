"""Every message of the local model is audited as it is sent, bit by bit."""

import math
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pytest

import bandits_dp as bdp
from bandits_dp.catalog.linucb import vector_privatizer
from bandits_dp.privatizers import Ball, Box, LinearStatistics, LocalGaussian, LocalLaplace, RandomizedResponse, ScalarSum
from bandits_dp.privatizers.linear_gaussian import PublishedLocalGaussian
from bandits_dp.privatizers.returning import ReturningLocalGaussian, ReturningPublishedGaussian

RUNS = 20_000
FEW = 8000  # of messages of hundreds of bits
FEATURE = LinearStatistics(1)
SHUFFLED = {"domain": FEATURE, "levels": 3, "honest_fraction": 1.0, "strict": True}


def shuffled(users, rounds=1):
    """P_Vec with the batch size "privacy": each message is private by its own noise, and the guarantee says local model."""
    return vector_privatizer(users, rounds, 1.0, 0.05, "certified", True, **SHUFFLED)


@dataclass
class Case:
    """A local mechanism, two values of the protected user, in how many batches she is, and the epsilon that an audit must reach."""

    make: Any
    a: Any
    b: Any
    batches: int = 1
    reached: float = 0.8
    clip: float = math.inf  # entries of the message are clipped to [0, clip] for the best statistic (Laplace noise)


CASES = {
    "randomized response": Case(partial(RandomizedResponse, epsilon=1.0), 0.0, 1.0, reached=0.9),
    "randomized response with delta": Case(partial(RandomizedResponse, epsilon=1.0, delta=0.05), 0.0, 1.0, reached=0.9),
    "local Gaussian": Case(partial(LocalGaussian, epsilon=1.0, delta=0.05, domain=Ball(3)), [1.0, 0, 0], [-1.0, 0, 0]),
    "local Laplace": Case(partial(LocalLaplace, epsilon=1.0, domain=Box(2)), [0.0, 0.0], [1.0, 1.0], reached=0.8, clip=1.0),
    "Gaussian, returning": Case(lambda n: ReturningLocalGaussian(n, 3, 1.0, 0.05, domain=FEATURE), [1.0, 1.0], [-1.0, 1.0], 3, 0.7),
    "published Gaussian": Case(lambda n: PublishedLocalGaussian(n, 0.9, 0.05, FEATURE), [1.0, 1.0], [-1.0, 1.0], reached=0.0),
    "published Gaussian, returning": Case(
        lambda n: ReturningPublishedGaussian(n, 2, 0.9, 0.05, domain=FEATURE), [1.0, 1.0], [-1.0, 1.0], 2, 0.0),
    "shuffled bits": Case(shuffled, [1.0, 1.0], [-1.0, 1.0], reached=0.3),
    "shuffled bits, returning": Case(lambda n: shuffled(n, 2), [1.0, 1.0], [-1.0, 1.0], 2, 0.3),
}
BITS = [name for name in CASES if "bits" in name]


def sent(case, value, rng, runs):
    """All messages of one user, as they are sent, in each of many runs: shape (runs, numbers)."""
    values = np.tile(np.atleast_1d(np.asarray(value, dtype=float)), (runs, 1))
    each = [case.make(runs).randomize(values, rng).reshape(runs, -1) for _ in range(case.batches)]
    return np.concatenate(each, axis=1)


def audited(case, claim, score=None, seed=0, runs=RUNS, send=sent):
    """Audit what one user sends."""
    mechanism = bdp.Vectorized(lambda value, rng, runs: send(case, value, rng, runs))
    return bdp.audit(mechanism, case.a, case.b, claim.epsilon, claim.delta, runs, rng=np.random.default_rng(seed), score=score,
                     progress=False)


@pytest.mark.parametrize("name", CASES)
def test_every_local_message_keeps_its_promise(name):
    """The generic search finds nothing in what is sent; the audit's own false alarms have probability 1% (fixed seeds)."""
    case = CASES[name]
    promise = case.make(10).guarantee
    assert promise.model == "local" and promise.proved
    result = audited(case, promise, runs=FEW if name in BITS else RUNS)
    assert result.passed, str(result)


@pytest.mark.parametrize("name", CASES)
def test_and_uses_most_of_it(name):
    """The best statistic, a difference of sums, shows so much epsilon: certified noise is not larger than it must be."""
    case = CASES[name]
    promise = case.make(10).guarantee
    moved = np.sign(np.atleast_1d(np.asarray(case.a, dtype=float) - np.asarray(case.b)))

    def score(x):
        entries = x if math.isinf(case.clip) else np.clip(x, 0.0, case.clip)
        return entries.reshape(len(x), case.batches, len(moved), -1).sum(axis=(1, 3)) @ moved

    result = audited(case, promise, score, seed=1, runs=FEW if name in BITS else 400_000)
    assert result.passed and result.epsilon_lower >= case.reached, str(result)


def test_every_system_that_claims_the_local_model_has_such_a_message():
    """No local guarantee escapes the audits above."""
    problem = bdp.problems.ContextualLinear(arms=4, dimension=2)
    kinds = {type(case.make(10)) for case in CASES.values()}
    found = {}
    for name in ("LinUCB-LDP", "LinUCB-Batched-LDP", "LinUCB-SDP-Vec", "LinUCB-SDP-Amp"):
        for returning in (False, True):
            options = {"batch_size": "privacy"} if "SDP" in name else {}
            learner = bdp.make(name, problem, horizon=400_000, epsilon=1.0, delta=0.1, returning_users=returning, **options)
            assert learner.guarantee.model == "local"
            found[name, returning] = type(learner.stream.privatizer)
    assert set(found.values()) - kinds == set()


def in_order(case, value, rng, runs):
    """What was sent before: the value's bits first, all ones in front, and then the noise bits."""
    privatizer = case.make(runs)
    x = (np.tile(value, (runs, 1)) - privatizer.low) / privatizer.step
    integers = np.floor(x + rng.random(x.shape))
    unary = np.arange(privatizer.levels) < integers[:, :, None]
    return np.concatenate([unary, privatizer.noise_bits.draw(x.shape, rng)], axis=2).reshape(runs, -1).astype(float)


def test_bits_in_order_gave_the_value_away():
    """With the value's bits in front of the noise bits, an audit of the message finds more than six times the epsilon."""
    case = CASES["shuffled bits"]
    result = audited(case, case.make(10).guarantee, send=in_order, runs=FEW)
    assert not result.passed and result.epsilon_lower > 6


def test_the_sum_does_not_depend_on_the_order():
    """The estimate is the same function of the numbers of ones; only who sees single messages could tell."""
    adder = ScalarSum(3, 1.0, 1e-6, levels=10)
    messages = adder.randomize([0.2, 0.4, 0.9], np.random.default_rng(0))
    rng = np.random.default_rng(1)
    assert adder.analyze(adder.shuffle(messages, rng), rng) == adder.analyze(messages.transpose(1, 0, 2).reshape(1, -1), rng)


