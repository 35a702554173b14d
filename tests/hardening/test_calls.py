"""Generated calls of everything public (`make fuzz CALLS=` makes many); `tests/test_refusals.py` keeps what they have found."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.hardening import effort, only
from tests.hardening.judge import judged
from tests.hardening.targets import PUBLIC, targets
from tests.small_problems import SYSTEMS

WITHOUT = {  # public names that nobody calls: records that the package fills, and what is abstract, a protocol or any function
    "AuditResult", "Estimate", "Gallery", "MovingFigure", "MovingScene", "Replay", "Result", "Room", "Setup", "System",
    "Contextual", "Counter", "IntervalCounter", "Privatizer", "Problem", "Vectorized",
}  # fmt: skip
NUMBERS = {"integer": st.integers(0, 2**70).map(str), "real": st.floats(allow_nan=False, allow_infinity=False).map(repr)}
USUAL = 0.02  # seconds of a call; what takes longer is called less often


@st.composite
def changes(draw, target):
    changed = {}
    for name in draw(st.lists(st.sampled_from(sorted(target.valid)), min_size=1, max_size=3, unique=True)):
        kind, values = target.values(name)
        listed = st.sampled_from(values)
        changed[name] = draw(listed | NUMBERS[kind].map(lambda text: (text, "any")) if kind in NUMBERS else listed)
    return changed


@pytest.mark.parametrize("name", only(targets()))
def test_a_call_answers_or_names_what_is_wrong(name):
    target, started = targets()[name], time.process_time()
    assert not judged(target, {}), target.setup + target.text()

    @effort("CALLS", len(only(targets())), 4, (time.process_time() - started) / USUAL)
    @given(changes(target))
    def call(changed):
        wrong = judged(target, changed)
        assert not wrong, f"{wrong}\n{target.setup}{target.text({name: text for name, (text, _) in changed.items()})}"

    if target.valid:
        call()


SIGNED = {"x", "y", "width", "height", "size", "low", "high"}  # numbers that may be below 0
BEYOND = {"epsilon": ("0", "inf"), "p": ("1.5",), "honest_fraction": ("0", "1.5"),
          **dict.fromkeys(("delta", "slack", "confidence", "failure"), ("1.0", "1.5"))}
TEXTS = {"dash", "holds", "key", "label", "neighbours", "question", "reason", "title", "unit", "words", "x_label", "y_label"}
FREE = {f"make.{name}" for name, system in SYSTEMS.items() if system.model == "none"}  # have no use for epsilon and delta


@pytest.mark.parametrize("name", only(targets()))
def test_every_argument_has_a_range_and_a_kind(name):
    """Less than nothing, half a user, more than a probability, no such word, and, by turns, another kind are refused."""
    target = targets()[name]
    for place, argument in enumerate(target.valid):
        kind, values = target.values(argument)
        texts = [text for text, verdict in values if verdict == "wrong"][place % 7 :: 17]
        if kind in NUMBERS and argument not in ({"epsilon", "delta"} if name in FREE else SIGNED):
            texts += ["-1", "1.5" if kind == "integer" else "-0.5", *BEYOND.get(argument, ())]
        texts += ["'no such word'"] if kind == "word" and argument not in TEXTS else []
        for text in texts:
            wrong = judged(target, {argument: (text, "wrong")})
            nothing = name == "guarantee.Guarantee" and text in ("inf", "1.0")  # which promise nothing
            assert nothing or not wrong, f"{argument}={text}: {wrong}"


def test_everything_public_is_called():
    assert PUBLIC - {name.rpartition(".")[-1] for name in targets()} == WITHOUT
