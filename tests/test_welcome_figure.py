"""The welcome page's moving figure: its privatizers have the package's noise, and hand, keyboard and ear get the same.

Alarm rate: each two-sided test of a mean or a variance allows 6 standard errors (2e-9 by the normal approximation).
"""

import json
import math
from functools import cache
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page

import bandits_dp as bdp
import welcome_figure
from tests.book_helpers import browser  # noqa: F401  (a fixture)
from tests.test_plots_browser import show  # noqa: F401

NIGHTS = 4000


class Figure:
    _repr_html_ = staticmethod(cache(welcome_figure.html))


@pytest.fixture
def page(show: Any) -> Page:  # noqa: F811
    return show(Figure(), motion="reduce")


PRIVATIZERS = {
    "server": lambda epsilon: bdp.privatizers.DiscreteLaplaceSum(32, epsilon=epsilon),
    "shuffler": lambda epsilon: bdp.privatizers.BinarySum(32, epsilon=epsilon, delta=1e-6),
    "nobody": lambda epsilon: bdp.privatizers.RandomizedResponse(32, epsilon=epsilon),
}


@pytest.mark.parametrize("epsilon", [0.3, 1, 3])
def test_noise_bits_and_answers_are_those_of_the_package(page: Page, epsilon: float) -> None:
    """The page's own code plays nights, in which nothing is learned, so that both exercises stay."""
    played = json.loads(page.evaluate(
        """([epsilon, nights]) => {
            const { lull } = document.querySelector(".lull").figure;
            const mine = new lull.constructor(lull.table, 12345, lull.table.epsilons.indexOf(epsilon));
            const sum = (list) => list.reduce((a, b) => a + b, 0), rows = { everybody: [], server: [], shuffler: [], nobody: [] };
            for (let night = 0; night < nights; night++) {
                for (const [trust, released] of Object.entries(rows)) {
                    for (const { answers, known, variance, sent } of mine.tonight[trust]) {
                        released.push([sum(answers), known, variance, sum(sent.flat()), sent.flat().length]);
                    }
                }
                mine.ask();
            }
            return JSON.stringify(rows); // many numbers come faster as one text
        }""",
        [epsilon, NIGHTS],
    ))
    for trust, privatizer in PRIVATIZERS.items():
        exact, known, variance, ones, bits = np.array(played[trust], dtype=float).T
        wanted = privatizer(epsilon).noise_std ** 2
        assert variance == pytest.approx(wanted, rel=1e-6)
        noise, rounds = known - exact, len(known)
        assert abs(noise.mean()) < 6 * math.sqrt(wanted / rounds)
        spread = (noise**2).std() / math.sqrt(rounds)  # standard error of the mean of squares
        assert abs((noise**2).mean() - wanted) < 6 * spread
        if trust == "shuffler":
            pairs, _ = welcome_figure.noise_bits(32, epsilon)
            assert set(bits) == {32 * (1 + 2 * pairs)} and np.array_equal(known, ones - 32 * pairs)
    exact, known, *_ = np.array(played["everybody"], dtype=float).T
    assert np.array_equal(exact, known)
    for arm, (rate, others) in enumerate(((0.7, 31), (0.5, 32))):  # seat 27 is yours: always a yes here
        share = (exact.reshape(-1, 2)[:, arm] - (32 - others)) / others
        assert abs(share.mean() - rate) < 6 * math.sqrt(rate * (1 - rate) / others / NIGHTS)


@pytest.mark.parametrize("epsilon", [0.3, 1])
def test_mean_lines_and_the_first_world_are_those_of_many_worlds_of_the_page(page: Page, epsilon: float) -> None:
    """The first one is nearest to the means, so what a visitor sees is what the book says: less trust, more nights lost."""
    lost = np.array(json.loads(page.evaluate(
        """([epsilon, seeds, nights]) => {
            const { lull } = document.querySelector(".lull").figure;
            return JSON.stringify(seeds.map((seed) => {
                const mine = new lull.constructor(lull.table, seed, lull.table.epsilons.indexOf(epsilon));
                for (let night = 0; night < nights; night++) {
                    mine.learn();
                    mine.ask();
                }
                return ["everybody", "server", "shuffler", "nobody"].map((trust) => mine.learners[trust].lost);
            }));
        }""",
        [epsilon, [*range(300)], welcome_figure.NIGHTS if epsilon == 1 else 36],
    )), dtype=float)
    means = np.array([welcome_figure.mean_lost(trust, epsilon) for trust in welcome_figure.TRUSTS])
    played = lost[:, :, 36]
    error = 6 * played.std(axis=0) * math.sqrt(1 / len(lost) + 1 / welcome_figure.WORLDS) + 0.05
    assert (abs(played.mean(axis=0) - means[:, 36]) < error).all()
    if epsilon == 1:
        assert ((lost - means) ** 2).sum(axis=(1, 2)).argmin() == welcome_figure.SEED
        assert (np.diff(lost[welcome_figure.SEED, :, 36]) >= 0).all()


