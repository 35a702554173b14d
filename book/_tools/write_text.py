"""Write into the text of the notebooks what no author should have to: numbers of the last run, and numbers of boxes and figures.

`make notebooks` does this after every run; running this file does it alone. The grammar is in `book/_ext/plain_text.py`.
"""

import json
import sys
from pathlib import Path
from typing import Any

from checkout import NOTEBOOKS, ROOT, store

sys.path.insert(0, str(ROOT / "book" / "_ext"))
import plain_text


def chapters(folder: Path = NOTEBOOKS) -> dict[Path, dict[str, Any]]:
    return {path: json.loads(path.read_text("utf-8")) for path in sorted(folder.glob("*.ipynb"))}


def write_all(folder: Path = NOTEBOOKS) -> list[Path]:
    """Bring the text of every chapter up to date and return the files that changed."""
    books = chapters(folder)
    names = plain_text.numbering(enumerate(books.values(), 1))
    changed = []
    for path, notebook in books.items():
        numbers = plain_text.run_numbers(notebook)
        for cell, text in plain_text.markdown(notebook):
            cell["source"] = plain_text.written(text, numbers, names).splitlines(keepends=True)
        fresh = json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"
        if store(path, fresh):
            changed.append(path)
    return changed


if __name__ == "__main__":
    for changed in write_all():
        print(f"{changed.relative_to(ROOT)}  text written")
