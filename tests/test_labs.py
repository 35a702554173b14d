"""The labs: what moves, and both ends of every control; no page holds a widget. (`test_labs_answers.py` has the answers.)"""

import ast
import math
import re
import symtable
import sys
import time
from functools import cache
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

from bandits_book import plots
from checkout import NOTEBOOKS
from tests.chapters import cells

LIVE = {"remove-output", "nbval-ignore-output"}
CHAPTERS = [path.stem for path in sorted(NOTEBOOKS.glob("*.ipynb")) if "lab-move" in cells(path.stem)]


# ---- The helper
def parts(panel: Any) -> tuple[Any, ...]:
    """Return the controls as one tuple, the button, the picture and the note."""
    return panel.children[1:-3], *panel.children[-3:]


def panel(seen: list[Any]) -> Any:
    def draw(ax: Any, rng: Any, scale: float, users: int, trust: str) -> Any:
        if users > 8:
            raise ValueError(f"users must be at most 8, got {users}")
        seen.append((scale, users, trust, rng.random()))
        ax.plot([0, scale])
        return f"{scale:g} & {users}, {trust}." if users > 1 else None

    return plots.lab(draw, "Move <it>", scale=("s", 0.1, 1.0, 10.0), users=("n", 1, 2, 9), trust=("whom", ["a", "b"]))


def test_the_same_noise_is_drawn_until_the_button_is_pressed() -> None:
    seen: list[Any] = []
    moved = panel(seen)
    (scale, _, trust), again, picture, note = parts(moved)
    first = picture.value
    assert "Move &lt;it&gt;" in moved.children[0].value and "1 &amp; 2, a." in note.value
    assert first.startswith('<div role="img" aria-label="1 &amp; 2, a."><svg')
    scale.value = 5.0
    trust.value = "b"
    assert [one[:3] for one in seen] == [(1.0, 2, "a"), (5.0, 2, "a"), (5.0, 2, "b")] and len({one[3] for one in seen}) == 1
    again.click()
    assert seen[-1][:3] == seen[-2][:3] and seen[-1][3] != seen[-2][3] and picture.value != first


def test_a_value_is_the_one_that_the_reader_sees() -> None:
    """A slider by ratios stands at powers of ten, 0.10471285480508996 beside the 0.105 that it shows."""
    seen: list[Any] = []
    (scale, *_), *_ = parts(panel(seen))
    scale.value = 0.10471285480508996
    assert seen[-1][0] == 0.105
    for exponent in (scale.min, scale.max):
        scale.value = 10**exponent
    assert [one[0] for one in seen[-2:]] == [0.1, 10.0]


@pytest.mark.parametrize("control", [(0.02, 1.0, 10.0), (0.05, 0.3, 3.0), (0.0, 0.3, 0.7), (-1.0, 0.1, 2.0)])
def test_a_slider_begins_on_its_own_grid(control: tuple[float, ...]) -> None:
    """A browser puts a slider on its nearest step: 1 was shown as 0.998."""
    made = plots.lab(lambda ax, rng, x: "Seen.", "Move it.", x=("x", *control)).children[1]
    log = control[0] > 0
    place = math.log10(made.value) if log else made.value
    snapped = made.min + made.step * round((place - made.min) / made.step)
    assert f"{10**snapped if log else snapped:.3g}" == f"{control[1]:.3g}"


def test_what_is_refused_is_told_and_the_reader_goes_on() -> None:
    (_, users, _), _, picture, note = parts(panel([]))
    before = picture.value
    users.value = 9
    assert "alert" in note.value and "ValueError: users must be at most 8, got 9" in note.value and picture.value == before
    users.value = 1
    assert "what draw returned must be a sentence, got None" in note.value
    users.value = 3
    assert "alert" not in note.value and picture.value != before and "3, a." in note.value


def test_a_name_of_a_cell_that_has_not_run_is_told_with_what_to_do() -> None:
    """The reader who began at the lab was told that a name is not defined, and no more."""
    panel = plots.lab(lambda ax, rng, scale: f"{later_name}.", "Move it", scale=("s", -1.0, 0.5, 1))  # type: ignore[name-defined]  # noqa: F821
    assert "name 'later_name' is not defined" in panel.children[-1].value.replace("&#x27;", "'")
    assert "Run all cells above first" in panel.children[-1].value


