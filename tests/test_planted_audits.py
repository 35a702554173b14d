"""The planted faults once more, now seen by ``audit``: through a view that gives them away, or the reason why no view can.

An audit of what is right fails at most once in a million, and one of a fault runs at the usual confidence of 0.99.
"""

import pytest

from tests.planted import FAULTS, Look

FALSE_ALARM, USUAL = 1e-6, 0.99
SEEN = {fault: look for fault, (_, _, _, look) in FAULTS.items() if isinstance(look, Look)}


@pytest.mark.parametrize("fault", SEEN)
def test_an_audit_sees_the_fault_and_nothing_without_it(fault, monkeypatch):
    """The audit passes what is right, at a confidence that makes its failure as rare as a test's may be, and fails the fault."""
    look = SEEN[fault]
    if next(name for name, other in SEEN.items() if other is look) == fault:  # once for each look
        right = look.audit(1 - FALSE_ALARM)
        assert right.passed, str(right)
    FAULTS[fault][0](monkeypatch)
    wrong = look.audit(USUAL)
    assert not wrong.passed, str(wrong)


@pytest.mark.parametrize("fault", [name for name, (_, _, _, why) in FAULTS.items() if callable(why)])
def test_what_no_audit_can_see_is_private_still(fault, monkeypatch):
    plant, _, _, private = FAULTS[fault]
    plant(monkeypatch)
    private()


def test_every_planted_fault_is_seen_or_has_a_reason():
    assert len(SEEN) >= 27 and all(why for *_, why in FAULTS.values())
