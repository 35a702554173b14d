"""The book's figures: the same on every run, and refused when wrong."""

import base64
import io
import itertools
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from bandits_dp.companion.plots import COLORS, TRUST_COLORS, TRUST_LINES, Series, band, moving_figure, use_style
from bandits_dp.companion.plots.series import check_axis, extent
from bandits_dp.companion.plots.style import letter_shade
from bandits_dp.companion.plots.words import spans

WORDS = {"title": "Cost & <care>", "x_label": "rounds", "y_label": "regret (rewards)"}
ALT = "Two curves of regret that rise with the rounds, and a flat one."
SLIDERS = {"epsilon": [0.1, 0.5, 1.0], "users": [10, 100]}
START = {"epsilon": 0.5, "users": 10}


def regret(epsilon: float, users: int) -> tuple[list[Series], str]:
    x = np.linspace(0, 2000, 9)
    y = np.sqrt(x) / epsilon
    shown = [
        Series("private", x, y, low=0.9 * y, high=1.1 * y, color="local"),
        Series("batched", x, y / users, kind="step"),
        Series("flat", [0, 2000], [50, 50]),
    ]
    return shown, f"At ε = {epsilon:g} and {users} users the end is {y[-1]:.4g}, not $5 or $6 </script>."


def make(**changes: Any) -> Any:
    settings = {"series": regret, "sliders": SLIDERS, "start": START, "alt": ALT} | WORDS | changes
    return moving_figure(**settings)


