"""The question of each lab has the answer that moving the sliders shows: chapters 9, 11, 12 and 13."""

import math
import re
import textwrap

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

import bandits_dp as bdp
from bandits_book import plots, setup
from bandits_dp.problems import PoolContextual
from tests.chapters import defined


def lab(chapter, **names):
    """Return what tells the sentence of a chapter's lab at given values, and the numbers in it, in order."""
    common = {"plt": plt, "textwrap": textwrap, "plots": plots, "COLORS": plots.COLORS, "TRUST_COLORS": plots.TRUST_COLORS}
    space = defined(chapter, "lab-function", **common, **names)
    plt.close("all")
    (draw,) = (one for one in space.values() if getattr(getattr(one, "__code__", None), "co_varnames", ())[:2] == ("ax", "rng"))

    def told(seed, **values):
        sentence = draw(Figure().subplots(), np.random.default_rng(seed), **values)
        assert sentence.endswith(".")
        return sentence, [float(found.replace(",", "")) for found in re.findall(r"\d[\d,]*(?:\.\d+)?", sentence)]

    return told


def test_a_larger_crowd_buys_a_hundred_times_smaller_epsilon() -> None:
    """Chapter 9: at ε = 0.1, γ = 0.8 loses less than γ = 0.5 at ε = 10; γ = 0.5 itself loses far more."""
    told = lab("09_distributed_feedback", paper=setup("li-zhou-ji-2022"))

    def lost(gamma, epsilon):
        return [float(told(seed, gamma=gamma, epsilon=epsilon)[1][-2]) for seed in (1, 2, 3)]

    noted, less, more = lost(0.5, 10.0), lost(0.8, 0.1), lost(0.5, 0.1)
    assert all(b < a < c for a, b, c in zip(noted, less, more, strict=True)), (noted, less, more)


def test_a_few_visits_turn_the_choice_of_batch_size_round() -> None:
    """Chapter 11: with one visit of a user batches of 100 lose less than batches of 1,000, from about five visits on more."""
    told = lab("11_returning_users", paper=setup("chowdhury-zhou-2022"))

    def lost(B, visits):
        return np.mean([told(seed, B=B, visits=visits)[1][-4] for seed in range(1, 5)])

    assert lost(100, 1) < lost(1000, 1) and lost(100, 10) > lost(1000, 10)


def test_below_a_tenth_ratings_hardly_help_the_reward_tree() -> None:
    """Chapter 12: below about ε = 0.1. What still helps is public: whoever plays the longest song on show loses as little."""
    pool = PoolContextual(clip=True)
    told = lab("12_dynamic_sensitivity", pool=pool)
    for epsilon in (0.01, 0.1, 10.0):
        tree, _, reward_tree, _ = told(1, epsilon=epsilon, T=500)[1][-4:]
        assert reward_tree < tree / 4
    crowd = defined("12_dynamic_sensitivity", "plain-linucb", "worlds")["crowd"]
    longest = crowd.regret(np.linalg.norm(crowd.shown, axis=3).argmax(2)).mean()
    any_song = crowd.regret(np.random.default_rng(1).integers(10, size=crowd.shown.shape[:2])).mean()
    regrets = []
    for epsilon in (0.01, 0.1, 10.0):
        learner = bdp.make("LinUCB-RewardTree", pool, horizon=500, epsilon=epsilon, delta=0.1)
        regrets.append(bdp.simulate(learner, pool, 500, runs=50, seed=1, progress=False).regret[:, -1])
    hidden, faint, clear = regrets
    faint, clear = hidden - faint, hidden - clear
    assert faint.mean() < clear.mean() / 4 and clear.mean() > 4 * clear.std(ddof=1) / math.sqrt(50)
    assert longest < 1.2 * hidden.mean() < any_song / 3


def test_a_thousand_runs_do_not_refute_laplace_noise_that_is_too_small() -> None:
    """Chapter 13: at b = 0.8 Laplace noise keeps 1.25, and no normal or uniform noise any ε; 1,000 runs refute these two only."""
    X, X_noor = np.zeros(10), np.eye(1, 10)[0]
    told = lab("13_auditing", X=X, X_noor=X_noor)

    def refuted(noise, runs):
        return [" and refute the claim 1." in told(seed, noise=noise, b=0.8, epsilon=1.0, runs=runs)[0] for seed in range(1, 6)]

    assert not any(refuted("laplace", 1000.0)) and all(refuted("laplace", 1e5))
    assert all(refuted("normal", 1000.0)) and all(refuted("uniform", 1000.0))
