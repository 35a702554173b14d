"""The page "How to use this book": its lines for researchers run. And no page has code that a desktop shows in part only."""

import re
from pathlib import Path

import pytest

BOOK = Path(__file__).parents[1] / "book"


@pytest.mark.filterwarnings("ignore:Port 8787 is already in use")  # by the cluster of another test
def test_the_examples_for_researchers_run(tmp_path, monkeypatch):
    page = (BOOK / "how_to.md").read_text("utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page.partition("## Simulate a lot")[2].partition("\n## ")[0], flags=re.DOTALL)
    assert len(blocks) == 4
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "__main__"}
    for block in blocks:
        exec(block, names)  # our own page
    assert names["result"].runs == 6 and names["again"].played == 1
    assert len(list(tmp_path.glob("finished-runs/*/run-*.npz"))) == 18 and (tmp_path / "learner.npz").exists()


def test_code_on_pages_fits_their_column():
    blocks = [(page.name, block) for page in sorted(BOOK.rglob("*.md"))
              for block in re.findall(r"^```[a-z]+\n(.*?)^```", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)]
    assert len(blocks) >= 40
    assert not [(name, line) for name, block in blocks for line in block.split("\n") if len(line) > 84]
