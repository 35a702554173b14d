"""The book's style sheets keep every rule that something on a page could ask for."""

import pytest

from lean_styles import lean

KNOWN = frozenset({"box", "wide", "open"})


NEEDED = (
    *("p{color:red}", ".box{color:red}", ".box.wide > a:hover{color:red}", "@media print{.box{color:red}}"),
    *(".box:not(.strange){color:red}", ":is(.box,.strange) p{color:red}", 'a[href="x.html"]{color:red}'),
    *('.box::after{content:".strange"}', ":root{--a:url(data:image/svg+xml,x.y)}"),
    *("@font-face{font-family:A}", "@keyframes strange{from{top:0}}"),
)
USELESS = (".strange{top:0}", ".box.strange{top:0}", ".box .strange p{top:0}", "@media print{.strange{top:0}}")


@pytest.mark.parametrize("rule", NEEDED)
def test_what_may_be_needed_stays(rule: str) -> None:
    assert lean(rule, KNOWN).replace("\n", "") == rule


@pytest.mark.parametrize("rule", USELESS)
def test_what_nothing_can_use_goes(rule: str) -> None:
    assert lean(f"/* said */ {rule}", KNOWN) == ""


def test_one_of_several_selectors_goes_alone() -> None:
    assert lean(".strange, .box , p{color:red}", KNOWN) == ".box,p{color:red}\n"
    assert lean(":is(.box, .strange), .strange{color:red}", KNOWN) == ":is(.box, .strange){color:red}\n"
