"""A share of the generated calls of `make fuzz`, and whatever they have found."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.calls import HEAVY, drawn, one
from tests.fuzz.targets import forgotten, targets

LIGHT = [target for target in targets() if target.name not in HEAVY]


def test_everything_public_is_called():
    assert not forgotten()


@pytest.mark.parametrize("target", targets(), ids=lambda target: target.callee)
def test_valid_calls_are_right(target):
    assert one(target, {}) is None


def number(data, kind):
    """Draw a number of any size, as text."""
    if kind == "integer":
        return str(data.draw(st.integers(0, 2**70)))
    return repr(data.draw(st.floats(allow_nan=False, allow_infinity=False)))


@settings(derandomize=True, max_examples=3000, deadline=None, database=None)
@given(st.data())
def test_a_call_answers_or_names_what_is_wrong(data):
    target = data.draw(st.sampled_from(LIGHT))
    changed = drawn(target, lambda options: data.draw(st.sampled_from(options)), lambda kind: number(data, kind))
    assert one(target, changed) is None
