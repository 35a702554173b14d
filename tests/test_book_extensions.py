"""The book's Sphinx extensions fail a build whose theorems lack a test, whose pictures lack a text or whose formulas are wrong."""

import math
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from matplotlib.figure import Figure

import bandits_dp as bdp
import catalogue
import checked_by
import formulas
import light_pages
import pictures
from bandits_book import plots
from tests.book_helpers import build, chapter, picture, save

Build = Callable[..., SimpleNamespace]
PAGE = """\
# A page

```{prf:theorem} Something true
:label: thm-true

It holds. {checked-by}`tests/test_truth.py::test_holds`
```

```{prf:definition} A word
:label: def-word

It needs no test.
```
"""


@pytest.fixture
def small_book(tmp_path: Path) -> Build:
    (tmp_path / "tests").mkdir()

    def made(page: str | None = None, test: str | None = None) -> SimpleNamespace:
        if page is not None:
            (tmp_path / "page.md").write_text(page, "utf-8")
        if test is not None:
            (tmp_path / "tests" / "test_truth.py").write_text(test, "utf-8")
        status, told = build(tmp_path, "sphinx_proof", "checked_by", "pictures", "formulas", "objects")
        there = tmp_path / "_built" / "page.html"
        page = there.read_text("utf-8") if there.exists() else ""
        return SimpleNamespace(status=status, told=told, page=page, folder=there.parent)

    return made


def test_a_whole_page_has_its_tests_drawings_and_formulas(small_book: Build, tmp_path: Path) -> None:
    """And a renamed test fails the build of the unchanged page."""
    with plots.use_style():
        for name in ("one", "two"):
            figure = Figure()
            figure.subplots().plot([0, 1], [0, 1])
            figure.savefig(tmp_path / f"{name}.svg")
    drawn = "![A line that rises to 1.](one.svg)\n\n![Another line that rises.](two.svg)\n"
    built = small_book(f"{PAGE}\nLet $x \\le 1$.\n\n$$\n\\sqrt{{y}}\n$$\n\n{drawn}", "def test_holds(): ...\n")
    assert built.status == 0, built.told
    assert 'class="checked-by"' in built.page and 'href="_tests/test_truth.html#test_holds"' in built.page
    assert 'id="test_holds"' in (built.folder / "_tests" / "test_truth.html").read_text("utf-8")
    assert built.page.count('<svg role="img" aria-label="A') == 2 and "<img" not in built.page
    assert "<style" not in built.page.partition("<svg")[2]
    names = re.findall(r'id="(d\ds\d+)"', built.page)
    assert len(names) == len(set(names)) > 2
    assert set(re.findall(r'(?:href="|url\()#(d\ds\d+)', built.page)) == set(names)
    assert built.page.count('class="katex-html"') == 2
    assert "<mo>≤</mo>" in built.page and "<msqrt>" in built.page, "screen readers get MathML"
    assert built.page.count("katex.min.css") == 1 and "MathJax" not in built.page
    built = small_book(test="def test_stands(): ...\n")
    assert built.status == 1 and "names a test that does not exist: no test_holds in tests/test_truth.py" in built.told


def test_every_fault_of_a_page_fails_the_build_and_is_named(small_book: Build, tmp_path: Path) -> None:
    """A box without a test, a picture without a text, and a bad formula, in a line, displayed, or in a notebook's cell."""
    (tmp_path / "slope.svg").write_text(picture(), "utf-8")
    notebook = chapter()
    notebook.cells[0].source += "\n\nTwo lines,\nand $\\frac{1}{$."
    save(notebook, tmp_path / "other.ipynb")
    boxes = [f"```{{prf:{kind}}}\n:label: {kind}-true\n\nIt holds.\n```" for kind in sorted(checked_by.KINDS)]
    built = small_book("\n\n".join(["# A page\n\nGood $x$.\n\nA line\n\nwith $\\eps_0$ in it\n\n$$\n\\eps_1\n$$",
                                    "![](slope.svg)\n\n![slope](slope.svg)", *boxes]))
    assert built.status == 1 and "no alt text" in built.told and "only the alt text 'slope'" in built.told
    assert all(f"{kind} '{kind}-true' names no test" in built.told for kind in checked_by.KINDS)
    for line, name in ((7, "\\eps_0"), (9, "\\eps_1")):
        assert f"page.md:{line}: WARNING: formula {name} cannot be set: Undefined control sequence: \\eps" in built.told
    assert "other.ipynb:10004: WARNING: formula \\frac{1}{ cannot be set: Unexpected end of input" in built.told


