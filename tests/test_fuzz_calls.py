"""A share of the generated calls of `make fuzz`, and what they have found: a class of fault a line."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bandits_dp as bdp
from tests.fuzz.calls import HEAVY, drawn, little_memory, one
from tests.fuzz.judge import judged
from tests.fuzz.targets import Target, forgotten, targets
from tests.fuzz.values import NAMES, made

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


@settings(derandomize=True, max_examples=600, deadline=None, database=None)
@given(st.data())
def test_a_call_answers_or_names_what_is_wrong(data):
    target = data.draw(st.sampled_from(LIGHT))
    changed = drawn(target, lambda options: data.draw(st.sampled_from(options)), lambda kind: number(data, kind))
    with little_memory():
        assert one(target, changed) is None


REFUSED = [  # a call, and how its error begins
    # numbers are not taken as they come
    ("bdp.problems.BernoulliArms(['1', 0.5])", "means must"),
    ("bdp.problems.BernoulliArms(np.array([0.5, 0.2 + 1j]))", "means must"),
    ("bdp.problems.BernoulliArms(masked([0.5, 0.2]))", "means must"),
    ("bdp.problems.BernoulliArms([0.5, 10**400])", "means must"),
    ("bdp.problems.BernoulliArms([[1], [1, 2]])", "means must"),
    ("bdp.problems.LinearArms([[1, 0], [0, 1]], {0.5})", "theta must"),
    ("bdp.accounting.parameter_shifts(np.array([['1']]), 1.0, 0, 1.0)", "features must"),
    ("bdp.accounting.gaussian_composition([1.0], {'a': 1})", "sensitivities must"),
    ("bdp.accounting.gaussian_delta(10**400, 1.0, 1.0)", "noise_std must"),
    ("bdp.accounting.gaussian_delta(np.timedelta64(1, 'D'), 1.0, 1.0)", "noise_std must"),
    ("bdp.privatizers.LocalGaussian(3, 1.0, 0.1).release(holding([0, 1, 1], b'1'), np.random.default_rng(1))", "values must"),
    ("bdp.privatizers.Identity(1).randomize([1.0], 1)", "rng must"),
    ("bdp.privatizers.CentralGaussian(3, 1.0, 0.1, clip='no')", "clip must be True or False"),
    ("bdp.continual.TreeCounter(3, 1.0, 0.1).error_std(masked([1, 2]))", "t must"),
    # another exception, or another name
    ("bdp.continual.TreeCounter(3, 1.0, 0.1, domain=3)", "domain must"),
    ("bdp.privatizers.SkellamSum(3, 1.0, 0.1, domain=bdp.privatizers.Ball(1))", "domain must"),
    ("bdp.accounting.shuffle_epsilon('1', 10, 0.1)", "local_epsilon must"),
    ("bdp.problems.PoolContextual(pool=[[0.0, 0.0], [1.0, 0.0]])", "pool must"),
    ("widths_running.TreeWidth(3)", "counter must"),
    ("bdp.accounting.advanced_composition(800.0, 0.0, 2, 0.1)", "epsilon = 800.0, delta = 0.0, releases = 2, slack = 0.1 must"),
    ("bdp.privatizers.CentralGaussian(3, 1.0, 0.1, domain=bdp.privatizers.Reals(1))", "users = 3, epsilon = 1.0"),
    # no bound on work
    ("bdp.accounting.skellam_variance(1, 1e-290, 1)", "delta must be at least 1e-260"),
    ("bdp.accounting.skellam_delta(1e15, 1.0, 1)", "variance must ask for at most"),
    ("bdp.accounting.binomial_trials(0.1, 1e-320, 1)", "delta must"),
    ("bdp.accounting.binomial_trials(1e-30, 1e-6, 1)", "epsilon, delta, shift and p must ask for noise bits of variance at most"),
    ("bdp.accounting.binomial_trials(0.1, 1e-3, shift=4096)", "epsilon, delta, shift and p must"),
    ("bdp.accounting.binomial_delta(10**15, 1.0, 1)", "trials must ask for at most"),
    ("bdp.accounting.binomial_delta(10, 1.0, 10**9)", "shift must ask for at most"),
    ("bdp.accounting.discrete_laplace_delta(1.0, 1.0, 10**12)", "shift must ask for at most"),
    ("bdp.accounting.shuffle_epsilon(0.1, 2**31, 1e-6)", "users must be at most 20,445,661"),
    ("bdp.privatizers.ScalarSum(2**68, 1.0, 0.125, levels=12521)", "users must be an integer from 1 to 1,000,000,000,000,000,000"),
    ("bdp.privatizers.AmplifiedGaussian(2**64, 1.0, 1e-6)", "users must be at most"),
    ("bdp.continual.FactorizationCounter(10**8, 1.0, 1e-6, appearances=17)", "horizon must ask for at most 20,000,000"),
    ("bdp.continual.HybridCounter(None, 1.0, 1e-6).noise_path(np.random.default_rng(1), 10**9)", "steps must ask for at most"),
    ("bdp.problems.ContextualLinear(10**6, 10**6)", "arms and dimension must ask for at most"),
    ("bdp.privatizers.CentralLaplace(3, 1.0, domain=bdp.privatizers.LinearStatistics(10**9))", "domain must ask for at most"),
    # numbers that floating point cannot square
    ("bdp.accounting.gaussian_delta(1e300, 1e15, 1.0)", "noise_std must be a number in (0, inf), and from 1e-300 to 1e+100"),
    ("bdp.accounting.gaussian_noise_std(5e-324, 0.1, 1.0)", "epsilon must"),
    ("bdp.privatizers.Identity(2, bdp.privatizers.Ball(1)).release([1e200, 1.0], np.random.default_rng(1))", "values must"),
    ("bdp.problems.LinearArms([[1e200, 0], [0, 1]], [0.5, 0.5])", "actions must"),
    ("bdp.privatizers.VectorSum(10, 1.0, 1e-290, bdp.privatizers.Ball(2), levels=4)", "delta must be at least 1e-252"),
    ("bdp.logs.evaluate([1.0, 0.0], bdp.logs.Log([0, 1], [1, 0], 0.5, arms=2), clip=1e-290)", "clip must"),
    # functions and mechanisms of the caller's
    ("bdp.logs.evaluate(lambda: None, bdp.logs.Log([0, 1], [1, 0], 0.5, arms=2))", "policy must be a function"),
    ("bdp.combine(Leader(), bdp.problems.BernoulliArms, bdp.problems.BernoulliArms([0.9, 0.8]), horizon=9)", "privatizer must"),
    ("bdp.audit(bdp.privatizers.CentralLaplace(3, 1.0), [1, 0, 0], [0], 1.0, 0.1, 200, rng=np.random.default_rng(1))",
     "b must be data"),
    ("bdp.release_of(memoryview(b'12'))", "privatizer must"),
    ("bdp.source(lambda: None)", "code must"),
    ("bdp.plots.band(3, [1.0], [1.0], [1.0], [1.0], 'a')", "ax must"),
    ("bdp.logs.Log([0, 1], [1, 0], 0.5, features=np.ma.masked)", "features must"),
    ("bdp.logs.Log([0, 1], [1, 0], memoryview(b'123'), arms=2)", "propensities must"),
]


@pytest.mark.parametrize(("call", "beginning"), REFUSED, ids=[row[0][:60] for row in REFUSED])
def test_what_was_wrong_is_refused_by_name(call, beginning):
    with warnings.catch_warnings(), pytest.raises((ValueError, TypeError)) as refused:
        warnings.simplefilter("error")
        made(call)
    assert str(refused.value).startswith(beginning)


def test_numbers_of_all_types_are_the_same_numbers():
    assert bdp.privatizers.LinearStatistics(np.int8(15)).dimension == 135
    assert bdp.privatizers.Box(np.uint8(200)).l1_diameter == 200.0
    assert bdp.problems.SphericalArms(np.int8(100), np.int8(100)).arms == 100
    assert bdp.accounting.optimal_composition(37.0, 0.0, 10, 1e-6)[0] == pytest.approx(370.0, rel=1e-8)
    assert bdp.accounting.optimal_composition(40.0, 0.0, 10, 0.5)[0] == pytest.approx(400.0, rel=0.01)
    assert bdp.accounting.gaussian_delta(1e99, 1e99, 1e-99) == 0.0
    assert bdp.privatizers.VectorSum(10, 1e4, 0.1, bdp.privatizers.Ball(2), levels=4).noise_bits.p > 0
    assert bdp.privatizers.BinarySum(1000, 800.0, 1e-6).noise_bits == bdp.privatizers.BinarySum(1000, 690.0, 1e-6).noise_bits


def test_what_is_kept_is_a_copy():
    grid, means, actions = np.array([0.0, 0.5, 1.0]), np.array([0.5, 0.2]), np.eye(2)
    arms, graded = bdp.problems.BernoulliArms(means), bdp.problems.GradedArms(grid, [[0.25, 0.25, 0.5]])
    linear = bdp.problems.LinearArms(actions, [0.5, 0.2])
    for array in (grid, means, actions):
        array[:] = 0.0
    assert arms.means.tolist() == [0.5, 0.2] and graded.values.tolist() == [0.0, 0.5, 1.0] and (linear.actions == np.eye(2)).all()


class Faulty:
    """Functions, each of which does what the judge must see."""

    @staticmethod
    def keeps(x):
        return [x] if isinstance(x, np.ndarray) else [np.array(x)]

    @staticmethod
    def changes(x):
        if isinstance(x, np.ndarray):
            x *= 2
        return 1.0

    @staticmethod
    def warns(x):
        warnings.warn("so", RuntimeWarning, stacklevel=1)
        return 1.0

    @staticmethod
    def blames(x):
        if isinstance(x, str):
            raise ValueError("y must be something else")
        return 1.0

    @staticmethod
    def crashes(x):
        return x[7]

    @staticmethod
    def nan(x):
        return np.array([np.nan])

    @staticmethod
    def rounds(x):
        return float(np.asarray(x, dtype=np.float16).sum()) if isinstance(x, np.ndarray) else float(sum(x))

    @staticmethod
    def takes(x):
        return 1.0


@pytest.mark.parametrize(("name", "text", "status", "seen"), [
    ("keeps", "np.array([1.5, 2.5])", "same", "shares memory"),
    ("changes", "np.array([1.5, 2.5])", "same", "changes the array x"),
    ("warns", "[1.5, 2.5]", "same", "RuntimeWarning"),
    ("blames", "'1'", "wrong", "names none of x"),
    ("crashes", "[1.5, 2.5]", "same", "IndexError"),
    ("nan", "[1.5, 2.5]", "same", "answers"),
    ("rounds", "np.array([1.0001, 2.5])", "same", "another answer"),
    ("takes", "'1'", "wrong", "accepts x"),
])
def test_the_judge_sees_every_fault(name, text, status, seen, monkeypatch):
    monkeypatch.setitem(NAMES, "Faulty", Faulty)
    target = Target(name, f"Faulty.{name}", {"x": "[1.0001, 2.5]"}, frozenset())
    assert seen in judged(target, {"x": (text, status)}, [np.array(3.5001)] if name == "rounds" else None)
