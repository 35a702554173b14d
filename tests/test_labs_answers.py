"""The question of each lab has the answer that moving its sliders shows."""

import math
import re
from typing import Any

import numpy as np
import pytest

import bandits_dp as bdp
from bandits_dp.problems import PoolContextual
from tests.chapters import defined
from tests.test_labs import told

NUMBER = re.compile(r"(?<![\w.])[+-]?\d[\d,]*(?:\.\d+)?(?:e[+-]\d+)?")


def numbers(chapter: str, seed: int = 1, **values: Any) -> list[float]:
    """Return the numbers in what a lab says, of its start but for the values given."""
    return [float(found.replace(",", "")) for found in NUMBER.findall(told(chapter, seed, **values).rstrip("."))]


def number(pattern: str, text: str) -> float:
    """Return the number that a sentence has in a place."""
    found = re.search(pattern, text)
    assert found, (pattern, text)
    return float(found[1].replace(",", ""))


def test_1_the_best_width_is_a_third_of_ucb1s() -> None:
    """The theorem's width is cautious, so a third of it loses far less; width 0 is greedy, and runs get stuck."""
    found = {width: np.mean([numbers("01_bandits", seed, width=width, scale=1.0, users=2000)[-2:] for seed in (1, 2, 3)], axis=0)
             for width in (0.0, 0.1, 0.3, 1.0, 2.0)}
    lost, stuck = ({width: two[i] for width, two in found.items()} for i in (0, 1))
    assert lost[0.3] < min(lost[0.0], lost[0.1], lost[1.0], lost[2.0]) / 2
    assert stuck[0.0] > 3 and stuck[0.3] < 1 and stuck[1.0] == 0


def test_2_sixty_percent_and_the_looks_that_make_ninety() -> None:
    """Eve guesses best with 1 - exp(-ε/2) / 2, so ε = 2 ln(5/4); some number of looks is the first to make 90%."""
    chapter, epsilon = "02_differential_privacy", 2 * math.log(1.25)
    right = [number(r"right in ([\d.]+)%", told(chapter, epsilon=epsilon, looks=looks)) for looks in (1, 60, 75, 100)]
    assert right[0] == pytest.approx(60, abs=1) and right[1] < 90 < right[2] < right[3]


def test_3_one_percent_takes_nine_thousand_users_and_a_tenth_of_epsilon_a_hundred_times_as_many() -> None:
    """The error is the root of n over 2 sinh(ε/2), so 1% of n takes (50 / sinh(ε/2))^2 users, a million at ε = 0.1."""
    for epsilon in (1.0, 0.1):
        users = (50 / np.sinh(epsilon / 2)) ** 2
        assert 30 < users < 1e6
        assert numbers("03_trust_models", users=users, epsilon=epsilon, honest=1.0)[-1] == 1
        assert numbers("03_trust_models", users=users / 2, epsilon=epsilon, honest=1.0)[-1] == 1.41
    assert 90 < (np.sinh(0.5) / np.sinh(0.05)) ** 2 < 110


def test_4_the_largest_of_many_fresh_errors_is_farther_off_than_a_walk_that_ends_there() -> None:
    """With the same standard deviation in the last count: naive noise is as large in all counts, noise per answer adds up."""
    def off(users: int, epsilon: float) -> list[tuple[float, float]]:
        drawn = [told("04_continual_counting", seed, users=users, epsilon=epsilon) for seed in range(1, 11)]
        return [(number(r"naive ([\d,]+)", one), number(r"per answer ([\d,]+)", one)) for one in drawn]

    for users, epsilon in (100, 0.05), (1000, 1.0), (10_000, 0.05):
        naive, walk = zip(*off(users, epsilon), strict=True)
        assert sum(naive) > 1.5 * sum(walk), (users, epsilon)


def test_5_a_hundred_users_halve_epsilon_where_the_formula_asks_for_seventeen_hundred() -> None:
    """ε₀ = 2 is halved by 84 users in this crowd, by 363 for all that the clones say, by 1,716 for the formula."""
    halved = []
    for place in (3, 4, 5):
        low, high = 50, 10_000
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if numbers("05_shuffling", eps0=2.0, users=middle, delta=1e-6)[place] <= 1 else (middle, high)
        halved.append(high)
    assert halved == [84, 363, 1716]


def test_6_thirty_six_pairs_are_enough_and_twice_the_levels_take_four_times_as_many() -> None:
    """100 users with g = 10 need 36 pairs each for δ = 1e-6, and 143 at g = 20; the error is the same."""
    said = {(g, pairs): numbers("06_vector_summation", users=100, g=g, pairs=pairs)
            for g, pairs in ((10, 35), (10, 36), (20, 142), (20, 143))}
    delta = {key: found[-1] for key, found in said.items()}
    assert delta[10, 35] > 1e-6 >= delta[10, 36] and delta[20, 142] > 1e-6 >= delta[20, 143]
    assert all(3 < said[key][-3] < 6 for key in ((10, 36), (20, 143)))


def test_7_elimination_is_no_worse_where_both_lose_what_random_play_does() -> None:
    for trust in ("a shuffler", "nobody"):
        sentence = told("07_arm_elimination", gap=0.005, epsilon=0.05, trust=trust)
        careful, bold = (number(rf"{name} loses ([\d,]+)", sentence) for name in ("AE", "KLUCB"))
        chance = number(r"random play ([\d,]+)", sentence)
        assert 0.9 * chance < careful < 1.02 * bold < 1.1 * chance
    start = told("07_arm_elimination")
    assert number(r"AE loses ([\d,]+)", start) > 2 * number(r"KLUCB loses ([\d,]+)", start)


