"""The gallery of mechanisms in a browser: a reader can play it by mouse and by keyboard."""

import pytest

from tests.test_museum import gallery  # noqa: F401  (a fixture)
from tests.test_plots_browser import chromium, show  # noqa: F401  (fixtures)


@pytest.mark.parametrize("width", [320, 1000])
def test_a_reader_bets_pays_and_sees_why(show, gallery, width):  # noqa: F811
    page = show(gallery, width=width)
    note, run, why = page.locator(".bdp-note"), page.get_by_role("button", name="Run the audit"), page.locator(".bdp-why")
    assert page.locator("[aria-live]:not([aria-live=off])").count() == 1
    assert run.is_disabled() and not why.is_visible() and "def mechanism(" in page.locator(".bdp-code").inner_text()
    page.get_by_label("broken").check()
    run.click()
    assert "With 100 runs" in note.inner_text() and "Buy more runs" in note.inner_text() and not why.is_visible()
    page.locator("input[type=range]").press("End")
    run.press("Enter")
    last = list(gallery.rooms[0].audits.values())[-1]
    assert f"ε ≥ {last.epsilon_lower:.2f}" in note.inner_text() and "it is broken. Bets won: 1 of 1." in note.inner_text()
    assert "The noise is half" in why.inner_text() or "the noise is half" in why.inner_text()
    assert page.locator(".bdp-plot rect").count() == 4 and page.get_by_label("private").is_disabled()
    page.get_by_role("button", name="Room 2").press("Enter")
    assert not why.is_visible() and not page.get_by_label("private").is_checked()
    page.get_by_label("private").press("Space")
    page.get_by_role("button", name="See why").press("Enter")
    assert "room 2 is private" in note.inner_text() and "Bets won: 2 of 2." in note.inner_text()
    assert page.get_by_role("button", name="Room 1, broken").count() == 1
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    sizes = page.locator("button:visible, .bdp-bet label").evaluate_all("all => all.map(one => one.getBoundingClientRect().height)")
    assert min(sizes) >= 44


def test_bars_are_as_long_as_the_bounds(show, gallery):  # noqa: F811
    page = show(gallery)
    page.get_by_label("private").check()
    page.get_by_role("button", name="See why").click()
    widths = page.locator(".bdp-plot rect").evaluate_all("all => all.map(one => Number(one.getAttribute('width')))")
    bounds = [found.epsilon_lower for found in gallery.rooms[0].audits.values()] + [gallery.rooms[0].twin.epsilon_lower]
    scale = max(widths) / max(bounds)
    assert widths == pytest.approx([max(scale * bound, 2) for bound in bounds], abs=0.1)


def test_two_copies_are_two_games(show, gallery):  # noqa: F811
    page = show(gallery)
    page.evaluate("html => document.body.append(document.createRange().createContextualFragment(html))", gallery._repr_html_())
    names = page.locator(".bdp-bet input").evaluate_all("all => all.map(one => one.name)")
    assert len(set(names)) == 2
