"""Drawings in the book: the pages give each of their colours, and one colour to each thing."""

import re

import pytest

from bandits_book.plots import COLORS, TRUST_COLORS
from bandits_book.plots.style import letter_shade
from checkout import ROOT


def test_the_book_gives_every_colour_of_its_drawings() -> None:
    drawn = (ROOT / "book" / "_static" / "regret.svg").read_text("utf-8")
    drawn += "".join(path.read_text("utf-8") for path in (ROOT / "notebooks").glob("*.ipynb"))
    drawn += "".join(f"var(--bdp-{letter_shade(color)[1:]}" for color in (*COLORS, *TRUST_COLORS.values()))
    given = (ROOT / "book" / "_static" / "drawings.css").read_text("utf-8")
    assert not set(re.findall(r"var\(--bdp-([0-9a-f]{6})\b", drawn)) - set(re.findall(r"--bdp-(\w{6}): ", given))


def values(style: str, theme: str, names: dict[str, str]) -> dict[str, str]:
    if theme == "dark":
        style = style[style.index('data-theme="dark"') :]
    given = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", style[: style.index("}")]))
    return {told: given[name] for told, name in names.items()}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_thing_has_one_colour_in_the_whole_book(theme: str) -> None:
    """People, server, shuffler, nobody and what is secret: the pages' colours, the scenes', and the welcome figure's."""
    tokens = (ROOT / "book" / "_static" / "tokens.css").read_text("utf-8")
    tokens = tokens[tokens.index('html[data-theme="light"]' if theme == "light" else 'html[data-theme="dark"]') :]
    wanted = dict(re.findall(r"--pb-([\w-]+): (#[0-9a-f]{6})", tokens[: tokens.index("}")]))
    scenes = {"everybody": "bdp-5a5a5a", "server": "bdp-0072b2", "shuffler": "bdp-009e73", "nobody": "bdp-d55e00",
              "secret": "bdp-secret", "ink": "bdp-ink", "ink-2": "bdp-soft"}
    welcome = {name: f"lull-{'soft' if name == 'ink-2' else name}" for name in scenes}
    for path, names in (("book/bandits_book/plots/moving_figure.css", scenes), ("book/_figure/figure.css", welcome)):
        assert values((ROOT / path).read_text("utf-8"), theme, names) == {name: wanted[name] for name in names}, path
