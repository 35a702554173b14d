"""Every certified privatizer under the audit, over many seeds: no more failures than the confidence allows."""

from functools import partial

import numpy as np
import pytest
from scipy import stats

import bandits_dp as bdp
from bandits_dp import privatizers as P
from tests.planted import tally

FALSE_ALARM = 1e-6
SEEDS, RUNS = 200, 4_000


def bit_sums(privatizer):
    """Many releases of a shuffled sum at once: rounding and noise drawn as arrays, exactly as one release draws them."""

    @bdp.Vectorized
    def mechanism(values, rng, runs):
        array = privatizer.check(values)
        x = (array - privatizer.low) / privatizer.step
        counts = np.minimum(np.floor(x + rng.random((runs, *array.shape))), privatizer.levels).sum(axis=1)
        return counts + privatizer.noise_bits.simulate_sum(privatizer.users, counts.shape, rng)

    return mechanism


def mechanism_of(privatizer):
    if getattr(privatizer.domain, "whole", False):
        return tally(privatizer)
    return bit_sums(privatizer) if hasattr(privatizer, "levels") else bdp.release_of(privatizer)


def one_answer(privatizer):
    """Neighbours of whole answers, of whom the first differs."""
    return privatizer, np.zeros(privatizer.users), np.eye(1, privatizer.users)[0]


CASES = {
    "binary sum, fair bits": one_answer(P.BinarySum(3, 1.0, 1e-3)),
    "binary sum, rare bits": one_answer(P.BinarySum(500, 0.5, 0.05)),
    "binary sum, large epsilon": one_answer(P.BinarySum(20, 4.0, 1e-3)),
    "randomized response": one_answer(P.RandomizedResponse(1, 1.0)),
    "randomized response with delta": one_answer(P.RandomizedResponse(1, 0.5, 0.05)),
    "central Gaussian": one_answer(P.CentralGaussian(5, 1.0, 0.1)),
    "central Laplace": one_answer(P.CentralLaplace(5, 0.5)),
    "central Laplace with delta": one_answer(P.CentralLaplace(5, 1.0, 0.05)),
    "local Gaussian": (P.LocalGaussian(1, 1.0, 0.05, domain=P.Ball(3)), [[1.0, 0, 0]], [[-1.0, 0, 0]]),
    "local Laplace": (P.LocalLaplace(1, 1.0, domain=P.Box(2)), [[0.0, 0.0]], [[1.0, 1.0]]),
    "amplified Gaussian": (P.AmplifiedGaussian(1000, 1.0, 1e-3), np.zeros((1000, 1)), np.eye(1000, 1)),
    "scalar sum": (P.ScalarSum(2, 1.0, 0.05), [[0.0], [0.5]], [[1.0], [0.5]]),
    "scalar sum, coarse": (P.ScalarSum(3, 2.0, 0.01, levels=1), [[0.0], [0.5], [0.5]], [[1.0], [0.5], [0.5]]),
    "vector sum": (P.VectorSum(2, 1.0, 0.05, P.Box(2, -1.0, 1.0)), [[-1.0, -1.0], [0.0, 0.0]], [[1.0, 1.0], [0.0, 0.0]]),
}


@pytest.mark.parametrize("name", CASES)
def test_certified_privatizers_pass(name):
    """200 audits at confidence 0.99 each; the number of failures is compared with 1% by an exact binomial test."""
    privatizer, a, b = CASES[name]
    promise = privatizer.guarantee
    mechanism = mechanism_of(privatizer)
    check = partial(bdp.audit, mechanism, a, b, promise.epsilon, promise.delta, RUNS, progress=False)
    failures = sum(not check(rng=np.random.default_rng(seed)).passed for seed in range(SEEDS))
    assert stats.binomtest(failures, SEEDS, 0.01, "greater").pvalue > FALSE_ALARM


@pytest.mark.parametrize("name", ["local Gaussian", "local Laplace", "scalar sum", "vector sum", "binary sum, fair bits",
                                  "central Laplace"])
def test_the_audit_would_notice_a_tenth_of_the_promise(name):
    """The same mechanisms fail when a tenth of their epsilon is claimed: the audits above can fail."""
    privatizer, a, b = CASES[name]
    promise = privatizer.guarantee
    result = bdp.audit(mechanism_of(privatizer), a, b, promise.epsilon / 10, promise.delta, 200_000,
                       rng=np.random.default_rng(0), progress=False)
    assert not result.passed and result.epsilon_lower <= promise.epsilon
