"""What a moving scene of a chapter shows, read back from the notebook's stored output."""

import itertools
import json
import re
from typing import Any

from checkout import NOTEBOOKS

Marks = dict[str, dict[str, Any]]


def stored_scene(chapter: str, cell: str) -> dict[tuple[str, ...], tuple[Marks, str]]:
    """Return the marks by key and the note of every setting, known by the sliders' texts; a chapter is its file's stem."""
    notebook = json.loads((NOTEBOOKS / f"{chapter}.ipynb").read_text("utf-8"))
    (drawn,) = (one for one in notebook["cells"] if one["id"] == cell)
    html = "".join(drawn["outputs"][0]["data"]["text/html"])
    (written,) = re.findall(r'<script type="application/json">(.*?)</script>', html, re.DOTALL)
    data = json.loads(written)
    settings = itertools.product(*(slider["texts"] for slider in data["sliders"]))
    marks = data["marks"]
    shown = [({marks[i]["key"]: marks[i] for i in frame["marks"]}, frame["note"]) for frame in data["frames"]]
    return dict(zip(settings, shown, strict=True))
