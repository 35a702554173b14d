"""Calls that are refused, each wrong in one argument, which the error names."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

import bandits_dp as bdp
from bandits_book import logs, plots
from bandits_book.replicas import CodeLinear
from bandits_dp import _checks
from bandits_dp.accounting.binomial import binomial_log_pmf
from bandits_dp.app.streams import FreshBatches
from bandits_dp.arms.batches import EqualBatches
from bandits_dp.arms.running_widths import TreeWidth
from bandits_dp.contextual.batches import named_batch_size
from bandits_dp.contextual.private_radius import CertifiedRadius
from bandits_dp.contextual.radius import PublicWidth
from bandits_dp.contextual.reward_radius import CountedRadius
from bandits_dp.guarantee import upper
from bandits_dp.learners import LinUCB
from bandits_dp.linear.designs import bounded_actions, g_optimal_design
from bandits_dp.linear.widths import ExactWidth
from bandits_dp.play import memory
from bandits_dp.privatizers.domain import SLACK, slack
from bandits_dp.privatizers.returning import per_batch
from bandits_dp.serve import Served
from tests.small_problems import served

ARMS, STARS = bdp.problems.BernoulliArms([0.8, 0.2]), bdp.problems.GradedArms([0, 0.5, 1], [[0.1, 0.2, 0.7], [0.8, 0, 0.2]])
RNG = np.random.default_rng(1)
SQUARE, HALF = bdp.privatizers.Box(2, -1.0, 1.0), bdp.privatizers.LinearStatistics(2, 0.5)
FRESH = bdp.problems.ContextualLinear(8, 3, fixed=False)
PLAIN = bdp.problems.ContextualLinear(features=[[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]], theta=[0.5, 0.1])
CONTEXTS = bdp.make("LinUCB-SDP-Amp", bdp.problems.ContextualLinear(2, 2), horizon=9, epsilon=1.0, delta=0.1, batch_size=3)

LAPLACE = bdp.privatizers.LocalLaplace(5, 1.0, domain=bdp.privatizers.LinearStatistics(3))
LOG = logs.Log([0, 1], [1, 0], 0.5, arms=2)


@_checks.computable
def both(x: float) -> tuple[float, float]:
    return x, x - x


def nights(rng: np.random.Generator) -> Any:
    yield None, [1, 0]


def long_features() -> bdp.problems.Rounds:
    return bdp.problems.Rounds(nights, 2, dimension=2, reward_range=(-1.0, 1.0), feature_norm=2.0)


def linear(name: str, problem: Any = FRESH, **options: Any) -> Any:
    return bdp.make(name, problem, **{"horizon": 100, "epsilon": 1.0, "delta": 0.1} | options)


def far(name: str, **options: Any) -> Any:
    """Make a learner for features or rewards at the ends of floats."""
    return linear(name, bdp.problems.Rounds(iter, 2, 2, **options))


def tree(horizon: int = 20_000, **options: Any) -> Any:
    return bdp.continual.TreeCounter(horizon, 0.2, 0.1, **{"calibration": "experiment"} | options)


def learner() -> Any:
    return bdp.make("SDP-AE", ARMS, horizon=9, epsilon=1.0, delta=0.1, batch_size=4)


def moving(sliders: Any, start: Any) -> Any:
    def series(a: int) -> list[Any]:
        return [plots.Series("one", [1, 2], [a, a])]

    words = {"title": "One", "x_label": "x", "y_label": "y", "alt": "A line that stays where it is."}
    return plots.moving_figure(series, sliders, start, **words)


class Leader:
    def ask(self) -> bdp.Asked:
        return bdp.Asked(arms=[0, 1], plays=[1, 1])

    def tell(self, released: Any, noise: Any) -> None: ...


class Chooser:
    def choose(self, features: Any) -> int:
        return 0

    def tell(self, released: Any) -> None: ...


def combined(**changed: Any) -> Any:
    return bdp.combine(Leader(), lambda users: bdp.privatizers.BinarySum(users, 1.0, 0.01), ARMS, horizon=10, **changed)


@pytest.mark.parametrize(("call", "told"), [
    (lambda: bdp.audit(nights, [0], [1], 1.0, view="sum", rng=RNG), "view must be left out"),
    (lambda: bdp.problems.Rounds(nights, 2, reward_range=(0.0, 2.0)), r"reward_range must be \(0, 1\) without features"),
    (lambda: bdp.make("LinUCB-JDP", long_features(), horizon=9, epsilon=1.0, delta=0.01), "features of norm at most 1"),
    (lambda: bdp.problems.ContextualLinear(3, 2).means(np.ones((1, 2))), "theta must be known"),
    (lambda: CONTEXTS.act(np.ones((2, 2, 2)) / 2, user="Ada"), "user must be left out for several users .* 'Ada' for 2"),
    (lambda: bdp.privatizers.LinearStatistics(2).encode([[math.nan, 0.0]], [1.0]), "features must be finite"),
    (lambda: bdp.privatizers.LinearStatistics(2).encode([[1.0, 0.0]], [math.inf]), "rewards must be finite"),
    (lambda: bdp.privatizers.CentralGaussian(1, 1.0, 0.1, domain=bdp.privatizers.LinearStatistics(2), clip=True).release(
        np.zeros((1, 5)), RNG), "clip must be False for linear statistics, got True"),
    (lambda: bdp.privatizers.VectorSum(5, 1.0, 1e-253, domain=bdp.privatizers.Box(2)), "delta must be at least 1e-252"),
    (lambda: bdp.privatizers.DiscreteLaplaceSum(10, 1e-10), "epsilon must be at least 1e-09 .* got 1e-10: a user's share"),
    (lambda: bdp.accounting.skellam_variance(1.0, 1e-280, 1), "delta must be at least .* got 1e-280: smaller masses"),
    (lambda: bdp.accounting.binomial_trials(1e-30, 1e-9, shift=1), "epsilon, delta, shift and p must ask for noise"),
    (lambda: bdp.accounting.shuffle_epsilon(1.0, 10**12, 1e-6), "users must be at most .* bound='closed-form' takes"),
    (lambda: bdp.accounting.shuffle_epsilon(1.0, 10**4, 1e-6, local_delta=1e-3), "local_delta must be at most delta = 1e-06"),
    (lambda: bdp.make("DP-SE", ARMS, horizon=10_000, epsilon=1e-6), "epsilon must be so large, for this horizon, .* 1.41e.06"),
    (lambda: bdp.make("DP-SE", ARMS, horizon=100, epsilon=1.0), r"horizon must be at least \d+ for a first batch .* got 100"),
    (lambda: bdp.make("DP-SE", ARMS, horizon=100, epsilon=1e-9, calibration="theorem"), r"horizon must be at least [\d,]+ for"),
    (lambda: bdp.accounting.optimal_composition(1.0, 0.0, 10**21, 1e-6), "releases must be at most 14,241,251,554 at eps"),
    (lambda: bdp.accounting.optimal_composition(50.0, 0.0, 10**21, 1e-6), "releases must be at most 9,007,199,254,740,992 at eps"),
    (lambda: bdp.accounting.gaussian_composition([1e-300], [1e100]), "noise_stds and sensitivities must give .* got one of 0"),
    (lambda: bdp.accounting.gaussian_composition([1e100], [1e-300]), "noise_stds and sensitivities must give .* got one of inf"),
    (lambda: bdp.accounting.classical_gaussian_noise_std(1e-90, 0.1, 1e90), "epsilon = 1e-90, .* std is 2.2.*e.180, which is not"),
    (lambda: bdp.accounting.binomial_trials(1.0, 1e-291, shift=1), "delta must be at least 1e-290, got 1e-291"),
    (lambda: bdp.privatizers.BinarySum(10**6, 1.0, 1e-290), "delta must be at least 2e-290 for noise bits, got 1e-290"),
    (lambda: bdp.privatizers.BinarySum(9, 1e-20, 0.1, "theorem").release([1] * 9, RNG), "epsilon must be .* got 9 users with 3"),
    (lambda: bdp.privatizers.CentralLaplace(1, 1e-20).release([1.0], RNG), "epsilon must be so large that noise .* 1e.20"),
    (lambda: per_batch(1.0, 1e-299, 100), "delta must be at least 1e-300 in each of 100 batches, got 1e-299 for all"),
    (lambda: bdp.accounting.parameter_shifts(np.ones((3, 2)), 1.0, 3, 2.0), "record must be below 3, .* got 3"),
    (lambda: bdp.accounting.parameter_shifts(np.ones(3), 1.0, 0, 2.0), r"features must be finite numbers of shape \(rounds, d\)"),
    (lambda: bdp.accounting.parameter_shifts([[0.6, 0.8]] * 100, 1e-10, 0, 2.0), "ridge must be at least .* 100 .* got 1e-10"),
    (lambda: bdp.accounting.gaussian_noise_std(1e-100, 1e-200, 1.0), r"^epsilon = 1e-100, .* std is 2\.09858e\+101, which"),
    (lambda: bdp.accounting.laplace_sums_epsilon([1.0], [[1.0]], 0.1), r"shifts must have shape \(releases, d\) and scales"),
    (lambda: bdp.privatizers.Box(1, 0.5, 0.5), "high must be a number in .0.5, inf., got 0.5"),
    (lambda: bdp.view_of(bdp.make("DP-SE", ARMS, horizon=900, epsilon=1.0), "nonsense"), "view must be one of"),
    (lambda: bdp.accounting.laplace_sums_epsilon([[1.0]], [[0.0]], 0.1), "scales must have a positive entry for each release"),
    (lambda: CertifiedRadius(3, 5, FreshBatches(LAPLACE).law(50), 0.5, 0.1), "law must be sub-Gaussian"),
    (lambda: bdp.accounting.advanced_composition(709.0, 0.0, 1000, slack=0.1), "epsilon = 709.0, .* total is too large"),
    (lambda: bdp.accounting.laplace_scale(1e-290, 0.0, sensitivity=1e90), "sensitivity = 1e.90 must .* the scale is inf"),
    (lambda: bdp.make("UCB1", ARMS, horizon=10**5000), "horizon must be an integer .* got a int that cannot be shown"),
    (lambda: bdp.linear.clients_needed.growing(1000, alpha=0.8), r"alpha and phase must have a product .* 0\.8 and 1000"),
    (lambda: logs.evaluate(lambda features: int("x"), LOG), "policy must be a function .*: invalid literal for int"),
    (lambda: both(math.inf), "x = inf must be such that .* the answer is not a number"),
    (lambda: bdp.accounting.classical_gaussian_noise_std(10, 0.25, 1.0), "epsilon must be below 1 .* got 10"),
    (lambda: bdp.arms.batches.first_batch(9, EqualBatches(3), arms=0), "arms must be an integer that is at least 1, got 0"),
    (lambda: upper(math.inf, 3), "number must be finite and at least 0, got inf"),
    (lambda: plots.Path("a", points=[(1, 2, 3)]), r"points must be pairs \(x, y\) of numbers, got shape \(1, 3\)"),
    (lambda: plots.band(Figure().subplots(), [1], [1], None, [1], "a"), "low and high must be numbers"),
    (lambda: binomial_log_pmf(2**60, 1 - 2**-53), "trials must ask for at most"),  # floats cannot tell neighbours apart
    (lambda: g_optimal_design([[0.0, 0.0], [0.0, 0.0]]), "actions must hold a vector that is not zero, got 2 zero vectors"),
    (lambda: bounded_actions([[1.0, 0.0]]), "actions must be at least 2, or there is nothing to learn, got 1"),
    (lambda: bounded_actions([[1.0, 0.0], [0.0, 1.5]]), r"actions must have norm at most 1, got 1\.5 in row 1"),
    (lambda: bounded_actions(np.zeros((3, 2))), "not zero"),
    (lambda: bdp.privatizers.VectorSum(5, 1.0, 0.1, bdp.privatizers.Ball(2), "theorem"), r"domain must be .* a box \[-B, B\]\^s"),
    (lambda: bdp.privatizers.VectorSum(3, 1.0, 0.1, SQUARE).release(np.zeros((3, 3)), RNG), r"shape \(3, 2\), .* \(3, 3\)"),
    (lambda: bdp.privatizers.ScalarSum(5, 1.0, 0.1, domain=SQUARE), "domain must have dimension 1 for a scalar sum, got 2"),
    (lambda: bdp.privatizers.ScalarSum(5, 1.0, 0.1).release_sum([1.0], RNG), "total must be given as single values"),
    (lambda: bdp.privatizers.DiscreteLaplaceSum(3, 1.0, domain=SQUARE), "dimension 1 for a sum by secure aggregation, got 2"),
    (lambda: bdp.privatizers.SkellamSum(2, 1.0, 0.1, domain=bdp.privatizers.Box(1, -1.0, 2.0)).release_sum(1.0, RNG),
     "total must be given as single values"),
    (lambda: bdp.privatizers.AmplifiedGaussian(20, 0.2, 0.1, "theorem"), "domain must be linear statistics"),
    (lambda: HALF.encode([[1.0, 0.0]], [1.0, 2.0]), r"features must have shape .* got \(1, 2\) and \(2,\)"),
    (lambda: HALF.check(HALF.encode([[1.0, 0.0]], [0.6])), r"values must have \|y\| at most 0.5, got 0.6 in row 0"),
    (lambda: tree(noise="laplace"), "calibration must be 'certified' or 'theorem' .* got 'experiment'"),
    (lambda: tree(appearances=2), "calibration must be 'certified' or 'theorem' .* got 'experiment'"),
    (lambda: tree(1), "horizon=1, got 'experiment'"),
    (lambda: bdp.continual.HybridCounter(None, 1.0, 1e-6).noise_path(RNG), "steps must be given, as this counter has no horizon"),
    (lambda: CodeLinear(arms=4), "arms must be at least as many as the dimension, 5, got 4"),
    (lambda: linear("LinUCB-LDP", calibration="experiment", strict=False), "strict is not an option .* which has radius_scale"),
    (lambda: linear("LinUCB-JDP", calibration="experiment", counter="factorization"), "one of 'prefixes', 'tree', got 'factor"),
    (lambda: linear("LinUCB-Batched-LDP", calibration="experiment"), "publishes no simulation"),
    (lambda: linear("LinUCB", bdp.problems.Rounds(nights, 2, dimension=2, reward_range=(-1.0, 1.0)), calibration="experiment"),
     r"rewards in \[0, 1\] for the experiment calibration, got \(-1.0, 1.0\)"),
    (lambda: linear("LinUCB-LDP", PLAIN, centred=True), "have no known constant"),
    (lambda: linear("LinUCB-LDP", centred=True).act(np.broadcast_to(np.eye(3)[0], (8, 3))), r"have the product 0\.5 with"),
    (lambda: per_batch(100.0, 0.49, 20), "epsilon must be such that 20 batches .* got 100; use"),
    (lambda: named_batch_size("returning", "vector", 20, 5, 0.1, 0.1), r"'returning' is \d+ users here, .*: not even one batch"),
    (lambda: named_batch_size("returning", "central", 1000, 5, 1.0, 0.1), "name must be 'utility' for 'central', got 'returning'"),
    (lambda: bdp.Guarantee(1.0, 0.0, "central", "x", "x", "certified", "x", joint="yes"), "joint must be True or False, got 'yes'"),
    (lambda: bdp.privatizers.Ball(2, 1e-200), r"norm must be a number in \[1e-150, 1e\+100\], got 1e-200"),
    (lambda: far("LinUCB", feature_norm=1e-200), r"norm must be a number in \[1e-150, 1e\+100\], got 1e-200"),
    (lambda: far("LinUCB", feature_norm=1e9), r"the ridge of LinUCB must be at least .* norm at most 1e\+09 each, got 1"),
    (lambda: far("LinUCB-RewardTree", feature_norm=1e9), r"the whitener's ridge must be .* norm at most 1e\+09 each, got 1"),
    (lambda: far("LinUCB-RewardTree", reward_range=(0.0, 1e-9)), r"d / theta_norm\^2 of the problem must be at least"),
    (lambda: bdp.combine(LinUCB(2, PublicWidth(0.3, 1e-13)), bdp.privatizers.Identity(1, bdp.privatizers.Reals(5)),
                         bdp.problems.ContextualLinear(2, 2), horizon=1000), "the regularizer of learner must be at least"),
    (lambda: linear("LDP-OLS", PLAIN), "fresh features in every round for LDP-OLS.*i.i.d. and diverse"),
    (lambda: linear("LDP-OLS", calibration="theorem"), "calibration must be 'certified' for LDP-OLS"),
    (lambda: linear("LDP-OLS", calibration="experiment"), "calibration must be 'certified' or 'theorem' for LDP-OLS"),
    (lambda: linear("LDP-OLS", radius_scale=2.0), "radius_scale is not an option of LDP-OLS"),
    (lambda: linear("LDP-AE", STARS, noise="randomized-response"), r"noise must be 'laplace' for rewards in \[0, 1\], got 'rand"),
    (lambda: bdp.accounting.advanced_composition(800.0, 0.0, 2, 0.1), "^epsilon = 800.0, delta = 0.0, .* slack = 0.1 must"),
    (lambda: bdp.problems.LinearArms([[1, 0], [0, 1]], {0.5}), "^theta must"),
    (lambda: bdp.privatizers.Identity(1).randomize([1.0], 1), "^rng must"),
    (lambda: CountedRadius(bdp.continual.TreeCounter(9, 1.0, 0.1), 1, 1.0, 1.0, 1.0, 1.0, 0.1), "^counter must"),
    (lambda: bdp.accounting.shuffle_epsilon(0.1, 2**31, 1e-6), "^users must be at most 20,445,661"),
    (lambda: bdp.accounting.gaussian_delta(1e300, 1e15, 1.0), r"^noise_std must be .* from 1e-300 to 1e\+100"),
    (lambda: bdp.continual.FactorizationCounter(10**8, 1.0, 1e-6, appearances=17), "^horizon must ask for at most 20,000,000"),
    (lambda: bdp.continual.HybridCounter(None, 1.0, 1e-6).noise_path(RNG, 10**9), "^steps must ask for at most"),
    (lambda: linear("LinUCB-LDP", bdp.problems.ContextualLinear(4, 2), horizon=10**9), "^horizon must be at most 5,000"),
    (lambda: TreeWidth(bdp.continual.TreeCounter(9, 1.0, 0.1)), "^counter must have a horizon and Laplace"),
    (lambda: bdp.problems.LinearArms([[1e200, 0], [0, 1]], [0.5, 0.5]), "^actions must"),
    (lambda: linear("SDP-AE", ARMS, strict=None), "^strict must be True or False"),
    (lambda: linear("LDP-AE", ARMS, noise=pd.NA), "^noise must"), (lambda: linear("Dist-DP-AE", ARMS, delta=""), "^delta must"),
])
def test_the_argument_is_named(call: Any, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        call()


@pytest.mark.parametrize(("call", "told"), [
    (lambda: combined(guarantee=(1.0, 0.0)), "guarantee must be a bandits_dp.Guarantee"),
    (lambda: logs.evaluate(lambda: None, LOG), "policy must be a function that accepts these arguments, but it says: .* argument"),
    (lambda: bdp.learners.PhasedElimination(2, 2, 9.0, ExactWidth(2, 99, 1.0), clients=7), "clients must be a function, got 7"),
    (lambda: moving({"a": 3}, {"a": 3}), r"sliders\['a'\] is 3; allowed are at least two values"),
])
def test_another_kind_of_thing_is_a_type_error(call: Any, told: str) -> None:
    with pytest.raises(TypeError, match=told):
        call()


def test_a_guarantee_of_ones_own_is_what_a_combined_learner_promises() -> None:
    mine = bdp.Guarantee(3.0, 0.1, "shuffle", "a bit", "replace one user's reward", "certified", "by hand")
    assert combined(guarantee=mine).guarantee is mine and combined().guarantee.epsilon == 1.0
    problem = bdp.problems.ContextualLinear(3, 2)
    sums = bdp.privatizers.CentralGaussian(2, 1.0, 0.01, domain=bdp.privatizers.LinearStatistics(2))
    promised = [bdp.combine(Chooser(), sums, problem, horizon=10, guarantee=given).guarantee for given in (mine, None)]
    assert promised[0] is mine and promised[1].epsilon == 1.0


def test_without_linux_the_whole_machine_bounds_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(path: Path) -> str:
        raise FileNotFoundError(path)

    monkeypatch.setattr(Path, "read_text", missing)
    monkeypatch.setattr("os.sysconf_names", {"SC_PHYS_PAGES": 1, "SC_PAGE_SIZE": 2}, raising=False)
    monkeypatch.setattr("os.sysconf", {"SC_PHYS_PAGES": 1000, "SC_PAGE_SIZE": 4096}.__getitem__, raising=False)
    assert memory.available() == 4_096_000
    monkeypatch.setattr("os.sysconf_names", {})
    assert memory.available() is None


def test_a_guarantee_says_what_is_clipped_and_what_a_simulation_draws() -> None:
    units = [bdp.continual.TreeCounter(9, 1.0, 0.1, domain=bdp.privatizers.Box(d), clip=clip).guarantee.unit
             for d, clip in ((1, True), (2, False))]
    assert units == ["one user's reward in [0, 1], after clipping to it", "one user's vector in [0, 1]^2"]
    for fidelity, holds in (("aggregate", "the law of real numbers"), ("messages", "every bit of what is sent and released")):
        learner = bdp.make("SDP-AE", ARMS, horizon=9, epsilon=1.0, delta=0.1, fidelity=fidelity)
        assert bdp.simulate(learner, ARMS, 9, runs=1, progress=False).guarantee.holds == holds


class Silent:
    def __repr__(self) -> str:
        raise RuntimeError("it has no words")

    __str__ = __repr__


@pytest.mark.parametrize("wrong", [Silent(), [Silent()] * 2, 10**5000, "x" * 10**6], ids=["silent", "list", "digits", "long"])
def test_what_cannot_be_shown_is_refused_in_a_few_words(wrong: Any) -> None:
    """An error message that shows a value must neither fail itself, as of 10**5000, nor be as long as the value."""
    live = Served(learner())
    for call in (
        lambda: bdp.Asked(arms=wrong, plays=[1]), lambda: bdp.make(wrong, ARMS, horizon=9),
        lambda: bdp.make("UCB1", wrong, horizon=9), lambda: bdp.simulate(wrong, ARMS, horizon=9),
        lambda: bdp.combine(Leader(), wrong, ARMS, horizon=9), lambda: combined(guarantee=wrong),
        lambda: bdp.combine(Leader(), lambda users: wrong, ARMS, horizon=9),
        lambda: live.act(users=2, user=wrong), lambda: live.update(wrong, 1.0), lambda: live.offer(wrong),
        lambda: live.restore({"format": wrong}), lambda: live.restore({wrong if isinstance(wrong, Silent) else "format": wrong}),
        lambda: bdp.problems.Rounds(wrong, 2), lambda: bdp.problems.Rounds(nights, 2, reward_range=wrong),
        lambda: next(bdp.problems.Rounds(lambda rng: iter([wrong]), 2).one_by_one(RNG)),
        lambda: next(bdp.problems.Rounds(lambda rng: iter([(None, wrong)]), 2).one_by_one(RNG)),
        lambda: next(bdp.problems.Rounds(lambda rng: iter([(wrong, [1, 0])]), 2).one_by_one(RNG)),
        lambda: logs.Log([0], [wrong], 0.5, arms=2), lambda: logs.Log([0], [1], 0.5, arms=2, users=[wrong] * 2),
        lambda: logs.evaluate(lambda features: wrong, LOG), lambda: LOG[wrong], lambda: logs.record(wrong, ARMS, 9, RNG),
        lambda: bdp.arms.batches.batches(wrong),
    ):
        with pytest.raises((TypeError, ValueError)) as caught:
            call()
        assert len(str(caught.value)) < 2000


def test_an_argument_without_a_rule_is_an_error_before_any_call() -> None:
    """A rule hung on a name alone: epsilon=-1.0 was refused, and the same function with eps returned."""
    with pytest.raises(TypeError, match=r"<lambda> must have a rule for each of its arguments, .* see \['eps'\]"):
        _checks.checked()(lambda epsilon, eps: eps)
    with pytest.raises(TypeError, match=r"no other: see \['shfit'\]"):
        _checks.checked(shfit=_checks.integer)(lambda shift: shift)
    assert _checks.checked(eps=_checks.unchecked)(lambda eps: eps)(-1.0) == -1.0


@pytest.mark.parametrize("dimension", [1, 4, 50])
def test_slack_covers_rounds_that_are_too_long(dimension: int) -> None:
    """Features and rewards that are longer by the room make statistics longer by its square."""
    domain = bdp.privatizers.LinearStatistics(dimension)
    assert slack(domain) >= domain.l2_diameter * ((1 + SLACK) ** 2 - 1)


@pytest.mark.filterwarnings("error")
def test_one_run_has_no_standard_error_and_restarts_say_what_they_are() -> None:
    endless = served("SDP-AE", ARMS, epsilon=1.0, delta=0.1, batch_size=4)
    assert "0 rounds played" in repr(endless) and endless.tickets == {}
    assert endless.act().number in endless.tickets
    result = bdp.simulate(endless, ARMS, horizon=20, runs=1, progress=False)
    assert np.isnan(result.std_error).all() and len(result.std_error) == len(result.rounds)
