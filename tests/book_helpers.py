"""What the tests of the book's tools share: small pictures and notebooks made for a test."""

import base64
import io
import itertools
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from PIL import Image

Size = tuple[int, int]

DRAW = """\
%config InlineBackend.figure_formats = ["png"]
import matplotlib.pyplot as plt
plt.plot([0, 1], [0, {height}])
plt.ylim(0, 2)
plt.show()"""


def picture(change: Callable[[np.ndarray], None] = lambda pixels: None, size: Size = (60, 80)) -> str:
    """Draw a grey slope, let `change` alter its pixels, and return it as PNG in base64."""
    pixels = np.tile(np.linspace(0, 200, size[1], dtype=np.uint8), (size[0], 1))[..., None].repeat(3, axis=2)
    change(pixels)
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    return base64.b64encode(file.getvalue()).decode()


def chapter(*sources: str) -> nbformat.NotebookNode:
    """Make a notebook of code cells below a title."""
    cells = [new_markdown_cell("# A chapter", id="title")]
    cells += [new_code_cell(source, id=f"cell-{index}") for index, source in enumerate(sources)]
    return new_notebook(cells=cells)


def save(notebook: nbformat.NotebookNode, path: Path) -> Path:
    """Write a notebook as Jupyter does."""
    path.write_text(nbformat.writes(notebook) + "\n", "utf-8")
    return path


def stored_scene(notebook: Path, cell: str) -> Callable[..., tuple[str, dict[str, dict[str, Any]]]]:
    """Return a function of the sliders of a chapter's stored scene: the note, and the marks by their keys."""
    (output,) = next(one["outputs"] for one in nbformat.read(notebook, 4).cells if one["id"] == cell)
    data = json.loads(re.search(r'<script type="application/json">(.*?)</script>', output.data["text/html"], re.DOTALL)[1])
    names = [slider["name"] for slider in data["sliders"]]
    settings = list(itertools.product(*(slider["values"] for slider in data["sliders"])))

    def frame(**setting: Any) -> tuple[str, dict[str, dict[str, Any]]]:
        shown = data["frames"][settings.index(tuple(setting[name] for name in names))]
        return shown["note"], {mark["key"]: mark for mark in (data["marks"][place] for place in shown["marks"])}

    return frame
