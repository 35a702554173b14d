"""What a reader of a chapter sees of its moving scenes: the frames that are stored in the notebook."""

from typing import Any

import nbformat

from checkout import ROOT
from tests.test_plots import page_json

Marks = dict[str, dict[str, Any]]


def stored_scene(chapter: str, cell: str) -> dict[tuple[str, ...], tuple[Marks, str]]:
    """Return, for each setting (the sliders' values as they are shown), the marks by key, and the note."""
    notebook = nbformat.read(ROOT / "notebooks" / f"{chapter}.ipynb", as_version=4)
    stored = next(one for one in notebook.cells if one.id == cell)
    data = page_json(next(output.data["text/html"] for output in stored.outputs if "text/html" in output.get("data", {})))
    settings: list[tuple[str, ...]] = [()]
    for slider in data["sliders"]:
        settings = [(*before, value) for before in settings for value in slider["texts"]]
    marks = [{mark["key"]: mark for mark in (data["marks"][place] for place in frame["marks"])} for frame in data["frames"]]
    return {key: (shown, frame["note"]) for key, shown, frame in zip(settings, marks, data["frames"], strict=True)}
