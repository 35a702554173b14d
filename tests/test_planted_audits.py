"""Every planted fault is caught by the check that is named for it, and many by ``audit``, through a view that gives them away.

Every private learner of the catalogue is caught, too, if it has 1.5 times too little noise. Without a fault, all checks pass. An
audit of what is right fails at most once in a million, and one of a fault runs at the usual confidence of 0.99.
"""

from functools import partial

import numpy as np
import pytest

import bandits_dp as bdp
from bandits_dp import privatizers as P
from bandits_dp.contextual.systems import vector_privatizer
from bandits_dp.privatizers import LinearStatistics, LocalGaussian, returning
from bandits_dp.privatizers.linear_gaussian import PublishedLocalGaussian
from bandits_dp.privatizers.returning import ReturningLocalGaussian, ReturningPublishedGaussian
from tests.noise_checks import TABLE
from tests.planted import FAULTS
from tests.planted_learners import FEW, PLANTED
from tests.planted_noise import CARELESS, LEARNERS, MORE, PRIVATIZERS, UNSEEN, constant_seed, half, inputs, none, plant, reused

FALSE_ALARM, USUAL = 1e-6, 0.99
SEEN = {fault: look for fault, (_, _, _, look) in FAULTS.items() if look}


@pytest.mark.parametrize(("check", "name"), [(check, name) for check, (_, names) in TABLE.items() for name in names])
def test_every_check_passes_without_a_fault(check, name):
    TABLE[check][0](name)


@pytest.mark.parametrize("fault", FAULTS)
def test_every_planted_fault_is_caught_by_name(fault, monkeypatch):
    """The named check fails for the named mechanism, by an assertion of its own."""
    plant, check, name, _ = FAULTS[fault]
    plant(monkeypatch)
    with pytest.raises(AssertionError):
        TABLE[check][0](name)


def test_the_table_covers_what_was_asked_for():
    """Every check has a fault that it catches, and no mechanism with a shuffler, counter or user's noise is left out."""
    assert {check for _, check, _, _ in FAULTS.values()} == set(TABLE)
    assert {"TreeCounter", "CentralGaussian", "ScalarSum"} <= {name for _, _, name, _ in FAULTS.values()}


@pytest.mark.parametrize("fault", SEEN)
def test_an_audit_sees_the_fault_and_nothing_without_it(fault, monkeypatch):
    """The audit passes what is right, at a confidence that makes its failure as rare as a test's may be, and fails the fault."""
    look = SEEN[fault]
    if next(name for name, other in SEEN.items() if other is look) == fault:  # once for each look
        right = look.audit(1 - FALSE_ALARM, share=0.3)
        assert right.passed, str(right)
    FAULTS[fault][0](monkeypatch)
    wrong = look.audit(USUAL)
    assert not wrong.passed, str(wrong)


@pytest.mark.parametrize("name", PLANTED)
def test_a_learner_with_too_little_noise_is_caught_through_its_view(name):
    """The view is the one that is taken if none is named, and the learner as it is passes."""
    look = PLANTED[name]
    assert bdp.view_of(look.make(False)).keywords["view"] == look.view
    right, wrong = look.audit(False, FEW, 1 - FALSE_ALARM), look.audit(True, look.trials, USUAL)
    assert right.passed, str(right)
    assert not wrong.passed, str(wrong)


def test_what_is_released_does_not_show_what_a_user_sends():
    """The noise of four users hides that each of them has too little, in as many runs as show it in what they send."""
    look = PLANTED["LinUCB-Batched-LDP"]
    blind = look.audit(True, look.trials, USUAL, view="releases")
    assert blind.passed and blind.epsilon_lower < look.claim[0] / 2, str(blind)


def test_every_private_learner_is_planted():
    assert {look.system for look in PLANTED.values()} == {system.name for system in bdp.systems() if system.model != "none"}


def found(audit):
    """Whether an audit fails a mechanism, or refuses it because of noise that is used again."""
    try:
        return not audit().passed
    except ValueError as refused:
        assert "mechanism must have independent runs" in str(refused), refused
        return True


@pytest.mark.parametrize("privatizer", PRIVATIZERS, ids=lambda privatizer: type(privatizer).__name__)
def test_careless_noise_of_a_privatizer_is_found_through_the_view_that_is_taken(privatizer):
    """Central ones were audited through a simulator's law, in which no noise of live use is: every fault passed."""
    name, data = type(privatizer).__name__, inputs(privatizer)
    audit = partial(bdp.audit, privatizer, *data, rng=np.random.default_rng(8), progress=False)
    assert (right := audit(trials=500, confidence=1 - FALSE_ALARM)).passed, str(right)
    for fault in CARELESS:
        with pytest.MonkeyPatch.context() as patch:
            plant(patch, fault)
            runs = PRIVATIZERS[privatizer] if fault in (half, reused) else 500
            assert found(partial(audit, trials=runs)) is ((name, fault.__name__) not in UNSEEN), fault.__name__


def test_every_privatizer_is_careless_once():
    kinds = {getattr(P, name) for name in P.__all__} | {*returning.RETURNING.values(), PublishedLocalGaussian}
    concrete = {kind for kind in kinds if isinstance(kind, type) and issubclass(kind, P.Privatizer)} - {P.Privatizer, P.Identity}
    assert concrete == {type(privatizer) for privatizer in PRIVATIZERS}


@pytest.mark.parametrize("name", LEARNERS)
def test_careless_noise_of_a_learner_is_found_through_the_view_that_is_taken(name):
    """Of the same learners as above; forgotten is the noise of the first user, or on the first number of the first release."""
    for fault in CARELESS:
        with pytest.MonkeyPatch.context() as patch:
            plant(patch, fault, learner=True)
            usual = 120 if fault in (none, constant_seed) else FEW
            seen = found(partial(LEARNERS[name].audit, False, MORE.get((name, fault.__name__), usual), USUAL))
            assert seen is ((name, fault.__name__) not in UNSEEN), fault.__name__


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
        for comes_back in (False, True):
            options = {"batch_size": "privacy"} if "SDP" in name else {}
            learner = bdp.make(name, problem, horizon=400_000, epsilon=1.0, delta=0.1, returning_users=comes_back, **options)
            assert learner.guarantee.model == "local" and type(learner.stream.privatizer) in kinds