def test_long_lines_lose_the_points_that_nobody_sees() -> None:
    steps = [(0.01 * k, 100 * math.sin(0.001 * k)) for k in range(3000)]
    line = "M0 0" + "".join(f"L{x:.2f} {y:.2f}" for x, y in steps)
    thin = pictures.LINE.sub(pictures.without_near_points, line)
    kept = [(float(x), float(y)) for x, y in pictures.POINT.findall(thin)]
    assert len(kept) < 400 and kept[0] == (0, 0) and kept[-1] == pytest.approx(steps[-1], abs=0.06)
    for x, y in steps:
        assert min(max(abs(x - right), abs(y - up)) for right, up in kept) < pictures.NEAR + 0.1


def test_a_style_sheet_keeps_what_a_page_or_a_script_can_use() -> None:
    known = light_pages.names(['<p class="one two"></p><script>box.className = "three";</script>'], ["fold.classList.add('four')"])
    assert {"one", "two", "three", "four"} <= known
    sheet = """/* .one {} */ @font-face { font-family: "a;{}"; } .one, .never:hover { color: red } .never { color: blue }
    @media print { .never {} @supports (a: b) { p > .two:not(.never, :is(.never, i)) { content: "}" } } }
    @media screen { .never {} }
    :is(.never, .one) > b, [class*=".never"] { color: green }"""
    assert re.sub(r"\s*([{},;])\s*", r"\1", light_pages.used(sheet, known)).strip() == '''@font-face{font-family: "a;{}";}\
.one{color: red}@media print{@supports (a: b){p > .two:not(.never,:is(.never,i)){content: "}"}}}\
:is(.never,.one) > b,[class*=".never"]{color: green}'''


def test_the_fractions_of_a_bound_that_hold_epsilon_are_its_price() -> None:
    colour = rf"\textcolor{{{catalogue.PRICE}}}"
    assert list(catalogue.TOLD) == [system.name for system in bdp.systems()]
    priced = {name: catalogue.priced(told["regret"]) for name, told in catalogue.TOLD.items()}
    for name, told in catalogue.TOLD.items():
        formulas.render(priced[name], False)
        assert (colour in priced[name]) == (r"\varepsilon" in told["regret"])
    assert priced["LDP-AE"].startswith(rf"O\Big({colour}{{\frac{{1}}{{\varepsilon^2}}}} \sum")
    assert catalogue.PRICE in (Path(catalogue.__file__).parents[1] / "_static" / "tables.css").read_text("utf-8")


def test_a_line_of_the_api_has_name_and_meaning_apart_on_a_page_that_loads_no_katex(small_book: Build) -> None:
    fields = "   :param size: How *large* it is.\n   :type size: int\n   :raises ValueError: If not.\n"
    attribute = "   .. py:attribute:: half\n\n      Half of it.\n\n      :type: float\n"
    built = small_book(f"# One\n\n```{{eval-rst}}\n.. py:class:: One(size)\n\n   A thing.\n\n{fields}\n{attribute}```\n")
    assert built.status == 0 and "katex" not in built.page, built.told
    lines = re.findall(r'<p class="one-line"><span class="what">(.*?)</span> <span class="said">(.*?)</span></p>', built.page)
    assert [re.sub("<.*?>", "", said) for _, said in lines] == ["How large it is.", "If not."]
    assert re.sub("<.*?>", "", lines[0][0]) == "size int"
    attribute = re.search(r'(?s)<dl class="py attribute">.*?</dl>', built.page)
    assert attribute and '<span class="pre">float' in attribute[0] and "field-list" not in attribute[0]


@pytest.mark.parametrize(("address", "folder"), [("", "/"), ("https://a.b/c/d", "/c/d/"), ("https://a.b", "/")])
def test_a_site_below_a_folder_knows_it(tmp_path: Path, address: str, folder: str) -> None:
    """Its picture lay at the top of the host, or at no whole address; the page for wrong addresses had links from the top."""
    (tmp_path / "page.md").write_text("# A page\n\nThis is long enough to be what a link elsewhere tells of the page.\n", "utf-8")
    status, told = build(tmp_path, "described", "lost", more=f"html_baseurl = {address!r}")
    assert status == 0, told
    page, door, wrong = ((tmp_path / "_built" / name).read_text("utf-8") for name in ("page.html", "index.html", "404.html"))
    pictures = [f"{address}/_static/link.png"] if address else []
    assert [re.findall('property="og:image" content="(.*?)"', text) for text in (page, door)] == [pictures] * 2
    before, _, after = wrong.partition(f'<base href="{folder}">')
    assert after and "canonical" not in wrong and not re.search('(?:href|src|action)="', before)
    assert not re.search('(?:href|src|action)="[/#]', after), "it is no address in the site's folder"
