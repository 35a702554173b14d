"""A guarantee is printed as a bound that holds, and says what it is about: joint or not, amplified or not, clipped or not."""

import copy
import math
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bandits_dp as bdp
from bandits_dp.accounting import gaussian_noise_std
from bandits_dp.guarantee import upper
from bandits_dp.linear.client_problems import ClientPopulation
from bandits_dp.linear.fast import play_phase
from bandits_dp.play.record import Record
from bandits_dp.privatizers import AmplifiedGaussian, CentralGaussian, LinearStatistics
from bandits_dp.privatizers.returning import ReturningLocalGaussian, ReturningVectorSum
from bandits_dp.problems import BernoulliArms, ContextualLinear


@given(st.floats(min_value=1e-300, max_value=1e300), st.integers(1, 8))
def test_printed_bounds_hold(number, digits):
    """What is printed is never below the number (as a float: what was typed is printed as typed), and at most one digit above."""
    printed = upper(number, digits)
    assert float(printed) >= number
    assert Decimal(printed) <= Decimal(number) * (1 + Decimal(10) ** (1 - digits))


def test_numbers_that_were_typed_are_printed_as_they_were():
    for text in ("1", "0.1", "0.3", "1e-06", "10", "2.5", "0.7", "1e-300", "0.123456", "123456"):
        assert upper(float(text)) == text
    assert upper(0.0) == "0" and upper(1.0000001) == "1.00001" and upper(0.30000000000000004) == "0.300001"


def test_epsilon_and_delta_are_rounded_up():
    """(1.000004, 1.234564e-7) was printed as (1, 1.23456e-07), which does not hold."""
    promise = CentralGaussian(3, 1.000004, 1.234564e-7).guarantee
    assert str(promise).startswith("(1.00001, 1.23457e-07)-differential privacy in the central model")
    each = ReturningVectorSum(50, 4, 3.0, 0.01, "theorem", domain=LinearStatistics(1), strict=False)
    words = str(each.guarantee)
    one = 3.0 / (2 * (2 * 4 * np.log(2 / 0.01)) ** 0.5)
    shown = float(words.split(", (")[1].split(",")[0])
    assert one <= shown <= one * 1.01


@pytest.mark.parametrize(("name", "joint"), (
    ("LinUCB-JDP", True), ("LinUCB-Batched-JDP", True), ("LinUCB-LDP", False), ("LinUCB-SDP-Vec", False), ("LinUCB-SDP-Amp", False),
))
@pytest.mark.parametrize("returning", (False, True))
def test_joint_privacy_is_a_field(name, joint, returning):
    """A user of joint privacy sees her own arm, which depends on her own features: what is promised is about all the others."""
    problem = ContextualLinear(arms=3, dimension=2)
    promise = bdp.make(name, problem, horizon=200, epsilon=1.0, delta=0.1, returning_users=returning).guarantee
    assert promise.joint is joint and ("-joint differential privacy in" in str(promise)) is joint
    assert ("billboard lemma" in promise.reason) is joint
    assert "joint privacy" not in promise.reason  # no remark


def test_arms_are_in_the_promise_where_it_is_not_joint():
    assert not bdp.make("SDP-AE", BernoulliArms([0.9, 0.1]), horizon=100, epsilon=1.0, delta=0.1).guarantee.joint


def test_amplified_is_said_where_it_is():
    """Batches of 20 amplify nothing: their noise is that of the local model, and their guarantee must not say otherwise."""
    domain = LinearStatistics(2)
    for users, delta, honest in ((20, 0.1, 1.0), (20, 0.1, 0.5), (10**5, 1e-6, 1.0), (10**5, 1e-6, 0.5)):
        made = AmplifiedGaussian(users, 1.0, delta, domain=domain, honest_fraction=honest)
        amplified = made.unit_std < gaussian_noise_std(1.0, delta, domain.l2_diameter)
        assert amplified is (users == 10**5)
        assert ("amplified by shuffling" in made.guarantee.reason) is amplified
        assert ("it amplifies nothing here" in made.guarantee.reason) is not amplified
        assert ("are honest" in made.guarantee.reason) is (amplified and honest < 1)


