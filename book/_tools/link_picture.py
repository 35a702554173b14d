"""Draw the picture that a link to the book shows: the welcome page's moving figure, standing still."""

import io
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image
from playwright.sync_api import sync_playwright

import get_browser
import welcome_figure
from checkout import ROOT

STATIC = ROOT / "book" / "_static"
PICTURE = STATIC / "link.png"
SIZE = {"width": 1200, "height": 630}  # what the hosts that show links ask for
PAGE = f"""<!doctype html><link rel="stylesheet" href="{(STATIC / "tokens.css").as_uri()}">
<style>
body {{ margin: 40px 56px; background: #fbf9f4; zoom: 1.25; }}
h1 {{ margin: 0 0 28px; font: 40px Newsreader, Georgia, serif; color: #23283a; }}
em {{ font-size: 24px; }}
.lull-buttons, .lull-panels, .lull-fine, .lull-start {{ display: none !important; }}
.lull .lull-stage {{ height: 370px; }}
</style>
<h1>Private Bandits <em>Learning from people without learning about them</em></h1>"""


def main() -> None:
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = Path(folder, "page.html")
        path.write_text(PAGE + welcome_figure.html(), "utf-8")
        browser = playwright.chromium.launch(executable_path=get_browser.get(), args=["--no-sandbox"])
        page = browser.new_page(viewport=SIZE, reduced_motion="reduce")
        page.goto(path.as_uri())
        page.evaluate("document.fonts.ready")
        picture = Image.open(io.BytesIO(page.screenshot()))
        browser.close()
    picture.convert("RGB").quantize(64).save(PICTURE, optimize=True)


if __name__ == "__main__":
    main()