def test_a_missing_library_is_told_in_one_sentence(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """It was an error, at which *Run All Cells* stops in the middle of a chapter."""
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    assert plots.lab(lambda ax, rng, scale: "Done.", "Move it", scale=("s", -1.0, 0.5, 1)) is None
    assert capsys.readouterr().out == 'lab needs ipywidgets, which is not installed: pip install "bandits-dp[labs]"\n'


@pytest.mark.parametrize(("control", "digits"), [((50.0, 1e3, 1e4), ".3r"), ((1e-10, 1e-6, 1e-3), ".2e"), ((0.1, 1.0, 10.0), ".3")])
def test_a_number_beside_a_slider_is_written_as_one_writes_it(control: tuple[float, ...], digits: str) -> None:
    """A thousand users stood there as 1.00e+3, a δ of a millionth as 0.00000100. (No commas: what is typed there ends at one.)"""
    assert plots.lab(lambda ax, rng, x: "Seen.", "Move it.", x=("x", *control)).children[1].readout_format == digits


@pytest.mark.parametrize(("seconds", "live"), [(0.0, True), (0.3, False)])
def test_what_is_slow_waits_until_the_slider_is_let_go(monkeypatch: pytest.MonkeyPatch, seconds: float, live: bool) -> None:
    ticks = iter([0.0, seconds])
    monkeypatch.setattr(time, "monotonic", lambda: next(ticks))
    shown: list[str] = []
    moved = plots.lab(lambda ax, rng, scale: "Done.", "Move it", scale=("s", -1.0, 0.5, 1))
    (scale,), _, _, note = parts(moved)
    assert scale.continuous_update is live and (scale.min, scale.max) == (-1, 1)
    note.observe(lambda change: shown.append(change.new), "value")
    ticks = iter([0.0, 0.0])
    scale.value = 0.25
    assert ["computing" in one for one in shown] == [True, False]


@pytest.mark.parametrize("given", [("s", 1, 0, 3), ("s", 1.0, 1.0, 1.0), ("s", 1, 2), ("s", []), ("s", [1, 2]), (1, 2, 3), "s",
                                   ("s", 0.0, math.nan, 1.0)])
def test_a_control_of_another_kind_is_refused(given: Any) -> None:
    with pytest.raises(ValueError, match=re.escape(f"scale is {given!r}; allowed are (label, low, start, high)")):
        plots.lab(lambda ax, rng, scale: "", "Move it", scale=given)
    with pytest.raises(ValueError, match="controls is empty"):
        plots.lab(lambda ax, rng: "", "Move it")


# ---- The chapters
def names(statement: ast.stmt) -> tuple[set[str], set[str]]:
    """Return the names that a statement at the top binds, and those that it looks up there."""
    top = symtable.symtable(ast.unparse(statement), "", "exec")
    bound = {one.get_name() for one in top.get_symbols() if one.is_assigned() or one.is_imported() or one.is_namespace()}
    wanted = {one.get_name() for one in top.get_symbols() if one.is_referenced()}
    inner = list(top.get_children())
    while inner:
        table = inner.pop()
        wanted |= {one.get_name() for one in table.get_symbols() if one.is_global()}
        inner += table.get_children()
    return bound, wanted


@cache
def lab_of(chapter: str) -> tuple[Any, dict[str, Any], dict[str, Any]]:
    """Return a lab's function, after what it needs of the chapter and nothing else, its controls, and where they start."""
    before: list[ast.stmt] = []
    for cell in cells(chapter).values():
        if cell.id == "lab-move":
            break
        if cell.cell_type == "code":
            before += ast.parse(cell.source).body
    call = ast.parse(cells(chapter)["lab-move"].source).body[-1].value  # type: ignore[attr-defined]
    name = call.args[0].id
    needed, kept = {name}, []
    for statement in reversed(before):
        bound, wanted = names(statement)
        if bound & needed:
            kept.append(statement)
            if not isinstance(statement, (ast.For, ast.While, ast.If, ast.AugAssign)):  # which may leave it as it was
                needed -= bound
            needed |= wanted
    space: dict[str, Any] = {}
    exec(compile(ast.Module(kept[::-1], []), chapter, "exec"), space)
    controls = {one.arg: eval(ast.unparse(one.value), space) for one in call.keywords}
    return space[name], controls, {one: texts[0] if isinstance(texts, list) else start[0]
                                   for one, (_, texts, *start) in controls.items()}


def told(chapter: str, seed: int = 1, **values: Any) -> str:
    """Return what a lab says, of its start but for the values given."""
    draw, _, start = lab_of(chapter)
    return draw(Figure().subplots(), np.random.default_rng(seed), **start | values)


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_lab_stores_a_still_alone(chapter: str) -> None:
    function, move = cells(chapter)["lab-function"], cells(chapter)["lab-move"]
    assert set(move.metadata.tags) == LIVE and not move.outputs and not function.metadata.get("tags")
    kinds = {kind for output in function.outputs for kind in output.get("data", {})}
    assert "image/svg+xml" in kinds and not any("widget" in kind for kind in kinds)


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_lab_begins_as_its_still(chapter: str) -> None:
    stored = "".join(output.text for output in cells(chapter)["lab-function"].outputs if output.output_type == "stream")
    assert "".join(told(chapter).split()) in "".join(stored.split())  # lines may break anywhere


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_both_ends_of_every_control_draw_and_tell(chapter: str) -> None:
    for name, (_, low, *rest) in lab_of(chapter)[1].items():
        for value in low if isinstance(low, list) else (low, rest[-1]):
            sentence = told(chapter, **{name: value})
            assert sentence.endswith(".") and "nan" not in sentence.lower(), (name, value, sentence)
