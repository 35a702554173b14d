"""The museum: every broken mechanism is caught without a hint, and the gallery shows what audits found."""

import re

import numpy as np
import pytest

import bandits_dp as bdp
from bandits_book.museum import exhibits
from bandits_book.plots import Gallery, Room
from bandits_book.plots.gallery import code, inputs
from tests.test_plots import page_json

ALT = "Two mechanisms to bet on."
PIECES = {piece.name: piece for piece in exhibits()}
STEPS = (100, 1000, 20_000)


def check(piece, broken, runs):
    mechanism, rng = piece.broken if broken else piece.mended, np.random.default_rng(0)
    return bdp.audit(mechanism, piece.a, piece.b, piece.epsilon, piece.delta, runs, rng=rng, progress=False)


@pytest.mark.parametrize("name", PIECES)
def test_broken_is_caught_and_mended_passes(name):
    """With at most 1e6 runs, the generic search, and no hint; the mended one's false alarms have probability 1% at most each."""
    piece = PIECES[name]
    assert piece.runs <= 10**6 and np.atleast_2d(piece.a.T != piece.b.T).any(axis=0).sum() == 1  # row in which neighbours differ
    for broken in (True, False):
        found = check(piece, broken, piece.runs)
        assert found.passed != broken, str(found)


@pytest.fixture(scope="module")
def gallery():
    """A broken mechanism that needs 20,000 runs, and one that keeps its claim."""
    rooms = [Room(PIECES[name], broken, {runs: check(PIECES[name], broken, runs) for runs in STEPS},
                  check(PIECES[name], not broken, STEPS[-1])) for name, broken in (("half the noise", True), ("fixed seed", False))]
    return Gallery(rooms, "Private or broken?", ALT)


def test_stored_verdicts_are_those_of_the_audits(gallery):
    data = page_json(gallery._repr_html_())
    assert [packed["private"] for packed in data["rooms"]] == [False, True]
    for packed, one in zip(data["rooms"], gallery.rooms, strict=True):
        assert packed["claim"] == f"({one.piece.epsilon:g}, {one.piece.delta:g})" and packed["epsilon"] == one.piece.epsilon
        for shown, found in zip(packed["audits"], one.audits.values(), strict=True):
            assert shown["passed"] == found.passed and shown["bound"] == pytest.approx(found.epsilon_lower, abs=1e-4)
            assert f"{found.epsilon_lower:.2f}" in shown["said"] and f"{found.trials:,}" in shown["said"]
        assert packed["twin"]["bound"] == pytest.approx(one.twin.epsilon_lower, abs=1e-4)
        last = one.audits[STEPS[-1]]
        for told in (f"{last.hits_a:,} of {last.tested:,}", one.piece.fix):
            assert any(told in words for words in packed["why"])


@pytest.mark.parametrize("name", PIECES)
def test_code_on_show_is_the_code_and_gives_no_name_away(name):
    """Broken and mended differ in the call only, and neither name nor story is in the text."""
    piece = PIECES[name]
    broken, mended = code(piece, True), code(piece, False)
    assert broken != mended and broken.splitlines()[:-1] == mended.splitlines()[:-1]
    assert piece.broken.draw.func.__name__ not in broken and "author" not in broken and "def mechanism(" in broken
    assert all(setting in mended for setting in piece.mended.draw.keywords) and "Neighbours" in inputs(piece)


def test_too_few_runs_say_so_and_refusals_name_the_argument():
    piece = PIECES["half the noise"]
    found = check(piece, True, 1000)
    first = Room(piece, True, {100: None, 1000: found}, found).packed()["audits"][0]
    assert first["bound"] == 0 and first["passed"] and "cannot refute" in first["said"]
    for audits in ({}, {1000: found, 100: found}, {100: found, 1000: None}):
        with pytest.raises(ValueError, match=r"audits has the runs .* allowed are growing numbers"):
            Room(piece, True, audits, found)
    for rooms in ([], [Room(piece, True, {100: found}, found), Room(piece, True, {100: found, 200: found}, found)]):
        with pytest.raises(ValueError, match=r"rooms have .* audits each; allowed is one number for all"):
            Gallery(rooms, "Uneven", ALT)


def test_it_reads_without_a_script(gallery):
    html = gallery._repr_html_()
    assert not re.search(r"(?:src|href)=|@import|url\(|require\(", html)
    static = re.sub(r"<(script|style).*?</\1>", "", html, flags=re.S)
    assert "<details><summary>All rooms" in static and static.count("<tr>") == 3 and "Private or broken?" in static
    assert "broken: With 20,000 runs" in static and "private: With 20,000 runs" in static
    assert "<input" not in static and "<button" not in static
    assert repr(gallery) == "Gallery: Private or broken?. 2 rooms."
