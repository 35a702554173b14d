"""Figures as SVG whose letters keep their size and whose colours follow the page. Imported only when something is drawn.

matplotlib writes the drawing; here its texts are written anew, as text in the page's own face, and every colour gets a name:
`#0072b2` becomes `var(--bdp-0072b2, #0072b2)`, so that a page which defines `--bdp-0072b2` decides how that blue looks in
the light and in the dark. Elsewhere the colour after the comma holds, and greys are chosen to be seen on white and on black.
"""

import io
import re
from typing import Any
from xml.etree import ElementTree

from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.text import Text

from bandits_dp.companion.plots.words import Span, spans

# A figure 6 inches wide is drawn for a column of 352 CSS pixels, the text of a book on a phone.
PHONE_PIXELS_PER_POINT = 352 / 432
# Shown wider than that, the drawing grows and its letters do not. Whoever shows it in its natural size sees this many pixels.
NATURAL_PIXELS_PER_POINT = 600 / 432
FACE = "'Instrument Sans', system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif"
LETTERS = "bdp-letters"
SMALLEST = 14.7  # points, which are 12 pixels on a phone
_MARK = "bdp-text-"
_SVG = "{http://www.w3.org/2000/svg}"
_HREF = "{http://www.w3.org/1999/xlink}href"
_ANCHORS = {"left": "start", "center": "middle", "right": "end"}


class FigureCanvas(FigureCanvasSVG):
    """The canvas that `use_style` gives to matplotlib for SVG files and for pictures in notebooks."""

    def print_svg(self, filename: Any, *, bbox_inches_restore: Any = None, **options: Any) -> None:
        """Write the figure; of the other options that matplotlib has, metadata and a page's orientation, nothing is written."""
        texts = _texts(self.figure)
        former = [text.get_gid() for text in texts]
        for place, text in enumerate(texts):
            text.set_gid(f"{_MARK}{place}")
        stream = io.StringIO()
        ground = self.figure.patch.get_visible()
        self.figure.patch.set_visible(False)
        try:
            super().print_svg(stream, bbox_inches_restore=bbox_inches_restore, metadata={"Date": None})
            drawing = _tidy(stream.getvalue(), texts, float(self.figure.bbox.height))
        finally:
            self.figure.patch.set_visible(ground)
            for text, gid in zip(texts, former, strict=True):
                text.set_gid(gid)
        if hasattr(filename, "write"):
            filename.write(drawing if isinstance(filename, io.TextIOBase) else drawing.encode())
        else:
            with open(filename, "w", encoding="utf-8") as file:
                file.write(drawing)


def _texts(figure: Figure) -> list[Text]:
    """List what a figure says, after every axis has made its ticks."""
    for axes in figure.axes:
        axes.get_xticklabels(which="both")
        axes.get_yticklabels(which="both")
    found: list[Text] = [text for text in figure.findobj(Text) if isinstance(text, Text)]
    return found


def _tidy(drawing: str, texts: list[Text], height: float) -> str:
    """Return matplotlib's SVG with its texts written anew, names for its colours, and nothing that is not needed."""
    root = ElementTree.fromstring(drawing)
    for group in list(root.iter(f"{_SVG}g")):
        mark = group.get("id", "")
        if mark.startswith(_MARK):
            _rewrite(group, texts[int(mark.removeprefix(_MARK))], height)
    for metadata in root.findall(f"{_SVG}metadata"):
        root.remove(metadata)
    _drop_empty(root)
    _shorten(root)
    width = float(root.get("viewBox", "").split()[2])
    phone = f"{width * PHONE_PIXELS_PER_POINT:.0f}px"
    scale = f"scale(clamp(.6, tan(atan2({phone}, 100vw)), 1.2))"
    (style,) = root.iter(f"{_SVG}style")
    style.attrib.clear()
    style.text = f".{LETTERS}{{font-family:{FACE};transform:{scale}}}"
    root.attrib.pop("version", None)
    root.set("style", f"--bdp-phone:{phone};stroke-linejoin:round;stroke-linecap:butt")
    for side in ("width", "height"):
        root.set(side, f"{float(root.get(side, '').removesuffix('pt')) * NATURAL_PIXELS_PER_POINT:.0f}")
    ElementTree.register_namespace("", _SVG[1:-1])
    written = ElementTree.tostring(root, encoding="unicode")
    return re.sub(r"#([0-9a-f]{6})\b", lambda found: f"var(--bdp-{found[1]},{_anywhere(found[1])})", written) + "\n"


def _anywhere(digits: str) -> str:
    """Return the colour to use where the page names none: greys that show on white and on black, any other as it is."""
    red, green, blue = digits[:2], digits[2:4], digits[4:]
    if red == green == blue and red != "ff":
        return "#767676" if int(red, 16) < 0xC0 else "#8885"
    return f"#{digits}"


