"""Generated calls of everything public (`make fuzz CALLS=` makes many), and what they have found."""

import time
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.hardening import effort, only
from tests.hardening.judge import judged
from tests.hardening.targets import PRELUDE, PUBLIC, Target, targets
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


ARMS = "bdp.problems.BernoulliArms([0.9, 0.8]), horizon=99, epsilon=1.0"
REFUSED = [  # a call, and how its error begins
    ("bdp.problems.LinearArms([[1, 0], [0, 1]], {0.5})", "theta must"),
    ("bdp.privatizers.Identity(1).randomize([1.0], 1)", "rng must"),
    (f"bdp.make('SDP-AE', {ARMS}, delta=0.1, strict=None)", "strict must be True or False"),
    (f"bdp.make('Dist-DP-AE', {ARMS}, delta='')", "delta must"),
    (f"bdp.make('LDP-AE', {ARMS}, noise=pd.NA)", "noise must"),
    ("bdp.continual.TreeCounter(3, 1.0, 0.1, domain=3)", "domain must"),
    ("bdp.accounting.advanced_composition(800.0, 0.0, 2, 0.1)", "epsilon = 800.0, delta = 0.0, releases = 2, slack = 0.1 must"),
    ("bandits_dp.arms.running_widths.TreeWidth(bdp.continual.TreeCounter(9, 1.0, 0.1))", "counter must have a horizon and Laplace"),
    ("bandits_dp.contextual.reward_radius.CountedRadius(bdp.continual.TreeCounter(9, 1.0, 0.1), 1, 1.0, 1.0, 1.0, 1.0, 0.1)",
     "counter must"),
    ("bdp.accounting.shuffle_epsilon(0.1, 2**31, 1e-6)", "users must be at most 20,445,661"),
    ("bdp.continual.FactorizationCounter(10**8, 1.0, 1e-6, appearances=17)", "horizon must ask for at most 20,000,000"),
    ("bdp.continual.HybridCounter(None, 1.0, 1e-6).noise_path(np.random.default_rng(1), 10**9)", "steps must ask for at most"),
    ("bdp.make('LinUCB-LDP', bdp.problems.ContextualLinear(4, 2), horizon=10**9, epsilon=1.0)", "horizon must be at most 5,000"),
    ("bdp.accounting.gaussian_delta(1e300, 1e15, 1.0)", "noise_std must be a number in (0, inf), and from 1e-300 to 1e+100"),
    ("bdp.problems.LinearArms([[1e200, 0], [0, 1]], [0.5, 0.5])", "actions must"),
]


@pytest.mark.parametrize(("call", "beginning"), REFUSED, ids=[row[0][:60] for row in REFUSED])
def test_what_was_wrong_is_refused_by_name(call, beginning):
    target = Target("found", PRELUDE, call)
    with warnings.catch_warnings(), pytest.raises((ValueError, TypeError)) as refused:
        warnings.simplefilter("error")
        eval(call, target.space)
    assert str(refused.value).startswith(beginning)