def test_guess_is_what_the_promise_allows(page: Page) -> None:
    for place, epsilon in enumerate(welcome_figure.EPSILONS):
        page.locator("#lull-epsilon").evaluate(
            "(slider, place) => { slider.value = place; slider.dispatchEvent(new Event('input')); }", place)
        right = math.exp(epsilon) / (1 + math.exp(epsilon))
        assert f"at most about {100 * right:.0f} times" in page.locator(".lull-guess").text_content()


def test_keyboard_and_ear(page: Page) -> None:
    page.locator("input[value=shuffler]").press("ArrowRight")
    assert page.locator(".lull").get_attribute("data-trust") == "nobody"
    told = page.locator("[aria-live=polite]").text_content()
    assert "trusting nobody" in told and "64 bits, each with its name" in told and "Nights lost" in told
    page.get_by_role("button", name="Next night").press("Enter")
    assert page.locator(".lull-night").text_content() == "Night 7"
    assert page.locator("[aria-live=polite]").text_content().startswith("Night 7")
    yours = page.locator("[data-do=flip]")
    assert yours.text_content() == "You slept better"
    yours.press("Enter")
    assert yours.text_content() == "You did not"
    page.locator("input[value=everybody]").check(force=True)
    assert "Yours says that you did not" in page.locator(".lull-seen").text_content()


def test_a_promise_replays_the_same_people_and_your_answer_changes_one_answer_only(page: Page) -> None:
    luck = "[...document.querySelector('.lull').figure.lull.luck]"
    before = page.evaluate(luck)
    page.locator("#lull-epsilon").press("End")
    assert page.evaluate(luck) == before and page.locator("output").text_content() == "ε = 3"
    assert page.locator("#lull-epsilon").get_attribute("aria-valuetext") == "epsilon 3"
    answers = """Object.values(document.querySelector(".lull").figure.lull.tonight)
        .map((released) => released.flatMap((one) => one.answers))"""
    before = page.evaluate(answers)
    page.locator("[data-do=flip]").click()
    changed = np.array(before) != np.array(page.evaluate(answers))
    assert changed.sum(axis=1).tolist() == [1, 1, 1, 1]
    page.locator("[data-do=flip]").click()
    page.get_by_role("button", name="30 nights").click()
    assert page.locator(".lull-night").text_content() == "Night 36"
    learners = page.evaluate("document.querySelector('.lull').figure.lull.learners")
    for learner in learners.values():
        assert learner["lost"][-1] == pytest.approx(0.2 * learner["users"][1]) and len(learner["lost"]) == 37
        assert sum(learner["users"]) == 64 * 36


def test_it_moves_by_itself_only_where_motion_is_welcome(page: Page, show: Any) -> None:  # noqa: F811
    picture = "document.querySelector('.lull canvas').toDataURL()"
    before = page.evaluate(picture)
    page.wait_for_timeout(200)
    assert page.locator("[data-do=play]").text_content() == "Play" and page.evaluate(picture) == before
    moving = show(Figure())
    assert moving.locator("[data-do=play]").text_content() == "Pause"
    first = moving.evaluate("document.querySelector('.lull').figure.phase")
    moving.wait_for_function("(first) => document.querySelector('.lull').figure.phase !== first", arg=first)


def test_ledger_bar_counts_the_ledger() -> None:
    bar = welcome_figure.below()
    counted = [int(part.split()[0]) for part in bar.split("</span><span>")[-1].split(" · ")]
    assert f"<span>{sum(counted)} published claims" in bar and counted[0] > 50
