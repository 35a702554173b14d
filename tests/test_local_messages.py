"""Messages of the local model that ``tests/noise_checks.py`` does not know are audited as they are sent, bit by bit."""


import numpy as np
import pytest

import bandits_dp as bdp
from bandits_dp.catalog.linucb import vector_privatizer
from bandits_dp.privatizers import LinearStatistics, LocalGaussian
from bandits_dp.privatizers.linear_gaussian import PublishedLocalGaussian
from bandits_dp.privatizers.returning import ReturningLocalGaussian, ReturningPublishedGaussian

FEATURE = LinearStatistics(1)
A, B = [1.0, 1.0], [-1.0, 1.0]  # two values of the protected user


def shuffled(users, rounds=1):
    """P_Vec with the batch size "privacy": each message is private by its own noise, and the guarantee says local model."""
    more = {"domain": FEATURE, "levels": 3, "honest_fraction": 1.0, "strict": True}
    return vector_privatizer(users, rounds, True, epsilon=1.0, delta=0.05, **more)


CASES = {  # a local mechanism, in how many batches the user is, and the epsilon that an audit must reach
    "published Gaussian": (lambda n: PublishedLocalGaussian(n, 0.9, 0.05, FEATURE), 1, 0.0),
    "published Gaussian, returning": (lambda n: ReturningPublishedGaussian(n, 2, 0.9, 0.05, domain=FEATURE), 2, 0.0),
    "shuffled bits": (shuffled, 1, 0.3),
    "shuffled bits, returning": (lambda n: shuffled(n, 2), 2, 0.3),
}


def audited(name, score=None, seed=0):
    make, batches, _ = CASES[name]
    promise = make(10).guarantee
    assert promise.model == "local" and promise.proved

    def sent(value, rng, runs):
        values = np.tile(value, (runs, 1))
        return np.hstack([make(runs).randomize(values, rng).reshape(runs, -1) for _ in range(batches)])

    runs = 8000 if "bits" in name else 20_000 if score is None else 400_000  # of messages of hundreds of bits, fewer
    return bdp.audit(bdp.Vectorized(sent), A, B, promise.epsilon, promise.delta, runs, rng=np.random.default_rng(seed), score=score,
                     progress=False)


@pytest.mark.parametrize("name", CASES)
def test_every_local_message_keeps_its_promise_and_uses_most_of_it(name):
    """The generic search finds nothing, and the best statistic, a difference of sums, shows that bits are no more than needed."""
    _, batches, reached = CASES[name]

    def score(x):
        return x.reshape(len(x), batches, 2, -1).sum(axis=(1, 3))[:, 0]

    assert (result := audited(name)).passed, str(result)
    assert (result := audited(name, score, seed=1)).passed and result.epsilon_lower >= reached, str(result)


def test_every_system_that_claims_the_local_model_has_such_a_message():
    """No local guarantee escapes the audits above, or the checks of Gaussian messages (``tests/noise_checks.py``)."""
    problem = bdp.problems.ContextualLinear(arms=4, dimension=2)
    kinds = {type(make(10)) for make, _, _ in CASES.values()} | {LocalGaussian, ReturningLocalGaussian}
    for name in ("LinUCB-LDP", "LinUCB-Batched-LDP", "LinUCB-SDP-Vec", "LinUCB-SDP-Amp"):
        for returning in (False, True):
            options = {"batch_size": "privacy"} if "SDP" in name else {}
            learner = bdp.make(name, problem, horizon=400_000, epsilon=1.0, delta=0.1, returning_users=returning, **options)
            assert learner.guarantee.model == "local" and type(learner.stream.privatizer) in kinds
