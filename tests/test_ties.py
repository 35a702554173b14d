"""What is equal by mathematics is decided by a rule, and not by how a processor adds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import bandits_dp as bdp
from bandits_book import lastfm
from bandits_dp._ties import first_largest, round_up
from bandits_dp.contextual.radius import FixedWidth
from bandits_dp.learners import LinUCB, PhasedElimination
from bandits_dp.linear.designs import g_optimal_design
from bandits_dp.linear.widths import ExactWidth
from tests.same_law import codes, same_law

ROUNDING = 1e-13  # relative: far more than any processor leaves in the sums here


def shaken(values, seed):
    """Return the values as another processor might have computed them."""
    return values * (1 + ROUNDING * np.random.default_rng(seed).uniform(-1, 1, np.shape(values)))


@settings(deadline=None)
@given(st.lists(st.integers(-5, 5), min_size=1, max_size=8), st.floats(1e-6, 1e6), st.integers(0, 2**32))
def test_the_first_of_the_largest_is_taken(levels, unit, seed):
    values = unit * np.array(levels, dtype=float)
    assert first_largest(shaken(values, seed)) == levels.index(max(levels))


def test_a_difference_that_matters_is_not_a_tie():
    assert first_largest(np.array([[1.0, 1.0 + 1e-6], [1.0 + 1e-6, 1.0]])).tolist() == [1, 0]


@given(st.integers(0, 10**6), st.integers(0, 2**32))
def test_whole_numbers_stay_what_they_are(whole, seed):
    assert round_up(shaken(np.array([float(whole)]), seed)).tolist() == [whole]
    assert round_up(np.array([whole + 0.001])).tolist() == [whole + 1]


def test_arms_of_one_norm_are_played_in_order():
    """Before the first release all indices are equal; and after it those of all arms but the one that was played."""
    learner = LinUCB(4, FixedWidth(1.0, 1.0))
    angles = np.linspace(0.0, 1.0, 7)
    circle = np.column_stack([np.cos(angles), np.sin(angles), 0 * angles, 0 * angles])
    assert all(learner.choose(shaken(circle, seed)) == 0 for seed in range(50))
    learner.tell(np.array([0.0, 0.0, 0.0, 0.0, *[3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]]))
    assert all(learner.choose(shaken(np.eye(4), seed)) == 1 for seed in range(50))


def symmetric(d):
    """Return a cube's corners and the axes in both directions: all of norm 0.9, and ties wherever one looks."""
    corners = np.array(np.meshgrid(*[[-1.0, 1.0]] * d)).reshape(d, -1).T / np.sqrt(d)
    return 0.9 * np.concatenate([np.eye(d), -np.eye(d), corners])


@pytest.mark.parametrize("d", [2, 3, 4, 5, 8])
def test_designs_on_symmetric_actions_are_the_same_everywhere(d):
    for tolerance in (2.0, 1.1):
        plain = g_optimal_design(symmetric(d), tolerance).weights
        for seed in range(10):
            other = g_optimal_design(shaken(symmetric(d), seed), tolerance).weights
            assert other == pytest.approx(plain, abs=1e-9)
            assert ((other > 0) == (plain > 0)).all() and (round_up(64 * other) == round_up(64 * plain)).all()


def test_a_phase_asks_for_the_same_plays_everywhere():
    def asked(actions):
        learner = PhasedElimination(len(actions), 3, first_length=64, width=ExactWidth(3, horizon=1000, reward_std=1.0))
        learner.show(actions)
        return learner.ask().arms.tolist(), learner.ask().plays.tolist()

    assert all(asked(shaken(symmetric(3), seed)) == asked(symmetric(3)) for seed in range(20))


def test_a_leader_stays_whatever_rounding_says():
    """Played actions that pay the same lead together, up to rounding: none of them is behind itself."""
    rng, ties = np.random.default_rng(0), 0
    for _ in range(50):
        learner = PhasedElimination(5, 5, first_length=10_000, width=ExactWidth(5, horizon=10**6, reward_std=1.0))
        learner.show(0.9 * np.linalg.qr(rng.normal(size=(5, 5)))[0])
        asked = learner.ask()
        learner.tell(0.5 * asked.plays, [bdp.privatizers.Identity(int(n)) for n in asked.plays])
        values = learner.actions @ learner.estimate
        assert values == pytest.approx(0.5) and learner.active.tolist() == [0, 1, 2, 3, 4]
        ties += values[0] < values.max()  # the first of the leaders is not the largest by rounding
    assert ties > 10


def test_features_of_artists_are_data_of_six_decimals():
    problem = lastfm.LastFM(source="synthetic", dimension=5)
    steps = problem.pool * 1e6
    assert steps == pytest.approx(np.rint(steps), abs=1e-6)
    assert np.linalg.norm(problem.pool, axis=1).max() <= 1


def test_rounding_breaks_no_tie_of_two_samples_and_another_law_is_seen():
    """Three values in both samples, in one of them off by 1e-13: the plain test takes that for another law."""
    one, other = np.random.default_rng(0).integers(1, 4, (2, 200)) * 0.1
    off = other * (1 + 1e-13)
    assert stats.ks_2samp(one, off).pvalue < 1e-6 < same_law(one, off) == same_law(one, other)
    assert same_law(one, other + 0.1) < 1e-6
    assert [code.tolist() for code in codes([0.3, -0.5, 0.1], [0.1 + 0.2])] == [[2, 0, 1], [2]]
