"""No certified mechanism has a true delta above the claimed one, by oracles that share no code with the package, on dense scans."""

import math

import numpy as np
import pytest

from bandits_dp.privatizers import RandomizedResponse
from tests import exact_delta

ROOM = 1e-9  # relative, by which a true delta may exceed the claimed one
POINTS = 5000


def scan(seed, epsilons, deltas, points=POINTS):
    """Log-uniform pairs (epsilon, delta), and in front the corners of the range."""
    rng = np.random.default_rng(seed)
    logs = [np.log(np.array(ends)) for ends in (epsilons, deltas)]
    inside = np.exp(np.column_stack([rng.uniform(*ends, points - 4) for ends in logs]))
    corners = [(epsilon, delta) for epsilon in epsilons for delta in deltas]
    return corners + [(float(epsilon), float(delta)) for epsilon, delta in inside]


# Randomized response


def test_a_rare_lie_is_as_frequent_as_a_small_delta_needs():
    """At (13.994, 1e-12) the true delta was 64 times the claimed one, and nearly 3e4 times elsewhere in the scan below."""
    true = exact_delta.randomized_response(RandomizedResponse(1, 13.994, 1e-12).truth, 13.994)
    assert true <= 1e-12


def test_randomized_response_keeps_delta():
    """5,000 pairs, from epsilon = 1e-3 to 60 and delta = 1e-300 to 0.99: the true delta, in 60 digits, is never above."""
    for epsilon, delta in scan(0, (1e-3, 60.0), (1e-300, 0.99)):
        assert exact_delta.randomized_response(RandomizedResponse(1, epsilon, delta).truth, epsilon) <= delta, (epsilon, delta)


def test_randomized_response_keeps_pure_privacy():
    """5,000 epsilons with delta = 0, also tiny ones, and huge ones, where a lie is as rare as floating point allows."""
    for epsilon, _ in scan(1, (1e-13, 1000.0), (1e-3, 1e-2)):
        assert exact_delta.randomized_response(RandomizedResponse(1, epsilon).truth, epsilon) <= 0, epsilon


def test_randomized_response_is_as_truthful_as_steps_of_floats_allow():
    """Four steps of 2^-53 more of the truth, or 1e-14 of it relatively, are too many: the scan is tight."""
    for epsilon, delta in scan(2, (1e-3, 33.0), (1e-15, 0.99), 1000):
        q = RandomizedResponse(1, epsilon, delta).truth
        assert exact_delta.randomized_response(q + 2**-51 + (1 - q) * 1e-14, epsilon) > delta, (epsilon, delta)


@pytest.mark.parametrize("epsilon", (1e-20, 1e-16, 5e-324))
def test_an_epsilon_without_a_trace_is_refused(epsilon):
    """Truth and lie would be equally likely in floating point, and the analyzer would divide by zero."""
    with pytest.raises(ValueError, match=rf"epsilon must be at least 1e-14 for randomized response .* got {epsilon:g}"):
        RandomizedResponse(1, epsilon)
    assert math.isfinite(RandomizedResponse(3, 1e-14).noise_std)
    assert math.isfinite(RandomizedResponse(3, epsilon, 1e-6).noise_std)  # delta leaves something to tell