def test_clipping_voids_widths_and_the_guarantee_says_so():
    """Averages near 0.95 clipped to 0.05: the best action is dropped in every run, where its margin fails with probability 1e-7."""
    actions, horizon = np.array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8], [0.95, 0.31]]), 10**7
    problem = ClientPopulation(actions, [0.95, 0.0], 0.1, "gaussian", 10**7)
    made = bdp.make("CDP-DPE", problem, horizon=horizon, epsilon=10.0, delta=0.25, clip=True, bound=0.05)
    for seed in range(2):
        learner, record = copy.deepcopy(made), Record(1, np.array([horizon]))
        answers, noise = np.random.default_rng(seed).spawn(2)
        while learner.played < horizon:
            play_phase(learner, problem, horizon, answers, noise, record)
        assert 0 not in learner.learner.active
    assert "their means are others, and confidence widths are void" in str(made.guarantee)
    for name, problem in (("CDP-DPE", bdp.problems.SphericalClients(3, 2)), ("CDP-PE", bdp.problems.SphericalArms(3, 2))):
        for clip in (False, True):
            options = {"horizon": 1000, "epsilon": 1.0, "delta": 0.1, "clip": clip}
            assert ("void" in str(bdp.make(name, problem, **options).guarantee)) is clip


def test_gaussian_noise_is_also_concentrated():
    """rho is that of the noise; it converts to no less than epsilon; who changes noise, adds visits or takes Laplace says so."""
    once, twice = (bdp.privatizers.CentralGaussian(5, 1.0, 1e-6), ReturningLocalGaussian(5, 2, 1.0, 1e-6))
    local, tree = bdp.privatizers.LocalGaussian(5, 1.0, 1e-6), bdp.continual.TreeCounter(100, 1.0, 1e-6)
    for rho in (one.guarantee.rho for one in (once, twice, local, tree)):
        assert rho == pytest.approx(1 / (2 * once.noise_std**2))  # whatever is released, and how often
        assert 1.0 < bdp.accounting.zcdp_epsilon(rho, 1e-6) < 1.1
    assert "(Balle & Wang 2018, Theorem 8); also 0.0281-zCDP; holds for" in str(once.guarantee)
    for other in (bdp.privatizers.CentralLaplace(5, 1.0), bdp.privatizers.CentralGaussian(5, 0.5, 1e-6, "theorem"),
                  bdp.privatizers.BinarySum(5, 1.0, 1e-6)):
        assert math.isinf(other.guarantee.rho) and "zCDP" not in str(other.guarantee)
    problem = bdp.problems.LinearArms(np.eye(2), [0.5, 0.5])
    learner = bdp.make("CDP-PE", problem, horizon=1000, epsilon=1.0, delta=1e-6, noise="gaussian")
    assert learner.guarantee.rho == pytest.approx(once.guarantee.rho)


@pytest.mark.parametrize(("factor", "passed"), ((1.0, True), (2.0, False)))
def test_an_audit_sees_that_rho_is_larger(factor, passed):
    """The same runs bound both; what is planted has half the noise (false alarm: confidence 1 - 1e-6)."""
    noisy = bdp.privatizers.CentralGaussian(3, 1.0, 1e-2)
    noisy.unit_std, noisy.noise_std = noisy.unit_std / factor, noisy.noise_std / factor
    found = bdp.audit(noisy, [1, 0, 0], [0, 0, 0], None, None, 12_000, 1 - 1e-6, rng=np.random.default_rng(1), progress=False)
    assert found.rho == noisy.guarantee.rho and (found.rho_lower <= found.rho) is passed and found.rho_lower > found.rho / 4
    assert f"rho is at least {found.rho_lower:.3g}, and 0.142 is claimed" in str(found)
