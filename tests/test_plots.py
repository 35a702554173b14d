"""The book's figures: the same on every run, and refused when wrong."""

import base64
import io
import itertools
import json
import os
import re
import subprocess
import sys
from typing import Any
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from bandits_book.plots import COLORS, TRUST_COLORS, TRUST_LINES, Series, band, moving_figure, use_style
from bandits_book.plots.series import extent
from bandits_book.plots.style import letter_shade

WORDS = {"title": "Cost & <care>", "x_label": "rounds", "y_label": "regret (rewards)"}
ALT = "Two curves of regret that rise with the rounds, and a flat one."
SLIDERS = {"epsilon": [0.1, 0.5, 1.0], "users": [10, 100]}
SETTINGS = list(itertools.product(*SLIDERS.values()))
NAN = float("nan")


def regret(epsilon: float, users: int) -> tuple[list[Series], str]:
    x = np.linspace(0, 2000, 9)
    y = np.sqrt(x) / epsilon
    shown = [Series("private", x, y, low=0.9 * y, high=1.1 * y, color="local"), Series("batched", x, y / users),
             Series("flat", [0, 2000], [50, 50])]
    return shown, f"At ε = {epsilon:g} and {users} users the end is {y[-1]:.4g}, not $5 or $6 </script>."


def make(**changes: Any) -> Any:
    given: dict[str, Any] = {"series": regret, "sliders": SLIDERS, "start": {"epsilon": 0.5, "users": 10}, "alt": ALT}
    return moving_figure(**given | WORDS | changes)


