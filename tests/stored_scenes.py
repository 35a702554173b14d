"""The moving scenes that chapters have stored: what a reader sees at a setting, without running the chapter."""

import itertools
import json
from pathlib import Path
from typing import Any

from tests.test_plots import page_json

Marks = dict[str, dict[str, Any]]


def stored_scene(notebook: Path, cell_id: str) -> dict[tuple[Any, ...], tuple[Marks, str]]:
    """Return, for each setting of the sliders in their order, the marks by key and the note."""
    cells = {cell["id"]: cell for cell in json.loads(notebook.read_text("utf-8"))["cells"]}
    (output,) = cells[cell_id]["outputs"]
    data = page_json("".join(output["data"]["text/html"]))
    settings = itertools.product(*(slider["values"] for slider in data["sliders"]))
    shown = [{mark["key"]: mark for mark in (data["marks"][place] for place in frame["marks"])} for frame in data["frames"]]
    return dict(zip(settings, zip(shown, (frame["note"] for frame in data["frames"]), strict=True), strict=True))
