"""Make lecture slides from the chapters, into _build/slides: a page for each, which opens from the disk and asks no other host.

The slides are what nbconvert's exporter makes of the chapter's cells (`slide_cells`) with our template, `slides/index.html.j2`. The
outputs that they show are those that are stored in the notebook.
"""

import argparse
import re
import shutil
import sys
from collections.abc import Sequence
from functools import partialmethod
from html import escape
from pathlib import Path

import nbformat
from nbconvert.exporters import SlidesExporter
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

from checkout import BUILD, NOTEBOOKS, ROOT, TOOLS, exclusive

sys.path.append(str(ROOT / "book" / "_ext"))

import stored_outputs
from formulas import render
from pictures import on_page
from slide_cells import slide_cells

SLIDES = BUILD / "slides"
OURS = TOOLS / "slides"
STATIC = ROOT / "book" / "_static"
CHAPTERS = sorted(NOTEBOOKS.glob("[0-9][0-9]_*.ipynb"))
MATHML = re.compile(r"<math\b.*?</math>", re.DOTALL)
# A formula with the brackets before and the punctuation after it, between which no line ends.
TOGETHER = re.compile(r"([(\[“]*)<!--f-->(.*?)<!--/f-->(-th\b|[-,.;:!?)\]”’]*)", re.DOTALL)


class Words(IPythonRenderer):
    """Makes HTML of Markdown: formulas are set, links become plain words, and the marks of numbers and boxes go."""

    spoken = False  # in notes, which the speaker's window shows without our styles, formulas are MathML alone

    def formula(self, tex: str, display: bool) -> str:
        html = render(tex.strip(), display)
        if self.spoken and (found := MATHML.search(html)):
            return found[0]
        return f'<!--f--><span class="formula{" displayed" * display}">{html}</span><!--/f-->'

    inline_math = partialmethod(formula, display=False)
    block_math = partialmethod(formula, display=True)

    def link(self, text: str, url: str, title: str | None = None) -> str:
        """Keep a link's words."""
        return text

    def inline_html(self, html: str) -> str:
        """Leave out anchors and comments."""
        return ""


def words(text: str, spoken: bool = False) -> str:
    renderer = Words(escape=False, exclude_anchor_links=True)
    renderer.spoken = spoken
    return TOGETHER.sub(r'<span class="together">\1\2\3</span>', MarkdownWithMath(renderer=renderer).render(text))


def page(notebook: nbformat.NotebookNode, title: str) -> str:
    """Return the page of a notebook whose cells are parts of slides."""
    exporter = SlidesExporter(template_name="slides", extra_template_basedirs=[str(TOOLS)])
    exporter.register_filter("words", words)
    exporter.register_filter("on_page", on_page)
    return str(exporter.from_notebook_node(notebook, {"metadata": {"name": title}})[0])


def title(path: Path) -> str:
    return str(nbformat.read(path, 4).cells[0].source).split("\n")[0].removeprefix("# ")


def make(path: Path, folder: Path) -> int:
    """Make the slides of one chapter; return how many."""
    notebook, number = nbformat.read(path, 4), int(path.name[:2])
    notebook.cells = slide_cells(notebook, number)
    (folder / f"{path.stem}.html").write_text(page(notebook, f"{number}. {title(path)}"), "utf-8")
    return sum(cell.metadata.slideshow.slide_type in ("slide", "subslide") for cell in notebook.cells)


def copy_assets(folder: Path) -> None:
    assets = folder / "assets"
    shutil.rmtree(assets, ignore_errors=True)
    shutil.copytree(OURS, assets, ignore=shutil.ignore_patterns("*.j2", "*.html", "conf.json"))
    shutil.copytree(STATIC, assets, dirs_exist_ok=True)


def write_contents(folder: Path) -> None:
    there = [path for path in CHAPTERS if (folder / f"{path.stem}.html").is_file()]
    links = [f'<li value="{int(path.name[:2])}"><a href="{path.stem}.html">{escape(title(path))}</a></li>' for path in there]
    text = (OURS / "contents.html").read_text("utf-8").replace("<!-- chapters -->", "\n".join(links))
    (folder / "index.html").write_text(text, "utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the slides of the named notebooks, or of all chapters, and say where they are."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="*", type=Path, help="chapters' notebooks (default: all)")
    paths = sorted({path.resolve() for path in parser.parse_args(arguments).paths}) or CHAPTERS
    if strangers := [str(path) for path in paths if path not in CHAPTERS]:
        parser.error(f"no chapter: {', '.join(strangers)}; chapters are notebooks/NN_name.ipynb")
    if stored_outputs.stale(paths):
        return 1
    with exclusive():
        SLIDES.mkdir(parents=True, exist_ok=True)
        copy_assets(SLIDES)
        for path in paths:
            print(f"{path.stem}  {make(path, SLIDES)} slides", flush=True)
        write_contents(SLIDES)
    print(f"\nOpen them with a browser: {(SLIDES / 'index.html').as_uri()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