def test_8_trusting_nobody_takes_ten_times_the_epsilon() -> None:
    """CDP-PE at ε = 0.1 drops its first exercise after 2,032 users, LDP-PE so early from some ε between 1 and 1.5."""
    def first(learner: str, epsilon: float) -> float:
        said = [numbers("08_phased_elimination", seed, learner=learner, epsilon=epsilon, arms=72)[-1] for seed in (1, 2, 3)]
        return float(np.median(said))

    server = first("CDP-PE", 0.1)
    assert first("LDP-PE", 0.1) > 4 * server and first("LDP-PE", 0.5) > server >= first("LDP-PE", 2.0)


def test_9_a_larger_crowd_buys_a_hundred_times_smaller_epsilon() -> None:
    """At ε = 0.1, γ = 0.8 loses less than γ = 0.5 at ε = 10; γ = 0.5 itself loses far more."""
    def lost(gamma: float, epsilon: float) -> list[float]:
        return [numbers("09_distributed_feedback", seed, gamma=gamma, epsilon=epsilon)[-2] for seed in (1, 2, 3)]

    noted, less, more = lost(0.5, 10.0), lost(0.8, 0.1), lost(0.5, 0.1)
    assert all(b < a < c for a, b, c in zip(noted, less, more, strict=True)), (noted, less, more)


def test_10_no_epsilon_without_trust_loses_as_little_as_the_shuffler() -> None:
    chapter, lost = "10_private_linucb", r"loses ([\d,]+)"
    for seed in (1, 2, 3):
        nobody = [number(lost, told(chapter, seed, trust="nobody", epsilon=10.0, B=B)) for B in (20, 50, 100, 200, 500, 1000)]
        assert min(nobody) > number(lost, told(chapter, seed))


def test_11_a_few_visits_turn_the_choice_of_batch_size_round() -> None:
    """With one visit of a user batches of 100 lose less than batches of 1,000, from about five visits on more."""
    def lost(B: int, visits: int) -> float:
        return float(np.mean([numbers("11_returning_users", seed, B=B, visits=visits)[-4] for seed in range(1, 5)]))

    assert lost(100, 1) < lost(1000, 1) and lost(100, 10) > lost(1000, 10)


def test_12_below_a_tenth_ratings_hardly_help_the_reward_tree() -> None:
    """Below about ε = 0.1. What still helps is public: whoever plays the longest song on show loses as little."""
    pool = PoolContextual(clip=True)
    for epsilon in (0.01, 0.1, 10.0):
        tree, _, reward_tree, _ = numbers("12_dynamic_sensitivity", epsilon=epsilon, T=500)[-4:]
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


def test_13_a_thousand_runs_do_not_refute_laplace_noise_that_is_too_small() -> None:
    """At b = 0.8 Laplace noise keeps 1.25, and no normal or uniform noise any ε; 1,000 runs refute these two only."""
    def refuted(noise: str, runs: float) -> list[bool]:
        return [" and refute the claim 1." in told("13_auditing", seed, noise=noise, b=0.8, epsilon=1.0, runs=runs)
                for seed in range(1, 6)]

    assert not any(refuted("laplace", 1000.0)) and all(refuted("laplace", 1e5))
    assert all(refuted("normal", 1000.0)) and all(refuted("uniform", 1000.0))


def test_14_hiding_ten_nights_costs_nothing_where_it_hides_nothing() -> None:
    """At ten nights a user's ε must be near 100 to lose no clicks beside ε = 2 for each reward; then the bound on Eve is 100%."""
    strict, loose = (numbers("14_lastfm", nights=10, epsilon=epsilon) for epsilon in (2.0, 100.0))
    assert strict[6] + strict[7] < strict[3] - strict[4] and strict[8] == 75.3
    assert abs(loose[6] - loose[3]) < loose[7] + loose[4] and loose[8] == 100.0


def test_15_privacy_is_dearest_at_a_gap_in_between_which_shrinks_with_users() -> None:
    """With five exercises LDP-KLUCB costs most near a gap of 0.06 at 100,000 users, near 0.02 at a million."""
    for users, best, others in ((1e5, 0.06, (0.01, 0.02, 0.5)), (1e6, 0.02, (0.002, 0.06, 0.5))):
        cost, error = {}, {}
        for gap in (best, *others):
            *_, cost[gap], error[gap], chance = numbers("15_price_of_privacy", K=5, gap=gap, T=users, who="LDP-KLUCB")
            assert cost[gap] < chance
        assert all(cost[gap] + error[gap] < cost[best] - error[best] for gap in others)


def test_16_a_second_shuffler_pays_from_some_250_users_on_and_a_third_from_some_2500() -> None:
    """The error of one, two and three shufflers crosses between 200 and 300, and between 2,000 and 3,000 users."""
    error = {(k, users): numbers("16_frontiers", k=k, T=users)[-2] for k in (1, 2, 3) for users in (200, 300, 2000, 3000)}
    assert error[1, 200] < error[2, 200] and error[1, 300] > error[2, 300]
    assert error[2, 2000] < error[3, 2000] and error[2, 3000] > error[3, 3000]
