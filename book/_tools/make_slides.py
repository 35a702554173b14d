"""Make lecture slides from the chapters, into _build/slides: a page for each, which opens from the disk and asks no other host.

The slides show the outputs that are stored in the notebooks. Which slides a chapter makes is in `slide_rules`.
"""

import argparse
import json
import re
import shutil
import sys
import time
from collections.abc import Sequence
from html import escape
from pathlib import Path

import nbformat

from checkout import BUILD, NOTEBOOKS, ROOT, TOOLS, exclusive

sys.path.append(str(ROOT / "book" / "_ext"))

import stored_outputs
from slide_pages import page
from slide_rules import slides

SLIDES = BUILD / "slides"
OURS = TOOLS / "slides"
STATIC = ROOT / "book" / "_static"
STYLES = ("tokens.css", "drawings.css", "favicon.svg")
VENDORED = ("katex", "newsreader", "instrument-sans", "source-code-pro")
CHAPTER = re.compile(r"(\d\d)_\w+\.ipynb")


def chapters() -> list[Path]:
    """List the chapters' notebooks."""
    return sorted(path for path in NOTEBOOKS.glob("*.ipynb") if CHAPTER.fullmatch(path.name))


def title(path: Path) -> str:
    """Return a chapter's title."""
    cells = json.loads(path.read_text("utf-8"))["cells"]
    found = re.match(r"# (.+)", "".join(cells[0]["source"]))
    if not found:
        raise ValueError(f"{path.name}: the first cell is no title, '# ...'")
    return found[1]


def copy_assets(folder: Path) -> None:
    """Put the styles, faces and programs beside the slides."""
    assets = folder / "assets"
    shutil.rmtree(assets, ignore_errors=True)
    shutil.copytree(OURS, assets, ignore=shutil.ignore_patterns("*.j2", "*.html", "conf.json"))
    for name in STYLES:
        shutil.copy(STATIC / name, assets)
    (assets / "vendor").mkdir()
    shutil.copy(STATIC / "vendor" / "NOTICE.txt", assets / "vendor")
    for name in VENDORED:
        shutil.copytree(STATIC / "vendor" / name, assets / "vendor" / name)


def make(path: Path, folder: Path) -> int:
    """Make the slides of one chapter; return how many."""
    number = int(path.name[:2])
    made = slides(nbformat.reads(path.read_text("utf-8"), as_version=4), number)
    (folder / f"{path.stem}.html").write_text(page(made, f"{number}. {title(path)}"), "utf-8")
    return len(made)


def write_contents(folder: Path) -> None:
    """Write the page that lists the slides which are there."""
    links = "\n".join(
        f'<li value="{int(path.name[:2])}"><a href="{path.stem}.html">{escape(title(path))}</a></li>'
        for path in chapters()
        if (folder / f"{path.stem}.html").is_file()
    )
    text = (OURS / "contents.html").read_text("utf-8").replace("<!-- chapters -->", links)
    (folder / "index.html").write_text(text, "utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the slides of the named notebooks, or of all chapters, and say where they are."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="*", type=Path, help="chapters' notebooks (default: all)")
    options = parser.parse_args(arguments)
    known = {path.resolve() for path in chapters()}
    paths = sorted({path.resolve() for path in options.paths}) or chapters()
    if strangers := [str(path) for path in paths if path.resolve() not in known]:
        parser.error(f"no chapter: {', '.join(strangers)}; chapters are notebooks/NN_name.ipynb")
    if stale := [told for path in paths if (told := stored_outputs.complaint(path))]:
        print("\n".join(stale), file=sys.stderr)
        return 1
    with exclusive():
        SLIDES.mkdir(parents=True, exist_ok=True)
        copy_assets(SLIDES)
        for path in paths:
            started = time.monotonic()
            try:
                count = make(path, SLIDES)
            except ValueError as error:
                print(f"{path.name}: {error}", file=sys.stderr)
                return 1
            print(f"{path.stem}  {count} slides  ({time.monotonic() - started:.1f} s)", flush=True)
        write_contents(SLIDES)
    print(f"\nOpen them with a browser: {(SLIDES / 'index.html').as_uri()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
