"""Draw the picture that a link to the book shows: the welcome page's moving figure, standing still."""

import io
from pathlib import Path
from tempfile import TemporaryDirectory

from jinja2 import Template
from PIL import Image
from playwright.sync_api import sync_playwright

import get_browser
import welcome_figure
from checkout import ROOT

STATIC = ROOT / "book" / "_static"
PICTURE = STATIC / "link.png"
SIZE = {"width": 1200, "height": 630}  # what the hosts that show links ask for
PAGE = Path(__file__).with_suffix(".html")


def main() -> None:
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = Path(folder, "page.html")
        shown = {"tokens": (STATIC / "tokens.css").as_uri(), "figure": welcome_figure.html()}
        path.write_text(Template(PAGE.read_text("utf-8")).render(shown), "utf-8")
        browser = playwright.chromium.launch(executable_path=get_browser.get(), args=["--no-sandbox"])
        page = browser.new_page(viewport=SIZE, reduced_motion="reduce")
        page.goto(path.as_uri())
        page.evaluate("document.fonts.ready")
        picture = Image.open(io.BytesIO(page.screenshot()))
        browser.close()
    picture.convert("RGB").quantize(64).save(PICTURE, optimize=True)


if __name__ == "__main__":
    main()