def unpack(data: dict[str, Any]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Yield each frame's note and series as the page's script sees them."""
    for frame in data["frames"]:
        series = []
        for packed in frame["series"]:
            numbers = {name: data["arrays"][at] for name, at in packed.items() if name != "look"}
            series.append(data["looks"][packed["look"]] | numbers)
        yield frame["note"], series


def page_json(html: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json">(.*?)</script>', html, re.S)
    assert found
    return json.loads(found[1])


# ---- What is stored


def test_json_is_what_the_series_function_returned() -> None:
    data = page_json(make()._repr_html_())
    frames = list(unpack(data))
    combinations = list(itertools.product(*SLIDERS.values()))
    assert len(frames) == len(combinations)
    for (note, drawn), (epsilon, users) in zip(frames, combinations, strict=True):
        expected, expected_note = regret(epsilon, users)
        assert note == expected_note
        for one, wanted in zip(drawn, expected, strict=True):
            assert (one["label"], one["kind"]) == (wanted.label, wanted.kind)
            for name in ("x", "y", "low", "high"):
                values = getattr(wanted, name)
                assert (values is None) == (name not in one)
                if values is not None:
                    np.testing.assert_allclose(one[name], values, rtol=1e-4)
    assert frames[0][1][0]["color"] == TRUST_COLORS["local"]


def test_same_bytes_in_another_process() -> None:
    code = "from test_plots import make; print(make()._repr_html_())"
    runs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ
            | {"PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join([os.path.dirname(__file__), *sys.path])},
            capture_output=True,
            text=True,
            check=True, timeout=600,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(runs) == 1


def test_called_once_for_each_combination_and_shown_as_one_sentence() -> None:
    calls = []

    def counted(epsilon: float, users: int) -> list[Series]:
        calls.append((epsilon, users))
        return regret(epsilon, users)[0]

    figure = make(series=counted)
    assert calls == list(itertools.product(*SLIDERS.values()))
    figure._repr_html_()
    assert len(calls) == 6
    assert (
        repr(figure)
        == "Moving figure: Cost & <care>. Sliders: epsilon (3 values, now 0.5), users (2 values, now 10)."
    )


def test_html_stands_alone_and_says_it_without_a_script() -> None:
    html = make(labels={"epsilon": "ε (privacy)"})._repr_html_()
    assert not re.search(r"(?:src|href)=(?!\"data:)|@import|url\(|require\(", html)
    assert html.count("</script>") == 3  # the note's own "</script>" must not end the data
    static = re.sub(r"<(script|style).*?</\1>", "", html, flags=re.S)
    assert static.count(ALT) == 2  # once as the group's name, once to read
    assert "At ε = 0.5 and 10 users" in static and "Cost &amp; &lt;care&gt;" in static
    for place, label in enumerate(("ε (privacy)", "users")):
        found = re.search(rf'<label for="(bdp-[0-9a-f]{{10}}-{place})">{re.escape(label)}</label>', html)
        assert found and f'id="{found[1]}"' in html
        assert "<label" not in static and "<input" not in static  # they could do nothing


def test_import_does_not_load_matplotlib() -> None:
    code = "import sys, bandits_dp.companion.plots; print('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=600).stdout == "False\n"


# ---- What is refused


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"y": [1, 2]}, ["y has 2", "3"]),
        ({"y": [1, float("nan"), 3]}, [r"y\[1\] is nan", "finite"]),
        ({"x": [1, 2, float("inf")]}, [r"x\[2\] is inf", "finite"]),
        ({"x": [], "y": []}, ["x has shape", "at least one"]),
        ({"y": ["a", "b", "c"]}, ["y is", "numbers"]),
        ({"kind": "pie"}, ["kind is 'pie'", "'line'"]),
        ({"label": " "}, ["label is ' '"]),
        ({"low": [0, 0, 0]}, ["high is None", "both or none"]),
        ({"low": [0, 9, 0], "high": [5, 5, 5]}, [r"low\[1\] is 9", "at most"]),
        ({"low": [0, 0], "high": [5, 5, 5]}, ["low has 2"]),
        ({"color": "shufle"}, ["color is 'shufle'", "'shuffle'"]),
    ],
)
def test_series_refuses(arguments: dict[str, Any], words: list[str]) -> None:
    with pytest.raises(ValueError) as caught:
        Series(**({"label": "a", "x": [1, 2, 3], "y": [1, 2, 3]} | arguments))
    for word in words:
        assert re.search(word, str(caught.value))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"sliders": {}}, ["sliders is empty"]),
        ({"sliders": {"epsilon": [], "users": [1, 2]}}, ["sliders['epsilon'] is []", "at least two"]),
        ({"sliders": {"epsilon": [1, 1], "users": [1, 2]}}, ["sliders['epsilon']", "all different"]),
        (
            {"sliders": {"epsilon": [1, float("nan")], "users": [1, 2]}},
            ["sliders['epsilon'] contains nan", "finite"],
        ),
        (
            {"sliders": {"epsilon": range(1, 22), "users": range(20)}},
            ["21 epsilon x 20 users = 420", "at most 400"],
        ),
        ({"start": {"epsilon": 0.7, "users": 10}}, ["start['epsilon'] is 0.7", "[0.1, 0.5, 1.0]"]),
        ({"start": {"epsilon": 0.5}}, ["start has the names ['epsilon']", "['epsilon', 'users']"]),
        ({"alt": ""}, ["alt is ''", "at least 20"]),
        ({"alt": "a plot"}, ["alt is 'a plot'", "at least 20"]),
        ({"title": ""}, ["title is ''"]),
        ({"labels": {"eps": "ε"}}, ["labels has the names ['eps']"]),
        ({"x_scale": "sqrt"}, ["x_scale is 'sqrt'", "'log'"]),
        ({"x_scale": "log"}, ["series(epsilon=0.1, users=10)", "x[0] is 0", "> 0"]),
        ({"y_range": (5, 5)}, ["y_range is (5, 5)", "low < high"]),
        ({"y_range": (0, 5), "y_scale": "log"}, ["y_range is (0, 5)", "> 0"]),
        ({"x_range": "zoom"}, ["x_range is 'zoom'", "'each'"]),
        (
            {"series": lambda epsilon, users: []},
            ["series(epsilon=0.1, users=10) is []", "at least one Series"],
        ),
        ({"series": lambda epsilon, users: "text"}, ["is 'text'"]),
    ],
)
def test_figure_refuses(changes: dict[str, Any], words: list[str]) -> None:
    with pytest.raises(ValueError) as caught:
        make(**changes)
    for word in words:
        assert word in str(caught.value)


def test_figure_refuses_too_much_data() -> None:
    def heavy(epsilon: float, users: int) -> list[Series]:
        return [Series("heavy", np.arange(12_000), np.sin(np.arange(12_000) * epsilon) + users)]

    with pytest.raises(
        ValueError, match=r"series makes [\d,]+ bytes of JSON over 6 settings; allowed are 300,000"
    ):
        make(series=heavy)


# ---- Style and bands


def test_style_is_undone_and_pictures_repeat(tmp_path: Any) -> None:
    import matplotlib
    from matplotlib.figure import Figure

    former = dict(matplotlib.rcParams)
    pictures = []
    with use_style():
        for kind, metadata in (("svg", {"Date": None}), ("png", {"Software": None})) * 2:
            figure = Figure()
            ax = figure.subplots()
            band(ax, [1, 2, 3], [1, 2, 3], [0, 1, 2], [2, 3, 4], "shuffle model", color="shuffle")
            figure.savefig(tmp_path / f"a.{kind}", metadata=metadata)
            pictures.append((tmp_path / f"a.{kind}").read_bytes())
    assert pictures[:2] == pictures[2:]
    assert b"Matplotlib" not in pictures[0] + pictures[1]
    assert dict(matplotlib.rcParams) == former


def drawing(*lines: str, **looks: Any) -> ElementTree.Element:
    """Draw an empty figure with a text, and return its SVG."""
    from matplotlib.figure import Figure

    stream = io.BytesIO()
    with use_style():
        figure = Figure()
        ax = figure.subplots()
        ax.set(xscale="log", xlim=(1, 1000))
        ax.text(10, 0.5, "\n".join(lines), **looks)
        figure.savefig(stream, format="svg")
    return ElementTree.fromstring(stream.getvalue())


def test_drawings_take_colours_and_letters_of_the_page() -> None:
    svg = drawing("two", "lines", color="#d55e00", ha="center")
    assert not svg.findall(".//{*}metadata")
    written = ElementTree.tostring(svg, encoding="unicode")
    assert set(re.findall(r"#\w{6}\b", re.sub(r"var\(--bdp-(\w{6}),#(\1|\w{6})\)", "", written))) == set()
    assert "var(--bdp-d55e00,#d55e00)" in written and "var(--bdp-333333,#767676)" in written
    texts = {"".join(text.itertext()): text for text in svg.findall(".//{*}text")}
    assert {"two", "lines", "100", "103"} <= set(texts)
    assert [part.get("font-size") for part in texts["103"]] == ["75%"]
    apart = float(texts["lines"].get("y")) - float(texts["two"].get("y"))
    assert 1 < apart / 15.4 < 1.32  # of the letters' size: matplotlib before 3.11 sets lines closer
    groups = [group for group in svg.findall(".//{*}g") if group.get("class") == "bdp-letters"]
    assert len(groups) == len(texts) - 1, "one group for each text, whatever its lines"
    assert all("transform-origin" in group.get("style", "") for group in groups)
    assert "font-family" not in written.partition("</style>")[2]


def test_drawings_keep_the_look_of_a_text() -> None:
    """Weight, slant, strength and mathematics in a line; a fraction, and the box around it, stay as matplotlib drew them."""
    svg = drawing(r"at $\varepsilon$", fontweight="bold", fontstyle="italic", alpha=0.5, bbox={"facecolor": "#d55e00"})
    (group,) = (found for found in svg.findall(".//{*}g") if "".join(found.itertext()).strip() == "at ε" and found.get("class"))
    (text,) = group.findall("{*}text")
    assert {"font-weight:600", "font-style:italic", "opacity:0.5"} <= set(text.get("style", "").split(";"))
    assert [(part.text, part.get("font-style")) for part in text] == [("ε", "italic")] and text.text == "at "
    assert "var(--bdp-d55e00" in ElementTree.tostring(group, encoding="unicode")
    fraction = drawing(r"$\frac{1}{2}$")
    (group,) = (found for found in fraction.findall(".//{*}g") if found.get("class") and not found.findall("{*}text"))
    assert "transform-origin" in group.get("style", "") and group.findall(".//{*}rect")  # the bar between 1 and 2
    assert "".join(group.itertext()) == "12"


def test_a_text_is_scaled_about_the_point_where_it_was_put() -> None:
    for ha, place in (("left", 0.0), ("center", 0.5), ("right", 1.0)):
        svg = drawing("wide words", ha=ha, va="top")
        (group,) = (group for group in svg.findall(".//{*}g") if [text.text for text in group.findall("{*}text")] == ["wide words"])
        x, y = (float(part) for part in re.findall(r"([\d.]+)px", group.get("style", "")))
        (text,) = group
        assert float(text.get("x", "")) == pytest.approx(x, abs=0.1), (ha, place)
        assert 0 < float(text.get("y", "")) - y < 15.4


@pytest.mark.parametrize(
    ("tex", "seen"),
    [
        ("plain, and 5 $", [("plain, and 5 $", False, 0.0)]),
        (r"$\mathdefault{10^{-3}}$", [("10", False, 0.0), ("−3", False, 0.38)]),
        (r"to $\sqrt{T}/2$", [("to √", False, 0.0), ("T", True, 0.0), ("/2", False, 0.0)]),
        (r"$\varepsilon_0$", [("ε", True, 0.0), ("0", False, -0.2)]),
        (r"$\frac{1}{2}$", None),
        (r"$x^{y^2}$", None),
        (r"${T}{B}$", [("TB", True, 0.0)]),
        ("$x\ny$", None),
        (r"$\unknown$", None),
    ],
)
def test_small_mathematics_is_text(tex: str, seen: list[tuple[str, bool, float]] | None) -> None:
    assert spans(tex) == seen


@pytest.mark.parametrize("color", [*COLORS, *TRUST_COLORS.values(), "#ffffff", "#000000"])
def test_labels_can_be_read_on_white_and_on_black(color: str) -> None:
    assert contrast(letter_shade(color), "#ffffff") >= 4.5
    assert contrast(letter_shade(color), "#11131e") >= 4


@pytest.mark.parametrize("scale", ["linear", "log"])
def test_the_first_drawing_has_room_for_the_labels(scale: str) -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with use_style():
        figure = Figure()
        canvas = FigureCanvasAgg(figure)
        ax = figure.subplots()
        band(ax, [1, 1000], [1, 100], [1, 90], [1, 110], "a rather long label")
        ax.set(xscale=scale, yscale=scale)
        canvas.draw()
        (label,) = ax.texts
        assert label.get_window_extent().x1 <= figure.bbox.x1


def test_band_labels_are_moved_apart_and_stay_in_the_picture() -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with use_style():
        figure = Figure()
        canvas = FigureCanvasAgg(figure)
        ax = figure.subplots()
        ends = {"none": 0.0, "central": 0.1, "shuffle": 0.12, "local": 9.0}
        for model, end in ends.items():
            line = band(ax, [0, 1], [0, end], [0, end], [0, end + 0.1], f"{model} model", color=model)
            assert (line.get_color(), line.get_linestyle()) == (TRUST_COLORS[model], TRUST_LINES[model])
        canvas.draw()
        boxes = [text.get_window_extent() for text in ax.texts]
    assert [text.get_text() for text in ax.texts] == [f"{model} model" for model in ends]
    for below, above in itertools.pairwise(boxes):
        assert below.y1 <= above.y0
    assert all(box.x1 <= figure.bbox.x1 and box.y0 >= ax.bbox.y0 - 20 for box in boxes)


def test_band_refuses_unequal_lengths() -> None:
    from matplotlib.figure import Figure

    with pytest.raises(ValueError, match="high has 1 numbers; allowed are 2"):
        band(Figure().subplots(), [0, 1], [0, 1], [0, 1], [2], "a")


# Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB.
SIGHT = {
    "usual": np.eye(3),
    "protan": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deutan": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritan": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}


def linear_rgb(color: str | tuple[float, ...]) -> np.ndarray:
    parts = [int(color[i : i + 2], 16) for i in (1, 3, 5)] if isinstance(color, str) else color
    share = np.array(parts) / 255
    return np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)


def contrast(one: str | tuple[float, ...], other: str | tuple[float, ...]) -> float:
    dark, bright = sorted(float(linear_rgb(color) @ [0.2126, 0.7152, 0.0722]) for color in (one, other))
    return (bright + 0.05) / (dark + 0.05)


def oklab(linear: np.ndarray) -> np.ndarray:
    to_lms = [
        [0.41222147, 0.53633254, 0.05144599],
        [0.2119035, 0.68069955, 0.10739696],
        [0.08830246, 0.28171884, 0.6299787],
    ]
    to_lab = [
        [0.21045426, 0.79361779, -0.00407205],
        [1.9779985, -2.42859221, 0.45059371],
        [0.0259040, 0.78277177, -0.80867577],
    ]
    return np.array(to_lab) @ np.cbrt(np.array(to_lms) @ linear)


@pytest.mark.parametrize("sight", SIGHT)
@pytest.mark.parametrize("palette", [tuple(TRUST_COLORS.values()), COLORS])
def test_colours_differ_for_every_kind_of_sight(sight: str, palette: tuple[str, ...]) -> None:
    seen = [oklab(np.clip(np.array(SIGHT[sight]) @ linear_rgb(color), 0, 1)) for color in palette]
    nearest = min(float(np.linalg.norm(a - b)) for a, b in itertools.combinations(seen, 2))
    assert nearest > 0.08  # 0.02 is about the smallest difference that can be seen
    assert all(contrast(color, "#ffffff") >= 3 for color in palette[:4])


# ---- Live


def test_live_computes_other_values_afresh() -> None:
    figure = make()
    calls = []
    figure._series = lambda **setting: calls.append(setting) or regret(**setting)
    other = figure.live(epsilon=[0.5, 0.25])
    assert other.sliders == {"epsilon": (0.5, 0.25), "users": figure.sliders["users"]}
    assert other.start == {"epsilon": 0.5, "users": figure.start["users"]}
    assert [call["epsilon"] for call in calls] == [0.5] * len(calls[::2]) + [0.25] * len(calls[::2])
    assert "At ε = 0.5 and 10 users" in other._repr_html_()
    with pytest.raises(ValueError, match="live\\(\\) was given delta; allowed are the sliders epsilon, users"):
        figure.live(delta=[1, 2])


def test_every_kind_is_drawn() -> None:
    def kinds(width: int) -> list[Series]:
        x = np.arange(4)
        return [
            Series(kind + suffix, x, x + width, kind=kind, low=low, high=high)
            for kind in ("line", "step", "bar", "points")
            for suffix, low, high in (("", None, None), (" with error", x + width - 1, x + width + 1))
        ]

    ticks = dict(enumerate("abcd"))
    figure = moving_figure(kinds, {"width": [1, 2]}, {"width": 1}, alt=ALT, x_ticks=ticks, **WORDS)
    found = re.search(r'base64,([^"]+)"', figure._repr_html_())
    assert found and base64.b64decode(found[1]).startswith(b"<svg ")


def test_logarithmic_axes_leave_out_what_they_cannot_show() -> None:
    """The range has room above and below the positive numbers, around a single one too; a band may reach below 0."""
    def halved(width: int) -> list[Series]:
        return [Series("a", [1, 100], [4, 9], low=[-1, 2], high=[5, 10]), Series("b", [10, 1000], [3 * width, 3])]

    limits = {"x_scale": "log", "x_range": (0.5, 2000), "y_scale": "log", "y_range": "each"}
    data = page_json(moving_figure(halved, {"width": [1, 10]}, {"width": 1}, alt=ALT, **limits, **WORDS)._repr_html_())
    windows = [data["arrays"][frame["window"]] for frame in data["frames"]]
    assert windows == [pytest.approx([0.5, 2000, 2 / 1.15, top * 1.15], rel=1e-3) for top in (10, 30)]
    assert extent("x", "log", halved(1)) == (1, 1000)
    assert extent("x", "log", [Series("point", [8], [3])]) == (4, 16)
    assert extent("y", "linear", [Series("flat", [1, 2], [-3, -3])]) == (-3.5, -2.5)
    with pytest.raises(ValueError, match=r"series 'b': y\[1\] is 0; allowed with y_scale='log' are numbers > 0"):
        check_axis("y", "log", [*halved(1)[:1], Series("b", [1, 2], [3, 0])])
