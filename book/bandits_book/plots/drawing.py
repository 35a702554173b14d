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
from matplotlib.cbook import file_requires_unicode, open_file_cm
from matplotlib.colors import to_hex
from matplotlib.text import Text

from bandits_book.plots.words import Span, spans

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
ANCHORS = {"left": ("", -0.5), "center": (";text-anchor:middle", 0.0), "right": (";text-anchor:end", 0.5)}


class FigureCanvas(FigureCanvasSVG):
    """The canvas that `use_style` gives to matplotlib for SVG files and for pictures in notebooks."""

    def print_svg(self, filename: Any, *, bbox_inches_restore: Any = None, **options: Any) -> None:
        """Write the figure; of the other options that matplotlib has, metadata and a page's orientation, nothing is written."""
        for axes in self.figure.axes:  # which make their ticks now
            axes.get_xticklabels(which="both")
            axes.get_yticklabels(which="both")
        texts = [text for text in self.figure.findobj(Text) if isinstance(text, Text)]
        former = [text.get_gid() for text in texts]
        for place, text in enumerate(texts):
            text.set_gid(f"{_MARK}{place}")
        stream = io.StringIO()
        ground = self.figure.patch.get_visible()
        self.figure.patch.set_visible(False)
        try:
            nothing = dict.fromkeys(("Creator", "Date", "Format", "Type"))
            super().print_svg(stream, bbox_inches_restore=bbox_inches_restore, metadata=nothing)
            drawing = _tidy(stream.getvalue(), texts, float(self.figure.bbox.height))
        finally:
            self.figure.patch.set_visible(ground)
            for text, gid in zip(texts, former, strict=True):
                text.set_gid(gid)
        with open_file_cm(filename, "w", encoding="utf-8") as file:
            file.write(drawing if file_requires_unicode(file) else drawing.encode())


def _tidy(drawing: str, texts: list[Text], height: float) -> str:
    """Return matplotlib's SVG with its texts written anew, names for its colours, and nothing that is not needed."""
    root = ElementTree.fromstring(drawing)
    for group in list(root.iter(f"{_SVG}g")):
        mark = group.get("id", "")
        if mark.startswith(_MARK):
            _rewrite(group, texts[int(mark.removeprefix(_MARK))], height)
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
    if digits == 3 * digits[:2] != "ffffff":
        return "#767676" if digits < "a0" else "#7779" if digits < "c0" else "#8885"
    return f"#{digits}"


def _rewrite(group: ElementTree.Element, text: Text, height: float) -> None:
    """Write a text as text, in a group that a style sheet can scale about the point that matplotlib aligned it to."""
    lines = [spans(line) for line in text.get_text().split("\n")]
    box, sideways = Text.get_window_extent(text), text.get_horizontalalignment()
    middle = (box.x0 + box.x1) / 2, height - (box.y0 + box.y1) / 2
    x = {"left": box.x0, "center": middle[0], "right": box.x1}[sideways]
    y = {"top": height - box.y1, "bottom": height - box.y0}.get(text.get_verticalalignment(), middle[1])
    group.set("class", LETTERS)
    group.set("style", f"transform-origin:{x:.2f}px {y:.2f}px")
    if None in lines:
        return  # mathematics beyond letters, indices and exponents stays as matplotlib wrote it
    for child in list(group):
        if not child.get("id", "").startswith("patch"):
            group.remove(child)
    turn, size = text.get_rotation(), max(SMALLEST, float(text.get_fontsize()))
    level = turn % 180 == 0
    across, along = (box.width, box.height) if level else (box.height, box.width)
    anchor, start = ANCHORS[sideways if level else "center"]
    style = f"font-size:{size:g}px;fill:{to_hex(text.get_color())}" + anchor
    if text.get_fontweight() in ("bold", "semibold", 600, 700):
        style += ";font-weight:600"
    if text.get_fontstyle() == "italic":
        style += ";font-style:italic"
    if (alpha := text.get_alpha()) is not None:
        style += f";opacity:{alpha:g}"
    for place, line in enumerate(lines):
        base = middle[1] + along * ((place + 0.5) / len(lines) - 0.5) + 0.34 * size
        where = {"x": f"{middle[0] + start * across:.2f}", "y": f"{base:.2f}", "style": style}
        if turn:
            where["transform"] = f"rotate({-turn:g} {middle[0]:.2f} {middle[1]:.2f})"
        _fill(ElementTree.SubElement(group, f"{_SVG}text", where), line or [])


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
