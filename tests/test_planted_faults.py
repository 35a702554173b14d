"""Every planted fault is caught by the check that is named for it; without a fault, all checks pass."""

import pytest

from tests.noise_checks import TABLE
from tests.planted import FAULTS


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
