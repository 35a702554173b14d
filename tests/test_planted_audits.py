"""The planted faults once more, now seen by ``audit`` through a view that gives them away.

Every private learner of the catalogue is caught, too, if it has 1.5 times too little noise.

An audit of what is right fails at most once in a million, and one of a fault runs at the usual confidence of 0.99.
"""

import pytest

import bandits_dp as bdp
from tests.planted import FAULTS
from tests.planted_learners import FEW, PLANTED

FALSE_ALARM, USUAL = 1e-6, 0.99
SEEN = {fault: look for fault, (_, _, _, look) in FAULTS.items() if look}


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