def page_json(html: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json">(.*?)</script>', html, re.S)
    assert found
    return json.loads(found[1])


# ---- What is stored
def test_json_is_what_the_series_function_returned() -> None:
    calls = []
    figure = make(series=lambda epsilon, users: calls.append((epsilon, users)) or regret(epsilon, users))
    data = page_json(figure._repr_html_())
    assert calls == SETTINGS and len(data["frames"]) == len(SETTINGS)  # called once for each
    assert repr(figure) == "Moving figure: Cost & <care>. Sliders: epsilon (3 values, now 0.5), users (2 values, now 10)."
    for frame, setting in zip(data["frames"], SETTINGS, strict=True):
        expected, note = regret(*setting)
        assert frame["note"] == note
        for packed, wanted in zip(frame["series"], expected, strict=True):
            look, numbers = data["looks"][packed["look"]], {name: at for name, at in packed.items() if name != "look"}
            assert (look["label"], look["kind"]) == (wanted.label, wanted.kind)
            assert set(numbers) == {name for name in ("x", "y", "low", "high") if getattr(wanted, name) is not None}
            for name, at in numbers.items():
                np.testing.assert_allclose(data["arrays"][at], getattr(wanted, name), rtol=1e-4)
    assert data["looks"][0]["color"] == TRUST_COLORS["local"]


def test_same_bytes_in_another_process() -> None:
    code = "from test_plots import make; print(make()._repr_html_())"
    path = os.pathsep.join([os.path.dirname(__file__), *sys.path])
    other = subprocess.run([sys.executable, "-c", code], env=os.environ | {"PYTHONHASHSEED": "1", "PYTHONPATH": path},
                           capture_output=True, text=True, check=True, timeout=600).stdout
    assert other == f"{make()._repr_html_()}\n"


def test_html_stands_alone_and_says_it_without_a_script() -> None:
    html = make(labels={"epsilon": "ε (privacy)"})._repr_html_()
    assert not re.search(r"(?:src|href)=(?!\"data:)|@import|url\(|require\(", html)
    assert html.count("</script>") == 3  # the note's own "</script>" must not end the data
    static = re.sub(r"<(script|style).*?</\1>", "", html, flags=re.S)
    assert static.count(ALT) == 2  # once as the group's name, once to read
    assert "At ε = 0.5 and 10 users" in static and "Cost &amp; &lt;care&gt;" in static
    assert "<label" not in static and "<input" not in static  # they could do nothing
    for place, label in enumerate(("ε (privacy)", "users")):
        found = re.search(rf'<label for="(bdp-[0-9a-f]{{10}}-{place})">{re.escape(label)}</label>', html)
        assert found and f'id="{found[1]}"' in html


# ---- What is refused
@pytest.mark.parametrize(("arguments", "words"), [
    ({"y": [1, 2]}, "series 'a': y has 2 numbers; allowed are 3, as in x"),
    ({"label": " "}, "label is ' '; a series needs a name that a reader can see"),
    ({"low": [0, 0, 0]}, "series 'a': high is None but low is not; give both or none"),
    ({"low": [0, 9, 0], "high": [5, 5, 5]}, "series 'a': low[1] is 9; allowed is at most high[1], 5"),
    ({"color": "shufle"}, "color is 'shufle'; allowed are 'none', 'central', 'shuffle', 'local', a colour written '#rrggbb'"),
])
def test_series_refuses(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        Series(**({"label": "a", "x": [1, 2, 3], "y": [1, 2, 3]} | arguments))


def heavy(epsilon: float, users: int) -> list[Series]:
    return [Series("heavy", np.arange(12_000), np.sin(np.arange(12_000) * epsilon) + users)]


@pytest.mark.parametrize(("changes", "words"), [
    ({"sliders": {"epsilon": [1, 1], "users": [1, 2]}}, "sliders['epsilon'] is [1, 1]; allowed are at least two values"),
    ({"sliders": {"epsilon": [1, NAN], "users": [1, 2]}}, "sliders['epsilon'] contains nan; allowed are finite numbers and text"),
    ({"sliders": {"epsilon": range(1, 22), "users": range(20)}}, "21 epsilon x 20 users = 420 combinations; allowed are at most 4"),
    ({"start": {"epsilon": 0.7, "users": 10}}, "start['epsilon'] is 0.7; allowed are its slider's values, [0.1, 0.5, 1.0]"),
    ({"start": {"epsilon": 0.5}}, "start has the names ['epsilon']; allowed are exactly those of sliders, ['epsilon', 'users']"),
    ({"labels": {"eps": "ε"}}, "labels has the names ['eps']"),
    ({"x_scale": "log"}, "series(epsilon=0.1, users=10): series 'private': x[0] is 0; allowed with x_scale='log' are numbers > 0"),
    ({"y_range": (5, 5)}, "y_range is (5, 5); allowed are None, 'each' or (low, high) with low < high, both finite"),
    ({"y_range": (0, 5), "y_scale": "log", "series": heavy}, "y_range is (0, 5); .* both finite and > 0"),
    ({"series": lambda epsilon, users: []}, "series(epsilon=0.1, users=10) is []; allowed are a list of at least one Series"),
    ({"series": heavy}, "series makes .* bytes of JSON over 6 settings; allowed are 300,000"),
])
def test_figure_refuses(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words).replace(r"\.\*", ".*")):
        make(**changes)


# ---- Style and bands
def drawn(kind: str, *bands: Any, texts: Any = (), **axes: Any) -> bytes:
    stream = io.BytesIO()
    with use_style():
        figure = Figure()
        ax = figure.subplots()
        ax.set(**axes)
        for one in bands:
            band(ax, *one)
        for text, look in texts:
            ax.text(10, 0.5, text, **look)
        figure.savefig(stream, format=kind, metadata={"svg": {"Date": None}, "png": {"Software": None}}[kind])
    return stream.getvalue()


def test_style_is_undone_and_pictures_repeat() -> None:
    former, line = dict(matplotlib.rcParams), ([1, 2, 3], [1, 2, 3], [0, 1, 2], [2, 3, 4], "shuffle model", "shuffle")
    for kind in ("svg", "png"):
        picture = drawn(kind, line)
        assert picture == drawn(kind, line) and b"Matplotlib" not in picture
    assert dict(matplotlib.rcParams) == former


def groups_of(*lines: str, **look: Any) -> tuple[str, list[ElementTree.Element], dict[str, ElementTree.Element]]:
    """Draw a figure with a text; return its SVG, the groups of its texts, and the texts by what they say."""
    written = drawn("svg", texts=[("\n".join(lines), look)], xscale="log", xlim=(1, 1000)).decode()
    svg = ElementTree.fromstring(written)
    assert not svg.findall(".//{*}metadata")
    groups = [group for group in svg.findall(".//{*}g") if group.get("class") == "bdp-letters"]
    assert all("transform-origin" in group.get("style", "") for group in groups)
    return written, groups, {"".join(text.itertext()): text for text in svg.findall(".//{*}text")}


def group_of(words: str, groups: list[ElementTree.Element]) -> ElementTree.Element:
    return next(group for group in groups if "".join(group.itertext()).strip() == words)


def test_drawings_take_colours_and_letters_of_the_page() -> None:
    written, groups, texts = groups_of("two", "lines", color="#d55e00", ha="center")
    assert not re.findall(r"#\w{6}\b", re.sub(r"var\(--bdp-(\w{6}),#(\1|\w{6})\)", "", written))
    assert "var(--bdp-d55e00,#d55e00)" in written and "var(--bdp-333333,#767676)" in written
    assert {"two", "lines", "100", "103"} <= set(texts)
    assert [part.get("font-size") for part in texts["103"]] == ["75%"]
    apart = float(texts["lines"].get("y", "")) - float(texts["two"].get("y", ""))
    assert 1 < apart / 15.4 < 1.32  # of the letters' size: matplotlib before 3.11 sets lines closer
    assert len(groups) == len(texts) - 1, "one group for each text, whatever its lines"
    assert "font-family" not in written.partition("</style>")[2]


def test_a_pale_grey_is_paler_than_a_dark_one_where_no_page_names_them() -> None:
    """Twenty runs and their mean, #aaaaaa and #333333, were one grey in JupyterLab."""
    pale, dark, grid = (groups_of("two", color=color)[0] for color in ("#aaaaaa", "#333333", "#dddddd"))
    assert "var(--bdp-aaaaaa,#7779)" in pale and "var(--bdp-333333,#767676)" in dark and "var(--bdp-dddddd,#8885)" in grid


def test_drawings_keep_the_look_of_a_text() -> None:
    """Weight, slant, strength and mathematics in a line; a fraction, and the box around it, stay as matplotlib drew them."""
    _, groups, _ = groups_of(r"at $\varepsilon$", fontweight="bold", fontstyle="italic", alpha=0.5, bbox={"facecolor": "#d55e00"})
    group = group_of("at ε", groups)
    (text,) = group.findall("{*}text")
    assert {"font-weight:600", "font-style:italic", "opacity:0.5"} <= set(text.get("style", "").split(";"))
    assert [(part.text, part.get("font-style")) for part in text] == [("ε", "italic")] and text.text == "at "
    assert "var(--bdp-d55e00" in ElementTree.tostring(group, encoding="unicode")
    for ha in ("left", "center", "right"):  # scaled about the point where it was put
        _, groups, _ = groups_of("wide words", ha=ha, va="top")
        group = group_of("wide words", groups)
        x, y = (float(part) for part in re.findall(r"([\d.]+)px", group.get("style", "")))
        assert float(group[0].get("x", "")) == pytest.approx(x, abs=0.1) and 0 < float(group[0].get("y", "")) - y < 15.4
    _, groups, _ = groups_of(r"$\frac{1}{2}$")
    (group,) = (found for found in groups if not found.findall("{*}text"))
    assert group.findall(".//{*}rect") and "".join(group.itertext()) == "12"  # with the bar between 1 and 2


def test_labels_are_moved_apart_and_stay_in_the_picture() -> None:
    """From the first drawing on, with a logarithmic axis too."""
    ends = {"none": 0.0, "central": 0.1, "shuffle": 0.12, "local": 9.0}
    for scale, shift in (("linear", 0.0), ("log", 1.0)):
        with use_style():
            figure = Figure()
            ax = figure.subplots()
            ax.set(xscale=scale, yscale=scale)
            for model, end in ends.items():
                y = np.array([0, end]) + shift
                line = band(ax, [1, 1000], y, y, y + 0.1, f"a rather long {model}", color=model)
                assert (line.get_color(), line.get_linestyle()) == (TRUST_COLORS[model], TRUST_LINES[model])
            FigureCanvasAgg(figure).draw()
            boxes = [text.get_window_extent() for text in ax.texts]
        assert [text.get_text() for text in ax.texts] == [f"a rather long {model}" for model in ends]
        assert all(below.y1 <= above.y0 for below, above in itertools.pairwise(boxes))
        assert all(box.x1 <= figure.bbox.x1 and box.y0 >= ax.bbox.y0 - 20 for box in boxes)


# Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB; then OKLab.
SIGHT = {
    "usual": np.eye(3),
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritan": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
TO_LMS = [[0.41222147, 0.53633254, 0.05144599], [0.2119035, 0.68069955, 0.10739696], [0.08830246, 0.28171884, 0.6299787]]
TO_LAB = [[0.21045426, 0.79361779, -0.00407205], [1.9779985, -2.42859221, 0.45059371], [0.0259040, 0.78277177, -0.80867577]]


def linear_rgb(color: str | tuple[float, ...]) -> np.ndarray:
    parts = [int(color[i : i + 2], 16) for i in (1, 3, 5)] if isinstance(color, str) else color
    share = np.array(parts) / 255
    return np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)


def contrast(one: str | tuple[float, ...], other: str | tuple[float, ...]) -> float:
    dark, bright = sorted(float(linear_rgb(color) @ [0.2126, 0.7152, 0.0722]) for color in (one, other))
    return (bright + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("color", [*COLORS, *TRUST_COLORS.values(), "#ffffff", "#000000"])
def test_labels_can_be_read_on_white_and_on_black(color: str) -> None:
    assert contrast(letter_shade(color), "#ffffff") >= 4.5 and contrast(letter_shade(color), "#11131e") >= 4


@pytest.mark.parametrize("sight", SIGHT)
@pytest.mark.parametrize("palette", [tuple(TRUST_COLORS.values()), COLORS])
def test_colours_differ_for_every_kind_of_sight(sight: str, palette: tuple[str, ...]) -> None:
    seen = [np.clip(np.array(SIGHT[sight]) @ linear_rgb(color), 0, 1) for color in palette]
    seen = [np.array(TO_LAB) @ np.cbrt(np.array(TO_LMS) @ linear) for linear in seen]
    nearest = min(float(np.linalg.norm(a - b)) for a, b in itertools.combinations(seen, 2))
    assert nearest > 0.08  # 0.02 is about the smallest difference that can be seen
    assert all(contrast(color, "#ffffff") >= 3 for color in palette[:4])


@pytest.mark.parametrize("results", [{100: 3.0, 400: 6.0}, [3.0, 6.0]])
def test_a_figure_of_stored_results_says_that_it_has_none(results: Any) -> None:
    """A KeyError or an IndexError came from the chapter's own function, as in chapters 8 and 10, and said nothing of the slider."""
    sliders = {"users": list(results) if isinstance(results, dict) else [0, 1]}
    figure = make(series=lambda users: [Series("error", [0, 1], [0, results[users]])], sliders=sliders,
                  start={"users": sliders["users"][0]})
    with pytest.raises(ValueError, match=r"series has nothing for the setting \{'users': 900\} .*; allowed are the values for"):
        figure.frame({"users": 900})


def test_every_kind_is_drawn_and_logarithmic_axes_leave_out_what_they_cannot_show() -> None:
    """The range has room above and below the positive numbers, around a single one too; a band may reach below 0."""
    def halved(width: int) -> list[Series]:
        return [Series("a", [1, 100], [4, 9], low=[-1, 2], high=[5, 10]), Series("b", [10, 1000], [3 * width, 3], "points"),
                Series("c", [10], [4], "points", low=[3], high=[5])]

    limits = {"x_scale": "log", "x_range": (0.5, 2000), "y_scale": "log", "y_range": "each", "x_ticks": {1: "one", 10: "ten"}}
    html = moving_figure(halved, {"width": [1, 10]}, {"width": 1}, alt=ALT, **limits, **WORDS)._repr_html_()
    data, still = page_json(html), re.search(r'base64,([^"]+)"', html)
    assert still and base64.b64decode(still[1]).startswith(b"<svg ")
    windows = [data["arrays"][frame["window"]] for frame in data["frames"]]
    assert windows == [pytest.approx([0.5, 2000, 2 / 1.15, top * 1.15], rel=1e-3) for top in (10, 30)]
    assert extent("x", "log", halved(1)) == (1, 1000)
    assert extent("x", "log", [Series("point", [8], [3])]) == (4, 16)
    assert extent("y", "linear", [Series("flat", [1, 2], [-3, -3])]) == (-3.5, -2.5)
    with pytest.raises(ValueError, match=r"series 'b': y\[1\] is 0; allowed with y_scale='log' are numbers > 0"):
        make(y_scale="log", series=lambda epsilon, users: [*halved(1)[:1], Series("b", [1, 2], [3, 0])])