def _rewrite(group: ElementTree.Element, text: Text, height: float) -> None:
    """Write a text as text, in a group that a style sheet can scale about the point that matplotlib aligned it to."""
    lines = [spans(line) for line in text.get_text().split("\n")]
    box = Text.get_window_extent(text)
    x = {"left": box.x0, "center": (box.x0 + box.x1) / 2, "right": box.x1}
    y = {"top": box.y1, "bottom": box.y0, "baseline": (box.y0 + box.y1) / 2}
    sideways, upright = text.get_horizontalalignment(), text.get_verticalalignment()
    group.set("class", LETTERS)
    origin = x[sideways], height - y.get(upright, (box.y0 + box.y1) / 2)
    group.set("style", "transform-origin:" + " ".join(f"{part:.2f}px" for part in origin))
    if any(line is None for line in lines):
        return  # mathematics beyond letters, indices and exponents stays as matplotlib wrote it
    for child in list(group):
        if not child.get("id", "").startswith("patch"):
            group.remove(child)
    turn = text.get_rotation()
    across, along = (box.width, box.height) if turn % 180 == 0 else (box.height, box.width)
    middle = (box.x0 + box.x1) / 2, height - (box.y0 + box.y1) / 2
    size = max(SMALLEST, float(text.get_fontsize()))
    for place, line in enumerate(lines):
        start = middle[0] + {"left": -across / 2, "center": 0.0, "right": across / 2}[sideways if turn % 180 == 0 else "center"]
        base = middle[1] + along * ((place + 0.5) / len(lines) - 0.5) + 0.34 * size
        written = ElementTree.SubElement(group, f"{_SVG}text", {"x": f"{start:.2f}", "y": f"{base:.2f}"})
        style = f"font-size:{size:g}px;fill:{to_hex(text.get_color())}"
        if (anchor := _ANCHORS[sideways if turn % 180 == 0 else "center"]) != "start":
            style += f";text-anchor:{anchor}"
        if text.get_fontweight() in ("bold", "semibold", 600, 700):
            style += ";font-weight:600"
        if text.get_fontstyle() == "italic":
            style += ";font-style:italic"
        if (alpha := text.get_alpha()) is not None:
            style += f";opacity:{alpha:g}"
        written.set("style", style)
        if turn:
            written.set("transform", f"rotate({-turn:g} {middle[0]:.2f} {middle[1]:.2f})")
        _fill(written, line or [])


def _fill(element: ElementTree.Element, line: list[Span]) -> None:
    """Put the spans of a line into a text element, raised and lowered ones smaller."""
    raised = 0.0
    for span in line:
        attributes = {}
        if shift := raised - span.raised:
            # In letters of the span itself, which are smaller if it is raised or follows a smaller one's baseline.
            attributes["dy"] = f"{shift / (0.75 if span.raised else 1):.2f}em"
        raised = span.raised
        if span.raised:
            attributes["font-size"] = "75%"
        if span.italic:
            attributes["font-style"] = "italic"
        if not attributes and not len(element):
            element.text = (element.text or "") + span.text
        else:
            ElementTree.SubElement(element, f"{_SVG}tspan", attributes).text = span.text


def _drop_empty(element: ElementTree.Element) -> None:
    """Remove groups that draw nothing."""
    for child in list(element):
        _drop_empty(child)
        if child.tag in (f"{_SVG}g", f"{_SVG}defs") and not len(child):
            element.remove(child)


def _shorten(root: ElementTree.Element) -> None:
    """Round coordinates to a hundredth of a point, and keep only the names that are used, as short ones."""
    used = {name for one in root.iter() for value in one.attrib.values() for name in re.findall(r"#([\w-]+)", value)}
    short: dict[str, str] = {}
    for one in root.iter():
        one.text = one.text if (one.text or "").strip() else None
        one.tail = None
        name = one.attrib.pop("id", "")
        if name in used:
            one.set("id", short.setdefault(name, f"s{len(short)}"))
    for one in root.iter():
        for key, value in list(one.attrib.items()):
            if key == _HREF:
                del one.attrib[key]
                one.set("href", f"#{short[value[1:]]}")
                continue
            value = re.sub(r"url\(#([\w-]+)\)", lambda found: f"url(#{short[found[1]]})", value)
            if key in ("d", "x", "y", "width", "height", "transform", "points"):
                value = re.sub(r"-?\d+\.\d+(e-?\d+)?", lambda found: f"{float(found[0]):.2f}".rstrip("0").rstrip("."), value)
            if key == "d":
                value = re.sub(r"\s*([A-Za-z])\s*", r"\1", value).strip()
            if key == "style":
                value = re.sub(r"([:;]) ", r"\1", value)
            one.set(key, value)
