"""The questions of the labs of chapters 14, 15 and 16 have answers that their sliders reach."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from bandits_book import plots
from tests.chapters import cells, defined

plt = pytest.importorskip("matplotlib.pyplot")


def numbers(sentence: str) -> list[float]:
    return [float(text.replace(",", "")) for text in re.findall(r"(?<![\w.])[+-]?\d[\d,]*(?:\.\d+)?", sentence)]


def lab(chapter: str, name: str, space: dict[str, Any]) -> Callable[..., str]:
    """Return a lab's function of its values, given what cells before it define: what it draws is thrown away."""
    source, _, _ = cells(chapter)["lab-function"].source.partition("\nax = ")
    with plots.use_style():
        exec(source, space)

    def told(*values: object) -> str:
        figure = plt.figure()
        try:
            return space[name](figure.subplots(), np.random.default_rng(1), *values)
        finally:
            plt.close(figure)

    return told


def test_14_hiding_ten_nights_costs_nothing_where_it_hides_nothing() -> None:
    """At ten nights a user's ε must be near 100 to lose no clicks beside ε = 2 for each reward; then the bound on Eve is 100%."""
    every_night = lab("14_lastfm", "every_night", defined("14_lastfm", "imports", "load", two={"epsilon": 2.0}))
    strict, loose = (numbers(every_night(10, epsilon)) for epsilon in (2.0, 100.0))
    assert strict[6] + strict[7] < strict[3] - strict[4] and strict[8] == 75.3
    assert abs(loose[6] - loose[3]) < loose[7] + loose[4] and loose[8] == 100.0


def test_15_privacy_is_dearest_at_a_gap_in_between_which_shrinks_with_users() -> None:
    """With five exercises LDP-KLUCB costs most near a gap of 0.06 at 100,000 users, near 0.02 at a million."""
    dearest = lab("15_price_of_privacy", "dearest", defined("15_price_of_privacy", "imports"))
    for users, best, others in ((1e5, 0.06, (0.01, 0.02, 0.5)), (1e6, 0.02, (0.002, 0.06, 0.5))):
        cost, error = {}, {}
        for gap in (best, *others):
            *_, cost[gap], error[gap], chance = numbers(dearest(5, gap, users, "LDP-KLUCB"))
            assert cost[gap] < chance
        assert all(cost[gap] + error[gap] < cost[best] - error[best] for gap in others)


def test_16_a_second_shuffler_pays_from_some_250_users_on_and_a_third_from_some_2500() -> None:
    """The error of one, two and three shufflers crosses between 200 and 300, and between 2,000 and 3,000 users."""
    space = defined("16_frontiers", "imports", "concurrent", "concurrent-numbers")
    exec(cells("16_frontiers")["counter-errors"].source.partition("one, horizons")[0], space)
    space["one"] = space["gaussian_noise_std"](1.0, 1e-6, 1.0)
    night_count = lab("16_frontiers", "night_count", space)
    error = {(k, users): numbers(night_count(k, users))[-2] for k in (1, 2, 3) for users in (200, 300, 2000, 3000)}
    assert error[1, 200] < error[2, 200] and error[1, 300] > error[2, 300]
    assert error[2, 2000] < error[3, 2000] and error[2, 3000] > error[3, 3000]
