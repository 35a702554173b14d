"""The page "Which one should I use?" in a browser: whole without a script; with it, asked, answered and linked to."""

import math
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page, expect

import bandits_dp as bdp
import which

pytestmark = pytest.mark.site

Address = Callable[[str, str], str]
PAGE = "book/which.html"
PHONE = {"width": 320, "height": 800}
ANSWERS = list(which.answers())


def test_every_answer_stands_there_without_a_script(browser: Browser, address: Address) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(address("file", PAGE))
        assert not page.locator("form.which-form").is_visible()
        assert page.locator(".which-answer:visible").count() == len(which.ANSWERS)
        for answer, chosen, _ in ANSWERS:
            section = page.locator(f"section#which-{which.anchor(answer)}")
            for name in chosen.values():
                assert name in (section.text_content() or "")
            assert "bdp.make(" in (section.locator(".which-code").text_content() or "")
        listed = page.locator("section#which-all tbody tr").count()
    assert listed == len(bdp.systems())


def test_questions_lead_to_the_answer_and_its_code(page: Page, address: Address) -> None:
    page.goto(address("http", PAGE))
    told, answers = page.locator(".which-told p"), page.locator(".which-answer:visible")
    expect(answers).to_have_count(1)
    for answer, chosen, _ in ANSWERS:
        played = len(which.sizes(which.KINDS[answer.kind].setting))
        page.get_by_label("What do you choose among?").select_option(answer.kind)
        page.get_by_label("Whom may people trust?").select_option(answer.trust.split()[0])
        for epsilon in (0.1, 10.0):
            page.get_by_label("ε per person").fill(f"{epsilon:g}")
            own = epsilon if answer.trust != "none" else None
            expect(told).to_contain_text(f"{answer.title}: take {chosen[own]}. On the contest's {played} instances")
            expect(answers).to_have_count(1)
            wanted = which.filled(which.lines(answer, chosen[own]), which.KINDS[answer.kind], epsilon)
            code = answers.locator(".which-code")
            expect(code).to_be_visible()
            assert code.text_content().strip() == wanted  # a part of the page that is not laid out yet has no inner text


def test_the_script_judges_as_the_build_does(page: Page, address: Address) -> None:
    """The instances that are nearest to a reader's numbers give the system and the share that Python computes."""
    page.goto(address("http", PAGE + "?epsilon=0.3"))
    told = page.locator(".which-told p")
    for size in ((2, 2, None), (10, 8, 10**6)):
        page.get_by_label("What do you choose among?").select_option("linear")  # which has all three
        for name, value in zip(("Arms or actions, K", "Numbers per feature vector, d", "Answers in all, T"), size, strict=True):
            page.get_by_label(name).fill("" if value is None else str(value))
        for answer, chosen, seen in which.answers(size):
            page.get_by_label("What do you choose among?").select_option(answer.kind)
            page.get_by_label("Whom may people trust?").select_option(answer.trust.split()[0])
            epsilon = 0.3 if answer.trust != "none" else None
            own = size if which.KINDS[answer.kind].dimension else (size[0], None, size[2])
            here = which.nearest(which.KINDS[answer.kind].setting, own)
            expect(told).to_contain_text(f"take {chosen[epsilon]}. On the 10 instances")
            share = 100 * seen[chosen[epsilon], epsilon]["shares"][here].mean()
            found = re.search(r"it lost ([\d.]+) ±", told.text_content() or "")
            assert found and math.isclose(float(found[1]), share, rel_tol=0.051)
    page.get_by_label("What do you choose among?").select_option("linear")
    page.get_by_label("Whom may people trust?").select_option("local")
    expect(told).not_to_contain_text("outside")
    page.get_by_label("Arms or actions, K").fill("1000")
    expect(told).to_contain_text("Your K lies outside of what was played: simulate.")


def test_the_readers_numbers_are_in_the_code(page: Page, address: Address) -> None:
    page.goto(address("http", PAGE + "?kind=arms&trust=shuffle"))
    page.get_by_label("Arms or actions, K").fill("12")
    page.get_by_label("Answers in all, T").fill("50000")
    page.get_by_label("How often may one person answer?").fill("10")
    code = page.locator(".which-answer:visible .which-code")
    expect(code).to_contain_text("[0.5] * 12)")
    expect(code).to_contain_text("horizon=50_000, epsilon=0.1, delta=7.35e-8")  # 2e-6 / (10 e), rounded down
    expect(page.locator(".which-told p")).to_contain_text("at ε = 0.1")
    assert "visits=10" in page.url
    page.get_by_label("What do you choose among?").select_option("contexts")
    expect(page.locator(".which-answer:visible .which-code")).to_contain_text("returning_users=10")
    page.get_by_label("ε per person").fill("-1")
    expect(page.get_by_label("ε per person")).to_have_attribute("aria-invalid", "true")
    page.reload()
    expect(page.get_by_label("Answers in all, T")).to_have_value("50000")


def test_a_keyboard_is_enough_and_links_open_what_is_hidden(page: Page, address: Address) -> None:
    page.goto(address("http", PAGE + "?kind=linear&trust=local#which-arms-none"))
    expect(page.locator("#which-arms-none")).to_be_visible()
    everything = page.get_by_role("button", name="Show all answers")
    everything.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".which-answer:visible")).to_have_count(1)
    page.keyboard.press("Space")
    expect(page.locator(".which-answer:visible")).to_have_count(len(which.ANSWERS))


def test_a_phone_has_room(page: Page, address: Address) -> None:
    page.set_viewport_size(PHONE)
    page.goto(address("http", PAGE))
    page.get_by_role("button", name="Show all answers").click()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth + 1")
    wide = page.evaluate("""() => [...document.querySelectorAll(".which-answer table :is(td, th), .which-form *")]
        .filter((one) => one.clientWidth && one.scrollWidth > one.clientWidth + 1)
        .map((one) => one.textContent.slice(0, 60))""")
    assert not wide
