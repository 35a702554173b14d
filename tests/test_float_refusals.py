"""Features, rewards, bounds and ridges at the edge of floats, one by one: what broke a promise or a learner, what is refused."""

import numpy as np
import pytest

import bandits_dp as bdp
from bandits_dp import privatizers as P
from bandits_dp.contextual.radius import PublicWidth
from bandits_dp.learners import LinUCB
from bandits_dp.serve import Served
from tests.small_problems import served

FAR = 2.0**53
LINE = bdp.problems.ContextualLinear(features=[[0.6, 0.8], [0.8, 0.6]], theta=[0.5, 0.5])


def test_a_direction_that_is_too_long_is_not_counted():
    """Whatever a learner says, the server counts no g (r - c) that is longer than its noise is made for."""
    for name in ("LinUCB-RewardTree", "LinUCB-Tree", "LinUCB-DGS"):
        learner = served(name, bdp.problems.Rounds(iter, 2, 2), 9, epsilon=1.0, delta=0.1)
        ticket = learner.act(np.eye(2))
        learner.learner.directions = lambda phi: phi * 3.0
        words = r"rewards times their (directions|features) must have norm at most 0\.5\d*, got 1\.5 in"
        with pytest.raises(ValueError, match=words):
            learner.update(ticket, 1.0)
        assert learner.played == 0


@pytest.mark.parametrize(("rewards", "words"), [
    ((FAR - 1, FAR), "a range whose middle is a float"), ((0.0, 1e-200), "a range of length 1e-150 to 1e.50"),
    ((1.0, 1.0 + 2**-52), "a range whose middle is a float")])
def test_rewards_that_floats_cannot_tell_from_their_middle_are_refused(rewards, words):
    for name in ("LinUCB-RewardTree", "LinUCB-Tree", "LinUCB-DGS"):
        with pytest.raises(ValueError, match=f"problem must have rewards in {words}"):
            bdp.make(name, bdp.problems.Rounds(iter, 2, 2, rewards), horizon=9, epsilon=1.0, delta=0.1)


@pytest.mark.parametrize("name", ["LinUCB-DGS", "LinUCB-Tree", "LinUCB-RewardTree"])
def test_a_state_goes_to_a_learner_with_the_very_same_bounds(name):
    """(1e6, 1e6 + 1.999) went to (1e6, 1e6 + 1), which looks alike in six digits: true delta 4.4e-3 for a promised 1e-6."""
    wide, narrow = (served(name, bdp.problems.Rounds(iter, 2, 1, (1e6, 1e6 + span)), 50, epsilon=1.0, delta=1e-6)
                    for span in (1.999, 1.0))
    with pytest.raises(ValueError, match=r"for rewards in \[1e\+06, 1000001.0\] .* got .* for rewards in \[1e\+06, 1000001.999\]"):
        narrow.restore(wide.save())
    assert "[1e+06, 1000001.999]" in str(wide.guarantee)


def test_a_state_goes_to_a_learner_of_the_very_same_promise():
    """Domains and promises that print alike in six digits are told apart, in what is combined, too."""
    problem, made = bdp.problems.Rounds(iter, 2), []
    for epsilon, high in ((1.0, 1.0), (1.0, 1.0000001), (1.0000001, 1.0)):
        def central(users, epsilon=epsilon, high=high):
            return P.CentralLaplace(users, epsilon, domain=P.Box(1, 0.0, high))

        made.append(Served(bdp.combine(Twice(), central, problem, horizon=9)))
    for one in made:
        for other in made:
            if one is not other:
                with pytest.raises(ValueError, match="state must come from"):
                    one.restore(other.save())


class Twice:
    """Asks two users about one arm, and three about the other."""

    def ask(self):
        return bdp.Asked([0, 1], [2, 3])

    def tell(self, released, noise):
        """Remember nothing."""


def test_every_answer_is_checked_against_the_noise_that_it_gets():
    """Noise for [0, 100] was looked at, and noise for [0, 1] was added to the sum of the second arm."""
    def central(users):
        return P.CentralLaplace(users, 1.0, domain=P.Box(1, 0.0, 100.0 if users == 2 else 1.0))

    learner = bdp.combine(Twice(), central, bdp.problems.Rounds(iter, 2), horizon=9)
    learner.update(learner.act(users=2), [100.0, 100.0])
    with pytest.raises(ValueError, match=r"rewards must be in \[0, 1\], got 100.0 in row 0"):
        learner.update(learner.act(users=3), [100.0] * 3)


class Longer(LinUCB):
    """Counts some features too much."""

    def statistics(self, phi, y):
        return super().statistics(phi, y) * (1 + 50 * np.abs(phi[..., 1:2]))


