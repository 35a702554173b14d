"""The ledger and the catalogue in a browser: whole without a script; with it, filtered, sorted and linked to."""

import json
import re
from itertools import pairwise

from pages import PHONE, Address
from playwright.sync_api import Browser, Page, expect

import bandits_dp as bdp
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
