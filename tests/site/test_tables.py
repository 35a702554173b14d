"""The ledger, the catalogue and "Which one should I use?" in a browser: whole without a script; with it, filtered and asked."""

import json
import math
import re
from itertools import pairwise, product

from pages import PHONE, Address
from playwright.sync_api import Browser, Page, expect

import bandits_dp as bdp
import which
from checkout import ROOT

LEDGER, CATALOGUE = "book/claims.html", "book/catalogue.html"
CLAIMS = json.loads((ROOT / "book" / "claims.json").read_text("utf-8"))
UNTESTED = json.loads((ROOT / "book" / "not_testable.json").read_text("utf-8"))
ROWS = "table.browse:not(.browse-counts) tbody tr"
TOO_WIDE = """() => [...document.querySelectorAll("table.browse tbody :is(td, th)")]
  .filter((cell) => cell.scrollWidth > cell.clientWidth + 1).map((cell) => cell.textContent.slice(0, 80))"""


def plain(text: str) -> str:
    """Leave of a text what every way of showing it keeps: its words outside formulas and links."""
    return " ".join(re.findall(r"[A-Za-z]{4,}", re.sub(r"\$[^$]*\$|\{[^}]*\}`[^`]*`|\\\w+|https?:\S+", " ", text)))


def test_the_ledger_is_whole_without_a_script(browser: Browser, address: Address) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(address("file", LEDGER))
        shown = page.locator(ROWS).count()
        read = plain(page.locator("article").text_content() or "")
        assert not page.locator("form.browse-form").is_visible()
    assert shown == len(CLAIMS) + len(UNTESTED)
    for row in CLAIMS + UNTESTED:
        told = [row.get(part, "") for part in ("item", "quotation", "computed", "claim", "proof", "reason")]
        for words in [*told, *row.get("readings", []), *row.get("measured", {})]:
            for part in re.split(r"[$`]", words)[::2]:
                assert plain(part) in read, part


def test_counts_filters_addresses_and_sources_agree(page: Page, address: Address) -> None:
    page.goto(address("http", LEDGER))
    expect(page.locator("output")).to_have_text(f"{len(CLAIMS) + len(UNTESTED)} of {len(CLAIMS) + len(UNTESTED)} rows")
    page.get_by_label("Paper", exact=True).focus()
    for name in ("Outcome", "Chapter", "Words", "Order"):
        page.keyboard.press("Tab")
        expect(page.get_by_label(name, exact=True)).to_be_focused()
    outcomes = [row["outcome"] for row in CLAIMS]
    opened = outcomes.count("open")
    page.locator("#count-open a").first.click()
    page.wait_for_url("**/claims.html?outcome=open#ledger")
    expect(page.locator("output")).to_contain_text(f"{opened} of")
    assert page.locator(f"{ROWS}:visible").count() == opened
    page.get_by_label("Paper").select_option(label="Wang et al. 2022")
    both = sum(row["outcome"] == "open" and row["paper"] == "wang2022" for row in CLAIMS)
    assert page.locator(f"{ROWS}:visible").count() == both < opened
    assert "paper=wang2022" in page.url
    assert page.locator("section[id=ledger-li2022]").is_hidden(), "a paper without rows is not shown"
    page.get_by_role("button", name="Show all").click()
    expect(page.locator(f"{ROWS}:visible")).to_have_count(len(CLAIMS) + len(UNTESTED))
    page.get_by_label("Words").fill("doubling")
    assert 0 < page.locator(f"{ROWS}:visible").count() < 30
    file, _, name = CLAIMS[0]["test"].partition("::")
    page.get_by_role("button", name="Show all").click()
    page.get_by_role("link", name=name, exact=True).first.click()
    page.wait_for_url(f"**/_tests/{file[6:-3]}.html#{name}")
    expect(page.locator(f"#{name}")).to_contain_text(f"def {name}(")
    assert page.locator(f"#{name}").bounding_box()["y"] < 200  # type: ignore[index]


def test_rows_are_sorted_and_put_back(page: Page, address: Address) -> None:
    page.goto(address("file", CATALOGUE))
    names = [system.name for system in bdp.systems()]
    shown = lambda: page.locator(f"{ROWS} th strong").all_inner_texts()  # noqa: E731
    assert shown() == names
    page.get_by_label("Order").select_option("item")
    assert shown()[:3] == ["AE", "CDP-DPE", "CDP-PE"]
    page.get_by_label("Order").select_option("trust-model")
    models = {system.name: system.model for system in bdp.systems()}
    assert list(dict.fromkeys(models[name] for name in shown())) == ["none", "central", "shuffle", "local"]
    page.get_by_label("Order").select_option("")
    assert shown() == names
    page.get_by_label("Trust model").select_option("local")
    assert page.locator(f"{ROWS}:visible th strong").all_inner_texts() == [name for name in names if models[name] == "local"]


def test_rows_are_cards_on_a_phone_and_still_rows_to_a_listener(page: Page, address: Address) -> None:
    page.set_viewport_size(PHONE)
    for name in (LEDGER, CATALOGUE):
        page.goto(address("file", name))
        cells = [cell.bounding_box() for cell in page.locator(ROWS).first.locator("> *").all()]
        assert all(upper["y"] + upper["height"] <= lower["y"] + 1 for upper, lower in pairwise(cells) if upper and lower), name
        table = page.get_by_role("table").last
        row = table.get_by_role("row").nth(1)
        assert table.get_by_role("columnheader").count() == row.locator("> *").count(), name
        assert row.get_by_role("rowheader").count() == 1, name
        assert not page.evaluate(TOO_WIDE), name


PAGE = "book/which.html"
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
    expect(page.locator(".which-told p")).to_contain_text("Out of range, and so not used: ε per person")
    page.reload()
    expect(page.get_by_label("Answers in all, T")).to_have_value("50000")


def test_privacy_is_not_paid_twice_for_people_who_return(page: Page, address: Address) -> None:
    """Each learner has the option or a share of epsilon, and who promises nothing says nothing of either."""
    code, told = page.locator(".which-answer:visible .which-code"), page.locator(".which-told p")
    page.goto(address("http", PAGE + "?visits=5"))
    for kind, trust in product(which.KINDS, which.TRUST):
        page.get_by_label("What do you choose among?").select_option(kind)
        page.get_by_label("Whom may people trust?").select_option(trust)
        lines, words = code.text_content() or "", told.text_content() or ""
        whole, shared = "epsilon=1," in lines, "epsilon=0.2" in lines
        assert (whole, shared) == (False, False) if trust == "none" else whole != shared
        assert ("returning_users=5" in lines) == ("one person answers 5 times" in words) == whole
        assert ("each gets ε = 0.2" in words) == shared


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
    page.set_viewport_size({"width": 320, "height": 800})
    page.goto(address("http", PAGE))
    page.get_by_role("button", name="Show all answers").click()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth + 1")
    wide = page.evaluate("""() => [...document.querySelectorAll(".which-answer table :is(td, th), .which-form *")]
        .filter((one) => one.clientWidth && one.scrollWidth > one.clientWidth + 1)
        .map((one) => one.textContent.slice(0, 60))""")
    assert not wide