def test_statistics_of_somebody_elses_are_checked_for_every_user():
    """Four vectors along the first axis were looked at: promised was (1, 1e-6), and released -52 or +51."""
    problem = bdp.problems.Rounds(iter, 2, 2, (-1.0, 1.0))
    noisy = P.CentralGaussian(2, 1.0, 1e-6, domain=P.LinearStatistics(2))
    learner = bdp.combine(Longer(2, PublicWidth(0.3, 1.0)), noisy, problem, horizon=2)
    with pytest.raises(ValueError, match=r"statistics of the learner must be \(phi y, upper triangle of phi phi'\)"):
        learner.update(learner.act([[0.0, 1.0], [0.0, 1.0]]), 1.0)
    learner.learner.statistics = lambda phi, y: np.zeros((len(y), 3))
    with pytest.raises(ValueError, match=r"statistics must return numbers of shape \(1, 5\), got shape \(1, 3\)"):
        learner.update(learner.act([[1.0, 0.0], [1.0, 0.0]]), 1.0)
    with pytest.raises(ValueError, match="statistics of the learner"):
        bdp.simulate(bdp.combine(Longer(2, PublicWidth(0.3, 1.0)), noisy, LINE, horizon=40), LINE, 40, 2, progress=False)


@pytest.mark.parametrize("name", ["LinUCB-Tree", "LinUCB-DGS", "LinUCB-RewardTree"])
def test_what_two_checks_let_pass_a_third_takes(name):
    """Features longer by 1e-9 are right, and so is a middle off by 1e-9 of the range; both at once were refused in `update`."""
    high = float(np.nextafter(5e6 + 1.3, np.inf))
    problem = bdp.problems.Rounds(iter, 2, 2, (5e6 + 0.3, high))
    learner = bdp.make(name, problem, horizon=50, epsilon=1.0, delta=1e-6)
    for reward in problem.reward_range:
        learner.update(learner.act(np.full((2, 2), [0.6, 0.8]) * (1 + 9.9e-10)), reward)
    assert learner.played == 2
    with pytest.raises(ValueError, match="must have norm at most"):
        learner.stream.send(np.full((1, 6), 0.5), np.random.default_rng(1))


class Lost(LinUCB):
    """Has no number for a large reward."""

    def statistics(self, phi, y):
        return super().statistics(phi, y) * np.where(y > 0.5, np.nan, 1.0)[..., None]


@pytest.mark.parametrize("domain", [P.LinearStatistics(2), P.Ball(5, 2.0), P.Box(5, -1.0, 1.0)])
def test_no_number_is_in_no_domain(domain):
    """NaN was in every ball, and on the grid -2^63: promised was (1, 1e-6), and released 10 or -1e9."""
    with pytest.raises(ValueError, match="values must"):
        domain.check(np.full((1, 5), np.nan))
    with pytest.raises(ValueError, match="statistics of the learner must be finite, got nan in row 1"):
        bdp.combine(Lost(2, PublicWidth(0.3, 1.0)), P.CentralGaussian(1, 1.0, 1e-6, domain=domain), LINE, horizon=2)


@pytest.mark.parametrize("name", ["LinUCB-Tree", "LinUCB-DGS"])
@pytest.mark.parametrize("ridge", [1e-13, 1e-300])
def test_a_ridge_that_rounding_loses_is_refused(name, ridge):
    """After 199 rounds every call raised LinAlgError, and the learner was stuck for good; the least that is allowed is not lost."""
    problem = bdp.problems.Rounds(iter, 2, 2)
    with pytest.raises(ValueError, match=rf"ridge must be at least 2e-09 for .* got {ridge:g}"):
        bdp.make(name, problem, horizon=1000, epsilon=1.0, delta=1e-3, ridge=ridge)
    learner = bdp.make(name, problem, horizon=1000, epsilon=1.0, delta=1e-3, ridge=2e-9)
    for _ in range(1000):
        learner.update(learner.act([[0.6, 0.8], [0.6, 0.8]]), 1.0)
    assert np.isfinite(learner.learner.theta).all()


def test_a_number_below_its_ball_is_encoded_as_no_less_than_0():
    """What a check lets pass, 1e-9 beyond the ball, was sometimes -1: one user could move the sum by g + 1."""
    noisy = P.VectorSum(1, 1.0, 0.01, P.Ball(1), levels=4096)
    low = noisy._round(np.full((400_000, 1), -1 - 0.9e-9), np.random.default_rng(1))  # it was -1 with probability 1.8e-6
    assert low.min() == 0 and noisy._round(np.full((1, 1), 1 + 0.9e-9), np.random.default_rng(1))[0, 0] == 4096


def test_every_reward_of_a_user_who_returns_is_rounded():
    """Each of M rewards is rounded as it comes, so that they may be M roundings further apart, and not one."""
    def grid_of(returning):
        learner = bdp.make("LinUCB-RewardTree", bdp.problems.Rounds(iter, 2, 4), horizon=1000, epsilon=1.0, delta=0.1,
                           counter="tree", returning_users=returning)
        grid, counter = learner.stream.counter.grid, learner.stream.counter
        return grid.scale * grid.step / counter.noise_std, grid.step / counter.domain.l2_diameter

    for returning in (1, 1000):
        factor, step = grid_of(returning)
        assert factor >= (1 + returning * 2.0 * step) * (1 + 4e-9)
