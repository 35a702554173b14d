"""Make one PDF of the built book: its pages one after another, with contents, and with links that lead from page to page.

Folded code is left out, proofs are open, and solutions follow at the end of their chapter. The reference of the package's
functions is left out too: nobody reads it on paper.
"""

import argparse
import posixpath
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

from bs4 import BeautifulSoup, Tag
from jinja2 import Template
from playwright.sync_api import sync_playwright

import build_book
import get_browser
from checkout import BUILD, ROOT, SITE

PDF = BUILD / "private-bandits.pdf"
COVER = ROOT / "book" / "_static" / "cover.svg"
STYLE = Path(__file__).with_name("whole_book.css")
LEFT_OUT = ("book/api",)
PAGE = Path(__file__).with_name("whole_book.html")
# A scene that begins empty shows how it ends.
ENDS = """() => {
  for (const button of document.querySelectorAll(".bdp-play")) {
    const slider = button.closest("figure").querySelector(`[data-place="${button.dataset.slider}"] input`);
    if (slider.value > slider.max / 5) continue;
    slider.value = slider.max;
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  }
}"""
WIDE = 658  # pixels, between the margins of A4
FOOTER = '<div style="width:100%;font:9px sans-serif;text-align:center"><span class="pageNumber"></span></div>'


def pages() -> list[str]:
    named = re.findall(r"(?m)(?:file|root): (\S+)", (ROOT / "_toc.yml").read_text("utf-8"))
    return [name for name in named if not name.startswith(LEFT_OUT)]


def assemble(names: Sequence[str]) -> str:
    """Join built pages, named as in `_toc.yml`, into one, whose addresses are relative to the folder of the built book.

    A single page has neither cover nor contents.
    """
    sheets, contents, articles = [], [], []
    for name in names:
        path = SITE / f"{name}.html"
        page = BeautifulSoup(path.read_text("utf-8"), "html.parser")
        for link in page.select("link[rel=stylesheet]"):
            sheets.append(urljoin(name, link["href"]))
        article = page.select_one("article")
        if article is None:
            raise ValueError(f"{path} has no article; it is not a page of this book")
        for_paper(article, page)
        lead_within(article, name, names)
        title = article.select_one("h1")
        contents.append((anchor(name), title.get_text().removesuffix("#") if title else name))
        article["id"] = anchor(name)
        articles.append(str(article))
    page = Template(PAGE.read_text("utf-8"), keep_trailing_newline=True)
    return page.render(sheets=dict.fromkeys(sheets), style=STYLE.read_text("utf-8"), cover=COVER.read_text("utf-8"),
                       contents=contents if len(names) > 1 else (), articles=articles)


def anchor(name: str, fragment: str = "") -> str:
    """Name a page, or a place in it, in the one document."""
    return re.sub(r"\W", "-", name) + (f"--{fragment}" if fragment else "")


def for_paper(article: Tag, page: BeautifulSoup) -> None:
    """Leave out what only works on a screen, and unfold what is to be read."""
    for needless in article.select("script, button, .headerlink, details.fold.code, .bdp-numbers, noscript"):
        if needless.find_parent("figure", ("bdp-curves", "bdp-scene")) is None:  # these draw themselves, as on a screen
            needless.decompose()
    for empty in article.select("div.cell"):
        if not empty.get_text(strip=True) and not empty.select("img, svg"):  # a heading before it would stay alone on its page
            empty.decompose()
    for rooms in article.select(".bdp-gallery details"):
        rooms["open"] = ""
    for invitation in article.select(".bdp-gallery .bdp-note"):
        invitation.decompose()
    solutions = []
    for fold in article.select("details.fold"):
        summary = fold.summary
        fold.name, summary.name, summary["class"] = "div", "p", "admonition-title"
        if summary.get_text().startswith("Solution"):
            solutions.append(fold.extract())
    if solutions:
        heading = page.new_tag("h2")
        heading.string = "Solutions"
        article.extend([heading, *solutions])


def lead_within(article: Tag, name: str, names: Sequence[str]) -> None:
    """Give every anchor the name of its page, and let links follow; those to pages left out become plain words."""
    for tag in article.find_all(id=True):
        tag["id"] = anchor(name, tag["id"])
    for key in ("clip-path", "style"):  # clips and hatches
        for tag in article.select(f"[{key}*='url(#']"):
            tag[key] = tag[key].replace("url(#", f"url(#{anchor(name)}--")
    for tag in article.find_all(href=True):
        parts = urlsplit(urljoin(name, tag["href"]))
        target = unquote(parts.path).removesuffix(".html")
        if parts.scheme or parts.netloc:
            continue
        if target in names:
            tag["href"] = f"#{anchor(target, unquote(parts.fragment))}"
        else:
            del tag["href"]
    for image in article.find_all("img", src=True):
        image["src"] = urljoin(name, image["src"])


def print_book(names: Sequence[str], path: Path) -> None:
    """Write the PDF of some pages."""
    chromium = get_browser.get()
    draft = SITE / "whole-book.html"  # beside the pages, whose styles and pictures it names
    draft.write_text(assemble(names), "utf-8")
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
            page = browser.new_page(viewport={"width": WIDE, "height": 900}, reduced_motion="reduce")
            page.goto(draft.as_uri())
            page.evaluate("document.fonts.ready")
            page.evaluate(ENDS)
            margin = {"top": "18mm", "bottom": "20mm", "left": "18mm", "right": "18mm"}
            page.pdf(path=path, format="A4", margin=margin, outline=True, tagged=True, print_background=True,
                     display_header_footer=True, header_template="<span></span>", footer_template=FOOTER)
            browser.close()
    finally:
        draft.unlink()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pages", nargs="*", default=pages(), help="pages as in _toc.yml (default: all but the API)")
    names = parser.parse_args().pages
    try:
        get_browser.get()
    except RuntimeError as error:
        print(error, file=sys.stderr)
        return 1
    if build_book.build():
        return 1
    path = PDF if len(names) > 1 else PDF.with_name(f"{posixpath.basename(names[0])}.pdf")
    print_book(names, path)
    print(f"\nOn paper: {path.as_uri()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
